"""Quick looks at what people write, which spare ordinary talk its work."""

from functools import lru_cache

import solver
from bot.games.written import pieces, reading
from bot.games.written.scan import PLAIN

LIKE_CARDS = {*solver.CARDS, "X"}
"""What stands for a card, and the x between two of them."""


def looks_like_answer(text: str) -> bool:
    """Whether it may be one: a digit, a card with a sign behind it, or no letters but the cards'."""
    if len(text) > reading.LONGEST:
        return False
    letters = {c for c in text.upper() if c.isalpha()}
    if any(c.isdigit() for c in text) or (bool(letters) and letters <= LIKE_CARDS):
        return True
    return reading.has_sign(text)


def is_likely(text: str) -> bool:
    """Whether a place in it looks like an expression."""
    found = pieces.places(text)
    return bool(found.likely or found.long) or reading.may_solve(text)


@lru_cache(maxsize=1)  # every game that is answered by expressions asks for each message
def may_tell(text: str) -> bool:
    """Whether an expression stands in it that may be an answer, or more than are read."""
    found = pieces.places(text)
    if found.long or len(found.likely) > pieces.MOST_READ or any(map(_may_solve, pieces.read(found))):
        return True
    return reading.may_solve(text)


def _may_solve(expression: solver.Expression) -> bool:
    """Whether it may be an answer, and is no date, time or telephone number."""
    signs = {part.op for part in expression.walk() if part.op}
    return len(expression.numbers) >= reading.FEWEST and signs not in PLAIN
