"""On which of a hand's ideas its hints are: that one is shown before all others."""

import json
import re
from collections.abc import Sequence

import solver
from bot.games.twentyfour.hand import Hand

SIGN = r"[-+*/]"


def sort_hinted_first(hand: Hand, ideas: Sequence[str]) -> tuple[str, ...]:
    """The ideas in their order, but that which fits the hand's hints best before all others.

    Where none fits the first hint, as where it was found, or where a hint can't be read, nothing moves.
    """
    try:
        return _hinted_first([json.loads(hint) for hint in hand.hints], ideas)
    except (
        ValueError,
        TypeError,
        RecursionError,
    ):  # a spoilt hint must not cost the hand its end
        return tuple(ideas)


def _hinted_first(asked: Sequence[Sequence[str]], ideas: Sequence[str]) -> tuple[str, ...]:
    fitting = [(_fit(idea, asked), idea) for idea in ideas] if asked else []
    fit, best = max(fitting, key=lambda each: each[0], default=((False,), ""))
    if not fit[0]:
        return tuple(ideas)
    return (best, *(idea for idea in ideas if idea != best))


def _fit(idea: str, hints: Sequence[Sequence[str]]) -> tuple[bool, ...]:
    """Which of the hints hold of the idea."""
    whole = solver.parse(idea)
    return tuple(_holds(whole, *hint) for hint in hints)


def _holds(whole: solver.Expression, kind: str, said: str, numbers: str = "") -> bool:
    if kind == "last":
        return whole.op == said
    if kind == "make":
        made = ((str(part.value), sorted(part.numbers)) for part in whole.walk())
        return (said, sorted(map(int, numbers.split()))) in made
    shape = re.escape(said).replace(solver.KEPT_BACK, SIGN).replace(solver.BOX, "[0-9]+")
    return bool(re.fullmatch(shape, str(whole)))
