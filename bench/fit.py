"""Fits the constants of `solver/difficulty.py` to people's times: `python -m bench.fit`.

The score that a hand gets, the logarithm of its summed exp(-cost), is fitted so that `1/(1+exp(score))`,
stretched and shifted, comes near to the share of hands that people solve faster. Ranks are what the model is
judged by, and unlike seconds they give the few very long times no more say than the rest. It is a
least-squares fit by Gauss and Newton's method, damped after Levenberg and Marquardt, with a slight pull of
all weights towards 0; the rest of the constants then lay the sorted scores on the sorted times.
Cross-validation repeats all of it without the hands that are judged.
"""

import csv
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from statistics import fmean, quantiles

from solver.difficulty import FLOOR, PACE, QUARTILES, SPREAD, WEIGHTS, measure_burdens
from solver.equivalence import idea
from solver.names import LEVELS
from solver.search import ideas

TIMES = Path(__file__).parent / "data" / "human-times.csv"
TARGET = 24
# What a weight of 1 costs, in squared errors of rank (share of hands), where the burden deviates by 1.
PULL = 0.003
STEPS = 30  # The most steps of a fit; it ends sooner when a step gains nothing

Vector = list[float]


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand with how people did at it."""

    numbers: tuple[int, ...]
    seconds: float  # Mean time of those who solved it
    solved: float  # Share of players who did
    burdens: tuple[tuple[float, ...], ...]  # For each idea its burdens, in the order of WEIGHTS

    @property
    def count(self) -> int:
        """The number of ideas."""
        return len(self.burdens)


@dataclass(frozen=True, slots=True)
class Model:
    """The constants of the module, fitted."""

    weights: tuple[float, ...]
    floor: float
    pace: float
    spread: float
    quartiles: tuple[float, ...]

    def seconds(self, hand: Hand) -> float:
        return self.floor + exp(self.pace - self.spread * _lead(hand, self.weights)[0])

    def quartile(self, hand: Hand) -> int:
        return _quartile(self.seconds(hand), self.quartiles)


def read_hands() -> list[Hand]:
    """The hands of `human-times.csv` with the burdens of their ideas."""
    with TIMES.open(encoding="ascii", newline="") as lines:
        return [_hand(row) for row in csv.DictReader(lines)]


def _hand(row: dict[str, str]) -> Hand:
    numbers = tuple(map(int, row["hand"].split()))
    cores = [idea(expression)[1] for expression in ideas(numbers, TARGET)]
    found = tuple(tuple(float(b[name]) for name in WEIGHTS) for b in measure_burdens(numbers, TARGET, cores))
    return Hand(numbers, float(row["seconds"]), float(row["solved"]), found)


def fit(hands: Sequence[Hand]) -> Model:
    """The model that suits these hands best."""
    weights = _fit_ranks(hands)
    leads = sorted((_lead(hand, weights)[0] for hand in hands), reverse=True)
    times = sorted(hand.seconds for hand in hands)
    floor, pace, spread = min(
        (_line(leads, times, floor / 20) for floor in range(60, 88)), key=lambda it: it[1]
    )[0]
    return Model(weights, floor, pace, spread, tuple(quantiles(times, n=4)))


def _line(leads: Vector, times: Vector, floor: float) -> tuple[tuple[float, float, float], float]:
    """The floor, with the pace and spread that lay leads on times best, and the squared error of the logs."""
    wanted = [log(max(time - floor, 0.1)) for time in times]
    x, y = fmean(leads), fmean(wanted)
    slope = sum((a - x) * (b - y) for a, b in zip(leads, wanted, strict=True)) / sum(
        (a - x) ** 2 for a in leads
    )
    error = sum((y + slope * (a - x) - b) ** 2 for a, b in zip(leads, wanted, strict=True))
    return (floor, y - slope * x, -slope), error


def _lead(hand: Hand, weights: Sequence[float]) -> tuple[float, Vector]:
    """log(sum of exp(-cost)) and the share that each idea has in the sum."""
    costs = [sum(map(float.__mul__, weights, burden)) for burden in hand.burdens]
    first = min(costs)
    parts = [exp(first - cost) for cost in costs]
    total = sum(parts)
    return log(total) - first, [part / total for part in parts]


def _fit_ranks(hands: Sequence[Hand]) -> tuple[float, ...]:
    """The weights whose leads, shifted and stretched, come nearest to the ranks."""
    wanted = [(rank - 0.5) / len(hands) for rank in ranks([hand.seconds for hand in hands])]
    pulls = [PULL * scale**2 for scale in _scales(hands)] + [0.0, PULL]
    found, damping = [0.0] * len(WEIGHTS) + [0.0, 1.0], 0.01
    error, normal, gradient = _error(hands, wanted, found, pulls)
    for _ in range(STEPS):
        damped = [
            [entry * (1 + damping * (i == j)) for j, entry in enumerate(row)] for i, row in enumerate(normal)
        ]
        step = _solved(damped, gradient)
        tried = [old - change for old, change in zip(found, step, strict=True)]
        outcome = _error(hands, wanted, tried, pulls)
        if outcome[0] >= error:
            damping *= 5
            continue
        gained, damping, found = error - outcome[0], damping / 5, tried
        error, normal, gradient = outcome
        if gained < 1e-7 * error:
            break
    return tuple(found[:-2])


def _error(
    hands: Sequence[Hand], wanted: Vector, found: Vector, pulls: Vector
) -> tuple[float, list[Vector], Vector]:
    """The squared error with the pull, the normal matrix of its linear part, and half its gradient."""
    *weights, bias, stretch = found
    size = len(found)
    towards = [*[0.0] * (size - 1), 1.0]
    error = sum(pull * (a - b) ** 2 for pull, a, b in zip(pulls, found, towards, strict=True))
    gradient = [pull * (a - b) for pull, a, b in zip(pulls, found, towards, strict=True)]
    normal = [[pull + 1e-9 if i == j else 0.0 for j in range(i + 1)] for i, pull in enumerate(pulls)]
    for hand, rank in zip(hands, wanted, strict=True):
        lead, shares = _lead(hand, weights)
        guess = 1 / (1 + exp(bias + stretch * lead))
        off = guess - rank
        error += off**2
        slope = -guess * (1 - guess)
        burden = [sum(map(float.__mul__, shares, column)) for column in zip(*hand.burdens, strict=True)]
        tangent = [-slope * stretch * amount for amount in burden] + [slope, slope * lead]
        for i, a in enumerate(tangent):
            gradient[i] += a * off
            row = normal[i]
            for j in range(i + 1):
                row[j] += a * tangent[j]
    return error, [row + [normal[j][i] for j in range(i + 1, size)] for i, row in enumerate(normal)], gradient


def _scales(hands: Sequence[Hand]) -> Vector:
    """The standard deviation of each burden over all ideas."""
    columns = list(zip(*(burden for hand in hands for burden in hand.burdens), strict=True))
    means = [fmean(column) for column in columns]
    return [fmean((a - m) ** 2 for a in column) ** 0.5 for column, m in zip(columns, means, strict=True)]


def _solved(matrix: list[Vector], right: Vector) -> Vector:
    """The solution of a symmetric positive system, by Gauss's elimination."""
    rows = [[*row, b] for row, b in zip(matrix, right, strict=True)]
    for i, pivot in enumerate(rows):
        for row in rows[i + 1 :]:
            factor = row[i] / pivot[i]
            row[i:] = [a - factor * b for a, b in zip(row[i:], pivot[i:], strict=True)]
    solution = [0.0] * len(rows)
    for i in reversed(range(len(rows))):
        known = sum(map(float.__mul__, rows[i][i + 1 : -1], solution[i + 1 :]))
        solution[i] = (rows[i][-1] - known) / rows[i][i]
    return solution


