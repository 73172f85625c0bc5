"""When something last went well: noted by whoever does it, read by whoever asks how the bot is."""

import math
from dataclasses import dataclass


@dataclass(slots=True)
class Pulse:
    """The last success of one kind."""

    last: float
    """On the monotonic clock; to begin with, the start."""
    beats: int = 0
    hindrance: str = ""
    """Why it did not go well when that was last asked, in one line; empty where it did, or nobody knows."""
    hindered: float = -math.inf
    """When that was said."""
    followed: bool = False
    """Whether it is another bot's success that counts here."""
    cut_off: bool = False
    """Whether it goes well for others alone."""

    def beat(self, now: float) -> None:
        """It went well just now."""
        self.last = max(self.last, now)
        self.beats += 1
        self.hindrance = ""

    def hinder(self, now: float, why: str) -> None:
        """It did not go well just now, for a reason that was told."""
        self.hindrance, self.hindered = why, now

    def silent(self, now: float) -> float:
        """Seconds since the last success, or since the start if there was none."""
        return max(0.0, now - self.last)

    def unheard(self, now: float) -> float:
        """Seconds since anything was told: a success, or a reason for there being none."""
        return max(0.0, now - max(self.last, self.hindered))
