"""Tables of all values of a small part of a hand.

Values are residues modulo a prime p, and x stands for x and -x; `solver.reach` explains why. A part is a
number, a sum or a product. The terms of a sum must be no sums, and the factors of a product no products, so
that nothing is found twice. Therefore a table has the values that can be terms apart from those that can be
factors.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable

MAX_CACHED_PAIRS = 4_000  # Numbers and pairs whose tables are cached for other hands
MAX_CACHED_TRIPLES = 500  # Parts of three numbers whose tables are: enough for all cards


class Values:
    """A set of values. `unsigned` has each once: of x and -x the residue up to p/2."""

    __slots__ = ("_either_sign", "_with_inverses", "count", "p", "unsigned")

    def __init__(self, unsigned: Iterable[int], p: int) -> None:
        self.unsigned = list(unsigned)
        self.count: float = len(self.unsigned)  # infinite for the set of all values
        self.p = p
        self._either_sign: set[int] | None = None
        self._with_inverses: list[tuple[int, int]] | None = None

    @property
    def either_sign(self) -> Container[int]:
        """The residues of x and -x for each value."""
        if self._either_sign is None:
            self._either_sign = {self.p - value for value in self.unsigned if value}
            self._either_sign.update(self.unsigned)
        return self._either_sign

    @property
    def with_inverses(self) -> list[tuple[int, int]]:
        """x and 1/x for each x in `unsigned` but 0."""
        if self._with_inverses is None:
            values = [value for value in self.unsigned if value]
            self._with_inverses = list(zip(values, invert_residues(values, self.p), strict=True))
        return self._with_inverses


class _AllValues(Values):
    """The set of all values."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__((), 2)
        self.count = inf

    @property
    def either_sign(self) -> Container[int]:
        return self

    def __contains__(self, value: object) -> bool:
        return True


class Table:
    """The possible values of a part."""

    __slots__ = ("all", "factors", "terms")

    def __init__(self, terms: Values, factors: Values, all_values: Values) -> None:
        self.terms = terms  # of numbers and products, which can be terms of a sum
        self.factors = factors  # of numbers and sums, which can be factors of a product
        self.all = all_values


ANY_VALUE = Table(_AllValues(), _AllValues(), _AllValues())  # For a part that was not searched


def make_table(sums: Iterable[int], products: Iterable[int], p: int) -> Table:
    """Make the table of a part from its values as a sum and as a product. A number counts as both."""
    factors = Values(sums, p)  # a sum may be a factor, but no term of a sum
    terms = Values(products, p)  # a product may be a term, but no factor of a product
    all_values = Values(dict.fromkeys([*factors.unsigned, *terms.unsigned]), p)
    return Table(terms=terms, factors=factors, all_values=all_values)


def invert_residues(values: list[int], p: int) -> list[int]:
    """Return 1/x modulo p for each x, and 0 for 0, with a single division (Montgomery's trick)."""
    if len(values) == 1:  # quicker
        return [pow(values[0], -1, p)] if values[0] else [0]
    before = []  # for each value, the product of those before it
    product = 1
    for value in values:
        before.append(product)
        if value:
            product = product * value % p
    inverse = pow(product, -1, p)  # of the product of the values that are not done yet
    result = [0] * len(values)  # which stays 0 for 0
    for i in reversed(range(len(values))):
        if values[i]:
            result[i] = inverse * before[i] % p
            inverse = inverse * values[i] % p
    return result


@lru_cache(MAX_CACHED_PAIRS)
def make_table_of_one(number: int, p: int) -> Table:
    return make_table([number], [number], p)


@lru_cache(MAX_CACHED_PAIRS)
def make_table_of_two(one: int, other: int, p: int) -> Table:
    return join_tables([(make_table_of_one(one, p), make_table_of_one(other, p))], p)


@lru_cache(MAX_CACHED_TRIPLES)
def make_table_of_three(one: int, two: int, three: int, p: int) -> Table:
    """Make the table of three numbers, which must be in ascending order."""
    first, second, third = (make_table_of_one(number, p) for number in (one, two, three))
    first_alone = first, make_table_of_two(two, three, p)
    third_alone = make_table_of_two(one, two, p), third
    second_alone = make_table_of_two(one, three, p), second
    return join_tables([first_alone, third_alone, second_alone], p)


def join_tables(sides: Iterable[tuple[Table, Table]], p: int) -> Table:
    """Make the table of a part from the tables of block and rest of each of its splits."""
    sums: set[int] = set()
    products: set[int] = set()
    for block, rest in sides:
        terms, factors, ys = block.terms.unsigned, block.factors.unsigned, rest.all.unsigned
        sums.update([x + y for x in terms for y in ys])
        sums.update([abs(x - y) for x in terms for y in ys])
        products.update([x * y % p for x in factors for y in ys])
        products.update([inverse * y % p for _, inverse in block.factors.with_inverses for y in ys])  # y/x
        products.update([inverse * x % p for _, inverse in rest.all.with_inverses for x in factors])  # x/y
    return make_table(fold_signs(sums, p), fold_signs(products, p), p)


def fold_signs(residues: Iterable[int], p: int) -> set[int]:
    """Replace each residue x, which must be from 0 to p-1, by the one of x and p-x that is at most p/2."""
    middle = p // 2
    return {x if x <= middle else p - x for x in residues}
