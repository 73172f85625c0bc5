"""A right answer as a tree: what its steps join, and what each of them makes."""

from collections.abc import Mapping
from fractions import Fraction

from bot.pictures.values import Operation, Node, Sign

OPERATION_SIGNS: Mapping[str, Sign] = {"+": "+", "-": "−", "*": "×", "/": "÷"}


def make_joint(sign: str, left: Node, right: Node, value: Fraction | int) -> Operation:
    """Two parts joined by an operation as expressions write it."""
    return Operation(OPERATION_SIGNS[sign], left, right, str(value).replace("-", "−"))
