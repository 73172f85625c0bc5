"""Deal hands that have a solution.

Cards are drawn without replacement from a pack with four cards of each rank, so that equal cards are as
frequent as at a table.

Hands are drawn until one has a solution and the wanted level, or about the wanted share of people find it. A
deal calls no method of the generator but `random()`: it is the only one whose sequence Python promises to
keep, so that a seed gives the same hand on every machine and every version.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import log

from solver.difficulty import rate
from solver.names import LEVELS
from solver.search import solve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from random import Random

    from solver.names import Level

SUITS = 4  # Cards of each rank in a pack
MAX_CARDS = 8  # The most cards in a deal
MAX_RANK = 1000  # The highest card that a pack may have

LARGE_TILES = (25, 50, 75, 100)
SMALL_TILES = tuple(sorted([*range(1, 11), *range(1, 11)]))  # The box of Countdown's tiles
TILE_COUNT = 6  # Tiles in a draw of Countdown
LOWEST_TARGET = 101  # Of Countdown
HIGHEST_TARGET = 999

# Hands drawn before giving up, by number of cards: about a second's work.
_MAX_DRAWS = {2: 2000, 3: 2000, 4: 1000, 5: 300, 6: 60, 7: 12, 8: 4}

SOLVED_TOLERANCE = 0.25  # In log odds: a hand whose share of people is so near to the wanted one is dealt …
SOLVED_DRAWS = 100  # … or else the nearest of so many hands with a solution


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A hand to be solved."""

    numbers: tuple[int, ...]  # Cards or tiles in the order in which they were dealt
    target: int  # What the cards have to make
    level: Level | None = None  # The level that was asked for; None if none was


def deal(
    rng: Random,
    *,
    cards: int = 4,
    highest: int = 13,
    target: int = 24,
    level: Level | None = None,
    solved: float | None = None,
) -> Puzzle:
    """Deal a hand that has a solution. The same state of `rng` gives the same hand.

    `cards` is 2 to 8, `highest` the highest rank of a pack that starts at 1, `target` a non-negative whole
    number, `level` one of `LEVELS` or None for any. Instead of a level, `solved` may be the share of people
    who should find the hand, above 0 and below 1: the first hand near it is dealt, or the nearest of many.

    Raises ValueError for arguments out of these bounds, and if no such hand is found within a bounded number
    of draws.
    """
    refuse_bad_arguments(cards, highest, target, level, solved)
    if solved is not None:
        return _deal_hand_near(rng, cards, highest, target, solved)
    for numbers in _draw_hands(rng, cards, highest):
        if _is_wanted(numbers, target, level):
            return Puzzle(numbers, target, level)
    kind = f"{level} hand" if level else "hand"
    raise ValueError(f"found no {kind} of {cards} cards from 1 to {highest} that makes {target}")


def list_draws() -> list[tuple[int, ...]]:
    """Return all draws of Countdown, each ascending, in ascending order."""
    return sorted(set(combinations(sorted(SMALL_TILES + LARGE_TILES), TILE_COUNT)))


def draw(rng: Random, large: int | None = None) -> Puzzle:
    """Draw six tiles and a target of Countdown's numbers round. The same state of `rng` gives the same ones.

    The box holds 25, 50, 75 and 100 once and 1 to 10 twice each. The target is 101 to 999; it may be
    impossible to make. `large` is the number of large tiles, 0 to 4, or None for a random one; they come
    first. Raises ValueError for another number.
    (https://en.wikipedia.org/wiki/Countdown_(game_show)#Numbers_round)
    """
    if large is not None and large not in range(len(LARGE_TILES) + 1):
        raise ValueError(f"large tiles are 0 to {len(LARGE_TILES)}: {large!r}")
    large_count = _draw_index(rng, length=len(LARGE_TILES) + 1) if large is None else large
    large_tiles = _draw_without_replacement(rng, LARGE_TILES, large_count)
    small_tiles = _draw_without_replacement(rng, SMALL_TILES, TILE_COUNT - large_count)
    target = LOWEST_TARGET + _draw_index(rng, length=HIGHEST_TARGET - LOWEST_TARGET + 1)
    return Puzzle(large_tiles + small_tiles, target)


