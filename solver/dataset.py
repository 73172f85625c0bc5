"""Make data sets: different puzzles in the random order of a seed, each with what is known about it.

Every hand, and every draw of Countdown with every target, is equally likely. A larger data set of the same
seed and levels contains the smaller one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

from solver.deal import HIGHEST_TARGET, LOWEST_TARGET, list_draws
from solver.difficulty import rate, rate_draw
from solver.fair import Stream
from solver.nearest import nearest
from solver.search import ideas, rank_plainness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random

    from solver.difficulty import Rating
    from solver.expression import Expression
    from solver.names import Level

ANY_LEVEL = "any"  # The group of all puzzles where no level is asked for
Hand = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """The kind of puzzles of a data set."""

    game: str  # "24" or "countdown"
    cards: int = 4  # The rest is for 24 alone
    highest: int = 13
    target: int = 24

    def __str__(self) -> str:
        if self.game == "countdown":
            return "draws of Countdown whose target can be made"
        return f"hands of {self.cards} cards from 1 to {self.highest} that make {self.target}"

    def generate_games(self, rng: Random) -> Iterator[tuple[Hand, int]]:
        """Generate all hands with their targets in a random order, also those without a solution."""
        if self.game == "countdown":
            draws = list_draws()
            target_count = HIGHEST_TARGET - LOWEST_TARGET + 1
            for index in _shuffle(rng, len(draws) * target_count):
                yield draws[index // target_count], LOWEST_TARGET + index % target_count
        else:
            for index in _shuffle(rng, _count_hands(self.cards, self.highest)):
                yield _get_hand(index, self.cards, self.highest), self.target


@dataclass(frozen=True, slots=True)
class LabelledPuzzle:
    """A puzzle that has a solution, and what is known about it."""

    numbers: Hand  # Ascending
    target: int
    level: Level
    seconds: float  # As `solver.rate` and `solver.rate_draw` estimate them
    solved: float
    ideas: int  # Of Countdown, those with the fewest tiles
    solution: str  # The plainest
    part: str  # "train" or "test"


def make_dataset(
    kind: Kind, count: int, seed: int, levels: Sequence[Level] = (), test_share: float = 0.1
) -> Iterator[LabelledPuzzle]:
    """Generate so many puzzles: as many of each level, if some are given, else of any level. If fewer exist,
    generate all of them.

    A hand belongs to the test part by a hash of its numbers, whatever the seed, count, target and levels; so
    the parts share no hand. About `test_share` of the hands do.
    """
    rate_game = _rate_draw if kind.game == "countdown" else _rate_hand
    wanted = _share_out(count, levels)
    for numbers, target in kind.generate_games(Stream(str(seed))):
        if not any(wanted.values()):
            return
        rating = rate_game(numbers, target)
        group = rating.level if rating and levels else ANY_LEVEL
        if rating is None or not wanted.get(group):
            continue
        wanted[group] -= 1
        solutions = _list_ideas(kind, numbers, target)
        yield LabelledPuzzle(
            numbers=numbers,
            target=target,
            level=rating.level,
            seconds=round(rating.seconds, 2),  # Rounded, since the last digits may differ between machines
            solved=round(rating.solved, 3),
            ideas=len(solutions),
            solution=str(solutions[0]),
            part=_choose_part(numbers, test_share),
        )


def _share_out(count: int, levels: Sequence[Level]) -> dict[str, int]:
    """Return the number of puzzles of each level, or of any level if none is given. The first levels get what
    is left over.
    """
    groups: Sequence[str] = levels or [ANY_LEVEL]
    least, rest = divmod(count, len(groups))
    return {group: least + (index < rest) for index, group in enumerate(groups)}


def _choose_part(numbers: Hand, test_share: float) -> str:
    """Return the part of a hand by the first number of a stream whose seed is the hand, such as `3 3 8 8`."""
    seed = " ".join(map(str, sorted(numbers)))
    return "test" if Stream(seed).random() < test_share else "train"


def _rate_hand(numbers: Hand, target: int) -> Rating | None:
    """Rate a hand of 24; None if it has no solution."""
    try:
        return rate(numbers, target)
    except ValueError:
        return None


def _rate_draw(numbers: Hand, target: int) -> Rating | None:
    """Rate a draw of Countdown; None if its target can't be made."""
    best = nearest(numbers, target)
    return None if best.distance else rate_draw(best)


def _list_ideas(kind: Kind, numbers: Hand, target: int) -> list[Expression]:
    """Return the plainest solution of each idea. For Countdown, of those that need the fewest numbers, and no
    fraction on the way.
    """
    if kind.game == "24":
        return list(ideas(numbers, target))
    size = len(nearest(numbers, target).expression.numbers)
    found: list[Expression] = []
    for tiles in sorted(set(combinations(numbers, size))):
        found += filter(_has_no_fraction, ideas(tiles, target))
    return sorted(found, key=rank_plainness)


def _has_no_fraction(expression: Expression) -> bool:
    return all(part.value.denominator == 1 for part in expression.walk())


def _shuffle(rng: Random, length: int) -> Iterator[int]:
    """Generate the numbers from 0 to length - 1 in a random order, without a list of all of them."""
    moved: dict[int, int] = {}  # What stands at a place of the list, if not the number of the place
    for start in range(length):
        chosen = start + int(rng.random() * (length - start))
        yield moved.get(chosen, chosen)
        moved[chosen] = moved.pop(start, start)


def _count_hands(cards: int, highest: int) -> int:
    """Return the number of hands of so many cards from 1 to `highest`."""
    return comb(highest + cards - 1, cards)


def _get_hand(index: int, cards: int, highest: int) -> Hand:
    """Return the hand with that index among all hands in ascending order."""
    numbers: list[int] = []
    lowest = 1
    while len(numbers) < cards:
        # Hands whose next card is the lowest one
        count = _count_hands(cards - len(numbers) - 1, highest - lowest + 1)
        if index < count:
            numbers.append(lowest)
        else:
            index -= count
            lowest += 1
    return tuple(numbers)
