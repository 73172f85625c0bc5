"""Whether an expression is a hand's solution with scaled numbers. Nothing here reads a clock or a database.

`16/(6-16/3)` is one for 3 8 3 8: each step of it is a step of `8/(3-8/3)`, made greater or smaller. So every
number is read as any number of the hand, scaled by whatever their ratio is. What is added to or taken from
each other must be scaled alike, or it would be another sum; and what is then made of exactly the hand's
numbers must be its target, in all of the expression or in some terms of a row. A mere product is like any
other, and tells nothing.

With up to `MERGED` numbers too many, some are first read together as the whole number that they are worth, as
in `800/10/(30-80/3)`; where two are too many, products before sums. So `(20*20-2*8)/8` is one for 4 4 10 10,
in which 4*4 is written as 2*8.

Before a row is read with a hand, the ratios of the terms that are added in it are looked up among all the
ratios that the hand's numbers have: most rows have others.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise
from math import gcd

from bot.games.twentyfour.disguise import LONG, Part, rows, together

MERGED = 2
"""Numbers too many up to which some are read together."""
KEPT_LISTS, KEPT_ANSWERS = 64, 8192

Numbers = tuple[int, ...]
"""In ascending order."""
Factor = tuple[int, int]
"""By what is multiplied, and by what divided, in lowest terms."""
Scale = Factor | None
"""How many times greater a part is as it is written; None for a 0, which is any number of times another."""
Ratio = tuple[int, int, int, int]
"""Of how many numbers multiplied, of how many divided by, and what they make, in lowest terms."""
Term = tuple[bool, Part]


@lru_cache(KEPT_ANSWERS)
def scales(ideas: tuple[str, ...], numbers: tuple[int, ...], target: Fraction) -> bool:
    """Whether one of the expressions is a solution of that hand with scaled numbers."""
    hand = tuple(sorted(numbers))
    had = _ratios(hand)
    return any(
        _is_solution(row, hand, target)
        for wanted, found in _rows(ideas, len(hand)).items()
        if wanted <= had
        for row in found
    )


def _is_solution(row: Part, hand: Numbers, target: Fraction) -> bool:
    """Whether a row makes the target of the hand's numbers, each of them scaled by anything."""
    return any(
        numbers == hand and abs(row.value) == target * Fraction(*(scale or (1, 1)))
        for numbers, scale in _readings(row, hand)
    )


@lru_cache(KEPT_LISTS)
def _rows(ideas: tuple[str, ...], size: int) -> Mapping[frozenset[Ratio], Sequence[Part]]:
    """Rows of so many numbers, each once, by the ratios in them."""
    found: dict[object, Part] = {}
    for more in range(MERGED, -1, -1):
        found = {_shape(row): row for some in found.values() for row in _merged(some, sums=not more)}
        wholes = (whole for whole in rows(ideas) if not more or len(whole.leaves) <= size + MERGED)
        parts = (part for whole in wholes for part in whole.parts())
        found |= {_shape(row): row for part in parts for row in _of_size(part, size + more)}
    by_ratios = defaultdict(list)
    for row in filter(_adds, found.values()):
        by_ratios[frozenset(_within(row))].append(row)
    return by_ratios


def _of_size(part: Part, size: int) -> Iterator[Part]:
    """Some or all terms of a row that have so many numbers together."""
    if not size <= len(part.leaves) or len(part.terms) > LONG:
        return
    for some in range(2, min(size, len(part.terms)) + 1):
        for terms in combinations(part.terms, some):
            if sum(len(term.leaves) for _, term in terms) == size:
                yield _row(together(terms, part.sums), part.sums, terms)


def _row(value: Fraction, sums: bool, terms: tuple[Term, ...]) -> Part:
    return Part(value, sums, terms, leaves=tuple(number for _, term in terms for number in term.leaves))


def _shape(part: Part) -> object:
    return (part.sums, *((kept, _shape(term)) for kept, term in part.terms)) if part.terms else part.leaves


def _adds(row: Part) -> bool:
    """Whether anything is added; a mere product is like any other."""
    return row.sums or any(_adds(term) for _, term in row.terms)


