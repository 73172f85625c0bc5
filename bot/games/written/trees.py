"""A right answer as a tree: what its steps join, and what each of them makes."""

from collections.abc import Mapping
from fractions import Fraction

from bot.pictures.values import Joint, Node, Sign

SIGNS: Mapping[str, Sign] = {"+": "+", "-": "−", "*": "×", "/": "÷"}


def joint(sign: str, left: Node, right: Node, value: Fraction | int) -> Joint:
    """Two parts joined by an operation as expressions write it."""
    return Joint(SIGNS[sign], left, right, str(value).replace("-", "−"))
