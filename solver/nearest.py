"""Integer games with a target: how near a draw of tiles comes to it.

Every number on the way is whole. Two tiles, or what was made of them, may be added, multiplied, subtracted
(the smaller from the larger) and divided where nothing is left over; a division is judged by the two numbers
that it really divides. The rules say whether a result may be 0, whether every tile has to be used, and
whether the target may be overshot. A single tile always stands for itself.

What up to four tiles can make is written out in full. More tiles meet in the middle: with y on one side, the
target t is made if the other side makes t-y, t+y, y-t, t*y, t/y or y/t. Only when neither the target nor a
neighbour can be made, everything is written out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations, groupby, product
from math import prod

from solver.expression import Expression
from solver.names import MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Protocol, TypeAlias

    from solver.expression import Op

    Split: TypeAlias = tuple[int, int]
    """A hand in two parts, the larger first. Hands are bits: 1 is the lowest tile."""
    Step: TypeAlias = tuple[Op, int, int, int, int]
    """A last operation: the sign, the hand and the value before it, the hand and the value behind it."""

    class Values(Protocol):
        def __contains__(self, value: object, /) -> bool: ...


__all__ = [
    *("CLASSIC", "COUNTDOWN", "Nearest", "OutOfReachError", "Rules"),
    *("classic_answers", "every_value", "nearest", "read_draws", "whole_number", "whole_numbers"),
]

_CLASSIC_TILES = 6
_IN_FULL = 4  # Hands of up to so many tiles are written out in full; larger ones meet in the middle
_KEPT = 8  # The splits of hands of up to so many tiles are kept from one draw to the next
_NEIGHBOURS = 4  # So far from the target it is cheaper to ask for single values than to write everything out


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of an integer game."""

    every_tile: bool  # Whether each tile has to be used; otherwise any of them may be left out
    zero: bool  # Whether an operation may result in 0
    above: bool  # Whether the result may be above the target


# Any of the tiles, positive results, nearest on either side.
COUNTDOWN = Rules(every_tile=False, zero=False, above=True)
# Every tile, 0 allowed, the largest value that is not above the target.
CLASSIC = Rules(every_tile=True, zero=True, above=False)


@dataclass(frozen=True, slots=True)
class Nearest:
    expression: Expression
    value: int  # What the expression is worth
    distance: int  # How far that is from the target, 0 or more


class OutOfReachError(ValueError):
    """Every result is above a target that must not be overshot."""


def nearest(numbers: Iterable[int], target: int, rules: Rules = COUNTDOWN) -> Nearest:
    """The best result for a target; of equally near ones the one with fewest operations, then the smaller.

    The answer is the same for every order of the numbers. Numbers and target are whole and not negative, else
    `ValueError`. `OutOfReachError`, one of its kind, is for rules that leave no result at all.
    """
    draw = _Draw(whole_numbers(numbers), rules)
    goal = whole_number(target, "the target")
    tiles, value = _best(draw, goal)
    return Nearest(draw.expression(tiles, value), value, abs(goal - value))


def every_value(tiles: Iterable[int]) -> frozenset[int]:
    """All that some of these tiles can make under the rules COUNTDOWN. ValueError as in `nearest`."""
    draw = _Draw(whole_numbers(tiles), COUNTDOWN)
    return frozenset().union(*map(draw.values, draw.hands()))


