"""What a hand asks of people: which skills all of its solutions need. Nothing here reads a clock.

A hand needs a division if every idea of it has one, a fraction if every idea has one on the way, and a
subtraction likewise. Where the list of ideas is cut, what all the listed ones need counts. It belongs to
other skills by what it is: a large target, another one than 24, a hard level, five cards or more.
"""

from functools import lru_cache

import solver
from bot.games.twentyfour.rules import MEASURED_CARDS, MEASURED_TARGET, Hand
from bot.rounds.puzzle import LEVELS, Level

DIVISION, FRACTION, SUBTRACTION = "division", "fraction", "subtraction"
TARGET, LARGE, HARD, MORE_CARDS = "target", "large", "hard", "cards"
SKILLS = (DIVISION, FRACTION, SUBTRACTION, LARGE, TARGET, HARD, MORE_CARDS)
LARGE_FROM = 50  # The least target that is large
HARD_LEVELS: tuple[Level, ...] = LEVELS[2:]


def find_skills(hand: Hand) -> frozenset[str]:
    """The skills that the hand belongs to."""
    by_what_it_is = {
        TARGET: hand.target != MEASURED_TARGET and hand.target < LARGE_FROM,
        LARGE: hand.target >= LARGE_FROM,
        HARD: hand.level in HARD_LEVELS,
        MORE_CARDS: len(hand.numbers) > MEASURED_CARDS,
    }
    return find_needed_skills(hand.ideas) | {skill for skill, held in by_what_it_is.items() if held}


@lru_cache(4096)
def find_needed_skills(ideas: tuple[str, ...]) -> frozenset[str]:
    """What every one of the ideas needs; nothing where none is known."""
    found = set[str]()
    if ideas and all("-" in idea for idea in ideas):
        found.add(SUBTRACTION)
    if ideas and all("/" in idea for idea in ideas):
        found.add(DIVISION)
        if all(map(_has_fraction, ideas)):
            found.add(FRACTION)
    return frozenset(found)


def get_practice_level(skill: str, level: Level) -> Level | None:
    """The level to look for where that one is wanted: fractions are hard as they are, some hands by name."""
    if skill == FRACTION:
        return None
    return max(level, HARD_LEVELS[0], key=LEVELS.index) if skill == HARD else level


def _has_fraction(idea: str) -> bool:
    """Whether something on the way is no whole number."""
    try:
        return any(part.value.denominator != 1 for part in solver.parse(idea).walk())
    except solver.ExpressionError:
        return False
