"""Yahtzee in the classic problem's form: thirteen rolls, none of them thrown again, each for one category.

Everybody has the same rolls and sees them one after the other: the next comes once the one before has its
place. The scores, and the 35 points for 63 in the upper section, are those of `solver.yahtzee` (UVa 10149).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import solver

VERSION = 1
GAME = len(solver.yahtzee.CATEGORIES)
"""Rolls of a game, and categories of a card."""
UPPER = 6
"""Categories that count for the bonus."""

Roll = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """How far somebody has come."""

    put: tuple[int, ...] = ()
    """For each roll that has its place, in their order, the index of its category."""

    @property
    def at(self) -> int:
        """The index of the roll that is to be put somewhere now."""
        return len(self.put)

    @property
    def is_full(self) -> bool:
        """Whether every roll has its place."""
        return len(self.put) == GAME

    @property
    def free(self) -> list[int]:
        """The categories that are open."""
        return [category for category in range(GAME) if category not in self.put]


@dataclass(frozen=True, slots=True)
class Total:
    """What a card comes to, so far or at its end."""

    scores: tuple[int | None, ...]
    """By category; None for an open one."""
    bonus: int

    @property
    def points(self) -> int:
        """All together."""
        return sum(score or 0 for score in self.scores) + self.bonus


@dataclass(frozen=True, slots=True)
class Better:
    """The one exchange that would have helped most."""

    roll: int
    """The roll that belonged elsewhere …"""
    category: int
    """… namely here, in exchange for the roll that stood there."""
    gain: int


def place(card: Card, at: int, category: int) -> Card | None:
    """The card with roll `at` put into a category.

    None where another roll is to be put now, or the category is taken: a press that comes twice or late.
    """
    if card.is_full or at != card.at or category not in card.free:
        return None
    return replace(card, put=(*card.put, category))


def total(rolls: Sequence[Roll], card: Card) -> Total:
    """What a card comes to."""
    scores: list[int | None] = [None] * GAME
    for roll, category in zip(rolls, card.put, strict=False):
        scores[category] = solver.yahtzee.category_scores(roll)[category]
    upper = sum(score or 0 for score in scores[:UPPER])
    return Total(tuple(scores), _bonus(upper))


def better(rolls: Sequence[Roll], card: Card) -> Better | None:
    """The exchange of two rolls on a full card that gains most; None where none gains anything.

    Of the two, that roll is named whose new category gains more by it; of equally good exchanges the first.
    """
    rows, put = [solver.yahtzee.category_scores(roll) for roll in rolls], card.put
    upper, best = sum(rows[n][c] for n, c in enumerate(put) if c < UPPER), None
    for one, other in combinations(range(GAME), 2):
        first = rows[one][put[other]] - rows[other][put[other]]
        second = rows[other][put[one]] - rows[one][put[one]]
        more = (first if put[other] < UPPER else 0) + (second if put[one] < UPPER else 0)
        gain = first + second + _bonus(upper + more) - _bonus(upper)
        if gain > 0 and (best is None or gain > best.gain):
            best = Better(one, put[other], gain) if first >= second else Better(other, put[one], gain)
    return best


def _bonus(upper: int) -> int:
    return solver.yahtzee.BONUS if upper >= solver.yahtzee.BONUS_FROM else 0


def pack(card: Card) -> dict[str, Any]:
    """The card as JSON."""
    return {"v": VERSION, "put": list(card.put)}


def unpack(packed: Mapping[str, Any]) -> Card:
    """The card again. Raises ValueError for one that nobody could play on."""
    put = packed.get("put")
    if packed.get("v") != VERSION or not isinstance(put, list):
        raise ValueError("no card of a known version")
    if not all(type(c) is int and c in range(GAME) for c in put) or len(set(put)) != len(put):
        raise ValueError("its categories are none")
    return Card(tuple(put))
