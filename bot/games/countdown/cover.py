"""Whether what is asked or shown gives a draw away, that is a way to points. Nothing here reads a clock.

*What is shown* gives it away if a part of it, made of tiles alone, makes the target or comes within `REACH`
of it by the rules of the game. A part is anything that stands together in it, and some terms of a row: with 2
among its numbers, `(25+50)*(7+1)+2-9*3` is one for 573, as the 2 can be left out. Whoever has the draw in
mind (`deep`) sees more:

- all numbers of a part scaled by one factor: `(50+100)*(14+2)…`, read with the tiles in their place;
- parts in the place of tiles that they are worth: `(5*5+50)*7` for 25, 50 and 7.

*A question* whose answer is not known yet gives the draw away if an answer would for sure: it asks for a
value within reach out of tiles alone. Who has the draw in mind also asks with other numbers beside all the
tiles, up to `BESIDE`, for what one step with each of these makes of a value within reach; without some of the
tiles, up to `LEFT_OUT`, for what one step with each of those makes one within reach; with what two or three
tiles make in the place of these, also in what is shown; or for all of it scaled.

Whatever is made of a line is found once for all draws: by which numbers stand in a part, since a draw's tiles
have 64 choices at most, and by these choices as they are when nothing divides them all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import gcd

import solver
from bot.games.countdown.rules import REACH, TILES

SHORT, LONG = 6, 12
"""Terms of a row up to which any of them may be left out; of a longer one all but `FEW` are, or `FEW` at
most, and of one that is longer still none."""
FEW = 2
SCALED = 3
"""Numbers of a part from which on it is no chance that they are tiles, scaled."""
BESIDE = 2
"""Numbers of a question beside all the tiles."""
LEFT_OUT = 2
"""Tiles that a question leaves out, which its answer may still need."""
JOINED = (2, 3)
"""Tiles that are put together into one number."""
KEPT_LISTS, KEPT_DRAWS = 64, 4096

Numbers = tuple[int, ...]
"""In ascending order."""


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A number, or terms that are added and taken away, or multiplied and divided by."""

    number: int = 0
    sums: bool = False
    terms: tuple[tuple[bool, Row], ...] = ()
    """Each with whether it is added (or multiplied)."""

    def leaves(self) -> Iterator[int]:
        """The numbers in it."""
        if not self.terms:
            yield self.number
        for _, term in self.terms:
            yield from term.leaves()

    def rows(self) -> Iterator[Row]:
        """All rows in it, itself last."""
        for _, term in self.terms:
            yield from term.rows()
        if self.terms:
            yield self


@dataclass(frozen=True, slots=True)
class Draw:
    """What a draw's tiles can be taken for."""

    target: int
    tiles: Numbers
    choices: frozenset[Numbers]
    """Some of the tiles, in each way."""
    scaled: frozenset[Numbers]
    """The same, divided by whatever divides them all."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What expressions are made of."""

    parts: Mapping[Numbers, Sequence[Row]]
    """By the numbers in them, where these may be a draw's tiles."""
    whole: Sequence[tuple[int, Row]]
    """The rows as they stand, with what they make."""


def tells(line_tiles: Sequence[int], target: int, shown: Sequence[str], *, deep: bool) -> bool:
    """Whether expressions show a way to points on the draw."""
    return _tells(_draw(tuple(line_tiles), target), _read(tuple(shown)), deep=deep)


def asks(line_tiles: Sequence[int], target: int, numbers: Sequence[int], goal: int, *, deep: bool) -> bool:
    """Whether an answer to the question for `goal` out of the numbers would show a way to points."""
    beside = Counter(numbers) - Counter(line_tiles)
    if not beside:
        left = tuple((Counter(line_tiles) - Counter(numbers)).elements()) if deep else ()
        ends = _after(Fraction(goal), left if len(left) <= LEFT_OUT else ())
        return any(abs(value - target) <= REACH for value in ends)
    if not deep:
        return False
    if not Counter(line_tiles) - Counter(numbers) and beside.total() <= BESIDE:
        return any(
            abs(value - target) <= REACH for value in _before(Fraction(goal), tuple(beside.elements()))
        )
    unused, more = Counter(line_tiles) - Counter(numbers), tuple(beside.elements())
    if len(more) <= BESIDE and _are_joined(unused, more, goal, target):
        return True
    factor = _factor(line_tiles, numbers)
    return factor is not None and abs(goal / factor - target) <= REACH


