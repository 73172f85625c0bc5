"""The rules of practice, free of I/O: a player's weak skills, the next hand's level, and progress.

Each played hand has a *cost*: the logarithm of the player's time over the expected time, plus penalties for
wrong answers and hints; a hand that was tried and not solved costs `UNSOLVED_COST`. The weakness in a skill
is the weighted mean cost of the hands that need it, later hands counting more, together with `PRIOR_HANDS`
hands at the player's overall mean. So one hand decides nothing, and a player who is slow at everything is
weak in nothing.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import inf, log
from statistics import median

from bot.database import parse_object
from bot.levels import LEVELS, Level, normalize_word
from bot.rounds.puzzle import MAX_ARGUMENT_LENGTH, UnknownWordError

PRIOR_HANDS = 4.0  # Hands at the overall mean that are added to those of each skill
FADE = 0.95  # The weight of a hand relative to the next later one
UNSOLVED_COST = 1.5  # The cost of an unsolved hand, and the highest cost of a solved one
MIN_COST = -1.0
WRONG_COST, HINT_COST = 0.15, 0.3  # Added for each wrong answer and each hint
MAX_WRONG = 4  # Wrong answers of a hand that count
SECOND_WEAKEST_EVERY = 4  # Hands after which the second weakest skill is practised once
FAILURES_TO_LOWER, QUICK_TO_RAISE = 2, 3  # Hands in a row after which the level changes
FIRST_LEVEL: Level = "medium"
HALF_LENGTH = 5  # Hands in each of the two halves that are compared, and between two reports on a skill
COMPARED_HANDS = 2 * HALF_LENGTH
# Of the 25 pairs of an earlier and a later hand, how many have to be quicker later for a real gain. Without
# any change so many are quicker once in thirteen times.
MIN_QUICKER_PAIRS = 20
MIN_PREFIX = 3  # Letters of a skill's name that identify it
MAX_QUOTED = 20  # Characters that are quoted of a text too long for a skill's name


@dataclass(frozen=True, slots=True)
class PracticeOptions:
    """The options of a practice hand, stored with its round."""

    skill: str
    level: Level
    is_chosen: bool  # Whether the player named the skill; else each hand has another weak one
    reports_all_skills: bool  # Whether the hand's message reports gains in all skills

    @classmethod
    def parse(cls, packed: str) -> "PracticeOptions":
        """Return stored options. Raises LookupError if one is missing."""
        stored = parse_object(packed)
        return cls(stored["skill"], stored["level"], stored["chosen"], stored["asked"])

    def __str__(self) -> str:
        chosen, asked = self.is_chosen, self.reports_all_skills
        return json.dumps({"skill": self.skill, "level": self.level, "chosen": chosen, "asked": asked})


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """A hand that the player practised, or played in another kind of round."""

    skills: Collection[str]  # Skills that the hand needs; of a practised hand its one skill
    seconds: float | None  # None if it was not solved
    expected: float  # Seconds that practised players need
    wrong: int = 0  # Wrong answers
    hints: int = 0
    round_id: int = 0
    level: Level = FIRST_LEVEL  # The requested level, of a practised hand

    @property
    def cost(self) -> float:
        """The difficulty of the hand for the player; 0 is average. Times below a second count as one."""
        penalty = WRONG_COST * min(self.wrong, MAX_WRONG) + HINT_COST * self.hints
        if self.seconds is None:
            return UNSOLVED_COST + penalty
        slowness = log(max(self.seconds, 1.0) / max(self.expected, 1.0))
        time_cost = min(UNSOLVED_COST, max(MIN_COST, slowness))
        return time_cost + penalty

    @property
    def pace(self) -> float:
        """The time taken over the expected time; infinite if it was not solved."""
        return inf if self.seconds is None else self.seconds / max(self.expected, 1.0)


@dataclass(frozen=True, slots=True)
class SkillGain:
    """The progress in a skill from the first five to the last five of the latest ten hands."""

    skill: str
    solved_counts: tuple[int, int]  # Hands solved in each half
    median_seconds: tuple[float, float] | None  # Of the solved hands; None if they did not get quicker


@dataclass(frozen=True, slots=True)
class PracticeReport:
    """The parts of a practice message that depend on the player's record."""

    skill: str  # The skill of the round
    gains: Sequence[SkillGain] = ()
    gives_advice: bool = False
    entry: str = ""  # The player's latest entry, if a nearer one is possible


