"""Kinds of hands that are found at once, and kinds that were looked for in vain."""

from collections.abc import Hashable
from dataclasses import dataclass, field

QUICK_CARDS, QUICK_HIGHEST, QUICK_TARGET = range(3, 6), range(9, 21), 24
"""Hands that are always found within a tenth of a second: so many cards, up to such ranks, with this target.
Others may be rare, or not exist.
"""
KEPT = 60.0
"""Seconds for which a kind is remembered: the next draw might find one."""
MOST = 500
"""Kinds that are remembered at most; the oldest are let go."""


def is_quick(cards: int, highest: int, target: int) -> bool:
    """Whether a hand of the kind is found at once, of whatever level."""
    return cards in QUICK_CARDS and highest in QUICK_HIGHEST and target == QUICK_TARGET


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
