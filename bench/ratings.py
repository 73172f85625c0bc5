"""Ratings: the log loss of who wins hands that were not seen before, beside points and wins per hand.

Each repetition is a town of its own (`bench.simulated_players`). Every hand is predicted from what was known
before it: which of two who tried wins it, and whether one who tries solves it. The first
part of the hands fits how
a difference becomes a probability, by logistic regression, alike for the rating, for points per hand and for
the share of hands won; the losses are those of the rest. All three are told how hard the hand is.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import exp, log, sqrt
from statistics import fmean
from typing import Protocol

from bench.simulated_players import Played, Town
from bench.table import Row, median_time, written
from bot.rounds.puzzle import POINTS_BY_LEVEL
from bot.standings.ratings.rules import (
    BETA,
    QUICKEST_SECONDS,
    Match,
    Rating,
    Result,
    age_rating,
    estimate_hand_strength,
    rate_match,
)

SEEDS = (1, 2, 3, 4, 5)  # One for each repetition
DAYS = 150
# The share of the hands that fits probabilities, and how much of them comes before, when nobody is known.
FITTED, SKIPPED = 0.6, 0.15

Features = tuple[float, ...]
Case = tuple[Features, bool]  # What was known of something that might happen, and whether it did


class Judge(Protocol):
    """Predicts the results of hands."""

    def pair(self, one: int, other: int, at: float) -> Features:
        """Return how far one player is ahead of another; 0 between equals."""

    def alone(self, one: int, hand: Played) -> Features:
        """Return how far a player is ahead of a hand, and its difficulty."""

    def learn(self, hand: Played) -> None:
        """A hand is over."""


def _difficulty(hand: Played) -> float:
    return log(max(0.5, hand.hand.expected - QUICKEST_SECONDS))


@dataclass
class ByRating:
    """The bot's own ratings."""

    known: dict[int, Rating] = field(default_factory=dict)

    def _now(self, who: int, at: float) -> Rating:
        return age_rating(self.known.get(who, Rating(at=at)), at)

    def pair(self, one: int, other: int, at: float) -> Features:
        a, b = self._now(one, at), self._now(other, at)
        return ((a.mu - b.mu) / sqrt(2 * BETA**2 + a.sigma**2 + b.sigma**2),)

    def alone(self, one: int, hand: Played) -> Features:
        a = self._now(one, hand.at)
        ahead = (a.mu - estimate_hand_strength(hand.hand.expected)) / sqrt(2 * BETA**2 + a.sigma**2)
        return 1.0, ahead, _difficulty(hand)

    def learn(self, hand: Played) -> None:
        won = [] if hand.winner is None else [Result(hand.winner, -1, hand.seconds)]
        match = Match([*won, *(Result(who, 1) for who in hand.tried)], 0, hand.hand.expected)
        self.known |= rate_match(self.known, match, hand.at)


@dataclass
class ByShare:
    """Judges by the share of hands that a player won, or of their points."""

    worth: Callable[[Played], float]
    known: dict[int, tuple[float, int]] = field(default_factory=dict)

    def _share(self, who: int) -> float:
        """One hand won and one lost beforehand keep the first ones from counting for all or nothing."""
        got, hands = self.known.get(who, (0.0, 0))
        return (got + 1) / (hands + 2)

    def pair(self, one: int, other: int, at: float) -> Features:
        return (self._share(one) - self._share(other),)

    def alone(self, one: int, hand: Played) -> Features:
        return 1.0, self._share(one), _difficulty(hand)

    def learn(self, hand: Played) -> None:
        for who in hand.people:
            got, hands = self.known.get(who, (0.0, 0))
            self.known[who] = got + (self.worth(hand) if who == hand.winner else 0.0), hands + 1


def points(hand: Played) -> float:
    return POINTS_BY_LEVEL[hand.hand.level]


def win(_: Played) -> float:
    return 1.0


def losses(judge: Judge, hands: Sequence[Played]) -> tuple[float, float, int, int]:
    """The log loss of pairs and of people alone on the hands that fit nothing, and how many those were."""
    pairs: tuple[list[Case], list[Case]] = ([], [])
    alone: tuple[list[Case], list[Case]] = ([], [])
    for number, hand in enumerate(hands):
        rest = number >= FITTED * len(hands)
        if number >= SKIPPED * len(hands):
            pairs[rest].extend(_pairs(judge, hand))
            alone[rest].extend(_alone(judge, hand))
        judge.learn(hand)
    told = [_loss(rest, fitted(first)) for first, rest in (pairs, alone)]
    return told[0], told[1], len(pairs[1]), len(alone[1])


