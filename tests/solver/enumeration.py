"""List all forms of a hand by brute force, as a reference for the search.

All expressions are built in exact fractions and compared by `form`, which the search does not use.
"""

from fractions import Fraction
from itertools import combinations

from solver import Expression, form

FormKey = object
Forms = dict[FormKey, tuple[Expression, Fraction]]


def list_forms(numbers: tuple[int, ...], known: dict[tuple[int, ...], Forms] | None = None) -> Forms:
    """Return every form of the numbers, of any value and either sign, with an expression and its value."""
    known = {} if known is None else known
    numbers = tuple(sorted(numbers))
    if numbers not in known:
        found: Forms = {}
        for expression, value in _list_expressions(numbers, known):
            found.setdefault(form(expression), (expression, value))
        known[numbers] = found
    return known[numbers]


def _list_expressions(
    numbers: tuple[int, ...], known: dict[tuple[int, ...], Forms]
) -> list[tuple[Expression, Fraction]]:
    if len(numbers) == 1:
        return [(Expression.leaf(numbers[0]), Fraction(numbers[0]))]
    found = []
    for size in range(1, len(numbers)):
        for chosen in combinations(range(len(numbers)), size):
            left = list_forms(tuple(numbers[i] for i in chosen), known)
            right = list_forms(tuple(n for i, n in enumerate(numbers) if i not in chosen), known)
            for first, x in left.values():
                for second, y in right.values():
                    found.append((Expression.join("+", first, second), x + y))
                    found.append((Expression.join("-", first, second), x - y))
                    found.append((Expression.join("*", first, second), x * y))
                    if y:
                        found.append((Expression.join("/", first, second), x / y))
    return found
