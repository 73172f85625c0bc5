"""Tables of all values of a small part of a hand.

A value is a residue modulo a prime, the *modulus*, and stands for x and -x; `solver.reach` explains why. The
lesser of the residues of x and -x, at most half the modulus, is the *unsigned* residue.

A part is a number, a sum or a product. The terms of a sum must be no sums, and the factors of a product no
products, so that nothing is found twice. Therefore a table has the values that can be terms apart from those
that can be factors.
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
    """A set of values, each an unsigned residue. Two other views of them are computed at first use."""

    __slots__ = ("_either_sign", "_with_inverses", "count", "modulus", "unsigned")

    def __init__(self, unsigned: Iterable[int], modulus: int) -> None:
        self.unsigned = list(unsigned)  # each value once
        self.count: float = len(self.unsigned)  # infinite for the set of all values
        self.modulus = modulus
        self._either_sign: set[int] | None = None
        self._with_inverses: list[tuple[int, int]] | None = None

    @property
    def either_sign(self) -> Container[int]:
        """The residues of x and -x for each value x, computed at first use."""
        if self._either_sign is None:
            self._either_sign = {self.modulus - value for value in self.unsigned if value}
            self._either_sign.update(self.unsigned)
        return self._either_sign

    @property
    def with_inverses(self) -> list[tuple[int, int]]:
        """x and 1/x for each x in `unsigned` but 0, computed at first use."""
        if self._with_inverses is None:
            values = [value for value in self.unsigned if value]
            self._with_inverses = list(zip(values, invert_residues(values, self.modulus), strict=True))
        return self._with_inverses


class _AllValues(Values):
    """The set of all values. Only `count` and `either_sign` are of use: `unsigned` is empty."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(unsigned=(), modulus=2)  # any modulus: nothing is computed with it
        self.count = inf

    @property
    def either_sign(self) -> Container[int]:
        """This set itself, since `in` is true for every residue."""
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


def make_table(*, sums: Iterable[int], products: Iterable[int], modulus: int) -> Table:
    """Make the table of a part from its values as a sum and as a product, both unsigned residues. The value
    of a single number must be in both.
    """
    factors = Values(sums, modulus)  # a sum may be a factor, but no term of a sum
    terms = Values(products, modulus)  # a product may be a term, but no factor of a product
    all_values = Values(dict.fromkeys([*factors.unsigned, *terms.unsigned]), modulus)  # each once
    return Table(terms=terms, factors=factors, all_values=all_values)


def invert_residues(values: list[int], modulus: int) -> list[int]:
    """Return 1/x modulo a prime for each x, and 0 for 0, with a single division (Montgomery's trick)."""
    if len(values) == 1:  # quicker
        return [pow(values[0], -1, modulus)] if values[0] else [0]
    products_before = []  # for each value, the product of those before it
    product = 1
    for value in values:
        products_before.append(product)
        if value:
            product = product * value % modulus
    inverse = pow(product, -1, modulus)  # of the product of the values that are not done yet
    result = [0] * len(values)  # which stays 0 for 0
    for i in reversed(range(len(values))):
        if values[i]:
            result[i] = inverse * products_before[i] % modulus
            inverse = inverse * values[i] % modulus
    return result


@lru_cache(MAX_CACHED_PAIRS)
def make_table_of_one(number: int, modulus: int) -> Table:
    """Make the table of a single number, which can be a term of a sum and a factor of a product."""
    return make_table(sums=[number], products=[number], modulus=modulus)


@lru_cache(MAX_CACHED_PAIRS)
def make_table_of_two(one: int, other: int, modulus: int) -> Table:
    """Make the table of all sums, differences, products and quotients of two numbers."""
    block = make_table_of_one(one, modulus)
    rest = make_table_of_one(other, modulus)
    return join_tables([(block, rest)], modulus)


@lru_cache(MAX_CACHED_TRIPLES)
def make_table_of_three(one: int, two: int, three: int, modulus: int) -> Table:
    """Make the table of three numbers in ascending order by joining each with the table of the other two."""
    return join_tables(split_three(one, two, three, modulus), modulus)


def split_three(one: int, two: int, three: int, modulus: int) -> list[tuple[Table, Table]]:
    """Return the tables of block and rest of each split of three numbers in ascending order."""
    first, second, third = (make_table_of_one(number, modulus) for number in (one, two, three))
    # Blocks and rests: the block is the side with the lowest number.
    first_alone = first, make_table_of_two(two, three, modulus)
    third_alone = make_table_of_two(one, two, modulus), third
    second_alone = make_table_of_two(one, three, modulus), second
    return [first_alone, third_alone, second_alone]


def join_tables(splits: Iterable[tuple[Table, Table]], modulus: int) -> Table:
    """Make the table of a part from the tables of block and rest of each of its splits: their sums,
    differences, products and quotients. A block must be a term of the sums and a factor of the products; a
    rest may be any.
    """
    sums: set[int] = set()
    products: set[int] = set()
    for block, rest in splits:
        terms = block.terms.unsigned
        factors = block.factors.unsigned
        ys = rest.all.unsigned
        sums.update([x + y for x in terms for y in ys])
        sums.update([abs(x - y) for x in terms for y in ys])
        products.update([x * y % modulus for x in factors for y in ys])
        # y/x and x/y, for divisors that are not 0
        products.update([inverse * y % modulus for _, inverse in block.factors.with_inverses for y in ys])
        products.update([inverse * x % modulus for _, inverse in rest.all.with_inverses for x in factors])
    return make_table(sums=fold_signs(sums, modulus), products=fold_signs(products, modulus), modulus=modulus)


def fold_signs(residues: Iterable[int], modulus: int) -> set[int]:
    """Return the unsigned residues of residues from 0 to modulus - 1: of x and -x the lesser."""
    middle = modulus // 2
    return {x if x <= middle else modulus - x for x in residues}
