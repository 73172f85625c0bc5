"""When something last went well: noted by whoever does it, read by whoever asks how the bot is."""

from dataclasses import dataclass


@dataclass(slots=True)
class Pulse:
    """The last success of one kind."""

    last: float
    """On the monotonic clock; to begin with, the start."""
    beats: int = 0

    def beat(self, now: float) -> None:
        """It went well just now."""
        self.last = max(self.last, now)
        self.beats += 1

    def silent(self, now: float) -> float:
        """Seconds since the last success, or since the start if there was none."""
        return max(0.0, now - self.last)
