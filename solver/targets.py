"""Find all targets, up to a bound, that a draw of tiles can make.

All values of a hand (some of the tiles) are listed only for hands of fewer than all but two tiles. For larger
ones only values that may still lead to a target matter, and those are found for many numbers at once. A *row*
is a sequence of bytes, where byte n is 1 if a hand makes the number n, 0 if not. Operations with a number y
move the bytes of a row: addition and subtraction shift it by y bytes, multiplication by y puts y-1 zeros
between its bytes, and division takes every y-th byte. Each is a single slice, or a shift of the row read as a
large integer.

Terms and factors may be joined in any order, so most orders are skipped. A sum is made by adding or
subtracting one of its terms with the fewest tiles, and a product by multiplying with one of its factors. In a
product with divisors the division comes last, and only once, so that all results are whole. Results of 0 are
skipped: fewer tiles make the same values without them.
"""

from __future__ import annotations

from array import array
from bisect import bisect
from functools import lru_cache, partial
from itertools import combinations, compress
from math import gcd
from typing import NamedTuple

from solver.nearest import (
    check_whole_numbers,
    find_all_values,
    require_whole_number,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    Numbers: TypeAlias = tuple[int, ...]  # The sorted numbers of a hand

# Draws of fewer or more tiles are faster without rows
MIN_TILES = 5
MAX_TILES = 8
MAX_ROW_LENGTH = 1 << 18  # Bytes
# Rows are long enough for draws with tiles up to this number, or up to their highest tile if that is more, so
# that all draws of Countdown can share them.
MIN_HIGHEST_TILE = 100
MAX_FEW = 3  # Numbers of a hand whose values are cached in thousands
# Hands that are cached for other draws. In ascending order, neighbouring draws share most of them.
MAX_CACHED_LISTS = 1 << 7  # Of more than MAX_FEW numbers: as many as one draw of MAX_TILES has
MAX_CACHED_ROWS = 1 << 9  # 56 MB for Countdown
MAX_CACHED_BEGINNINGS = 1 << 13  # 40 MB for all draws of Countdown

# Converts a row to an integer, whose lowest byte stands for the number 0
_read_row = partial(int.from_bytes, byteorder="little")


def reachable(tiles: Iterable[int], highest: int | None = None) -> frozenset[int]:
    """Return all targets up to `highest` (or all, for None) that the tiles make under the rules COUNTDOWN.
    Raises ValueError if there are no tiles, or if a tile or `highest` is negative or not an integer.
    Many different draws fill caches of about 100 MB.
    """
    drawn = check_whole_numbers(tiles)
    if highest is None:
        return find_all_values(drawn)
    require_whole_number(highest, what="the highest target")
    is_fit_for_rows = MIN_TILES <= len(drawn) <= MAX_TILES and drawn[0] > 0  # the lowest tile
    bounds = _Bounds(highest, max(drawn[-1], MIN_HIGHEST_TILE))
    if not is_fit_for_rows or bounds.row_length > MAX_ROW_LENGTH:
        return frozenset(value for value in find_all_values(drawn) if value <= highest)
    return _TargetSearch(drawn, bounds).find_targets()


class _Bounds(NamedTuple):
    """The highest target and the highest tile for which rows are long enough."""

    highest: int
    highest_tile: int

    @property
    def row_length(self) -> int:
        """The length of a row for hands of all but two tiles. Both missing tiles can make a target of a value
        by a division, and an addition or subtraction before or after it; the row has a byte for each value
        that is low enough for that, from 0.
        """
        return (self.highest + self.highest_tile) * self.highest_tile + 1

    @property
    def beginning_length(self) -> int:
        """The length of the beginning of a row, from which additions and subtractions of one or two tiles can
        make a target.
        """
        return self.highest + 2 * self.highest_tile + 1


class _Splits(NamedTuple):
    """The splits of a hand in two, of which the larger one comes first. Those into the same numbers occur
    once.
    """

    off_one_tile: list[tuple[Numbers, int]]  # into the others and one tile
    into_two_hands: list[tuple[Numbers, Numbers]]  # of two tiles or more


@lru_cache(MAX_CACHED_BEGINNINGS)
def _list_splits(numbers: Numbers) -> _Splits:
    """Return the splits of sorted numbers."""
    off_one_tile = [(rest, one) for rest, (one,) in _split_off(numbers, 1)]
    sizes = range(2, len(numbers) // 2 + 1)
    return _Splits(off_one_tile, [split for size in sizes for split in _split_off(numbers, size)])


def _split_off(numbers: Numbers, size: int) -> Iterable[tuple[Numbers, Numbers]]:
    """Return the splits of sorted numbers into a larger hand and one of `size` numbers, each once."""
    smaller = combinations(numbers, size)
    larger = list(combinations(numbers, len(numbers) - size))  # in the opposite order
    if 2 * size == len(numbers):  # the other half swaps both hands
        del larger[: len(larger) // 2]
    return dict.fromkeys(zip(reversed(larger), smaller, strict=False))


class _HandValues:
    """All values that a hand makes of all its tiles, but 0."""

    __slots__ = ("every", "factors", "terms")

    def __init__(self, terms: Iterable[int], factors: Iterable[int]) -> None:
        self.terms = sorted(terms)  # of numbers and products, which can be terms of a sum
        self.factors = sorted(factors)  # of numbers and sums, which can be factors of a product
        self.every = sorted({*terms, *factors})  # each value once


def _find_values(numbers: Numbers) -> _HandValues:
    """Return the values of sorted numbers, from a cache if possible."""
    return _find_values_of_few(numbers) if len(numbers) <= MAX_FEW else _find_values_of_many(numbers)


@lru_cache(1 << 12)
def _find_values_of_few(numbers: Numbers) -> _HandValues:
    """Return the values of up to three sorted numbers, from a cache because many draws share such hands."""
    if len(numbers) == 1:
        return _HandValues(terms=numbers, factors=numbers)
    return _combine_values(numbers)


@lru_cache(MAX_CACHED_LISTS)
def _find_values_of_many(numbers: Numbers) -> _HandValues:
    """Return the values of more than three sorted numbers. Only draws of seven tiles or more need them."""
    return _combine_values(numbers)


def _combine_values(numbers: Numbers) -> _HandValues:
    """Compute the values of two or more sorted numbers."""
    sums, products = _combine_hand(numbers)
    return _HandValues(terms=set(products), factors=set(sums) - {0})


def _combine_hand(numbers: Numbers) -> tuple[list[int], list[int]]:
    """Return the sums, which may include 0, and the products that sorted numbers make. Some are repeated."""
    splits = _list_splits(numbers)
    sums, products = _join_one_number([(_find_values(rest).every, one) for rest, one in splits.off_one_tile])
    _add_joined_values(splits.into_two_hands, sums, products)
    return sums, products


def _add_joined_values(
    splits: Iterable[tuple[Numbers, Numbers]], sums: list[int], products: list[int]
) -> None:
    """Append the values that the two hands of each split make to `sums` and `products`: each term or factor
    of the smaller hand joined with any value of the larger one, and any value of the smaller hand divided by
    a factor of the larger one. 0 may be among the sums.
    """
    pairs = [(_find_values(larger), _find_values(smaller)) for larger, smaller in splits]
    # No x or y is 0. Division by a y of 1 is left out, since multiplication makes the same.
    sums += [x + y for xs, ys in pairs for y in ys.terms for x in xs.every]
    sums += [x - y if x > y else y - x for xs, ys in pairs for y in ys.terms for x in xs.every]
    products += [x * y for xs, ys in pairs for y in ys.factors for x in xs.every]
    products += [x // y for xs, ys in pairs for y in ys.factors if y > 1 for x in xs.every if not x % y]
    below = [(xs.factors[: bisect(xs.factors, y)], y) for xs, ys in pairs for y in ys.every]
    products += [y // x for factors, y in below for x in factors if not y % x]


class _Row(NamedTuple):
    """The values of a hand of all but two tiles, but 0."""

    values: bytearray  # byte n is 1 if the hand makes n
    beginning: int  # the beginning of `values` as an integer, which | joins with other rows
    beyond: list[int]  # the values that are too large for the row
    targets: int  # the targets that the hand or some of its tiles make, as an integer


@lru_cache(MAX_CACHED_ROWS)
def _find_row(numbers: Numbers, bounds: _Bounds) -> _Row:
    """Return the row of the sorted numbers of a hand of all but two tiles."""
    sums, products = _combine_hand(numbers)
    values = bytearray(bounds.row_length)
    beyond = list[int]()
    _mark_numbers(values, {*sums, *products}, beyond)
    values[0] = 0  # results of 0 are skipped
    beginning = values[: bounds.beginning_length]
    targets = bytearray(beginning)
    _mark_numbers(targets, _list_values_of_parts(numbers))
    return _Row(values, _read_row(beginning), beyond, _read_row(targets))


def _list_values_of_parts(numbers: Numbers) -> set[int]:
    """Return all values of the hands that have some of the numbers, but not all."""
    sizes = range(1, len(numbers))
    parts = {part for size in sizes for part in combinations(numbers, size)}
    return {value for part in parts for value in _find_values(part).every}


class _Beginning(NamedTuple):
    """The values of a hand of all but one tile, but 0, as far as they matter for targets."""

    values: bytearray  # the beginning of a row
    row: int  # the same as an integer
    beyond: array[int]  # values too large for it that can become a target by a division, ascending
    targets: int  # the targets that the hand or some of its tiles make, as an integer


@lru_cache(MAX_CACHED_BEGINNINGS)
def _find_beginning(numbers: Numbers, bounds: _Bounds) -> _Beginning:
    """Return the beginning of the row of the sorted numbers of a hand of all but one tile. It has no values
    beyond it that join one tile to the others: `_join_and_divide` finds what they make.
    """
    length = bounds.beginning_length
    splits = _list_splits(numbers)
    singles = list[int]()  # values that are computed one by one
    _add_joined_values(splits.into_two_hands, sums=singles, products=singles)
    row = 0
    targets = 0
    for rest, y in splits.off_one_tile:
        rest_row = _find_row(rest, bounds)
        targets |= rest_row.targets
        row |= rest_row.beginning << 8 * y  # x+y: byte x moves up by y bytes of 8 bits
        row |= rest_row.beginning >> 8 * y  # x-y: it moves down
        row |= _multiply_row(rest_row.values, y, length)  # x*y
        row |= _read_row(rest_row.values[: y * length : y])  # x/y: every y-th byte
        row |= _read_row(rest_row.values[y::-1])  # y-x: the bytes up to y, backwards
        singles += [y // x for x in _list_divisors(y) if rest_row.values[x]]
    values = bytearray(_cut_row(row, length).to_bytes(length, "little"))
    beyond = list[int]()
    _mark_numbers(values, set(singles), beyond)
    values[0] = 0  # results of 0 are skipped
    largest = bounds.highest * bounds.highest_tile
    row = _read_row(values)
    large = array("L", sorted(n for n in beyond if n <= largest))
    return _Beginning(values, row, large, targets | row)


class _TargetSearch:
    """The search for all targets of one draw of sorted tiles.

    The search adds values to the found ones in two ways: values of hands of all but one tile, alone and
    joined with the last tile, and values of two hands joined. A value above the highest target may be among
    them.
    """

    def __init__(self, tiles: Numbers, bounds: _Bounds) -> None:
        self._splits = _list_splits(tiles)
        self._bounds = bounds
        self._highest = bounds.highest
        # The values found so far, some above the highest target: as a row read as an integer, and one by one.
        self._found_row = 0
        self._found_singly: list[int] = []

    def find_targets(self) -> frozenset[int]:
        """Return all targets from 1 to the highest: collect all that the hands make."""
        for others, last in self._splits.off_one_tile:
            self._add_with_last_tile(others, last)
        self._add_from_two_hands()
        length = self._highest + 1
        row = _cut_row(self._found_row, length).to_bytes(length, "little")
        found = {*compress(range(length), row), *self._found_singly}
        return frozenset(range(1, length)) & found

    def _add_with_last_tile(self, others: Numbers, last: int) -> None:
        """Add the targets that the `others` make, alone and with the number `last` joined last."""
        highest = self._highest
        found = _find_beginning(others, self._bounds)
        # n/last for an n that joins one tile to a value of a row; n may be far above the targets.
        if last > 1:  # division by 1 changes nothing
            for rest, number in _list_splits(others).off_one_tile:
                row = _find_row(rest, self._bounds).values
                self._found_row |= _join_and_divide(row, number, divisor=last, highest=highest)
        # n+last and n-last: a shift by 8 bits moves byte n to n+1 or n-1.
        self._found_row |= found.targets | found.row << 8 * last | found.row >> 8 * last
        self._found_row |= _multiply_row(found.values, last, highest + 1)  # n*last
        self._found_row |= _read_row(found.values[last::-1])  # last-n
        self._found_singly += [last // n for n in _list_divisors(last) if found.values[n]]
        # The other n/last
        self._found_row |= _read_row(found.values[: last * highest + 1 : last])
        large = found.beyond[: bisect(found.beyond, highest * last)]
        self._found_singly += [n // last for n in large if not n % last]

    def _add_from_two_hands(self) -> None:
        """Add the targets of all tiles that join two hands of two or more tiles."""
        for larger, smaller in self._splits.into_two_hands:
            if len(smaller) == 2:  # then the larger one has a row
                self._add_from_row(_find_row(larger, self._bounds), _find_values(smaller))
            else:
                self._add_from_lists(_find_values(larger), _find_values(smaller))

    def _add_from_lists(self, xs: _HandValues, ys: _HandValues) -> None:
        """Add the targets that join two hands that have lists of values, as `_add_joined_values` does; sums
        and products that are too large for a target are not computed.
        """
        highest = self._highest
        every = xs.every
        found = self._found_singly
        found += [x + y for y in ys.terms if y < highest for x in every[: bisect(every, highest - y)]]
        for y in ys.terms:
            near = every[bisect(every, y - highest - 1) : bisect(every, y + highest)]
            found += [x - y if x > y else y - x for x in near]
        found += [x * y for y in ys.factors if y <= highest for x in every[: bisect(every, highest // y)]]
        found += [x // y for y in ys.factors for x in every[bisect(every, y - 1) :] if not x % y]
        found += [y // x for y in ys.every for x in xs.factors[: bisect(xs.factors, y)] if not y % x]

    def _add_from_row(self, row: _Row, pair_values: _HandValues) -> None:
        """Add the targets that join a hand of all but two tiles, which has a row, with the values of these
        two: x of the row and y of the pair.
        """
        highest = self._highest
        values = row.values
        for y in pair_values.terms:  # x+y and x-y by shifts of 8 bits for each byte
            beginning = row.beginning
            if highest + y >= self._bounds.beginning_length:
                beginning = _read_row(values[: highest + y + 1])
            self._found_row |= beginning << 8 * y | beginning >> 8 * y
            # y-x: the bytes up to y, backwards; x is not so low that y-x is above the highest target.
            self._found_row |= _read_row(values[max(0, y - highest) : y + 1][::-1])
        for y in pair_values.factors:  # x*y and x/y
            if y > 1:
                self._found_row |= _multiply_row(values, y, highest + 1)
                self._found_row |= _read_row(values[: y * highest + 1 : y])
        every = pair_values.every
        self._found_singly += [y // x for y in every for x in _list_divisors(y) if values[x]]
        self._found_singly += [x // y for x in row.beyond for y in every if not x % y]


def _join_one_number(pairs: Sequence[tuple[Sequence[int], int]]) -> tuple[list[int], list[int]]:
    """Return the sums and differences (0 may be among them) and the products and whole quotients that each x
    of a list makes with its number y, for pairs of such a list and number. No x or y may be 0.
    """
    sums = [x + y for xs, y in pairs for x in xs]
    sums += [x - y if x > y else y - x for xs, y in pairs for x in xs]
    products = [x * y for xs, y in pairs for x in xs]
    # Division by a y of 1 is left out, since multiplication makes the same; x/x is in the first list.
    products += [x // y for xs, y in pairs if y > 1 for x in xs if not x % y]
    products += [y // x for xs, y in pairs for x in xs if x < y and not y % x]
    return sums, products


@lru_cache(1 << 14)
def _list_divisors(number: int) -> list[int]:
    """Return the numbers that divide a number, without itself."""
    return [n for n in range(1, number // 2 + 1) if not number % n]


def _cut_row(row: int, length: int) -> int:
    """Return the first `length` bytes of a row that is read as an integer."""
    all_bits = (1 << 8 * length) - 1
    return row & all_bits


def _mark_numbers(row: bytearray, numbers: Iterable[int], beyond: list[int] | None = None) -> None:
    """Set byte n of a row to 1 for each number n. Numbers too large for the row are appended to `beyond`, or
    ignored without it.
    """
    length = len(row)
    for n in numbers:
        if n < length:
            row[n] = 1
        elif beyond is not None:
            beyond.append(n)


def _multiply_row(row: bytearray, factor: int, length: int) -> int:
    """Return the row of the products of its numbers with a factor that are below `length`, read as an
    integer.
    """
    multiplied = row[: (length - 1) // factor + 1]  # a higher number makes a product of `length` or more
    products = bytearray(len(multiplied) * factor)
    products[::factor] = multiplied  # byte x becomes byte x*factor
    return _read_row(products)


def _join_and_divide(row: bytearray, y: int, divisor: int, highest: int) -> int:
    """Return the row of the targets (x+y)/divisor, (x-y)/divisor, x*y/divisor and x/y/divisor for x in a row,
    read as an integer. It is computed from `row` itself, since x may be far above the targets.
    """
    shared = gcd(y, divisor)
    factor = y // shared
    step = divisor // shared  # x*y/divisor is whole for every step-th x
    multiples = row[: highest // factor * step + 1 : step]
    above = -y % divisor  # the first x for which x+y is divisible
    below = y % divisor  # the first x for which x-y is divisible; x-y may be negative
    # Every divisor-th byte from there; the shift moves that x to the byte of its result.
    sums = _read_row(row[above : highest * divisor : divisor]) << 8 * ((above + y) // divisor)
    differences = _read_row(row[below : highest * divisor + y + 1 : divisor]) >> 8 * (y // divisor)
    quotients = _read_row(row[: highest * divisor * y + 1 : divisor * y])
    return sums | differences | _multiply_row(multiples, factor, highest + 1) | quotients
