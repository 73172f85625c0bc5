"""Which values can be made from which of a hand's numbers: forward from the numbers, backward from the
target.

A part of a hand is a code: the hand 3 3 8 has the weights 1 1 3, so that 1 is a 3, 2 is 3 3, 4 is 3 8, and
taking away is subtraction. Equal numbers are one symbol, and nothing is done twice for them.

A value stands for itself and its negative, and is a residue modulo a prime p. Nothing is lost by that: the
value of numbers a1, a2, ... is N/D with |N| + D <= (1+a1)(1+a2)..., by induction over the operations. In a
solution the value of a part can be worked out from its own numbers, and backward from the target and all the
other numbers; the lesser of the two bounds is at most the root of their product, that of 1 + target and every
1 + a. If p is greater than that root, no N or D that matters vanishes modulo p. (Only what is multiplied by 0
may be larger, and of that any value will do.) Two values may be taken for one another, seldom; so whoever
spells out a solution has to look at its exact value.

Small parts are tabled forward: every value from every way to split the part in two. Large ones are asked
backward: to make t from A and B, with x from A, B must make t-x, t+x, t*x, t/x or x/t. Requests are gathered
for all parts of one size before they are passed on, and answered on the way back up. The whole set of values
of a large part is never built.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import isqrt, prod

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    Log = Callable[[int, int, bool], None]
    """Told of every request: the part, the value asked for, and whether it can be made."""

TABLED = {1: 1, 2: 1, 3: 1, 4: 2, 5: 3, 6: 3, 7: 4, 8: 4}
"""Parts of how many numbers are tabled forward, by the size of the hand: measured."""
BATCHED = max(TABLED)
"""The largest part whose requests are gathered; larger ones are asked one at a time, for memory's sake."""
KEPT = 2_000_000
"""How many values are kept in tables before all are dropped (about 200 bytes each)."""
KEPT_PAIRS = 4_000
"""For how many numbers and pairs of numbers the tables outlive the hand."""
KEPT_PARTS = 10_000
"""For how many parts of a layout the splits are kept before all are dropped."""
PRIMES = (
    2**30 - 35,
    2**60 - 93,
    *(2**k - 1 for k in (89, 127, 521, 1279, 2203, 4423, 11213, 23209, 44497, 110503, 216091)),
)
"""Moduli: as few machine digits as will do, then Mersenne primes."""


