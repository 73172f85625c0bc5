"""Skills that a hand needs, for practice.

A hand needs a division if every idea of it has one, a fraction if every idea has one as an intermediate
result, and a subtraction likewise. If the list of ideas was cut, the listed ones count. Other skills depend
on the hand itself: a large target, a target other than 24, a hard level, five cards or more.
"""

from functools import lru_cache

import solver
from bot.games.twentyfour.rules import MEASURED_CARDS, MEASURED_TARGET, Hand
from bot.levels import LEVELS, Level

DIVISION, FRACTION, SUBTRACTION = "division", "fraction", "subtraction"
TARGET, LARGE, HARD, MORE_CARDS = "target", "large", "hard", "cards"
SKILLS = (FRACTION, DIVISION, SUBTRACTION, LARGE, TARGET, HARD, MORE_CARDS)
LARGE_FROM = 50  # The smallest target that is large
HARD_LEVELS: tuple[Level, ...] = LEVELS[2:]  # Hard and fiendish


@lru_cache(4096)
def find_skills(hand: Hand) -> frozenset[str]:
    """Return those of `SKILLS` that a hand needs, by its listed ideas, target, level and number of cards."""
    ideas = hand.ideas
    needed = {
        SUBTRACTION: bool(ideas) and all("-" in idea for idea in ideas),
        DIVISION: bool(ideas) and all("/" in idea for idea in ideas),
        FRACTION: bool(ideas) and all(map(_has_fraction, ideas)),
        TARGET: hand.target != MEASURED_TARGET and hand.target < LARGE_FROM,
        LARGE: hand.target >= LARGE_FROM,
        HARD: hand.level in HARD_LEVELS,
        MORE_CARDS: len(hand.numbers) > MEASURED_CARDS,
    }
    return frozenset(skill for skill, is_needed in needed.items() if is_needed)


def _has_fraction(idea: str) -> bool:
    """Whether an intermediate result of the idea is not whole."""
    return any(part.value.denominator != 1 for part in solver.parse(idea).walk())


def get_practice_level(skill: str, level: Level) -> Level | None:
    """Return the level of hands to practise a skill when the player is at `level`; None for any level.

    Hands that need a fraction are hard anyway, and hands for the skill of hard hands are at least hard.
    """
    if skill == FRACTION:
        return None
    if skill == HARD:
        return level if level in HARD_LEVELS else HARD_LEVELS[0]
    return level
