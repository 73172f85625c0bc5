"""`solve`, `ideas` and `tricks`: all solutions of a hand, one for each form, idea or trick."""

from __future__ import annotations

from itertools import islice

from solver.equivalence import derive_idea, derive_trick
from solver.form_search import FormLister, check_whole_number
from solver.solution import Solution

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from solver.equivalence import Idea, Node
    from solver.expression import Expression

MAX_SORTED_NUMBERS = 6  # Hands of more numbers get their solutions in the order in which they are found


def solve(numbers: Sequence[int], target: int = 24, *, limit: int | None = None) -> Iterator[Expression]:
    """Generate the solutions that use each of the numbers once: one for each form, at most `limit`.

    Up to six numbers, the plainest comes first; with more, they come as they are found. The order does not
    depend on the order of the numbers. Raises ValueError at once if there are no numbers, or if a number, the
    target or the limit is negative or not an integer.
    """
    return search(numbers, target, limit)


def ideas(numbers: Sequence[int], target: int = 24, *, limit: int | None = None) -> Iterator[Expression]:
    """Generate the plainest solution of each idea, plainest first, at most `limit`.

    With more than six numbers, the first solution found of each idea, in the order of finding. Raises
    ValueError as `solve` does.
    """
    return search_ideas(numbers, target, limit)


def tricks(numbers: Sequence[int], target: int = 24, *, limit: int | None = None) -> Iterator[Expression]:
    """Generate the plainest solution of each trick, plainest first, at most `limit`. As in `ideas`, with more
    than six numbers it is the first one found. Raises ValueError as `solve` does.
    """
    return _find_first_of_each(derive_trick, numbers, target, limit)


def families(numbers: Sequence[int], target: int = 24) -> list[Family]:
    """Return the plainest solution of each idea with its number of forms, in the order of `ideas`. Raises
    ValueError as `solve` does.
    """
    first_solutions: dict[Idea, Expression] = {}
    form_counts: dict[Idea, int] = {}
    sign = min(target, 1)  # 0 or 1, since no target is negative
    for solution in _generate_solutions(numbers, target):  # plainest first, and so the first of each idea
        idea = derive_idea(sign, solution.node)
        first_solutions.setdefault(idea, solution)
        form_counts[idea] = form_counts.get(idea, 0) + 1
    return [Family(expression, form_counts[idea]) for idea, expression in first_solutions.items()]


class Family:
    """An idea and the number of its forms."""

    __slots__ = ("expression", "forms")

    def __init__(self, expression: Expression, forms: int) -> None:
        self.expression = expression  # the plainest form
        self.forms = forms  # the number of forms

    def __repr__(self) -> str:
        return f"Family({self.expression}, forms={self.forms})"


def search_ideas(
    numbers: Sequence[int], target: int, limit: int | None = None, log: Callable[[str], None] | None = None
) -> Iterator[Expression]:
    """Generate solutions as `ideas` does; call `log` with a line for each request of the backward search."""
    return _find_first_of_each(derive_idea, numbers, target, limit, log)


def _find_first_of_each(
    derive_key: Callable[[int, Node], Idea],
    numbers: Sequence[int],
    target: int,
    limit: int | None = None,
    log: Callable[[str], None] | None = None,
) -> Iterator[Expression]:
    """Generate the first solution of each idea or trick, at most `limit`; `derive_key` returns the one that a
    form belongs to. Raises ValueError at once, as `solve` does.
    """
    check_whole_number(limit or 0)  # None is allowed
    found: set[Idea] = set()
    sign = min(target, 1)  # 0 or 1, since no target is negative

    def is_new(solution: Solution) -> bool:
        key = derive_key(sign, solution.node)
        if key in found:
            return False
        found.add(key)
        return True

    new_solutions = filter(is_new, _generate_solutions(numbers, target, log))
    return islice(new_solutions, limit)


def search(
    numbers: Sequence[int], target: int, limit: int | None = None, log: Callable[[str], None] | None = None
) -> Iterator[Expression]:
    """Generate solutions as `solve` does; call `log` with a line for each request of the backward search."""
    check_whole_number(limit or 0)  # None is allowed
    return islice(_generate_solutions(numbers, target, log), limit)


def _generate_solutions(
    numbers: Sequence[int], target: int, log: Callable[[str], None] | None = None
) -> Iterator[Solution]:
    """Generate a solution for each form in the order of `solve`: up to six numbers, the plainest first.
    Raises ValueError at once, as `solve` does.
    """
    lister = FormLister(numbers, target, log)
    found = map(Solution, lister.generate_nodes())
    if len(numbers) <= MAX_SORTED_NUMBERS:
        return _sort_by_plainness(found)
    return found


def _sort_by_plainness(found: Iterable[Solution]) -> Iterator[Solution]:
    """Generate solutions, plainest first; all are found and sorted when the first one is asked for."""
    yield from sorted(found, key=rank_plainness)


def rank_plainness(expression: Expression) -> tuple[int, int, int, str]:
    """Return a sort key for plain solutions first: few divisions, brackets and subtractions (which count
    half), then few multiplications, then a short text, then the text itself.
    """
    text = str(expression)
    hard_signs = 2 * text.count("/") + 2 * text.count("(") + text.count("-")
    return hard_signs, text.count("*"), len(text), text
