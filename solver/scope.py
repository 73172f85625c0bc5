"""Find the pairs of parts, and of their values, that may be joined in a solution.

All values are residues modulo a prime, see `solver.reach`: a pair may turn out to be wrong.
"""

from __future__ import annotations

from solver.tables import ANY_VALUE, make_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from solver.reach import Reach
    from solver.tables import Table, Values

    Couple = tuple[
        int, int | None, int, int | None
    ]  # A block and its value, the rest and its value; None: any
    Origin = tuple[int, int, bool]  # A block, the rest, and whether the x of the row is a value of the block
    Addend = tuple[int, Container[int], Origin]  # A value x of one side, and all values of the other side
    Factor = tuple[int, int, Container[int], Origin]  # The same with 1/x after x, which is not 0

_NO_VALUES = make_table(sums=(), products=(), p=2)


class Split:
    """A part split into a block and a rest (see `solver.layout`), with the possible values of both."""

    __slots__ = ("block", "block_table", "rest", "rest_table")

    def __init__(self, block: int, rest: int, block_table: Table, rest_table: Table) -> None:
        self.block = block
        self.rest = rest
        self.block_table = block_table
        self.rest_table = rest_table

    def list_addends(self) -> list[Addend]:
        """Return a row for sums for each value of the side with fewer values. The block must be a term, no
        sum itself; the rest may be any.
        """
        few, many, is_block = _order_by_count(self.block_table.terms, self.rest_table.all)
        origin = self.block, self.rest, is_block
        if not many.count:
            return []
        return [(x, many.either_sign, origin) for x in few.unsigned]

    def list_factors(self) -> list[Factor]:
        """Return a row for products for each value of the side with fewer values, but 0. The block must be a
        factor, no product itself; the rest may be any.
        """
        few, many, is_block = _order_by_count(self.block_table.factors, self.rest_table.all)
        origin = self.block, self.rest, is_block
        if not many.count:
            return []
        return [(x, inverse, many.either_sign, origin) for x, inverse in few.with_inverses]

    def list_zero_products(self) -> Iterator[Couple]:
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

    __slots__ = ("_splits", "addends", "factors", "p")

    def __init__(self, splits: list[Split], p: int) -> None:
        self._splits = splits
        self.addends = [row for split in splits for row in split.list_addends()]
        self.factors = [row for split in splits for row in split.list_factors()]
        self.p = p

    def find_sums(self, value: int) -> list[Couple]:
        """Return the pairs whose sum or difference may have the value."""
        couples: list[Couple] = []
        for x, many, origin in self.addends:
            if x + value in many or abs(x - value) in many:  # rarely: to compute both twice is cheaper
                couples += self._make_couples(x, ys=(abs(x - value), x + value), many=many, origin=origin)
        return couples

    def find_products(self, value: int) -> list[Couple]:
        """Return the pairs whose product or quotient may have the value."""
        if not value:
            return [couple for split in self._splits for couple in split.list_zero_products()]
        p = self.p
        over_value = pow(value, -1, p)  # 1/value
        couples: list[Couple] = []
        for x, over_x, many, origin in self.factors:  # `over_x` is 1/x
            if over_x * value % p in many or x * over_value % p in many or x * value % p in many:  # rarely
                ys = over_x * value % p, x * over_value % p, x * value % p
                couples += self._make_couples(x, ys, many, origin)
        return couples

    def _make_couples(
        self, x: int, ys: Iterable[int], many: Container[int], origin: Origin
    ) -> Iterable[Couple]:
        """Return the couples of x with each of `ys` that is one of `many`, the values of the other side."""
        block, rest, is_block = origin
        folded = dict.fromkeys([min(y, self.p - y) for y in ys if y in many])  # each once, y and -y as one
        if is_block:  # x is a value of the block
            return [(block, x, rest, y) for y in folded]
        return [(block, y, rest, x) for y in folded]


class Scope:
    """The values of smaller parts that may help one part to make one value.

    Of small parts, these are all values in their tables; of large ones, those that a backward search finds.
    It starts when they are first needed. With `tables_only` there is none, and large parts have no values.
    """

    def __init__(self, reach: Reach, part: int, value: int, *, tables_only: bool = False) -> None:
        self.reach = reach
        self.part = part
        self.value = value
        self._table_size, self._whole_table_size = reach.choose_table_sizes(part)
        self._makeable: dict[int, Table] | None = {} if tables_only else None
        self._rows: dict[int, Rows] = {}

    def get_rows(self, part: int) -> Rows:
        """Return the rows of all splits of a smaller part, from the cache or newly made."""
        if part not in self._rows:
            splits = [self._make_split(block, rest) for block, rest in self.reach.layout.list_splits(part)]
            self._rows[part] = Rows(splits, self.reach.p)
        return self._rows[part]

    def generate_rows(self, part: int) -> Iterator[Rows]:
        """Generate the rows of a large part, split by split.

        For early first solutions, splits of two sides with tables come first: they need no backward search.
        The most even of them come before the others, since their tables are small.
        """
        get_table = self.reach.get_table
        table_size = self._whole_table_size if part == self.part else self._table_size
        small, large = self.reach.layout.group_splits(part, table_size)
        for block, rest in small:
            yield Rows([Split(block, rest, get_table(block), get_table(rest))], self.reach.p)
        for block, rest in large:
            yield Rows([self._make_split(block, rest)], self.reach.p)

    def _make_split(self, block: int, rest: int) -> Split:
        return Split(block, rest, self._get_table(block), self._get_table(rest))

    def _get_table(self, part: int) -> Table:
        """Return all values of a small part; of a large one those that the backward search finds. That search
        runs at the first large part.
        """
        if self.reach.layout.size(part) <= self._table_size:
            return self.reach.get_table(part)
        if self._makeable is None:
            self._makeable = self.reach.search_backward(self.part, self.value)
        return self._makeable.get(part, _NO_VALUES)


def generate_open_rows(reach: Reach, part: int) -> Iterator[Rows]:
    """Generate the rows of a part that is too large for a backward search. The larger side of each split is
    taken to have any value.
    """
    size = reach.layout.size
    for block, rest in reach.layout.list_splits(part):
        if size(block) <= size(rest):
            split = Split(block, rest, block_table=reach.get_table(block), rest_table=ANY_VALUE)
        else:
            split = Split(block, rest, block_table=ANY_VALUE, rest_table=reach.get_table(rest))
        yield Rows([split], reach.p)
