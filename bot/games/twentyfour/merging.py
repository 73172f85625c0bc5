"""Hands of which some numbers are put together in one's head. Nothing here reads a clock or a database.

Who has 5 7 3 12 before them and asks for 24 out of 12 3 12 has added 5 and 7: a solution of that is one of
the hand, with the pair put back. So a question is held against the hand as it is after a step that makes a
whole number, as long as `LEAST` numbers are left of it: with fewer, the bot says no more than everybody sees.
The question may have one number more than that, leave one out, or be scaled; or it is the hand after two
steps, as it is. More would fit questions that are asked for their own sake.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import gcd

LEAST = 3
TIMES = (2, 3)
"""By what all of them may have been divided."""
KEPT = 4096

Numbers = tuple[int, ...]
"""In ascending order."""


def shorter(asked: Numbers, hand: Numbers) -> Iterator[Numbers]:
    """The hands that this one may be after a step or two for whoever asks for something out of `asked`."""
    # A step leaves one number less, of which the question may lack one, or have one beside
    fewer = len(hand) - len(asked)
    if fewer in (0, 1) and len(hand) > LEAST:
        yield from _afters(hand) & _some(asked, len(hand) - 1)
    if fewer == 2 and len(hand) > LEAST:
        yield from (after for after in _after(asked, hand) if not lacking(asked, after))
    if fewer == 2 and len(asked) >= LEAST:
        yield from {after for one in _afters(hand) for after in _after(asked, one) if after == asked}


def lacking(wanted: Sequence[int], had: Sequence[int]) -> int:
    """How many of the wanted numbers are not among those that are had, each of which is taken once."""
    left, missing = list(had), 0
    for number in wanted:
        if number in left:
            left.remove(number)
        else:
            missing += 1
    return missing


def is_scaled(asked: Numbers, target: int, hand: Numbers, goal: int) -> bool:
    """Whether the question is the hand after a step, all of it made greater or smaller alike."""
    if len(asked) != len(hand) - 1 or len(asked) < LEAST or not goal:
        return False
    return any(
        some != asked and wanted == goal and some in _afters(hand) for some, wanted in _scaled(asked, target)
    )


@lru_cache(KEPT)
def _afters(hand: Numbers) -> frozenset[Numbers]:
    """The hand after one step."""
    return frozenset(_after(None, hand))


@lru_cache(KEPT)
def _some(numbers: Numbers, count: int) -> frozenset[Numbers]:
    """The numbers without some of them, in each way that leaves so many."""
    return frozenset(combinations(numbers, count))


def _after(asked: Numbers | None, hand: Numbers) -> Iterator[Numbers]:
    """The hand after one step; where `asked` is known, which has what was made."""
    for one, other in combinations(range(len(hand)), 2):
        rest = [*hand[:one], *hand[one + 1 : other], *hand[other + 1 :]]
        for made in _made(hand[one], hand[other]):
            if asked is None or made in asked:
                yield tuple(sorted([*rest, made]))


def _scaled(numbers: Numbers, target: int) -> Iterator[tuple[Numbers, int]]:
    common = gcd(*numbers, target)
    divisors = (by for by in range(2, min(common, max(numbers)) + 1) if common % by == 0)
    yield from ((tuple(number // by for number in numbers), target // by) for by in divisors)
    yield from ((tuple(number * by for number in numbers), target * by) for by in TIMES)


@lru_cache(KEPT)
def _made(one: int, other: int) -> frozenset[int]:
    """The whole numbers that one operation makes of two."""
    found = {one + other, abs(one - other), one * other}
    found |= {one // other} if other and one % other == 0 else set()
    return frozenset(found | ({other // one} if one and other % one == 0 else set()))
