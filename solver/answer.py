"""`check`: the verdict on a player's answer.

Three questions are asked in this order: can the answer be read, does it use each of the dealt numbers exactly
once, and is its value the target?
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from solver.expression import Expression
from solver.parser import ExpressionError, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from solver.parser import Reason


@dataclass(frozen=True, slots=True)
class Correct:
    """The verdict on a right answer."""

    expression: Expression


@dataclass(frozen=True, slots=True)
class WrongValue:
    """The verdict on the right numbers with another value."""

    value: Fraction  # The exact value of the expression
    expression: Expression

    def __str__(self) -> str:
        """Write the value as a whole number, a fraction or both: `-5`, `1/9`, `23 1/9`."""
        sign = "-" if self.value < 0 else ""
        whole, remainder = divmod(abs(self.value.numerator), self.value.denominator)
        if not remainder:
            return f"{sign}{whole}"
        fraction = f"{remainder}/{self.value.denominator}"
        return f"{sign}{whole} {fraction}" if whole else f"{sign}{fraction}"


@dataclass(frozen=True, slots=True)
class WrongNumbers:
    """The verdict on other numbers than the dealt ones, whatever the value."""

    missing: tuple[int, ...]  # Dealt and not used, ascending; a number that is missing twice is listed twice
    extra: tuple[int, ...]  # Used and not dealt, or used too often, ascending
    expression: Expression


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The verdict on a text that is no expression."""

    message: str  # One English sentence that says what is wrong
    position: int  # Where, within 0…len(text)
    reason: Reason  # What is wrong, as a fixed code: see ExpressionError
    fragment: str  # The part of the text that the reason refers to


Verdict = Correct | WrongValue | WrongNumbers | Unreadable


def check(text: str, numbers: Sequence[int], target: int = 24) -> Verdict:
    """Return the verdict on `text` as an answer to the hand `numbers`: `Correct`, `WrongValue`, or
    `WrongNumbers`, this one also if the value is wrong too. A text that is no expression, or that ends in
    another target, is `Unreadable`; nothing is raised.
    """
    try:
        expression = parse(text, target=target)
    except ExpressionError as error:
        return Unreadable(error.message, error.position, error.reason, error.fragment)
    dealt = Counter(numbers)
    used = Counter(expression.numbers)
    if dealt != used:
        missing = sorted((dealt - used).elements())
        extra = sorted((used - dealt).elements())
        return WrongNumbers(tuple(missing), tuple(extra), expression)
    value = expression.value
    if value != target:
        return WrongValue(value, expression)
    return Correct(expression)
