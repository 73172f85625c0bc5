"""Every form of a hand by brute force, slowly and without any of the search's cleverness.

All expressions of every way to part the numbers in two, in exact fractions, told apart by `form`, which the
search does not use.
"""

from fractions import Fraction
from itertools import combinations

from solver import Expression, form

Key = object
Found = dict[Key, tuple[Expression, Fraction]]


def all_forms(numbers: tuple[int, ...], known: dict[tuple[int, ...], Found] | None = None) -> Found:
    """Each form that the numbers have, of any value and either sign, with an expression and its value."""
    known = {} if known is None else known
    numbers = tuple(sorted(numbers))
    if numbers not in known:
        found: Found = {}
        for expression, value in _expressions(numbers, known):
            found.setdefault(form(expression), (expression, value))
        known[numbers] = found
    return known[numbers]


def _expressions(
    numbers: tuple[int, ...], known: dict[tuple[int, ...], Found]
) -> list[tuple[Expression, Fraction]]:
    if len(numbers) == 1:
        return [(Expression.leaf(numbers[0]), Fraction(numbers[0]))]
    found = []
    for size in range(1, len(numbers)):
        for chosen in combinations(range(len(numbers)), size):
            left = all_forms(tuple(numbers[i] for i in chosen), known)
            right = all_forms(tuple(n for i, n in enumerate(numbers) if i not in chosen), known)
            for first, x in left.values():
                for second, y in right.values():
                    found.append((Expression.join("+", first, second), x + y))
                    found.append((Expression.join("-", first, second), x - y))
                    found.append((Expression.join("*", first, second), x * y))
                    if y:
                        found.append((Expression.join("/", first, second), x / y))
    return found
