"""People who play for some months, made up, and not as any rating supposes: what `bench.ratings` is fed.

The hands are the 679 of `human-times.csv`. How long somebody needs for one follows from the times and shares
of real people, about which `rate`, all that a rating knows of a hand, is sometimes wrong. A time is lognormal
around that, quicker or slower by one's skill; some hands are not seen at all, the more of them the fewer real
people saw them; everybody's patience ends. Wrong answers are given at a pace of one's own, so whoever is
quick to answer tries more, not better.

There are groups of different strength, which play at levels of their own, some people in two of them; daily
hands; and practice in private, where some only ever ask for easy hands. Skills drift.
"""

import csv
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import exp, inf, log

from bench.fit import TIMES
from bot.rounds.puzzle import LEVELS
from solver import rate

DAY, HAND = 86_400.0, 600.0  # Seconds of a day, and between the hands of a group
GROUPS, SMALLEST, LARGEST = 12, 4, 9
LIMIT = 300.0  # Seconds after which a hand is over
QUICKEST = 4.25  # Seconds that reading and typing take
MOST_HANDS = 25  # That a group plays on a day
WEEK = ("easy", "easy", "medium", "medium", "hard", "hard", "fiendish")  # Levels of the daily hands


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand as it is, and as it is rated."""

    seconds: float  # The mean time of real people …
    solved: float  # … and the share of them who solved it
    expected: float  # What `rate` says of that time
    level: str


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who plays."""

    skill: float  # The log of how much quicker than usual they are on the first day
    drift: float  # What each day adds to that
    patience: float  # Seconds, usually
    haste: float  # Wrong answers in three times the expected seconds
    keen: float  # How likely they are there


@dataclass(frozen=True, slots=True)
class Played:
    """A hand that is over."""

    at: float
    hand: Hand
    winner: int | None
    seconds: float  # That the winner took
    tried: tuple[int, ...]  # Those who answered wrong, and not right

    @property
    def people(self) -> tuple[int, ...]:
        """Those who tried, whoever solved it first."""
        return self.tried if self.winner is None else (self.winner, *self.tried)


@dataclass(frozen=True, slots=True)
class Group:
    """A chat."""

    members: list[int]
    levels: list[float]  # How often it plays each
    keen: float


@cache
def hands() -> dict[str, list[Hand]]:
    """The hands, by the level that `rate` gives them."""
    found: dict[str, list[Hand]] = {level: [] for level in LEVELS}
    with TIMES.open(encoding="ascii", newline="") as lines:
        for row in csv.DictReader(lines):
            rating = rate(tuple(map(int, row["hand"].split())))
            hand = Hand(float(row["seconds"]), float(row["solved"]), rating.seconds, rating.level)
            found[rating.level].append(hand)
    return found


class Town:
    """All who play, and what happens day by day; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self.people: list[Person] = []
        self._groups = [self._group() for _ in range(GROUPS)]
        for who in range(len(self.people)):
            second = self._rng.choice(self._groups).members
            if self._rng.random() < 0.15 and who not in second:
                second.append(who)

    def _group(self) -> Group:
        rng = self._rng
        strength, first = rng.gauss(0, 0.6), len(self.people)
        self.people += [self._person(strength) for _ in range(rng.randint(SMALLEST, LARGEST))]
        levels = [rng.random() ** 1.5 + 0.02 for _ in LEVELS]
        return Group(list(range(first, len(self.people))), levels, exp(rng.gauss(0, 0.6)))

    def _person(self, strength: float) -> Person:
        gauss = self._rng.gauss
        return Person(
            skill=gauss(strength, 0.45),
            drift=gauss(0.0015, 0.003),
            patience=60 * exp(gauss(0, 0.5)),
            haste=0.6 * exp(gauss(0, 0.6)),
            keen=exp(gauss(-1.2, 0.8)),
        )

    def days(self, count: int) -> Iterator[Played]:
        """Yield the hands of so many days, in order."""
        for day in range(count):
            daily = self._rng.choice(hands()[WEEK[day % 7]])
            played = [*self._evenings(day), *self._alone(day, daily)]
            yield from sorted(played, key=lambda one: one.at)

    def _evenings(self, day: int) -> Iterator[Played]:
        for group in self._groups:
            for n in range(MOST_HANDS):
                if self._rng.random() > group.keen / (group.keen + 0.35):
                    break
                there = [who for who in group.members if self._rng.random() < 1.5 * self.people[who].keen]
                level = self._rng.choices(LEVELS, group.levels)[0]
                yield from self._hand(there, self._rng.choice(hands()[level]), day, n * HAND)

    def _alone(self, day: int, daily: Hand) -> Iterator[Played]:
        """Daily hands, and practice: every other person only ever practises what is easy."""
        rng = self._rng
        for who, person in enumerate(self.people):
            if rng.random() < 0.4 * person.keen:
                yield from self._hand([who], daily, day, DAY / 2)
            for n in range(rng.randint(1, 6) if rng.random() < 0.5 * person.keen else 0):
                level = rng.choice(LEVELS[:2] if who % 2 else LEVELS)
                yield from self._hand([who], rng.choice(hands()[level]), day, DAY / 2 + (n + 1) * HAND)

    def _hand(self, there: list[int], hand: Hand, day: int, at: float) -> Iterator[Played]:
        """A hand for those who are there; nothing where nobody tried."""
        ends = {who: self._patience(who) for who in there}
        times = {who: self._time(who, hand, day) for who in there}
        solved = {who: time for who, time in times.items() if time < ends[who]}
        winner = min(solved, key=solved.__getitem__, default=None)
        seconds = inf if winner is None else solved[winner]
        others = [who for who in there if who != winner]
        tried = tuple(who for who in others if self._errs(who, hand, min(seconds, ends[who])))
        if winner is not None or tried:
            yield Played(day * DAY + at, hand, winner, 0.0 if winner is None else seconds, tried)

    def _patience(self, who: int) -> float:
        return min(LIMIT, self.people[who].patience * exp(self._rng.gauss(0, 0.5)))

    def _time(self, who: int, hand: Hand, day: int) -> float:
        """Seconds until somebody sees it; infinite where they never do."""
        person, share = self.people[who], min(hand.solved, 0.995)
        skill = person.skill + person.drift * day + self._rng.gauss(0, 0.1)
        if self._rng.random() > 1 / (1 + exp(-log(share / (1 - share)) - 1.6 * skill)):
            return inf
        thinking = max(hand.seconds - QUICKEST, 0.3) * 0.75 * exp(-skill)
        return (QUICKEST * exp(-0.3 * skill) + thinking) * exp(self._rng.gauss(0, 0.65))

    def _errs(self, who: int, hand: Hand, until: float) -> bool:
        """Whether somebody has answered wrong by then."""
        return self._rng.random() < 1 - exp(-self.people[who].haste * until / (3 * hand.expected))