def _are_joined(left: Counter[int], beside: Numbers, goal: int, target: int) -> bool:
    """Whether each number beside the tiles is made of tiles that are left out, on the way to points.

    One step with a tile that is left even then may be what is still missing.
    """
    if not beside:
        spare = tuple(left.elements())
        ends = _after(Fraction(goal), spare if len(spare) == 1 else ())
        return any(abs(value - target) <= REACH for value in ends)
    some = {tiles for size in JOINED for tiles in combinations(sorted(left.elements()), size)}
    return any(
        beside[0] in _whole(tiles) and _are_joined(left - Counter(tiles), beside[1:], goal, target)
        for tiles in some
    )


@lru_cache(KEPT_DRAWS)
def _whole(tiles: Numbers) -> frozenset[int]:
    """What can be made of all of two or three tiles by the rules."""
    if len(tiles) == 1:
        return frozenset(tiles)
    parted = ((tile, tiles[:at] + tiles[at + 1 :]) for at, tile in enumerate(tiles))
    made = (
        v for tile, rest in parted for other in _whole(rest) for v in _steps(Fraction(tile), Fraction(other))
    )
    return frozenset(value.numerator for value in made if value.denominator == 1)


def _after(value: Fraction, left: Numbers) -> Iterator[Fraction]:
    """What may be made of a value by one step with each of these tiles, or with what two of them make."""
    yield value
    for n, by in enumerate(left):
        for after in _steps(value, Fraction(by)):
            yield from _after(after, left[:n] + left[n + 1 :])
    if len(left) == LEFT_OUT:
        for made in _steps(Fraction(left[0]), Fraction(left[1])):
            yield from _steps(value, made)


def _steps(one: Fraction, other: Fraction) -> Iterator[Fraction]:
    """What one operation makes of two numbers."""
    yield from (one + other, abs(one - other), one * other)
    yield from ([one / other] if other else [])
    yield from ([other / one] if one else [])


def _before(goal: Fraction, beside: Numbers) -> Iterator[Fraction]:
    """What may be made `goal` by one step with each of these numbers, or without it."""
    if not beside:
        yield goal
        return
    by, rest = beside[0], beside[1:]
    steps = [goal, goal - by, goal + by, by - goal, *([goal * by, goal / by] if by else [])]
    for value in (*steps, *([by / goal] if goal else [])):
        yield from _before(value, rest)


def _factor(tiles: Sequence[int], numbers: Sequence[int]) -> Fraction | None:
    """By what all the tiles are scaled to be these numbers; None where they are others."""
    if len(tiles) != len(numbers) or not sum(tiles):
        return None
    factor = Fraction(sum(numbers), sum(tiles))
    return factor if factor and sorted(numbers) == [tile * factor for tile in sorted(tiles)] else None


def _tells(draw: Draw, shown: Shown, *, deep: bool) -> bool:
    as_it_is = (rows for numbers, rows in shown.parts.items() if numbers in draw.choices)
    if any(_near(_made(row), draw) for rows in as_it_is for row in rows):
        return True
    return deep and (_tells_scaled(draw, shown) or _tells_hidden(draw, shown) or _tells_joined(draw, shown))


def _near(value: int | None, draw: Draw) -> bool:
    return value is not None and abs(value - draw.target) <= REACH


def _tells_scaled(draw: Draw, shown: Shown) -> bool:
    """Whether a part makes points once its numbers are scaled down to tiles."""
    for numbers, rows in shown.parts.items():
        if len(numbers) < SCALED or _lowest(numbers) not in draw.scaled:
            continue
        for choice in draw.choices:
            if len(choice) == len(numbers) and _lowest(choice) == _lowest(numbers):
                by = Fraction(choice[-1], numbers[-1])
                if any(_near(_made(row, by), draw) for row in rows):
                    return True
    return False


