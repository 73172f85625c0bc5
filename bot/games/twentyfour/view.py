"""How cards, expressions and values are written."""

from collections.abc import Sequence
from fractions import Fraction

SUITS = "♠♥♦♣"
RANKS = {1: "A", 11: "J", 12: "Q", 13: "K"}
SIGNS = {"+": "+", "-": "−", "*": "×", "/": "÷"}


def cards(numbers: Sequence[int]) -> str:
    """The hand as playing cards: `3♠ 8♥ 3♦ 8♣`."""
    return " ".join(f"{RANKS.get(n, n)}{SUITS[i % 4]}" for i, n in enumerate(numbers))


def mixed(value: Fraction) -> str:
    """A value as people write it: `23 1/9`."""
    whole, rest = divmod(abs(value.numerator), value.denominator)
    size = f"{whole} {rest}/{value.denominator}" if whole and rest else str(abs(value))
    return f"−{size}" if value < 0 else size
