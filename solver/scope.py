"""Find the pairs of parts, and of their values, that may be joined in a solution.

A part is split into a *block* and a *rest*, its two sides (see `solver.layout`). A *row* is one value of the
side with fewer values, together with all values of the other side. All values are residues modulo a prime,
see `solver.reach`: a pair may turn out to be wrong.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf

from solver.tables import ANY_VALUE, MAX_CACHED_TRIPLES, Table, Values, make_table, split_three

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence

    from solver.reach import Reach

    # A block and its value, the rest and its value; None: any
    Couple = tuple[int, int | None, int, int | None]
    Origin = tuple[int, int, bool]  # A block, the rest, and whether the x of the row is a value of the block
    SumRow = tuple[int, Container[int], Origin]  # A value x of one side, and all values of the other side
    # The same with 1/x after x, which is not 0
    ProductRow = tuple[int, int, Container[int], Origin]

MAX_KNOWN_RESIDUES = 100  # Kept of three numbers, for other hands with them

_NO_VALUES = make_table(sums=(), products=(), modulus=2)  # any modulus: nothing is computed with it


class Split:
    """A part split into a block and a rest (see `solver.layout`), with the possible values of both."""

    __slots__ = ("block", "block_table", "rest", "rest_table")

    def __init__(self, block: int, rest: int, block_table: Table, rest_table: Table) -> None:
        self.block = block
        self.rest = rest
        self.block_table = block_table
        self.rest_table = rest_table

    def make_sum_rows(self) -> list[SumRow]:
        """Return a row for each value of the side with fewer values; none if the other side has no value. The
        block must be a term, no sum itself; the rest may be any.
        """
        few, many, is_block = _order_by_count(self.block_table.terms, self.rest_table.all)
        origin = self.block, self.rest, is_block
        if not many.count:
            return []
        return [(x, many.either_sign, origin) for x in few.unsigned]

    def make_product_rows(self) -> list[ProductRow]:
        """Return a row for each value but 0 of the side with fewer values; none if the other side has no
        value. The block must be a factor, no product itself; the rest may be any.
        """
        few, many, is_block = _order_by_count(self.block_table.factors, self.rest_table.all)
        origin = self.block, self.rest, is_block
        if not many.count:
            return []
        return [(x, over_x, many.either_sign, origin) for x, over_x in few.with_inverses]  # over_x is 1/x

    def generate_zero_products(self) -> Iterator[Couple]:
        """Yield the pairs whose product is 0: one side is 0, the other has any value."""
        if 0 in self.block_table.factors.either_sign:
            yield self.block, 0, self.rest, None
        if 0 in self.rest_table.all.either_sign:
            yield self.block, None, self.rest, 0


def _order_by_count(block: Values, rest: Values) -> tuple[Values, Values, bool]:
    """Return the side with fewer values, the other side, and whether the first is the block."""
    if block.count <= rest.count:
        return block, rest, True
    return rest, block, False


class Rows:
    """All splits of a part in one list for sums and one for products, with a row for each value of a side. So
    a single pass over a list finds the pairs that make a value, which is faster than a loop for each split.
    """

    __slots__ = ("_splits", "modulus", "product_rows", "sum_rows")

    def __init__(self, splits: list[Split], modulus: int) -> None:
        self._splits = splits
        self.sum_rows = [row for split in splits for row in split.make_sum_rows()]
        self.product_rows = [row for split in splits for row in split.make_product_rows()]
        self.modulus = modulus

    def find_sums(self, value: int) -> list[Couple]:
        """Return the pairs whose sum or difference may be `value`, an unsigned residue, or its negative."""
        couples: list[Couple] = []
        for x, many, origin in self.sum_rows:
            # Rarely true: to compute the two values again is cheaper than to name them for each row.
            if x + value in many or abs(x - value) in many:
                couples += self._make_couples(x, ys=(abs(x - value), x + value), many=many, origin=origin)
        return couples

    def find_products(self, value: int) -> list[Couple]:
        """Return the pairs whose product or quotient may be `value`, an unsigned residue, or its negative.
        For the value 0 one side of each pair has any value, None.
        """
        if not value:
            return self._list_zero_products()
        modulus = self.modulus
        over_value = pow(value, -1, modulus)  # 1/value
        couples: list[Couple] = []
        for x, over_x, many, origin in self.product_rows:  # `over_x` is 1/x
            # Rarely true, as in `find_sums`.
            if (
                over_x * value % modulus in many
                or x * over_value % modulus in many
                or x * value % modulus in many
            ):
                ys = (over_x * value % modulus, x * over_value % modulus, x * value % modulus)
                couples += self._make_couples(x, ys, many, origin)
        return couples

    def _list_zero_products(self) -> list[Couple]:
        couples: list[Couple] = []
        for split in self._splits:
            couples += split.generate_zero_products()
        return couples

    def _make_couples(
        self, x: int, ys: Iterable[int], many: Container[int], origin: Origin
    ) -> Iterable[Couple]:
        """Return the couples of x with each of `ys` that is one of `many`, the values of the other side; y
        and -y count as one.
        """
        block, rest, is_block = origin
        couples: list[Couple] = []
        for y in ys:
            if y in many:
                unsigned = min(y, self.modulus - y)
                couples.append((block, x, rest, unsigned) if is_block else (block, unsigned, rest, x))
        # Two of `ys` are seldom equal, but are so for 0 and 1.
        return list(dict.fromkeys(couples)) if len(couples) > 1 else couples


class _ValuesOnRequest(Values):
    """The values of a part, each searched when it is first asked for: quicker than a table for few requests.
    Only `count`, taken to be infinite, and `either_sign` are of use.
    """

    __slots__ = ("_known", "_searches")

    def __init__(self, searches: Sequence[Callable[[int], list[Couple]]], modulus: int) -> None:
        super().__init__(unsigned=(), modulus=modulus)
        self.count = inf
        self._searches = searches  # Each returns the pairs that make a value
        self._known: dict[object, bool] = {}  # Whether a residue is one of the values

    @property
    def either_sign(self) -> Container[int]:
        return self

    def __contains__(self, residue: object) -> bool:
        known = self._known.get(residue)
        if known is None and isinstance(residue, int):  # always so: for the type checker
            unsigned = min(residue, self.modulus - residue)
            known = any(search(unsigned) for search in self._searches)
            if len(self._known) > MAX_KNOWN_RESIDUES:
                self._known.clear()
            self._known[residue] = known
        return bool(known)


@lru_cache(MAX_CACHED_TRIPLES)
def _make_requested_table_of_three(one: int, two: int, three: int, modulus: int) -> Table:
    """Make a table of three numbers in ascending order whose values are searched on request."""
    # No part is named, since it matters only whether there are pairs.
    splits = [Split(0, 0, block, rest) for block, rest in split_three(one, two, three, modulus)]
    rows = Rows(splits, modulus)
    return Table(
        terms=_ValuesOnRequest([rows.find_products], modulus),
        factors=_ValuesOnRequest([rows.find_sums], modulus),
        all_values=_ValuesOnRequest([rows.find_sums, rows.find_products], modulus),
    )


class Scope:
    """The values of smaller parts that may help one part, the *searched part*, to make one value.

    Of small parts, these are all values in their tables; of large ones, those that a backward search finds.
    It starts when they are first needed. With `tables_only` there is none, and large parts have no values.
    """

    def __init__(self, reach: Reach, part: int, value: int, *, tables_only: bool = False) -> None:
        self.reach = reach
        self.part = part  # the searched part
        self.value = value
        self._table_size, self._whole_table_size = reach.choose_table_sizes(part)
        # Then at most five values of each three numbers are of use. A log wants a backward search instead.
        self._has_four_numbers = reach.layout.size(part) == 4 and not reach.log
        # The tables of large parts; None until the backward search has run.
        self._makeable: dict[int, Table] | None = {} if tables_only else None
        self._rows: dict[int, Rows] = {}

    def get_rows(self, part: int) -> Rows:
        """Return the rows of all splits of a part, which is smaller than the searched part. They are made at
        the first call.
        """
        rows = self._rows.get(part)
        if rows is None:
            splits = [self._make_split(block, rest) for block, rest in self.reach.layout.list_splits(part)]
            rows = Rows(splits, self.reach.modulus)
            self._rows[part] = rows
        return rows

    def generate_rows(self, part: int) -> Iterator[Rows]:
        """Generate the rows of a large part, such as the searched part, split by split.

        For early first solutions, splits of two sides with tables come first: they need no backward search.
        The most even of them come before the others, since their tables are small.
        """
        get_table = self._get_full_table
        table_size = self._whole_table_size if part == self.part else self._table_size
        small, large = self.reach.layout.group_splits(part, table_size)
        for block, rest in small:
            yield Rows([Split(block, rest, get_table(block), get_table(rest))], self.reach.modulus)
        for block, rest in large:
            yield Rows([self._make_split(block, rest)], self.reach.modulus)

    def _make_split(self, block: int, rest: int) -> Split:
        """Make a split with the tables of both sides; this may run the backward search."""
        return Split(block, rest, self._get_table(block), self._get_table(rest))

    def may_make(self, part: int, value: int, inside: str) -> bool:
        """Whether a smaller part may make a value as an operand of `inside`, "+" or "*"."""
        if self._table_size < self.reach.layout.size(part) <= self._whole_table_size:
            return True  # the searched part, with a full table, asks for values that nobody searched backward
        table = self._get_table(part)
        values = table.terms if inside == "+" else table.factors
        return value in values.either_sign

    def _get_table(self, part: int) -> Table:
        """Return all values of a small part; of a large one those that the backward search finds. That search
        runs at the first large part.
        """
        if self.reach.layout.size(part) <= self._table_size:
            return self._get_full_table(part)
        if self._makeable is None:
            self._makeable = self.reach.search_backward(self.part, self.value)
        return self._makeable.get(part, _NO_VALUES)  # not found: it helps nowhere

    def _get_full_table(self, part: int) -> Table:
        """Return all values of a part."""
        if self._has_four_numbers and self.reach.layout.size(part) == 3:
            numbers = (self.reach.numbers[symbol] for symbol in self.reach.layout.symbols(part))
            return _make_requested_table_of_three(*numbers, self.reach.modulus)
        return self.reach.get_table(part)


def generate_open_rows(reach: Reach, part: int) -> Iterator[Rows]:
    """Generate the rows of a part that is too large for a backward search, split by split. The larger side of
    each split is taken to have any value.
    """
    size = reach.layout.size
    for block, rest in reach.layout.list_splits(part):
        if size(block) <= size(rest):
            split = Split(block, rest, block_table=reach.get_table(block), rest_table=ANY_VALUE)
        else:
            split = Split(block, rest, block_table=ANY_VALUE, rest_table=reach.get_table(rest))
        yield Rows([split], reach.modulus)
