"""Ratings: how strong a player is, by all hands that the player tried. Pure: no clock, no database.
Each hand is an opponent. Players who solve it beat the hand, and beat the players who tried and failed; those
lose to the hand. Players who only watched take no part. A rating is a mean `mu` and a deviation `sigma`,
updated by the Plackett-Luce model of R. C. Weng and C.-J. Lin, "A Bayesian Approximation Method for Online
Ranking" (JMLR 12, 2011), as implemented in `openskill`.

The strength of a hand follows from the share of people who find it, and that from the seconds that people
usually need for it (see `solver.difficulty`): a newcomer finds it as often as they do. Whoever
solves a hand sooner than usual has beaten a harder one, and later than usual an easier one: this predicts the
winners of later hands better than the bare win does (`python -m bench ratings`).

The rating of a player who stays away becomes less certain: its variance grows with each day, up to a
newcomer's. The displayed rating of the usual player is 1500; with 100 points more than another, a player wins
two hands of three. The displayed margin holds 19 times in 20.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt

from openskill.models import PlackettLuce

from bot.durations import DAY
from bot.rounds.puzzle import Match, Result
from solver import estimate_solved

MU, SIGMA = 25.0, 25.0 / 3  # The rating of a newcomer
BETA = 25.0 / 6  # How much a single hand depends on chance, on the same scale
LOGIT_SCALE = sqrt(2) * BETA  # This much more `mu` multiplies the odds to win by e

MODEL = PlackettLuce(mu=MU, sigma=SIGMA, beta=BETA, tau=0.0, limit_sigma=True)


@dataclass(frozen=True, slots=True)
class Rating:
    """The estimated strength of a player."""

    mu: float = MU
    sigma: float = SIGMA  # The deviation at the time `at`
    hands: int = 0  # Hands that the player tried
    at: float = 0.0  # When the rating changed last


def rate_match(known: Mapping[int, Rating], match: Match, now: float) -> dict[int, Rating]:
    """Return the new ratings of a match's players by the `known` ones; empty if nobody has an opponent."""
    results = sorted(match.results, key=lambda result: (result.place, result.player_id))
    opponents = len(results) - 1 if match.expected is None else len(results)
    if opponents <= 0:
        return {}
    before = [age_rating(known.get(result.player_id, Rating(at=now)), now) for result in results]
    teams = [[MODEL.rating(rating.mu, rating.sigma)] for rating in before]
    places = [float(result.place) for result in results]
    if match.expected is not None:  # The hand is one more team
        teams.append([MODEL.rating(_estimate_strength(match, results, match.expected), HAND_SIGMA)])
        places.append(float(match.place))
    after = MODEL.rate(teams, ranks=places)  # In the order of `teams`, the hand last
    return {
        result.player_id: Rating(new.mu, min(new.sigma, old.sigma), hands=old.hands + 1, at=old.at)
        for result, old, (new,) in zip(results, before, after, strict=False)  # Without the hand
    }


HAND_SIGMA = 1.0  # How uncertain the strength of a hand is
MAX_LOG_SPEED = 1.5  # Limits how much a very quick or slow answer counts
HINT_COST = 2.0  # How much weaker a hint makes a hand


def _estimate_strength(match: Match, results: Sequence[Result], expected: float) -> float:
    """Estimate the hand's strength: more for the speed of the first to solve it, less for hints."""
    times = [r.seconds for r in results if r.seconds is not None and r.place < match.place]
    log_speed = 0.0
    if times:  # `results` begin with the first to solve it; less than a second counts as one
        log_speed = log(max(expected, 1.0) / max(times[0], 1.0))
    limited = max(-MAX_LOG_SPEED, min(MAX_LOG_SPEED, log_speed))
    return estimate_hand_strength(expected) + LOGIT_SCALE * limited - HINT_COST * match.hints


def estimate_hand_strength(expected: float) -> float:
    """Estimate the `mu` of a hand for which people usually need `expected` seconds."""
    solved = estimate_solved(expected)
    return MU - LOGIT_SCALE * log(solved / (1 - solved))


VARIANCE_PER_DAY = 0.05  # What a day without a hand adds


def age_rating(rating: Rating, now: float) -> Rating:
    """Return the rating as it is at `now`, less certain than at its last change."""
    days = max(0.0, now - rating.at) / DAY
    variance = min(rating.sigma**2 + VARIANCE_PER_DAY * days, SIGMA**2)  # At most a newcomer's
    return Rating(mu=rating.mu, sigma=sqrt(variance), hands=rating.hands, at=max(now, rating.at))


MARGIN_SIGMAS = 2.0  # The truth lies within so many deviations 19 times in 20


def get_lower_bound(rating: Rating, now: float) -> float:
    """Return what the player's strength is at least, 43 times in 44; lists are ordered by it."""
    present = age_rating(rating, now)
    return present.mu - MARGIN_SIGMAS * present.sigma


HANDS_NEEDED = 10  # Hands until a rating is displayed
USUAL_POINTS, POINTS_PER_MU = 1500, 100 / (log(2) * LOGIT_SCALE)


def render_rating(rating: Rating, now: float) -> str | None:
    """Return the rating with its margin as players read it, `1500 ± 60`; None if too few hands were tried."""
    present = age_rating(rating, now)
    if present.hands < HANDS_NEEDED:
        return None
    points = round(USUAL_POINTS + POINTS_PER_MU * (present.mu - MU))
    margin = round(POINTS_PER_MU * MARGIN_SIGMAS * present.sigma)
    return f"{points} ± {max(1, margin)}"  # Never ± 0, as if it were exact


def count_missing_hands(rating: Rating | None) -> int:
    """Return how many more hands are needed until a rating is displayed; None has no hand yet."""
    hands = rating.hands if rating else 0
    return max(0, HANDS_NEEDED - hands)
