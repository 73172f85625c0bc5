"""Metrics in tests: the process's counters are not reset between tests."""

from bot.metrics import REGISTRY


class MetricCounter:
    """The increase of one metric since this object was made."""

    def __init__(self, name: str, **labels: str) -> None:
        self._name, self._labels = f"twentyfour_{name}", labels
        self._before = self._read_value()

    @property
    def increase(self) -> float:
        return self._read_value() - self._before

    def _read_value(self) -> float:
        return REGISTRY.get_sample_value(self._name, self._labels) or 0.0
