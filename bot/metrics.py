"""Count and time what the bot does, for Prometheus: https://prometheus.io/docs/practices/naming/

Counters begin at 0 with each start and each process has its own; what a transaction counts is counted once
the transaction is durable (see `bot.database.call_after_commit`). No label holds a name, an id or a text.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
)

disable_created_metrics()  # type: ignore[no-untyped-call]
REGISTRY = CollectorRegistry()  # all metrics of this process
ProcessCollector(registry=REGISTRY)
PlatformCollector(registry=REGISTRY)

# Bounds in seconds for what people wait for.
TIME_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


def _make_counter(name: str, meaning: str, *labels: str) -> Counter:
    """Register a counter of `REGISTRY`; its name gets the bot's prefix."""
    return Counter(f"twentyfour_{name}", meaning, labels, registry=REGISTRY)


def _make_histogram(name: str, meaning: str, *labels: str) -> Histogram:
    """Register a histogram of seconds of `REGISTRY`; its name gets the bot's prefix and the unit."""
    return Histogram(f"twentyfour_{name}_seconds", meaning, labels, registry=REGISTRY, buckets=TIME_BUCKETS)


UPDATES_HANDLED = _make_counter(
    "updates_handled", "Updates by kind, and by what became of them.", "kind", "outcome"
)
HANDLING_TIME = _make_histogram("handling", "From an update's turn to the commit of its effect.", "kind")
UPDATE_WAIT_TIME = _make_histogram("update_waiting", "From an update's commit to its turn.")
REQUESTS = _make_counter(
    "requests", "Requests to Telegram by method, and by what came of them.", "method", "outcome"
)
REQUEST_TIME = _make_histogram("request", "How long Telegram took to answer.", "method")
SOLVER_WAIT_TIME = _make_histogram("solver_wait", "How long a task waited for a worker.")
SOLVER_TIME = _make_histogram("solver", "How long a worker took for a task.", "outcome")
ROUNDS_ENDED = _make_counter("rounds_ended", "Rounds by game, and by how they ended.", "game", "end")
TAKEOVERS = _make_counter("takeovers", "What this bot took over from one that fell silent, or left.", "of")
for _of in ("bot", "lead"):
    TAKEOVERS.labels(_of)  # present at 0 from the start, so that an alert can compare it
BOARD_ENTRIES = _make_counter("board_entries", "What was tapped on boards, by what became of it.", "outcome")
BOARD_STREAMS = Gauge("twentyfour_board_streams", "Boards that look on live.", registry=REGISTRY)
TRANSACTION_TIME = _make_histogram(
    "database", "How long a transaction took, its wait for its turn included.", "what"
)


@contextmanager
def measure_time(histogram: Histogram) -> Iterator[None]:
    """Record how long the block takes, also if it raises."""
    began = time.perf_counter()
    try:
        yield
    finally:
        histogram.observe(time.perf_counter() - began)
