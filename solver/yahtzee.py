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
    # A set of rolls is an integer: bit i is set if it contains the roll of index i.
    RollSet: TypeAlias = int
    Choice: TypeAlias = tuple[RollSet, int]  # A set without one of its rolls, and the index of that roll
    Filled: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]  # Scores by category, and the rolls put there

__all__ = ["CATEGORIES", "ScoreCard", "best_card", "category_scores", "read_games", "roll_all", "write_card"]

# In the order of a score card.
CATEGORIES = (
    *("ones", "twos", "threes", "fours", "fives", "sixes"),
    *("chance", "three of a kind", "four of a kind", "five of a kind"),
    *("short straight", "long straight", "full house"),
)

BONUS = 35
BONUS_FROM = 63

_ROLL_COUNT = len(CATEGORIES)  # Rolls of a game
_UPPER_COUNT = 6  # Upper categories
_DICE_COUNT = 5  # Dice of a roll
_ALL_ROLLS = (1 << _ROLL_COUNT) - 1  # The set of all rolls


@dataclass(frozen=True, slots=True)
class ScoreCard:
    """A filled card: the scores by category, and for each category the index of the roll put there."""

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
        *[face * count for face, count in enumerate(counts, 1)],  # ones to sixes
        total,  # chance
        total if most >= 3 else 0,  # three of a kind
        total if most >= 4 else 0,  # four of a kind
        50 if most == 5 else 0,  # five of a kind
        25 if run >= 4 else 0,  # short straight
        35 if run == 5 else 0,  # long straight
        40 if most == 5 or (most == 3 and 2 in counts) else 0,  # full house
    )


def best_card(rolls: Iterable[Iterable[int]]) -> ScoreCard:
    """Return the card with the largest total for thirteen rolls of five dice; of several, the one whose
    scores, compared in the order of `CATEGORIES`, are the greatest.

    The scores do not depend on the order of the rolls. Raises ValueError for a wrong number of rolls or dice,
    and for a die that is not 1 to 6.
    """
    scores_by_roll = _score_rolls(rolls)
    columns = tuple(zip(*scores_by_roll, strict=True))  # for each category, the score of each roll
    upper_columns = columns[:_UPPER_COUNT]
    lower_columns = columns[_UPPER_COUNT:]
    upper_sums = _find_best_sums(upper_columns)
    lower_sums = _find_best_sums(lower_columns)
    # For each set of six rolls, put into the upper categories; the other seven go into the lower ones.
    totals: dict[RollSet, int] = {}
    for upper_set, _ in _list_sets(_UPPER_COUNT):
        lower_set = _ALL_ROLLS ^ upper_set
        totals[upper_set] = _add_bonus(upper_sums[upper_set]) + lower_sums[lower_set]
    best_total = max(totals.values())
    equals = _find_earlier_equals(scores_by_roll)

    def fill_card(upper_set: RollSet) -> Filled:
        """Return the best scores, and the roll in each category, with these rolls in the upper ones."""
        lower_set = _ALL_ROLLS ^ upper_set
        upper_scores, upper_rolls = _fill_categories(upper_columns, upper_sums, upper_set, equals)
        lower_scores, lower_rolls = _fill_categories(lower_columns, lower_sums, lower_set, equals)
        return upper_scores + lower_scores, upper_rolls + lower_rolls

    best_sets = [upper_set for upper_set, total in totals.items() if total == best_total]
    cards = [fill_card(each) for each in best_sets if _takes_equals_in_order(each, equals)]
    scores, assignment = max(cards)  # the greatest scores in lexicographic order
    return ScoreCard(scores, bonus=best_total - sum(scores), total=best_total, assignment=assignment)


def roll_all(rng: Random) -> tuple[Roll, ...]:
    """Roll five dice thirteen times. Only `random()` of the generator is called, as by `solver.deal`."""
    return tuple([_roll_dice(rng) for _ in range(_ROLL_COUNT)])


def _roll_dice(rng: Random) -> Roll:
    return tuple([1 + int(rng.random() * 6) for _ in range(_DICE_COUNT)])


def read_games(lines: Iterable[str]) -> Iterator[tuple[Roll, ...]]:
    """Read games of thirteen lines of five dice, lazily. Blank lines and byte-order marks are skipped.

    The format is that of UVa 10149. Raises ValueError with the number of a line with wrong dice, and for an
    incomplete last game.
    """
    game: list[Roll] = []
    line_number = 0
    for line_number, raw_line in enumerate(lines, 1):
        words = raw_line.removeprefix(BYTE_ORDER_MARK).split()
        if not words:
            continue
        try:
            dice = [_read_die(word) for word in words]
            game.append(_check_roll(dice))
        except ValueError as error:
            raise ValueError(f"line {line_number}: {error}") from None
        if len(game) == _ROLL_COUNT:
            yield tuple(game)
            game = []
    if game:
        raise ValueError(f"line {line_number}: the last game has only {len(game)} of {_ROLL_COUNT} rolls")


def write_card(card: ScoreCard) -> str:
    """Write a card in the format of UVa 10149: thirteen scores, the bonus and the total."""
    numbers = (*card.scores, card.bonus, card.total)
    return " ".join(str(number) for number in numbers)


def label_card(card: ScoreCard) -> str:
    """Write a card with a line for each category, the bonus and the total, and an empty one at the end."""
    numbers = (*card.scores, card.bonus, card.total)
    labels = (*CATEGORIES, "bonus", "total")
    return "".join(f"{label:15} {number:3}\n" for label, number in zip(labels, numbers, strict=True))


