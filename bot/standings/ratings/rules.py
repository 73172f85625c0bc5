"""Ratings: how strong somebody plays, by all hands that they tried. Nothing here reads a clock or a database.

Each hand is an opponent. Whoever solves it beats it, and beats those who tried and did not; whoever tried and
did not loses to it; whoever only watched took no part. Belief about a person is a mean `mu` and a deviation
`sigma`, moved by the Plackett-Luce model of R. C. Weng and C.-J. Lin, "A Bayesian Approximation Method for
Online Ranking" (JMLR 12, 2011), as `openskill` has it.

How strong a hand is follows from the seconds that people usually need for it: of those who tried the 679
hands of 4nums.com, the share that solved one is best told by log(share / rest) = 3.62 - log(seconds - 4.25).
One who solves a hand sooner than usual has beaten one so much harder, and later one so much easier: that
tells the winners of later hands better than the bare win does (`python -m bench ratings`).

Who stays away is known less and less: the variance grows with each day, up to a newcomer's, and the mean
stays. What is shown is 1500 for the usual player; with 100 points more than another, one wins two hands of
three. Beside it stands how far it may be off, 19 times in 20.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, log, sqrt

from openskill.models import PlackettLuce

from bot.durations import DAY

MU, SIGMA = 25.0, 25.0 / 3  # What is believed of somebody of whom nothing is known
BETA = 25.0 / 6  # How much chance a single hand has in it, on the same scale
LOGIT_SCALE = sqrt(2) * BETA  # That much more in `mu` is a factor e in the odds to win
HAND_SIGMA = 1.0  # How well the strength of a hand is known
# The log of the odds that the usual player solves a hand of a second more than the quickest takes, which is
# so many seconds.
SOLVED, QUICKEST_SECONDS = 3.62, 4.25
NEAREST = 0.5  # Seconds above the quickest that tell hands apart at least
MOST = 1.5  # The log of how many times quicker or slower than usual counts at most
HINT = 2.0  # How much weaker a hint leaves a hand
FARTHEST = 100 * SIGMA  # From `MU` at most: nobody who ever played is so far from it
VARIANCE_PER_DAY = 0.05  # The variance that a day away adds
HANDS_NEEDED = 10  # Hands from which a rating is shown
USUAL, POINTS = 1500, 100 / (log(2) * LOGIT_SCALE)  # What is shown for `MU`, and what for each 1 more
MARGIN_SIGMAS = 2.0  # Deviations within which the truth lies 19 times in 20

MODEL = PlackettLuce(mu=MU, sigma=SIGMA, beta=BETA, tau=0.0, limit_sigma=True)


@dataclass(frozen=True, slots=True)
class Rating:
    """What is believed of how strong somebody plays."""

    mu: float = MU
    sigma: float = SIGMA  # The deviation, as it was at `at`
    hands: int = 0  # That they tried
    at: float = 0.0  # When it changed last


@dataclass(frozen=True, slots=True)
class Result:
    """How one person did."""

    player_id: int
    place: int  # The lower the better; equal places are a draw
    seconds: float | None = None  # From the deal to the answer that solved it; None where that says nothing


@dataclass(frozen=True, slots=True)
class Match:
    """How all who tried a hand did against each other and against it."""

    results: Sequence[Result]
    place: int = 0  # The hand's own: whoever has a lower one beat it
    expected: float | None = None  # Seconds that people usually need for it; None where it is no opponent
    hints: int = 0  # That were shown of it


@dataclass(frozen=True, slots=True)
class DisplayedRating:
    """A rating as people read it."""

    points: int
    margin: int  # How far it may be off, 19 times in 20


def rate_match(known: Mapping[int, Rating], match: Match, now: float) -> dict[int, Rating]:
    """The ratings after a match of those in it, of whom `known` tells; none where nobody has an opponent.

    Their order makes no difference. Nobody's deviation rises by it beyond what the time since made it.
    """
    results = sorted(match.results, key=lambda result: (result.place, result.player_id))
    if len(results) + (match.expected is not None) < 2:
        return {}
    before = {r.player_id: age_rating(known.get(r.player_id, Rating(at=now)), now) for r in results}
    teams = [[MODEL.rating(before[r.player_id].mu, before[r.player_id].sigma)] for r in results]
    places = [float(result.place) for result in results]
    if match.expected is not None:
        teams.append([MODEL.rating(_of_hand(match, results), HAND_SIGMA)])
        places.append(float(match.place))
    after = MODEL.rate(teams, ranks=places)
    return {
        result.player_id: _moved(before[result.player_id], team[0].mu, team[0].sigma)
        for result, team in zip(results, after, strict=False)
    }


def _moved(before: Rating, mu: float, sigma: float) -> Rating:
    return Rating(mu, min(sigma, before.sigma), before.hands + 1, before.at)


def _of_hand(match: Match, results: Sequence[Result]) -> float:
    """How strong the hand was for whoever solved it first, with the hints that were shown."""
    expected = match.expected or 0.0
    seconds = next((r.seconds for r in results if r.seconds is not None and r.place < match.place), None)
    quicker = 0.0 if seconds is None else log(max(expected, 1.0) / max(seconds, 1.0))
    return (
        estimate_hand_strength(expected) + LOGIT_SCALE * max(-MOST, min(MOST, quicker)) - HINT * match.hints
    )


def estimate_hand_strength(expected: float) -> float:
    """How strong a hand is for which people usually need so many seconds, on the scale of `mu`."""
    return MU - LOGIT_SCALE * (SOLVED - log(max(NEAREST, expected - QUICKEST_SECONDS)))


def age_rating(rating: Rating, now: float) -> Rating:
    """The rating as it is worth `now`: the same mean, less and less sure. A broken one is a newcomer's."""
    sound = isfinite(rating.at) and abs(rating.mu - MU) <= FARTHEST and 0 < rating.sigma <= 2 * SIGMA
    if not sound or rating.hands < 0:
        return Rating(hands=max(0, rating.hands), at=now)
    variance = rating.sigma**2 + VARIANCE_PER_DAY * max(0.0, now - rating.at) / DAY
    return Rating(rating.mu, sqrt(min(variance, SIGMA**2)), rating.hands, max(now, rating.at))


def get_lower_bound(rating: Rating, now: float) -> float:
    """What somebody plays like at least, 19 times in 20: people are listed by it."""
    present = age_rating(rating, now)
    return present.mu - MARGIN_SIGMAS * present.sigma


def make_displayed_rating(rating: Rating, now: float) -> DisplayedRating | None:
    """The rating as people read it; None as long as too few hands were tried."""
    present = age_rating(rating, now)
    if present.hands < HANDS_NEEDED:
        return None
    return DisplayedRating(
        round(USUAL + POINTS * (present.mu - MU)), max(1, round(POINTS * MARGIN_SIGMAS * present.sigma))
    )


def count_missing_hands(rating: Rating | None) -> int:
    """Hands that are yet to be tried until a rating is shown."""
    return max(0, HANDS_NEEDED - (rating.hands if rating else 0))
