"""`work_out`: calculate any expression that people type, also with signs and decimals.

It reads everything that `parse` does, and `-5+3`, `3.5*2`, `2*-3` or `-(2+3)`, which `parse` refuses because
they are no answers to a hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from solver.expression import Expression, apply_operation, join_texts
from solver.names import CARDS
from solver.parser import MAX_DIGITS, Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from solver.expression import Op


_DECIMAL_POINTS = str.maketrans(",．", "..")


@dataclass(frozen=True, slots=True)
class Working:
    """An expression whose numbers may be negative or decimal. Made by `work_out`."""

    shape: Expression  # Its structure: each number in it is an index into `numbers`
    numbers: tuple[Fraction, ...]  # In reading order

    @property
    def value(self) -> Fraction:
        """The exact value. No divisor is 0, since `work_out` refuses that."""
        return self.shape.fold(self.numbers.__getitem__, _apply_operation)

    @property
    def op(self) -> str:
        """The last operation; empty for a number."""
        return self.shape.op

    def steps(self) -> tuple[str, ...]:
        """Return a line for each operation in the order of calculation: `-5+3 = -2`, `1.5*1.5 = 2.25`. If the
        text has decimals, results are decimals where that is exact.
        """
        lines: list[str] = []
        has_decimals = any(number.denominator != 1 for number in self.numbers)

        def add_step(op: Op, left: Fraction, right: Fraction) -> Fraction:
            """Add the line of one operation, and return its result."""
            result = _apply_operation(op, left, right)
            first = _write_number(left, use_decimals=has_decimals)
            second = _write_number(right, use_decimals=has_decimals)
            # In brackets what would be misread: 1/2/3, 3*1/2 or 3--2.
            if "/" in first and op == "/":
                first = f"({first})"
            if right < 0 or ("/" in second and op in "*/"):
                second = f"({second})"
            lines.append(f"{first}{op}{second} = {_write_number(result, use_decimals=has_decimals)}")
            return result

        self.shape.fold(self.numbers.__getitem__, add_step)  # each leaf is an index of `numbers`
        return tuple(lines)

    def whole(self) -> Expression:
        """Return an expression with the same value and only whole numbers from 0: 0-5 for -5, 7/2 for 3.5."""
        return self.shape.fold(lambda index: _make_expression(self.numbers[index]), Expression.join)

    def __str__(self) -> str:
        """Write the expression as `work_out` reads it; negative numbers are in brackets, except the first."""

        def write_number(index: int) -> str:
            """Write a number of the expression, in brackets if it is negative and not the first."""
            number = self.numbers[index]
            written = _write_number(number, use_decimals=True)
            if number < 0 and index > 0:
                return f"({written})"
            return written

        text, _last_op = self.shape.fold(lambda index: (write_number(index), ""), join_texts)
        return text


def work_out(text: str, *, target: int = 24) -> Working:
    """Read an expression, also with signs and decimals, to show its steps and its value.

    A number or bracket may have one sign of its own (`-5+3`, `2*-3`; `-(2+3)` is `-1*(2+3)`), and a number
    may have decimals after a point or comma. Everything else is read as by `parse`, also a target at the end
    or the beginning. Raises ExpressionError for any other text, and for division by zero.
    """
    reader = _SignedReader(text, target)
    shape = reader.read_text()
    return Working(shape, tuple(reader.numbers))


class _SignedReader(Reader):
    """A reader that allows signs and decimals. It puts the numbers into a list and their indexes into the
    expression, which has whole numbers only.
    """

    def __init__(self, text: str, target: int) -> None:
        super().__init__(text, target)
        self.numbers: list[Fraction] = []  # those read so far

    def find_number_end(self, at: int) -> int:
        """Return the position after the number that begins at `at`: digits, or digits, a point or comma, and
        digits. A point without digits after it is no part of the number.
        """
        point = super().find_number_end(at)
        if self.plain[point : point + 1] not in (".", ",", "．"):
            return point
        end = super().find_number_end(point + 1)
        has_decimals = end > point + 1
        return end if has_decimals else point

    def read_part(self) -> Expression:
        """Read part := [ "+" | "-" ] ( number | bracket ). A minus makes the number negative; before a
        bracket it multiplies by -1, which is added to the numbers.
        """
        if self.current not in ("+", "-"):
            return super().read_part()
        next_token, _ = self.tokens[self.index + 1]
        if next_token in ("", *"+-*/=)]}"):  # neither a number nor an opening bracket
            return super().read_part()  # raises the error
        is_negative = self.current == "-"
        self.take_token()
        next_index = len(self.numbers)  # of the number that is read next
        if is_negative and self.current in "([{":
            self.numbers.append(Fraction(-1))
            return Expression.join("*", Expression.leaf(next_index), super().read_part())
        part = super().read_part()
        if is_negative:
            self.numbers[next_index] *= -1
        return part

    def read_leaf(self) -> Expression:
        """Read a number, add it to the list, and return the expression of its index there."""
        token, _ = self.take_token()
        number = CARDS[token] if token in CARDS else token.translate(_DECIMAL_POINTS)
        self.numbers.append(Fraction(number))
        return Expression.leaf(len(self.numbers) - 1)

    def read_number(self) -> int:
        """Read the number of a target. Raises ExpressionError for a decimal, which can't be the target."""
        if not self.current.isalnum():  # it has a point or comma
            self.refuse_token("other target")
        return super().read_number()

    def is_zero(self, divisor: Expression) -> bool:
        """Whether the value of a divisor is 0, calculated with the numbers that its indexes refer to."""
        return not divisor.fold(self.numbers.__getitem__, _apply_operation)


def _apply_operation(op: Op, left: Fraction, right: Fraction) -> Fraction:
    """Apply an operation to two fractions. Raises ZeroDivisionError."""
    numerator, denominator = apply_operation(op, left.as_integer_ratio(), right.as_integer_ratio())
    return Fraction(numerator, denominator)


def _make_expression(number: Fraction) -> Expression:
    """Write a number with whole numbers from 0: -7/2 as 0-7/2."""
    expression = Expression.leaf(abs(number.numerator))
    if number.denominator != 1:
        expression = Expression.join("/", expression, Expression.leaf(number.denominator))
    if number < 0:
        expression = Expression.join("-", Expression.leaf(0), expression)
    return expression


def _write_number(value: Fraction, *, use_decimals: bool) -> str:
    """Write a number as a decimal (`-2.5`) if that is wanted and exact, else as a fraction (`-5/2`), and a
    whole number without either.
    """
    places = _count_decimals(value.denominator) if use_decimals else 0
    if places == 0:
        return str(value)
    sign = "-" if value < 0 else ""
    all_digits = abs(value.numerator) * 10**places // value.denominator  # without the point: 25 for 2.5
    whole, decimals = divmod(all_digits, 10**places)
    return f"{sign}{whole}.{decimals:0{places}}"


def _count_decimals(denominator: int) -> int:
    """Return the number of decimals of a fraction with that denominator; 0 for a whole number, and if there
    are infinitely many or more than the product of two typed decimals has.
    """
    for places in range(2 * MAX_DIGITS):
        if 10**places % denominator == 0:
            return places
    return 0
