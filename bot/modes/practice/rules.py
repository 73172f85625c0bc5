"""What is hard for a person by their own record, what they practise next, and whether it got better.

Each hand that somebody played has a *cost*: the logarithm of their seconds against what people usually
need, and more for wrong answers and hints; one that they tried and did not solve costs `LOST`. The cost
counts for each skill that the hand needs. How weak somebody is in a skill is the mean of these, the latest
counting most, together with `PRIOR` hands at their own mean over everything: so one hand decides nothing, and
who is slow in all is weak in nothing.

The weakest skill is practised; every `SECOND`th hand the second weakest. The level goes down after `FAILURES`
hands in a row that were not solved, and up after `QUICK` that were quick. Nothing here reads a clock.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import log
from statistics import median

from bot.rounds.puzzle import LEVELS, MAX_ARGUMENT_LENGTH, Level, UnknownWordError, normalize_word

PRIOR = 4.0  # Hands that stand beside those of each skill
FADE = 0.95  # What each hand counts less than the next one
LOST = 1.5  # The cost of a hand that was tried and not solved, and of the slowest that was
QUICKEST = -1.0
# The cost of a wrong answer and of a hint, and how many wrong ones count.
WRONG, HINT, MOST_WRONG = 0.15, 0.3, 4
SECOND = 4
FAILURES, QUICK = 2, 3
FIRST_LEVEL: Level = "medium"
HALF = 5  # Hands in each half of what is compared, and after how many in a skill something is said of it
# Of the HALF × HALF pairs of an earlier and a later hand, those in which the later was quicker: with no
# change at all there are so many once in thirteen times.
PAIRS = 20
MIN_PREFIX = 3  # Letters of a skill's name that are enough


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """A hand that somebody played."""

    skills: Collection[str]
    seconds: float | None  # None: it was not solved
    expected: float  # Seconds that people usually need
    wrong: int = 0
    hints: int = 0

    @property
    def cost(self) -> float:
        """How hard it was for them; 0: as for others."""
        tries = WRONG * min(self.wrong, MOST_WRONG) + HINT * self.hints
        if self.seconds is None:
            return LOST + tries
        return min(LOST, max(QUICKEST, log(max(self.seconds, 1.0) / max(self.expected, 1.0)))) + tries


@dataclass(frozen=True, slots=True)
class PractisedHand:
    """A hand that somebody practised."""

    round_id: int
    skill: str
    level: Level  # That was asked for
    seconds: float | None
    expected: float
    wrong: int = 0
    hints: int = 0

    @property
    def is_quick(self) -> bool:
        """Whether it went as it does for practised people, without help."""
        return self.seconds is not None and self.seconds <= self.expected and not self.hints

    @property
    def pace(self) -> float:
        """How many times longer than usual it took; endless where it was not solved."""
        return float("inf") if self.seconds is None else self.seconds / max(self.expected, 1.0)


@dataclass(frozen=True, slots=True)
class SkillTrend:
    """The latest ten hands in a skill: the first five of them against the last five."""

    skill: str
    solved_counts: tuple[int, int]  # How many of each five were solved
    # How long the one in the middle of those took; None where too few were solved.
    median_seconds: tuple[float, float] | None
    is_better: bool  # Whether it really got better

    @property
    def is_quicker(self) -> bool:
        """Whether that shows in the seconds."""
        return (
            self.is_better
            and self.median_seconds is not None
            and round(self.median_seconds[1]) < round(self.median_seconds[0])
        )

    @property
    def has_visible_gain(self) -> bool:
        """Whether there is a number that shows it."""
        return self.is_quicker or (self.is_better and self.solved_counts[1] > self.solved_counts[0])


@dataclass(frozen=True, slots=True)
class PracticeReport:
    """What the message of a hand that is practised tells of the person."""

    skill: str
    trends: Sequence[SkillTrend] = ()  # What got better
    gives_advice: bool = False  # Whether it is time to say what to try
    entry: str = ""  # What they handed in last, where nearer is possible


def compute_weaknesses(played: Sequence[PlayedHand], skills: Sequence[str]) -> dict[str, float]:
    """How weak somebody is in each skill, by what they played, the latest first."""
    everything = [hand.cost for hand in played]
    overall = _mean(everything, 0.0)
    return {skill: _mean([hand.cost for hand in played if skill in hand.skills], overall) for skill in skills}


def _mean(costs: Sequence[float], prior: float) -> float:
    weights = [FADE**age for age in range(len(costs))]
    return (PRIOR * prior + sum(w * c for w, c in zip(weights, costs, strict=True))) / (PRIOR + sum(weights))


def choose_skill(weak: Mapping[str, float], turn: int) -> str:
    """The skill of the hand of that number, from 0. Of skills as weak as each other, each has its turn."""
    skills = list(weak)
    turned = skills[turn % len(skills) :] + skills[: turn % len(skills)]
    ordered = sorted(turned, key=lambda skill: -weak[skill])
    return ordered[min(len(ordered) - 1, int(turn % SECOND == SECOND - 1))]


def choose_level(practised: Sequence[PractisedHand]) -> Level:
    """The level of the next hand of a skill, by those before it in that skill, the earliest first."""
    if not practised:
        return FIRST_LEVEL
    level = practised[-1].level
    here = list(takewhile(lambda hand: hand.level == level, reversed(practised)))
    place = LEVELS.index(level)
    if len(here) >= FAILURES and all(hand.seconds is None for hand in here[:FAILURES]):
        place -= 1
    elif len(here) >= QUICK and all(hand.is_quick for hand in here[:QUICK]):
        place += 1
    return LEVELS[min(len(LEVELS) - 1, max(0, place))]


def compute_trend(practised: Sequence[PractisedHand]) -> SkillTrend | None:
    """How the last ten hands of a skill went, the earliest first; None where there are not so many.

    It got better where the later hand was quicker, against what is usual for it, in nearly all pairs of an
    earlier and a later one: easier hands alone make nothing better.
    """
    if len(practised) < 2 * HALF:
        return None
    before, after = practised[-2 * HALF : -HALF], practised[-HALF:]
    pairs = sum(late.pace < early.pace for early in before for late in after)
    times = [[hand.seconds for hand in half if hand.seconds is not None] for half in (before, after)]
    enough = all(len(half) > HALF // 2 for half in times)
    return SkillTrend(
        practised[-1].skill,
        (len(times[0]), len(times[1])),
        (median(times[0]), median(times[1])) if enough else None,
        is_better=pairs >= PAIRS,
    )


def is_report_due(practised: Sequence[PractisedHand]) -> bool:
    """Whether it is time to say something of a skill, after so many hands in it."""
    return bool(practised) and len(practised) % HALF == 0


def parse_skill(text: str, names: Mapping[str, str]) -> str | None:
    """The skill that stands behind the command; None for none. Raises UnknownWordError.

    `names` has the skill of each name, `folded`; the beginning of one will do.
    """
    asked = " ".join(normalize_word(text[: MAX_ARGUMENT_LENGTH + 1]).split())
    if not asked:
        return None
    found = set(_meant(asked, names))
    if len(found) != 1:
        raise UnknownWordError(text if len(text) <= MAX_ARGUMENT_LENGTH else text[:20] + "…")
    return found.pop()


def _meant(asked: str, names: Mapping[str, str]) -> Iterator[str]:
    if asked in names:
        yield names[asked]
    elif len(asked) >= MIN_PREFIX:
        yield from (skill for name, skill in names.items() if name.startswith(asked))
