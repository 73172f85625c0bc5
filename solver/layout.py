"""The parts of a hand, and the ways to split each in two.

A part is encoded as an integer. Each different number of the hand is a symbol with a weight, and a part is
the sum of its weights: the hand 3 3 8 has the weight 1 for each 3 and 3 for the 8, so 1 is the part 3, 2 is 3
3, and 4 is 3 8. Removing a part from another is subtraction, and equal numbers cause no repeated work.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

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
    """The parts of all hands that have `counts[i]` equal numbers of the i-th symbol.

    `whole` is the part of all numbers. `symbols(part)` lists the symbols of a part, ascending, and repeats
    those of equal numbers; `size(part)` is the number of numbers in it.
    """

    def __init__(self, counts: tuple[int, ...]) -> None:
        self.counts = counts
        # As in a number whose digits have different bases: digit i counts the i-th symbol.
        self.weights: list[int] = []
        weight = 1
        for count in counts:
            self.weights.append(weight)
            weight *= count + 1
        self.whole = weight - 1  # all digits are the highest
        self._splits: dict[int, list[Split]] = {}
        # The methods are cached for each layout. For small hands, lists of all parts replace two of them.
        self.symbols: Callable[[int], tuple[int, ...]] = lru_cache(MAX_CACHED_PARTS)(self._decode_symbols)
        self.size: Callable[[int], int] = lambda part: len(self.symbols(part))
        self.group_splits = lru_cache(MAX_CACHED_PARTS)(self._group_splits)
        self.find_uses = lru_cache(MAX_CACHED_USES)(self._find_uses)
        if sum(counts) <= MAX_LISTED_SIZE:
            symbols_by_part = [self._decode_symbols(part) for part in range(self.whole + 1)]
            self.symbols = symbols_by_part.__getitem__
            self.size = [len(symbols) for symbols in symbols_by_part].__getitem__

    def _decode_symbols(self, part: int) -> tuple[int, ...]:
        """Return the symbols of a part, ascending; equal numbers repeat their symbol."""
        symbols: list[int] = []
        for symbol, count in enumerate(self.counts):
            part, times = divmod(part, count + 1)  # the next digit is how often the symbol occurs
            symbols += [symbol] * times
        return tuple(symbols)

    def list_splits(self, part: int) -> Iterable[Split]:
        """Return the splits of a part into a block, which contains its lowest number, and a rest, both not
        empty. The most uneven splits come first. If the lowest number is repeated and both sides contain it,
        each of them is once the block, unless they are equal.
        """
        found = self._splits.get(part)
        if found is None:
            if self.size(part) > MAX_LISTED_SIZE:
                return self._generate_splits(part)  # lazily, since a list would be too large
            if len(self._splits) > MAX_CACHED_PARTS:
                self._splits.clear()
            found = list(self._generate_splits(part))
            self._splits[part] = found
        return found

    def _group_splits(self, part: int, table_size: int) -> tuple[list[Split], list[Split]]:
        """Return two lists: the splits of a part whose sides both have at most `table_size` numbers, and the
        other splits. In both lists the most even splits come first.
        """
        small: list[Split] = []
        large: list[Split] = []
        for block, rest in reversed(list(self.list_splits(part))):
            is_small = max(self.size(block), self.size(rest)) <= table_size
            splits = small if is_small else large
            splits.append((block, rest))
        return small, large

    def _find_uses(self, part: int, table_size: int, whole_table_size: int) -> dict[int, list[Use]]:
        """Return `part` and all its smaller parts with more than `table_size` numbers that are a side in a
        split of `part` or of another of these parts. Map each to its uses, one for each such split; the uses
        of `part` itself are empty. Larger parts come first.

        Splits of a part count only if one side has more than `table_size` numbers, and splits of `part`
        itself only if one side has more than `whole_table_size`.
        """
        uses: dict[int, list[Use]] = {part: []}
        # From large parts to small ones. A part of `table_size + 1` numbers has no side with more.
        for size in range(self.size(part), table_size + 1, -1):
            users = [larger for larger in uses if self.size(larger) == size]  # listed, since `uses` grows
            for user in users:
                _, splits = self.group_splits(user, whole_table_size if user == part else table_size)
                # At least half the numbers of `part`, rounded down, fit a table: only one side is too large.
                for block, rest in splits:
                    is_block = self.size(block) > table_size
                    used, other = (block, rest) if is_block else (rest, block)
                    uses.setdefault(used, []).append((user, other, is_block))
        return dict(sorted(uses.items(), key=lambda item: -self.size(item[0])))

    def _generate_splits(self, part: int) -> Iterator[Split]:
        """Generate the splits of a part in a block and a rest, as `list_splits` returns them."""
        symbols = self.symbols(part)
        lowest = symbols[0]
        weights = [self.weights[symbol] for symbol in symbols]
        for side, other in self._generate_side_pairs(part, weights):
            # If the lowest number is repeated, both sides may contain it: then each is once the block.
            if self.symbols(side)[0] == lowest:
                yield side, other
            if self.symbols(other)[0] == lowest and side != other:
                yield other, side

    @staticmethod
    def _generate_side_pairs(part: int, weights: list[int]) -> Iterator[Split]:
        """Generate each way to divide a part in two sides once, the smaller side of each first, and those
        with the smallest sides first. `weights` has the weight of each number of the part.
        """
        for size in range(1, len(weights) // 2 + 1):
            # A side is the sum of its weights. Equal numbers give equal sums, of which one is kept, in order.
            for side in dict.fromkeys(map(sum, combinations(weights, size))):
                # Both sides of a split in halves occur as a `side`: only the lesser code is used as one.
                if 2 * size < len(weights) or side <= part - side:
                    yield side, part - side


get_layout = lru_cache(maxsize=64)(Layout)
