"""Estimate the time that a person needs for a hand, and the share of people who find it.

The model: a person looks for all ideas of a hand at once, and the first one seen ends the search. Each idea
has a cost, the weighted sum of its burdens (properties that make it hard to see, or easy where the weight is
negative). More ideas make a hand easier, with diminishing returns:

    seconds = FLOOR + exp(PACE - SPREAD * log(sum of exp(-cost) over the ideas))

The longer a hand takes, the fewer people find it: log(share / rest) falls with log(seconds - FLOOR).

Burdens are measured on the core of an idea, without its decoration (see `solver.equivalence`), so that they
do not depend on how it is written; a pair such as 7/7 inside it counts as a 1. No hand has constants of its
own: `python -m bench.fit` fits the weights to people's mean times for 679 hands of four cards and the target
24 (4nums.com), and the shares to theirs. For other numbers of cards and other targets a rating is a guess.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
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
    from solver.nearest import Nearest

BANDS = (8.0, 13.0, 25.0)  # Seconds from which a hand is medium, hard or fiendish

# The weight of each burden in the cost of an idea; negative if it makes the idea easier to see.
WEIGHTS = {
    "results": 0.39,  # sum of the sizes of the intermediate results
    "product inside": -0.65,  # number of intermediate products without division
    "divides the target": -0.47,  # number of intermediate results that divide the target
    "uneven division": 2.90,  # number of divisors that divide none of the factors
    "two groups added": -0.67,  # whether the last step adds two intermediate results
    "takes from": -0.21,  # size of the largest term of each sum with a subtraction
    "apart": 0.27,  # size of the least difference of an added and a subtracted term (9+9-10: 1, 8+8-13: 5)
    "close in a long sum": -0.53,  # number of sums of three terms or more where it is at most 1
    "carry": 0.69,  # whether the units of a sum without subtraction add up to more than 9
    "shared factor": -1.82,  # whether a term of the last sum is also a factor of a group in it
    "bare and inside": 0.20,  # whether a number of the last step is also inside one of its groups
    "cards": 0.59,  # cards that the idea needs
    "spare": -0.57,  # whether cards are left for decoration
    "ones": -0.89,  # ones in the hand
    "repeats": -0.52,  # cards of the hand that are equal to an earlier one
    "all alike": -2.19,  # whether all cards of the hand are equal
    "strangers": -0.15,  # cards of the hand that do not divide the target
    "beyond five": 0.81,  # doublings of the number of ideas beyond five, which help little
}

FLOOR = 4.25  # Seconds that even the easiest hand takes: reading it and typing
PACE = 0.45  # Logarithm of the additional seconds for a single idea of cost 0
SPREAD = 0.74  # How strongly the seconds depend on the costs
SOLVED_LOGIT = 3.79  # Log odds that a person finds a hand of a second more than FLOOR …
SOLVED_SLOPE = 1.05  # … and how strongly they fall with the logarithm of the additional seconds
MIN_EXTRA_SECONDS = 0.1  # So that the logarithm of the additional seconds exists

# Number of cards, highest card and target of the hands for which people's times are known
MEASURED_CARDS = 4
MEASURED_HIGHEST = 13
MEASURED_TARGET = 24
MEASURED = f"four cards from 1 to {MEASURED_HIGHEST} that make {MEASURED_TARGET}"  # The same in words
MAX_SECONDS = 600.0  # The longest estimate
MAX_IDEAS = 50  # Ideas that are measured, plainest first; one more would make no difference

_TOLERANCE = 1e-9  # Floats that differ by less count as equal


@dataclass(frozen=True, slots=True)
class Rating:
    """The difficulty of a hand for people."""

    seconds: float  # Estimated mean time of the people who solve it
    level: Level  # The band in which that time lies
    solved: float  # Estimated share of people who find a solution, above 0 and below 1


def is_measured(numbers: Sequence[int], target: int = 24) -> bool:
    """Whether people's times are known for such hands: four cards from 1 to 13 and the target 24. For others
    a rating is a guess.
    """
    if target != MEASURED_TARGET or len(numbers) != MEASURED_CARDS:
        return False
    return all(1 <= number <= MEASURED_HIGHEST for number in numbers)


def rate(numbers: Sequence[int], target: int = 24) -> Rating:
    """Estimate the seconds that a person needs to make `target` of `numbers`, from the costs of its ideas,
    the level for that time, and the share of people who find it. Raises ValueError without a solution, or as
    `solve` does.
    """
    costs = [rated.cost for rated in compute_costs(numbers, target)]
    least = min(costs)
    # The logarithm of the sum of exp(-cost); the least cost is taken out so that exp cannot underflow.
    ease = log(sum(exp(least - cost) for cost in costs)) - least
    exponent = min(PACE - SPREAD * ease, log(MAX_SECONDS))  # so that exp cannot overflow
    seconds = min(MAX_SECONDS, FLOOR + exp(exponent))
    level = LEVELS[0]
    for harder_level, least_seconds in zip(LEVELS[1:], BANDS, strict=True):
        if seconds >= least_seconds:
            level = harder_level
    return Rating(seconds, level, estimate_solved(seconds))


def estimate_solved(seconds: float) -> float:
    """Estimate the share of people who find a hand for which those who find it need so many seconds."""
    extra = max(MIN_EXTRA_SECONDS, seconds - FLOOR)
    return 1 / (1 + exp(SOLVED_SLOPE * log(extra) - SOLVED_LOGIT))


# Seconds that people usually need for a draw of Countdown, by level: estimated, not measured.
DRAW_SECONDS: dict[Level, float] = {"easy": 10.0, "medium": 20.0, "hard": 35.0, "fiendish": 50.0}


def rate_draw(best: Nearest) -> Rating:
    """Rate a draw of Countdown by its nearest value: easy if two operations make the target, medium for
    three, hard for four, and fiendish for more or if the target can't be made. Seconds and share are a guess.
    """
    operations = len(best.expression.numbers) - 1
    level: Level = "fiendish"
    if best.distance == 0 and operations <= 4:
        level = LEVELS[max(operations - 2, 0)]
    seconds = DRAW_SECONDS[level]
    return Rating(seconds, level, estimate_solved(seconds))


@dataclass(frozen=True, slots=True)
class RatedIdea:
    solution: Expression  # The plainest of the idea
    cost: float  # The weighted sum of its burdens


def compute_costs(numbers: Sequence[int], target: int = 24) -> list[RatedIdea]:
    """Return the plainest MAX_IDEAS ideas of a hand with their costs. Raises ValueError without a solution,
    or as `solve` does.
    """
    solutions = list(ideas(numbers, target, limit=MAX_IDEAS))
    if not solutions:
        hand = " ".join(str(number) for number in numbers)
        raise ValueError(f"no solution: {hand} can't make {target}")
    cores = []
    for solution in solutions:
        _sign, core, _spare = idea(solution)
        cores.append(core)
    rated = []
    for solution, burdens in zip(solutions, measure_burdens(numbers, target, cores), strict=True):
        cost = sum(WEIGHTS[name] * amount for name, amount in burdens.items())
        rated.append(RatedIdea(solution, cost))
    return rated


def measure_burdens(numbers: Sequence[int], target: int, cores: Sequence[Node]) -> Iterator[dict[str, float]]:
    """Yield, for each core of an idea (as `idea` returns it), the amount of each burden in WEIGHTS. `cores`
    has those of all ideas of the hand, since their number is a burden.
    """
    burdens_of_hand = _measure_hand(numbers, target, idea_count=len(cores))
    for core in cores:
        burdens_of_idea = _measure_idea(_build_part(core), len(numbers), target)
        yield {**burdens_of_idea, **burdens_of_hand}


class _Part:
    """A number, or a flat sum or product of parts. No frozen dataclass, which takes longer to make."""

    __slots__ = ("direct", "inverse", "op", "parts", "value")

    def __init__(
        self, value: float, op: str = "", direct: tuple[_Part, ...] = (), inverse: tuple[_Part, ...] = ()
    ) -> None:
        self.value = value  # never negative
        self.op = op  # "+" for a sum, also with subtractions, "*" for a product, "" for a number
        self.direct = direct  # added terms, or factors
        self.inverse = inverse  # subtracted terms, or divisors
        self.parts = direct + inverse


def _build_part(node: Node) -> _Part:
    """Convert a part of a core, with all parts inside it, and calculate their values. Products worth 1, such
    as 7/7, become the number 1.
    """
    if not node[0]:  # ("", number)
        return _Part(float(node[1]))
    op, direct_nodes, inverse_nodes, neutral_nodes = node
    # A core has a neutral part only where there is no direct one, as the 1 in 1/3.
    direct = tuple(_build_part(inner) for inner in direct_nodes or neutral_nodes[:1])
    inverse = tuple(_build_part(inner) for inner in inverse_nodes)
    if op == "+":
        # No canonical part is negative, but a sum worth 0 may come out as a tiny negative float.
        value = abs(sum(part.value for part in direct) - sum(part.value for part in inverse))
        return _Part(value, op, direct, inverse)
    value = prod(part.value for part in direct) / prod(part.value for part in inverse)
    if _are_close(value, 1):
        return _Part(1.0)
    return _Part(value, op, direct, inverse)


def _walk_parts(part: _Part) -> Iterator[_Part]:
    """Yield the part and all parts inside it."""
    yield part
    for inner in part.parts:
        yield from _walk_parts(inner)


def _are_close(one: float, other: float) -> bool:
    """Whether two floats are equal apart from rounding."""
    return abs(one - other) < _TOLERANCE


def _perceive_size(value: float) -> float:
    """Return the perceived size of a number: 0 for 0, and one more for each doubling."""
    return log2(1 + value)


def _measure_hand(numbers: Sequence[int], target: int, idea_count: int) -> dict[str, float]:
    """Return the burdens that all ideas of a hand share: ones, repeats, all alike, strangers and beyond five,
    as described in WEIGHTS. A burden that is true or false counts as 1 or 0.
    """
    distinct_count = len(set(numbers))
    return {
        "ones": numbers.count(1),
        "repeats": len(numbers) - distinct_count,
        "all alike": distinct_count == 1,
        "strangers": sum(number == 0 or target % number != 0 for number in numbers),
        "beyond five": max(0.0, log2(idea_count / 5)),  # doublings, 0 for up to five ideas
    }


def _measure_idea(root: _Part, card_count: int, target: int) -> dict[str, float]:
    """Return the burdens of the core `root` of one idea, of a hand with that many cards: all in WEIGHTS but
    those of `_measure_hand`. A burden that is true or false counts as 1 or 0.
    """
    parts = list(_walk_parts(root))
    leaves = [part for part in parts if not part.op]
    intermediates = [part for part in parts if part.op and part is not root]
    return {
        "results": sum(_perceive_size(part.value) for part in intermediates),
        "product inside": sum(part.op == "*" and not part.inverse for part in intermediates),
        "divides the target": sum(_is_proper_divisor(part.value, target) for part in intermediates),
        "uneven division": sum(_count_uneven_divisions(part) for part in parts if part.op == "*"),
        "cards": len(leaves),
        "spare": len(leaves) < card_count,
        **_measure_sums([part for part in parts if part.op == "+"]),
        **_measure_last_step(root),
    }


def _is_proper_divisor(value: float, target: int) -> bool:
    """Whether a value is a whole number that divides the target, and neither 1 nor the target."""
    number = round(value)
    return _are_close(value, number) and 1 < number < target and target % number == 0


def _count_uneven_divisions(part: _Part) -> int:
    """Count the divisors of a product that divide none of its factors into a whole number."""
    count = 0
    for divisor in part.inverse:
        quotients = [factor.value / divisor.value for factor in part.direct]
        if not any(_are_close(quotient, round(quotient)) for quotient in quotients):
            count += 1
    return count


def _measure_sums(sums: Iterable[_Part]) -> dict[str, float]:
    """Return the burdens of all sums of an idea together: carry, takes from, apart, and close in a long sum.

    The first is 1 if any sum without a subtraction has a carry from the units, else 0. The others are added
    up over the sums with a subtraction.
    """
    burdens = dict.fromkeys(("takes from", "apart", "close in a long sum", "carry"), 0.0)
    for part in sums:
        if not part.inverse:  # nothing is subtracted
            units = [round(term.value) % 10 for term in part.direct]  # last digits
            if sum(units) > 9:  # 10 or more is carried
                burdens["carry"] = 1.0
            continue
        pairs = product(part.direct, part.inverse)
        least_difference = min(abs(added.value - subtracted.value) for added, subtracted in pairs)
        burdens["takes from"] += _perceive_size(max(added.value for added in part.direct))
        burdens["apart"] += _perceive_size(least_difference)
        if len(part.parts) > 2 and least_difference < 1 + _TOLERANCE:
            burdens["close in a long sum"] += 1
    return burdens


def _measure_last_step(root: _Part) -> dict[str, float]:
    """Return three burdens, each true or false, of the operands of the last sum or product. A bare operand is
    a number, a group has an operation inside.

    - two groups added: it is a sum or difference with at least two groups;
    - bare and inside: the value of a bare operand occurs again inside a group;
    - shared factor: it is a sum or difference, and a bare term other than 1 is also a factor of a group, as
      the 3 in 3*(9-2)+3, which is 3*(9-2+1).
    """
    bare_values = {part.value for part in root.parts if not part.op}
    groups = [part for part in root.parts if part.op]
    values_inside = set[float]()
    for group in groups:
        values_inside.update(part.value for part in _walk_parts(group) if not part.op)
    shareable = bare_values - {1.0} if root.op == "+" else set()
    return {
        "two groups added": root.op == "+" and len(groups) > 1,
        "bare and inside": not bare_values.isdisjoint(values_inside),
        "shared factor": any(_has_factor_beside_group(shareable, group) for group in groups),
    }


def _has_factor_beside_group(numbers: set[float], part: _Part) -> bool:
    """Whether a part is a product with one of the numbers as a factor, and with a sum as another factor or as
    a divisor.
    """
    if part.op != "*":
        return False
    has_number = any(not factor.op and factor.value in numbers for factor in part.direct)
    has_sum = any(operand.op for operand in part.parts)  # in a flat product, no operand is a product
    return has_number and has_sum
