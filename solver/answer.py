"""`check`: the verdict on a player's answer.

Three questions are asked in this order: can the answer be read, does it use each of the dealt numbers exactly
once, and is its value the target?
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from solver.expression import Expression
from solver.outline import AnswerExpression, read_answer
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
    another target, is `Unreadable`. Raises TypeError for a target that is no integer.

    Examples:
        As a reward for a language model: 1 for a right answer, 0.1 for the right numbers, else nothing.

        >>> def reward(answer, numbers, target=24):
        ...     match check(answer, numbers, target):
        ...         case Correct():
        ...             return 1.0
        ...         case WrongValue():
        ...             return 0.1
        ...     return 0.0
        >>> reward("8 / (3 - 8 / 3) = 24", [3, 3, 8, 8])
        1.0
        >>> reward("8*3 + 8 - 3", [3, 3, 8, 8]), reward("8*3", [3, 3, 8, 8]), reward("8^3", [3, 3, 8, 8])
        (0.1, 0.0, 0.0)
    """
    return build_verdict(text, target, judge(text, numbers, target))


# What is wrong with an answer: the fields of its verdict without the expression, since few bytes are sent
# quickly from one process to another. One field is a pair of the missing and the extra numbers, two are the
# numerator and denominator of the value, four those of `Unreadable`.
Numbers = tuple[int, ...]
Fault = tuple[tuple[Numbers, Numbers]] | tuple[int, int] | tuple[str, int, "Reason", str]


def judge(text: str, numbers: Sequence[int], target: int = 24) -> Fault | None:
    """Return what is wrong with `text` as an answer to the hand `numbers`; None if it is right. Raises
    TypeError for a target that is no integer, such as a text from a table, which no answer would equal.
    """
    if not isinstance(target, int):
        raise TypeError(f"the target must be an integer, not {target!r}")
    answer = read_answer(text, target)
    if answer is None:
        return _explain_unreadable(text, target)
    used, ratio = answer
    if sorted(numbers) != sorted(used):
        return (_compare_numbers(numbers, used),)
    numerator, denominator = ratio
    return None if numerator == target * denominator else ratio


def build_verdict(text: str, target: int, fault: Fault | None) -> Verdict:
    """Return the verdict on an answer in which `judge` found that fault."""
    if fault is None:
        return Correct(AnswerExpression(text, target))
    if len(fault) == 2:
        return WrongValue(Fraction(*fault), AnswerExpression(text, target))
    if len(fault) == 1:
        return WrongNumbers(*fault[0], AnswerExpression(text, target))
    return Unreadable(*fault)


def _explain_unreadable(text: str, target: int) -> tuple[str, int, Reason, str]:
    """Return the fields of the verdict on a text for which `parse` raises ExpressionError."""
    try:
        raise AssertionError(f"{parse(text, target=target)} can be read")
    except ExpressionError as error:
        return error.message, error.position, error.reason, error.fragment


def _compare_numbers(dealt: Iterable[int], used: Iterable[int]) -> tuple[Numbers, Numbers]:
    """Return the numbers that are dealt and not used, and those used and not dealt, both ascending."""
    missing = sorted(dealt)
    extra = []
    for number in sorted(used):
        if number in missing:
            missing.remove(number)
        else:
            extra.append(number)
    return tuple(missing), tuple(extra)
