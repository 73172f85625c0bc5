"""Count and time what the bot does, and record whether its parts succeed, for health checks.

Metrics are for Prometheus: https://prometheus.io/docs/practices/naming/

Counters begin at 0 with each start and each process has its own; what a transaction counts is counted once
the transaction is durable (see `bot.database.call_after_commit`). No label holds a name, an id or a text.
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

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


# Successes and failures


@dataclass(slots=True)
class Pulse:
    """Records the last success of one part, for health checks."""

    last_success: float  # on the monotonic clock; at first, the start
    success_count: int = 0
    failure_reason: str = ""  # of the last failure, in one line; "" after a success
    failed_at: float = -math.inf
    is_of_leader: bool = False  # whether the leader's successes are recorded here, not this bot's own
    is_cut_off: bool = False  # whether only other bots succeed

    def record_success(self, now: float) -> None:
        self.last_success = max(self.last_success, now)
        self.success_count += 1
        self.failure_reason = ""

    def record_failure(self, now: float, why: str) -> None:
        self.failure_reason = why
        self.failed_at = now

    def get_success_age(self, now: float) -> float:
        """Return the seconds since the last success, or since the start."""
        return max(0.0, now - self.last_success)

    def get_news_age(self, now: float) -> float:
        """Return the seconds since the last success or failure."""
        return max(0.0, now - max(self.last_success, self.failed_at))


@dataclass(slots=True)
class Connectivity:
    """Records which of this process's requests to Telegram are answered."""

    monotonic: Callable[[], float] = time.monotonic
    last_answer_at: float = -math.inf
    _failing_since: float | None = None

    def record_answer(self) -> None:
        """Record an answer, whatever it says."""
        self.last_answer_at = self.monotonic()
        self._failing_since = None

    def record_failure(self, began: float) -> None:
        """Record that a request sent at `began` had no answer; the first one begins an outage."""
        if self._failing_since is None:
            self._failing_since = max(began, self.last_answer_at)  # another one may have had an answer since

    @property
    def answer_age(self) -> float:
        """Seconds since the last answer."""
        return self.monotonic() - self.last_answer_at

    @property
    def outage_seconds(self) -> float:
        """Seconds for which no request has been answered; 0 after an answer."""
        if self._failing_since is None:
            return 0.0
        return self.monotonic() - self._failing_since
