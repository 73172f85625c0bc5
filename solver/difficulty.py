"""How long a person needs for a hand: a race of ideas.

A hand is as hard as its ideas are hard to see, and several easy ideas race: the more there are, the sooner
one of them is seen, with diminishing returns. So each idea has a cost, the weighted
sum of what makes it hard to see, and

    seconds = FLOOR + exp(PACE - SPREAD * log(sum of exp(-cost) over the ideas))

The burdens are read off the idea without its decoration (see `idea`), so it doesn't matter how it is
written; a pair such as 7/7 inside it is a 1. Nothing here knows a hand: the weights were fitted by `python
-m bench.fit` to the mean times of people on 679 hands of four cards, target 24 (4nums.com), and hold for
other counts of cards and other targets as far as the burdens mean the same there.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, log2, prod

from solver.equivalence import idea
from solver.search import ideas

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Literal

    from solver.equivalence import Node
    from solver.expression import Expression

    Level = Literal["easy", "medium", "hard", "fiendish"]

LEVELS: tuple[Level, ...] = ("easy", "medium", "hard", "fiendish")
"""The levels, one for each quartile of people's times."""

QUARTILES = (6.7, 8.4, 11.6)
"""Seconds at which medium, hard and fiendish begin: the quartiles of people's mean times."""

WEIGHTS = {
    "results": 0.36,
    "product inside": -0.51,
    "divides the target": -0.36,
    "small group": -0.17,
    "uneven division": 3.21,
    "two groups added": -0.72,
    "takes from": -0.18,
    "apart": 0.24,
    "close in a long sum": -0.54,
    "carry": 0.68,
    "shared factor": -0.74,
    "shared factor of a group": -1.08,
    "bare and inside": 0.28,
    "cards": 0.62,
    "spare": -0.44,
    "ones": -0.85,
    "repeats": -0.54,
    "all alike": -2.09,
    "strangers": -0.16,
    "beyond five": 0.80,
}
"""What each burden adds to the cost of an idea; below 0 where it helps. The burdens are told at `burdens`."""

FLOOR = 4.25
"""Seconds that even the easiest hand takes: reading it and typing."""
PACE = 0.33
"""The logarithm of the further seconds for a single idea of cost 0."""
SPREAD = 0.76
"""How strongly seconds answer to costs."""

LONGEST = 600.0
"""Seconds after which nobody looks any longer."""
RACERS = 50
"""How many ideas race, plainest first: with so many, one more makes no difference."""

_NEARLY = 1e-9
"""Values here are floats; what differs by less is equal."""


@dataclass(frozen=True, slots=True)
class Rating:
    """How hard a hand is for people."""

    seconds: float
    """The mean time that people who solve it need."""

    level: Level
    """The quartile of four-card hands in which that time lies."""


def rate(numbers: Sequence[int], target: int = 24) -> Rating:
    """How long a person needs to make `target` of `numbers`.

    ValueError without a solution, or as in `solve`.
    """
    racers = race(numbers, target)
    first = min(cost for cost, _ in racers)
    lead = log(sum(exp(first - cost) for cost, _ in racers)) - first
    seconds = min(LONGEST, FLOOR + exp(min(PACE - SPREAD * lead, log(LONGEST))))
    return Rating(seconds, LEVELS[sum(seconds >= quartile for quartile in QUARTILES)])


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
    """How much of each burden each idea carries of its own and of its hand's. A core is part of an `idea`."""
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
    """How big a number feels: 0 for 0, and one more for each doubling."""
    return log2(1 + value)


def _of_hand(numbers: Sequence[int], target: int, count: int) -> dict[str, float]:
    """What weighs on, or helps, all ideas of a hand alike.

    ones: how many. repeats: cards that are in the hand already. all alike: the hand is one card repeated.
    strangers: cards that don't divide the target. beyond five: doublings of the count of ideas from five on
    (this takes back what the race gives, for people don't profit from more).
    """
    different = len(set(numbers))
    return {
        "ones": numbers.count(1),
        "repeats": len(numbers) - different,
        "all alike": different == 1,
        "strangers": sum(number == 0 or target % number != 0 for number in numbers),
        "beyond five": max(0.0, log2(count / 5)),
    }


def _of_idea(root: _Part, cards: int, target: int) -> dict[str, float]:
    """What makes one idea hard or easy to see, decoration left out.

    results: the sizes of the results on the way, added up. product inside: products on the way, without
    division. divides the target: results on the way that do. small group: sums on the way worth at most 3.
    uneven division: divisions that don't come out even, whichever factor is divided. two groups added: the
    last step is a sum with two results in it. cards: how many it needs. spare: any of the hand is
    decoration. The rest: `_of_sums`, `_of_sharing`.
    """
    inner = [part for part in _walk(root) if part.op and part is not root]
    used = sum(not part.op for part in _walk(root))
    return (
        {
            "results": sum(_size(part.value) for part in inner),
            "product inside": sum(part.op == "*" and not part.minus for part in inner),
            "divides the target": sum(_divides(part.value, target) for part in inner),
            "small group": sum(part.op == "+" and part.value < 3 + _NEARLY for part in inner),
            "uneven division": sum(_uneven(part) for part in _walk(root) if part.op == "*"),
            "two groups added": root.op == "+" and sum(bool(part.op) for part in root.parts) > 1,
            "cards": used,
            "spare": used < cards,
        }
        | _of_sums([part for part in _walk(root) if part.op == "+"])
        | _of_sharing(root)
    )


def _divides(value: float, target: int) -> bool:
    number = round(value)
    return _same(value, number) and 1 < number < target and target % number == 0


def _uneven(product: _Part) -> int:
    """How many of the divisors divide none of the factors."""
    shares = ([factor.value / divisor.value for factor in product.plus] for divisor in product.minus)
    return sum(not any(_same(share, round(share)) for share in each) for each in shares)


def _of_sums(sums: Iterable[_Part]) -> dict[str, float]:
    """The burdens of adding and taking away.

    takes from: the size of the largest term that something is taken from. apart: the size of the least
    difference between an added and a taken term (9+9-10 is 9-1, easier than 8+8-13). close in a long sum:
    that is at most 1, in a sum of three or more. carry: the units of a sum with no minus go beyond 9.
    """
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


def _of_sharing(root: _Part) -> dict[str, float]:
    """The burdens of a number that comes twice, in the last step and inside one of its parts.

    bare and inside: there is one. shared factor: the last step is k*x+k or k*x-k, which is k*(x+1) or
    k*(x-1). shared factor of a group: k is a factor beside a group, whatever else the sum holds.
    """
    bare = {part.value for part in root.parts if not part.op}
    inside = {leaf.value for part in root.parts if part.op for leaf in _walk(part) if not leaf.op}
    sharing = [part for part in root.parts if root.op == "+" and _has_factor(part, bare - {1.0})]
    return {
        "bare and inside": not bare.isdisjoint(inside),
        "shared factor": bool(sharing) and len(root.parts) == 2,
        "shared factor of a group": any(factor.op for part in sharing for factor in part.parts),
    }


def _has_factor(part: _Part, numbers: set[float]) -> bool:
    return part.op == "*" and any(not factor.op and factor.value in numbers for factor in part.plus)
