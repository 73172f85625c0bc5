"""Integer games with a target: find the value nearest to it that a draw of tiles can make.

All intermediate results are whole. Two numbers may be added, multiplied, subtracted (the smaller from the
larger) and divided if there is no remainder. The rules say whether a result may be 0, whether every tile must
be used, and whether the value may be above the target. A single tile is a value too.

A hand is some of the tiles. Hands of up to four tiles get a set of all their values. Larger hands are
searched from the target: if one side of a split can be y, the hand makes t if the other side makes t-y, t+y,
y-t, t*y, t/y or y/t. This is asked for the target and then for its neighbours, and only if none of them can
be made are all values of all hands listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations, groupby, product
from math import prod

from solver.expression import Expression
from solver.names import BYTE_ORDER_MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Protocol, TypeAlias

    from solver.expression import Op

    # Hands are bit sets: 1 is the lowest tile.
    Split: TypeAlias = tuple[int, int]  # A hand in two parts, the larger first
    # A last operation, the hand and value on its left, and the hand and value on its right.
    Step: TypeAlias = tuple[Op, int, int, int, int]

    class Values(Protocol):
        def __contains__(self, value: object, /) -> bool: ...


__all__ = [
    "CLASSIC",
    "COUNTDOWN",
    "Nearest",
    "OutOfReachError",
    "Rules",
    "check_whole_number",
    "check_whole_numbers",
    "find_all_values",
    "nearest",
    "read_draws",
]

_CLASSIC_TILES = 6
_MAX_LISTED_TILES = 4  # The largest hand with a set of all its values
_MAX_CACHED_TILES = 8  # The largest hand whose splits are cached
_DISTANCES_TRIED = 4  # Distances from the target, from 0, to try before listing all values


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of an integer game."""

    every_tile: bool  # Whether all tiles must be used
    allows_zero: bool  # Whether the result of an operation may be 0
    allows_above: bool  # Whether the value may be above the target


# Any of the tiles, positive results, nearest on either side.
COUNTDOWN = Rules(every_tile=False, allows_zero=False, allows_above=True)
# Every tile, 0 allowed, the largest value that is not above the target.
CLASSIC = Rules(every_tile=True, allows_zero=True, allows_above=False)


@dataclass(frozen=True, slots=True)
class Nearest:
    expression: Expression
    value: int  # The value of the expression
    distance: int  # Its distance from the target, 0 or more


class OutOfReachError(ValueError):
    """All values are above the target, and the rules forbid that."""


def nearest(numbers: Iterable[int], target: int, rules: Rules = COUNTDOWN) -> Nearest:
    """Find the value nearest to a target; of equally near ones that with fewest operations, then the smaller.

    The order of the numbers makes no difference. Raises ValueError if there are no numbers, or if a number or
    the target is negative or not an integer; OutOfReachError, a ValueError, if the rules allow no value.
    """
    draw = _Draw(check_whole_numbers(numbers), rules)
    goal = check_whole_number(target, what="the target")
    hand, value = _find_best(draw, goal)
    return Nearest(draw.build_expression(hand, value), value, distance=abs(goal - value))


def find_all_values(tiles: Iterable[int]) -> frozenset[int]:
    """Return all values that some of the tiles make under the rules COUNTDOWN. Raises ValueError for tiles
    that `nearest` refuses.
    """
    draw = _Draw(check_whole_numbers(tiles), COUNTDOWN)
    return frozenset().union(*map(draw.list_values, draw.generate_hands()))


