"""A clock that a story moves by hand."""

from dataclasses import dataclass

NOON = 1_795_262_400.0
"""A Saturday's noon by UTC, in seconds since 1970."""


@dataclass
class Hours:
    """Seconds since 1970, whenever a `World` asks."""

    now: float = NOON

    def __call__(self) -> float:
        return self.now

    def pass_(self, seconds: float) -> None:
        """Let so many seconds go by."""
        self.now += seconds
