"""The clock of a world."""

from collections.abc import Callable


class Clock:
    """Unix seconds from a function, by which a test can let time jump."""

    def __init__(self, read: Callable[[], float]) -> None:
        self._read = read

    def __call__(self) -> float:
        return self._read()

    @property
    def now(self) -> int:
        """Return whole Unix seconds, as in messages."""
        return int(self._read())
