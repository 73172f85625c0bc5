"""`solve` and `ideas`: every solution of a hand, one for each form or idea.

`Reach` tells which values matter; here they are spelled out. A sum is taken apart at the block that holds the
lowest number and is no sum itself; a product likewise; so each form comes up once, in whatever order. Only
equal numbers and parts worth 0 or 1 can bring a form up again, and those are told by their key.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

from solver.equivalence import idea
from solver.expression import Expression
from solver.reach import BATCHED, KEPT_PAIRS, Reach
from solver.scope import Scope, open_splits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from solver.equivalence import Idea, Node, Parts
    from solver.expression import Op
    from solver.reach import Log
    from solver.scope import Split

SORTED, REMEMBERED = 6, 5
"""Up to so many numbers all solutions are given plainest first, and the ways to write a part are kept."""
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


def families(numbers: Sequence[int], target: int = 24) -> list[Family]:
    """Every idea with the number of forms behind it, in the order of `ideas`. ValueError as in `solve`."""
    first: dict[Idea, Expression] = {}
    forms: dict[Idea, int] = {}
    for expression in solve(numbers, target):
        key = idea(expression)
        first.setdefault(key, expression)
        forms[key] = forms.get(key, 0) + 1
    return [Family(expression, forms[key]) for key, expression in first.items()]


class Family:
    """The solutions that are one idea."""

    __slots__ = ("expression", "forms")

    def __init__(self, expression: Expression, forms: int) -> None:
        self.expression = expression
        """The plainest of them."""
        self.forms = forms
        """How many forms there are."""


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


@lru_cache(KEPT_PAIRS)
def ways_of_two(one: int, other: int, p: int) -> dict[int, list[_Way]]:
    """Every way to write a part that is two numbers, by its value: of the two signs the one up to p/2."""
    first, second = _Number(one), _Number(other)
    found: dict[int, list[_Way]] = {}
    for way in _unique([*_sums(first, second, None, p), *_products(first, second, None, p)]):
        found.setdefault(min(way.residue, p - way.residue), []).append(way)
    return found


class _Search:
    """The search for all solutions of one hand."""

    def __init__(self, numbers: Sequence[int], target: int, log: Callable[[str], None] | None) -> None:
        self.target = target
        self.reach = Reach(numbers, target, self._teller(log) if log else None)
        self.layout = self.reach.layout
        self.p = self.reach.p
        self.numbers = [_Number(number) for number in self.reach.numbers]
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
        """The solutions. What is made is equal to the target modulo p; here it is held against the target."""
        return (
            way.node
            for way in self.make(self.layout.whole, self.reach.target)
            if way.numerator == self.target * way.denominator
        )

    def make(self, part: int, value: int | None, scope: Scope | None = None) -> Iterable[_Way]:
        """Every way to make the value (or its negative) from the part, each form once; any value for None."""
        symbols = self.layout.symbols(part)
        if len(symbols) == 1:
            number = self.numbers[symbols[0]]
            return (
                (number,) if value is None or value in (number.numerator, self.p - number.numerator) else ()
            )
        if value is None or len(symbols) > BATCHED:
            return self._fresh(part, value, None)
        if len(symbols) == 2:
            one, other = (self.reach.numbers[symbol] for symbol in symbols)
            return ways_of_two(one, other, self.p).get(min(value, self.p - value), ())
        scope = scope or Scope(self.reach, part, value)
        if len(symbols) > REMEMBERED:
            return self._fresh(part, value, scope)
        found = self._ways.get((part, value))
        if found is None:
            if len(self._ways) > KEPT:
                self._ways.clear()
            found = self._ways[part, value] = list(self._fresh(part, value, scope))
        return found

    def _fresh(self, part: int, value: int | None, scope: Scope | None) -> Iterator[_Way]:
        ways = self._all_ways(part) if value is None else self._spelled(part, value, scope)
        symbols = self.layout.symbols(part)
        return ways if value and len(set(symbols)) == len(symbols) else _unique(ways)

    def _all_ways(self, part: int) -> Iterator[_Way]:
        """Every way to write the part, whatever it is worth."""
        for block, rest in self.layout.blocks(part):
            for first in self.make(block, None):
                for second in self.make(rest, None):
                    yield from _sums(first, second, None, self.p)
                    yield from _products(first, second, None, self.p)

    def _spelled(self, part: int, value: int, scope: Scope | None) -> Iterator[_Way]:
        """The ways to make the value; those that need no search backward first."""
        over = _over(value, self.p)
        for tabled in (True, False):
            for split in scope.splits(part, tabled=tabled) if scope else open_splits(self.reach, part):
                helpful = split.helpful(value, over)
                if value and not helpful:
                    continue
                for x, y in split.addends(value, helpful):
                    for first, second in self._couples(split, x, y, scope):
                        yield from _sums(first, second, value, self.p)
                for x, y in split.factors(value, over, helpful):
                    for first, second in self._couples(split, x, y, scope):
                        yield from _products(first, second, value, self.p)
            if not scope:
                break

    def _couples(
        self, split: Split, x: int | None, y: int | None, scope: Scope | None
    ) -> Iterator[tuple[_Way, _Way]]:
        """Every way to make x from the block with every way to make y from the rest; the larger streams."""
        if self.layout.size(split.block) > self.layout.size(split.rest):
            seconds = list(self.make(split.rest, y, scope))
            return ((first, second) for first in self.make(split.block, x, scope) for second in seconds)
        firsts = list(self.make(split.block, x, scope))
        return ((first, second) for second in self.make(split.rest, y, scope) for first in firsts)


def _sums(first: _Way, second: _Way, value: int | None, p: int) -> Iterator[_Way]:
    """first + second, and first - second or its negative, where they are worth the value."""
    if first.op == "+":
        return
    these, those, free = second.terms()
    mine, _, nothing = first.terms()
    a = first.numerator * second.denominator
    b = second.numerator * first.denominator
    over = first.denominator * second.denominator
    residue = first.residue + second.residue
    if _is(residue, value, p):
        yield _sum((mine + these, those, nothing + free), a + b, over, residue % p)
    if not a or not (b or second.op == "+"):
        return
    residue = first.residue - second.residue
    if _is(residue, value, p):
        if a < b:
            yield _sum((these, mine + those, nothing + free), b - a, over, -residue % p)
        else:
            yield _sum((mine + those, these, nothing + free), a - b, over, residue % p)


def _products(first: _Way, second: _Way, value: int | None, p: int) -> Iterator[_Way]:
    """first * second, first / second and second / first, where they are worth the value."""
    if first.op == "*":
        return
    these, those, free = second.factors()
    mine, _, one = first.factors()
    a, b, c, d = first.numerator, first.denominator, second.numerator, second.denominator
    if not a or not c:
        if not value:
            yield _Way("*", ((), (), mine + one + these + those + free), (0, 1, 0))
        return
    x, y = first.residue, second.residue
    if _is(x * y, value, p):
        yield _Way("*", (mine + these, those, one + free), (a * c, b * d, x * y % p))
    if not one and _is_over(y, x, value, p):
        yield _Way("*", (these, mine + those, free), (b * c, a * d, y * _over(x, p) % p))
    # A rest that is a quotient, or has a part worth 1 to put on top, comes the other way round by itself.
    if these and not (those or free) and _is_over(x, y, value, p):
        yield _Way("*", (mine, these, one + free), (a * d, b * c, x * _over(y, p) % p))


def _over(residue: int, p: int) -> int:
    """1/residue modulo p; 0 for 0, which may stand for a number that is too large for any solution."""
    return pow(residue, -1, p) if residue else 0


def _is(residue: int, value: int | None, p: int) -> bool:
    return value is None or residue % p in (value, p - value) or not (residue % p or value)


def _is_over(above: int, below: int, value: int | None, p: int) -> bool:
    return value is None or _is(above, value * below % p, p)


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
