"""Practice: what simulated learners with one weak skill are dealt, and how much of it they solve.

There are 500 learners of five strengths, each with one skill planted as a weakness. The bot's own rules
choose skill and difficulty, from real hands. Whether a learner solves a hand is drawn by the share of
people who do, the learner's strength and the weakness; the bot knows neither. All practise `HANDS` hands on
the first day. Then some lose their weakness and practise a few hands a day, to show when that skill is due.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import pairwise
from math import exp, inf
from statistics import fmean, median

import solver
from bench.report import Row
from bot.durations import DAY
from bot.games.twentyfour import dealing, skills
from bot.games.twentyfour.rules import Hand
from bot.modes.practice import rules
from bot.modes.practice.queries import MAX_HANDS
from bot.modes.practice.rules import PlayedHand
from bot.rounds.puzzle import PracticeWish, Strength

LEARNERS = 500
HANDS = 45  # Of the first day
WINDOW = 15
STRENGTHS = (-1.5, -0.75, 0.0, 0.75, 1.5)  # Log odds to solve a hand that half of all people solve
WEAKNESS = -1.5  # Log odds that are added in hands that need the weak skill …
SPREAD = 0.2  # … and the deviation of those that are added in each skill
TIME_SPREAD = 0.5  # Deviation of the logarithm of times
USUAL_DRAWS, DRAWS = 150, {skills.FRACTION: 700, skills.MORE_CARDS: 25}  # In the time of a deal
MASTERS, HANDS_A_DAY, DAYS = 30, 3, 150

Pools = dict[str, list[Hand]]  # Hands to draw from, by skill


@cache
def draw_pools(of_24: int, of_targets: int, of_five: int) -> Pools:
    """Draw so many hands of each sort."""
    rng = solver.Stream("learners")
    counts = {skills.TARGET: of_targets, skills.LARGE: of_targets, skills.MORE_CARDS: of_five}
    pools = {
        skill: [dealing.draw_candidate(rng, skill) for _ in range(count)] for skill, count in counts.items()
    }
    usual = [dealing.draw_candidate(rng, skills.DIVISION) for _ in range(of_24)]
    return pools | dict.fromkeys((skills.DIVISION, skills.FRACTION, skills.SUBTRACTION), usual)


@dataclass(frozen=True, slots=True)
class DealtHand:
    skill: str
    skills: frozenset[str]
    chance: float
    is_solved: bool
    at: float
    was_due: bool
    is_missed: bool


@dataclass(slots=True)
class Learner:
    rng: random.Random
    weakness: str
    strength: Strength  # The true one
    played: list[PlayedHand] = field(default_factory=list)  # The latest first
    dealt: list[DealtHand] = field(default_factory=list)

    def practise(self, pools: Pools, at: float) -> None:
        """Play the hand that the bot chooses."""
        latest_skills = self.dealt[-1].skills if self.dealt else ()
        wish = rules.plan_hand(self.played, skills.SKILLS, latest_skills, at)
        hand = draw_hand(self.rng, pools[wish.skill], wish)
        if hand is not None:  # else the bot asks to try again
            self._play(wish.skill, hand, at)

    def _play(self, skill: str, hand: Hand, at: float) -> None:
        needed = skills.find_skills(hand)
        chance = 1 / (1 + exp(-self.strength.estimate_log_odds(hand.expected, needed)))
        is_solved = self.rng.random() < chance
        strength = self.strength.overall + sum(self.strength.by_skill[each] for each in needed)
        pace = exp(self.rng.gauss(0.0, TIME_SPREAD) - strength / 3)
        was_due = rules.find_due_times(self.played).get(skill, inf) <= at
        seconds = pace * hand.expected if is_solved else None
        numbers, number = tuple(sorted(hand.numbers)), len(self.dealt) + 1
        played = PlayedHand(
            needed, seconds, hand.expected, round_id=number, asked=skill, at=at, numbers=numbers
        )
        self.dealt.append(DealtHand(skill, needed, chance, is_solved, at, was_due, played.is_missed))
        self.played = [played, *self.played[: MAX_HANDS - 1]]


def draw_hand(rng: random.Random, pool: Sequence[Hand], wish: PracticeWish) -> Hand | None:
    """Draw a hand near the wish, or else the nearest, as `dealing.draw_practice_hand` does; None if late."""
    best: Hand | None = None
    best_distance = inf
    draws = DRAWS.get(wish.skill, USUAL_DRAWS)
    for draw in range(4 * draws):
        if best_distance <= dealing.NEAR_ENOUGH or (best and draw > draws):
            break
        hand = rng.choice(pool)
        distance = wish.measure_distance(hand.expected, skills.find_skills(hand))
        if distance < best_distance and tuple(sorted(hand.numbers)) not in wish.excluded:
            best, best_distance = hand, distance
    return best


def simulate(learners: int, hands: int, pools: Pools) -> list[Learner]:
    """Return learners who have practised so many hands, the same at each call."""
    rng, made = random.Random(24), []
    for number in range(learners):
        strength = STRENGTHS[number % len(STRENGTHS)]
        weakness = list(skills.SKILLS)[number // len(STRENGTHS) % len(skills.SKILLS)]
        by_skill = {skill: rng.gauss(0, SPREAD) + WEAKNESS * (skill == weakness) for skill in skills.SKILLS}
        learner = Learner(rng, weakness, Strength(strength, by_skill))
        for hand in range(hands):
            learner.practise(pools, at=60.0 * hand)
        made.append(learner)
    return made


def is_as_aimed(learner: Learner, first: int = 0) -> bool:
    """Whether 70 to 80 % of `WINDOW` hands were solved."""
    solved = sum(hand.is_solved for hand in learner.dealt[first : first + WINDOW])
    return 0.7 * WINDOW <= solved <= 0.8 * WINDOW


def compute_mean_chance(learner: Learner) -> float:
    """Return the mean chance that the learner had to solve the hands from the tenth on."""
    return fmean(hand.chance for hand in learner.dealt[9:])


def compute_weakness_share(learner: Learner, first: int = 0) -> float:
    """Return the share of hands dealt for the weak skill over the average share of a skill.

    A hand counts for the skill that was asked for, not for others that it happens to need.
    """
    return fmean(hand.skill == learner.weakness for hand in learner.dealt[first:]) * len(skills.SKILLS)


def count_repeats(learner: Learner) -> int:
    """Count the pairs of hands in a row that need the same skill."""
    return sum(bool(before.skills & after.skills) for before, after in pairwise(learner.dealt))


def measure_rows() -> Iterator[Row]:
    pools = draw_pools(3000, 600, 200)
    learners = simulate(LEARNERS, HANDS, pools)
    for first in range(0, HANDS, WINDOW):
        share, note = _format(learners, partial(is_as_aimed, first=first))
        yield Row(f"11 or 12 solved of hands {first + 1} to {first + WINDOW}", share, "95 %", "", note)
    share, note = _format(learners, compute_mean_chance)
    yield Row("mean chance from hand 10 on", share, "70–80 %", "", note)
    ratios = {
        skill: fmean(compute_weakness_share(each) for each in learners if each.weakness == skill)
        for skill in skills.SKILLS
    }
    note = ", ".join(f"{skill} {ratio:.2f}" for skill, ratio in ratios.items())
    mean = fmean(map(compute_weakness_share, learners))
    yield Row("hands for the weakness over the average", f"{mean:.2f}", "2", "", note)
    later = fmean(compute_weakness_share(each, WINDOW) for each in learners)
    yield Row(f"… from hand {WINDOW + 1} on", f"{later:.2f}", "2", "", "")
    yield Row("two in a row of one skill", str(sum(map(count_repeats, learners))), "0", "", "")
    yield from _measure_intervals(learners[:MASTERS], pools)


def _measure_intervals(learners: Sequence[Learner], pools: Pools) -> Iterator[Row]:
    """Let learners lose all weakness and practise some hands a day, and measure when the skill is dealt."""
    for learner in learners:
        learner.strength = Strength(2.0, dict.fromkeys(skills.SKILLS, 0.0))
        for day in range(1, DAYS):
            for number in range(HANDS_A_DAY):
                learner.practise(pools, at=DAY * day + 60.0 * (HANDS + number))
    gaps = [_list_due_gaps(learner) for learner in learners]
    for number in range(4):
        days = [gap for each in gaps for good_returns, gap in each if good_returns == number]
        note = f"median of {len(days)} returns"
        yield Row(f"days to return after {number} good ones", f"{median(days):.0f}", "", "", note)


def _format(learners: Sequence[Learner], measure: Callable[[Learner], float]) -> tuple[str, str]:
    """Return the mean, and the means by strength."""
    by_strength = ", ".join(
        f"{strength:+g}: {fmean(measure(each) for each in learners[number :: len(STRENGTHS)]):.0%}"
        for number, strength in enumerate(STRENGTHS)
    )
    return f"{fmean(map(measure, learners)):.1%}", f"by strength {by_strength}"


def _list_due_gaps(learner: Learner) -> list[tuple[int, float]]:
    """Return the days until the weak skill was dealt since it was due, each with the good returns before."""
    gaps, good_returns, last = list[tuple[int, float]](), 0, 0.0
    for hand in learner.dealt:
        is_return = hand.was_due and hand.skill == learner.weakness
        if is_return:
            gaps.append((good_returns, (hand.at - last) / DAY))
        if is_return or (hand.is_missed and learner.weakness in hand.skills):
            good_returns, last = 0 if hand.is_missed else good_returns + 1, hand.at
    return gaps
