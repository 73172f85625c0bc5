"""Find the parts of a hand, and their values, that may be joined in a solution."""

from __future__ import annotations

from solver.tables import UNKNOWN, table_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from solver.reach import Reach
    from solver.tables import Table, Values

    Couple = tuple[int, int | None, int, int | None]
    """A block and its value, the rest and its value; None stands for every value."""
    Join = tuple[int, int, bool]
    """Block and rest, and whether the value at hand is that of the block."""
    Addend = tuple[int, Container[int], Join]
    """A value of one side of a split, and what the other side can be worth."""
    Factor = tuple[int, int, Container[int], Join]
    """A value x of one side that is not 0, 1/x, and what the other side can be worth."""

_NOTHING = table_of((), (), 2)


class Split:
    """A part as a block that holds its lowest number, and the rest; with the values that each may have."""

    __slots__ = ("block", "ours", "rest", "theirs")

    def __init__(self, block: int, rest: int, ours: Table, theirs: Table) -> None:
        self.block = block
        self.rest = rest
        self.ours = ours  # the values of the block
        self.theirs = theirs  # the values of the rest

    def addends(self) -> list[Addend]:
        """Return the possible additions: the block as a term, the rest in any form."""
        few, many, first = _sides(self.ours.terms, self.theirs.all)
        join = self.block, self.rest, first
        return [(x, many.both, join) for x in few.half] if many.count else []

    def factors(self) -> list[Factor]:
        """Return the possible multiplications: the block as a factor, the rest in any form."""
        few, many, first = _sides(self.ours.factors, self.theirs.all)
        join = self.block, self.rest, first
        return [(x, over, many.both, join) for x, over in few.pairs] if many.count else []

    def zeros(self) -> Iterator[Couple]:
        """Yield the pairs whose product is 0."""
        if 0 in self.ours.factors.both:
            yield self.block, 0, self.rest, None
        if 0 in self.theirs.all.both:
            yield self.block, None, self.rest, 0


def _sides(block: Values, rest: Values) -> tuple[Values, Values, bool]:
    """The side with fewer values, the other side, and whether the block is the first of them."""
    return (block, rest, True) if block.count <= rest.count else (rest, block, False)


class Rows:
    """The splits of one part, laid out so that one pass shows which help to make a value."""

    __slots__ = ("_splits", "addends", "factors", "p")

    def __init__(self, splits: list[Split], p: int) -> None:
        self._splits = splits
        self.addends = [row for split in splits for row in split.addends()]
        self.factors = [row for split in splits for row in split.factors()]
        self.p = p

    def sums(self, value: int) -> list[Couple]:
        """Return the pairs whose sum or difference may have the value."""
        return [
            couple
            for x, many, join in self.addends
            if x + value in many or abs(x - value) in many
            for couple in self._couples(x, (abs(x - value), x + value), many, join)
        ]

    def products(self, value: int) -> list[Couple]:
        """Return the pairs whose product or quotient may have the value."""
        if not value:
            return [couple for split in self._splits for couple in split.zeros()]
        p = self.p
        over = pow(value, -1, p)
        return [
            couple
            for x, inverse, many, join in self.factors
            if inverse * value % p in many or x * over % p in many or x * value % p in many
            for couple in self._couples(x, (inverse * value % p, x * over % p, x * value % p), many, join)
        ]

    def _couples(self, x: int, ys: Iterable[int], many: Container[int], join: Join) -> Iterable[Couple]:
        block, rest, first = join
        half = dict.fromkeys([min(y, self.p - y) for y in ys if y in many])
        return [(block, x, rest, y) for y in half] if first else [(block, y, rest, x) for y in half]


class Scope:
    """The values that matter when one part is to make one value: of smaller parts all, of others those that
    were asked for and can be made. The search backward begins when it is first needed, or never where only
    what is `near` matters: splits whose sides are both tabled."""

    def __init__(self, reach: Reach, part: int, value: int, *, near: bool = False) -> None:
        self.reach = reach
        self.part = part
        self.value = value
        self._tabled, self._passing = reach.tabled(part)
        self._found: dict[int, Table] | None = {} if near else None
        self._rows: dict[int, Rows] = {}

    def rows(self, part: int) -> Rows:
        """The rows of a smaller part."""
        found = self._rows.get(part)
        if found is None:
            splits = [self._split(block, rest) for block, rest in self.reach.layout.blocks(part)]
            found = self._rows[part] = Rows(splits, self.reach.p)
        return found

    def rows_by_split(self, part: int) -> Iterator[Rows]:
        """The rows of a large part, split by split: first those whose sides are both tabled, which need no
        search backward, and of those the even ones, for which small tables will do."""
        table = self.reach.table
        near, far = self.reach.layout.even(part, self._passing if part == self.part else self._tabled)
        for block, rest in near:
            yield Rows([Split(block, rest, table(block), table(rest))], self.reach.p)
        for block, rest in far:
            yield Rows([self._split(block, rest)], self.reach.p)

    def _split(self, block: int, rest: int) -> Split:
        return Split(block, rest, self._table(block), self._table(rest))

    def _table(self, part: int) -> Table:
        if self.reach.layout.size(part) <= self._tabled:
            return self.reach.table(part)
        if self._found is None:
            self._found = self.reach.found(self.part, self.value)
        return self._found.get(part, _NOTHING)


def open_rows(reach: Reach, part: int) -> Iterator[Rows]:
    """The rows of a part that is too large to search backward in: every value of the larger side may do."""
    size = reach.layout.size
    for block, rest in reach.layout.blocks(part):
        known = size(block) <= size(rest)
        ours, theirs = (reach.table(block), UNKNOWN) if known else (UNKNOWN, reach.table(rest))
        yield Rows([Split(block, rest, ours, theirs)], reach.p)
