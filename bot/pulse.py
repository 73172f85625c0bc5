"""Tracks the last success of a part: noted by the part, read by whoever asks how the bot is."""

import math
from dataclasses import dataclass


@dataclass(slots=True)
class Pulse:
    """The last success of one kind."""

    last: float  # on the monotonic clock; to begin with, the start
    beats: int = 0
    # Why it did not go well when that was last asked, in one line; empty where it did, or nobody knows.
    hindrance: str = ""
    hindered: float = -math.inf  # when that was said
    followed: bool = False  # whether it is another bot's success that counts here
    cut_off: bool = False  # whether it goes well for others alone

    def beat(self, now: float) -> None:
        """Note a success."""
        self.last = max(self.last, now)
        self.beats += 1
        self.hindrance = ""

    def hinder(self, now: float, why: str) -> None:
        """Note a failure, and the reason that was given."""
        self.hindrance, self.hindered = why, now

    def silent(self, now: float) -> float:
        """Return the seconds since the last success, or since the start."""
        return max(0.0, now - self.last)

    def unheard(self, now: float) -> float:
        """Return the seconds since the last success or failure."""
        return max(0.0, now - max(self.last, self.hindered))