def compute_weaknesses(played: Sequence[PlayedHand], skills: Sequence[str]) -> dict[str, float]:
    """Compute the player's weakness in each skill from the played hands, the latest first."""
    overall = _compute_fading_mean([hand.cost for hand in played], prior=0.0)
    return {
        skill: _compute_fading_mean([hand.cost for hand in played if skill in hand.skills], prior=overall)
        for skill in skills
    }


def _compute_fading_mean(costs: Sequence[float], prior: float) -> float:
    """Return the weighted mean of costs, the latest first, and `PRIOR_HANDS` hands of cost `prior`."""
    weights = [FADE**age for age in range(len(costs))]
    total = sum(weight * cost for weight, cost in zip(weights, costs, strict=True))
    return (PRIOR_HANDS * prior + total) / (PRIOR_HANDS + sum(weights))


def choose_skill(weaknesses: Mapping[str, float], turn: int) -> str:
    """Choose the weakest skill, or at every fourth turn the second weakest; equal ones take turns."""
    skills = list(weaknesses)
    first = turn % len(skills)
    rotated = skills[first:] + skills[:first]
    # Sorting keeps the rotated order of equal skills
    weakest_first = sorted(rotated, key=lambda skill: weaknesses[skill], reverse=True)
    is_second_due = (turn + 1) % SECOND_WEAKEST_EVERY == 0
    if is_second_due and len(weakest_first) > 1:
        return weakest_first[1]
    return weakest_first[0]


def choose_level(practised: Sequence[PlayedHand]) -> Level:
    """Choose the level of the next hand in a skill from the earlier hands in that skill.

    It is lowered after two unsolved hands in a row at the present level, and raised after three quick ones.
    """
    if not practised:
        return FIRST_LEVEL
    level = practised[-1].level
    latest = list(takewhile(lambda hand: hand.level == level, reversed(practised)))
    index = LEVELS.index(level)
    latest_two = latest[:FAILURES_TO_LOWER]
    latest_three = latest[:QUICK_TO_RAISE]
    # No seconds: the hand was not solved. A pace up to 1: it took no longer than usual
    if len(latest_two) == FAILURES_TO_LOWER and all(hand.seconds is None for hand in latest_two):
        index = max(0, index - 1)
    elif len(latest_three) == QUICK_TO_RAISE and all(h.pace <= 1.0 and not h.hints for h in latest_three):
        index = min(len(LEVELS) - 1, index + 1)
    return LEVELS[index]


def find_gain(skill: str, practised: Sequence[PlayedHand]) -> SkillGain | None:
    """Compare the last five hands in a skill with the five before; None if they are not visibly better.

    `MIN_QUICKER_PAIRS` of their pairs must have a better pace, so that easier hands are no gain, and either
    the median time is lower or more hands were solved.
    """
    before = practised[-COMPARED_HANDS:-HALF_LENGTH]
    after = practised[-HALF_LENGTH:]
    quicker_pairs = [(early, late) for early in before for late in after if late.pace < early.pace]
    if len(quicker_pairs) < MIN_QUICKER_PAIRS:  # as always with fewer than ten hands
        return None
    times_before = [hand.seconds for hand in before if hand.seconds is not None]
    times_after = [hand.seconds for hand in after if hand.seconds is not None]
    solved_counts = (len(times_before), len(times_after))
    median_seconds = None
    if min(solved_counts) > HALF_LENGTH // 2:  # else the unsolved hands are the majority of a half
        median_before, median_after = median(times_before), median(times_after)
        if round(median_after) < round(median_before):  # in the whole seconds that are shown
            median_seconds = (median_before, median_after)
    if median_seconds is None and len(times_after) <= len(times_before):
        return None
    return SkillGain(skill, solved_counts, median_seconds)


def parse_skill(text: str, skills_by_name: Mapping[str, str]) -> str | None:
    """Parse a skill's name, or a unique prefix of it; None for an empty text. Raises UnknownWordError.

    `skills_by_name` has names as `normalize_word` returns them.
    """
    # A longer text is no name; cut off, it costs little time and is still too long
    name = " ".join(normalize_word(text[: MAX_ARGUMENT_LENGTH + 1]).split())
    if not name:
        return None
    if name in skills_by_name:
        return skills_by_name[name]
    skills = {skill for known, skill in skills_by_name.items() if known.startswith(name)}
    if len(skills) != 1 or len(name) < MIN_PREFIX:
        raise UnknownWordError(text if len(text) <= MAX_ARGUMENT_LENGTH else f"{text[:MAX_QUOTED]}…")
    return skills.pop()
