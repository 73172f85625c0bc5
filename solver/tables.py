"""Every value of a small part of a hand.

A value stands for itself and its negative, and is a residue modulo a prime p; see `reach` for why that will
do. A part may be a number, a sum or a product. A sum needs terms that are no sums themselves, and a product
factors that are no products: so the values of a part are kept apart by what they can be taken for.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable

KEPT_PAIRS = 4_000  # For how many numbers and pairs of numbers the tables outlive the hand
KEPT_TRIPLES = 500  # For how many parts of three numbers they do: all those of cards


class Values:
    """Values of a part: `half` holds each once, of the two signs the one up to p/2."""

    __slots__ = ("_both", "_pairs", "count", "half", "p")

    def __init__(self, half: Iterable[int], p: int) -> None:
        self.half = list(half)
        self.count: float = len(self.half)
        self.p = p
        self._both: set[int] | None = None
        self._pairs: list[tuple[int, int]] | None = None

    @property
    def both(self) -> Container[int]:
        """The values with either sign."""
        if self._both is None:
            self._both = {self.p - value for value in self.half if value}
            self._both.update(self.half)
        return self._both

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """x and 1/x for each x in half but 0."""
        if self._pairs is None:
            values = [value for value in self.half if value]
            self._pairs = list(zip(values, inverses(values, self.p), strict=True))
        return self._pairs


class _Any(Values):
    """The set of all values."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__((), 2)
        self.count = inf

    @property
    def both(self) -> Container[int]:
        return self

    def __contains__(self, value: object) -> bool:
        return True


class Table:
    """The possible values of a part."""

    __slots__ = ("all", "factors", "terms")

    def __init__(self, terms: Values, factors: Values, all_values: Values) -> None:
        self.terms = terms
        """As a number or a product, which may stand in a sum."""
        self.factors = factors
        """As a number or a sum, which may stand in a product."""
        self.all = all_values  # in any form


UNKNOWN = Table(_Any(), _Any(), _Any())  # What a part may be worth as long as nobody has looked


def table_of(sums: Iterable[int], products: Iterable[int], p: int) -> Table:
    """The table of a part that is worth this as a sum, and that as a product; a number is either."""
    factors, terms = Values(sums, p), Values(products, p)
    return Table(terms, factors, Values(dict.fromkeys([*factors.half, *terms.half]), p))


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
    return table_of([number], [number], p)


@lru_cache(KEPT_PAIRS)
def table_of_two(one: int, other: int, p: int) -> Table:
    """The table of a part that is two numbers. It is kept because hands of cards share so many pairs."""
    return joined([(table_of_one(one, p), table_of_one(other, p))], p)


@lru_cache(KEPT_TRIPLES)
def table_of_three(one: int, two: int, three: int, p: int) -> Table:
    """The table of a part that is three numbers, ascending."""
    first, second, third = (table_of_one(number, p) for number in (one, two, three))
    sides = [(first, table_of_two(two, three, p)), (table_of_two(one, two, p), third)]
    return joined([*sides, (table_of_two(one, three, p), second)], p)


def joined(sides: Iterable[tuple[Table, Table]], p: int) -> Table:
    """The table of a part, from those of block and rest of each way to split it."""
    sums: set[int] = set()
    products: set[int] = set()
    for block, rest in sides:
        xs, ys = block.terms.half, rest.all.half
        sums.update([x + y for x in xs for y in ys])
        sums.update([abs(x - y) for x in xs for y in ys])
        xs = block.factors.half
        products.update([x * y % p for x in xs for y in ys])
        products.update([over * y % p for _, over in block.factors.pairs for y in ys])
        products.update([over * x % p for _, over in rest.all.pairs for x in xs])
    return table_of(folded(sums, p), folded(products, p), p)


def folded(values: Iterable[int], p: int) -> set[int]:
    """Of each value, from 0 to p, and its negative the one up to p/2."""
    middle = p // 2
    return {y if y <= middle else p - y for y in values}
