"""Describe hands for `twentyfour batch`: for each a line of JSON with all that a request asks for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import combinations_with_replacement

from solver.count import count_ideas
from solver.deal import HIGHEST_TARGET
from solver.difficulty import is_measured, rate
from solver.nearest import nearest
from solver.search import ideas, solve
from solver.targets import reachable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


@dataclass(frozen=True, slots=True)
class Request:
    """The fields of each hand's result."""

    solutions: bool = False  # Each form
    ideas: bool = False  # The plainest solution of each idea
    count: bool = False  # The number of ideas
    rate: bool = False
    nearest: bool = False
    targets: bool = False  # All up to HIGHEST_TARGET, by the rules of Countdown

    @property
    def needs_target(self) -> bool:
        """Whether anything but the list of targets is asked for."""
        return self != Request(targets=self.targets)


@dataclass(frozen=True, slots=True)
class Hand:
    line: int  # Its number in the input, from 1
    numbers: tuple[int, ...]
    target: int


def list_all_hands(cards: int, highest: int) -> Iterator[tuple[int, ...]]:
    """Generate all hands of so many cards from 1 to the highest, in ascending order."""
    return combinations_with_replacement(range(1, highest + 1), cards)


def write_hands(request: Request, hands: Iterable[Hand]) -> str:
    """Return the lines of JSON for some hands."""
    return "".join([f"{json.dumps(describe_hand(request, hand))}\n" for hand in hands])


def describe_hand(request: Request, hand: Hand) -> dict[str, object]:
    """Return the JSON object for a hand: its line, numbers and target, and what is asked for, named as in the
    JSON of the command for a single hand.
    """
    numbers, target = hand.numbers, hand.target
    result: dict[str, object] = {"line": hand.line, "numbers": list(numbers)}
    result["target"] = target if request.needs_target else None
    if request.solutions:
        result["solutions"] = [str(solution) for solution in solve(numbers, target)]
    if request.ideas:
        result["ideas"] = [str(solution) for solution in ideas(numbers, target)]
    if request.count:
        result["count"] = count_ideas(numbers, target)
    if request.rate:
        result |= _describe_rating(numbers, target)
    if request.nearest:
        best = nearest(numbers, target)
        result |= {"value": best.value, "expression": str(best.expression), "distance": best.distance}
    if request.targets:
        result["targets"] = sorted(reachable(numbers, HIGHEST_TARGET))
    return result


def _describe_rating(numbers: Sequence[int], target: int) -> dict[str, object]:
    """Return the rating of a hand, all None without a solution, and whether people's times are known."""
    measured = is_measured(numbers, target)
    if next(ideas(numbers, target), None) is None:
        return {"seconds": None, "level": None, "solved": None, "measured": measured}
    rating = rate(numbers, target)
    fields = {"seconds": rating.seconds, "level": rating.level, "solved": rating.solved}
    return {**fields, "measured": measured}
