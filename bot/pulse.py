"""Tracks the last success of a part: noted by the part, read by whoever asks how the bot is."""

import math
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
