"""Ratings: the log loss of predicted winners, beside predictions by points and by wins for each hand.

Each repetition simulates a town of its own (`bench.simulated_players`). Each hand is predicted from the hands
before it: which of two players wins, and whether a player solves it. Three predictors are compared: the
rating, points for each hand, and the share of hands won. All know how hard the hand is. For each, a logistic
regression on the first part of the hands turns differences into probabilities; the losses are those of the
other hands.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import exp, log, sqrt
from statistics import fmean
from typing import Protocol

from bench.report import Row, format_time, measure_median
from bench.simulated_players import PlayedHand, Town
from bot.levels import POINTS_BY_LEVEL
from bot.rounds.puzzle import Match, Result
from bot.standings.ratings.rules import (
    BETA,
    Rating,
    age_rating,
    estimate_hand_strength,
    rate_match,
)
from solver.difficulty import FLOOR

SEEDS = (1, 2, 3, 4, 5)  # One for each repetition
DAYS = 150
# The share of hands for the regression; of these, a first part is skipped, since no player is known yet.
FITTED, SKIPPED = 0.6, 0.15

Features = tuple[float, ...]
Case = tuple[Features, bool]  # Features of an event, and whether it happened


class Predictor(Protocol):
    """Predicts the results of hands."""

    def compare_players(self, one: int, other: int, at: float) -> Features:
        """Return how far one player is ahead of another; 0 between equals."""

    def compare_with_hand(self, one: int, hand: PlayedHand) -> Features:
        """Return how far a player is ahead of a hand, and its difficulty."""

    def learn(self, hand: PlayedHand) -> None:
        """Update the predictor by a finished hand."""


def _get_difficulty(hand: PlayedHand) -> float:
    return log(max(0.5, hand.hand.expected - FLOOR))


@dataclass
class RatingPredictor:
    """Predicts by the bot's ratings."""

    known: dict[int, Rating] = field(default_factory=dict)

    def _get_rating(self, who: int, at: float) -> Rating:
        return age_rating(self.known.get(who, Rating(at=at)), at)

    def compare_players(self, one: int, other: int, at: float) -> Features:
        a, b = self._get_rating(one, at), self._get_rating(other, at)
        return ((a.mu - b.mu) / sqrt(2 * BETA**2 + a.sigma**2 + b.sigma**2),)

    def compare_with_hand(self, one: int, hand: PlayedHand) -> Features:
        a = self._get_rating(one, hand.at)
        ahead = (a.mu - estimate_hand_strength(hand.hand.expected)) / sqrt(2 * BETA**2 + a.sigma**2)
        return 1.0, ahead, _get_difficulty(hand)

    def learn(self, hand: PlayedHand) -> None:
        won = [] if hand.winner is None else [Result(hand.winner, -1, hand.seconds)]
        match = Match([*won, *(Result(who, 1) for who in hand.tried)], 0, hand.hand.expected)
        self.known |= rate_match(self.known, match, hand.at)


@dataclass
class SharePredictor:
    """Predicts by the share of hands that a player won, or by points for each hand."""

    worth: Callable[[PlayedHand], float]
    known: dict[int, tuple[float, int]] = field(default_factory=dict)

    def _get_share(self, who: int) -> float:
        # One won and one lost hand are added, so that the first real ones don't make a share of 0 or 1.
        got, hands = self.known.get(who, (0.0, 0))
        return (got + 1) / (hands + 2)

    def compare_players(self, one: int, other: int, at: float) -> Features:
        return (self._get_share(one) - self._get_share(other),)

    def compare_with_hand(self, one: int, hand: PlayedHand) -> Features:
        return 1.0, self._get_share(one), _get_difficulty(hand)

    def learn(self, hand: PlayedHand) -> None:
        for who in hand.people:
            got, hands = self.known.get(who, (0.0, 0))
            self.known[who] = got + (self.worth(hand) if who == hand.winner else 0.0), hands + 1


def get_points(hand: PlayedHand) -> float:
    return POINTS_BY_LEVEL[hand.hand.level]


def get_win(_: PlayedHand) -> float:
    return 1.0


def compute_losses(predictor: Predictor, hands: Sequence[PlayedHand]) -> tuple[float, float, int, int]:
    """Return the log losses for pairs and for single players after the fitted hands, and the case counts."""
    pairs: tuple[list[Case], list[Case]] = ([], [])
    alone: tuple[list[Case], list[Case]] = ([], [])
    for number, hand in enumerate(hands):
        rest = number >= FITTED * len(hands)
        if number >= SKIPPED * len(hands):
            pairs[rest].extend(_list_pairs(predictor, hand))
            alone[rest].extend(_list_single_players(predictor, hand))
        predictor.learn(hand)
    losses = [_compute_loss(rest, fit_weights(first)) for first, rest in (pairs, alone)]
    return losses[0], losses[1], len(pairs[1]), len(alone[1])


