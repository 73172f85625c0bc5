"""Fit the constants of `solver/difficulty.py` to people's times and shares: `python -m bench.fit`.

The score of a hand is the logarithm of its summed exp(-cost). It is fitted so that `1/(1+exp(score))`,
stretched and shifted, approaches the share of hands that people solve faster. The model is judged by ranks:
unlike seconds, they give the few very long times no extra weight. The method is least squares by Gauss and
Newton, damped after Levenberg and Marquardt, with a slight regularisation of all weights towards 0. The other
constants then map the sorted scores to the sorted times, and a line maps the logarithms of the predicted
seconds to the log odds of the shares. Cross-validation repeats the fit without the hands that are judged.
"""

import csv
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from statistics import fmean, linear_regression

from solver.difficulty import (
    BANDS,
    FLOOR,
    PACE,
    SOLVED_LOGIT,
    SOLVED_SLOPE,
    SPREAD,
    WEIGHTS,
    measure_burdens,
)
from solver.equivalence import idea
from solver.names import LEVELS
from solver.search import ideas

TIMES = Path(__file__).parent / "data" / "human-times.csv"
TARGET = 24
# Cost of a weight of 1, in squared errors of rank (share of hands), for a burden with a deviation of 1.
REGULARISATION = 0.003
MAX_STEPS = 30  # Steps of a fit; it ends sooner when a step gains nothing

Vector = list[float]


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand, and the results of people."""

    numbers: tuple[int, ...]
    seconds: float  # Mean time of those who solved it
    solved: float  # Share of players who solved it
    burdens: tuple[tuple[float, ...], ...]  # The burdens of each idea, in the order of WEIGHTS

    @property
    def count(self) -> int:
        return len(self.burdens)


@dataclass(frozen=True, slots=True)
class Model:
    """Fitted values of the constants."""

    weights: tuple[float, ...]
    floor: float
    pace: float
    spread: float
    solved_logit: float
    solved_slope: float

    def predict_seconds(self, hand: Hand) -> float:
        return self.floor + exp(self._predict_exponent(hand))

    def predict_solved(self, hand: Hand) -> float:
        return 1 / (1 + exp(self.solved_slope * self._predict_exponent(hand) - self.solved_logit))

    def _predict_exponent(self, hand: Hand) -> float:
        return self.pace - self.spread * _score_hand(hand, self.weights)[0]


def read_hands() -> list[Hand]:
    """Return the hands of `human-times.csv` with the burdens of their ideas."""
    with TIMES.open(encoding="ascii", newline="") as lines:
        return [_parse_hand(row) for row in csv.DictReader(lines)]


def _parse_hand(row: dict[str, str]) -> Hand:
    numbers = tuple(map(int, row["hand"].split()))
    cores = [idea(expression)[1] for expression in ideas(numbers, TARGET)]
    found = tuple(tuple(float(b[name]) for name in WEIGHTS) for b in measure_burdens(numbers, TARGET, cores))
    return Hand(numbers, float(row["seconds"]), float(row["solved"]), found)


def fit_model(hands: Sequence[Hand]) -> Model:
    """Return the model that fits these hands best."""
    weights = _fit_ranks(hands)
    leads = sorted((_score_hand(hand, weights)[0] for hand in hands), reverse=True)
    times = sorted(hand.seconds for hand in hands)
    floor, pace, spread = min(
        (_fit_line(leads, times, floor / 20) for floor in range(60, 88)), key=lambda it: it[1]
    )[0]
    exponents = [pace - spread * _score_hand(hand, weights)[0] for hand in hands]
    slope, logit = linear_regression(exponents, [log(hand.solved / (1 - hand.solved)) for hand in hands])
    return Model(weights, floor, pace, spread, logit, -slope)


def _fit_line(leads: Vector, times: Vector, floor: float) -> tuple[tuple[float, float, float], float]:
    """Return floor, pace and spread that map leads to times best, and the squared error of the logarithms."""
    wanted = [log(max(time - floor, 0.1)) for time in times]
    x, y = fmean(leads), fmean(wanted)
    slope = sum((a - x) * (b - y) for a, b in zip(leads, wanted, strict=True)) / sum(
        (a - x) ** 2 for a in leads
    )
    error = sum((y + slope * (a - x) - b) ** 2 for a, b in zip(leads, wanted, strict=True))
    return (floor, y - slope * x, -slope), error


def _score_hand(hand: Hand, weights: Sequence[float]) -> tuple[float, Vector]:
    """Return log(sum of exp(-cost)), and the share of each idea in the sum."""
    costs = [sum(map(float.__mul__, weights, burden)) for burden in hand.burdens]
    first = min(costs)
    parts = [exp(first - cost) for cost in costs]
    total = sum(parts)
    return log(total) - first, [part / total for part in parts]


def _fit_ranks(hands: Sequence[Hand]) -> tuple[float, ...]:
    """Return the weights whose scores, shifted and stretched, come nearest to the ranks."""
    wanted = [(rank - 0.5) / len(hands) for rank in rank_values([hand.seconds for hand in hands])]
    pulls = [REGULARISATION * scale**2 for scale in _measure_deviations(hands)] + [0.0, REGULARISATION]
    found, damping = [0.0] * len(WEIGHTS) + [0.0, 1.0], 0.01
    error, normal, gradient = _compute_error(hands, wanted, found, pulls)
    for _ in range(MAX_STEPS):
        damped = [
            [entry * (1 + damping * (i == j)) for j, entry in enumerate(row)] for i, row in enumerate(normal)
        ]
        step = _solve_linear(damped, gradient)
        tried = [old - change for old, change in zip(found, step, strict=True)]
        outcome = _compute_error(hands, wanted, tried, pulls)
        if outcome[0] >= error:
            damping *= 5
            continue
        gained, damping, found = error - outcome[0], damping / 5, tried
        error, normal, gradient = outcome
        if gained < 1e-7 * error:
            break
    return tuple(found[:-2])


def _compute_error(
    hands: Sequence[Hand], wanted: Vector, found: Vector, pulls: Vector
) -> tuple[float, list[Vector], Vector]:
    """Return the regularised squared error, the normal matrix of its linear part, and half its gradient."""
    *weights, bias, stretch = found
    size = len(found)
    towards = [*[0.0] * (size - 1), 1.0]
    error = sum(pull * (a - b) ** 2 for pull, a, b in zip(pulls, found, towards, strict=True))
    gradient = [pull * (a - b) for pull, a, b in zip(pulls, found, towards, strict=True)]
    normal = [[pull + 1e-9 if i == j else 0.0 for j in range(i + 1)] for i, pull in enumerate(pulls)]
    for hand, rank in zip(hands, wanted, strict=True):
        lead, shares = _score_hand(hand, weights)
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


def _measure_deviations(hands: Sequence[Hand]) -> Vector:
    """Return the standard deviation of each burden over all ideas."""
    columns = list(zip(*(burden for hand in hands for burden in hand.burdens), strict=True))
    means = [fmean(column) for column in columns]
    return [fmean((a - m) ** 2 for a in column) ** 0.5 for column, m in zip(columns, means, strict=True)]


def _solve_linear(matrix: list[Vector], right: Vector) -> Vector:
    """Solve a symmetric positive system by Gaussian elimination."""
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


def rank_values(values: Sequence[float]) -> Vector:
    """Return the rank of each value, from 1; equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=values.__getitem__)
    found, start = [0.0] * len(values), 0
    for end in range(1, len(order) + 1):
        if end == len(order) or values[order[end]] != values[order[start]]:
            for i in order[start:end]:
                found[i] = (start + 1 + end) / 2
            start = end
    return found


