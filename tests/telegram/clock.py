"""What time it is in a world."""

from collections.abc import Callable


class Clock:
    """Unix seconds by a function, which a test may give so as to let time jump."""

    def __init__(self, read: Callable[[], float]) -> None:
        self._read = read

    def __call__(self) -> float:
        return self._read()

    @property
    def now(self) -> int:
        """Whole Unix seconds, as messages carry them."""
        return int(self._read())
