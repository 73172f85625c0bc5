"""Simulated people who play for some months, as input for `bench.ratings`.

The simulation does not follow the model of the ratings. The hands are the 679 of `human-times.csv`. The time
for a hand follows from the times and shares of real people; `rate`, the only knowledge of the ratings about a
hand, sometimes differs from them. A time is lognormal around that, quicker or slower by the person's skill.
Some hands are never solved, more often those that few real people solved. Everybody gives up after some time.
Each person makes wrong answers at a rate of their own, which does not depend on skill.

Groups differ in strength and level, and some people are in two groups. There are daily hands, and practice in
private, where some people ask only for easy hands. Skills drift.
"""

import csv
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import exp, inf, log

from bench.fit import TIMES
from bot.levels import LEVELS
from solver import rate

DAY, HAND = 86_400.0, 600.0  # Seconds of a day, and between the hands of a group
GROUPS, SMALLEST, LARGEST = 12, 4, 9
LIMIT = 300.0  # Seconds after which a hand is over
QUICKEST = 4.25  # Seconds that reading and typing take
MOST_HANDS = 25  # Hands of a group on one day
WEEK = ("easy", "easy", "medium", "medium", "hard", "hard", "fiendish")  # Levels of the daily hands


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand with the results of real people and its rating."""

    seconds: float  # Mean time of real people who solved it
    solved: float  # Share of real people who solved it
    expected: float  # The prediction of `rate`
    level: str


@dataclass(frozen=True, slots=True)
class Person:
    skill: float  # Logarithm of the speed on the first day, 0 for an average person
    drift: float  # Change of skill in a day
    patience: float  # Typical seconds until giving up
    haste: float  # Rate of wrong answers: their number in three times the expected seconds
    keen: float  # Chance of taking part


@dataclass(frozen=True, slots=True)
class PlayedHand:
    at: float
    hand: Hand
    winner: int | None
    seconds: float  # Time of the winner
    tried: tuple[int, ...]  # Those who gave only wrong answers

    @property
    def people(self) -> tuple[int, ...]:
        """Return all who answered, the winner first."""
        return self.tried if self.winner is None else (self.winner, *self.tried)


@dataclass(frozen=True, slots=True)
class Group:
    members: list[int]
    levels: list[float]  # How often the group plays each level
    keen: float


@cache
def load_hands() -> dict[str, list[Hand]]:
    """Return the hands by the level that `rate` gives them."""
    found: dict[str, list[Hand]] = {level: [] for level in LEVELS}
    with TIMES.open(encoding="ascii", newline="") as lines:
        for row in csv.DictReader(lines):
            rating = rate(tuple(map(int, row["hand"].split())))
            hand = Hand(float(row["seconds"]), float(row["solved"]), rating.seconds, rating.level)
            found[rating.level].append(hand)
    return found


class Town:
    """All people and groups; the same seed gives the same hands."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self.people: list[Person] = []
        self._groups = [self._make_group() for _ in range(GROUPS)]
        for who in range(len(self.people)):
            second = self._rng.choice(self._groups).members
            if self._rng.random() < 0.15 and who not in second:
                second.append(who)

    def _make_group(self) -> Group:
        rng = self._rng
        strength, first = rng.gauss(0, 0.6), len(self.people)
        self.people += [self._make_person(strength) for _ in range(rng.randint(SMALLEST, LARGEST))]
        levels = [rng.random() ** 1.5 + 0.02 for _ in LEVELS]
        return Group(list(range(first, len(self.people))), levels, exp(rng.gauss(0, 0.6)))

    def _make_person(self, strength: float) -> Person:
        gauss = self._rng.gauss
        return Person(
            skill=gauss(strength, 0.45),
            drift=gauss(0.0015, 0.003),
            patience=60 * exp(gauss(0, 0.5)),
            haste=0.6 * exp(gauss(0, 0.6)),
            keen=exp(gauss(-1.2, 0.8)),
        )

    def simulate_days(self, count: int) -> Iterator[PlayedHand]:
        """Yield the hands of so many days, in order."""
        for day in range(count):
            daily = self._rng.choice(load_hands()[WEEK[day % 7]])
            played = [*self._simulate_groups(day), *self._simulate_private_chats(day, daily)]
            yield from sorted(played, key=lambda one: one.at)

    def _simulate_groups(self, day: int) -> Iterator[PlayedHand]:
        for group in self._groups:
            for n in range(MOST_HANDS):
                if self._rng.random() > group.keen / (group.keen + 0.35):
                    break
                there = [who for who in group.members if self._rng.random() < 1.5 * self.people[who].keen]
                level = self._rng.choices(LEVELS, group.levels)[0]
                yield from self._simulate_hand(there, self._rng.choice(load_hands()[level]), day, n * HAND)

    def _simulate_private_chats(self, day: int, daily: Hand) -> Iterator[PlayedHand]:
        """Yield daily hands and practice; every second person practises easy and medium hands only."""
        rng = self._rng
        for who, person in enumerate(self.people):
            if rng.random() < 0.4 * person.keen:
                yield from self._simulate_hand([who], daily, day, DAY / 2)
            for n in range(rng.randint(1, 6) if rng.random() < 0.5 * person.keen else 0):
                level = rng.choice(LEVELS[:2] if who % 2 else LEVELS)
                yield from self._simulate_hand(
                    [who], rng.choice(load_hands()[level]), day, DAY / 2 + (n + 1) * HAND
                )

    def _simulate_hand(self, there: list[int], hand: Hand, day: int, at: float) -> Iterator[PlayedHand]:
        """Yield the hand as played by these people; nothing if nobody answered."""
        ends = {who: self._draw_patience(who) for who in there}
        times = {who: self._draw_time(who, hand, day) for who in there}
        solved = {who: time for who, time in times.items() if time < ends[who]}
        winner = min(solved, key=solved.__getitem__, default=None)
        seconds = inf if winner is None else solved[winner]
        others = [who for who in there if who != winner]
        tried = tuple(who for who in others if self._makes_mistake(who, hand, min(seconds, ends[who])))
        if winner is not None or tried:
            yield PlayedHand(day * DAY + at, hand, winner, 0.0 if winner is None else seconds, tried)

    def _draw_patience(self, who: int) -> float:
        return min(LIMIT, self.people[who].patience * exp(self._rng.gauss(0, 0.5)))

    def _draw_time(self, who: int, hand: Hand, day: int) -> float:
        """Return the seconds until the person solves the hand; infinite if they never do."""
        person, share = self.people[who], min(hand.solved, 0.995)
        skill = person.skill + person.drift * day + self._rng.gauss(0, 0.1)
        if self._rng.random() > 1 / (1 + exp(-log(share / (1 - share)) - 1.6 * skill)):
            return inf
        thinking = max(hand.seconds - QUICKEST, 0.3) * 0.75 * exp(-skill)
        return (QUICKEST * exp(-0.3 * skill) + thinking) * exp(self._rng.gauss(0, 0.65))

    def _makes_mistake(self, who: int, hand: Hand, until: float) -> bool:
        """Whether the person answers wrong by then."""
        return self._rng.random() < 1 - exp(-self.people[who].haste * until / (3 * hand.expected))
