"""Whether an expression is a hand's solution in disguise. Nothing here reads a clock or a database.

`6/(7/7-6/8)` is one for 1 6 6 8: with `7/7` read as the 1 that it is worth, it is that hand's solution. So
parts of an expression are read as the whole numbers that they are worth, in every way, until exactly the
hand's numbers stand there; what is then made of them must be the hand's target, in all or in a part of it.

A sum is taken as one row of terms, in whatever order and brackets it is written, and a product likewise:
`2+13+4-3+8` holds 10 as `13-3`. Of a row, up to `TOGETHER` terms are read as one number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

import solver

TOGETHER = 3
"""Terms of a row that are read as one number at most."""
SHORT, LONG = 6, 12
"""Terms of a row up to which any of them may be the part that makes the target; of a longer one `TOGETHER`,
and one that is longer still is read only in its parts."""
KEPT_LISTS, KEPT_ANSWERS = 64, 8192

Terms = frozenset[int]
"""Some terms of a row, by their places."""
Ways = frozenset[tuple[int, ...]]
"""What can stand there: numbers in ascending order, for each way of reading it."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A number, or a row of terms."""

    value: Fraction
    sums: bool = False
    terms: tuple[tuple[bool, Part], ...] = ()
    """Each with whether it is added (or multiplied), and not taken away (or divided by)."""
    worth: tuple[tuple[Terms, Fraction], ...] = ()
    """What some of the terms make together, without its sign."""
    leaves: tuple[int, ...] = ()
    """The numbers that stand in it."""

    def parts(self) -> Iterator[Part]:
        """All that is in it, and itself last."""
        for _, term in self.terms:
            yield from term.parts()
        yield self


@lru_cache(KEPT_ANSWERS)
def hides(ideas: tuple[str, ...], numbers: tuple[int, ...], target: Fraction) -> bool:
    """Whether one of the expressions is a solution of that hand in disguise."""
    wanted = {*map(Fraction, numbers), target}
    return any(wanted <= values and _Reading(numbers).holds(whole, target) for whole, values in _read(ideas))


def rows(ideas: Sequence[str]) -> Iterator[Part]:
    """The expressions as rows of terms."""
    return (whole for whole, _ in _read(ideas))


@lru_cache(KEPT_LISTS)
def _read(ideas: Sequence[str]) -> tuple[tuple[Part, frozenset[Fraction]], ...]:
    """The expressions as rows, each with all that it can be read as."""
    wholes = [solver.parse(idea).fold(_leaf, _joined) for idea in ideas]
    return tuple((whole, frozenset(_values(whole))) for whole in map(_weighed, wholes))


def _leaf(number: int) -> Part:
    return Part(Fraction(number), leaves=(number,))


def _joined(op: solver.expression.Op, left: Part, right: Part) -> Part:
    sums, plain = op in "+-", op in "+*"
    first = left.terms if left.terms and left.sums is sums else ((True, left),)
    second = right.terms if right.terms and right.sums is sums else ((True, right),)
    terms = (*first, *((kept is plain, term) for kept, term in second))
    leaves = tuple(number for _, term in terms for number in term.leaves)
    return Part(together(terms, sums), sums, terms, leaves=leaves)


def together(terms: Sequence[tuple[bool, Part]], sums: bool) -> Fraction:
    """What the terms of a row are worth. Raises ZeroDivisionError."""
    if sums:
        return sum((term.value if kept else -term.value for kept, term in terms), Fraction())
    made = Fraction(1)
    for kept, term in terms:
        made = made * term.value if kept else made / term.value
    return made


def _weighed(part: Part) -> Part:
    """The same, with what some of the terms make in each row."""
    places, row = range(len(part.terms)), part.terms
    most = len(row) - 1 if len(row) <= SHORT else TOGETHER if len(row) <= LONG else 0
    worth = tuple(
        (frozenset(some), abs(together([row[place] for place in some], part.sums)))
        for size in range(2, most + 1)
        for some in combinations(places, size)
    )
    terms = tuple((kept, _weighed(term)) for kept, term in row)
    return replace(part, terms=terms, worth=worth)


def _values(whole: Part) -> Iterator[Fraction]:
    for part in whole.parts():
        yield abs(part.value)
        for _, value in part.worth:
            yield value
            if value and not part.sums:
                yield 1 / value


class _Reading:
    """One expression, read with the numbers of one hand."""

    def __init__(self, numbers: tuple[int, ...]) -> None:
        self._hand = Counter(numbers)
        self._numbers = tuple(sorted(numbers))
        self._rows: dict[tuple[int, Terms], Ways] = {}

    def holds(self, whole: Part, target: Fraction) -> bool:
        """Whether the target is made of exactly the hand's numbers, in all of it or in a part."""
        return any(
            (abs(part.value) == target and self._numbers in self._ways(part))
            or any(value == target and self._numbers in self._row(part, some) for some, value in part.worth)
            for part in whole.parts()
        )

    def _ways(self, part: Part) -> Ways:
        """What can stand in the place of a part."""
        row = frozenset(range(len(part.terms)))
        inner = self._row(part, row) if 0 < len(row) <= LONG else frozenset()
        return inner | self._one(abs(part.value))

    def _one(self, value: Fraction) -> Ways:
        """The value as a number of the hand, if it is one."""
        return frozenset([(value.numerator,)] if value.denominator == 1 and value in self._hand else [])

    def _row(self, part: Part, places: Terms) -> Ways:
        """What can stand in the place of some terms of a row."""
        if not places:
            return frozenset([()])
        key = id(part), places
        if key not in self._rows:
            self._rows[key] = frozenset(self._begun(part, places))
        return self._rows[key]

    def _begun(self, part: Part, places: Terms) -> Iterator[tuple[int, ...]]:
        first = min(places)
        yield from self._with(self._ways(part.terms[first][1]), part, places - {first})
        for some, value in part.worth:
            if first in some and some <= places and len(some) <= TOGETHER:
                divided = value.numerator == 1 and not part.sums
                number = self._one(1 / value if divided else value)
                yield from self._with(number, part, places - some)

    def _with(self, ways: Ways, part: Part, places: Terms) -> Iterator[tuple[int, ...]]:
        for one in ways:
            for other in self._row(part, places):
                both = tuple(sorted(one + other))
                if Counter(both) <= self._hand:
                    yield both
