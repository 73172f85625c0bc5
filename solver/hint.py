"""Three hints for a hand, each more helpful than the one before.

All describe the solution that people find most easily, and none reveals it: an intermediate result does not
say how it is made, and a skeleton not which number goes where. If the numbers may stand in any order, as in
5+5+6+8, the skeleton hides its first operation. A hand of one or two cards has no hints, since any would be
the answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from solver.difficulty import compute_costs
from solver.equivalence import trick

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction
    from typing import Literal

    from solver.expression import Expression

BOX = "□"  # A number in a skeleton
KEPT_BACK = "○"  # A hidden operation in a skeleton


@dataclass(frozen=True, slots=True)
class LastOperation:
    """The hint that names the last operation."""

    op: Literal["+", "-", "*", "/"]


@dataclass(frozen=True, slots=True)
class Intermediate:
    """The hint that names an intermediate result: make `value` out of `numbers`."""

    value: Fraction
    numbers: tuple[int, ...]  # Two or more of the cards, but not all, ascending


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The hint that shows the solution without its numbers."""

    text: str  # Such as `□/(□-□/□)`: a `BOX` for each number, and at most one `KEPT_BACK`


def hints(
    numbers: Sequence[int], target: int = 24, *, found: Iterable[Expression] = ()
) -> tuple[LastOperation, Intermediate, Skeleton] | tuple[()]:
    """Return the last operation, an intermediate result and the skeleton of the solution that people find
    most easily, other than the tricks of those that are `found`. Returns an empty tuple for one or two cards,
    and if all are found. Raises ValueError without a solution, or as `solve` does.
    """
    found_tricks = {trick(solution) for solution in found}
    easiest_first = sorted(compute_costs(numbers, target), key=lambda idea: idea.cost)
    for rated in easiest_first:
        if not found_tricks or trick(rated.solution) not in found_tricks:
            return _describe(rated.solution)
    return ()


def _describe(solution: Expression) -> tuple[LastOperation, Intermediate, Skeleton] | tuple[()]:
    if not solution.op or len(solution.numbers) < 3:  # three cards have an operation; for the type checker
        return ()
    return LastOperation(solution.op), _choose_intermediate(solution), _make_skeleton(solution)


def _choose_intermediate(solution: Expression) -> Intermediate:
    """Return the intermediate result of a solution that helps most: the first by `_rank_intermediate`. The
    solution has three numbers or more, so there is one.
    """
    parts = [part for part in solution.walk() if part.op and part is not solution]
    intermediates = [Intermediate(part.value, tuple(sorted(part.numbers))) for part in parts]
    return min(intermediates, key=_rank_intermediate)


def _rank_intermediate(hint: Intermediate) -> tuple[bool, int, int]:
    """Return a sort key. Results above 0 that are none of the cards they are made of come first; of these the
    ones with fewest cards, and of these the ones with the largest denominator.
    """
    is_trivial = hint.value <= 0 or hint.value in hint.numbers
    return is_trivial, len(hint.numbers), -hint.value.denominator


def _make_skeleton(solution: Expression) -> Skeleton:
    """Replace the numbers of a solution by boxes, and its first operation too if the numbers may stand in any
    order: otherwise the skeleton would be the answer.
    """
    text = re.sub("[0-9]+", BOX, str(solution))
    if _allows_any_order(solution):
        text = re.sub("[-+*/]", KEPT_BACK, text, count=1)
    return Skeleton(text)


def _allows_any_order(solution: Expression) -> bool:
    """Whether any order of the numbers gives a solution: all are added, all multiplied, or all equal."""
    ops = {part.op for part in solution.walk() if part.op}
    return ops in ({"+"}, {"*"}) or len(set(solution.numbers)) == 1
