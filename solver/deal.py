"""Deals that can always be solved.

Cards are drawn as from a pack: each rank four times, without replacement, in the order they fall. So hands
with equal cards come as often as at a table; a uniform draw of numbers would make them rarer.

Hands are drawn until one fits. A deal uses nothing of the generator but `random()`, the one method whose
sequence Python promises to keep, so that a seed gives the same hand on every machine and every version.
"""

from __future__ import annotations

from dataclasses import dataclass

from solver.difficulty import rate
from solver.names import LEVELS
from solver.search import solve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from solver.names import Level

SUITS = 4  # How many cards of each rank the pack holds

MOST_CARDS = 8  # The most cards in a deal

HIGHEST_RANK = 1000  # The highest card that a pack may have

LARGE = (25, 50, 75, 100)
SMALL = tuple(tile for tile in range(1, 11) for _ in range(2))  # The box of Countdown's tiles …

TILES = 6  # … of which so many are drawn …

LOWEST, HIGHEST = 101, 999  # … and the targets of its numbers round

# Hands drawn before giving up, by count of cards: a second or so of looking.
_PATIENCE = {2: 2000, 3: 2000, 4: 1000, 5: 300, 6: 60, 7: 12, 8: 4}


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A hand to be solved."""

    numbers: tuple[int, ...]  # The cards in the order in which they were dealt

    target: int  # What the cards have to make

    level: Level | None = None  # The level that was asked for; None when any would do


def deal(
    rng: Random,
    *,
    cards: int = 4,
    highest: int = 13,
    target: int = 24,
    level: Level | None = None,
) -> Puzzle:
    """A hand that has a solution, drawn with `rng`: the same state of the generator gives the same hand.

    `cards` is 2 to 8, `highest` the highest rank of a pack that starts at 1, `target` a non-negative whole
    number, `level` one of `LEVELS` or None for any.

    Raises ValueError, in one line that says why, for arguments out of these bounds and when no such hand
    turned up within a bounded number of draws.
    """
    _refuse_bad(cards, highest, target, level)
    for numbers in _draws(rng, cards, highest):
        if _fits(numbers, target, level):
            return Puzzle(numbers, target, level)
    kind = f"{level} hand" if level else "hand"
    raise ValueError(f"found no {kind} of {cards} cards from 1 to {highest} that makes {target}")


def draw(rng: Random, large: int | None = None) -> Puzzle:
    """Six tiles and a target of Countdown's numbers round, drawn with `rng` as `deal` does.

    The box holds 25, 50, 75 and 100 once and 1 to 10 twice each; the target is 101 to 999, and need not be
    within reach. `large` is how many of the large tiles are drawn, 0 to 4; None leaves that to chance. They
    come first. Raises ValueError for another number of them.
    (https://en.wikipedia.org/wiki/Countdown_(game_show)#Numbers_round)
    """
    if large is not None and large not in range(len(LARGE) + 1):
        raise ValueError(f"large tiles are 0 to {len(LARGE)}: {large!r}")
    count = int(rng.random() * (len(LARGE) + 1)) if large is None else large
    tiles = [*_taken(rng, LARGE, count), *_taken(rng, SMALL, TILES - count)]
    return Puzzle(tuple(tiles), LOWEST + int(rng.random() * (HIGHEST - LOWEST + 1)))


def _taken(rng: Random, box: tuple[int, ...], count: int) -> Iterator[int]:
    left = list(box)
    for _ in range(count):
        yield left.pop(int(rng.random() * len(left)))


def _refuse_bad(cards: int, highest: int, target: int, level: str | None) -> None:
    if not 2 <= cards <= MOST_CARDS:
        raise ValueError(f"cards must be 2 to {MOST_CARDS}: {cards!r}")
    if not 1 <= highest <= HIGHEST_RANK:
        raise ValueError(f"highest card must be 1 to {HIGHEST_RANK}: {highest!r}")
    if cards > SUITS * highest:
        raise ValueError(f"a pack with ranks 1 to {highest} has only {SUITS * highest} cards: {cards!r}")
    if target < 0:
        raise ValueError(f"target must not be negative: {target!r}")
    if level is not None and level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}: {level!r}")


def _draws(rng: Random, cards: int, highest: int) -> Iterator[tuple[int, ...]]:
    for _ in range(_PATIENCE[cards]):
        pack = [rank for rank in range(1, highest + 1) for _ in range(SUITS)]
        yield tuple(pack.pop(int(rng.random() * len(pack))) for _ in range(cards))


def _fits(numbers: tuple[int, ...], target: int, level: Level | None) -> bool:
    if level is None:
        return next(solve(numbers, target), None) is not None
    try:
        return rate(numbers, target).level == level
    except ValueError:
        return False
