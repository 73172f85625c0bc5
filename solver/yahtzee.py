"""Yahtzee in hindsight: assign thirteen known rolls to the categories for the largest total.

The rules are those of UVa problem 10149. The bonus depends only on the sum of the six upper scores, so for
any six rolls the largest upper sum is the best for the total too. Therefore two tables suffice: the best
upper sum of every six rolls, and the best lower sum of every seven.

Of cards with the same total, the one with the greatest scores in lexicographic order is returned: ones first
as high as the total allows, then twos, and so on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations

from solver.names import BYTE_ORDER_MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from random import Random
    from typing import TypeAlias

    Roll: TypeAlias = tuple[int, ...]
    # Each set of that many rolls, as bits, with pairs of the set without one of its rolls, and that roll.
    SetsOfSize: TypeAlias = tuple[tuple[int, tuple[tuple[int, int], ...]], ...]
    Filled: TypeAlias = tuple[
        tuple[int, ...], tuple[int, ...]
    ]  # Scores of categories, and the rolls put there

__all__ = ["CATEGORIES", "ScoreCard", "best_card", "category_scores", "read_games", "roll_all", "write_card"]

# In the order of a score card.
CATEGORIES = (
    *("ones", "twos", "threes", "fours", "fives", "sixes"),
    *("chance", "three of a kind", "four of a kind", "five of a kind"),
    *("short straight", "long straight", "full house"),
)

BONUS = 35
BONUS_FROM = 63

_ROLLS = len(CATEGORIES)
_UPPER_CATEGORIES = 6
_DICE = 5
_ALL_ROLLS = (1 << _ROLLS) - 1


@dataclass(frozen=True, slots=True)
class ScoreCard:
    scores: tuple[int, ...]  # In the order of `CATEGORIES`
    bonus: int  # 35 if the upper scores (ones to sixes) add up to 63 or more, else 0
    total: int  # Sum of scores and bonus
    assignment: tuple[int, ...]  # The index of the roll in each category


def category_scores(roll: Iterable[int]) -> tuple[int, ...]:
    """Return the scores of a roll in the order of `CATEGORIES`. Raises ValueError unless it is five dice."""
    dice = _check_roll(roll)
    counts = [dice.count(face) for face in range(1, 7)]
    total = sum(dice)
    most = max(counts)
    run = _find_longest_run(counts)
    return (
        *(face * count for face, count in enumerate(counts, 1)),  # ones to sixes
        total,  # chance
        total if most >= 3 else 0,  # three of a kind
        total if most >= 4 else 0,  # four of a kind
        50 if most == 5 else 0,  # five of a kind
        25 if run >= 4 else 0,  # short straight
        35 if run == 5 else 0,  # long straight
        40 if most == 5 or (most == 3 and 2 in counts) else 0,  # full house
    )


def best_card(rolls: Iterable[Iterable[int]]) -> ScoreCard:
    """Return the card with the largest total for thirteen rolls of five dice.

    The scores do not depend on the order of the rolls. Raises ValueError for a wrong number of rolls or dice,
    and for a die that is not 1 to 6.
    """
    scores_by_roll = _score_rolls(rolls)
    columns = tuple(zip(*scores_by_roll, strict=True))  # the scores by category
    upper_columns, lower_columns = columns[:_UPPER_CATEGORIES], columns[_UPPER_CATEGORIES:]
    upper_sums, lower_sums = _find_best_sums(upper_columns), _find_best_sums(lower_columns)
    # Six rolls, as bits, for the upper categories; the other seven bits are for the lower ones.
    sixes = [six for six, _ in _list_sets(_UPPER_CATEGORIES)]
    totals = {six: _add_bonus(upper_sums[six]) + lower_sums[_ALL_ROLLS ^ six] for six in sixes}
    best = max(totals.values())
    equals = _find_earlier_equals(scores_by_roll)
    ties = [six for six, total in totals.items() if total == best and _takes_equals_in_order(six, equals)]
    cards: list[Filled] = []
    for six in ties:
        upper_scores, upper_rolls = _fill_categories(upper_columns, upper_sums, six, equals)
        lower_scores, lower_rolls = _fill_categories(lower_columns, lower_sums, _ALL_ROLLS ^ six, equals)
        cards.append((upper_scores + lower_scores, upper_rolls + lower_rolls))
    scores, assignment = max(cards)  # the greatest scores in lexicographic order
    return ScoreCard(scores, bonus=best - sum(scores), total=best, assignment=assignment)


def roll_all(rng: Random) -> tuple[Roll, ...]:
    """Roll five dice thirteen times. Only `random()` of the generator is called, as by `solver.deal`."""
    return tuple(tuple(1 + int(rng.random() * 6) for _ in range(_DICE)) for _ in range(_ROLLS))


def read_games(lines: Iterable[str]) -> Iterator[tuple[Roll, ...]]:
    """Read games of thirteen lines of five dice, lazily. Blank lines and byte-order marks are skipped.

    The format is that of UVa 10149. Raises ValueError with the number of a line with wrong dice, and for an
    incomplete last game.
    """
    game: list[Roll] = []
    number = 0
    for number, line in enumerate((line.removeprefix(BYTE_ORDER_MARK) for line in lines), 1):
        if not line.strip():
            continue
        try:
            game.append(_check_roll(map(_read_die, line.split())))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
        if len(game) == _ROLLS:
            yield tuple(game)
            game = []
    if game:
        raise ValueError(f"line {number}: the last game has only {len(game)} of {_ROLLS} rolls")


def write_card(card: ScoreCard) -> str:
    """Write a card in the format of UVa 10149: thirteen scores, the bonus and the total."""
    return " ".join(map(str, (*card.scores, card.bonus, card.total)))


def _read_die(text: str) -> int:
    if text not in {"1", "2", "3", "4", "5", "6"}:
        raise ValueError(f"a die shows 1 to 6, not {text!r}")
    return int(text)


def _check_roll(roll: Iterable[int]) -> Roll:
    """Return the dice. Raises ValueError unless they are five numbers from 1 to 6."""
    dice = tuple(roll)
    if len(dice) != _DICE:
        raise ValueError(f"a roll has {_DICE} dice, not {len(dice)}: {dice!r}")
    for die in dice:
        if die not in range(1, 7):
            raise ValueError(f"a die shows 1 to 6, not {die!r}")
    return dice


def _score_rolls(rolls: Iterable[Iterable[int]]) -> list[tuple[int, ...]]:
    """Return the scores of each roll. Raises ValueError unless there are thirteen rolls of five dice."""
    rows = [category_scores(roll) for roll in rolls]
    if len(rows) != _ROLLS:
        raise ValueError(f"a game has {_ROLLS} rolls, not {len(rows)!r}")
    return rows


def _find_longest_run(counts: Sequence[int]) -> int:
    """Return how many faces in a row occur at least once."""
    longest = 0
    run = 0
    for count in counts:
        run = run + 1 if count else 0
        longest = max(longest, run)
    return longest


def _add_bonus(upper: int) -> int:
    return upper + BONUS if upper >= BONUS_FROM else upper


@cache
def _list_sets(size: int) -> SetsOfSize:
    """Return all sets of `size` rolls (see `SetsOfSize`)."""
    sets = [sum(bits) for bits in combinations([1 << roll for roll in range(_ROLLS)], size)]
    return tuple((rolls, tuple(_list_choices(rolls))) for rolls in sets)


def _find_best_sums(columns: Sequence[Sequence[int]]) -> list[int]:
    """Return, for every set of k rolls as bits, its best sum in the last k of these categories."""
    best = [0] * (_ALL_ROLLS + 1)  # one place for each set
    for size, column in enumerate(reversed(columns), 1):
        for rolls, choices in _list_sets(size):
            top = 0
            # max() over a generator or a list takes twice as long here, and this is where the time goes.
            for rest, roll in choices:
                score = best[rest] + column[roll]
                if score > top:
                    top = score
            best[rolls] = top
    return best


def _find_earlier_equals(rows: Sequence[tuple[int, ...]]) -> list[int]:
    """Return, for each roll, the last roll before it with the same scores, as a bit; 0 if there is none."""
    seen: dict[tuple[int, ...], int] = {}
    equals = []
    for roll, row in enumerate(rows):
        equals.append(seen.get(row, 0))
        seen[row] = 1 << roll
    return equals


def _takes_equals_in_order(rolls: int, equals: Sequence[int]) -> bool:
    """Whether a set contains, with each roll, all earlier rolls with the same scores. Equal rolls are
    interchangeable, so of all sets that differ only in them, this one is enough.
    """
    rolls_of_set = [roll for roll in range(_ROLLS) if rolls >> roll & 1]
    return all(rolls & equals[roll] == equals[roll] for roll in rolls_of_set)


def _fill_categories(
    columns: Sequence[Sequence[int]], best: Sequence[int], rolls: int, equals: Sequence[int]
) -> Filled:
    """Assign a set of rolls to categories for the best sum, with the highest possible scores in the first."""
    scores: tuple[int, ...] = ()
    # The sets of rolls that may be left after the categories so far, and the rolls put into these.
    placed_by_rest: dict[int, tuple[int, ...]] = {rolls: ()}
    for column in columns:
        # Each choice for this category that keeps the best sum; of equal rolls, the first is put first.
        choices = [
            (column[roll], rest, (*placed, roll))
            for rolls, placed in placed_by_rest.items()
            for rest, roll in _list_choices(rolls)
            if best[rest] + column[roll] == best[rolls] and not rolls & equals[roll]
        ]
        top = max(score for score, _, _ in choices)
        scores = (*scores, top)
        # Reversed, so that of several ways to the same rest the first one is kept.
        placed_by_rest = {rest: placed for score, rest, placed in reversed(choices) if score == top}
    return scores, placed_by_rest[0]  # the set without any roll is left


def _list_choices(rolls: int) -> list[tuple[int, int]]:
    """Return pairs of the set without one of its rolls, and that roll."""
    return [(rolls ^ 1 << roll, roll) for roll in range(_ROLLS) if rolls >> roll & 1]
