"""What is timed, and what a label may hold."""

import pytest
from prometheus_client import Histogram

from bot import metrics
from tests.counted import Counted


def test_what_fails_is_timed_too() -> None:
    counted = Counted("request_seconds_count", method="getTimed")
    with pytest.raises(ZeroDivisionError), metrics.measure_time(metrics.REQUEST_TIME.labels("getTimed")):
        raise ZeroDivisionError
    with metrics.measure_time(metrics.REQUEST_TIME.labels("getTimed")):
        pass
    assert counted.since == 2


def test_what_takes_long_is_told_from_what_does_not() -> None:
    """The longest of what people wait for, a solver's five seconds, has bounds on both sides."""
    assert isinstance(metrics.SOLVER_TIME, Histogram)
    assert metrics.TIME_BUCKETS[0] <= 0.001
    assert metrics.TIME_BUCKETS[-1] >= 10.0
    assert list(metrics.TIME_BUCKETS) == sorted(set(metrics.TIME_BUCKETS))


def test_takeovers_are_counted_from_naught() -> None:
    """An alert can't tell nothing from a bot that says nothing."""
    kinds = {one.labels["of"] for one in next(iter(metrics.TAKEOVERS.collect())).samples}
    assert kinds == {"bot", "lead"}


def test_when_a_count_began_is_no_figure() -> None:
    """It would double the lines, and the start is one of them."""
    names = {one.name for family in metrics.REGISTRY.collect() for one in family.samples}
    assert not [name for name in names if name.endswith("_created")]


def test_no_label_holds_what_people_write() -> None:
    bounded = {"kind", "outcome", "method", "game", "end", "of", "what", "where", "le"}
    held = {label for family in metrics.REGISTRY.collect() for one in family.samples for label in one.labels}
    ours = {
        label
        for family in metrics.REGISTRY.collect()
        if family.name.startswith("twentyfour_")
        for one in family.samples
        for label in one.labels
    }
    assert ours <= bounded
    assert held - ours <= {"implementation", "major", "minor", "patchlevel", "version"}
