"""The rules of Yahtzee without rerolls: thirteen rolls, each for one of thirteen categories.

Everybody has the same rolls and sees them one after the other: the next one once the one before is placed.
The scores, and the bonus of 35 points for 63 in the upper section, are those of `solver.yahtzee` (UVa 10149).
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any, ClassVar

import solver
from bot.rounds.puzzle import LEVELS

VERSION = 1
TURN_COUNT = len(solver.yahtzee.CATEGORIES)  # Rolls of a game, and categories of a card
UPPER_COUNT = 6  # Categories that count for the bonus
DICE_COUNT = 5
ROLL_PATTERN = re.compile(rf"[1-6]{{{DICE_COUNT}}}")

Roll = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """A player's card."""

    categories: tuple[
        int, ...
    ] = ()  # For each roll that was placed, in their order, the index of its category

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
    """Thirteen rolls, with a best card for them."""

    rolls: tuple[Roll, ...]  # In the order in which everybody sees them
    best: Card
    proof: str = ""  # Proves that they came by chance (see `solver.fair`)
    level: ClassVar[str] = LEVELS[0]  # Not used: the difficulty of rolls is not known
    expected: ClassVar[float] = 0.0

    @property
    def line(self) -> str:
        """The commitment to the rolls, which is shown before anybody plays."""
        return solver.commitment(self.proof) if self.proof else ""


@dataclass(frozen=True, slots=True)
class Score:
    """The scores of a card, which may not be full."""

    scores: tuple[int | None, ...]  # By category; None for an open one
    bonus: int

    @property
    def bonus_missing(self) -> int:
        """The points that the upper section lacks for the bonus; 0 once it has the bonus."""
        return max(0, solver.yahtzee.BONUS_FROM - sum(score or 0 for score in self.scores[:UPPER_COUNT]))

    @property
    def points(self) -> int:
        return sum(score or 0 for score in self.scores) + self.bonus


def place_roll(card: Card, turn: int, category: int) -> Card | None:
    """Return the card with the roll of a turn in a category.

    None if it is another roll's turn or the category is taken, as when a button is pressed twice.
    """
    if card.is_full or turn != card.turn or category not in card.open_categories:
        return None
    return replace(card, categories=(*card.categories, category))


def score_card(rolls: Sequence[Roll], card: Card) -> Score:
    scores: list[int | None] = [None] * TURN_COUNT
    for roll, category in zip(rolls, card.categories, strict=False):
        scores[category] = solver.yahtzee.category_scores(roll)[category]
    return Score(tuple(scores), _compute_bonus(sum(score or 0 for score in scores[:UPPER_COUNT])))


def _compute_bonus(upper: int) -> int:
    return solver.yahtzee.BONUS if upper >= solver.yahtzee.BONUS_FROM else 0


@dataclass(frozen=True, slots=True)
class Exchange:
    """An exchange of two rolls on a full card."""

    roll_index: int  # The roll that should have been in the category …
    category: int  # … instead of the roll that was placed there
    gain: int


def find_best_exchange(rolls: Sequence[Roll], card: Card) -> Exchange | None:
    """Return the exchange of two rolls on a full card that gains most; None if none gains anything.

    It names the one of the two rolls whose new category gains more. Of equal exchanges the first is returned.
    """
    rows, placed = [solver.yahtzee.category_scores(roll) for roll in rolls], card.categories
    upper, best = sum(rows[n][c] for n, c in enumerate(placed) if c < UPPER_COUNT), None
    for one, other in combinations(range(TURN_COUNT), 2):
        first = rows[one][placed[other]] - rows[other][placed[other]]
        second = rows[other][placed[one]] - rows[one][placed[one]]
        more = (first if placed[other] < UPPER_COUNT else 0) + (second if placed[one] < UPPER_COUNT else 0)
        gain = first + second + _compute_bonus(upper + more) - _compute_bonus(upper)
        if gain > 0 and (best is None or gain > best.gain):
            best = (
                Exchange(one, placed[other], gain) if first >= second else Exchange(other, placed[one], gain)
            )
    return best


def find_best_card(rolls: Sequence[Roll]) -> Card:
    """Return a card with the most points for these rolls. Raises ValueError if they are not thirteen."""
    assigned = solver.yahtzee.best_card(rolls).assignment
    return Card(tuple(assigned.index(roll) for roll in range(TURN_COUNT)))


# Rolls that two similar deals have in common at least, or dice in which they differ at most. Two deals of
# chance are so similar about four times in a million by either rule: of 11,170,023 pairs 37 had seven rolls
# in common; of 285,282 pairs one differed in nine dice or fewer (18 is usual).
MIN_COMMON, MAX_DIFFERING = 7, 9


def are_alike(rolls: Sequence[Roll], others: Sequence[Roll]) -> bool:
    """Whether the best card for `others` tells how `rolls` are best played.

    The order of rolls and of their dice makes no difference.
    """
    mine, theirs = (Counter(tuple(sorted(roll)) for roll in each) for each in (rolls, others))
    common = mine & theirs
    differing = _count_differing_dice(list((mine - common).elements()), list((theirs - common).elements()))
    return common.total() >= MIN_COMMON or differing <= MAX_DIFFERING


def _count_differing_dice(rolls: Sequence[Roll], others: Sequence[Roll]) -> int:
    """Pair the most similar rolls first and count the dice in which the pairs differ."""
    pairs = product(range(len(rolls)), range(len(others)))
    similar = sorted(((Counter(rolls[m]) - Counter(others[n])).total(), m, n) for m, n in pairs)
    paired, others_paired, dice = set[int](), set[int](), 0
    for differing, mine, theirs in similar:
        if mine not in paired and theirs not in others_paired:
            paired, others_paired, dice = paired | {mine}, others_paired | {theirs}, dice + differing
    return dice


def pack_card(card: Card) -> dict[str, Any]:
    """Return the card as JSON."""
    return {"v": VERSION, "put": list(card.categories)}


def unpack_card(packed: Mapping[str, Any]) -> Card:
    """Return the card. Raises ValueError if it can't be played on."""
    placed = packed.get("put")
    if packed.get("v") != VERSION or not isinstance(placed, list):
        raise ValueError("no card of a known version")
    if not all(type(c) is int and c in range(TURN_COUNT) for c in placed) or len(set(placed)) != len(placed):
        raise ValueError("a card with wrong categories")
    return Card(tuple(placed))


def pack_deal(deal: Deal) -> dict[str, Any]:
    """Return the deal as JSON."""
    rolls = ["".join(map(str, roll)) for roll in deal.rolls]
    return {"v": VERSION, "rolls": rolls, "best": list(deal.best.categories), "proof": deal.proof}


def unpack_deal(packed: Mapping[str, Any]) -> Deal:
    """Return the deal. Raises ValueError if it can't be played."""
    rolls, proof = packed.get("rolls"), packed.get("proof")
    if packed.get("v") != VERSION or not isinstance(rolls, list) or not isinstance(proof, str):
        raise ValueError("no deal of a known version")
    if len(rolls) != TURN_COUNT or not all(isinstance(r, str) and ROLL_PATTERN.fullmatch(r) for r in rolls):
        raise ValueError("a deal with wrong rolls")
    best = unpack_card({"v": VERSION, "put": packed.get("best")})
    if not best.is_full:
        raise ValueError("a deal whose best card is not full")
    return Deal(tuple(tuple(map(int, roll)) for roll in rolls), best, proof)