def _read_die(text: str) -> int:
    """Return the number of one die. Raises ValueError for a text that is not 1 to 6."""
    if text not in {"1", "2", "3", "4", "5", "6"}:
        raise ValueError(f"a die shows 1 to 6, not {text!r}")
    return int(text)


def _check_roll(roll: Iterable[int]) -> Roll:
    """Return the dice as a tuple. Raises ValueError unless they are five numbers from 1 to 6."""
    dice = tuple(roll)
    if len(dice) != _DICE_COUNT:
        raise ValueError(f"a roll has {_DICE_COUNT} dice, not {len(dice)}: {dice!r}")
    for die in dice:
        if die not in range(1, 7):
            raise ValueError(f"a die shows 1 to 6, not {die!r}")
    return dice


def _score_rolls(rolls: Iterable[Iterable[int]]) -> list[tuple[int, ...]]:
    """Return, for each roll, its score in each category. Raises ValueError unless there are thirteen rolls of
    five dice.
    """
    scores_by_roll = [category_scores(roll) for roll in rolls]
    if len(scores_by_roll) != _ROLL_COUNT:
        raise ValueError(f"a game has {_ROLL_COUNT} rolls, not {len(scores_by_roll)!r}")
    return scores_by_roll


def _find_longest_run(counts: Sequence[int]) -> int:
    """Return the largest number of successive faces that all occur. `counts` says how often each face from 1
    to 6 does.
    """
    longest = 0
    run = 0
    for count in counts:
        run = run + 1 if count else 0
        longest = max(longest, run)
    return longest


def _add_bonus(upper_sum: int) -> int:
    """Return the sum of the upper scores, with the bonus if it is high enough."""
    return upper_sum + BONUS if upper_sum >= BONUS_FROM else upper_sum


@cache
def _list_sets(size: int) -> tuple[tuple[RollSet, tuple[Choice, ...]], ...]:
    """Return each set of `size` rolls of a game, with a choice for each of its rolls."""
    bits = [1 << roll for roll in range(_ROLL_COUNT)]
    sets = [sum(chosen) for chosen in combinations(bits, size)]
    return tuple((rolls, tuple(_list_choices(rolls))) for rolls in sets)


def _find_best_sums(columns: Sequence[Sequence[int]]) -> list[int]:
    """Return the best sum of every set of rolls, indexed by the set: for k rolls, the largest sum of scores
    if each is put into another of the last k categories. `columns` has the scores of all rolls, by category.
    """
    best = [0] * (_ALL_ROLLS + 1)  # one place for each set
    # From the last category on: one roll is put there, and the rest has its best sum in those after it.
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


def _find_earlier_equals(scores_by_roll: Sequence[tuple[int, ...]]) -> list[RollSet]:
    """Return, for each roll, the set of one roll that is the last before it with the same scores; 0, the set
    of none, if it is the first.
    """
    last_by_scores: dict[tuple[int, ...], RollSet] = {}
    equals = []
    for roll, scores in enumerate(scores_by_roll):
        equals.append(last_by_scores.get(scores, 0))
        last_by_scores[scores] = 1 << roll
    return equals


def _takes_equals_in_order(rolls: RollSet, equals: Sequence[RollSet]) -> bool:
    """Whether a set contains, with each roll, all earlier rolls with the same scores. Equal rolls are
    interchangeable, so of all sets that differ only in them, this one is enough.
    """
    # Each roll needs only the last equal one before it, which needs the one before that, and so on.
    return all(rolls & equals[roll] == equals[roll] for roll in _list_rolls(rolls))


def _fill_categories(
    columns: Sequence[Sequence[int]], best: Sequence[int], rolls: RollSet, equals: Sequence[RollSet]
) -> Filled:
    """Assign a set of rolls to the categories of `columns` so that their sum is the best one; of several
    assignments, take the one with the highest score in the first category, then in the second, and so on.

    `best` is that of `_find_best_sums`, `equals` that of `_find_earlier_equals`.
    """
    scores: tuple[int, ...] = ()
    # The sets of rolls that may remain after the categories so far, and the rolls put into these.
    placed_by_rest: dict[RollSet, tuple[int, ...]] = {rolls: ()}
    for column in columns:
        # Each choice for this category that keeps the best sum; of equal rolls, the first is put first.
        choices = []
        for remaining, placed in placed_by_rest.items():
            for rest, roll in _list_choices(remaining):
                keeps_best_sum = best[rest] + column[roll] == best[remaining]
                has_earlier_equal = remaining & equals[roll]
                if keeps_best_sum and not has_earlier_equal:
                    choices.append((column[roll], rest, (*placed, roll)))
        top = max(score for score, _rest, _placed in choices)
        scores = (*scores, top)
        # Reversed, so that of several ways to the same rest the first one is kept.
        placed_by_rest = {rest: placed for score, rest, placed in reversed(choices) if score == top}
    return scores, placed_by_rest[0]  # 0 is the empty set, which remains at the end


def _list_choices(rolls: RollSet) -> list[Choice]:
    """Return, for each roll of a set, the set without it and its index."""
    return [(rolls - (1 << roll), roll) for roll in _list_rolls(rolls)]


def _list_rolls(rolls: RollSet) -> list[int]:
    """Return the indexes of the rolls of a set, ascending."""
    return [roll for roll in range(_ROLL_COUNT) if rolls >> roll & 1]
