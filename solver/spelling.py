"""The search for all ways to write a hand that are worth its target.

`Reach` and `Scope` tell which values of which parts may come together; here the ways to write those parts are
put together. Only equal numbers and parts worth 0 can bring a form up again.
"""

from __future__ import annotations

from functools import lru_cache

from solver.reach import BATCHED, FIRST, Reach
from solver.scope import Scope, open_rows
from solver.tables import KEPT_PAIRS
from solver.ways import Written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeVar

    from solver.equivalence import Node
    from solver.reach import Log
    from solver.scope import Couple, Rows
    from solver.ways import Flat, Ways

    Kind = TypeVar("Kind", bound=Ways)

REMEMBERED = 6  # For parts of up to so many numbers the ways to write them are kept …
KEPT = 400_000  # … until there are so many, about 200 bytes each: then all are dropped


def whole(number: int) -> None:
    """ValueError unless the number is whole and not negative."""
    if type(number) is not int or number < 0:
        raise ValueError(f"a whole number that is not negative is wanted, not {number!r}")


class Spelling:
    """The search of one hand; of which kind its ways are is for a search to say.

    ValueError unless there is a number, and numbers and target are whole and not negative.
    """

    kind: type[Ways]

    def __init__(self, numbers: Sequence[int], target: int, log: Callable[[str], None] | None = None) -> None:
        for number in (*numbers, target):
            whole(number)
        if not numbers:
            raise ValueError("a hand needs a number")
        self.target = target
        self.reach = Reach(numbers, target, self._teller(log) if log else None)
        self.layout = self.reach.layout
        self.p = self.reach.p
        self.batched = BATCHED if len(numbers) <= BATCHED else FIRST
        self.numbers = [self.kind.number(number) for number in self.reach.numbers]
        self._known: dict[str, dict[tuple[int, int | None], list[Ways]]] = {"+": {}, "*": {}, "": {}}
        self._kept = 0

    def _teller(self, log: Callable[[str], None]) -> Log:
        def tell(part: int, value: int, made: bool) -> None:
            numerator, denominator = self.reach.fraction(value)
            asked = f"{numerator}/{denominator}" if denominator > 1 else f"{numerator}"
            log(f"make {asked} from {self._hand(part)}: {'hit' if made else 'dead end'}")

        return tell

    def _hand(self, part: int) -> str:
        return " ".join(str(self.reach.numbers[symbol]) for symbol in self.layout.symbols(part))

    def solutions(self) -> Iterator[Ways]:
        """The solutions. What is made is equal to the target modulo p; here it is held against the target."""
        for ways in self.make(self.layout.whole, self.reach.target, None):
            if ways.numerator == self.target * ways.denominator:
                yield ways

    def make(self, part: int, value: int | None, scope: Scope | None, inside: str = "") -> Iterable[Ways]:
        """Every way to make the value (or its negative) from the part, each form once; any value for None.

        Only numbers and products where it is to stand inside a sum, only numbers and sums inside a product.
        """
        found = self._known[inside].get((part, value))
        return self.made(part, value, scope, inside) if found is None else found

    def made(self, part: int, value: int | None, scope: Scope | None, inside: str) -> Iterable[Ways]:
        """As `make`, where nothing is remembered."""
        symbols = self.layout.symbols(part)
        if len(symbols) == 1:
            number = self.numbers[symbols[0]]
            alone: list[Ways] = (
                [number] if value in (None, number.numerator, self.p - number.numerator) else []
            )
            self._known[inside][part, value] = alone
            return alone
        if value is None:
            return _unlike(self._all_ways(part, inside))
        if len(symbols) > self.batched:
            splits = open_rows(self.reach, part)
        else:
            scope = scope or Scope(self.reach, part, value)
            if len(symbols) <= REMEMBERED and part != scope.part:
                return self._remembered(part, value, scope, inside)
            splits = scope.rows_by_split(part)
        found = self._spelled(splits, value, scope, inside)
        return _unlike(found) if self.again(part, value) else found

    def _remembered(self, part: int, value: int, scope: Scope, inside: str) -> list[Ways]:
        if inside:
            put_together = self.products if inside == "+" else self.sums
            found = _merged(put_together(scope.rows(part), value, scope), again=self.again(part, value))
            self._kept += sum(map(len, found))
        else:
            found = [*self.make(part, value, scope, "*"), *self.make(part, value, scope, "+")]
        if self._kept > KEPT:
            self._kept = 0
            for known in self._known.values():
                known.clear()
        self._known[inside][part, value] = found
        return found

    def again(self, part: int, value: int | None) -> bool:
        """Whether a form may come up again: in a part worth 0, and where two blocks may be the first."""
        symbols = self.layout.symbols(part)
        return not value or symbols[0] == symbols[1]

    def _all_ways(self, part: int, inside: str) -> Iterator[Ways]:
        """Every way to write the part, whatever it is worth."""
        for block, rest in self.layout.blocks(part):
            for second in self.make(rest, None, None):
                if inside != "+":
                    for first in self.make(block, None, None, "+"):
                        yield from first.sums(second, None, self.p)
                if inside != "*":
                    for first in self.make(block, None, None, "*"):
                        yield from first.products(second, None, self.p)

    def _spelled(
        self, splits: Iterator[Rows], value: int, scope: Scope | None, inside: str
    ) -> Iterator[Ways]:
        """The ways to make the value, split by split."""
        for rows in splits:
            if inside != "+":
                yield from self.sums(rows, value, scope)
            if inside != "*":
                yield from self.products(rows, value, scope)

    def sums(self, rows: Rows, value: int, scope: Scope | None) -> Iterator[Ways]:
        """The sums that are worth the value."""
        for couple in rows.sums(value):
            for first, second in self._couples(couple, scope, "+"):
                yield from first.sums(second, value, self.p)

    def products(self, rows: Rows, value: int, scope: Scope | None) -> Iterator[Ways]:
        """The products that are worth the value."""
        for couple in rows.products(value):
            for first, second in self._couples(couple, scope, "*"):
                yield from first.products(second, value, self.p)

    def _couples(self, couple: Couple, scope: Scope | None, inside: str) -> Iterable[tuple[Ways, Ways]]:
        """Every way to make the block's value with every way to make that of the rest; the larger streams."""
        block, x, rest, y = couple
        if self.layout.size(block) > self.layout.size(rest):
            seconds = list(self.make(rest, y, scope))
            return ((first, second) for first in self.make(block, x, scope, inside) for second in seconds)
        firsts = list(self.make(block, x, scope, inside))
        return ((first, second) for second in self.make(rest, y, scope) for first in firsts)


