"""What a line asks for, as a deal shows it or as somebody writes it: `3 8 3 8 → 24`."""

import re
from fractions import Fraction
from functools import lru_cache

from bot.games.puzzle import Query
from bot.games.twentyfour import cover

GOAL = re.compile(r"-?[0-9]{1,40}(?:/0{0,39}[1-9][0-9]{0,39})?")
"""What is to be made: a number, or the fraction of two. Such as `1e9` takes for ever, and `1/0` is none."""


@lru_cache(16_384)
def question(line: str) -> cover.Question:
    """What a line asks for. Raises ValueError for a line of another game."""
    dealt, _, goal = line.partition(" → ")
    numbers = [int(number) for number in dealt.split()]
    if len(numbers) < 2 or min(numbers) < 0:
        raise ValueError(f"no hand: {line!r}")
    return cover.question(numbers, _goal(goal))


def _goal(text: str) -> Fraction:
    """What is to be made. Raises ValueError for anything but a plain number or the fraction of two."""
    if not GOAL.fullmatch(text):
        raise ValueError(f"no target: {text!r}")
    return Fraction(text)


@lru_cache(1024)
def question_of(query: Query) -> cover.Question | None:
    """What is asked, with what is shown; None for something that is no question about numbers."""
    dealt, arrow, goal = query.line.partition(" → ")
    try:
        return cover.question(map(int, dealt.split()), _goal(goal), query.shown) if arrow else None
    except ValueError:
        return None
