"""`solve`, `ideas` and `tricks`: every solution of a hand, one for each form, idea or trick."""

from __future__ import annotations

from itertools import islice

from solver.equivalence import idea_of, trick_of
from solver.solution import Solution
from solver.spelling import Listing, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from solver.equivalence import Idea, Node
    from solver.expression import Expression

SORTED = 6  # Up to so many numbers all solutions are given plainest first


def solve(numbers: Sequence[int], target: int = 24, *, limit: int | None = None) -> Iterator[Expression]:
    """Every solution that uses each of the numbers once, one for each form, at most `limit`.

    Lazily, in an order that is the same for every order of the numbers: plainest first up to six numbers,
    beyond that as they are found. ValueError unless there is a number, and numbers, target and limit are
    whole and not negative.
    """
    return search(numbers, target, limit)


def ideas(numbers: Sequence[int], target: int = 24, *, limit: int | None = None) -> Iterator[Expression]:
    """The plainest solution for each idea, plainest first, at most `limit`.

    Beyond six numbers, the first solution that comes up for each idea, as they are found. ValueError as in
    `solve`.
    """
    return search_ideas(numbers, target, limit)


def tricks(numbers: Sequence[int], target: int = 24, *, limit: int | None = None) -> Iterator[Expression]:
    """As `ideas`, for each trick: what players call different, where a published list may count two ideas."""
    return _one_each(trick_of, numbers, target, limit)


def families(numbers: Sequence[int], target: int = 24) -> list[Family]:
    """Every idea with the number of forms behind it, in the order of `ideas`. ValueError as in `solve`."""
    first: dict[Idea, Expression] = {}
    forms: dict[Idea, int] = {}
    for solution in _solutions(numbers, target):
        key = idea_of(min(target, 1), solution.node)
        first.setdefault(key, solution)
        forms[key] = forms.get(key, 0) + 1
    return [Family(expression, forms[key]) for key, expression in first.items()]


class Family:
    """The solutions that are one idea."""

    __slots__ = ("expression", "forms")

    def __init__(self, expression: Expression, forms: int) -> None:
        self.expression = expression  # the plainest form
        self.forms = forms  # the number of forms

    def __repr__(self) -> str:
        return f"Family({self.expression}, forms={self.forms})"


def search_ideas(
    numbers: Sequence[int], target: int, limit: int | None = None, log: Callable[[str], None] | None = None
) -> Iterator[Expression]:
    """As `ideas`; `log` is told of every step of the search backward from the target."""
    return _one_each(idea_of, numbers, target, limit, log)


def _one_each(
    key_of: Callable[[int, Node], Idea],
    numbers: Sequence[int],
    target: int,
    limit: int | None = None,
    log: Callable[[str], None] | None = None,
) -> Iterator[Expression]:
    """The first solution that comes up for each key."""
    whole(limit or 0)
    found: dict[Idea, None] = {}

    def new(solution: Solution) -> bool:
        key = key_of(min(target, 1), solution.node)
        return key not in found and found.setdefault(key) is None

    return islice(filter(new, _solutions(numbers, target, log)), limit)


def search(
    numbers: Sequence[int], target: int, limit: int | None = None, log: Callable[[str], None] | None = None
) -> Iterator[Expression]:
    """As `solve`; `log` is told of every step of the search backward from the target."""
    whole(limit or 0)
    return islice(_solutions(numbers, target, log), limit)


def _solutions(
    numbers: Sequence[int], target: int, log: Callable[[str], None] | None = None
) -> Iterator[Solution]:
    found = map(Solution, Listing(numbers, target, log).nodes())
    return _sorted(found) if len(numbers) <= SORTED else found


def _sorted(found: Iterable[Solution]) -> Iterator[Solution]:
    yield from sorted(found, key=plainness)


def plainness(expression: Expression) -> tuple[int, int, int, str]:
    """Return a sort key for plain solutions first: few divisions, subtractions, brackets; then short."""
    text = str(expression)
    return 2 * text.count("/") + text.count("-") + 2 * text.count("("), text.count("*"), len(text), text
