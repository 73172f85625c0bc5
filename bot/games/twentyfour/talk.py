"""What people write: whether it may be an answer, or tell a solution in the midst of words."""

import solver
from bot.games.twentyfour.pieces import MOST_READ, expressions, likely

FEWEST = 3
"""Numbers of an expression among words that may be a hand's solution."""
PLAIN: tuple[set[str], ...] = ({"", "-"}, {"", "/"})
"""The signs of dates, times and telephone numbers (a colon divides)."""


def may_tell(text: str) -> bool:
    """Whether a solution that its author was shown may stand in it, in the midst of words or of a list."""
    return any(map(_may_solve, expressions(text))) or len(likely(text)) > MOST_READ


def _may_solve(expression: solver.Expression) -> bool:
    """Whether it may solve a hand, and is no date, time or telephone number."""
    return len(expression.numbers) >= FEWEST and {part.op for part in expression.walk()} not in PLAIN


def is_expression(text: str) -> bool:
    """Whether it can be read as an answer to some hand: an expression with a sign in it."""
    verdict = solver.check(text, (), 0)
    if isinstance(verdict, solver.Unreadable):
        return verdict.reason == "other target"
    return isinstance(verdict, solver.WrongNumbers) and len(verdict.expression.numbers) > 1
