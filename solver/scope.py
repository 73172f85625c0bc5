"""Which parts of a hand, with which values, may come together in a solution."""

from __future__ import annotations

from solver.reach import TABLED, Reach, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    Couple = tuple[int | None, int | None]
    """A value of the block and a value of the rest; None stands for every value."""

_NOTHING = Table((), 2)


class _Everything:
    """What the values of a part are taken to be when they are not known."""

    def __contains__(self, value: object) -> bool:
        return True


_EVERYTHING = _Everything()


class Split:
    """A part as a block that holds its lowest number, and the rest; with the values that each may have."""

    __slots__ = ("block", "few", "few_is_block", "many", "p", "rest")

    def __init__(
        self, block: int, rest: int, few: Table, many: Container[int], few_is_block: bool, p: int
    ) -> None:
        self.block = block
        self.rest = rest
        self.few = few
        """The values of the side that has fewer of them."""
        self.many = many
        """The values of the other side, of either sign."""
        self.few_is_block = few_is_block
        self.p = p

    def helpful(self, value: int, over: int) -> list[tuple[int, int]]:
        """Those x of the few, with 1/x, that may help to make the value, which is 1/over: mostly none."""
        p, many = self.p, self.many
        found = [
            (x, inverse)
            for x, inverse in self.few.pairs
            if x + value in many
            or abs(x - value) in many
            or inverse * value % p in many
            or x * over % p in many
            or x * value % p in many
        ]
        if 0 in self.few.both:
            found.append((0, 0))
        return found

    def addends(self, value: int, helpful: list[tuple[int, int]]) -> Iterable[Couple]:
        """The values of block and rest whose sum or difference is the value."""
        return self._couples([(x, y) for x, _ in helpful for y in (abs(x - value), x + value)])

    def factors(self, value: int, over: int, helpful: list[tuple[int, int]]) -> Iterable[Couple]:
        """The values of block and rest whose product or quotient is the value, which is 1/over."""
        if not value:
            return self._zeros()
        p = self.p
        return self._couples(
            [
                (x, y)
                for x, inverse in helpful
                if x
                for y in (inverse * value % p, x * over % p, x * value % p)
            ]
        )

    def _couples(self, found: list[tuple[int, int]]) -> Iterable[Couple]:
        """Those whose second value can be made, each once, in the order of block and rest."""
        half = dict.fromkeys((x, min(y, self.p - y)) for x, y in found if y in self.many)
        return half if self.few_is_block else [(y, x) for x, y in half]

    def _zeros(self) -> Iterable[Couple]:
        few, many = 0 in self.few.both, 0 in self.many
        if few if self.few_is_block else many:
            yield 0, None
        if many if self.few_is_block else few:
            yield None, 0


class Scope:
    """The values that matter when one part is to make one value: of smaller parts all, of others those that
    were asked for and can be made. The search backward begins when it is first needed."""

    def __init__(self, reach: Reach, part: int, value: int) -> None:
        self.reach = reach
        self.part = part
        self.value = value
        self._tabled = TABLED[reach.layout.size(part)]
        self._found: dict[int, Table] | None = None
        self._splits: dict[tuple[int, bool], list[Split]] = {}

    def splits(self, part: int, *, tabled: bool) -> Iterable[Split]:
        """The splits of a part whose sides are both tabled, or the others, which need the search backward.

        Even splits come first, for which small tables will do. Those of the one large part are not kept: they
        are asked for once, and each of them as late as possible.
        """
        if not tabled and self._is_tabled(part):
            return ()
        if part == self.part:
            return self._chosen(part, tabled)
        found = self._splits.get((part, tabled))
        if found is None:
            found = self._splits[part, tabled] = list(self._chosen(part, tabled))
        return found

    def _chosen(self, part: int, tabled: bool) -> Iterator[Split]:
        near, far = self.reach.layout.even(part, self._tabled)
        for block, rest in near if tabled else far:
            yield self._split(block, rest)

    def _split(self, block: int, rest: int) -> Split:
        ours, theirs = self._table(block), self._table(rest)
        if len(ours.half) <= len(theirs.half):
            return Split(block, rest, ours, theirs.both, True, self.reach.p)
        return Split(block, rest, theirs, ours.both, False, self.reach.p)

    def _is_tabled(self, part: int) -> bool:
        return self.reach.layout.size(part) <= self._tabled

    def _table(self, part: int) -> Table:
        if self._is_tabled(part):
            return self.reach.table(part)
        if self._found is None:
            self._found = self.reach.found(self.part, self.value)
        return self._found.get(part, _NOTHING)


def open_splits(reach: Reach, part: int) -> Iterator[Split]:
    """The splits of a part that is too large to search backward in: every value of the larger side may do."""
    size = reach.layout.size
    for block, rest in reach.layout.blocks(part):
        few_is_block = size(block) <= size(rest)
        yield Split(
            block, rest, reach.table(block if few_is_block else rest), _EVERYTHING, few_is_block, reach.p
        )