def ranks(values: Sequence[float]) -> Vector:
    """The rank of each value, from 1, equal values sharing the mean of theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    found, start = [0.0] * len(values), 0
    for end in range(1, len(order) + 1):
        if end == len(order) or values[order[end]] != values[order[start]]:
            for i in order[start:end]:
                found[i] = (start + 1 + end) / 2
            start = end
    return found


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's rank correlation."""
    x, y, middle = ranks(one), ranks(other), (len(one) + 1) / 2
    both = sum((a - middle) * (b - middle) for a, b in zip(x, y, strict=True))
    alone = sum((a - middle) ** 2 for a in x) * sum((b - middle) ** 2 for b in y)
    return float(both / alone**0.5)


@dataclass(frozen=True, slots=True)
class Validation:
    """The quality of the times predicted for hands that the fit had not seen."""

    spearman: float
    right: float  # Share of hands in the right quartile
    near: float  # Share of hands at most one quartile off


def cross_validate(hands: Sequence[Hand], folds: int = 10, seed: int = 0) -> Validation:
    """Each hand judged by a model fitted to the other folds."""
    order = list(range(len(hands)))
    random.Random(seed).shuffle(order)
    seconds, missed = [0.0] * len(hands), [0] * len(hands)
    edges = quantiles([hand.seconds for hand in hands], n=4)
    for fold in range(folds):
        judged = order[fold::folds]
        model = fit([hands[i] for i in order if i not in set(judged)])
        for i in judged:
            seconds[i] = model.seconds(hands[i])
            missed[i] = abs(model.quartile(hands[i]) - _quartile(hands[i].seconds, edges))
    return Validation(
        spearman(seconds, [hand.seconds for hand in hands]),
        missed.count(0) / len(hands),
        1 - sum(miss > 1 for miss in missed) / len(hands),
    )


def _quartile(seconds: float, edges: Sequence[float]) -> int:
    return sum(seconds >= edge for edge in edges)


def _report(hands: Sequence[Hand], model: Model) -> Iterator[str]:
    yield "WEIGHTS = {"
    yield from (f'    "{name}": {weight:.2f},' for name, weight in zip(WEIGHTS, model.weights, strict=True))
    yield "}"
    yield f"FLOOR = {model.floor:.2f}\nPACE = {model.pace:.2f}\nSPREAD = {model.spread:.2f}"
    yield f"QUARTILES = ({', '.join(f'{edge:.2f}' for edge in model.quartiles)})"
    kept = Model(tuple(WEIGHTS.values()), FLOOR, PACE, SPREAD, QUARTILES)
    times = [hand.seconds for hand in hands]
    yield f"\nrank correlation with people's times on {len(hands)} hands"
    yield f"  by the constants in the module {spearman([kept.seconds(hand) for hand in hands], times):8.4f}"
    levels = [sum(kept.quartile(hand) == i for hand in hands) for i in range(4)]
    yield f"  hands for each level           {dict(zip(LEVELS, levels, strict=True))}"
    for folds, seed in ((10, 0), (10, 1), (10, 2), (3, 0), (2, 0)):
        found = cross_validate(hands, folds, seed)
        yield (
            f"  {folds:2} folds, shuffle {seed}             {found.spearman:8.4f}"
            f"   right quartile {found.right:.3f}   at most one off {found.near:.3f}"
        )


def main() -> None:
    hands = read_hands()
    for line in _report(hands, fit(hands)):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
