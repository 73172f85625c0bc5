"""A clock that a story moves by hand."""

import re
from dataclasses import dataclass

from tests.telegram import Message

NOON = 1_795_262_400.0  # A Saturday's noon by UTC, in seconds since 1970


@dataclass
class Clock:
    """Seconds since 1970, whenever a `World` asks."""

    now: float = NOON

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        """Let so many seconds go by."""
        self.now += seconds


def read_time_left(message: Message) -> int | None:
    """The number that a deal's message shows for its time left, in whatever language and unit."""
    clock = next((line for line in message.text.splitlines() if line.startswith("⏳")), "")
    found = re.search(r"\d+", clock)
    return int(found[0]) if found else None
