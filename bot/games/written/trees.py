"""An answer as a picture: what was dealt, joined step by step."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

import solver
from bot.pictures.values import Card, Joint, Node, Tile

Sign = Literal["+", "−", "×", "÷"]
SIGNS: dict[str, Sign] = {"+": "+", "-": "−", "*": "×", "/": "÷"}


def tree(expression: solver.Expression, dealt: Sequence[Card | Tile]) -> Node:
    """The expression over what was dealt: equal numbers are taken in the order in which they lie there.

    A number that was not dealt is a tile. Raises ZeroDivisionError.
    """
    free = list(dealt)

    def leaf(number: int) -> tuple[Node, Fraction]:
        found = next((each for each in free if each.number == number), None)
        if found is None:
            return Tile(number), Fraction(number)
        free.remove(found)
        return found, Fraction(number)

    def joint(op: str, left: tuple[Node, Fraction], right: tuple[Node, Fraction]) -> tuple[Node, Fraction]:
        value = _made(op, left[1], right[1])
        return Joint(SIGNS[op], left[0], right[0], str(value).replace("-", "−")), value

    return expression.fold(leaf, joint)[0]


def _made(op: str, left: Fraction, right: Fraction) -> Fraction:
    match op:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case _:
            return left / right