def _merged(found: Iterable[Kind], *, again: bool) -> list[Kind]:
    """The ways, those that are alike together; `again` if a way may come up again."""
    alike: dict[tuple[str, int, int], list[Kind]] = {}
    for ways in found:
        alike.setdefault((ways.op, ways.numerator, ways.denominator), []).append(ways)
    for first, *others in alike.values():
        if others or again:
            first.merge(others, again=again)
    return [first for first, *_ in alike.values()]


def _unlike(found: Iterable[Ways]) -> Iterator[Ways]:
    """The ways without those that came before."""
    seen: dict[str, set[Flat]] = {"+": set(), "*": set()}
    return (ways.without(seen) for ways in found)


class Listing(Spelling):
    """The search that lists all solutions."""

    kind = Written

    def made(self, part: int, value: int | None, scope: Scope | None, inside: str) -> Iterable[Ways]:
        symbols = self.layout.symbols(part)
        if len(symbols) != 2 or value is None or part == self.layout.whole:
            return super().made(part, value, scope, inside)
        one, other = (self.reach.numbers[symbol] for symbol in symbols)
        found: list[Ways] = [*_ways_of_two(one, other, self.p).get((inside, value), ())]
        self._known[inside][part, value] = found
        return found

    def nodes(self) -> Iterator[Node]:
        """The solutions as canonical parts."""
        first = next(self._hasty(), None) if self.layout.size(self.layout.whole) == BATCHED else None
        if first is not None:
            yield first
        for ways in self.solutions():
            if isinstance(ways, Written):
                yield from (node for node in ways.nodes if node != first) if first else ways.nodes

    def _hasty(self) -> Iterator[Node]:
        """Solutions of nine numbers that need no table of five, which takes 10 ms: one beside two fours."""
        rows = next(open_rows(self.reach, self.layout.whole))
        rest = self.layout.whole - 1
        scope = Scope(self.reach, rest, 0, near=True)
        for ways in self._spelled(iter([rows]), self.reach.target, scope, ""):
            if isinstance(ways, Written) and ways.numerator == self.target * ways.denominator:
                yield from ways.nodes


@lru_cache(KEPT_PAIRS)
def _ways_of_two(one: int, other: int, p: int) -> dict[tuple[str, int], list[Written]]:
    """Every way to write a part that is two numbers, by what it stands inside and what it is worth.

    Kept because hands of cards share so many pairs.
    """
    first, second = Written.number(one), Written.number(other)
    found: dict[tuple[str, int], list[Written]] = {}
    for ways in _merged([*first.sums(second, None, p), *first.products(second, None, p)], again=one == other):
        residue = ways.numerator * pow(ways.denominator, -1, p) % p
        for inside in ("", "*" if ways.op == "+" else "+"):
            found.setdefault((inside, min(residue, p - residue)), []).append(ways)
    return found