def correlate_ranks(one: Sequence[float], other: Sequence[float]) -> float:
    """Return Spearman's rank correlation."""
    x, y, middle = rank_values(one), rank_values(other), (len(one) + 1) / 2
    both = sum((a - middle) * (b - middle) for a, b in zip(x, y, strict=True))
    alone = sum((a - middle) ** 2 for a in x) * sum((b - middle) ** 2 for b in y)
    return float(both / alone**0.5)


@dataclass(frozen=True, slots=True)
class Validation:
    """The quality of predictions for hands that were not part of the fit."""

    spearman: float
    right: float  # Share of hands of the right level
    near: float  # Share of hands at most one level off
    solved_error: float  # Mean distance of the shares of people


def cross_validate(hands: Sequence[Hand], folds: int = 10, seed: int = 0) -> Validation:
    """Predict each hand by a model fitted to the other folds, and compare with people's times."""
    order = list(range(len(hands)))
    random.Random(seed).shuffle(order)
    seconds, missed, solved_errors = [0.0] * len(hands), [0] * len(hands), [0.0] * len(hands)
    for fold in range(folds):
        judged = order[fold::folds]
        model = fit_model([hands[i] for i in order if i not in set(judged)])
        for i in judged:
            seconds[i] = model.predict_seconds(hands[i])
            missed[i] = abs(find_band(seconds[i]) - find_band(hands[i].seconds))
            solved_errors[i] = abs(model.predict_solved(hands[i]) - hands[i].solved)
    return Validation(
        correlate_ranks(seconds, [hand.seconds for hand in hands]),
        missed.count(0) / len(hands),
        1 - sum(miss > 1 for miss in missed) / len(hands),
        fmean(solved_errors),
    )


def find_band(seconds: float) -> int:
    """Return the number of the level for that time, from 0."""
    return sum(seconds >= band for band in BANDS)


def _format_report(hands: Sequence[Hand], model: Model) -> Iterator[str]:
    yield "WEIGHTS = {"
    yield from (f'    "{name}": {weight:.2f},' for name, weight in zip(WEIGHTS, model.weights, strict=True))
    yield "}"
    yield f"FLOOR = {model.floor:.2f}\nPACE = {model.pace:.2f}\nSPREAD = {model.spread:.2f}"
    yield f"SOLVED_LOGIT = {model.solved_logit:.2f}\nSOLVED_SLOPE = {model.solved_slope:.2f}"
    current = Model(tuple(WEIGHTS.values()), FLOOR, PACE, SPREAD, SOLVED_LOGIT, SOLVED_SLOPE)
    times = [hand.seconds for hand in hands]
    yield f"\nrank correlation with people's times on {len(hands)} hands"
    correlation = correlate_ranks([current.predict_seconds(hand) for hand in hands], times)
    yield f"  by the constants in the module {correlation:8.4f}"
    levels = [sum(find_band(current.predict_seconds(hand)) == i for hand in hands) for i in range(4)]
    yield f"  hands for each level           {dict(zip(LEVELS, levels, strict=True))}"
    for folds, seed in ((10, 0), (10, 1), (10, 2), (3, 0), (2, 0)):
        found = cross_validate(hands, folds, seed)
        yield (
            f"  {folds:2} folds, shuffle {seed}             {found.spearman:8.4f}"
            f"   right level {found.right:.3f}   at most one off {found.near:.3f}"
            f"   solved off by {found.solved_error:.3f}"
        )


def main() -> None:
    hands = read_hands()
    for line in _format_report(hands, fit_model(hands)):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
