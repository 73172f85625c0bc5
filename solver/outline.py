"""Read answers quickly by their *outline*: the text with 0 for each digit, as in `00/(0-0/0) = 00`.

Texts with the same outline have the same structure, so it is parsed once for all of them. What is left to do
for each text is to find its numbers and to calculate.
"""

from __future__ import annotations

import re
from functools import lru_cache

from solver.expression import Expression, LazyExpression, apply_operation, set_once
from solver.names import CARDS
from solver.parser import MAX_CHARACTERS, TRANSLATION, ExpressionError, Reader, parse, use_plain_signs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from solver.expression import Op

MAX_OUTLINES = 10_000  # Kept in memory, about 1 kB each

_DIGIT_TO_ZERO = TRANSLATION | dict.fromkeys(map(ord, "0123456789０１２３４５６７８９"), "0")
_CARD_SIGNS = "".join(
    char for char in map(chr, [*range(128), *TRANSLATION]) if use_plain_signs(char) in CARDS
)
_find_numbers = re.compile(f"[0-9０-９]+|[{_CARD_SIGNS}]").findall


class _Numbers(dict[str, int]):
    """The number of each token; a large one is converted each time."""

    def __missing__(self, token: str) -> int:
        return int(token)  # reads full-width digits as well


_NUMBERS = _Numbers({str(number): number for number in range(1000)})
_NUMBERS.update({sign: CARDS[use_plain_signs(sign)] for sign in _CARD_SIGNS})


class Outline:
    """The structure of all texts with the same outline."""

    __slots__ = ("has_first_target", "has_last_target", "steps")

    def __init__(self, outline: str) -> None:
        """Parse an outline. Raises ExpressionError if no text with this outline can be read."""
        reader = _OutlineReader(outline)
        steps: list[tuple[Op, int, int]] = []

        def add_step(op: Op, left: int, right: int) -> int:
            steps.append((op, left, right))
            return left

        reader.read_text().fold(int, add_step)
        self.steps = steps  # Each an operation and the indexes of its operands; the left one gets the result
        self.has_first_target = reader.has_first_target
        self.has_last_target = reader.has_last_target

    def compute_ratio(self, numbers: list[int]) -> tuple[int, int]:
        """Return the value for these numbers as numerator and denominator, not always in lowest terms. Raises
        ZeroDivisionError.
        """
        values = [(number, 1) for number in numbers]
        for op, left, right in self.steps:
            values[left] = apply_operation(op, values[left], values[right])
        return values[0]


class _OutlineReader(Reader):
    """Reads an outline into an expression whose numbers are their indexes in reading order."""

    def __init__(self, outline: str) -> None:
        super().__init__(outline, target=0)
        self.count = 0  # numbers read so far, without targets
        self.has_first_target = False
        self.has_last_target = False

    def read_number(self) -> int:
        self.take_token()
        self.count += 1
        return self.count - 1

    def check_target(self) -> None:
        """Read the number of a target, and note where it stands."""
        self.take_token()
        if self.count:
            self.has_last_target = True
        else:
            self.has_first_target = True

    def is_zero(self, divisor: Expression) -> bool:
        """Return False, since the numbers are not known yet."""
        return False


@lru_cache(MAX_OUTLINES)
def _parse_outline(outline: str) -> Outline | None:
    """Parse an outline; None if no text with this outline can be read."""
    try:
        return Outline(outline)
    except ExpressionError:
        return None


def read_answer(text: str, target: int) -> tuple[list[int], tuple[int, int]] | None:
    """Return the numbers of an answer in reading order, and its value as numerator and denominator, not
    always in lowest terms; None if `parse` raises ExpressionError for this text and target.
    """
    if len(text) > MAX_CHARACTERS:
        return None
    outline = _parse_outline(text.translate(_DIGIT_TO_ZERO))
    if outline is None:
        return None
    numbers = [_NUMBERS[token] for token in _find_numbers(text)]
    if outline.has_first_target and numbers.pop(0) != target:
        return None
    if outline.has_last_target and numbers.pop() != target:
        return None
    try:
        return numbers, outline.compute_ratio(numbers)
    except ZeroDivisionError:
        return None


class AnswerExpression(LazyExpression):
    """The expression of a text that can be parsed; it is parsed when one of its attributes is first read."""

    __slots__ = ("target", "text")

    text: str
    target: int  # That the text may name

    def __init__(self, text: str, target: int) -> None:
        set_once(self, "text", text)
        set_once(self, "target", target)

    def build(self) -> Expression:
        return parse(self.text, target=self.target)

    def __reduce__(self) -> tuple[object, ...]:
        return AnswerExpression, (self.text, self.target)
