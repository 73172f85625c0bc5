"""Find all targets, up to a bound, that a draw of tiles can make.

All values of a hand (some of the tiles) are listed only for hands of up to all but two tiles. For the larger
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

from functools import lru_cache
from itertools import combinations, compress
from math import gcd

from solver.nearest import (
    check_whole_numbers,
    find_all_values,
    list_tile_indexes,
    normalize_hand,
    require_whole_number,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.nearest import Hand, Split

# The beginning of a row is stored as an integer too. It exceeds the highest target by twice the highest tile,
# or by twice this number if that is more.
MIN_MARGIN = 50
# Draws of fewer or more tiles are faster without rows
MIN_TILES = 5
MAX_TILES = 8
MAX_CACHED_TILES = 3  # The largest hand whose values are cached for other draws
MAX_ROW_LENGTH = 1 << 20  # Bytes


def reachable(tiles: Iterable[int], highest: int | None = None) -> frozenset[int]:
    """Return all targets up to `highest` (or all, for None) that the tiles make under the rules COUNTDOWN.
    Raises ValueError if there are no tiles, or if a tile or `highest` is negative or not an integer.
    """
    drawn = check_whole_numbers(tiles)
    if highest is None:
        return find_all_values(drawn)
    require_whole_number(highest, what="the highest target")
    is_fit_for_rows = MIN_TILES <= len(drawn) <= MAX_TILES and drawn[0] > 0  # the lowest tile
    if not is_fit_for_rows or _compute_row_length(drawn, highest) > MAX_ROW_LENGTH:
        return frozenset(value for value in find_all_values(drawn) if value <= highest)
    return _TargetSearch(drawn, highest).find_targets()


def _compute_row_length(tiles: Sequence[int], highest: int) -> int:
    """Return the length of a row for hands of all but two of the sorted tiles. Both missing tiles can make a
    target of a value by a division, and an addition or subtraction before or after it; the row has a byte for
    each value that is low enough for that, from 0.
    """
    highest_tile = tiles[-1]
    return (highest + highest_tile) * highest_tile + 1


class _HandValues:
    """All values that a hand makes of all its tiles, but 0."""

    __slots__ = ("every", "factors", "terms")

    def __init__(self, terms: Iterable[int], factors: Iterable[int]) -> None:
        self.terms = list(terms)  # of numbers and products, which can be terms of a sum
        self.factors = list(factors)  # of numbers and sums, which can be factors of a product
        self.every = list({*terms, *factors})  # each value once


def _sort_values(sums: Iterable[int], products: Iterable[int]) -> _HandValues:
    """Return the values of a hand from its sums, which can be factors, and its products, which can be terms.
    They may be repeated; 0 is left out.
    """
    return _HandValues(terms=set(products), factors=set(sums) - {0})


class _HandSplits:
    """The splits of a hand. In each the larger hand comes first; splits into the same numbers occur once."""

    __slots__ = ("into_two_hands", "off_one_tile")

    def __init__(self) -> None:
        self.off_one_tile: list[Split] = []  # into the others and one tile
        self.into_two_hands: list[Split] = []  # of two tiles or more


class _Plan:
    """The normalized hands of a draw (see `solver.nearest`) in the order in which their values are computed,
    and their splits.

    It depends only on which tiles are equal: `first_equal` has, for each tile, the index of the first equal
    one.
    """

    def __init__(self, first_equal: tuple[int, ...]) -> None:
        """List the hands of two tiles to all but two, and the splits of larger ones and of all tiles."""
        self._first_equal = first_equal
        tile_count = len(first_equal)
        bits = [1 << tile for tile in range(tile_count)]
        hands: list[Hand] = []
        for size in range(2, tile_count - 1):  # from two tiles to all but two
            hands += self._list_hands(bits, size)
        cached_size = min(MAX_CACHED_TILES, tile_count - 3)  # hands of all but two tiles need rows
        # Hands of two or three tiles with the indexes of their tiles, then larger ones with their splits, of
        # which small ones come first.
        self.cached_hands = [
            (hand, list_tile_indexes(hand)) for hand in hands if hand.bit_count() <= cached_size
        ]
        self.large_hands = [
            (hand, self._list_splits(hand)) for hand in hands if hand.bit_count() > cached_size
        ]
        # Each tile that may be joined last, with the splits of the other tiles.
        all_tiles = sum(bits)
        self.last_tiles = [
            (last, self._list_splits(normalize_hand(all_tiles ^ last, first_equal)))
            for last in self._list_hands(bits, 1)
        ]
        self.splits_of_all_tiles = self._list_splits(all_tiles)

    def _list_hands(self, bits: list[Hand], size: int) -> list[Hand]:
        """Return the normalized hands of `size` of the tiles in `bits`."""
        hands = map(sum, combinations(bits, size))
        return [hand for hand in hands if hand == normalize_hand(hand, self._first_equal)]

    def _list_splits(self, hand: Hand) -> _HandSplits:
        """Return the splits of a hand into normalized hands."""
        found = _HandSplits()
        bits = [1 << tile for tile in list_tile_indexes(hand)]
        for size in range(1, len(bits) // 2 + 1):
            splits = found.off_one_tile if size == 1 else found.into_two_hands
            for part in self._list_hands(bits, size):
                # Of two equally large hands, the one with the lowest tile alone is a `part`.
                if 2 * size < len(bits) or part & bits[0]:
                    splits.append((normalize_hand(hand ^ part, self._first_equal), part))
        return found


@lru_cache(64)
def _get_plan(first_equal: tuple[int, ...]) -> _Plan:
    """Return the plan of all draws in which the same tiles are equal, newly made or from the cache."""
    return _Plan(first_equal)


class _TargetSearch:
    """The search for all targets of one draw of sorted tiles.

    The search adds values to the found ones in three ways: values of hands of up to all but two tiles, values
    of the others joined with one last tile, and values of two hands joined. A value above the highest target
    may be among them.
    """

    def __init__(self, tiles: tuple[int, ...], highest: int) -> None:
        self._tiles = tiles
        self._highest = highest
        first_equal = tuple(tiles.index(tile) for tile in tiles)
        self._plan = _get_plan(first_equal)
        self._values = {1 << n: _HandValues(terms=[tile], factors=[tile]) for n, tile in enumerate(tiles)}
        # Hands of all but two tiles: their values as rows, the beginnings of these rows as integers, and the
        # values that are too large for a row.
        self._rows: dict[Hand, bytearray] = {}
        self._beginnings: dict[Hand, int] = {}
        self._beyond: dict[Hand, list[int]] = {}
        self._row_length = _compute_row_length(tiles, highest)
        self._beginning_length = highest + 2 * max(tiles[-1], MIN_MARGIN) + 1
        # The values found so far, some above the highest target: as a row read as an integer, and one by one.
        self._found_row = 0
        self._found_singly: list[int] = list(tiles)

    def find_targets(self) -> frozenset[int]:
        """Return all targets from 1 to the highest: compute the values of all hands, and collect those that
        were found.
        """
        self._store_values()
        for last, splits_of_others in self._plan.last_tiles:
            self._add_with_last_tile(self._get_number(last), splits_of_others)
        self._add_from_two_hands()
        length = self._highest + 1
        row = bytearray(_cut_row(self._found_row, length).to_bytes(length, "little"))
        _mark_numbers(row, self._found_singly)  # those above the highest are left out
        row[0] = 0  # 0 is no target
        return frozenset(compress(range(length), row))

    def _get_number(self, hand: Hand) -> int:
        """Return the number on the only tile of a hand."""
        return self._values[hand].every[0]

    def _store_values(self) -> None:
        """Store the values of all hands of up to all but two tiles, and add them to those found. The hands of
        all but two tiles get a row, the others a list.
        """
        for hand, indexes in self._plan.cached_hands:
            numbers = tuple([self._tiles[index] for index in indexes])
            self._add_values(hand, _find_values_of_few(numbers))
        largest_size = len(self._tiles) - 2
        for hand, splits in self._plan.large_hands:  # small ones first: larger ones need their values
            sums, products = self._combine_hand(splits)
            if hand.bit_count() == largest_size:
                self._add_row(hand, sums, products)
            else:
                self._add_values(hand, _sort_values(sums, products))

    def _add_values(self, hand: Hand, values: _HandValues) -> None:
        """Store the values of a hand, and add them to those found."""
        self._values[hand] = values
        self._found_singly += values.every  # one by one, as there is no row of this hand

    def _add_row(self, hand: Hand, sums: Iterable[int], products: Iterable[int]) -> None:
        """Store the values of a hand of all but two tiles as a row, and add its beginning (the part in which
        targets may lie) to those found. Values too large for the row are stored in `_beyond`.
        """
        row = bytearray(self._row_length)  # byte n becomes 1 if the hand makes n
        beyond = list[int]()
        _mark_numbers(row, sums, beyond)
        _mark_numbers(row, products, beyond)
        row[0] = 0  # results of 0 are skipped
        beginning = _read_row(row[: self._beginning_length])  # an integer, which | joins with other rows
        self._rows[hand] = row
        self._beyond[hand] = beyond
        self._beginnings[hand] = beginning
        self._found_row |= beginning

    def _combine_hand(self, splits: _HandSplits) -> tuple[list[int], list[int]]:
        """Return the sums, which may include 0, and the products that a hand with these splits makes."""
        pairs = [(self._values[rest].every, self._get_number(one)) for rest, one in splits.off_one_tile]
        sums, products = _join_one_number(pairs)
        if splits.into_two_hands:
            self._add_joined_values(splits.into_two_hands, sums, products)
        return sums, products

    def _add_joined_values(self, splits: Iterable[Split], sums: list[int], products: list[int]) -> None:
        """Append the values that the two hands of each split make to `sums` and `products`: each term or
        factor of the smaller hand joined with any value of the larger one, and any value of the smaller hand
        divided by a factor of the larger one. 0 may be among the sums.
        """
        values = self._values
        pairs = [(values[larger], values[smaller]) for larger, smaller in splits]
        # No x or y is 0. Division by a y of 1 is left out, since multiplication makes the same.
        sums += [x + y for xs, ys in pairs for y in ys.terms for x in xs.every]
        sums += [x - y if x > y else y - x for xs, ys in pairs for y in ys.terms for x in xs.every]
        products += [x * y for xs, ys in pairs for y in ys.factors for x in xs.every]
        products += [x // y for xs, ys in pairs for y in ys.factors if y > 1 for x in xs.every if not x % y]
        products += [y // x for xs, ys in pairs for y in ys.every for x in xs.factors if not y % x]

    def _add_with_last_tile(self, last: int, splits_of_others: _HandSplits) -> None:
        """Add the targets that all tiles make if the number `last` is joined last, or not used.

        No row is stored for the hand of the other tiles, but their splits are given. In a *row*, a whole
        number used as bytes, byte n is 1 if the value n can be made; `singles` are values beyond its length.
        """
        highest = self._highest
        length = highest + last + 1  # n - last is a target for an n up to there
        row, singles = self._combine_other_tiles(splits_of_others, length)
        # n/last for an n that joins one tile to a value of a row; n may be far above the targets.
        if last > 1:  # division by 1 changes nothing
            for rest, one in splits_of_others.off_one_tile:
                number = self._get_number(one)
                self._found_row |= _join_and_divide(self._rows[rest], number, divisor=last, highest=highest)
        values = bytearray(row.to_bytes(length, "little"))
        values[0] = 0  # results of 0 are skipped
        # n itself, n+last and n-last: a shift by 8 bits moves byte n to n+1 or n-1.
        self._found_row |= row | row << 8 * last | row >> 8 * last
        self._found_row |= _multiply_row(values, last, highest + 1)  # n*last
        below_last = list(compress(range(last), values))
        self._found_singly += [last - n for n in below_last]
        self._found_singly += [last // n for n in below_last if not last % n]
        self._found_singly += [n // last for n in singles if not n % last]  # the other n/last

    def _combine_other_tiles(self, splits: _HandSplits, length: int) -> tuple[int, list[int]]:
        """Return the values below `length` of a hand of all but one tile, as a row read as an integer; and of
        its values of any size those that were computed one by one. 0 may be among both.
        """
        row = 0
        singles = list[int]()
        for rest, one in splits.off_one_tile:
            rest_row = self._rows[rest]
            y = self._get_number(one)
            beginning = self._beginnings[rest]
            row |= beginning << 8 * y  # x+y: byte x moves up by y bytes of 8 bits
            row |= beginning >> 8 * y  # x-y: it moves down
            row |= _multiply_row(rest_row, y, length)  # x*y
            row |= _read_row(rest_row[: y * length : y])  # x/y: every y-th byte
            below_y = list(compress(range(y), rest_row))
            singles += [y - x for x in below_y]
            singles += [y // x for x in below_y if not y % x]
        self._add_joined_values(splits.into_two_hands, sums=singles, products=singles)
        single_row = bytearray(length)
        _mark_numbers(single_row, singles)
        return _cut_row(row | _read_row(single_row), length), singles

    def _add_from_two_hands(self) -> None:
        """Add the values of all tiles that join two hands of two or more tiles."""
        listed: list[Split] = []  # splits of which both hands have lists of values
        for larger, smaller in self._plan.splits_of_all_tiles.into_two_hands:
            if larger in self._rows:  # then the smaller hand has two tiles
                self._add_from_row(larger, self._values[smaller])
            else:
                listed.append((larger, smaller))
        found = self._found_singly  # takes the sums and the products
        self._add_joined_values(listed, sums=found, products=found)

    def _add_from_row(self, hand: Hand, pair_values: _HandValues) -> None:
        """Add the targets that join a hand of all but two tiles, which has a row, with the values of these
        two: x of the row and y of the pair.
        """
        highest = self._highest
        singles: list[int] = []
        row = self._rows[hand]
        for y in pair_values.terms:  # x+y and x-y by shifts of 8 bits for each byte, y-x one by one
            if highest + y < self._beginning_length:
                beginning = self._beginnings[hand]
            else:
                beginning = _read_row(row[: highest + y + 1])
            self._found_row |= beginning << 8 * y | beginning >> 8 * y
            start = max(0, y - highest)  # for a lower x, y-x is above the highest target
            singles += [y - x for x in compress(range(start, y), row[start:])]
        for y in pair_values.factors:  # x*y and x/y
            if y > 1:
                self._found_row |= _multiply_row(row, y, highest + 1)
                self._found_row |= _read_row(row[: y * highest + 1 : y])
        singles += [y // x for y in pair_values.every for x in compress(range(y), row) if not y % x]
        singles += [x // y for x in self._beyond[hand] for y in pair_values.every if not x % y]
        self._found_singly += singles


@lru_cache(1 << 12)
def _find_values_of_few(numbers: tuple[int, ...]) -> _HandValues:
    """Return the values of up to three sorted numbers, from a cache because many draws share such hands."""
    if len(numbers) == 1:
        return _HandValues(terms=numbers, factors=numbers)
    # Each different number is joined last once; of two numbers, one order is enough.
    last_numbers = numbers[:1] if len(numbers) == 2 else dict.fromkeys(numbers)
    pairs = []
    for last in last_numbers:
        rest = list(numbers)
        rest.remove(last)
        pairs.append((_find_values_of_few(tuple(rest)).every, last))
    sums, products = _join_one_number(pairs)
    return _sort_values(sums, products)


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


def _read_row(row: bytes | bytearray) -> int:
    """Convert a row to an integer, whose lowest byte stands for the number 0."""
    return int.from_bytes(row, "little")


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
