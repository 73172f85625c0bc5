"""Integer games with a target: find the value nearest to it that a draw of tiles can make.

All intermediate results are whole. Two numbers may be added, multiplied, subtracted (the smaller from the
larger) and divided if there is no remainder. The rules say whether a result may be 0, whether every tile must
be used, and whether the value may be above the target. A single tile is a value too.

A hand is some of the tiles, as a set of bits. Of hands with the same numbers, the *normalized* one has the
first of equal tiles. Hands of up to four tiles get a set of all their values. Larger hands are searched from
the target: if one side of a split can be y, the hand makes t if the other side makes t-y, t+y, y-t, t*y, t/y
or y/t. This is asked for the target and then for its neighbours, and only if none of them can be made are all
values of all hands listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations, groupby, product
from math import prod

from solver.expression import Expression
from solver.names import BYTE_ORDER_MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Protocol, TypeAlias

    from solver.expression import Op

    Hand: TypeAlias = int  # A set of tiles: bit i is set if it has the tile of index i, from the lowest tile
    Split: TypeAlias = tuple[Hand, Hand]  # A hand in two parts, the larger first

    class Values(Protocol):
        def __contains__(self, value: object, /) -> bool: ...


__all__ = [
    "CLASSIC",
    "COUNTDOWN",
    "Nearest",
    "OutOfReachError",
    "Rules",
    "check_whole_numbers",
    "find_all_values",
    "nearest",
    "read_draws",
    "require_whole_number",
]

_CLASSIC_TILES = 6
_MAX_LISTED_TILES = 4  # The largest hand with a set of all its values
_MAX_CACHED_TILES = 8  # The largest hand whose splits are cached
_MAX_CACHED_HANDS = 1 << 12  # Hands of which the normalized one is cached
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
    """The result of `nearest`: a value nearest to the target, and an expression that makes it."""

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
    goal = require_whole_number(target, what="the target")
    hand, value = _find_best(draw, goal)
    return Nearest(draw.build_expression(hand, value), value, distance=abs(goal - value))


def find_all_values(tiles: Iterable[int]) -> frozenset[int]:
    """Return all values that some of the tiles or all of them make under the rules COUNTDOWN. Raises
    ValueError for tiles that `nearest` refuses.
    """
    draw = _Draw(check_whole_numbers(tiles), COUNTDOWN)
    values: set[int] = set()
    for hand in draw.generate_hands():
        values |= draw.list_values(hand)
    return frozenset(values)


def read_draws(lines: Iterable[str]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Read draws in the classic file format, lazily: six numbers and a target on each line. Blank lines and
    byte-order marks are skipped. Raises ValueError with the number of a line that contains anything else.
    """
    for line_number, raw_line in enumerate(lines, 1):
        line = raw_line.removeprefix(BYTE_ORDER_MARK).strip()
        if not line:
            continue
        try:
            *numbers, target = [_read_number(word) for word in line.split()]
        except ValueError as error:
            raise ValueError(f"line {line_number}: {error}") from None
        if len(numbers) != _CLASSIC_TILES:
            raise ValueError(f"line {line_number}: six numbers and a target are needed: {line!r}")
        yield tuple(numbers), target


def _read_number(text: str) -> int:
    """Convert ASCII digits to an integer. Raises ValueError for anything else, such as a sign."""
    if not (text.isascii() and text.isdecimal()):
        raise ValueError(f"whole numbers are needed, 0 or more, not {text!r}")
    return int(text)


def require_whole_number(number: object, what: str) -> int:
    """Return an integer from 0. Raises ValueError for anything else, a bool too; `what` names the number in
    the message.
    """
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise ValueError(f"{what} is a whole number, 0 or more, not {number!r}")
    return number


def check_whole_numbers(numbers: Iterable[int]) -> tuple[int, ...]:
    """Return integers from 0, sorted. Raises ValueError if there is none, or for anything else."""
    tiles = tuple(sorted(require_whole_number(number, what="each of the numbers") for number in numbers))
    if not tiles:
        raise ValueError(f"at least one number is needed, not {tiles!r}")
    return tiles


def list_tile_indexes(hand: Hand) -> list[int]:
    """Return the indexes of the tiles of a hand, ascending."""
    return [index for index in range(hand.bit_length()) if hand >> index & 1]


