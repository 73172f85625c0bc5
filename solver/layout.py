"""The parts of a hand, and the ways to split each in two.

A part of a hand is a code: the hand 3 3 8 has the weights 1 1 3, so that 1 is a 3, 2 is 3 3, 4 is 3 8, and
taking away is subtraction. Equal numbers are one symbol, and nothing is done twice for them.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import prod

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Split = tuple[int, int]
    """A block that holds the lowest number of a part, and the rest."""
    Use = tuple[int, int, bool]
    """A part, one side of it, and whether the other side is its block."""

LISTED = 9  # The largest part whose splits are listed before they are gone through
KEPT_PARTS = 10_000  # For how many parts of a layout the splits are kept before all are dropped
KEPT_USES = 8  # For how many parts the uses of their sides are kept: up to 100 kB each


class Layout:
    """The parts of any hand with so many of its first, second, … number."""

    def __init__(self, counts: tuple[int, ...]) -> None:
        self.counts = counts
        self.weights = [prod(count + 1 for count in counts[:i]) for i in range(len(counts))]
        self.whole = sum(count * weight for count, weight in zip(counts, self.weights, strict=True))
        self._blocks: dict[int, list[Split]] = {}
        self.symbols: Callable[[int], tuple[int, ...]] = lru_cache(KEPT_PARTS)(self._decoded)
        """Return the numbers of a part, as their places in the hand, repeated as in the part."""
        self.size: Callable[[int], int] = lambda part: len(self.symbols(part))  # its count of numbers
        self.even: Callable[[int, int], tuple[list[Split], list[Split]]] = lru_cache(KEPT_PARTS)(self._parted)
        """The blocks of a part with their rests, the most even first: those neither of which has more than so
        many numbers, and the others."""
        self.uses: Callable[[int, int, int], dict[int, list[Use]]] = lru_cache(KEPT_USES)(self._used)
        """Return the uses of those sides of a part that are not tabled, and their sides, larger first. Tabled
        are parts of up to so many numbers; where the part itself is split, of up to so many."""
        if sum(counts) <= LISTED:
            known = [self._decoded(part) for part in range(self.whole + 1)]
            self.symbols = known.__getitem__
            self.size = [len(symbols) for symbols in known].__getitem__

    def _decoded(self, part: int) -> tuple[int, ...]:
        symbols: list[int] = []
        for symbol, count in enumerate(self.counts):
            part, times = divmod(part, count + 1)
            symbols += [symbol] * times
        return tuple(symbols)

    def blocks(self, part: int) -> Iterable[Split]:
        """Each way to part a block that holds the lowest number from the rest, the most lopsided first."""
        found = self._blocks.get(part)
        if found is None:
            if self.size(part) > LISTED:
                return self._split(part)
            if len(self._blocks) > KEPT_PARTS:
                self._blocks.clear()
            found = self._blocks[part] = list(self._split(part))
        return found

    def _parted(self, part: int, tabled: int) -> tuple[list[Split], list[Split]]:
        near: list[Split] = []
        far: list[Split] = []
        for block, rest in reversed(list(self.blocks(part))):
            (near if max(self.size(block), self.size(rest)) <= tabled else far).append((block, rest))
        return near, far

    def _used(self, part: int, tabled: int, passing: int) -> dict[int, list[Use]]:
        found: dict[int, list[Use]] = {part: []}
        for size in range(self.size(part), tabled + 1, -1):
            for user in [larger for larger in found if self.size(larger) == size]:
                for block, rest in self.even(user, passing if user == part else tabled)[1]:
                    if self.size(block) > tabled:
                        found.setdefault(block, []).append((user, rest, True))
                    else:
                        found.setdefault(rest, []).append((user, block, False))
        return dict(sorted(found.items(), key=lambda item: -self.size(item[0])))

    def _split(self, part: int) -> Iterator[Split]:
        symbols = self.symbols(part)
        for side, other in self._halves(part, [self.weights[symbol] for symbol in symbols]):
            if self.symbols(side)[0] == symbols[0]:
                yield side, other
            if self.symbols(other)[0] == symbols[0] and side != other:
                yield other, side

    @staticmethod
    def _halves(part: int, weights: list[int]) -> Iterator[Split]:
        """Each way to split the part in two, the smaller side first."""
        for size in range(1, len(weights) // 2 + 1):
            for side in dict.fromkeys(map(sum, combinations(weights, size))):
                if 2 * size < len(weights) or side <= part - side:
                    yield side, part - side


layout_of = lru_cache(maxsize=64)(Layout)
