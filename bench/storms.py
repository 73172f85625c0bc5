"""Storms of simulated players: how many hands they solve, and what share of each step.

Whether a player of a rating finds a hand, and how quickly, is drawn as in `bench.follow`. A player who does
not find a hand skips it after a while; some send a wrong answer first. Time passes by the rules of the bot.
"""

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from math import exp, log
from statistics import fmean

from bench.follow import convert_to_mu
from bench.report import Row
from bot.modes.runs.rules import STEPS, Run, get_step, list_wishes
from bot.modes.storm.mode import SECONDS, StormMode
from bot.rounds.puzzle import Kind, Verdict, VerdictKind
from bot.rounds.rules import Round, State, mark_ended
from bot.standings.ratings.rules import LOGIT_SCALE, MU
from solver import Rating, deal, rate

STORMS = 1000  # Of each strength
STRENGTHS = (1000, 1250, 1500, 1750, 2000)  # In points of the rating
PATIENCE = 25.0  # Seconds after which a hand that is not found is skipped, on average
ERRS = 0.3  # Chance of a wrong answer before that
MIN_HANDS = 200  # Of a step, from which its share is shown


@dataclass(frozen=True, slots=True)
class PlayedHand:
    step: int  # From 0
    is_solved: bool


def play_storm(rng: random.Random, points: float) -> list[PlayedHand]:
    """Return the hands of one storm, the last one being cut off by the end of the time."""
    mode, mu = StormMode(), convert_to_mu(points)
    run = Run(1, 1, Kind.STORM, opened=0.0)
    wishes = list_wishes(Kind.STORM, mode.hand_count)
    now, deadline, played = 0.0, SECONDS, list[PlayedHand]()
    for number, wish in enumerate(wishes, 1):
        rating = rate(deal(rng, solved=(wish.solved or 50) / 100).numbers)
        hand = _make_round(deadline)
        is_found, seconds = _draw_answer(rng, mu, rating)
        if not is_found and rng.random() < ERRS:
            charged = mode.charge(hand, Verdict(VerdictKind.WRONG), now + seconds / 2)
            hand = charged or hand
        now += seconds
        is_solved = is_found and hand.state is State.OPEN and now <= (hand.deadline or 0.0)
        played.append(PlayedHand(get_step(number), is_solved))
        over = mark_ended(hand, State.WON if is_solved else State.SKIPPED, now)
        run = replace(run, in_a_row=run.in_a_row + 1 if is_solved else 0)
        following = mode.get_next_deadline(run, over, now)
        if following is None:
            break
        deadline = following
    return played


def _make_round(deadline: float) -> Round:
    # The rules look at the state and the deadline alone
    return Round(1, 1, 0, Kind.STORM, "24", puzzle=None, dealer_id=1, opened=0.0, deadline=deadline)  # type: ignore[arg-type]


def _draw_answer(rng: random.Random, mu: float, rating: Rating) -> tuple[bool, float]:
    """Return whether the player finds the hand, and the seconds until then or until it is skipped."""
    strength = (mu - MU) / LOGIT_SCALE
    chance = 1 / (1 + exp(-strength - log(rating.solved / (1 - rating.solved))))
    if rng.random() >= chance:
        return False, PATIENCE * exp(rng.gauss(0, 0.3))
    return True, max(1.0, rating.seconds * exp(-strength / 3 + rng.gauss(0, 0.6)))


def measure_rows() -> Iterator[Row]:
    for points in STRENGTHS:
        rng = random.Random(points)
        storms = [play_storm(rng, points) for _ in range(STORMS)]
        by_step = defaultdict[int, list[bool]](list)
        for hand in (hand for storm in storms for hand in storm):
            by_step[hand.step].append(hand.is_solved)
        shares = [fmean(by_step[step]) for step in range(len(STEPS)) if len(by_step[step]) >= MIN_HANDS]
        hands, solved = fmean(map(len, storms)), fmean(sum(h.is_solved for h in storm) for storm in storms)
        few = sorted(map(len, storms))[STORMS // 10]
        note = f"{solved:.1f} solved; nine in ten have {few} or more"
        wanted = "20 or more" if points == STRENGTHS[-1] else ""
        yield Row(f"hands of a storm, rating {points}", f"{hands:.1f}", wanted, "", note)
        falls = all(after <= before for before, after in pairwise(shares))
        listed = " ".join(f"{share:.0%}" for share in shares)
        yield Row("… solved falls from step to step", str(falls), "True", "", listed)
