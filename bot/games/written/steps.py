"""Steps of a calculation that somebody wrote out, put together to the one expression that they mean.

`3-8/3 = 1/3, 8/(1/3) = 24` means `8/(3-8/3)`: each part of a step that is worth what an earlier step made may
stand for that step, and so may one that is worth what a later step says it is: `8/(1/3) = 24, 1/3 = 3-8/3`.
Nothing here knows a hand's rules: only which numbers it has.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import solver

MOST_NUMBERS = 4  # Of one step
MOST_WAYS = 4  # Ways to understand one part that are followed
MAX_STEPS = 8


@dataclass(frozen=True, slots=True)
class WrittenStep:
    """One line of a calculation."""

    expression: solver.Expression
    has_result: bool  # Whether its result is written behind it, so that another step may go on with that
    # Whether its result is written before it, so that it may explain what another step has.
    is_named: bool = False


# What earlier steps made, and how, at most so many ways for each.
Known = list[tuple[Fraction, list[solver.Expression]]]


def combine_steps(
    steps: Sequence[WrittenStep], numbers: Sequence[int], *, use_all: bool = True
) -> Iterator[solver.Expression]:
    """What the steps mean that use exactly these numbers, of more than one step; the last ones first.

    Not `every`: what they mean that uses some of them.
    """
    short = [step for step in steps if len(step.expression.numbers) <= MOST_NUMBERS][:MAX_STEPS]
    if len(short) < 2:
        return
    if any(step.has_result for step in short):
        yield from reversed(_combine_in_order(short, Counter(numbers), every=use_all))
    if any(step.is_named for step in short):
        yield from reversed(_combine_in_order(short[::-1], Counter(numbers), every=use_all))


def _combine_in_order(steps: Sequence[WrittenStep], dealt: Counter[int], *, every: bool) -> list[solver.Expression]:
    """The wholes that the steps come to, one after the other."""
    known, made = Known(), list[solver.Expression]()
    for step in steps:
        ways = _list_meanings(step.expression, known, dealt)
        made += [e for e in ways if e != step.expression and (not every or Counter(e.numbers) == dealt)]
        if (step.has_result or step.is_named) and ways:
            known.append((step.expression.value, ways))
    return made


def _list_meanings(part: solver.Expression, known: Known, dealt: Counter[int]) -> list[solver.Expression]:
    """How the part can be understood with no number that wasn't dealt."""
    value = part.value
    found = [way for made, ways in known if made == value for way in ways]
    if not part.op:
        return [*([part] if part.number in dealt else []), *found][:MOST_WAYS]
    lefts, rights = _list_meanings(part.left, known, dealt), _list_meanings(part.right, known, dealt)
    joined = (solver.Expression.join(part.op, one, other) for one in lefts for other in rights)
    return [*(e for e in joined if not Counter(e.numbers) - dealt), *found][:MOST_WAYS]
