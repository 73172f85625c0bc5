"""The level that follows the players: how much of what is dealt they find.

There are 1 000 simulated groups of 2 to 8 people, with ratings from 1000 to 2000. Who finds a hand is drawn
by the ratings' own model, in which the hand is one more player; the bot knows nobody's rating at first. After
`JOINS_AFTER` hands a newcomer joins, stronger than the group by `STRONGER`, if four cards can be hard enough
for them together.
"""

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, inf, log
from statistics import fmean

from bench.report import Row
from bot.rounds.puzzle import Match, Result
from bot.standings.follow.rules import LATEST_HANDS, EndedHand, choose_solved_share
from bot.standings.ratings.rules import (
    LOGIT_SCALE,
    MU,
    POINTS_PER_MU,
    USUAL_POINTS,
    Rating,
    estimate_hand_strength,
    rate_match,
)
from solver import LEVELS, deal, rate

GROUPS = 1000
HANDS = 50
JOINS_AFTER, STRONGER, STRONGEST_JOINED = 40, 300.0, 1400.0  # The latter two in points of the rating
ERRS = 0.3  # Chance of a wrong answer of who does not find the hand, which makes them known to be present


@dataclass(slots=True)
class Group:
    points: float  # The mean of its members' true ratings, as players read them
    strengths: list[float]  # Their true `mu`


@dataclass(frozen=True, slots=True)
class PlayedHand:
    group: Group
    number: int  # From 1
    level: str
    found: bool


def simulate(groups: int) -> list[PlayedHand]:
    """Return the hands of so many groups, the same at each call."""
    rng = random.Random(24)
    return [hand for _ in range(groups) for hand in _play_group(rng, _make_group(rng))]


def measure_rows() -> Iterator[Row]:
    played = simulate(GROUPS)
    first = [hand.level for hand in played if hand.number <= 3]
    counts = ", ".join(f"{level} {first.count(level)}" for level in LEVELS)
    is_fine = set(first) <= {"easy", "medium"}
    yield Row("hands 1 to 3 are at most medium", str(is_fine), "True", "", counts)
    later = [hand for hand in played if 10 <= hand.number <= JOINS_AFTER]
    note = f"hands 10 to {JOINS_AFTER} of {GROUPS} groups"
    yield Row("found from hand 10 on", _format_share(later), "70–80 %", "", note)
    by_strength = defaultdict(list)
    for hand in later:
        by_strength[min(1900, int(hand.group.points // 100 * 100))].append(hand)
    for points, hands in sorted(by_strength.items()):
        levels = ", ".join(
            f"{level} {sum(h.level == level for h in hands) / len(hands):.0%}" for level in LEVELS
        )
        yield Row(f"… by groups from {points} on", _format_share(hands), "", "", levels)
    joined = [hand for hand in played if hand.group.points <= STRONGEST_JOINED and hand.number > JOINS_AFTER]
    for number in range(JOINS_AFTER + 1, HANDS + 1):
        hands = [hand for hand in joined if hand.number == number]
        wanted = "70–80 %" if number > JOINS_AFTER + 5 else ""
        yield Row(f"hand {number - JOINS_AFTER} with a stronger player", _format_share(hands), wanted, "", "")


def _format_share(hands: list[PlayedHand]) -> str:
    return f"{fmean(hand.found for hand in hands):.1%}"


def _make_group(rng: random.Random) -> Group:
    points = rng.uniform(1000, 2000)
    members = [min(2000.0, max(1000.0, rng.gauss(points, 100))) for _ in range(rng.randint(2, 8))]
    return Group(points, [convert_to_mu(each) for each in members])


def convert_to_mu(points: float) -> float:
    return MU + (points - USUAL_POINTS) / POINTS_PER_MU


def _play_group(rng: random.Random, group: Group) -> Iterator[PlayedHand]:
    strengths = list(group.strengths)
    known: dict[int, Rating] = {}
    history: list[tuple[EndedHand, set[int]]] = []
    for number in range(1, HANDS + 1):
        if number == JOINS_AFTER + 1 and group.points <= STRONGEST_JOINED:
            strengths.append(convert_to_mu(group.points + STRONGER))
        latest = history[-LATEST_HANDS:]
        present = {rng.randrange(len(strengths))}.union(*(who for _, who in latest))  # With the one who asks
        share = choose_solved_share(
            [known.get(who, Rating()) for who in present], [hand for hand, _ in latest]
        )
        percentage = max(1, min(99, round(100 * share)))
        rating = rate(deal(rng, solved=percentage / 100).numbers)
        winner, tried = _draw_outcome(rng, strengths, rating.seconds)
        seconds = _draw_seconds(rng, strengths, winner, rating.seconds)
        results = [Result(who, 1) for who in tried]
        if winner is not None:
            results.append(Result(winner, -1, seconds))
        known |= rate_match(known, Match(results, expected=rating.seconds), now=0.0)
        ended = EndedHand(rating.solved, winner is not None, seconds / rating.seconds)
        history.append((ended, {*tried, *([] if winner is None else [winner])}))
        yield PlayedHand(group, number, rating.level, winner is not None)


def _draw_outcome(
    rng: random.Random, strengths: list[float], expected: float
) -> tuple[int | None, list[int]]:
    """Return who finds the hand, None for nobody, and who answers wrong, by the Plackett-Luce model."""
    hand = estimate_hand_strength(expected) / LOGIT_SCALE - log(rng.expovariate(1))
    scores = [strength / LOGIT_SCALE - log(rng.expovariate(1)) for strength in strengths]
    best = max(range(len(scores)), key=scores.__getitem__)
    winner = best if scores[best] > hand else None
    return winner, [who for who in range(len(strengths)) if who != winner and rng.random() < ERRS]


def _draw_seconds(rng: random.Random, strengths: list[float], winner: int | None, expected: float) -> float:
    """Return the seconds of the winner, quicker the stronger; infinite without one."""
    if winner is None:
        return inf
    return expected * exp((MU - strengths[winner]) / LOGIT_SCALE / 3 + rng.gauss(0, 0.6))