def read_draws(lines: Iterable[str]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Read draws in the classic file format, lazily: six numbers and a target on each line. Blank lines and
    byte-order marks are skipped. Raises ValueError with the number of a line that contains anything else.
    """
    for number, line in enumerate((line.removeprefix(BYTE_ORDER_MARK) for line in lines), 1):
        if not line.strip():
            continue
        try:
            *numbers, target = map(_read_number, line.split())
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
        if len(numbers) != _CLASSIC_TILES:
            raise ValueError(f"line {number}: six numbers and a target are needed: {line.strip()!r}")
        yield tuple(numbers), target


def _read_number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise ValueError(f"whole numbers are needed, 0 or more, not {text!r}")
    return int(text)


def check_whole_number(number: object, what: str) -> int:
    """Return an integer from 0. Raises ValueError for anything else; `what` names it in the message."""
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise ValueError(f"{what} is a whole number, 0 or more, not {number!r}")
    return number


def check_whole_numbers(numbers: Iterable[int]) -> tuple[int, ...]:
    """Sort integers from 0. Raises ValueError if there is none, or for anything else."""
    tiles = tuple(sorted(check_whole_number(number, what="each of the numbers") for number in numbers))
    if not tiles:
        raise ValueError(f"at least one number is needed, not {tiles!r}")
    return tiles


def _generate_splits(hand: int) -> Iterator[Split]:
    """Generate the ways to split a hand in two; splits into two hands with sets of values come first."""
    bits = [1 << tile for tile in range(hand.bit_length()) if hand >> tile & 1]
    sizes = range(1, len(bits) // 2 + 1)  # of the smaller hand
    listed_sizes = [size for size in sizes if len(bits) - size <= _MAX_LISTED_TILES]
    other_sizes = [size for size in sizes if len(bits) - size > _MAX_LISTED_TILES]
    for size in listed_sizes + other_sizes:
        for part in map(sum, combinations(bits, size)):
            # Of two equally large hands, the one with the lowest tile alone is a `part`.
            if 2 * size < len(bits) or part & bits[0]:
                yield hand ^ part, part


@cache
def _list_cached_splits(hand: int) -> tuple[Split, ...]:
    return tuple(_generate_splits(hand))


class _Draw:
    """The sorted tiles of one game, and the values of their hands found so far."""

    def __init__(self, tiles: tuple[int, ...], rules: Rules) -> None:
        self.tiles = tiles
        self.rules = rules
        self.has_equal_tiles = len(set(tiles)) < len(tiles)
        self._values = {1 << index: {tile} for index, tile in enumerate(tiles)}
        self._steps: dict[tuple[int, int], Step | None] = {}

    def generate_hands(self) -> Iterator[int]:
        """Generate the hands that the rules allow, small ones first, one of each combination of numbers."""
        bits = [1 << index for index in range(len(self.tiles))]
        if self.rules.every_tile:
            yield sum(bits)
            return
        for size in range(1, len(bits) + 1):
            for hand in map(sum, combinations(bits, size)):
                if hand == self._normalize_hand(hand):
                    yield hand

    def _normalize_hand(self, hand: int) -> int:
        """Return the hand with the same numbers that uses the first of equal tiles."""
        if not self.has_equal_tiles:
            return hand
        normalized = 0
        for index, tile in enumerate(self.tiles):
            if hand >> index & 1:
                bit = 1 << self.tiles.index(tile)
                while normalized & bit:  # used already: take the next equal tile
                    bit <<= 1
                normalized |= bit
        return normalized

    def _get_splits(self, hand: int) -> Iterable[Split]:
        """Return the splits of a hand into normalized hands."""
        is_cached = hand.bit_count() <= _MAX_CACHED_TILES
        splits = _list_cached_splits(hand) if is_cached else _generate_splits(hand)
        if not self.has_equal_tiles:
            return splits
        normalize = self._normalize_hand  # each split with other equal tiles is left out
        return ((normalize(larger), part) for larger, part in splits if part == normalize(part))

    def list_values(self, hand: int) -> set[int]:
        """Return all values that use every tile of a hand; 0 only if the rules allow it."""
        cached = self._values.get(hand)
        if cached is not None:
            return cached
        values: set[int] = set()
        for larger, smaller in self._get_splits(hand):
            _add_results(self.list_values(larger), self.list_values(smaller), values.add)
        if not self.rules.allows_zero:
            values.discard(0)
        self._values[hand] = values
        return values

    def can_make(self, hand: int, value: int) -> bool:
        """Whether a hand makes a value that uses all its tiles."""
        if hand.bit_count() <= _MAX_LISTED_TILES:
            return value in self.list_values(hand)
        return self.find_last_step(hand, value) is not None

    def find_last_step(self, hand: int, value: int) -> Step | None:
        """Return a last operation that makes a value of all tiles of a hand; None if there is none, as for a
        single tile.
        """
        key = hand, value
        if key not in self._steps:
            self._steps[key] = self._search_last_step(hand, value)
        return self._steps[key]

    def _search_last_step(self, hand: int, value: int) -> Step | None:
        """Search what `find_last_step` returns, without its cache."""
        least = 0 if self.rules.allows_zero else 1
        if value < least or value > _compute_largest_value(self._list_tiles(hand)):
            return None
        for larger, smaller in self._get_splits(hand):
            is_listed = larger.bit_count() <= _MAX_LISTED_TILES
            xs = self.list_values(larger) if is_listed else _LazyValues(self, larger)
            for y in self.list_values(smaller):
                if value == 0 and y == 0:
                    # 0 times any value of the larger hand; the sum of its tiles is one.
                    return "*", larger, sum(self._list_tiles(larger)), smaller, y
                partner = _find_partner(value, y, xs)
                if partner is None:
                    continue
                op, x, is_x_first = partner
                if is_x_first:
                    return op, larger, x, smaller, y
                return op, smaller, y, larger, x
        return None

    def _list_tiles(self, hand: int) -> list[int]:
        return [tile for index, tile in enumerate(self.tiles) if hand >> index & 1]

    def build_expression(self, hand: int, value: int) -> Expression:
        """Return an expression that makes a value of all tiles of a hand; it must be possible."""
        step = self.find_last_step(hand, value)
        if step is None:  # a single tile
            return Expression.leaf(value)
        op, left, left_value, right, right_value = step
        left_expression = self.build_expression(left, left_value)
        return Expression.join(op, left_expression, self.build_expression(right, right_value))


class _LazyValues:
    """The values of a hand that is too large to list them: `in` searches for the value."""

    def __init__(self, draw: _Draw, hand: int) -> None:
        self._draw = draw
        self._hand = hand

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int) and self._draw.find_last_step(self._hand, value) is not None


def _add_results(xs: Iterable[int], ys: Iterable[int], add: Callable[[int], None]) -> None:
    """Call `add` with each result of an operation on an x and a y; 0 may be among them."""
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


def _find_partner(value: int, y: int, xs: Values) -> tuple[Op, int, bool] | None:
    """Find an operation on y and one of `xs` that makes a value; None if there is none. Returns the sign, the
    x, and whether x stands before y. The value and y must not both be 0.
    """
    if value - y in xs:
        return "+", value - y, True  # x + y
    if value + y in xs:
        return "-", value + y, True  # x - y
    if y - value in xs:
        return "-", y - value, False  # y - x
    if not y:  # 0 can only be added or subtracted
        return None
    if not value % y and value // y in xs:
        return "*", value // y, True  # x * y
    if value * y in xs:
        return "/", value * y, True  # x / y
    if value and not y % value and y // value in xs:
        return "/", y // value, False  # y / x
    return None


def _compute_largest_value(tiles: Sequence[int]) -> int:
    """Return the largest value of tiles: the product of all, after each 1 is added to a factor.

    A 1 increases the product most when added to a 2. Three further ones make a factor 3, two a factor 2, and
    a single one is added to the smallest factor. Zeros are added and change nothing.
    """
    factors = sorted(tile for tile in tiles if tile > 1)
    ones = tiles.count(1)
    enlarged = min(ones, factors.count(2))
    factors[:enlarged] = [3] * enlarged  # the twos come first
    threes, ones_left = divmod(ones - enlarged, 3)
    factors = sorted([*factors, *[3] * threes])
    if ones_left == 1 and factors:
        factors[0] += 1
    elif ones_left:  # two ones make a 2; a single one without factors stays
        factors.append(ones_left)
    return prod(factors) if factors else 0  # only zeros


def _find_best(draw: _Draw, target: int) -> tuple[int, int]:
    """Return the hand and the value nearest to the target: of equally near ones with the fewest tiles, then
    the smaller value. Raises OutOfReachError if the rules allow no value.
    """
    start = min(target, _compute_largest_value(draw.tiles))  # no larger value can be made
    for distance in range(_DISTANCES_TRIED):
        values = [start - distance]
        if draw.rules.allows_above and distance > 0:
            values.append(start + distance)
        for _, hands in groupby(draw.generate_hands(), int.bit_count):  # fewer tiles first
            for value, hand in product(values, hands):  # all hands for the smaller value first
                if draw.can_make(hand, value):
                    return hand, value
    return _find_best_among_all(draw, target)


def _find_best_among_all(draw: _Draw, target: int) -> tuple[int, int]:
    """Return the hand and the value nearest to the target by listing all values. Raises OutOfReachError."""
    found = (
        (abs(target - value), hand.bit_count(), value, hand)  # compared in this order
        for hand in draw.generate_hands()
        for value in draw.list_values(hand)
        if draw.rules.allows_above or value <= target
    )
    best = min(found, default=None)
    if best is None:
        raise OutOfReachError(f"these numbers make nothing as small as the target {target!r}")
    _, _, value, hand = best
    return hand, value
