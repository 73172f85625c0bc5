"""Expressions as values: `parse` reads one from a text, and `str` writes it back.

An expression is a tree of whole numbers from 0, joined by + - * and /. Brackets that change nothing are
dropped: `1+(2+3)` is stored as `1+2+3` and `2*(6/3)` as `2*6/3`. So two expressions are equal exactly if
their texts are, and `parse(str(e)) == e`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from fractions import Fraction
    from typing import Any, Literal, NoReturn, TypeVar

    T = TypeVar("T")
    Op = Literal["+", "-", "*", "/"]

set_once = object.__setattr__  # since `Expression.__setattr__` raises


class Expression:
    """A number, or two expressions joined by an operation; immutable and hashable.

    Made by `parse`, `Expression.leaf` and `Expression.join`. A number has `number` and an empty `op`; an
    operation has `op`, `left` and `right`, and no `number`.
    """

    __slots__ = ("left", "number", "op", "right")

    op: Literal["+", "-", "*", "/", ""]  # The operation that joins left and right; empty for a number
    number: int  # The number itself; an operation has none (AttributeError)
    left: Expression  # The operand before the sign; a number has none (AttributeError)
    right: Expression  # The operand after the sign; a number has none (AttributeError)

    @classmethod
    def leaf(cls, number: int) -> Expression:
        """Make the expression of one number, 0 or more, which is not checked."""
        self = cls.__new__(cls)
        set_once(self, "op", "")  # no operation
        set_once(self, "number", number)
        return self

    @classmethod
    def join(cls, op: Op, left: Expression, right: Expression) -> Expression:
        """Join two expressions by an operation. The result is regrouped to need fewest brackets.

        `join("+", a, b-c)` is `(a+b)-c`, and likewise for `*` and `/`. Division by zero is not checked here:
        `value` raises ZeroDivisionError.
        """
        # Operations to do after this one instead of inside the right operand, the last one first.
        later: list[tuple[Op, Expression]] = []
        if op in "+*":
            same_rank = "+-" if op == "+" else "*/"
            while right.op and right.op in same_rank:
                later.append((right.op, right.right))
                right = right.left
        self = cls._make_operation(op, left, right)
        while later:
            sign, part = later.pop()
            self = cls._make_operation(sign, self, part)
        return self

    @classmethod
    def _make_operation(cls, op: Op, left: Expression, right: Expression) -> Expression:
        """Join two expressions as they are, without regrouping."""
        self = cls.__new__(cls)
        set_once(self, "op", op)
        set_once(self, "left", left)
        set_once(self, "right", right)
        return self

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"an expression never changes, so {name!r} can't be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"an expression never changes, so {name!r} can't be deleted")

    def walk(self) -> Iterator[Expression]:
        """Return all parts in the order of calculation: operands before operations, the whole last."""
        backwards = []  # each part before its operands, the right one first
        stack = [self]
        while stack:
            part = stack.pop()
            backwards.append(part)
            if part.op:
                stack += part.left, part.right  # the right one is popped first
        return reversed(backwards)

    def fold(self, convert: Callable[[int], T], join: Callable[[Op, T, T], T]) -> T:
        """Evaluate bottom up, and return the result for the whole: call `convert` with each number, and
        `join` with each sign and the results of its two operands. There is no recursion, so that deep
        expressions cannot overflow the stack.
        """
        done: list[T] = []
        for part in self.walk():
            if part.op:
                right = done.pop()
                left = done.pop()
                done.append(join(part.op, left, right))
            else:
                done.append(convert(part.number))
        return done.pop()

    @property
    def value(self) -> Fraction:
        """The exact value. Raises ZeroDivisionError if a divisor is 0."""
        from fractions import Fraction

        return Fraction(*self.ratio)

    @property
    def ratio(self) -> tuple[int, int]:
        """The value as numerator and denominator, not always in lowest terms. Raises ZeroDivisionError if a
        divisor is 0.
        """
        return self.fold(lambda number: (number, 1), apply_operation)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers in reading order."""
        return tuple(part.number for part in self.walk() if not part.op)

    def steps(self) -> tuple[str, ...]:
        """Return a line for each operation in the order of calculation: `8/3 = 8/3`, `3-8/3 = 1/3`, … Raises
        ZeroDivisionError if a divisor is 0.
        """
        from fractions import Fraction

        lines: list[str] = []

        def add_step(op: Op, left: Fraction, right: Fraction) -> Fraction:
            """Add the line of one operation, and return its result."""
            result = Fraction(*apply_operation(op, left.as_integer_ratio(), right.as_integer_ratio()))
            first = _write_operand(left, op, is_first=True)
            second = _write_operand(right, op, is_first=False)
            lines.append(f"{first}{op}{second} = {result}")
            return result

        self.fold(Fraction, add_step)
        return tuple(lines)

    def __str__(self) -> str:
        """Write the expression with the fewest brackets and without spaces."""
        text, _last_op = self.fold(lambda number: (str(number), ""), join_texts)
        return text

    def __repr__(self) -> str:
        return f"parse({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Expression):
            return NotImplemented
        # The text tells all: brackets that change nothing are not even stored.
        return self is other or str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[object, ...]:
        """Let pickle store the numbers and signs in the order of `walk`, since it would store a tree by
        recursion, which may overflow the stack.
        """
        tokens = tuple(part.op or part.number for part in self.walk())
        return _rebuild, (tokens,)


