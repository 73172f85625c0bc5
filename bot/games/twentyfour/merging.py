"""Hands of which some numbers are put together in one's head. Nothing here reads a clock or a database.

Who has 5 7 3 12 before them and asks for 24 out of 12 3 12 has added 5 and 7: a solution of that is one of
the hand, with the pair put back. So a question is held against the hand as it is after a step that makes a
whole number, as long as `LEAST` numbers are left of it: with fewer, the bot says no more than everybody sees.
The question may have one number more than that, leave one out, or be scaled; or it is the hand after two
steps, as it is. More would fit questions that are asked for their own sake.
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from math import gcd

LEAST = 3
BESIDE = LACKING = 1
"""Numbers that a question may have beside those of the hand after a step, or leave out."""
TIMES = (2, 3)
"""By what all of them may have been divided."""
KEPT = 4096

Numbers = tuple[int, ...]
"""In ascending order."""


def shorter(asked: Numbers, hand: Numbers) -> Iterator[Numbers]:
    """The hands that this one may be after a step or two for whoever asks for something out of `asked`."""
    fewer = len(hand) - len(asked)
    if -BESIDE <= fewer - 1 <= LACKING:
        yield from (after for after in _after(asked, hand) if len(after) >= LEAST and _fits(asked, after))
    if fewer == 2 and len(asked) >= LEAST:
        yield from {after for one in _after(None, hand) for after in _after(asked, one) if after == asked}


def is_scaled(asked: Numbers, target: int, hand: Numbers, goal: int) -> bool:
    """Whether the question is the hand after a step, all of it made greater or smaller alike."""
    if len(asked) != len(hand) - 1 or len(asked) < LEAST or not goal:
        return False
    return any(
        some != asked and wanted == goal and some in set(_after(some, hand))
        for some, wanted in _scaled(asked, target)
    )


def _fits(asked: Numbers, after: Numbers) -> bool:
    lacking = (Counter(after) - Counter(asked)).total()
    return not lacking or (lacking <= LACKING and len(asked) < len(after))


def _after(asked: Numbers | None, hand: Numbers) -> Iterator[Numbers]:
    """The hand after one step, each way once; where `asked` is known, which has what was made."""
    for pair in sorted(set(combinations(hand, 2))):
        rest = Counter(hand) - Counter(pair)
        for made in sorted(_made(*pair)):
            if asked is None or made in asked:
                yield tuple(sorted([*rest.elements(), made]))


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