class Layout:
    """The parts of any hand with so many of its first, second, … number."""

    def __init__(self, counts: tuple[int, ...]) -> None:
        self.counts = counts
        self.weights = [prod(count + 1 for count in counts[:i]) for i in range(len(counts))]
        self.whole = sum(count * weight for count, weight in zip(counts, self.weights, strict=True))
        self._splits: dict[int, list[tuple[int, int]]] = {}
        self._blocks: dict[int, list[tuple[int, int]]] = {}
        self._even: dict[tuple[int, int], tuple[list[tuple[int, int]], list[tuple[int, int]]]] = {}
        self.symbols: Callable[[int], tuple[int, ...]] = lru_cache(KEPT_PARTS)(self._decoded)
        """Which numbers are in a part, by their place in the hand, repeated as in the part."""
        self.size: Callable[[int], int] = lambda part: len(self.symbols(part))
        """How many numbers are in a part."""
        if sum(counts) <= BATCHED:
            known = [self._decoded(part) for part in range(self.whole + 1)]
            self.symbols = known.__getitem__
            self.size = [len(symbols) for symbols in known].__getitem__

    def _decoded(self, part: int) -> tuple[int, ...]:
        symbols: list[int] = []
        for symbol, count in enumerate(self.counts):
            part, times = divmod(part, count + 1)
            symbols += [symbol] * times
        return tuple(symbols)

    def splits(self, part: int) -> Iterable[tuple[int, int]]:
        """Each way to split the part in two, the smaller side first, the most lopsided first."""
        found = self._splits.get(part)
        if found is None:
            if self.size(part) > BATCHED:
                return self._split(part)
            if len(self._splits) > KEPT_PARTS:
                self._splits.clear()
            found = self._splits[part] = list(self._split(part))
        return found

    def blocks(self, part: int) -> Iterable[tuple[int, int]]:
        """Each way to part a block that holds the lowest number from the rest."""
        found = self._blocks.get(part)
        if found is None:
            if self.size(part) > BATCHED:
                return self._block(part)
            if len(self._blocks) > KEPT_PARTS:
                self._blocks.clear()
            found = self._blocks[part] = list(self._block(part))
        return found

    def even(self, part: int, tabled: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """The blocks with their rests, the most even first: those neither of which has more than so many
        numbers, and the others."""
        found = self._even.get((part, tabled))
        if found is None:
            near: list[tuple[int, int]] = []
            far: list[tuple[int, int]] = []
            for block, rest in reversed(list(self.blocks(part))):
                (near if max(self.size(block), self.size(rest)) <= tabled else far).append((block, rest))
            found = self._even[part, tabled] = near, far
        return found

    def _block(self, part: int) -> Iterator[tuple[int, int]]:
        lowest = self.symbols(part)[0]
        for side, other in self.splits(part):
            if self.symbols(side)[0] == lowest:
                yield side, other
            if self.symbols(other)[0] == lowest and side != other:
                yield other, side

    def _split(self, part: int) -> Iterator[tuple[int, int]]:
        weights = [self.weights[symbol] for symbol in self.symbols(part)]
        for size in range(1, len(weights) // 2 + 1):
            for side in dict.fromkeys(map(sum, combinations(weights, size))):
                if 2 * size < len(weights) or side <= part - side:
                    yield side, part - side


layout_of = lru_cache(maxsize=64)(Layout)


class Table:
    """The values of one part: `half` holds each once, of the two signs the one up to p/2; `both` holds
    both."""

    __slots__ = ("_pairs", "both", "half", "p")

    def __init__(self, half: Iterable[int], p: int) -> None:
        self.half = list(half)
        self.both = {p - value for value in self.half if value}
        self.both.update(self.half)
        self.p = p
        self._pairs: list[tuple[int, int]] | None = None

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """x and 1/x for each x in half but 0."""
        if self._pairs is None:
            values = [value for value in self.half if value]
            self._pairs = list(zip(values, inverses(values, self.p), strict=True))
        return self._pairs


def inverses(values: list[int], p: int) -> list[int]:
    """1/x modulo p for each x, 0 for 0, with a single division (Montgomery's trick)."""
    if len(values) == 1:
        return [pow(values[0], -1, p)] if values[0] else [0]
    before, product = [], 1
    for value in values:
        before.append(product)
        if value:
            product = product * value % p
    inverse = pow(product, -1, p)
    result = [0] * len(values)
    for i in range(len(values) - 1, -1, -1):
        if values[i]:
            result[i] = inverse * before[i] % p
            inverse = inverse * values[i] % p
    return result


@lru_cache(KEPT_PAIRS)
def table_of_one(number: int, p: int) -> Table:
    """The table of a part that is one number."""
    return Table([number], p)


@lru_cache(KEPT_PAIRS)
def table_of_two(one: int, other: int, p: int) -> Table:
    """The table of a part that is two numbers. It is kept because hands of cards share so many pairs."""
    return _joined([(table_of_one(one, p), table_of_one(other, p))], p)


def _joined(sides: Iterable[tuple[Table, Table]], p: int) -> Table:
    """The table of a part, from those of the two sides of each way to split it."""
    found: set[int] = set()
    for few, many in sides:
        xs, ys = few.half, many.half
        found.update([x + y for x in xs for y in ys])
        found.update([abs(x - y) for x in xs for y in ys])
        found.update([x * y % p for x in xs for y in ys])
        found.update([over * y % p for _, over in few.pairs for y in ys])
        found.update([over * x % p for _, over in many.pairs for x in xs])
    middle = p // 2
    return Table({y if y <= middle else p - y for y in found}, p)


class Reach:
    """What can be made from the parts of one hand."""

    def __init__(self, numbers: Collection[int], target: int, log: Log | None = None) -> None:
        self.numbers = sorted(set(numbers))
        """The different numbers, ascending: the symbols of the layout."""
        counts = tuple(map(list(numbers).count, self.numbers))
        self.layout: Layout = layout_of(counts)
        bound = (target + 1) * prod(number + 1 for number in numbers)
        # A log shows values, and only a modulus beyond the whole bound tells them apart.
        least = max(*numbers, target, bound if log else isqrt(bound))
        self.p = next((p for p in PRIMES if p > least), 0)
        if not self.p:
            raise ValueError(f"the numbers are too large together: about 2**{bound.bit_length()}")
        self.middle = self.p // 2
        self.target = min(target, self.p - target)
        self.log = log
        self._tables: dict[int, Table] = {}
        self._kept = 0

    def table(self, part: int) -> Table:
        """Every value of the part."""
        found = self._tables.get(part)
        if found is None:
            found = self._table(part)
            if self._kept > KEPT:
                self._tables.clear()
                self._kept = 0
            self._tables[part] = found
            self._kept += len(found.half)
        return found

    def _table(self, part: int) -> Table:
        symbols = self.layout.symbols(part)
        if len(symbols) == 1:
            return table_of_one(self.numbers[symbols[0]], self.p)
        if len(symbols) == 2:
            return table_of_two(self.numbers[symbols[0]], self.numbers[symbols[1]], self.p)
        sides = self.layout.splits(part)
        return _joined(((self.table(side), self.table(other)) for side, other in sides), self.p)

    def found(self, part: int, target: int) -> dict[int, Table]:
        """For each part that is too large for a table, those of the values asked for that it can make.

        Asked is what may help `part` to make `target`.
        """
        tabled = TABLED[self.layout.size(part)]
        wanted = self._wanted(part, target, tabled)
        found: dict[int, Table] = {}
        for asked in reversed(wanted):
            if asked == part and not self.log:
                break  # Whether the part makes its target shows when it is spelled out.
            open_targets = wanted[asked]
            made = self._made(asked, open_targets, tabled, found)
            found[asked] = Table(made, self.p)
            if self.log:
                for value in open_targets:
                    self.log(asked, value, value in found[asked].both)
        return found

    def _wanted(self, part: int, target: int, tabled: int) -> dict[int, set[int]]:
        """What each large part is asked for, larger parts first."""
        p, middle, size = self.p, self.middle, self.layout.size
        wanted: dict[int, set[int]] = {part: {target}} if size(part) > tabled else {}
        levels: dict[int, dict[int, set[int]]] = {size(part): wanted}
        for level in range(size(part), tabled + 1, -1):
            for asked, targets in levels.get(level, {}).items():
                values = list(targets)
                over = inverses(values, p)
                for side, other in self.layout.splits(asked):
                    if size(other) <= tabled:
                        break
                    requests = levels.setdefault(size(other), {}).setdefault(other, set())
                    few = self.table(side)
                    for x, inverse in few.pairs:
                        new = [abs(t - x) for t in values]
                        new += [t + x for t in values]
                        new += [t * x % p for t in values]
                        new += [t * inverse % p for t in values]
                        new += [x * t % p for t in over]
                        requests.update([y if y <= middle else p - y for y in new])
                    if 0 in few.both:
                        requests.add(0)
                        requests.update(values)
        return {
            asked: levels[level][asked] for level in sorted(levels, reverse=True) for asked in levels[level]
        }

    def _made(self, part: int, targets: Collection[int], tabled: int, found: dict[int, Table]) -> list[int]:
        """Those of the targets that the part can make."""
        made: set[int] = set()
        pairs = list(zip(targets, inverses(list(targets), self.p), strict=True))
        for side, other in self.layout.splits(part):
            if not pairs:
                break
            many = found[other] if self.layout.size(other) > tabled else self.table(other)
            hits = self._meet(self.table(side), many, pairs) if many.half else None
            if hits:
                made |= hits
                pairs = [pair for pair in pairs if pair[0] not in made]
        return sorted(made)

    def _meet(self, few: Table, many: Table, pairs: list[tuple[int, int]]) -> set[int]:
        """Those of the targets t, given as t and 1/t, that one value of each table makes."""
        p, both = self.p, many.both
        hits: set[int] = {t for t, _ in pairs if not t and (0 in few.both or 0 in both)}
        if len(pairs) > len(many.half):
            return hits | self._cross(few, many, [t for t, _ in pairs])
        if 0 in few.both:
            hits.update([t for t, _ in pairs if t in both])
        for x, inverse in few.pairs:
            hits.update(
                [
                    t
                    for t, over in pairs
                    if t + x in both
                    or abs(t - x) in both
                    or t * inverse % p in both
                    or t * x % p in both
                    or (over and x * over % p in both)
                ]
            )
        return hits

    def _cross(self, few: Table, many: Table, targets: list[int]) -> set[int]:
        """The same, when there are fewer values than targets."""
        p = self.p
        wanted = {p - t for t in targets}.union(targets)
        reached: set[int] = set()
        xs, ys = few.half, many.half
        reached.update([z for x in xs for y in ys if (z := x + y) in wanted])
        reached.update([z for x in xs for y in ys if (z := abs(x - y)) in wanted])
        reached.update([z for x in xs for y in ys if (z := x * y % p) in wanted])
        reached.update([z for _, over in few.pairs for y in ys if (z := over * y % p) in wanted])
        reached.update([z for _, over in many.pairs for x in xs if (z := over * x % p) in wanted])
        return {y if y <= self.middle else p - y for y in reached}

    def fraction(self, value: int) -> tuple[int, int]:
        """The simplest fraction, not negative, that this residue stands for: for people to read."""
        high, low, above, below = self.p, value, 0, 1
        fractions = []
        while low:
            fractions.append((low, abs(below)))
            quotient = high // low
            high, low = low, high - quotient * low
            above, below = below, above - quotient * below
        return min(fractions, key=sum, default=(0, 1))
