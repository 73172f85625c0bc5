"""Yahtzee in the classic problem's form: thirteen rolls, none of them thrown again, each for one category.

Everybody has the same rolls and sees them one after the other: the next comes once the one before has its
place. The scores, and the 35 points for 63 in the upper section, are those of `solver.yahtzee` (UVa 10149).
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
WORTH = 10  # Points of a card's total that are worth one on the boards
# Rolls that two games have in common from which they count as the same; dice that may differ in all.
SAME, SPARE = 7, 9

Roll = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """How far somebody has come."""

    categories: tuple[
        int, ...
    ] = ()  # For each roll that has its place, in their order, the index of its category

    @property
    def turn(self) -> int:
        """The index of the roll that is to be put somewhere now."""
        return len(self.categories)

    @property
    def is_full(self) -> bool:
        """Whether every roll has its place."""
        return len(self.categories) == TURN_COUNT

    @property
    def open_categories(self) -> list[int]:
        """The categories that are open."""
        return [category for category in range(TURN_COUNT) if category not in self.categories]


@dataclass(frozen=True, slots=True)
class Deal:
    """Thirteen rolls, with a card that makes the most of them."""

    rolls: tuple[Roll, ...]  # In the order in which everybody sees them
    best: Card
    proof: str = ""  # What proves that they came by chance (see `solver.fair`)
    level: ClassVar[str] = LEVELS[0]  # Nothing depends on it: nobody can say how hard thirteen rolls are
    expected: ClassVar[float] = 0.0

    @property
    def line(self) -> str:
        """What the deal shows of the rolls before anybody plays: what they were committed to."""
        return solver.commitment(self.proof) if self.proof else ""


@dataclass(frozen=True, slots=True)
class Score:
    """What a card comes to, so far or at its end."""

    scores: tuple[int | None, ...]  # By category; None for an open one
    bonus: int

    @property
    def bonus_missing(self) -> int:
        """What the upper section lacks for the bonus; 0 once it has it."""
        return max(0, solver.yahtzee.BONUS_FROM - sum(score or 0 for score in self.scores[:UPPER_COUNT]))

    @property
    def points(self) -> int:
        """All together."""
        return sum(score or 0 for score in self.scores) + self.bonus


@dataclass(frozen=True, slots=True)
class Exchange:
    """The one exchange that would have helped most."""

    roll_index: int  # The roll that belonged elsewhere …
    category: int  # … namely here, in exchange for the roll that stood there
    gain: int


def place_roll(card: Card, at: int, category: int) -> Card | None:
    """The card with roll `at` put into a category.

    None where another roll is to be put now, or the category is taken: a press that comes twice or late.
    """
    if card.is_full or at != card.turn or category not in card.open_categories:
        return None
    return replace(card, categories=(*card.categories, category))


def score_card(rolls: Sequence[Roll], card: Card) -> Score:
    """What a card comes to."""
    scores: list[int | None] = [None] * TURN_COUNT
    for roll, category in zip(rolls, card.categories, strict=False):
        scores[category] = solver.yahtzee.category_scores(roll)[category]
    upper = sum(score or 0 for score in scores[:UPPER_COUNT])
    return Score(tuple(scores), _bonus(upper))


def find_best_exchange(rolls: Sequence[Roll], card: Card) -> Exchange | None:
    """The exchange of two rolls on a full card that gains most; None where none gains anything.

    Of the two, that roll is named whose new category gains more by it; of equally good exchanges the first.
    """
    rows, put = [solver.yahtzee.category_scores(roll) for roll in rolls], card.categories
    upper, best = sum(rows[n][c] for n, c in enumerate(put) if c < UPPER_COUNT), None
    for one, other in combinations(range(TURN_COUNT), 2):
        first = rows[one][put[other]] - rows[other][put[other]]
        second = rows[other][put[one]] - rows[one][put[one]]
        more = (first if put[other] < UPPER_COUNT else 0) + (second if put[one] < UPPER_COUNT else 0)
        gain = first + second + _bonus(upper + more) - _bonus(upper)
        if gain > 0 and (best is None or gain > best.gain):
            best = Exchange(one, put[other], gain) if first >= second else Exchange(other, put[one], gain)
    return best


def _bonus(upper: int) -> int:
    return solver.yahtzee.BONUS if upper >= solver.yahtzee.BONUS_FROM else 0


def pack_card(card: Card) -> dict[str, Any]:
    """The card as JSON."""
    return {"v": VERSION, "put": list(card.categories)}


def unpack_card(packed: Mapping[str, Any]) -> Card:
    """The card again. Raises ValueError for one that nobody could play on."""
    put = packed.get("put")
    if packed.get("v") != VERSION or not isinstance(put, list):
        raise ValueError("no card of a known version")
    if not all(type(c) is int and c in range(TURN_COUNT) for c in put) or len(set(put)) != len(put):
        raise ValueError("its categories are none")
    return Card(tuple(put))


def find_best_card(rolls: Sequence[Roll]) -> Card:
    """A card that makes the most of them. Raises ValueError for rolls that are none."""
    assigned = solver.yahtzee.best_card(rolls).assignment
    return Card(tuple(assigned.index(roll) for roll in range(TURN_COUNT)))


def compute_points(total: int) -> int:
    """What a finished card is worth on the boards: one for each full `WORTH`."""
    return total // WORTH


def are_alike(rolls: Sequence[Roll], others: Sequence[Roll]) -> bool:
    """Whether somebody who asks for the best of `others` learns how `rolls` are best played.

    That is so where `SAME` of them agree, whatever their order and that of their dice, or where all of them
    together, the nearest put beside each other first, differ by `SPARE` dice at most. Two games of chance
    come so near about four times in a million each way: of 11,170,023 pairs 37 had seven rolls in common,
    and of 285,282 one had a matching of nine dice or fewer (18 is usual).
    """
    ours, theirs = (Counter(tuple(sorted(roll)) for roll in each) for each in (rolls, others))
    same = (ours & theirs).total()
    left = [list((each - (ours & theirs)).elements()) for each in (ours, theirs)]
    return same >= SAME or _apart(left[0], left[1]) <= SPARE


def _apart(rolls: Sequence[Roll], others: Sequence[Roll]) -> int:
    """How many dice differ where the nearest rolls are put beside each other first."""
    pairs = product(range(len(rolls)), range(len(others)))
    near = sorted((_differing(rolls[one], others[other]), one, other) for one, other in pairs)
    ours, theirs, dice = set[int](), set[int](), 0
    for differing, one, other in near:
        if one not in ours and other not in theirs:
            ours, theirs, dice = ours | {one}, theirs | {other}, dice + differing
    return dice


def _differing(one: Roll, other: Roll) -> int:
    return (Counter(one) - Counter(other)).total()


def pack_deal(deal: Deal) -> dict[str, Any]:
    """The deal as JSON."""
    rolls = ["".join(map(str, roll)) for roll in deal.rolls]
    return {"v": VERSION, "rolls": rolls, "best": list(deal.best.categories), "proof": deal.proof}


def unpack_deal(packed: Mapping[str, Any]) -> Deal:
    """The deal again. Raises ValueError for one that nobody could play."""
    rolls, proof = packed.get("rolls"), packed.get("proof")
    if packed.get("v") != VERSION or not isinstance(rolls, list) or not isinstance(proof, str):
        raise ValueError("no deal of a known version")
    if len(rolls) != TURN_COUNT or not all(
        isinstance(roll, str) and ROLL_PATTERN.fullmatch(roll) for roll in rolls
    ):
        raise ValueError("its rolls are none")
    best = unpack_card({"v": VERSION, "put": packed.get("best")})
    if not best.is_full:
        raise ValueError("its best card is none")
    return Deal(tuple(tuple(map(int, roll)) for roll in rolls), best, proof)