def read_draws(lines: Iterable[str]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Draws in the classic file form, lazily: six numbers and a target on each line. Blank ones are skipped,
    and so is a byte-order mark.

    `ValueError` names a line that holds anything else.
    """
    for number, line in enumerate((line.removeprefix(MARK) for line in lines), 1):
        if not line.strip():
            continue
        try:
            *numbers, target = map(_written, line.split())
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
        if len(numbers) != _CLASSIC_TILES:
            raise ValueError(f"line {number}: six numbers and a target are needed: {line.strip()!r}")
        yield tuple(numbers), target


def classic_answers(lines: Iterable[str]) -> Iterator[str]:
    """Two lines for each draw of the classic file form, lazily: the best value, then its expression.

    Both are `none` where every value is above the target. `ValueError` names a line that is no draw.
    """
    for numbers, target in read_draws(lines):
        try:
            best = nearest(numbers, target, CLASSIC)
        except OutOfReachError:
            yield from ("none", "none")
        else:
            yield from (str(best.value), str(best.expression))


def _written(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise ValueError(f"whole numbers are needed, 0 or more, not {text!r}")
    return int(text)


def whole_number(number: object, what: str) -> int:
    """The number. ValueError, which says `what` it should be, unless it is whole and not negative."""
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise ValueError(f"{what} is a whole number, 0 or more, not {number!r}")
    return number


def whole_numbers(numbers: Iterable[int]) -> tuple[int, ...]:
    """The numbers in order. ValueError unless there is one and all are whole and not negative."""
    tiles = tuple(sorted(whole_number(number, "each of the numbers") for number in numbers))
    if not tiles:
        raise ValueError(f"at least one number is needed, not {tiles!r}")
    return tiles


def _each_split(hand: int) -> Iterator[Split]:
    """Every way to part a hand in two; those whose parts are both written out in full come first."""
    bits = [1 << tile for tile in range(hand.bit_length()) if hand >> tile & 1]
    sizes = sorted(range(1, len(bits) // 2 + 1), key=lambda size: len(bits) - size > _IN_FULL)
    for size in sizes:
        for part in map(sum, combinations(bits, size)):
            if 2 * size < len(bits) or part & bits[0]:
                yield hand ^ part, part


@cache
def _kept_splits(hand: int) -> tuple[Split, ...]:
    return tuple(_each_split(hand))


class _Draw:
    """The tiles of one game, in order, and what was found out about their hands."""

    def __init__(self, tiles: tuple[int, ...], rules: Rules) -> None:
        self.tiles = tiles
        self.rules = rules
        self.repeats = len(set(tiles)) < len(tiles)
        self._values = {1 << index: {tile} for index, tile in enumerate(tiles)}
        self._steps: dict[tuple[int, int], Step | None] = {}

    def hands(self) -> Iterator[int]:
        """The hands that may be used, small ones first; of hands with the same numbers only one."""
        every = (1 << len(self.tiles)) - 1
        if self.rules.every_tile:
            yield every
            return
        for size in range(1, len(self.tiles) + 1):
            for hand in map(sum, combinations([1 << index for index in range(len(self.tiles))], size)):
                if hand == self._usual(hand):
                    yield hand

    def _usual(self, hand: int) -> int:
        """The hand with the same numbers in which of equal tiles the first are taken."""
        if not self.repeats:
            return hand
        usual = 0
        for index, tile in enumerate(self.tiles):
            if hand >> index & 1:
                bit = 1 << self.tiles.index(tile)
                while usual & bit:
                    bit <<= 1
                usual |= bit
        return usual

    def _splits(self, hand: int) -> Iterable[Split]:
        splits = _kept_splits(hand) if hand.bit_count() <= _KEPT else _each_split(hand)
        if not self.repeats:
            return splits
        return ((self._usual(larger), part) for larger, part in splits if part == self._usual(part))

    def values(self, hand: int) -> set[int]:
        """Every value of exactly these tiles."""
        known = self._values.get(hand)
        if known is None:
            known = self._values[hand] = set()
            for larger, smaller in self._splits(hand):
                _combine(self.values(larger), self.values(smaller), known.add)
            if not self.rules.zero:
                known.discard(0)
        return known

    def makes(self, hand: int, value: int) -> bool:
        """Whether exactly these tiles make the value."""
        if hand.bit_count() <= _IN_FULL:
            return value in self.values(hand)
        return self.step(hand, value) is not None

    def step(self, hand: int, value: int) -> Step | None:
        """A last operation that makes the value of exactly these tiles, if there is one."""
        key = hand, value
        if key not in self._steps:
            self._steps[key] = self._last_step(hand, value)
        return self._steps[key]

    def _last_step(self, hand: int, value: int) -> Step | None:
        if value < 0 or (value == 0 and not self.rules.zero) or value > _most(self._tiles(hand)):
            return None
        for larger, smaller in self._splits(hand):
            xs = self.values(larger) if larger.bit_count() <= _IN_FULL else _Reach(self, larger)
            for y in self.values(smaller):
                found = _partner(value, y, xs) if value or y else ("*", sum(self._tiles(larger)), True)
                if found:
                    op, x, first = found
                    return (op, larger, x, smaller, y) if first else (op, smaller, y, larger, x)
        return None

    def _tiles(self, hand: int) -> list[int]:
        return [tile for index, tile in enumerate(self.tiles) if hand >> index & 1]

    def expression(self, hand: int, value: int) -> Expression:
        """Return an expression in which exactly these tiles make the value; the value must be possible."""
        step = self.step(hand, value)
        if step is None:  # a single tile: nothing was done to it
            return Expression.leaf(value)
        op, left, left_value, right, right_value = step
        return Expression.join(op, self.expression(left, left_value), self.expression(right, right_value))


class _Reach:
    """The values of a hand too large to write out: each is looked for when it is asked for."""

    def __init__(self, draw: _Draw, hand: int) -> None:
        self._draw = draw
        self._hand = hand

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int) and self._draw.step(self._hand, value) is not None


def _combine(xs: Iterable[int], ys: Iterable[int], add: Callable[[int], None]) -> None:
    """Add whatever one operation makes of an x and a y, also 0."""
    for y in ys:
        for x in xs:
            add(x + y)
            add(x * y)
            if x > y:
                add(x - y)
                if y and not x % y:
                    add(x // y)
            else:
                add(y - x)
                if x and not y % x:
                    add(y // x)


def _partner(value: int, y: int, xs: Values) -> tuple[Op, int, bool] | None:
    """An operation that makes the value of y and one of xs: its sign, that x, and whether x stands first.

    Value and y are not both 0: to make 0 of 0, any x will do.
    """
    if value - y in xs:
        return "+", value - y, True
    if value + y in xs:
        return "-", value + y, True
    if y - value in xs:
        return "-", y - value, False
    if not y:
        return None
    if not value % y and value // y in xs:
        return "*", value // y, True
    if value * y in xs:
        return "/", value * y, True
    if value and not y % value and y // value in xs:
        return "/", y // value, False
    return None


def _most(tiles: Sequence[int]) -> int:
    """The largest value of these tiles: a product, where ones are worth more inside a sum.

    A one makes most of a 2 (half as much again), then three of them make a factor of 3, and one that is left
    over goes to the smallest factor.
    """
    factors = sorted(tile for tile in tiles if tile > 1)
    ones, twos = tiles.count(1), factors.count(2)
    raised = min(ones, twos)
    factors[:raised] = [3] * raised
    threes, left = divmod(ones - raised, 3)
    factors = sorted([*factors, *[3] * threes])
    if left == 1 and factors:
        factors[0] += 1
    elif left:
        factors.append(left)
    return prod(factors) if factors else 0


def _best(draw: _Draw, target: int) -> tuple[int, int]:
    """The hand and the value that come nearest to the target."""
    asked = min(target, _most(draw.tiles))
    for distance in range(_NEIGHBOURS):
        values = [asked - distance, asked + distance] if draw.rules.above and distance else [asked - distance]
        for _, hands in groupby(draw.hands(), int.bit_count):
            for value, hand in product(values, hands):
                if draw.makes(hand, value):
                    return hand, value
    return _best_of_all(draw, target)


def _best_of_all(draw: _Draw, target: int) -> tuple[int, int]:
    found = (
        (abs(target - value), hand.bit_count(), value, hand)
        for hand in draw.hands()
        for value in draw.values(hand)
        if draw.rules.above or value <= target
    )
    best = min(found, default=None)
    if best is None:
        raise OutOfReachError(f"these numbers make nothing as small as the target {target!r}")
    _, _, value, hand = best
    return hand, value
