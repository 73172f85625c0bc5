"""Track the successes and failures of a part, and whether Telegram answers."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass


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