def _merged(row: Part, *, sums: bool) -> Iterator[Part]:
    """The row with two numbers that stand side by side in it read as one, in every way; or not in sums."""
    terms = row.terms
    for at, (kept, term) in enumerate(terms):
        for inner in _merged(term, sums=sums):
            yield _row(row.value, row.sums, (*terms[:at], (kept, inner), *terms[at + 1 :]))
    plain = [at for at, (_, term) in enumerate(terms) if not term.terms and (sums or not row.sums)]
    for one, other in combinations(plain, 2):
        rest = tuple(term for at, term in enumerate(terms) if at not in (one, other))
        read = _read_as_one(terms[one], terms[other], sums=row.sums)
        if read and rest:
            yield _row(row.value, row.sums, (read, *rest))
        elif read and read[0]:
            yield read[1]


def _read_as_one(one: Term, other: Term, *, sums: bool) -> Term | None:
    """The whole number that two terms are worth, and whether it is added or multiplied; a 0 says nothing."""
    (first, second), (number, more) = (one[0], other[0]), (*one[1].leaves, *other[1].leaves)
    if sums:
        made = (number if first else -number) + (more if second else -more)
        return (made > 0, _leaf(abs(made))) if made else None
    if first is second:
        return (first, _leaf(number * more)) if number * more else None
    above, below = (number, more) if first else (more, number)
    if above and below and not (above % below and below % above):
        return above >= below, _leaf(max(above, below) // min(above, below))
    return None


def _leaf(number: int) -> Part:
    return Part(Fraction(number), leaves=(number,))


def _within(row: Part) -> Iterator[Ratio]:
    """The ratios of terms that are added, where they are numbers or mere products."""
    for part in row.parts():
        if part.sums:
            plain = (counted for _, term in part.terms if (counted := _counted(term)))
            for (above, below, one), (less, more, other) in pairwise(plain):
                yield above + more, below + less, *abs(one / other).as_integer_ratio()


def _counted(term: Part) -> tuple[int, int, Fraction] | None:
    """How many numbers of a mere product are multiplied, by how many it is divided, and what it is worth."""
    if not term.value or term.sums or any(inner.terms for _, inner in term.terms):
        return None
    above = sum(kept for kept, _ in term.terms) if term.terms else 1
    return above, len(term.leaves) - above, term.value


@lru_cache(KEPT_ANSWERS)
def _ratios(hand: Numbers) -> frozenset[Ratio]:
    """All ratios of products of the hand's numbers."""
    found: set[Ratio] = {(0, 0, 1, 1)}
    for number in filter(None, hand):
        for above, below, one, other in tuple(found):
            found.add((above + 1, below, *_times((one, other), (number, 1))))
            found.add((above, below + 1, *_times((one, other), (1, number))))
    return frozenset(found)


def _readings(part: Part, hand: Numbers) -> set[tuple[Numbers, Scale]]:
    """Numbers of the hand that can stand in a part, and how many times greater it is as it is written."""
    if not part.terms:
        (leaf,) = part.leaves
        return {((n,), _ratio(leaf, n)) for n in hand if bool(leaf) is bool(n)}
    found: set[tuple[Numbers, Scale]] = {((), None)}
    for kept, term in sorted(part.terms, key=lambda term: not term[1].terms):
        readings = _readings(term, hand) if found else ()
        found = {
            (numbers, scale)
            for some, before in found
            for more, step in readings
            if (numbers := _both(some, more, hand))
            for scale in (_added(before, step) if part.sums else _multiplied(before, step, kept=kept))
        }
    return {(numbers, scale if part.value else None) for numbers, scale in found}


def _added(before: Scale, step: Scale) -> Iterator[Scale]:
    """The scale of a sum, if both are scaled alike."""
    if before is None or step is None or before == step:
        yield step if before is None else before


def _multiplied(before: Scale, step: Scale, *, kept: bool) -> Iterator[Scale]:
    above, below = step or (1, 1)
    yield _times(before or (1, 1), (above, below) if kept else (below, above))


def _times(one: Factor, other: Factor) -> Factor:
    above, below = one[0] * other[0], one[1] * other[1]
    common = gcd(above, below)
    return above // common, below // common


@lru_cache(KEPT_ANSWERS)
def _both(some: Numbers, more: Numbers, hand: Numbers) -> Numbers:
    """The numbers together; none where the hand doesn't have them all."""
    both = tuple(sorted(some + more))
    return both if all(both.count(n) <= hand.count(n) for n in more) else ()


@lru_cache(KEPT_ANSWERS)
def _ratio(one: int, other: int) -> Scale:
    """How many times greater one number is than the other; None for a 0."""
    return Fraction(one, other).as_integer_ratio() if one and other else None
