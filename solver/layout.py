"""The parts of a hand, and the ways to split each in two.

A part is encoded as an integer. Each different number of the hand is a symbol with a weight, and a part is
the sum of its weights: the hand 3 3 8 has the weight 1 for each 3 and 3 for the 8, so 1 is the part 3, 2 is 3
3, and 4 is 3 8. Removing a part from another is subtraction, and equal numbers cause no repeated work.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import prod

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Split = tuple[int, int]  # A block, which contains the lowest number of a part, and the rest
    # A use of one side of a split: the whole part, the other side, and whether the used side is the block.
    Use = tuple[int, int, bool]

MAX_LISTED_SIZE = 9  # The largest part whose splits are kept as a list
MAX_CACHED_PARTS = 10_000  # Parts of a layout whose splits are cached
MAX_CACHED_USES = 8  # Parts whose uses are cached: up to 100 kB each


class Layout:
    """The parts of all hands that have `counts[i]` equal numbers of the i-th symbol."""

    def __init__(self, counts: tuple[int, ...]) -> None:
        self.counts = counts
        # As in a number whose digits have different bases: digit i counts the i-th symbol.
        self.weights = [prod(count + 1 for count in counts[:i]) for i in range(len(counts))]
        self.whole = sum(count * weight for count, weight in zip(counts, self.weights, strict=True))
        self._splits: dict[int, list[Split]] = {}
        # The methods are cached for each layout. For small hands, lists of all parts replace two of them.
        self.symbols: Callable[[int], tuple[int, ...]] = lru_cache(MAX_CACHED_PARTS)(self._decode)
        self.size: Callable[[int], int] = lambda part: len(self.symbols(part))  # numbers in a part
        self.group_splits = lru_cache(MAX_CACHED_PARTS)(self._group_splits)
        self.find_uses = lru_cache(MAX_CACHED_USES)(self._find_uses)
        if sum(counts) <= MAX_LISTED_SIZE:
            symbols_by_part = [self._decode(part) for part in range(self.whole + 1)]
            self.symbols = symbols_by_part.__getitem__
            self.size = [len(symbols) for symbols in symbols_by_part].__getitem__

    def _decode(self, part: int) -> tuple[int, ...]:
        """Return the symbols of a part, ascending; equal numbers repeat their symbol."""
        symbols: list[int] = []
        for symbol, count in enumerate(self.counts):
            part, times = divmod(part, count + 1)  # the next digit is how often the symbol occurs
            symbols += [symbol] * times
        return tuple(symbols)

    def list_splits(self, part: int) -> Iterable[Split]:
        """Return the splits of a part into a block with its lowest number and a rest, most uneven first."""
        found = self._splits.get(part)
        if found is None:
            if self.size(part) > MAX_LISTED_SIZE:
                return self._generate_splits(part)
            if len(self._splits) > MAX_CACHED_PARTS:
                self._splits.clear()
            found = self._splits[part] = list(self._generate_splits(part))
        return found

    def _group_splits(self, part: int, table_size: int) -> tuple[list[Split], list[Split]]:
        """Return the splits without a side of more than `table_size` numbers, and the others. In both lists
        the most even splits come first.
        """
        small: list[Split] = []
        large: list[Split] = []
        for block, rest in reversed(list(self.list_splits(part))):
            is_small = max(self.size(block), self.size(rest)) <= table_size
            splits = small if is_small else large
            splits.append((block, rest))
        return small, large

    def _find_uses(self, part: int, table_size: int, whole_table_size: int) -> dict[int, list[Use]]:
        """Return `part` and all sides of more than `table_size` numbers in its splits, with their uses.

        Larger sides come first; sides of sides are included. In the splits of `part` itself only sides of
        more than `whole_table_size` numbers count.
        """
        uses: dict[int, list[Use]] = {part: []}
        # Downwards to parts with a side too large for a table; smaller parts have none.
        for size in range(self.size(part), table_size + 1, -1):
            users = [larger for larger in uses if self.size(larger) == size]  # listed, since `uses` grows
            for user in users:
                _, large = self.group_splits(user, whole_table_size if user == part else table_size)
                for block, rest in large:  # one side is large, the other has a table
                    if self.size(block) > table_size:
                        uses.setdefault(block, []).append((user, rest, True))  # as the block
                    else:
                        uses.setdefault(rest, []).append((user, block, False))  # not as the block
        return dict(sorted(uses.items(), key=lambda item: -self.size(item[0])))

    def _generate_splits(self, part: int) -> Iterator[Split]:
        """Generate the splits of a part, as `list_splits` returns them."""
        symbols = self.symbols(part)
        lowest = symbols[0]
        for side, other in self._generate_halves(part, [self.weights[symbol] for symbol in symbols]):
            # If the lowest number is repeated, both sides may contain it.
            if self.symbols(side)[0] == lowest:
                yield side, other
            if self.symbols(other)[0] == lowest and side != other:
                yield other, side

    @staticmethod
    def _generate_halves(part: int, weights: list[int]) -> Iterator[Split]:
        """Generate each way to split a part in two sides once, the smaller side first. `weights` has the
        weight of each number of the part.
        """
        for size in range(1, len(weights) // 2 + 1):
            for side in dict.fromkeys(map(sum, combinations(weights, size))):  # each sum once, in order
                # Of two equally large sides, the lesser one alone is a `side`.
                if 2 * size < len(weights) or side <= part - side:
                    yield side, part - side


get_layout = lru_cache(maxsize=64)(Layout)
