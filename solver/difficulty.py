"""Estimate the time that a person needs for a hand: a race of ideas.

A hand is as hard as its ideas are hard to see, and several easy ideas race: the more there are, the sooner
one of them is seen, with diminishing returns. So each idea has a cost, the weighted
sum of what makes it hard to see, and

    seconds = FLOOR + exp(PACE - SPREAD * log(sum of exp(-cost) over the ideas))

The burdens are read off the idea without its decoration (see `idea`), so it doesn't matter how it is
written; a pair such as 7/7 inside it is a 1. Nothing here knows a hand: the weights were fitted by `python
-m bench.fit` to the mean times of people on 679 hands of four cards, target 24 (4nums.com), and hold for
other counts of cards and other targets as far as the burdens mean the same there: that is a guess, and a
rating says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, log2, prod

from solver.equivalence import idea
from solver.names import LEVELS
from solver.search import ideas

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from solver.equivalence import Node
    from solver.expression import Expression
    from solver.names import Level

# Seconds at which medium, hard and fiendish begin: the quartiles of people's mean times.
QUARTILES = (6.74, 8.37, 11.64)

# What each burden adds to the cost of an idea; below 0 where it helps.
WEIGHTS = {
    "results": 0.39,  # the sizes of the results on the way, added up
    "product inside": -0.65,  # products on the way, without division
    "divides the target": -0.47,  # results on the way that do
    "uneven division": 2.90,  # divisions that don't come out even, whichever factor is divided
    "two groups added": -0.67,  # whether the last step is a sum with two results in it
    "takes from": -0.21,  # the size of the largest term of each sum that something is taken from
    "apart": 0.27,  # the size of the least difference of an added and a taken term (9+9-10: 1, 8+8-13: 5)
    "close in a long sum": -0.53,  # sums of three terms or more where that difference is at most 1
    "carry": 0.69,  # whether the units of a sum with nothing taken go beyond 9
    "shared factor": -1.82,  # whether a number stands in the last sum and is a factor beside a group in it
    "bare and inside": 0.20,  # whether a number stands in the last step and inside one of its parts
    "cards": 0.59,  # how many cards the idea needs
    "spare": -0.57,  # whether that leaves any of the hand for decoration
    "ones": -0.89,  # in the hand
    "repeats": -0.52,  # cards of the hand that are in it already
    "all alike": -2.19,  # whether the hand is one card repeated
    "strangers": -0.15,  # cards of the hand that don't divide the target
    "beyond five": 0.81,  # doublings of the count of ideas from five on: people don't profit from more
}

FLOOR = 4.25  # Seconds that even the easiest hand takes: reading it and typing
PACE = 0.45  # The logarithm of the further seconds for a single idea of cost 0
SPREAD = 0.74  # How strongly seconds answer to costs

# Cards, the highest of them, and what they make in the hands for which people's times are known …
COUNT, HIGHEST, TARGET = 4, 13, 24
MEASURED = f"four cards from 1 to {HIGHEST} that make {TARGET}"  # … and these hands in words
LONGEST = 600.0  # Seconds after which nobody looks any longer
RACERS = 50  # How many ideas race, plainest first: with so many, one more makes no difference

_NEARLY = 1e-9  # Values here are floats; what differs by less is equal


@dataclass(frozen=True, slots=True)
class Rating:
    """The difficulty of a hand for people."""

    seconds: float  # The mean time that people who solve it need

    level: Level  # The quartile of four-card hands in which that time lies

    # Whether the seconds are fitted to people's times for hands of this kind (see `is_measured`); else they
    # are a guess, and the level says no more than which of such hands are harder than others.
    measured: bool


def is_measured(numbers: Sequence[int], target: int = 24) -> bool:
    """Whether people's times are known for such hands: four cards from 1 to 13 that make 24."""
    return target == TARGET and len(numbers) == COUNT and all(1 <= number <= HIGHEST for number in numbers)


def rate(numbers: Sequence[int], target: int = 24) -> Rating:
    """Estimate the time that a person needs to make `target` of `numbers`.

    ValueError without a solution, or as in `solve`.
    """
    racers = race(numbers, target)
    first = min(cost for cost, _ in racers)
    lead = log(sum(exp(first - cost) for cost, _ in racers)) - first
    seconds = min(LONGEST, FLOOR + exp(min(PACE - SPREAD * lead, log(LONGEST))))
    level = LEVELS[sum(seconds >= quartile for quartile in QUARTILES)]
    return Rating(seconds, level, is_measured(numbers, target))


def race(numbers: Sequence[int], target: int = 24) -> list[tuple[float, Expression]]:
    """The cost of each idea and its plainest solution. ValueError without a solution, or as in `solve`."""
    found = list(ideas(numbers, target, limit=RACERS))
    if not found:
        raise ValueError(f"no solution: {' '.join(map(str, numbers))} can't make {target}")
    cores = [idea(expression)[1] for expression in found]
    return [
        (sum(WEIGHTS[name] * amount for name, amount in burden.items()), expression)
        for burden, expression in zip(burdens(numbers, target, cores), found, strict=True)
    ]


