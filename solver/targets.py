"""Every target of a draw, up to a bound.

What the tiles make is written out for hands of all but two of them; beyond that only what may still come to
a target is looked at. Which numbers a hand makes is then a row of bytes, one for each number, 1 where it is
made: adding a tile moves the row along, taking it away moves it back, multiplying spreads it and dividing
takes every so manieth byte. Each is one step, however many numbers there are.

Fewer ways are tried than there are expressions, for terms and factors may be joined in any order. A sum is
made by adding or taking away one of its terms, one of those of the fewest tiles; a product of whole numbers
likewise by multiplying with one of its factors, and one with divisors by dividing once, last, so that all
stays whole. What would be 0 on the way is not made: then fewer tiles make the same.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, compress
from math import gcd

from solver.nearest import every_value, whole_number, whole_numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    Hand: TypeAlias = int
    """Some of the tiles, as bits: 1 is the lowest tile."""
    Split: TypeAlias = tuple[Hand, Hand]
    """A hand in two parts, the larger first."""

NEARBY = 50  # Numbers a little above the highest target are at hand for this much or the highest tile, twice
FEWEST, MOST = 5, 8  # Tiles from which and up to which rows are worth while
FEW = 3  # Tiles up to which what they make is kept for other draws
LONGEST = 1 << 20  # Bytes that a row may have


def reachable(tiles: Iterable[int], highest: int | None = None) -> frozenset[int]:
    """Every target that these tiles can make under the rules COUNTDOWN, of those up to `highest`.

    ValueError unless there is a tile, and tiles and `highest` are whole and not negative.
    """
    drawn = whole_numbers(tiles)
    if highest is None:
        return every_value(drawn)
    whole_number(highest, "the highest target")
    if not FEWEST <= len(drawn) <= MOST or not drawn[0] or _reach(drawn, highest) > LONGEST:
        return frozenset(value for value in every_value(drawn) if value <= highest)
    return _Targets(drawn, highest).found()


def _reach(tiles: Sequence[int], highest: int) -> int:
    """Return the largest value that can still reach a target by a division by one tile, after ± one tile."""
    return (highest + tiles[-1]) * tiles[-1] + 1


class _Values:
    """All values that a hand makes."""

    __slots__ = ("every", "factors", "terms")

    def __init__(self, terms: Iterable[int], factors: Iterable[int]) -> None:
        self.terms = list(terms)  # of numbers and products, which may stand in a sum
        self.factors = list(factors)  # of numbers and sums, which may stand in a product
        self.every = list({*terms, *factors})


class _Plan:
    """The hands of a draw and the splits of each. Of hands with equal numbers there is one."""

    def __init__(self, first: Sequence[int]) -> None:
        """`first` names for each tile the first one that is equal to it."""
        self._first = first
        every = range(len(first))
        bits = [1 << tile for tile in every]
        sizes = range(2, len(first) - 1)
        hands = [hand for size in sizes for hand in map(sum, combinations(bits, size))]
        hands = [hand for hand in hands if hand == self._usual(hand)]
        few = min(FEW, len(first) - 3)
        self.few = [(hand, _tiles(hand)) for hand in hands if hand.bit_count() <= few]
        """The hands of few tiles, and which tiles they are …"""
        self.hands = [(hand, *self._splits(hand)) for hand in hands if hand.bit_count() > few]
        """… and those of more, and how they are split."""
        whole = (1 << len(first)) - 1
        ones = [bit for bit in bits if bit == self._usual(bit)]
        self.last = [(one, *self._splits(self._usual(whole ^ one))) for one in ones]
        """Each tile that may come last, and the splits of the others."""
        self.whole = self._splits(whole)[1]

    def _usual(self, hand: Hand) -> Hand:
        """The hand with the same numbers in which of equal tiles the first are taken."""
        usual = 0
        for tile in _tiles(hand):
            bit = 1 << self._first[tile]
            while usual & bit:
                bit <<= 1
            usual |= bit
        return usual

    def _splits(self, hand: Hand) -> tuple[list[Split], list[Split]]:
        """The splits of a hand into one tile and the others, and into two tiles or more and the others."""
        bits = [1 << tile for tile in _tiles(hand)]
        found: tuple[list[Split], list[Split]] = [], []
        for size in range(1, len(bits) // 2 + 1):
            for part in map(sum, combinations(bits, size)):
                if part == self._usual(part) and (2 * size < len(bits) or part & bits[0]):
                    found[size > 1].append((self._usual(hand ^ part), part))
        return found


def _tiles(hand: Hand) -> list[int]:
    return [tile for tile in range(hand.bit_length()) if hand >> tile & 1]


@lru_cache(64)
def _plan(first: tuple[int, ...]) -> _Plan:
    return _Plan(first)


class _Targets:
    """The search for one draw."""

    def __init__(self, tiles: tuple[int, ...], highest: int) -> None:
        self._highest = highest
        self._plan = _plan(tuple(map(tiles.index, tiles)))
        self._values = {1 << n: _Values([tile], [tile]) for n, tile in enumerate(tiles)}
        self._more: list[int] = list(tiles)  # numbers of any size, found one by one
        self._rows: dict[Hand, bytearray] = {}  # the values of the largest hands that are written out …
        self._beyond: dict[Hand, list[int]] = {}  # … and those of them that are too large for a row
        self._length = _reach(tiles, highest)
        self._near: dict[Hand, int] = {}  # the beginning of each row, as a number
        self._found = 0
        """The targets that were found, as a row."""
        self._begin = begin = highest + 2 * max(tiles[-1], NEARBY) + 1
        for hand, chosen in self._plan.few:
            self._values[hand] = values = _few(tuple([tiles[tile] for tile in chosen]))
            self._more += values.every
        for hand, ones, others in self._plan.hands:
            sums, products = self._made(ones, others)
            if hand.bit_count() < len(tiles) - 2:
                self._values[hand] = values = _Values(set(products), set(sums) - {0})
                self._more += values.every
            else:
                self._rows[hand], self._beyond[hand] = row, beyond = bytearray(self._length), list[int]()
                _set(row, sums, beyond)
                _set(row, products, beyond)
                row[0] = 0
                self._near[hand] = near = _read(row[:begin])
                self._found |= near

    def found(self) -> frozenset[int]:
        for one, ones, others in self._plan.last:
            self._join_last(self._values[one].every[0], ones, others)
        self._join_two()
        length = self._highest + 1
        row = bytearray((self._found & (1 << 8 * length) - 1).to_bytes(length, "little"))
        _set(row, self._more)
        row[0] = 0
        return frozenset(compress(range(length), row))

    def _made(self, ones: Iterable[Split], others: Iterable[Split]) -> tuple[list[int], list[int]]:
        """The sums, 0 among them, and the products that a hand makes."""
        values = self._values
        sums, products = _by_one([(values[rest].every, values[one].every[0]) for rest, one in ones])
        if others:
            self._join(others, sums, products)
        return sums, products

    def _join(self, splits: Iterable[Split], sums: list[int], products: list[int]) -> None:
        """Add the values of two hands of two or more tiles: a term or factor of the smaller, and any rest."""
        values = self._values
        pairs = [(values[larger], values[smaller]) for larger, smaller in splits]
        sums += [x + y for xs, ys in pairs for y in ys.terms for x in xs.every]
        sums += [x - y if x > y else y - x for xs, ys in pairs for y in ys.terms for x in xs.every]
        products += [x * y for xs, ys in pairs for y in ys.factors for x in xs.every]
        products += [x // y for xs, ys in pairs for y in ys.factors if y > 1 for x in xs.every if not x % y]
        products += [y // x for xs, ys in pairs for y in ys.every for x in xs.factors if not y % x]

    def _join_last(self, last: int, ones: Iterable[Split], others: Iterable[Split]) -> None:
        """Add the values of all tiles with one joined last, and those of the others by themselves."""
        highest = self._highest
        length = highest + last + 1  # up to here the others reach a target by subtracting the last tile
        row, singles = 0, list[int]()
        for rest, one in ones:
            x, y, near = self._rows[rest], self._values[one].every[0], self._near[rest]
            row |= near << 8 * y | near >> 8 * y | _spread(x, y, length) | _read(x[: y * length : y])
            few = list(compress(range(y), x))
            singles += [y - n for n in few]
            singles += [y // n for n in few if not y % n]
            if last > 1:
                self._found |= _divided(x, y, last, highest)
        self._join(others, singles, singles)
        nearby = bytearray(length)
        _set(nearby, singles)
        row = (row | _read(nearby)) & (1 << 8 * length) - 1
        nearby = bytearray(row.to_bytes(length, "little"))
        nearby[0] = 0
        self._found |= row | row << 8 * last | row >> 8 * last | _spread(nearby, last, highest + 1)
        few = list(compress(range(last), nearby))
        self._more += [last - n for n in few]
        self._more += [last // n for n in few if not last % n]
        self._more += [n // last for n in singles if not n % last]

    def _join_two(self) -> None:
        """Add the values of all tiles made of two hands, neither of them one tile."""
        highest, more = self._highest, self._more
        self._join([split for split in self._plan.whole if split[0] not in self._rows], more, more)
        for larger, smaller in self._plan.whole:
            if larger in self._rows:
                row, ys = self._rows[larger], self._values[smaller]
                for y in ys.terms:
                    shown = highest + y < self._begin
                    near = self._near[larger] if shown else _read(row[: highest + y + 1])
                    self._found |= near << 8 * y | near >> 8 * y
                    begin = max(0, y - highest)
                    more += [y - n for n in compress(range(begin, y), row[begin:])]
                for y in filter((1).__lt__, ys.factors):
                    self._found |= _spread(row, y, highest + 1) | _read(row[: y * highest + 1 : y])
                more += [y // x for y in ys.every for x in compress(range(y), row) if not y % x]
                more += [x // y for x in self._beyond[larger] for y in ys.every if not x % y]


@lru_cache(1 << 12)
def _few(numbers: tuple[int, ...]) -> _Values:
    """Return the values of up to three numbers; cached, since the same threes come again in many draws."""
    if len(numbers) == 1:
        return _Values(numbers, numbers)
    parts = range(len(numbers) if len(numbers) > 2 else 1)
    rests = {numbers[:n] + numbers[n + 1 :]: numbers[n] for n in parts}
    sums, products = _by_one([(_few(rest).every, one) for rest, one in rests.items()])
    return _Values(set(products), set(sums) - {0})


def _by_one(pairs: Iterable[tuple[Sequence[int], int]]) -> tuple[list[int], list[int]]:
    """The sums, 0 among them, and the products of any of some numbers and one."""
    sums = [x + y for xs, y in pairs for x in xs]
    sums += [x - y if x > y else y - x for xs, y in pairs for x in xs]
    products = [x * y for xs, y in pairs for x in xs]
    products += [x // y for xs, y in pairs if y > 1 for x in xs if not x % y]
    products += [y // x for xs, y in pairs for x in xs if x < y and not y % x]
    return sums, products


def _read(row: bytes | bytearray) -> int:
    return int.from_bytes(row, "little")


def _set(row: bytearray, numbers: Iterable[int], beyond: list[int] | None = None) -> None:
    """Mark the numbers in the row; those `beyond` it are kept there."""
    length = len(row)
    for n in numbers:
        if n < length:
            row[n] = 1
        elif beyond is not None:
            beyond.append(n)


def _spread(row: bytearray, factor: int, length: int) -> int:
    """The row of the products below `length` with the factor."""
    few = row[: (length - 1) // factor + 1]
    products = bytearray(len(few) * factor)
    products[::factor] = few
    return _read(products)


def _divided(row: bytearray, y: int, divisor: int, highest: int) -> int:
    """The row of the targets that are (x+y)/divisor, (x-y)/divisor, x*y/divisor or x/y/divisor."""
    shared = gcd(y, divisor)
    factor, step = y // shared, divisor // shared
    multiples = row[: highest // factor * step + 1 : step]
    above, below = -y % divisor, y % divisor
    sums = _read(row[above : highest * divisor : divisor]) << 8 * ((above + y) // divisor)
    differences = _read(row[below : highest * divisor + y + 1 : divisor]) >> 8 * (y // divisor)
    quotients = _read(row[: highest * divisor * y + 1 : divisor * y])
    return sums | differences | _spread(multiples, factor, highest + 1) | quotients
