"""Find the values that can be made of the numbers of a hand: forward from the numbers, backward from the
target.

A value stands for itself and its negative, and is a residue modulo a prime p. Nothing is lost by that: the
value of numbers a1, a2, ... is N/D with |N| + D <= (1+a1)(1+a2)..., by induction over the operations. In a
solution the value of a part can be worked out from its own numbers, and backward from the target and all the
other numbers; the lesser of the two bounds is at most the root of their product, that of 1 + target and every
1 + a. If p is greater than that root, no N or D that matters vanishes modulo p. (Only what is multiplied by 0
may be larger, and of that any value will do.) Two values may be taken for one another, seldom; so whoever
spells out a solution has to look at its exact value.

Small parts are tabled forward: every value from every way to split the part in two. Large ones are asked
backward: to make the sum t from A and B, with x from A, B must make t-x or t+x; to make the product t, it
must make t*x, t/x or x/t. Each large part gathers what all larger ones ask of it; the smallest of them are
answered at once, the others on the way back up. The whole set of values of a large part is never built.
"""

from __future__ import annotations

from math import isqrt, prod

from solver.layout import Layout, layout_of
from solver.tables import (
    Table,
    Values,
    folded,
    inverses,
    joined,
    table_of,
    table_of_one,
    table_of_three,
    table_of_two,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from solver.layout import Use

    Log = Callable[[int, int, bool], None]
    """Told of every request: the part, the value asked for, and whether it can be made."""

# Parts of how many numbers are tabled forward, by the size of the hand: measured.
TABLED = {1: 1, 2: 1, 3: 2, 4: 3, 5: 3, 6: 3, 7: 4, 8: 4, 9: 4}
# The same where the whole is split; and the largest part whose table is kept. Of nine numbers there are too
# many parts of five for that, but each is worth a table while it is looked at.
PASSING, LASTING = TABLED | {9: 5}, 4
# The largest hand whose requests are gathered; and the largest part of a larger one, which is asked for one
# value at a time, for memory's sake, and of which the first solutions are to come soon.
BATCHED, FIRST = 9, 8
# With so many times more requests than values, all values are put together and requests picked from them.
CROSSED = 3
KEPT = 2_000_000  # How many values are kept in tables before all are dropped (about 100 bytes each)
# Moduli: as few machine digits as will do, then Mersenne primes.
PRIMES = (
    2**30 - 35,
    2**60 - 93,
    *(2**k - 1 for k in (89, 127, 521, 1279, 2203, 4423, 11213, 23209, 44497, 110503, 216091)),
)


class Wanted:
    """The values that a part is asked for, as `sums` and as `products`."""

    __slots__ = ("products", "sums")

    def __init__(self, sums: set[int], products: set[int]) -> None:
        self.sums = sums
        self.products = products


class Reach:
    """The values that can be made of the parts of one hand."""

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
            if self.layout.size(part) <= LASTING:
                self._keep(part, found)
        return found

    def _keep(self, part: int, table: Table) -> None:
        if self._kept > KEPT:
            self._tables.clear()
            self._kept = 0
        self._tables[part] = table
        self._kept += len(table.all.half)

    def _table(self, part: int) -> Table:
        numbers = [self.numbers[symbol] for symbol in self.layout.symbols(part)]
        if len(numbers) == 1:
            return table_of_one(numbers[0], self.p)
        if len(numbers) == 2:
            return table_of_two(numbers[0], numbers[1], self.p)
        if len(numbers) == 3:
            return table_of_three(*numbers, self.p)
        sides = self.layout.blocks(part)
        return joined(((self.table(block), self.table(rest)) for block, rest in sides), self.p)

    def tabled(self, part: int) -> tuple[int, int]:
        """Parts of how many numbers are tabled when this one is searched, and where it is split itself.

        As few as can be for a log, which is to show the search backward.
        """
        size = self.layout.size(part)
        return (max(1, size // 2),) * 2 if self.log else (TABLED[size], PASSING[size])

    def found(self, part: int, target: int) -> dict[int, Table]:
        """For each part that is too large for a table, those of the values asked for that it can make.

        Asked is what may help `part` to make `target`. Whether the part itself makes it is only looked at for
        the log: it shows when it is spelled out.
        """
        tabled, passing = self.tabled(part)
        uses = self.layout.uses(part, tabled, passing)
        wanted = {part: Wanted({target}, {target})}
        found: dict[int, Table] = {}
        for asked in uses:
            if asked != part:
                wanted[asked] = self._wanted(uses[asked], wanted)
            if self.layout.size(asked) == tabled + 1:
                self._answer(asked, wanted.pop(asked), found)
        for asked in reversed(wanted):
            if asked != part or self.log:
                self._answer(asked, wanted[asked], found)
        return found

    def _answer(self, asked: int, wanted: Wanted, found: dict[int, Table]) -> None:
        made = found[asked] = self._made(asked, wanted, found)
        if self.log:
            for value in sorted(wanted.sums | wanted.products):
                self.log(asked, value, value in made.all.both)

    def _wanted(self, uses: Iterable[Use], wanted: dict[int, Wanted]) -> Wanted:
        """Return the values that larger parts need from a part."""
        either, sums, products = set[int](), set[int](), set[int]()
        for user, other, is_block in uses:
            asked, table = wanted[user], self.table(other)
            if is_block:
                products |= self._apart(asked.sums, table.all)
                sums |= self._over(asked.products, table.all)
            else:
                either |= self._apart(asked.sums, table.terms)
                either |= self._over(asked.products, table.factors)
        return Wanted(either | sums, either | products)

    def _apart(self, sums: Collection[int], values: Values) -> set[int]:
        """Return the values that, added to or subtracted from one of `values`, give one of the sums."""
        xs = values.half
        return folded([t + x for x in xs for t in sums], self.p).union([abs(t - x) for x in xs for t in sums])

    def _over(self, products: Collection[int], values: Values) -> set[int]:
        """Return the values that, multiplied with or divided by one of `values`, give one of the products."""
        p, xs = self.p, values.pairs
        new = [t * x % p for x, _ in xs for t in products]
        new += [t * over % p for _, over in xs for t in products]
        new += [x * over % p for over in inverses(list(products), p) for x, _ in xs]
        if 0 in products:
            new.append(0)
        return folded(new, p)

    def _made(self, part: int, wanted: Wanted, found: dict[int, Table]) -> Table:
        """Return the wanted values that the part can make."""
        sums, products = dict.fromkeys(wanted.sums), dict(self._inverted(wanted.products))
        for block, rest in self.layout.blocks(part):
            ours = found[block] if block in found else self.table(block)
            theirs = found[rest] if rest in found else self.table(rest)
            for made in self._met_sums(sums, *_fewer(ours.terms, theirs.all)):
                sums.pop(made, None)
            for made in self._met_products(products, *_fewer(ours.factors, theirs.all)):
                products.pop(made, None)
        return table_of(
            [value for value in wanted.sums if value not in sums],
            [value for value in wanted.products if value not in products],
            self.p,
        )

    def _inverted(self, values: Collection[int]) -> Iterable[tuple[int, int]]:
        return zip(values, inverses(list(values), self.p), strict=True)

    def _met_sums(self, wanted: Collection[int], few: Values, many: Values) -> Iterable[int]:
        """Those of the wanted values that are a sum or difference of one of the few and one of the many."""
        if not few.half or not wanted:
            return ()
        if len(wanted) > CROSSED * len(many.half):
            xs, ys = few.half, many.half
            met = folded([x + y for x in xs for y in ys], self.p)
            return met.union([abs(x - y) for x in xs for y in ys]).intersection(wanted)
        both = many.both
        return [t for x in few.half for t in wanted if t + x in both or abs(t - x) in both]

    def _met_products(self, wanted: dict[int, int], few: Values, many: Values) -> Iterable[int]:
        """Those of the wanted values, given with their inverses, that are a product or quotient of them."""
        if not few.half or not wanted:
            # What stands beside a 0 need not have been asked for anything.
            return [0] if 0 in wanted and 0 in many.both else ()
        p = self.p
        if len(wanted) > CROSSED * len(many.half):
            xs, ys = few.half, many.half
            met = [x * y % p for x in xs for y in ys]
            met += [over * y % p for _, over in few.pairs for y in ys]
            met += [over * x % p for _, over in many.pairs for x in xs]
            return folded(met, p).intersection(wanted)
        both = many.both
        met = [
            t
            for x, inverse in few.pairs
            for t, over in wanted.items()
            if t * inverse % p in both or t * x % p in both or x * over % p in both
        ]
        return [*met, 0] if 0 in wanted and (0 in few.both or 0 in both) else met

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


def _fewer(one: Values, other: Values) -> tuple[Values, Values]:
    return (one, other) if len(one.half) <= len(other.half) else (other, one)
