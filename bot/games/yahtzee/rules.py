"""The rules of Yahtzee without rerolls: thirteen rolls, each for one of thirteen categories.

Everybody has the same rolls and sees them one after the other: the next one once the one before is placed.
The scores, and the bonus of 35 points for 63 in the upper section, are those of `solver.yahtzee` (UVa 10149).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import solver
from bot.levels import LEVELS

TURN_COUNT = len(solver.yahtzee.CATEGORIES)  # Rolls of a game, and categories of a card
UPPER_COUNT = 6  # Categories that count for the bonus
DICE_COUNT = 5
ROLL_PATTERN = re.compile(rf"[1-6]{{{DICE_COUNT}}}")

Roll = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Card:
    categories: tuple[int, ...] = ()  # The index of the category of each placed roll, in their order

    @property
    def turn(self) -> int:
        """The index of the roll that is to be placed now."""
        return len(self.categories)

    @property
    def is_full(self) -> bool:
        return len(self.categories) == TURN_COUNT

    @property
    def open_categories(self) -> list[int]:
        return [category for category in range(TURN_COUNT) if category not in self.categories]


@dataclass(frozen=True, slots=True)
class Deal:
    rolls: tuple[Roll, ...]  # In the order in which everybody sees them
    best: Card
    level: ClassVar[str] = LEVELS[0]  # Not used: the difficulty of rolls is not known
    expected: ClassVar[float] = 0.0
    line: ClassVar[str] = ""  # A line would reveal rolls to come
    recipe: ClassVar[str] = "yahtzee"  # How they follow from a seed (see `solver.fair`)


@dataclass(frozen=True, slots=True)
class Score:
    """The scores of a card, which may not be full."""

    scores: tuple[int | None, ...]  # By category; None for an open one
    bonus: int

    @property
    def bonus_missing(self) -> int:
        """The points that the upper section lacks for the bonus; 0 once it has the bonus."""
        upper_total = sum(score or 0 for score in self.scores[:UPPER_COUNT])
        return max(0, solver.yahtzee.BONUS_FROM - upper_total)

    @property
    def points(self) -> int:
        return sum(score or 0 for score in self.scores) + self.bonus


def score_card(rolls: Sequence[Roll], card: Card) -> Score:
    """Return the scores of the rolls that are placed on the card, and its bonus so far."""
    scores: list[int | None] = [None] * TURN_COUNT
    for roll, category in zip(rolls, card.categories, strict=False):  # The last rolls may not be placed yet
        scores[category] = solver.yahtzee.category_scores(roll)[category]
    upper_total = sum(score or 0 for score in scores[:UPPER_COUNT])
    return Score(tuple(scores), _compute_bonus(upper_total))


def _compute_bonus(upper_total: int) -> int:
    return solver.yahtzee.BONUS if upper_total >= solver.yahtzee.BONUS_FROM else 0


@dataclass(frozen=True, slots=True)
class Exchange:
    roll_index: int  # The roll that should have been in the category …
    category: int  # … instead of the roll that was placed there
    gain: int


def find_best_exchange(rolls: Sequence[Roll], card: Card) -> Exchange | None:
    """Return the exchange of two rolls on a full card that gains most; None if none gains anything.

    It names the one of the two rolls whose new category gains more. Of equal exchanges the first is returned.
    """
    scores = [solver.yahtzee.category_scores(roll) for roll in rolls]  # By roll, then by category
    upper_total = sum(
        scores[roll][category] for roll, category in enumerate(card.categories) if category < UPPER_COUNT
    )
    best: Exchange | None = None
    for one, other in combinations(range(TURN_COUNT), 2):
        # The roll `one` goes from its old category to the new one, and `other` the other way. Each category
        # gains what it scores with its new roll instead of its old one
        old, new = card.categories[one], card.categories[other]
        gains = {new: scores[one][new] - scores[other][new], old: scores[other][old] - scores[one][old]}
        upper_gain = sum(gain for category, gain in gains.items() if category < UPPER_COUNT)
        bonus_gain = _compute_bonus(upper_total + upper_gain) - _compute_bonus(upper_total)
        total_gain = sum(gains.values()) + bonus_gain
        if total_gain > 0 and (best is None or total_gain > best.gain):
            roll_index, category = (one, new) if gains[new] >= gains[old] else (other, old)
            best = Exchange(roll_index, category, total_gain)
    return best


def deal_rolls(seed: int) -> Deal:
    """Return the thirteen rolls of a seed, with a best card."""
    rolls = solver.yahtzee.roll_all(solver.Stream(solver.spell_seed(seed)))
    return Deal(rolls, find_best_card(rolls))


def find_best_card(rolls: Sequence[Roll]) -> Card:
    """Return a card with the most points for these rolls. Raises ValueError if they are not thirteen."""
    roll_by_category = solver.yahtzee.best_card(rolls).assignment
    return Card(tuple(roll_by_category.index(roll) for roll in range(TURN_COUNT)))
