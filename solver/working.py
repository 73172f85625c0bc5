"""`work_out`: whatever people want computed, with signs and decimals, exactly as it is written.

Answers to a hand take neither: `parse` refuses them. Here `-5+3`, `3.5*2`, `2*-3` and `-(2+3)` are read, and
everything that `parse` reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from solver.expression import Expression
from solver.names import CARDS
from solver.parser import MAX_DIGITS, Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from solver.expression import Op


_POINTS = str.maketrans(",．", "..")


@dataclass(frozen=True, slots=True)
class Working:
    """An expression whose numbers may be negative or decimal. Made by `work_out`."""

    shape: Expression  # How its numbers are joined: each number in it is an index into `numbers`
    numbers: tuple[Fraction, ...]  # In reading order

    @property
    def value(self) -> Fraction:
        """The exact value."""
        return self.shape.fold(self.numbers.__getitem__, _operate)

    @property
    def op(self) -> str:
        """The operation that is done last; empty for a mere number."""
        return self.shape.op

    def steps(self) -> tuple[str, ...]:
        """One line for each operation: `-5+3 = -2`, `1.5*1.5 = 2.25`.

        Where decimals were written, what can be is shown in decimals.
        """
        lines: list[str] = []
        decimals = any(number.denominator != 1 for number in self.numbers)

        def operation(op: Op, left: Fraction, right: Fraction) -> Fraction:
            result = _operate(op, left, right)
            first, second = _shown(left, decimals=decimals), _shown(right, decimals=decimals)
            first = f"({first})" if "/" in first and op == "/" else first
            second = f"({second})" if right < 0 or ("/" in second and op in "*/") else second
            lines.append(f"{first}{op}{second} = {_shown(result, decimals=decimals)}")
            return result

        self.shape.fold(self.numbers.__getitem__, operation)
        return tuple(lines)

    def whole(self) -> Expression:
        """The same value of whole numbers without signs: -5 is made as 0-5, and 3.5 as 7/2."""
        return self.shape.fold(lambda index: _whole(self.numbers[index]), Expression.join)

    def __str__(self) -> str:
        """As `work_out` reads it back: negative numbers stand in brackets, but for the very first."""

        def number(index: int) -> str:
            written = _shown(self.numbers[index], decimals=True)
            return f"({written})" if self.numbers[index] < 0 and index else written

        def operation(op: Op, left: tuple[str, str], right: tuple[str, str]) -> tuple[str, str]:
            first = f"({left[0]})" if op in "*/" and left[1] in ("+", "-") else left[0]
            loose = ("+", "-") if op in "-*" else ("+", "-", "*", "/") if op == "/" else ()
            return f"{first}{op}" + (f"({right[0]})" if right[1] in loose else right[0]), op

        return self.shape.fold(lambda index: (number(index), ""), operation)[0]


def work_out(text: str, *, target: int = 24) -> Working:
    """The computation that `text` writes, for whoever wants to see its steps.

    Beside what `parse` reads, a number or a bracket may have one sign of its own (`-5+3`, `2*-3`; `-(2+3)` is
    `-1*(2+3)`), and a number may have decimals, behind a point or a comma. Raises ExpressionError as `parse`.
    """
    reader = _Signed(text, target)
    shape = reader.read()
    return Working(shape, tuple(reader.numbers))


class _Signed(Reader):
    """A text with signs and decimals, and how far it has been read."""

    def __init__(self, text: str, target: int) -> None:
        super().__init__(text, target)
        self.numbers: list[Fraction] = []

    def end_of_number(self, at: int) -> int:
        """number := digit+ [ ( "." | "," | "．" ) digit+ ]"""
        point = super().end_of_number(at)
        more = super().end_of_number(point + 1) if self.plain[point : point + 1] in (".", ",", "．") else 0
        return more if more > point + 1 else point

    def part(self) -> Expression:
        """part := [ "+" | "-" ] ( number | bracket )"""
        if self.ahead not in ("+", "-") or not self.tokens[self.next + 1][0].strip("+-*/=)]}"):
            return super().part()
        negative = self.take()[0] == "-"
        begun = len(self.numbers)
        if negative and self.ahead in "([{":
            self.numbers.append(Fraction(-1))
            return Expression.join("*", Expression.leaf(begun), super().part())
        inside = super().part()
        if negative:
            self.numbers[begun] *= -1
        return inside

    def leaf(self) -> Expression:
        """The next number, kept aside."""
        token = self.take()[0]
        self.numbers.append(Fraction(CARDS.get(token) or token.translate(_POINTS)))
        return Expression.leaf(len(self.numbers) - 1)

    def number(self) -> int:
        """The result that is claimed, which is a whole number or another than the target."""
        if not self.ahead.isalnum():
            self.refuse("other target")
        return super().number()

    def is_zero(self, divisor: Expression) -> bool:
        """Whether what is divided by is worth nothing."""
        return not divisor.fold(self.numbers.__getitem__, _operate)


def _operate(op: Op, left: Fraction, right: Fraction) -> Fraction:
    if op == "+":
        return left + right
    if op == "-":
        return left - right
    return left * right if op == "*" else left / right


def _whole(number: Fraction) -> Expression:
    top, bottom = Expression.leaf(abs(number.numerator)), Expression.leaf(number.denominator)
    size = top if number.denominator == 1 else Expression.join("/", top, bottom)
    return Expression.join("-", Expression.leaf(0), size) if number < 0 else size


def _shown(value: Fraction, *, decimals: bool) -> str:
    """`-2.5` where that is exact and wanted, else `-5/2`."""
    places = _places(value.denominator) if decimals else 0
    if not places:
        return str(value)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def _places(denominator: int) -> int:
    """The decimals of a fraction with that denominator; 0 where it has none, no end of them, or too many."""
    return next((n for n in range(2 * MAX_DIGITS) if not 10**n % denominator), 0)