def burdens(numbers: Sequence[int], target: int, cores: Sequence[Node]) -> Iterator[dict[str, float]]:
    """Yield the amount of each burden of WEIGHTS for each idea, given by its core, as `idea` returns it."""
    shared = _of_hand(numbers, target, len(cores))
    for core in cores:
        yield _of_idea(_part(core), len(numbers), target) | shared


class _Part:
    """A number, or a sum or product laid flat, with what is added or multiplied and what is taken away or
    divides.

    Not frozen, for it is made by the thousand; but nothing changes it.
    """

    __slots__ = ("minus", "op", "parts", "plus", "value")

    def __init__(
        self, value: float, op: str = "", plus: tuple[_Part, ...] = (), minus: tuple[_Part, ...] = ()
    ) -> None:
        self.value = value
        self.op = op
        self.plus = plus
        self.minus = minus
        self.parts = plus + minus


def _part(node: Node) -> _Part:
    if not node[0]:
        return _Part(float(node[1]))
    op, these, those, free = node
    plus, minus = tuple(map(_part, these or free[:1])), tuple(map(_part, those))
    if op == "+":
        return _Part(abs(sum(p.value for p in plus) - sum(p.value for p in minus)), op, plus, minus)
    value = prod(p.value for p in plus) / prod(p.value for p in minus)
    return _Part(1.0) if _same(value, 1) else _Part(value, op, plus, minus)


def _walk(part: _Part) -> Iterator[_Part]:
    yield part
    for inner in part.parts:
        yield from _walk(inner)


def _same(one: float, other: float) -> bool:
    return abs(one - other) < _NEARLY


def _size(value: float) -> float:
    """Return the perceived size of a number: 0 for 0, and one more for each doubling."""
    return log2(1 + value)


def _of_hand(numbers: Sequence[int], target: int, count: int) -> dict[str, float]:
    """Return the burdens that all `count` ideas of a hand share."""
    different = len(set(numbers))
    return {
        "ones": numbers.count(1),
        "repeats": len(numbers) - different,
        "all alike": different == 1,
        "strangers": sum(number == 0 or target % number != 0 for number in numbers),
        "beyond five": max(0.0, log2(count / 5)),
    }


def _of_idea(root: _Part, cards: int, target: int) -> dict[str, float]:
    """Return the burdens of one idea of a hand of so many cards."""
    parts = list(_walk(root))
    inner = [part for part in parts[1:] if part.op]
    used = sum(not part.op for part in parts)
    return {
        "results": sum(_size(part.value) for part in inner),
        "product inside": sum(part.op == "*" and not part.minus for part in inner),
        "divides the target": sum(_divides(part.value, target) for part in inner),
        "uneven division": sum(_uneven(part) for part in parts if part.op == "*"),
        "cards": used,
        "spare": used < cards,
        **_of_sums([part for part in parts if part.op == "+"]),
        **_of_last_step(root),
    }


def _divides(value: float, target: int) -> bool:
    number = round(value)
    return _same(value, number) and 1 < number < target and target % number == 0


def _uneven(product: _Part) -> int:
    """Count the divisors that divide none of the factors."""
    shares = ([factor.value / divisor.value for factor in product.plus] for divisor in product.minus)
    return sum(not any(_same(share, round(share)) for share in each) for each in shares)


def _of_sums(sums: Iterable[_Part]) -> dict[str, float]:
    """The burdens of adding and taking away."""
    found = dict.fromkeys(("takes from", "apart", "close in a long sum", "carry"), 0.0)
    for part in sums:
        if not part.minus:
            found["carry"] = max(found["carry"], sum(round(term.value) % 10 for term in part.plus) > 9)
            continue
        apart = min(abs(term.value - taken.value) for term in part.plus for taken in part.minus)
        found["takes from"] += _size(max(term.value for term in part.plus))
        found["apart"] += _size(apart)
        found["close in a long sum"] += len(part.parts) > 2 and apart < 1 + _NEARLY
    return found


def _of_last_step(root: _Part) -> dict[str, float]:
    """The burdens of what the last step joins."""
    bare = {part.value for part in root.parts if not part.op}
    groups = [part for part in root.parts if part.op]
    inside = {leaf.value for group in groups for leaf in _walk(group) if not leaf.op}
    return {
        "two groups added": root.op == "+" and len(groups) > 1,
        "bare and inside": not bare.isdisjoint(inside),
        "shared factor": root.op == "+" and any(_beside_a_group(bare - {1.0}, group) for group in groups),
    }


def _beside_a_group(numbers: set[float], product: _Part) -> bool:
    """Whether one of the numbers is a factor of the product, and so is a group."""
    found = any(not factor.op and factor.value in numbers for factor in product.plus)
    return product.op == "*" and found and any(factor.op for factor in product.parts)
