"""Yahtzee in hindsight: thirteen rolls are known, each goes to one category, and the largest total is sought.

The rules are those of UVa problem 10149. The bonus depends only on the sum of the six upper scores, and for
any given six rolls the largest upper sum is also the best for the total. So it is enough to know, for every
six rolls, their best upper sum and the best lower sum of the other seven.

Among equally good cards the one is returned whose scores, read from ones to full house, come last in the
dictionary: every category, in its turn, takes as much as the total allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations

from solver.names import MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from random import Random
    from typing import TypeAlias

    Roll: TypeAlias = tuple[int, ...]
    Layer: TypeAlias = tuple[tuple[int, tuple[tuple[int, int], ...]], ...]
    """For every set of so many rolls, as bits: what is left without one of them, and which one."""
    Filled: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
    """Scores of some categories in their order, and the rolls put there."""

__all__ = [
    "CATEGORIES",
    "ScoreCard",
    "best_card",
    "category_scores",
    "read_games",
    "roll_all",
    "write_card",
]

# In the order in which cards are written.
CATEGORIES = (
    "ones",
    "twos",
    "threes",
    "fours",
    "fives",
    "sixes",
    "chance",
    "three of a kind",
    "four of a kind",
    "five of a kind",
    "short straight",
    "long straight",
    "full house",
)

BONUS = 35
BONUS_FROM = 63

_GAME = len(CATEGORIES)
_UPPER = 6
_DICE = 5
_ALL = (1 << _GAME) - 1


@dataclass(frozen=True, slots=True)
class ScoreCard:
    scores: tuple[int, ...]  # Thirteen scores, in the order of `CATEGORIES`
    bonus: int  # 35 if ones to sixes come to 63 or more, else 0
    total: int  # The scores and the bonus
    assignment: tuple[int, ...]  # For each category, in their order, the index of the roll put there


def category_scores(roll: Iterable[int]) -> tuple[int, ...]:
    """Return the scores of five dice in the `CATEGORIES`. Raises ValueError unless they are five dice."""
    dice = _roll(roll)
    counts = [dice.count(face) for face in range(1, 7)]
    total, most, run = sum(dice), max(counts), _longest_run(counts)
    return (
        *(face * count for face, count in enumerate(counts, 1)),
        total,
        total if most >= 3 else 0,
        total if most >= 4 else 0,
        50 if most == 5 else 0,
        25 if run >= 4 else 0,
        35 if run == 5 else 0,
        40 if most == 5 or (most == 3 and 2 in counts) else 0,
    )


def best_card(rolls: Iterable[Iterable[int]]) -> ScoreCard:
    """The card with the largest total for thirteen rolls of five dice.

    The scores do not depend on the order of the rolls. `ValueError` names a wrong number of rolls or dice,
    or a die that is not 1 to 6.
    """
    rows = _rows(rolls)
    columns = tuple(zip(*rows, strict=True))
    upper, lower = _table(columns[:_UPPER]), _table(columns[_UPPER:])
    totals = {six: _with_bonus(upper[six]) + lower[_ALL ^ six] for six, _ in _layer(_UPPER)}
    best = max(totals.values())
    twins = _twins(rows)
    ties = [six for six, total in totals.items() if total == best and _takes_twins_in_turn(six, twins)]
    scores, assignment = max(
        (_join(_fill(columns[:_UPPER], upper, six, twins), _fill(columns[_UPPER:], lower, _ALL ^ six, twins)))
        for six in ties
    )
    return ScoreCard(scores, best - sum(scores), best, assignment)


def roll_all(rng: Random) -> tuple[Roll, ...]:
    """Thirteen rolls of five dice. Nothing but `random()` of the generator is used, as by `solver.deal`."""
    return tuple(tuple(1 + int(rng.random() * 6) for _ in range(_DICE)) for _ in range(_GAME))


def read_games(lines: Iterable[str]) -> Iterator[tuple[Roll, ...]]:
    """Games of thirteen lines of five dice, lazily; blank lines, byte-order marks mean nothing. (UVa 10149)

    `ValueError` names the line with a wrong number of dice or a wrong die, and a last game that is too short.
    """
    game: list[Roll] = []
    number = 0
    for number, line in enumerate((line.removeprefix(MARK) for line in lines), 1):
        if not line.strip():
            continue
        try:
            game.append(_roll(map(_die, line.split())))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
        if len(game) == _GAME:
            yield tuple(game)
            game = []
    if game:
        raise ValueError(f"line {number}: the last game has only {len(game)} of {_GAME} rolls")


def write_card(card: ScoreCard) -> str:
    """Fifteen numbers: thirteen scores, the bonus, the total. (UVa 10149)"""
    return " ".join(map(str, (*card.scores, card.bonus, card.total)))


def _die(text: str) -> int:
    if text not in {"1", "2", "3", "4", "5", "6"}:
        raise ValueError(f"a die shows 1 to 6, not {text!r}")
    return int(text)


def _roll(roll: Iterable[int]) -> Roll:
    dice = tuple(roll)
    if len(dice) != _DICE:
        raise ValueError(f"a roll has {_DICE} dice, not {len(dice)}: {dice!r}")
    for die in dice:
        if die not in range(1, 7):
            raise ValueError(f"a die shows 1 to 6, not {die!r}")
    return dice


def _rows(rolls: Iterable[Iterable[int]]) -> list[tuple[int, ...]]:
    rows = [category_scores(roll) for roll in rolls]
    if len(rows) != _GAME:
        raise ValueError(f"a game has {_GAME} rolls, not {len(rows)!r}")
    return rows


def _longest_run(counts: Sequence[int]) -> int:
    longest = run = 0
    for count in counts:
        run = run + 1 if count else 0
        longest = max(longest, run)
    return longest


def _with_bonus(upper: int) -> int:
    return upper + BONUS if upper >= BONUS_FROM else upper


@cache
def _layer(size: int) -> Layer:
    sets = ((sum(1 << roll for roll in chosen), chosen) for chosen in combinations(range(_GAME), size))
    return tuple((rolls, tuple((rolls ^ 1 << roll, roll) for roll in chosen)) for rolls, chosen in sets)


def _table(columns: Sequence[Sequence[int]]) -> list[int]:
    """For every set of k rolls, the best sum of the last k of these categories."""
    best = [0] * (_ALL + 1)
    for size, column in enumerate(reversed(columns), 1):
        for rolls, choices in _layer(size):
            top = 0
            # max() over a generator or a list takes twice as long here, and this is where the time goes.
            for rest, roll in choices:
                score = best[rest] + column[roll]
                if score > top:
                    top = score
            best[rolls] = top
    return best


def _twins(rows: Sequence[tuple[int, ...]]) -> list[int]:
    """For each roll, the last one before it that scores the same everywhere, as a bit; 0 if there is none."""
    seen: dict[tuple[int, ...], int] = {}
    twins = []
    for roll, row in enumerate(rows):
        twins.append(seen.get(row, 0))
        seen[row] = 1 << roll
    return twins


def _takes_twins_in_turn(rolls: int, twins: Sequence[int]) -> bool:
    """Twins are interchangeable: of all sets that differ only in which twin they took, one is enough."""
    return all(rolls & twin == twin for roll, twin in enumerate(twins) if rolls >> roll & 1)


def _fill(columns: Sequence[Sequence[int]], best: Sequence[int], rolls: int, twins: Sequence[int]) -> Filled:
    """Put these rolls where they score the best sum, each category in its turn taking as much as it can."""
    scores: tuple[int, ...] = ()
    left: dict[int, tuple[int, ...]] = {rolls: ()}
    for column in columns:
        steps = [
            (column[roll], rest, (*placed, roll))
            for rolls, placed in left.items()
            for rest, roll in _choices(rolls)
            if best[rest] + column[roll] == best[rolls] and not rolls & twins[roll]
        ]
        top = max(score for score, _, _ in steps)
        scores = (*scores, top)
        left = {rest: placed for score, rest, placed in reversed(steps) if score == top}
    return scores, left[0]


def _choices(rolls: int) -> list[tuple[int, int]]:
    return [(rolls ^ 1 << roll, roll) for roll in range(_GAME) if rolls >> roll & 1]


def _join(upper: Filled, lower: Filled) -> Filled:
    return upper[0] + lower[0], upper[1] + lower[1]