def _list_pairs(predictor: Predictor, hand: PlayedHand) -> Iterator[Case]:
    """Yield each pair of winner and loser, in an order that does not depend on who won."""
    winner = hand.winner
    for loser in hand.tried if winner is not None else ():
        first, second = sorted((hand.people[0], loser))
        yield predictor.compare_players(first, second, hand.at), first == winner


def _list_single_players(predictor: Predictor, hand: PlayedHand) -> Iterator[Case]:
    """Yield the winner, or without one all who tried; not those who lost to another player."""
    for who in hand.people[:1] if hand.winner is not None else hand.tried:
        yield predictor.compare_with_hand(who, hand), who == hand.winner


def fit_weights(cases: Sequence[Case], steps: int = 25) -> list[float]:
    """Return the weights of the features, by logistic regression."""
    size = len(cases[0][0])
    weights = [0.0] * size
    for _ in range(steps):
        gradient = [0.0] * size
        normal = [[1e-6 * (i == j) for j in range(size)] for i in range(size)]
        for features, happened in cases:
            p = _compute_probability(features, weights)
            for i, a in enumerate(features):
                gradient[i] += a * (happened - p)
                for j, b in enumerate(features):
                    normal[i][j] += a * b * p * (1 - p)
        weights = [w + s for w, s in zip(weights, _solve_linear(normal, gradient), strict=True)]
    return weights


def _solve_linear(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Solve a small positive system by Gaussian elimination."""
    rows = [[*row, b] for row, b in zip(matrix, right, strict=True)]
    for i, pivot in enumerate(rows):
        for row in rows[:i] + rows[i + 1 :]:
            factor = row[i] / pivot[i]
            row[:] = [a - factor * b for a, b in zip(row, pivot, strict=True)]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def _compute_probability(features: Features, weights: Sequence[float]) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, sum(a * w for a, w in zip(features, weights, strict=True))))))


def _compute_loss(cases: Sequence[Case], weights: Sequence[float]) -> float:
    predictions = ((_compute_probability(features, weights), happened) for features, happened in cases)
    return -fmean(log(p if happened else 1 - p) for p, happened in predictions)


@dataclass(frozen=True, slots=True)
class Repetition:
    """The losses in one town: by the rating, by points for each hand, by the share of hands won."""

    pairs: Sequence[float]
    alone: Sequence[float]
    counts: tuple[int, int]


def run_repetition(seed: int, days: int = DAYS) -> Repetition:
    """Simulate a town, and let all three predict its hands."""
    hands = list(Town(seed).simulate_days(days))
    predictors = (RatingPredictor(), SharePredictor(get_points), SharePredictor(get_win))
    found = [compute_losses(predictor, hands) for predictor in predictors]
    return Repetition([one[0] for one in found], [one[1] for one in found], found[0][2:])


def compute_gains(losses: Sequence[float]) -> tuple[float, ...]:
    """Return by which part the first loss is smaller than each of the others."""
    return tuple(1 - losses[0] / other for other in losses[1:])


def measure_rows() -> Iterator[Row]:
    found = [run_repetition(seed) for seed in SEEDS]
    for number, one in enumerate(found, start=1):
        for job, losses, count in (
            ("which of two players wins", one.pairs, one.counts[0]),
            ("whether a player solves it", one.alone, one.counts[1]),
        ):
            by = ", ".join(f"{gain:+.1%}" for gain in compute_gains(losses))
            rest = f"{losses[1]:.4f}, {losses[2]:.4f}"
            note = f"{count} cases; better than points for each hand and share won by {by}"
            yield Row(f"{number}: {job}", f"{losses[0]:.4f}", "", rest, note)
    yield _make_summary("which of two players wins", [one.pairs for one in found])
    yield _make_summary("whether a player solves it", [one.alone for one in found])
    yield from _measure_times()


def _make_summary(job: str, losses: Iterable[Sequence[float]]) -> Row:
    all_gains = [gain for one in losses for gain in compute_gains(one)]
    note = f"the least of {len(all_gains)} gains in log loss; {sum(g > 0 for g in all_gains)} are gains"
    return Row(f"all: {job}", f"{min(all_gains):+.1%}", "0%", "", note)


def _measure_times() -> Iterator[Row]:
    known = {who: Rating(20.0 + who, 3.0, 20, 0.0) for who in range(10)}
    match = Match([Result(who, who - 5) for who in known], 0, 14.0)
    took = measure_median(lambda one: rate_match(known, one, 0.0), [match] * 100)
    yield Row("rate ten people", format_time(took), "1 ms", "", "one match of all of them and a hand")
