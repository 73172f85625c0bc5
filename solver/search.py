"""`solve` and `ideas`: every solution of a hand, one for each form or idea.

`Reach` tells which values matter; here they are spelled out. A sum is taken apart at the block that holds the
lowest number and is no sum itself; a product likewise; so each form comes up once, whatever the order and the
grouping. Only equal numbers and parts worth 0 or 1 can bring a form up again, and those are told by their
key.
"""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import islice

from solver.equivalence import idea
from solver.expression import Expression
from solver.reach import BATCHED, TABLED, Reach, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from solver.equivalence import Idea, Node, Parts
    from solver.expression import Op
    from solver.reach import Log

    _Couple = tuple[int | None, int | None]
    """A value of the block and a value of the rest; None stands for all."""

SORTED = 6
"""Up to so many numbers all solutions are found before the first is given, and given plainest first."""
REMEMBERED = 4
"""The ways to write a part of up to so many numbers are kept; those of larger parts are found again."""
KEPT = 100_000
"""For how many parts and values the ways are kept before all are dropped."""


def solve(numbers: Sequence[int], target: int = 24, *, limit: int | None = None) -> Iterator[Expression]:
    """Every solution that uses each of the numbers once, one for each form, at most `limit`.

    Lazily, in an order that is the same for every order of the numbers: plainest first up to six numbers,
    beyond that as they are found. ValueError unless there is a number, and numbers, target and limit are
    whole and not negative.
    """
    return search(numbers, target, limit)


def ideas(numbers: Sequence[int], target: int = 24, *, limit: int | None = None) -> Iterator[Expression]:
    """The plainest solution for each idea, plainest first, at most `limit`.

    Beyond six numbers, the first solution that comes up for each idea, as they are found. ValueError as in
    `solve`.
    """
    return search_ideas(numbers, target, limit)


def search_ideas(
    numbers: Sequence[int], target: int, limit: int | None = None, log: Callable[[str], None] | None = None
) -> Iterator[Expression]:
    """As `ideas`; `log` is told of every step of the search backward from the target."""
    _whole(limit or 0)
    found: dict[Idea, None] = {}

    def new(expression: Expression) -> bool:
        key = idea(expression)
        return key not in found and found.setdefault(key) is None

    return islice(filter(new, search(numbers, target, None, log)), limit)


def search(
    numbers: Sequence[int], target: int, limit: int | None = None, log: Callable[[str], None] | None = None
) -> Iterator[Expression]:
    """As `solve`; `log` is told of every step of the search backward from the target."""
    for number in (*numbers, target, limit or 0):
        _whole(number)
    if not numbers:
        raise ValueError("a hand needs a number")
    found = map(_write, _Search(numbers, target, log).solutions())
    return islice(_sorted(found) if len(numbers) <= SORTED else found, limit)


def _sorted(found: Iterable[Expression]) -> Iterator[Expression]:
    yield from sorted(found, key=plainness)


def _whole(number: int) -> None:
    if type(number) is not int or number < 0:
        raise ValueError(f"a whole number that is not negative is wanted, not {number!r}")


def plainness(expression: Expression) -> tuple[int, int, int, str]:
    """What sorts plain solutions first: few divisions, subtractions and brackets, then short ones."""
    text = str(expression)
    return 2 * text.count("/") + text.count("-") + 2 * text.count("("), text.count("*"), len(text), text


class _Way:
    """One way to write a part: a number, or a sum or product laid flat, with its value.

    The value is never negative: numerator/denominator exactly, and as a residue modulo p.
    """

    __slots__ = ("denominator", "free", "node", "numerator", "op", "residue", "these", "those")

    def __init__(self, op: str, parts: tuple[Parts, Parts, Parts], value: tuple[int, int, int]) -> None:
        these, those, free = map(tuple, map(sorted, parts))
        self.op = op
        self.these: Parts = these
        self.those: Parts = those
        self.free: Parts = free
        self.numerator, self.denominator, self.residue = value
        self.node: Node = (op, these, those, free)
        """The canonical part; see `equivalence.Node`."""

    def terms(self) -> tuple[Parts, Parts, Parts]:
        """What is added, what is subtracted, and what is worth 0."""
        if self.op == "+":
            return self.these, self.those, self.free
        return ((self.node,), (), ()) if self.numerator else ((), (), (self.node,))

    def factors(self) -> tuple[Parts, Parts, Parts]:
        """What multiplies, what divides, and what is worth 1."""
        if self.op == "*":
            return self.these, self.those, self.free
        return ((), (), (self.node,)) if self.numerator == self.denominator else ((self.node,), (), ())


class _Number(_Way):
    """A number: the way to write it."""

    __slots__ = ()

    def __init__(self, number: int) -> None:
        self.op = ""
        self.numerator = self.residue = number
        self.denominator = 1
        self.node = "", number