def _tells_hidden(draw: Draw, shown: Shown) -> bool:
    """Whether something that makes points is made of tiles and of parts that are worth tiles."""
    near = (row for value, row in shown.whole if abs(value - draw.target) <= REACH)
    return any(len(numbers) > 1 for row in near for numbers in _stands(row, draw))


def _tells_joined(draw: Draw, shown: Shown) -> bool:
    """Whether something makes points in which a number stands for tiles that make it."""
    near = (Counter(row.leaves()) for value, row in shown.whole if abs(value - draw.target) <= REACH)
    return any(_stand_for_tiles(numbers, draw) for numbers in near if numbers.total() < TILES)


def _stand_for_tiles(numbers: Counter[int], draw: Draw) -> bool:
    tiles = Counter(draw.tiles)
    beside = tuple((numbers - tiles).elements())
    return 0 < len(beside) <= BESIDE and _are_joined(tiles - numbers, beside, draw.target, draw.target)


def _stands(row: Row, draw: Draw) -> set[Numbers]:
    """The tiles that may stand in the terms of a row."""
    found: set[Numbers] = {()}
    for _, term in row.terms if len(row.terms) <= LONG else ():
        worth = _made(term)
        ways = _stands(term, draw) if term.terms else set()
        ways |= {(worth,)} if worth is not None else set()
        both = (tuple(sorted(some + more)) for some in found for more in ways)
        found = {numbers for numbers in both if numbers in draw.choices}
    return found


def _made(row: Row, by: Fraction | int = 1) -> int | None:
    """What a row makes, each of its numbers times `by`; None where that breaks the rules on the way.

    A sum that is less than nothing is taken for the other way round.
    """
    value = _value(row, by)
    return None if value is None else abs(value)


def _value(row: Row, by: Fraction | int) -> int | None:
    if not row.terms:
        scaled = row.number * by
        return scaled.numerator if scaled.denominator == 1 else None
    above, below = (0, 0) if row.sums else (1, 1)
    for kept, term in row.terms:
        value = _value(term, by)
        if value is None or value < 0:
            return None
        if row.sums:
            above += value if kept else -value
        elif kept:
            above *= value
        else:
            below *= value
    if row.sums:
        return above
    return above // below if below and above % below == 0 else None


@lru_cache(KEPT_DRAWS)
def _draw(tiles: Numbers, target: int) -> Draw:
    ordered = tuple(sorted(tiles[:TILES]))
    choices = frozenset(some for size in range(1, len(ordered) + 1) for some in combinations(ordered, size))
    return Draw(target, ordered, choices, frozenset(map(_lowest, choices)))


def _lowest(numbers: Numbers) -> Numbers:
    """The numbers divided by whatever divides them all."""
    common = gcd(*numbers) or 1
    return tuple(number // common for number in numbers)


@lru_cache(KEPT_LISTS)
def _read(shown: tuple[str, ...]) -> Shown:
    parts: dict[Numbers, list[Row]] = defaultdict(list)
    whole: list[tuple[int, Row]] = []
    for row in (inner for text in shown for inner in _rows(text)):
        made = _made(row)
        whole += [(made, row)] if made is not None else []
        for part in _some(row):
            numbers = tuple(sorted(part.leaves()))
            if len(numbers) <= TILES:
                parts[numbers].append(part)
    return Shown(parts, whole)


def _rows(text: str) -> Iterator[Row]:
    try:
        yield from solver.parse(text).fold(Row, _joined).rows()
    except solver.ExpressionError:
        return


def _joined(op: str, left: Row, right: Row) -> Row:
    """Two rows as one: `a-(b-c)` is the row a, c without b."""
    sums, plain = op in "+-", op in "+*"
    first = left.terms if left.terms and left.sums is sums else ((True, left),)
    second = right.terms if right.terms and right.sums is sums else ((True, right),)
    return Row(sums=sums, terms=(*first, *((kept is plain, term) for kept, term in second)))


def _some(row: Row) -> Iterator[Row]:
    """The row with all or some of its terms."""
    count = len(row.terms)
    sizes = range(2, count) if count <= SHORT else {*range(2, FEW + 1), *range(count - FEW, count)}
    yield row
    for size in sizes if count <= LONG else ():
        yield from (Row(sums=row.sums, terms=terms) for terms in combinations(row.terms, size))
