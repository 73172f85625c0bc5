"""`solve` and `ideas`: every solution of a hand."""

from __future__ import annotations

from itertools import combinations, islice

from solver.equivalence import form, idea
from solver.expression import Expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

    from solver.equivalence import Form, Idea


def solve(numbers: Sequence[int], target: int = 24, *, limit: int | None = None) -> Iterator[Expression]:
    """Every solution that uses each of the numbers once, one for each form."""
    for number in (*numbers, target):
        if type(number) is not int or number < 0:
            raise ValueError(f"numbers and target are whole and not negative: {number!r}")
    if not numbers:
        raise ValueError("there are no numbers")
    found = sorted(
        (e for e, value in _all(tuple(sorted(numbers)), {}).values() if value == target), key=plainness
    )
    return islice(found, limit)


def ideas(numbers: Sequence[int], target: int = 24, *, limit: int | None = None) -> Iterator[Expression]:
    """One solution for each idea, plainest first."""
    found: dict[Idea, Expression] = {}
    for expression in solve(numbers, target):
        found.setdefault(idea(expression), expression)
    return islice(found.values(), limit)


def plainness(expression: Expression) -> tuple[int, int, str]:
    text = str(expression)
    return text.count("/"), text.count("("), text


def _all(
    numbers: tuple[int, ...], known: dict[tuple[int, ...], dict[Form, tuple[Expression, Fraction]]]
) -> dict[Form, tuple[Expression, Fraction]]:
    if numbers in known:
        return known[numbers]
    found: dict[Form, tuple[Expression, Fraction]] = {}
    if len(numbers) == 1:
        expression = Expression.leaf(numbers[0])
        found[form(expression)] = expression, expression.value
    for size in range(1, len(numbers) // 2 + 1):
        for chosen in combinations(range(len(numbers)), size):
            left = tuple(numbers[i] for i in chosen)
            right = tuple(n for i, n in enumerate(numbers) if i not in chosen)
            for a, x in _all(left, known).values():
                for b, y in _all(right, known).values():
                    pairs = [Expression.join("+", a, b), Expression.join("*", a, b)]
                    pairs.append(Expression.join("-", a, b) if x >= y else Expression.join("-", b, a))
                    if y:
                        pairs.append(Expression.join("/", a, b))
                    if x:
                        pairs.append(Expression.join("/", b, a))
                    for e in pairs:
                        found.setdefault(form(e), (e, e.value))
    known[numbers] = found
    return found
