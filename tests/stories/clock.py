"""A clock that advances only when a story says so."""

import re
from dataclasses import dataclass

from tests.telegram import Message

NOON = 1_795_262_400.0  # Noon of Saturday 2026-11-21 in UTC, in seconds since 1970


@dataclass
class Clock:
    """The time of a `World`, in seconds since 1970."""

    now: float = NOON

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


def read_time_left(message: Message) -> int | None:
    """Return the number in a message's line ⏳, whatever its unit; None if there is no such line."""
    line = next((line for line in message.text.splitlines() if line.startswith("⏳")), "")
    found = re.search(r"\d+", line)
    return int(found[0]) if found else None