_NOTHING = Table((), 2)


class _Scope:
    """The values that matter below one large part: of smaller parts all, of others those found to be made."""

    def __init__(self, reach: Reach, part: int, value: int) -> None:
        self.reach = reach
        self.part = part
        self.value = value
        self.tabled = TABLED[reach.layout.size(part)]
        self._found: dict[int, Table] | None = None

    def is_tabled(self, part: int) -> bool:
        return self.reach.layout.size(part) <= self.tabled

    def table(self, part: int) -> Table:
        if self.is_tabled(part):
            return self.reach.table(part)
        if self._found is None:
            self._found = self.reach.found(self.part, self.value)
        return self._found.get(part, _NOTHING)


class _Search:
    """The search for all solutions of one hand."""

    def __init__(self, numbers: Sequence[int], target: int, log: Callable[[str], None] | None) -> None:
        self.reach = Reach(numbers, target, self._teller(log) if log else None)
        self.layout = self.reach.layout
        self.p = self.reach.p
        self.over = lru_cache(maxsize=KEPT)(partial(pow, exp=-1, mod=self.p))
        self._ways: dict[tuple[int, int], list[_Way]] = {}

    def _teller(self, log: Callable[[str], None]) -> Log:
        def tell(part: int, value: int, made: bool) -> None:
            numerator, denominator = self.reach.fraction(value)
            asked = f"{numerator}/{denominator}" if denominator > 1 else f"{numerator}"
            log(f"make {asked} from {self._hand(part)}: {'hit' if made else 'dead end'}")

        return tell

    def _hand(self, part: int) -> str:
        return " ".join(str(self.reach.numbers[symbol]) for symbol in self.layout.symbols(part))

    def solutions(self) -> Iterator[Node]:
        return (way.node for way in self.make(self.layout.whole, self.reach.target, None))

    def make(self, part: int, value: int | None, scope: _Scope | None = None) -> Iterable[_Way]:
        """Every way to make the value (or its negative) from the part, each form once; any value for None."""
        symbols = self.layout.symbols(part)
        if len(symbols) == 1:
            number = self.reach.numbers[symbols[0]]
            return [_Number(number)] if value in (None, number, self.p - number) else []
        if value is None or len(symbols) > BATCHED:
            return self._fresh(part, value, None)
        scope = scope or _Scope(self.reach, part, value)
        if len(symbols) > REMEMBERED:
            return self._fresh(part, value, scope)
        found = self._ways.get((part, value))
        if found is None:
            if len(self._ways) > KEPT:
                self._ways.clear()
            found = self._ways[part, value] = list(self._fresh(part, value, scope))
        return found

    def _fresh(self, part: int, value: int | None, scope: _Scope | None) -> Iterator[_Way]:
        ways = self._spelled(part, value, scope)
        symbols = self.layout.symbols(part)
        return ways if value and len(set(symbols)) == len(symbols) else _unique(ways)

    def _spelled(self, part: int, value: int | None, scope: _Scope | None) -> Iterator[_Way]:
        """The ways to make the value, by the block that holds the lowest number.

        What needs no search backward comes first.
        """
        later = []
        for block, rest in self.layout.blocks(part):
            if scope is None or (scope.is_tabled(block) and scope.is_tabled(rest)):
                yield from self._joined(block, rest, value, scope)
            else:
                later.append((block, rest))
        for block, rest in later:
            yield from self._joined(block, rest, value, scope)

    def _joined(self, block: int, rest: int, value: int | None, scope: _Scope | None) -> Iterator[_Way]:
        """Every sum and product of the block and the rest that has the value."""
        for x, y in self._addends(block, rest, value, scope):
            for first, second in self._couples(block, x, rest, y, scope):
                if first.op != "+":
                    yield from self._sums(first, second, value)
        for x, y in self._factors(block, rest, value, scope):
            for first, second in self._couples(block, x, rest, y, scope):
                if first.op != "*":
                    yield from self._products(first, second, value)

    def _couples(
        self, block: int, x: int | None, rest: int, y: int | None, scope: _Scope | None
    ) -> Iterator[tuple[_Way, _Way]]:
        """Every way to make x from the block with every way to make y from the rest; the larger streams."""
        if self.layout.size(block) > self.layout.size(rest):
            seconds = list(self.make(rest, y, scope))
            return ((first, second) for first in self.make(block, x, scope) for second in seconds)
        firsts = list(self.make(block, x, scope))
        if not firsts:
            return iter(())
        return ((first, second) for second in self.make(rest, y, scope) for first in firsts)

    def _addends(self, block: int, rest: int, value: int | None, scope: _Scope | None) -> Iterator[_Couple]:
        """The values of block and rest whose sum or difference is the value."""
        if value is None:
            yield None, None
            return
        few, table, both = self._sides(block, rest, scope)
        found = [x for x in table.half if both is None or x + value in both or abs(x - value) in both]
        for x in found:
            for y in {abs(x - value): 0, self._half(x + value): 0}:
                if both is None or y in both:
                    yield (x, y) if few == block else (y, x)

    def _factors(self, block: int, rest: int, value: int | None, scope: _Scope | None) -> Iterator[_Couple]:
        """The values of block and rest whose product or quotient is the value."""
        if not value:
            yield from [(None, None)] if value is None else [(0, None), (None, 0)]
            return
        p, over = self.p, self.over(value)
        few, table, both = self._sides(block, rest, scope)
        found = [
            (x, inverse)
            for x, inverse in zip(table.half, table.inverses, strict=True)
            if x
            and (both is None or inverse * value % p in both or x * over % p in both or x * value % p in both)
        ]
        for x, inverse in found:
            for y in dict.fromkeys(map(self._half, (inverse * value % p, x * over % p, x * value % p))):
                if both is None or y in both:
                    yield (x, y) if few == block else (y, x)

    def _half(self, value: int) -> int:
        return value if value <= self.reach.middle else self.p - value

    def _sides(self, block: int, rest: int, scope: _Scope | None) -> tuple[int, Table, set[int] | None]:
        """The side with fewer values, its table, and the values of the other, None if they are not known."""
        if scope is None:
            few = block if self.layout.size(block) < self.layout.size(rest) else rest
            return few, self.reach.table(few), None
        ours, theirs = scope.table(block), scope.table(rest)
        return (block, ours, theirs.both) if len(ours.half) <= len(theirs.half) else (rest, theirs, ours.both)

    def _sums(self, first: _Way, second: _Way, value: int | None) -> Iterator[_Way]:
        """first + second, and first - second or its negative, where they are worth the value."""
        these, those, free = second.terms()
        mine, _, nothing = first.terms()
        a = first.numerator * second.denominator
        b = second.numerator * first.denominator
        over = first.denominator * second.denominator
        residue = first.residue + second.residue
        if self._is(residue, value):
            yield _sum((mine + these, those, nothing + free), a + b, over, residue % self.p)
        if not a or not (b or second.op == "+"):
            return
        residue = first.residue - second.residue
        if self._is(residue, value):
            if a < b:
                yield _sum((these, mine + those, nothing + free), b - a, over, -residue % self.p)
            else:
                yield _sum((mine + those, these, nothing + free), a - b, over, residue % self.p)

    def _products(self, first: _Way, second: _Way, value: int | None) -> Iterator[_Way]:
        """first * second, first / second and second / first, where they are worth the value."""
        these, those, free = second.factors()
        mine, _, one = first.factors()
        a, b, c, d = first.numerator, first.denominator, second.numerator, second.denominator
        if not a or not c:
            if not value:
                yield _Way("*", ((), (), mine + one + these + those + free), (0, 1, 0))
            return
        x, y, p = first.residue, second.residue, self.p
        if self._is(x * y, value):
            yield _Way("*", (mine + these, those, one + free), (a * c, b * d, x * y % p))
        if not one and self._is_over(y, x, value):
            yield _Way("*", (these, mine + those, free), (b * c, a * d, y * pow(x, -1, p) % p))
        # A rest that is a quotient, or has a part worth 1 to put on top, comes the other way round by itself.
        if these and not (those or free) and self._is_over(x, y, value):
            yield _Way("*", (mine, these, one + free), (a * d, b * c, x * pow(y, -1, p) % p))

    def _is(self, residue: int, value: int | None) -> bool:
        return value is None or residue % self.p in (value, self.p - value) or not (residue % self.p or value)

    def _is_over(self, above: int, below: int, value: int | None) -> bool:
        return value is None or self._is(above, value * below % self.p)


def _sum(parts: tuple[Parts, Parts, Parts], numerator: int, denominator: int, residue: int) -> _Way:
    """The sum; one that is worth 0 has no sign, so the lesser of its two readings stands for it."""
    these, those, free = parts
    if not numerator and sorted(those) < sorted(these):
        these, those = those, these
    return _Way("+", (these, those, free), (numerator, denominator, residue))


def _unique(ways: Iterable[_Way]) -> Iterator[_Way]:
    """The ways without those that came before."""
    seen: set[Node] = set()
    for way in ways:
        if way.node not in seen:
            seen.add(way.node)
            yield way


def _write(node: Node) -> Expression:
    """The canonical part as an expression, added before subtracted, multiplied before divided."""
    if not node[0]:
        return Expression.leaf(node[1])
    op: Op = node[0]
    undo: Op = "-" if op == "+" else "/"
    these, those, free = node[1:]
    first, *others = sorted(these + free)
    whole = _write(first)
    for part in others:
        whole = Expression.join(op, whole, _write(part))
    for part in those:
        whole = Expression.join(undo, whole, _write(part))
    return whole
