"""Three hints, from vague to telling, all on one solution: the one that people find most easily.

A hint never gives the solution away. The result on the way leaves open how it is made and what comes next,
the skeleton which number goes where; and where the numbers could stand in any order, as in 5+5+6+8, the
skeleton keeps its first operation back. A hand of one or two cards gets no hint, since any would be the
answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from solver.difficulty import race

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction
    from typing import Literal

    from solver.expression import Expression

BOX = "□"  # Stands for a number in a skeleton
KEPT_BACK = "○"  # Stands for an operation that a skeleton keeps back


@dataclass(frozen=True, slots=True)
class LastOperation:
    """The hint that names the last operation."""

    op: Literal["+", "-", "*", "/"]


@dataclass(frozen=True, slots=True)
class Intermediate:
    """A result on the way: make `value` out of `numbers`."""

    value: Fraction

    numbers: tuple[int, ...]  # Some of the cards, not all, in ascending order


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The solution with its numbers missing."""

    # As an expression is written, but `BOX` for each number and at most one `KEPT_BACK`: `□/(□-□/□)`.
    text: str


def hints(
    numbers: Sequence[int], target: int = 24
) -> tuple[LastOperation, Intermediate, Skeleton] | tuple[()]:
    """The last operation, a result on the way and the skeleton of one solution; none for one or two cards.

    ValueError without a solution, or as in `solve`.
    """
    _, solution = min(race(numbers, target), key=lambda racer: racer[0])
    if not solution.op or len(numbers) < 3:
        return ()
    return LastOperation(solution.op), _intermediate(solution), _skeleton(solution)


def _intermediate(solution: Expression) -> Intermediate:
    """The result on the way that says most: neither a card again nor 0, of few cards, rather a fraction."""
    inner = [part for part in solution.walk() if part.op and part is not solution]
    return min((Intermediate(part.value, tuple(sorted(part.numbers))) for part in inner), key=_telling)


def _telling(hint: Intermediate) -> tuple[bool, int, int]:
    """Return a sort key that puts the most helpful results first."""
    says_nothing = hint.value <= 0 or hint.value in hint.numbers
    return says_nothing, len(hint.numbers), -hint.value.denominator


def _skeleton(solution: Expression) -> Skeleton:
    text = "".join(BOX if number else "".join(signs) for number, signs in groupby(str(solution), str.isdigit))
    if _any_order(solution):
        text = text.replace(next(sign for sign in text if sign in "+-*/"), KEPT_BACK, 1)
    return Skeleton(text)


def _any_order(solution: Expression) -> bool:
    """Whether the numbers may trade places as they like."""
    ops = {part.op for part in solution.walk() if part.op}
    return ops in ({"+"}, {"*"}) or len(set(solution.numbers)) == 1