class LazyExpression(Expression, ABC):
    """An expression that stores only what it is built from at first. `op`, `left`, `right` and `number` are
    set when one of them is first read, since most results are only counted, compared or written.
    """

    __slots__ = ()

    @abstractmethod
    def build(self) -> Expression:
        """Return an equal expression whose attributes are set."""

    def __getattr__(self, name: str) -> Any:
        """Build the expression, set all its attributes here, and return one of them. Python calls this for an
        attribute that is not set. Raises AttributeError if the expression has no such attribute.
        """
        if name in Expression.__slots__:
            whole = self.build()
            if whole.op:
                set_once(self, "left", whole.left)
                set_once(self, "right", whole.right)
            else:
                set_once(self, "number", whole.number)
            set_once(self, "op", whole.op)
        return object.__getattribute__(self, name)  # raises if it is still not set


# The last operations of an operand that is put in brackets before a sign, and after it
_BRACKETED_ON_LEFT: dict[Op, set[str]] = {"+": set(), "-": set(), "*": set("+-"), "/": set("+-")}
_BRACKETED_ON_RIGHT: dict[Op, set[str]] = {"+": set(), "-": set("+-"), "*": set("+-"), "/": set("+-*/")}


def join_texts(op: Op, left: tuple[str, str], right: tuple[str, str]) -> tuple[str, str]:
    """Join two operands by a sign, with brackets around an operand that needs them. Each operand, and the
    result, is a text and its last operation (empty for a number).
    """
    first, first_op = left
    second, second_op = right
    if first_op in _BRACKETED_ON_LEFT[op]:
        first = f"({first})"
    if second_op in _BRACKETED_ON_RIGHT[op]:
        second = f"({second})"
    return first + op + second, op


def drop_trivial_steps(steps: Iterable[str]) -> list[str]:
    """Return the steps without those whose two sides are the same, such as `8/3 = 8/3`."""
    helpful = []
    for step in steps:
        calculation, result = step.split(" = ", 1)
        if calculation != result:
            helpful.append(step)
    return helpful


def _rebuild(tokens: tuple[Op | int, ...]) -> Expression:
    """Build an expression from the numbers and signs of its `walk`. Pickle calls it."""
    done: list[Expression] = []
    for part in tokens:
        if isinstance(part, int):
            done.append(Expression.leaf(part))
        else:
            right = done.pop()
            left = done.pop()
            done.append(Expression.join(part, left, right))
    return done.pop()


def apply_operation(op: Op, left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    """Apply an operation to two fractions, each a numerator and a denominator; the result is not reduced.
    Raises ZeroDivisionError.
    """
    # The fractions a/b and c/d
    a, b = left
    c, d = right
    if op == "+":
        return a * d + c * b, b * d
    if op == "-":
        return a * d - c * b, b * d
    if op == "*":
        return a * c, b * d
    if not c:
        raise ZeroDivisionError("division by zero in an expression")
    return a * d, b * c


def _write_operand(value: Fraction, op: Op, *, is_first: bool) -> str:
    """Write an operand of a step: in brackets if it is a fraction beside `/` or after `*`, or a negative
    number after the sign, which would be misread without them.
    """
    is_misread_minus = value < 0 and not is_first
    is_after_times = op == "*" and not is_first
    is_misread_fraction = value.denominator != 1 and (op == "/" or is_after_times)
    if is_misread_minus or is_misread_fraction:
        return f"({value})"
    return str(value)