def _pairs(judge: Judge, hand: Played) -> Iterator[Case]:
    """Each two who tried of whom one won; which of them comes first is nobody's doing."""
    winner = hand.winner
    for loser in hand.tried if winner is not None else ():
        first, second = sorted((hand.people[0], loser))
        yield judge.pair(first, second, hand.at), first == winner


def _alone(judge: Judge, hand: Played) -> Iterator[Case]:
    """Each who solved the hand, or tried for as long as they liked; not those whom another one beat."""
    for who in hand.people[:1] if hand.winner is not None else hand.tried:
        yield judge.alone(who, hand), who == hand.winner


def fitted(cases: Sequence[Case], steps: int = 25) -> list[float]:
    """The weights of features by which probabilities suit the cases best: logistic regression."""
    size = len(cases[0][0])
    weights = [0.0] * size
    for _ in range(steps):
        gradient = [0.0] * size
        normal = [[1e-6 * (i == j) for j in range(size)] for i in range(size)]
        for features, happened in cases:
            p = _probability(features, weights)
            for i, a in enumerate(features):
                gradient[i] += a * (happened - p)
                for j, b in enumerate(features):
                    normal[i][j] += a * b * p * (1 - p)
        weights = [w + s for w, s in zip(weights, _solved(normal, gradient), strict=True)]
    return weights


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """The solution of a small positive system, by Gauss's elimination."""
    rows = [[*row, b] for row, b in zip(matrix, right, strict=True)]
    for i, pivot in enumerate(rows):
        for row in rows[:i] + rows[i + 1 :]:
            factor = row[i] / pivot[i]
            row[:] = [a - factor * b for a, b in zip(row, pivot, strict=True)]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def _probability(features: Features, weights: Sequence[float]) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, sum(a * w for a, w in zip(features, weights, strict=True))))))


def _loss(cases: Sequence[Case], weights: Sequence[float]) -> float:
    told = ((_probability(features, weights), happened) for features, happened in cases)
    return -fmean(log(p if happened else 1 - p) for p, happened in told)


@dataclass(frozen=True, slots=True)
class Repetition:
    """The losses of one town, by who tells: the rating, points per hand, the share of hands won."""

    pairs: Sequence[float]
    alone: Sequence[float]
    counts: tuple[int, int]


def repetition(seed: int, days: int = DAYS) -> Repetition:
    """A town of that seed, told by all three."""
    hands = list(Town(seed).days(days))
    found = [losses(judge, hands) for judge in (ByRating(), ByShare(points), ByShare(win))]
    return Repetition([one[0] for one in found], [one[1] for one in found], found[0][2:])


def gains(told: Sequence[float]) -> tuple[float, ...]:
    """Return how much smaller the first loss is than each of the others, as a part of theirs."""
    return tuple(1 - told[0] / other for other in told[1:])


def rows() -> Iterator[Row]:
    found = [repetition(seed) for seed in SEEDS]
    for number, one in enumerate(found, start=1):
        for job, told, count in (
            ("which of two wins", one.pairs, one.counts[0]),
            ("who solves it", one.alone, one.counts[1]),
        ):
            by = ", ".join(f"{gain:+.1%}" for gain in gains(told))
            rest = f"{told[1]:.4f}, {told[2]:.4f}"
            note = f"{count} cases; less than points per hand and share won by {by}"
            yield Row(f"{number}: {job}", f"{told[0]:.4f}", "", rest, note)
    yield _least("which of two wins", [one.pairs for one in found])
    yield _least("who solves it", [one.alone for one in found])
    yield from _times()


def _least(job: str, told: Iterable[Sequence[float]]) -> Row:
    every = [gain for one in told for gain in gains(one)]
    note = f"the least of {len(every)} gains in log loss; {sum(g > 0 for g in every)} are gains"
    return Row(f"all: {job}", f"{min(every):+.1%}", "0%", "", note)


def _times() -> Iterator[Row]:
    known = {who: Rating(20.0 + who, 3.0, 20, 0.0) for who in range(10)}
    match = Match([Result(who, who - 5) for who in known], 0, 14.0)
    took = median_time(lambda one: rate_match(known, one, 0.0), [match] * 100)
    yield Row("rate ten people", written(took), "1 ms", "", "one match of all of them and a hand")
