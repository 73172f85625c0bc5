"""Kinds of tasks that came to nothing a short while ago, and are not begun again so soon."""

from collections.abc import Hashable
from dataclasses import dataclass, field

KEPT = 60.0
"""Seconds for which a kind is remembered: the next draw might find one."""
MOST = 500
"""Kinds that are remembered at most; the oldest are let go."""


@dataclass(slots=True)
class Futile:
    """What was found out, by kind. Times are seconds on one clock."""

    found: dict[Hashable, tuple[type[ValueError], float]] = field(default_factory=dict)

    def note(self, kind: Hashable, error: ValueError, now: float) -> None:
        """Looking for this kind ended so."""
        self.found.pop(kind, None)
        self.found[kind] = type(error), now
        if len(self.found) > MOST:
            del self.found[next(iter(self.found))]

    def recall(self, kind: Hashable, now: float) -> None:
        """Raise as the last search for this kind did, if that was a short while ago."""
        error, at = self.found.get(kind, (ValueError, now - KEPT))
        if now - at < KEPT:
            raise error("no such hand a short while ago")