@lru_cache(_MAX_CACHED_HANDS)
def normalize_hand(hand: Hand, first_equal: tuple[int, ...]) -> Hand:
    """Return the hand with the same numbers that has the first of equal tiles. `first_equal` has, for each
    tile of the draw, the index of the first equal one; equal tiles must be adjacent.
    """
    normalized = 0
    for index in list_tile_indexes(hand):
        bit = 1 << first_equal[index]
        while normalized & bit:  # used already: take the next equal tile
            bit <<= 1
        normalized |= bit
    return normalized


def _generate_splits(hand: Hand) -> Iterator[Split]:
    """Generate each way to split a hand in two once, the larger hand first. Splits into two hands that are
    small enough for sets of values come first.
    """
    bits = [1 << index for index in list_tile_indexes(hand)]
    sizes = range(1, len(bits) // 2 + 1)  # of the smaller hand
    listed_sizes = [size for size in sizes if len(bits) - size <= _MAX_LISTED_TILES]
    other_sizes = [size for size in sizes if len(bits) - size > _MAX_LISTED_TILES]
    for size in listed_sizes + other_sizes:
        for part in map(sum, combinations(bits, size)):
            # Of two equally large hands, only the one with the lowest tile is taken as `part`.
            if 2 * size < len(bits) or part & bits[0]:
                yield hand ^ part, part


@cache
def _list_cached_splits(hand: Hand) -> tuple[Split, ...]:
    """Return the splits that `_generate_splits` generates; they are the same for all draws."""
    return tuple(_generate_splits(hand))


@dataclass(frozen=True, slots=True)
class Step:
    """A last operation, and the hands and values that it joins."""

    op: Op
    left: Hand
    left_value: int
    right: Hand
    right_value: int


class _Draw:
    """The sorted tiles of one game, and the values of their hands found so far."""

    def __init__(self, tiles: tuple[int, ...], rules: Rules) -> None:
        self.tiles = tiles  # ascending
        self.rules = rules
        self.has_equal_tiles = len(set(tiles)) < len(tiles)
        self._first_equal = tuple(tiles.index(tile) for tile in tiles)  # see `normalize_hand`
        self._values: dict[Hand, set[int]] = {1 << index: {tile} for index, tile in enumerate(tiles)}
        self._steps: dict[tuple[Hand, int], Step | None] = {}  # by hand and value; None: impossible

    def generate_hands(self) -> Iterator[Hand]:
        """Generate the normalized hands that the rules allow, small ones first. Under a rule to use every
        tile that is all tiles alone.
        """
        bits = [1 << index for index in range(len(self.tiles))]
        if self.rules.every_tile:
            yield sum(bits)
            return
        for size in range(1, len(bits) + 1):
            for hand in map(sum, combinations(bits, size)):
                if hand == self._normalize_hand(hand):
                    yield hand

    def _normalize_hand(self, hand: Hand) -> Hand:
        """Return the same hand for all hands with these numbers: of equal tiles, it has the first ones."""
        if not self.has_equal_tiles:
            return hand
        return normalize_hand(hand, self._first_equal)

    def _get_splits(self, hand: Hand) -> Iterable[Split]:
        """Return the splits of a hand into normalized hands, those into the same numbers once."""
        is_cached = hand.bit_count() <= _MAX_CACHED_TILES
        splits = _list_cached_splits(hand) if is_cached else _generate_splits(hand)
        if not self.has_equal_tiles:
            return splits  # all hands are normalized
        normalize = self._normalize_hand
        # Of splits into the same numbers, only one has a normalized smaller part.
        return ((normalize(larger), smaller) for larger, smaller in splits if smaller == normalize(smaller))

    def list_values(self, hand: Hand) -> set[int]:
        """Return all values that use every tile of a hand, remembered or computed from those of its splits. A
        result of 0 is left out unless the rules allow it.
        """
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

    def can_make(self, hand: Hand, value: int) -> bool:
        """Whether a hand makes a value with all its tiles. Large hands are searched for this value alone."""
        if hand.bit_count() <= _MAX_LISTED_TILES:
            return value in self.list_values(hand)
        return self.find_last_step(hand, value) is not None

    def find_last_step(self, hand: Hand, value: int) -> Step | None:
        """Return a last operation that makes a value of all tiles of a hand; None if there is none, as for a
        single tile. Results are remembered.
        """
        key = hand, value
        if key not in self._steps:
            self._steps[key] = self._search_last_step(hand, value)
        return self._steps[key]

    def _search_last_step(self, hand: Hand, value: int) -> Step | None:
        """Search a last operation as `find_last_step` does: for each split and each value y of its smaller
        hand, ask whether the larger hand makes an x that makes the value with y. None if there is none.
        """
        least = 0 if self.rules.allows_zero else 1
        if value < least or value > _compute_largest_value(self._list_numbers(hand)):
            return None  # without a search
        for larger, smaller in self._get_splits(hand):
            is_listed = larger.bit_count() <= _MAX_LISTED_TILES
            xs = self.list_values(larger) if is_listed else _LazyValues(self, larger)
            for y in self.list_values(smaller):
                if value == 0 and y == 0:
                    # 0 times any value of the larger hand, for example the sum of its tiles
                    return Step("*", larger, sum(self._list_numbers(larger)), smaller, y)
                partner = _find_partner(value, y, xs)
                if partner is None:
                    continue
                if partner.is_first:
                    return Step(partner.op, larger, partner.x, smaller, y)
                return Step(partner.op, smaller, y, larger, partner.x)
        return None

    def _list_numbers(self, hand: Hand) -> list[int]:
        """Return the numbers on the tiles of a hand, ascending."""
        return [self.tiles[index] for index in list_tile_indexes(hand)]

    def build_expression(self, hand: Hand, value: int) -> Expression:
        """Return an expression that makes a value of all tiles of a hand. The value must be possible."""
        step = self.find_last_step(hand, value)
        if step is None:  # a single tile
            return Expression.leaf(value)
        left = self.build_expression(step.left, step.left_value)
        right = self.build_expression(step.right, step.right_value)
        return Expression.join(step.op, left, right)


class _LazyValues:
    """The values of a hand that is too large to list them: `in` searches for the value."""

    def __init__(self, draw: _Draw, hand: Hand) -> None:
        self._draw = draw
        self._hand = hand

    def __contains__(self, value: object) -> bool:
        """Whether the hand makes the value; searches for a last operation."""
        return isinstance(value, int) and self._draw.find_last_step(self._hand, value) is not None


def _add_results(xs: Iterable[int], ys: Iterable[int], add: Callable[[int], None]) -> None:
    """Call `add` with the sum, the product, the difference (the smaller from the larger) and the quotient (if
    whole, the larger by the smaller) of each x and each y. 0 may be among them, and a result may be repeated.
    """
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


@dataclass(frozen=True, slots=True)
class _Partner:
    """A number x that makes a value with another number y, and the operation."""

    op: Op
    x: int
    is_first: bool = True  # Whether x stands before y


def _find_partner(value: int, y: int, xs: Values) -> _Partner | None:
    """Find an x of `xs` that makes a value with y; None if there is none. Value and y must not both be 0."""
    if value - y in xs:
        return _Partner("+", value - y)
    if value + y in xs:
        return _Partner("-", value + y)  # x - y
    if y - value in xs:
        return _Partner("-", y - value, is_first=False)  # y - x
    if not y:  # 0 can only be added or subtracted
        return None
    if not value % y and value // y in xs:
        return _Partner("*", value // y)
    if value * y in xs:
        return _Partner("/", value * y)  # x / y
    if value and not y % value and y // value in xs:
        return _Partner("/", y // value, is_first=False)  # y / x
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


def _find_best(draw: _Draw, target: int) -> tuple[Hand, int]:
    """Return the hand and the value nearest to the target: of equally near ones with the fewest tiles, then
    the smaller value. Raises OutOfReachError if the rules allow no value.
    """
    start = min(target, _compute_largest_value(draw.tiles))  # the nearest value that is not too large
    for distance in range(_DISTANCES_TRIED):
        values = [start - distance]
        if draw.rules.allows_above and distance > 0:
            values.append(start + distance)
        for _size, hands in groupby(draw.generate_hands(), int.bit_count):  # fewer tiles first
            for value, hand in product(values, hands):  # all hands for the smaller value first
                if draw.can_make(hand, value):
                    return hand, value
    return _find_best_among_all(draw, target)


def _find_best_among_all(draw: _Draw, target: int) -> tuple[Hand, int]:
    """Return what `_find_best` returns by listing all values of all hands that the rules allow. Raises
    OutOfReachError if all are above the target and the rules forbid that.
    """
    best: tuple[int, int, int, Hand] | None = None  # distance, size, value and hand, compared in this order
    for hand in draw.generate_hands():
        for value in draw.list_values(hand):
            if draw.rules.allows_above or value <= target:
                candidate = (abs(target - value), hand.bit_count(), value, hand)
                best = candidate if best is None else min(best, candidate)
    if best is None:
        raise OutOfReachError(f"these numbers make nothing as small as the target {target!r}")
    _distance, _size, value, hand = best
    return hand, value
