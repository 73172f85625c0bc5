"""What became of one piece of summing up."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """One transaction's worth of it."""

    gone: int
    """How many rounds, or lines of boards, were let go."""
    more: bool
    """Whether there may be more just now."""


NOTHING = Piece(0, more=False)
