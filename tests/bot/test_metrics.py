"""Metrics and their labels."""

import pytest

from bot import metrics
from tests.metric_counter import MetricCounter


def test_failing_block_is_measured_too() -> None:
    counted = MetricCounter("request_seconds_count", method="getTimed")
    with pytest.raises(ZeroDivisionError), metrics.measure_time(metrics.REQUEST_TIME.labels("getTimed")):
        raise ZeroDivisionError
    with metrics.measure_time(metrics.REQUEST_TIME.labels("getTimed")):
        pass
    assert counted.increase == 2


def test_takeover_counters_start_at_zero() -> None:
    # An alert can't tell a missing metric from a bot that does not report.
    kinds = {one.labels["of"] for one in next(iter(metrics.TAKEOVERS.collect())).samples}
    assert kinds == {"bot", "lead"}


def test_no_created_metrics_are_exposed() -> None:
    # They would double the lines; the start of the process has its own metric.
    names = {one.name for family in metrics.REGISTRY.collect() for one in family.samples}
    assert not [name for name in names if name.endswith("_created")]


def test_labels_hold_no_free_text() -> None:
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
