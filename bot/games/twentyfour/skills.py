"""Skills that a hand needs, for practice.

A hand needs a division if every idea of it has one, a fraction if every idea has one as an intermediate
result, and a subtraction likewise. If the list of ideas was cut, the listed ones count. Other skills depend
on the hand itself: a large target, a target other than 24, five cards or more.
"""

from functools import lru_cache

import solver
from bot.games.twentyfour.rules import MEASURED_CARDS, MEASURED_TARGET, Hand
from bot.rounds.puzzle import Skill

DIVISION, FRACTION, SUBTRACTION = "division", "fraction", "subtraction"
TARGET, LARGE, MORE_CARDS = "target", "large", "cards"
FRACTIONS = {FRACTION: Skill(highest_share=0.5, implied=(DIVISION, SUBTRACTION))}
SKILLS = FRACTIONS | dict.fromkeys((DIVISION, SUBTRACTION, LARGE, TARGET, MORE_CARDS), Skill())
LARGE_FROM = 50  # The smallest target that is large


@lru_cache(4096)
def find_skills(hand: Hand) -> frozenset[str]:
    """Return those of `SKILLS` that a hand needs, by its listed ideas, target and number of cards."""
    ideas = hand.ideas
    needed = {
        SUBTRACTION: bool(ideas) and all("-" in idea for idea in ideas),
        DIVISION: bool(ideas) and all("/" in idea for idea in ideas),
        FRACTION: bool(ideas) and all(map(_has_fraction, ideas)),
        TARGET: hand.target != MEASURED_TARGET and hand.target < LARGE_FROM,
        LARGE: hand.target >= LARGE_FROM,
        MORE_CARDS: len(hand.numbers) > MEASURED_CARDS,
    }
    return frozenset(skill for skill, is_needed in needed.items() if is_needed)


def _has_fraction(idea: str) -> bool:
    """Whether an intermediate result of the idea is not whole."""
    return any(part.value.denominator != 1 for part in solver.parse(idea).walk())