def _draw_index(rng: Random, length: int) -> int:
    """Return a random index from 0 to length - 1, with one call of `random()`."""
    return int(rng.random() * length)


def _draw_without_replacement(rng: Random, box: Iterable[int], count: int) -> tuple[int, ...]:
    """Return `count` random numbers of a box in the order in which they are drawn. `box` is not changed."""
    remaining = list(box)
    drawn = []
    for _ in range(count):
        index = _draw_index(rng, length=len(remaining))
        drawn.append(remaining.pop(index))
    return tuple(drawn)


def refuse_bad_arguments(
    cards: int, highest: int, target: int, level: str | None = None, solved: float | None = None
) -> None:
    """Raise ValueError for an argument of `deal` out of bounds, and for more cards than the pack has."""
    if not 2 <= cards <= MAX_CARDS:
        raise ValueError(f"cards must be 2 to {MAX_CARDS}: {cards!r}")
    if not 1 <= highest <= MAX_RANK:
        raise ValueError(f"highest card must be 1 to {MAX_RANK}: {highest!r}")
    if cards > SUITS * highest:
        raise ValueError(f"a pack with ranks 1 to {highest} has only {SUITS * highest} cards: {cards!r}")
    if target < 0:
        raise ValueError(f"target must not be negative: {target!r}")
    if level is not None and level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}: {level!r}")
    if solved is None:
        return
    if level is not None or not 0 < solved < 1:
        raise ValueError(f"solved must be a share between 0 and 1, without a level: {solved!r}")


def _draw_hands(rng: Random, cards: int, highest: int) -> Iterator[tuple[int, ...]]:
    """Generate as many random hands as may be tried for a number of cards. Each is drawn from a full pack of
    the ranks 1 to `highest`.
    """
    pack: list[int] = []
    for rank in range(1, highest + 1):
        pack += [rank] * SUITS
    for _ in range(_MAX_DRAWS[cards]):
        yield _draw_without_replacement(rng, pack, cards)


def _deal_hand_near(rng: Random, cards: int, highest: int, target: int, solved: float) -> Puzzle:
    """Return the first hand with a solution that about this share of people find, else the nearest of
    `SOLVED_DRAWS`. Raises ValueError if no hand has a solution.
    """
    best: Puzzle | None = None
    best_distance = float("inf")
    solvable_count = 0
    for numbers in _draw_hands(rng, cards, highest):
        share = _estimate_share(tuple(sorted(numbers)), target)
        if share is None:
            continue
        distance = abs(_compute_log_odds(share) - _compute_log_odds(solved))
        if distance < best_distance:
            best = Puzzle(numbers, target)
            best_distance = distance
        solvable_count += 1
        if best_distance <= SOLVED_TOLERANCE or solvable_count == SOLVED_DRAWS:
            break
    if best is None:
        raise ValueError(f"found no hand of {cards} cards from 1 to {highest} that makes {target}")
    return best


@lru_cache(maxsize=2048)  # as many as there are hands of four cards: to rate one takes 0.7 ms
def _estimate_share(numbers: tuple[int, ...], target: int) -> float | None:
    """Return the share of people who find a hand; None if it has no solution."""
    try:
        return rate(numbers, target).solved
    except ValueError:
        return None


def _compute_log_odds(share: float) -> float:
    return log(share / (1 - share))


def _is_wanted(numbers: tuple[int, ...], target: int, level: Level | None) -> bool:
    """Whether a hand has a solution and, if a level is given, that level."""
    if level is None:
        return next(solve(numbers, target), None) is not None
    try:
        return rate(numbers, target).level == level
    except ValueError:  # no solution
        return False
