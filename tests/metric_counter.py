"""What was counted within a test: the process's counters go on from test to test."""

from bot.metrics import REGISTRY


class Counted:
    """One sample of ours, from now on."""

    def __init__(self, name: str, **labels: str) -> None:
        self._name, self._labels = f"twentyfour_{name}", labels
        self._before = self._value()

    @property
    def since(self) -> float:
        """By how much it has grown."""
        return self._value() - self._before

    def _value(self) -> float:
        return REGISTRY.get_sample_value(self._name, self._labels) or 0.0
