"""Find values that can be made of the parts of a hand: forward from the numbers, backward from the target.

The search meets in the middle. Small parts get a table of all their values, from every way to split them in
two (forward). Large parts have too many values for that; they are only asked for values that help to make the
target (backward): to make the sum t of A and B, if A can be x, B must be t-x or t+x; to make the product t, B
must be t*x, t/x or x/t. Each large part collects the requests of all larger ones. The smallest of the large
parts answer their requests from tables; the larger ones are answered after them.

To be fast, values are no fractions but residues modulo a prime, the *modulus*, and x stands for x and -x. No
solution is lost by that:

- a value of the numbers a1, a2, ... is N/D with |N| + D <= (1+a1)(1+a2)..., by induction over the operations;
- in a solution, the value of a part can be calculated from its own numbers, and also backward from the target
  and all other numbers. The lower of these two bounds is at most the square root of their product, which is 1
  + target times every 1 + a;
- so if the modulus is greater than that root, it divides no N but 0 and no D of a solution. (A part that is
  multiplied by 0 may exceed the bound, but its value does not matter.)

In rare cases two different values have the same residue. So the exact value of every solution must be checked
when it is written out.
"""

from __future__ import annotations

from collections import Counter
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
WHOLE_TABLE_SIZES = {**TABLE_SIZES, 9: 5}
MAX_KEPT_TABLE_SIZE = 4  # The largest part whose table is kept
MAX_BATCHED_HAND = 9  # The largest hand that is searched backward as a whole
# The largest part that is searched backward in a larger hand. There each value is searched on its own, which
# takes less memory and finds the first solutions sooner.
MAX_BATCHED_PART = 8
# With this many times more requests than values, it is faster to join all values and pick the requested ones.
CROSSING_RATIO = 3
MAX_KEPT_VALUES = 2_000_000  # Values in kept tables, about 100 bytes each; beyond it all tables are dropped
# Moduli: primes of few machine digits, then Mersenne primes for larger numbers
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
    """The values that can be made of the parts of one hand."""

    def __init__(self, numbers: Collection[int], target: int, log: Log | None = None) -> None:
        """Encode the hand, and choose the least modulus that is large enough for its numbers and target; with
        a log it must be larger. Raises ValueError if none in PRIMES is.
        """
        self.numbers = sorted(set(numbers))  # by symbol of the layout
        times = Counter(numbers)
        counts = tuple(times[number] for number in self.numbers)
        self.layout: Layout = get_layout(counts)
        bound = (target + 1) * prod(number + 1 for number in numbers)
        # The root is enough to search (see above). But the log prints values, which can be reconstructed only
        # modulo more than the whole bound.
        least = max(*numbers, target, bound if log else isqrt(bound))
        large_enough = [prime for prime in PRIMES if prime > least]
        if not large_enough:
            raise ValueError(f"the numbers are too large together: about 2**{bound.bit_length()}")
        self.modulus = large_enough[0]
        self.target = min(target, self.modulus - target)  # the unsigned residue
        self.log = log
        self._tables: dict[int, Table] = {}
        self._kept_count = 0  # values in these tables

    def get_table(self, part: int) -> Table:
        """Return the table of all values of a part, from the cache or newly built. Tables of large parts are
        built each time.
        """
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
        """Build the table of a part: that of up to three numbers from a cache for all hands, a larger one
        from the tables of both sides of each split.
        """
        numbers = [self.numbers[symbol] for symbol in self.layout.symbols(part)]  # ascending
        if len(numbers) == 1:
            return make_table_of_one(numbers[0], self.modulus)
        if len(numbers) == 2:
            return make_table_of_two(numbers[0], numbers[1], self.modulus)
        if len(numbers) == 3:
            return make_table_of_three(*numbers, self.modulus)
        splits = self.layout.list_splits(part)
        tables = ((self.get_table(block), self.get_table(rest)) for block, rest in splits)
        return join_tables(tables, self.modulus)

    def choose_table_sizes(self, part: int) -> tuple[int, int]:
        """Return two sizes for the search of `part`: that of the largest parts with a table, and the same for
        its own splits. With a log both are half of `part`, so that the log shows a backward search.
        """
        size = self.layout.size(part)
        if self.log:
            half = max(1, size // 2)
            return half, half
        return TABLE_SIZES[size], WHOLE_TABLE_SIZES[size]

    def search_backward(self, part: int, target: int) -> dict[int, Table]:
        """Find the values of large parts that may help `part` to make `target`.

        Larger parts ask smaller ones for values; then the smaller ones answer first which they can make.
        Returns them by part, for all parts that are too large for a table. `part` itself is included only
        with a log: otherwise it shows when its solutions are written out.
        """
        table_size, whole_table_size = self.choose_table_sizes(part)
        uses = self.layout.find_uses(part, table_size, whole_table_size)
        requests = {part: Requests(sums={target}, products={target})}
        makeable: dict[int, Table] = {}
        # Larger parts come first, so that all requests of a part are known before it asks smaller ones.
        for large in uses:
            if large != part:
                requests[large] = self._collect_requests(uses[large], requests)
            if self.layout.size(large) == table_size + 1:
                # Both sides of its splits have tables, so it asks no others: no need to keep its requests.
                self._answer_requests(large, requests.pop(large), makeable)
        for large in reversed(requests):  # smaller parts first: larger ones need their answers
            if large != part or self.log:
                self._answer_requests(large, requests[large], makeable)
        return makeable

    def _answer_requests(self, part: int, requests: Requests, makeable: dict[int, Table]) -> None:
        """Store the table of the requested values that a part can make in `makeable`, and log each request.
        The answers of smaller large parts must be in `makeable`.
        """
        table = self._select_makeable(part, requests, makeable)
        makeable[part] = table
        if self.log:
            for value in sorted(requests.sums | requests.products):
                self.log(part, value, value in table.all.either_sign)

    def _collect_requests(self, uses: Iterable[Use], requests_by_part: dict[int, Requests]) -> Requests:
        """Return the values of a part, given by its uses in larger parts, with which these could make what
        they are asked for. The other side of each use must be a part with a table.
        """
        sums = set[int]()
        products = set[int]()
        either = set[int]()  # values that may be made as a sum or as a product
        for larger, other_side, is_block in uses:
            asked = requests_by_part[larger]
            table = self.get_table(other_side)
            if is_block:  # the block of a sum must be a product, and the block of a product a sum
                products |= self._list_wanted_terms(asked.sums, table.all)
                sums |= self._list_wanted_factors(asked.products, table.all)
            else:
                either |= self._list_wanted_terms(asked.sums, table.terms)
                either |= self._list_wanted_factors(asked.products, table.factors)
        return Requests(sums=either | sums, products=either | products)

    def _list_wanted_terms(self, sums: Collection[int], values: Values) -> set[int]:
        """Return the values that, added to or subtracted from one of `values`, give one of the sums or its
        negative.
        """
        xs = values.unsigned
        folded = fold_signs([t + x for x in xs for t in sums], self.modulus)
        return folded.union([abs(t - x) for x in xs for t in sums])

    def _list_wanted_factors(self, products: Collection[int], values: Values) -> set[int]:
        """Return the values that make one of the products with one of `values`: multiplied with it, divided
        by it or as its divisor.
        """
        modulus = self.modulus
        xs = values.with_inverses
        inverses = invert_residues(list(products), modulus)
        wanted = [t * x % modulus for x, _ in xs for t in products]
        wanted += [t * inverse % modulus for _, inverse in xs for t in products]  # t/x
        wanted += [x * inverse % modulus for inverse in inverses for x, _ in xs]  # x/t
        if 0 in products:  # 0 times any value is 0
            wanted.append(0)
        return fold_signs(wanted, modulus)

    def _select_makeable(self, part: int, requests: Requests, makeable: dict[int, Table]) -> Table:
        """Return the table of the requested values that a part can make, its sums and products apart.
        `makeable` has the tables of smaller large parts.
        """
        # The requests that no split has made yet, in order.
        open_sums = dict.fromkeys(requests.sums)
        open_products = dict(self._pair_with_inverses(requests.products))  # each value with its inverse
        for block, rest in self.layout.list_splits(part):
            # A small side has a table of all its values.
            block_table = makeable[block] if block in makeable else self.get_table(block)
            rest_table = makeable[rest] if rest in makeable else self.get_table(rest)
            few, many = _order_by_count(block_table.terms, rest_table.all)
            for value in self._find_sums(open_sums, few, many):
                open_sums.pop(value, None)
            few, many = _order_by_count(block_table.factors, rest_table.all)
            for value in self._find_products(open_products, few, many):
                open_products.pop(value, None)
        return make_table(
            sums=[value for value in requests.sums if value not in open_sums],
            products=[value for value in requests.products if value not in open_products],
            modulus=self.modulus,
        )

    def _pair_with_inverses(self, values: Collection[int]) -> Iterable[tuple[int, int]]:
        """Return x and 1/x for each x, and 0 for 1/0."""
        return zip(values, invert_residues(list(values), self.modulus), strict=True)

    def _find_sums(self, requests: Collection[int], few: Values, many: Values) -> Iterable[int]:
        """Return the requested values that are the sum or difference of one of `few` and one of `many`; a
        value may occur several times.
        """
        if not few.unsigned or not requests:
            return ()
        if len(requests) > CROSSING_RATIO * len(many.unsigned):  # then it is quicker to join all values
            xs = few.unsigned
            ys = many.unsigned
            values = fold_signs([x + y for x in xs for y in ys], self.modulus)
            values.update([abs(x - y) for x in xs for y in ys])
            return values.intersection(requests)
        others = many.either_sign  # has x and -x, so that t+x and |t-x| are enough
        return [t for x in few.unsigned for t in requests if t + x in others or abs(t - x) in others]

    def _find_products(self, requests: dict[int, int], few: Values, many: Values) -> Iterable[int]:
        """Return the requested values that are a product or quotient of one of `few` and one of `many`; a
        value may occur several times. `requests` maps each value to its inverse.
        """
        if not few.unsigned or not requests:
            # `few` may be empty: the other factor of a 0 may have any value, so it was never asked for one.
            return [0] if 0 in requests and 0 in many.either_sign else ()
        modulus = self.modulus
        if len(requests) > CROSSING_RATIO * len(many.unsigned):  # then it is quicker to join all values
            xs = few.unsigned
            ys = many.unsigned
            values = [x * y % modulus for x in xs for y in ys]
            values += [inverse * y % modulus for _, inverse in few.with_inverses for y in ys]  # y/x
            values += [inverse * x % modulus for _, inverse in many.with_inverses for x in xs]  # x/y
            return fold_signs(values, modulus).intersection(requests)
        others = many.either_sign
        values = [
            t
            for x, over_x in few.with_inverses  # 1/x
            for t, over_t in requests.items()  # 1/t
            if t * over_x % modulus in others or t * x % modulus in others or x * over_t % modulus in others
        ]
        if 0 in requests and (0 in few.either_sign or 0 in others):  # 0 is not in `with_inverses`
            values.append(0)
        return values

    def reconstruct_fraction(self, value: int) -> tuple[int, int]:
        """Return numerator and denominator of the simplest fraction with this residue or its negative: that
        with the least sum of the two, by the extended Euclidean algorithm.
        """
        # Modulo the prime, numerator is always value * denominator, so that their fraction has the residue.
        last_numerator, numerator = self.modulus, value
        last_denominator, denominator = 0, 1
        fractions = []
        while numerator:
            fractions.append((numerator, abs(denominator)))
            quotient = last_numerator // numerator
            last_numerator, numerator = numerator, last_numerator - quotient * numerator
            last_denominator, denominator = denominator, last_denominator - quotient * denominator
        return min(fractions, key=sum, default=(0, 1))  # the residue 0 takes no step


def _order_by_count(one: Values, other: Values) -> tuple[Values, Values]:
    """Return both sets, the one with fewer values first."""
    if len(one.unsigned) <= len(other.unsigned):
        return one, other
    return other, one
