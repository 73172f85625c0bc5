"""Whether an expression is a hand's solution with scaled numbers. Nothing here reads a clock or a database.

`16/(6-16/3)` is one for 3 8 3 8: each step of it is a step of `8/(3-8/3)`, made greater or smaller. So
numbers are read as numbers of the hand, each as it is or scaled, all by the same one of `FACTORS`. What is
added to or taken from each other must be scaled alike, or it would be another sum; and what is then made of
exactly the hand's numbers must be its target, in all of the expression or in some terms of a row. A mere
product is like any other, and tells nothing.

A scale is a product of 2, 3, 5 and 7 and their inverses. It is kept as a sum of logarithms, those of each
prime in binary digits of their own: so it is exact, and scales are multiplied by adding.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

from bot.games.twentyfour.disguise import LONG, Part, rows, together

FACTORS = (*range(2, 11), 100, 1000)
"""By what numbers are multiplied or divided."""
LOGARITHMS = {2: 1, 3: 1 << 12, 5: 1 << 24, 7: 1 << 36}
KEPT_LISTS, KEPT_ANSWERS = 64, 8192

Numbers = tuple[int, ...]
"""In ascending order."""
Factor = tuple[int, int]
"""By what is multiplied, and by what divided."""
Scale = int | None
"""How many times greater a part is as it is written; None for a 0, which is any number of times another."""


@lru_cache(KEPT_ANSWERS)
def scales(ideas: tuple[str, ...], numbers: tuple[int, ...], target: Fraction) -> bool:
    """Whether one of the expressions is a solution of that hand with scaled numbers."""
    hand = tuple(sorted(numbers))
    return any(
        (hand, scale) in _readings(row, hand, by)
        for leaves, found in _rows(ideas, len(hand)).items()
        if _may_be(leaves, hand)
        for by in _factors(leaves, hand)
        for row in found
        if (scale := _ratio(abs(row.value), target)) is not None or row.value == target
    )


def may_scale(leaves: Sequence[int], numbers: Sequence[int]) -> bool:
    """A quick look at as many numbers as the hand has."""
    written, hand = tuple(sorted(leaves)), tuple(sorted(numbers))
    return _may_be(written, hand) and bool(_factors(written, hand))


@lru_cache(KEPT_LISTS)
def _rows(ideas: tuple[str, ...], size: int) -> Mapping[Numbers, Sequence[Part]]:
    """Rows of terms with so many numbers in them, each once, by their numbers."""
    found: dict[Numbers, dict[object, Part]] = defaultdict(dict)
    for whole in rows(ideas):
        for part in whole.parts():
            for row in _of_size(part, size):
                found[tuple(sorted(row.leaves))].setdefault(_shape(row), row)
    return {leaves: list(some.values()) for leaves, some in found.items()}


def _of_size(part: Part, size: int) -> Iterator[Part]:
    """Some or all terms of a row that have so many numbers together."""
    if not size <= len(part.leaves) or len(part.terms) > LONG:
        return
    for some in range(2, min(size, len(part.terms)) + 1):
        for terms in combinations(part.terms, some):
            leaves = tuple(n for _, term in terms for n in term.leaves)
            if len(leaves) == size:
                row = replace(part, value=together(terms, part.sums), terms=terms, worth=(), leaves=leaves)
                if any(inner.sums for inner in row.parts() if inner.terms):
                    yield row  # a mere product is like any other


def _shape(part: Part) -> object:
    return (part.sums, *((kept, _shape(term)) for kept, term in part.terms)) if part.terms else part.leaves


@lru_cache(KEPT_ANSWERS)
def _may_be(leaves: Numbers, hand: Numbers) -> bool:
    """Whether each leaf can be another number of the hand, scaled by whatever factor: a quick look."""
    if not leaves:
        return True
    return any(
        _is_scaled(leaves[0], n) and _may_be(leaves[1:], hand[:at] + hand[at + 1 :])
        for at, n in enumerate(hand)
    )


@lru_cache(KEPT_ANSWERS)
def _factors(leaves: Numbers, hand: Numbers) -> tuple[Factor, ...]:
    """The factors by one of which all leaves that are no numbers of the hand are scaled."""
    both = [factor for n in FACTORS for factor in ((n, 1), (1, n))]
    return tuple(by for by in both if _fit(leaves, hand, by))


def _fit(leaves: Numbers, hand: Numbers, by: Factor) -> bool:
    if not leaves:
        return True
    return any(
        _is(leaves[0], n, by) and _fit(leaves[1:], hand[:at] + hand[at + 1 :], by)
        for at, n in enumerate(hand)
    )


def _is(leaf: int, number: int, by: Factor) -> bool:
    """Whether a leaf is the number, as it is or scaled."""
    return leaf == number or leaf * by[1] == number * by[0]


@lru_cache(KEPT_ANSWERS)
def _is_scaled(one: int, other: int) -> bool:
    """Whether one number is the other, or that times or divided by a factor."""
    if one == other or not one or not other:
        return one == other
    greater, smaller = max(one, other), min(one, other)
    return greater % smaller == 0 and greater // smaller in FACTORS


def _readings(part: Part, hand: Numbers, by: Factor) -> set[tuple[Numbers, Scale]]:
    """Numbers of the hand that can stand in a part, and how many times greater it is as it is written."""
    if not part.terms:
        (leaf,) = part.leaves
        return {((n,), _ratio(leaf, n)) for n in hand if _is(leaf, n, by)}
    found: set[tuple[Numbers, Scale]] = {((), None)}
    for kept, term in part.terms:
        found = {
            (numbers, scale)
            for some, before in found
            for more, step in _readings(term, hand, by)
            if (numbers := _both(some, more, hand))
            for scale in (_added(before, step) if part.sums else _multiplied(before, step, kept=kept))
        }
    return {(numbers, scale if part.value else None) for numbers, scale in found}


def _added(before: Scale, step: Scale) -> Iterator[Scale]:
    """The scale of a sum, if both are scaled alike."""
    if before is None or step is None or before == step:
        yield step if before is None else before


def _multiplied(before: Scale, step: Scale, *, kept: bool) -> Iterator[Scale]:
    yield (before or 0) + (step or 0) * (1 if kept else -1)


@lru_cache(KEPT_ANSWERS)
def _both(some: Numbers, more: Numbers, hand: Numbers) -> Numbers:
    """The numbers together; none where the hand doesn't have them all."""
    both = tuple(sorted(some + more))
    return both if all(both.count(n) <= hand.count(n) for n in more) else ()


@lru_cache(KEPT_ANSWERS)
def _ratio(one: Fraction | int, other: Fraction | int) -> Scale:
    """How many times greater one is than the other; None where that is no scale."""
    if not one or not other:
        return None
    ratio = Fraction(one) / other
    above, below = _logarithm(ratio.numerator), _logarithm(ratio.denominator)
    return None if above is None or below is None else above - below


def _logarithm(number: int) -> int | None:
    made = 0
    for prime, logarithm in LOGARITHMS.items():
        while not number % prime:
            number //= prime
            made += logarithm
    return made if number == 1 else None
