"""Find values that can be made of the parts of a hand: forward from the numbers, backward from the target.

The search meets in the middle. Small parts get a table of all their values, from every way to split them in
two (forward). Large parts have too many values for that; they are only asked for values that help to make the
target (backward): to make the sum t of A and B, if A can be x, B must be t-x or t+x; to make the product t, B
must be t*x, t/x or x/t. Each large part collects the requests of all larger ones. The smallest of the large
parts answer their requests from tables; the larger ones are answered after them.

To be fast, values are no fractions but residues modulo a prime p, and x stands for x and -x. No solution is
lost by that:

- a value of the numbers a1, a2, ... is N/D with |N| + D <= (1+a1)(1+a2)..., by induction over the operations;
- in a solution, the value of a part can be calculated from its own numbers, and also backward from the target
  and all other numbers. The lower of these two bounds is at most the square root of their product, which is 1
  + target times every 1 + a;
- so if p is greater than that root, no N or D of a solution is 0 modulo p. (A part that is multiplied by 0
  may exceed the bound, but its value does not matter.)

In rare cases two different values have the same residue. So the exact value of every solution must be checked
when it is written out.
"""

from __future__ import annotations

from math import isqrt, prod

from solver.layout import Layout, get_layout
from solver.tables import (
    Table,
    Values,
    fold_signs,
    invert_residues,
    join_tables,
    make_table,
    make_table_of_one,
    make_table_of_three,
    make_table_of_two,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from solver.layout import Use

    # Called for every request with the part, the value, and whether the part can make it.
    Log = Callable[[int, int, bool], None]

# The largest parts with a table, by the number of numbers in the searched part. Measured to be fastest.
TABLE_SIZES = {1: 1, 2: 1, 3: 2, 4: 3, 5: 3, 6: 3, 7: 4, 8: 4, 9: 4}
# The same for the splits of the searched part itself. Of nine numbers, the parts of five are too many to keep
# their tables, but each is needed in one split only.
WHOLE_TABLE_SIZES = TABLE_SIZES | {9: 5}
MAX_KEPT_TABLE_SIZE = 4  # The largest part whose table is kept
MAX_BATCHED_HAND = 9  # The largest hand that is searched backward as a whole
# The largest part that is searched backward in a larger hand. There each value is searched on its own, which
# takes less memory and finds the first solutions sooner.
MAX_BATCHED_PART = 8
# With this many times more requests than values, it is faster to join all values and pick the requested ones.
CROSSING_RATIO = 3
MAX_KEPT_VALUES = 2_000_000  # Values in kept tables, about 100 bytes each; beyond it all tables are dropped
# Moduli: primes of few machine digits, then Mersenne primes for larger numbers.
PRIMES = (
    2**30 - 35,
    2**60 - 93,
    *(2**k - 1 for k in (89, 127, 521, 1279, 2203, 4423, 11213, 23209, 44497, 110503, 216091)),
)


class Requests:
    """The values that a part is asked for: those it must make as a sum, and those as a product."""

    __slots__ = ("products", "sums")

    def __init__(self, sums: set[int], products: set[int]) -> None:
        self.sums = sums
        self.products = products


class Reach:
    """The values that can be made of the parts of one hand. Raises ValueError if the numbers are too large
    for the list of moduli.
    """

    def __init__(self, numbers: Collection[int], target: int, log: Log | None = None) -> None:
        self.numbers = sorted(set(numbers))  # by symbol of the layout
        counts = tuple(map(list(numbers).count, self.numbers))
        self.layout: Layout = get_layout(counts)
        bound = (target + 1) * prod(number + 1 for number in numbers)
        # The root is enough to search (see above). But the log prints values, which can be reconstructed only
        # modulo more than the whole bound.
        least = max(*numbers, target, bound if log else isqrt(bound))
        self.p = next((p for p in PRIMES if p > least), 0)
        if not self.p:
            raise ValueError(f"the numbers are too large together: about 2**{bound.bit_length()}")
        self.target = min(target, self.p - target)  # of x and -x the residue up to p/2
        self.log = log
        self._tables: dict[int, Table] = {}
        self._kept_count = 0  # values in these tables

    def get_table(self, part: int) -> Table:
        """Return the table of all values of a part, from the cache or newly built."""
        cached = self._tables.get(part)
        if cached is not None:
            return cached
        table = self._build_table(part)
        if self.layout.size(part) <= MAX_KEPT_TABLE_SIZE:
            self._keep_table(part, table)
        return table

    def _keep_table(self, part: int, table: Table) -> None:
        """Cache a table; drop all others first if they have too many values."""
        if self._kept_count > MAX_KEPT_VALUES:
            self._tables.clear()
            self._kept_count = 0
        self._tables[part] = table
        self._kept_count += len(table.all.unsigned)

    def _build_table(self, part: int) -> Table:
        """Build the table of a part from those of its splits."""
        numbers = [self.numbers[symbol] for symbol in self.layout.symbols(part)]
        if len(numbers) == 1:
            return make_table_of_one(numbers[0], self.p)
        if len(numbers) == 2:
            return make_table_of_two(numbers[0], numbers[1], self.p)
        if len(numbers) == 3:
            return make_table_of_three(*numbers, self.p)
        sides = self.layout.list_splits(part)
        return join_tables(((self.get_table(block), self.get_table(rest)) for block, rest in sides), self.p)

    def choose_table_sizes(self, part: int) -> tuple[int, int]:
        """Return the size of the largest parts with a table when `part` is searched, and in its own splits.
        With a log both are small, so that it shows a backward search.
        """
        size = self.layout.size(part)
        if self.log:
            half = max(1, size // 2)
            return half, half
        return TABLE_SIZES[size], WHOLE_TABLE_SIZES[size]

    def search_backward(self, part: int, target: int) -> dict[int, Table]:
        """Find the values of large parts that may help `part` to make `target`.

        Returns them by part, for all parts that are too large for a table. `part` itself is included only
        with a log: otherwise it shows when its solutions are written out.
        """
        table_size, whole_table_size = self.choose_table_sizes(part)
        uses = self.layout.find_uses(part, table_size, whole_table_size)
        requests = {part: Requests(sums={target}, products={target})}
        makeable: dict[int, Table] = {}
        for large in uses:  # larger parts first
            if large != part:
                requests[large] = self._collect_requests(uses[large], requests)
            if self.layout.size(large) == table_size + 1:
                # Both sides of its splits have tables: no need to keep its requests.
                self._answer_requests(large, requests.pop(large), makeable)
        for large in reversed(requests):  # smaller parts first
            if large != part or self.log:
                self._answer_requests(large, requests[large], makeable)
        return makeable

    def _answer_requests(self, part: int, requests: Requests, makeable: dict[int, Table]) -> None:
        """Store the requested values that a part can make in `makeable`, and log each request."""
        table = self._find_makeable(part, requests, makeable)
        makeable[part] = table
        if self.log:
            for value in sorted(requests.sums | requests.products):
                self.log(part, value, value in table.all.either_sign)

    def _collect_requests(self, uses: Iterable[Use], requests: dict[int, Requests]) -> Requests:
        """Return the values of a part with which larger parts could make what they are asked for."""
        sums, products = set[int](), set[int]()
        either = set[int]()  # values that may be made as a sum or as a product
        for larger, other_side, is_block in uses:
            request = requests[larger]
            table = self.get_table(other_side)
            if is_block:  # the block of a sum must be a product, and the block of a product a sum
                products |= self._list_terms(request.sums, table.all)
                sums |= self._list_factors(request.products, table.all)
            else:
                either |= self._list_terms(request.sums, table.terms)
                either |= self._list_factors(request.products, table.factors)
        return Requests(sums=either | sums, products=either | products)

    def _list_terms(self, sums: Collection[int], values: Values) -> set[int]:
        """Return the values that, added to or subtracted from one of `values`, give one of the sums."""
        xs = values.unsigned
        folded = fold_signs([t + x for x in xs for t in sums], self.p)
        return folded.union([abs(t - x) for x in xs for t in sums])

    def _list_factors(self, products: Collection[int], values: Values) -> set[int]:
        """Return the values that, multiplied with or divided by one of `values`, give one of the products."""
        p, xs = self.p, values.with_inverses
        inverses = invert_residues(list(products), p)
        new = [t * x % p for x, _ in xs for t in products]
        new += [t * inverse % p for _, inverse in xs for t in products]  # t/x
        new += [x * inverse % p for inverse in inverses for x, _ in xs]  # x/t
        if 0 in products:  # 0 times any value is 0
            new.append(0)
        return fold_signs(new, p)

    def _find_makeable(self, part: int, requests: Requests, makeable: dict[int, Table]) -> Table:
        """Return the table of the requested values that a part can make. `makeable` has the tables of smaller
        large parts.
        """
        # The requests that are still open, in order.
        open_sums = dict.fromkeys(requests.sums)
        open_products = dict(self._pair_with_inverses(requests.products))  # each value with its inverse
        for block, rest in self.layout.list_splits(part):
            block_table = makeable[block] if block in makeable else self.get_table(block)
            rest_table = makeable[rest] if rest in makeable else self.get_table(rest)
            few, many = _order_by_count(block_table.terms, rest_table.all)
            for value in self._find_sums(open_sums, few, many):
                open_sums.pop(value, None)
            few, many = _order_by_count(block_table.factors, rest_table.all)
            for value in self._find_products(open_products, few, many):
                open_products.pop(value, None)
        return make_table(
            [value for value in requests.sums if value not in open_sums],
            [value for value in requests.products if value not in open_products],
            self.p,
        )

    def _pair_with_inverses(self, values: Collection[int]) -> Iterable[tuple[int, int]]:
        """Return x and 1/x for each x."""
        return zip(values, invert_residues(list(values), self.p), strict=True)

    def _find_sums(self, requests: Collection[int], few: Values, many: Values) -> Iterable[int]:
        """Return the requested values that are the sum or difference of one of `few` and one of `many`."""
        if not few.unsigned or not requests:
            return ()
        if len(requests) > CROSSING_RATIO * len(many.unsigned):  # then it is quicker to join all values
            xs, ys = few.unsigned, many.unsigned
            values = fold_signs([x + y for x in xs for y in ys], self.p)
            return values.union([abs(x - y) for x in xs for y in ys]).intersection(requests)
        others = many.either_sign  # has x and -x, so that t+x and |t-x| are enough
        return [t for x in few.unsigned for t in requests if t + x in others or abs(t - x) in others]

    def _find_products(self, requests: dict[int, int], few: Values, many: Values) -> Iterable[int]:
        """Return the requested values that are a product or quotient of one of `few` and one of `many`.
        `requests` maps each value to its inverse.
        """
        if not few.unsigned or not requests:
            # The other factor of a 0 may have any value, so it may never have been asked for one.
            return [0] if 0 in requests and 0 in many.either_sign else ()
        p = self.p
        if len(requests) > CROSSING_RATIO * len(many.unsigned):  # then it is quicker to join all values
            xs, ys = few.unsigned, many.unsigned
            values = [x * y % p for x in xs for y in ys]
            values += [inverse * y % p for _, inverse in few.with_inverses for y in ys]  # y/x
            values += [inverse * x % p for _, inverse in many.with_inverses for x in xs]  # x/y
            return fold_signs(values, p).intersection(requests)
        others = many.either_sign
        values = [
            t
            for x, over_x in few.with_inverses
            for t, over_t in requests.items()
            if t * over_x % p in others or t * x % p in others or x * over_t % p in others
        ]
        if 0 in requests and (0 in few.either_sign or 0 in others):
            values.append(0)
        return values

    def reconstruct_fraction(self, value: int) -> tuple[int, int]:
        """Return numerator and denominator of the simplest fraction with this residue or its negative. This
        is the extended Euclidean algorithm, stopped where the two are smallest together.
        """
        high, low = self.p, value
        above, below = 0, 1
        fractions = []
        while low:  # low is value * below modulo p
            fractions.append((low, abs(below)))
            quotient = high // low
            high, low = low, high - quotient * low
            above, below = below, above - quotient * below
        return min(fractions, key=sum, default=(0, 1))  # the residue 0 takes no step


def _order_by_count(one: Values, other: Values) -> tuple[Values, Values]:
    """Return the set with fewer values first."""
    if len(one.unsigned) <= len(other.unsigned):
        return one, other
    return other, one
