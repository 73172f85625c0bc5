"""Tracks the last success of a part: noted by the part, read by whoever asks how the bot is."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class Pulse:
    """The last success of one kind."""

    last_success: float  # on the monotonic clock; to begin with, the start
    success_count: int = 0
    # Why it did not go well when that was last asked, in one line; empty where it did, or nobody knows.
    failure_reason: str = ""
    failed_at: float = -math.inf  # when that was said
    is_of_leader: bool = False  # whether it is another bot's success that counts here
    is_cut_off: bool = False  # whether it goes well for others alone

    def record_success(self, now: float) -> None:
        """Note a success."""
        self.last_success = max(self.last_success, now)
        self.success_count += 1
        self.failure_reason = ""

    def record_failure(self, now: float, why: str) -> None:
        """Note a failure, and the reason that was given."""
        self.failure_reason, self.failed_at = why, now

    def get_success_age(self, now: float) -> float:
        """Return the seconds since the last success, or since the start."""
        return max(0.0, now - self.last_success)

    def get_news_age(self, now: float) -> float:
        """Return the seconds since the last success or failure."""
        return max(0.0, now - max(self.last_success, self.failed_at))


@dataclass(slots=True)
class Connectivity:
    """Counts the answers and failures of this process's requests to Telegram."""

    monotonic: Callable[[], float] = time.monotonic
    last_answer_at: float = -math.inf  # when the last answer came
    _since: float | None = None

    def record_answer(self) -> None:
        """Note an answer, whatever it says."""
        self.last_answer_at, self._since = self.monotonic(), None

    def record_failure(self, began: float) -> None:
        """Note that a request from `began` had no answer."""
        if self._since is None:
            self._since = max(began, self.last_answer_at)

    @property
    def answer_age(self) -> float:
        """Seconds since the last answer."""
        return self.monotonic() - self.last_answer_at

    @property
    def outage_seconds(self) -> float:
        """Seconds for which no request has had an answer; 0 after an answer."""
        return 0.0 if self._since is None else self.monotonic() - self._since
