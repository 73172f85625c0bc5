"""The rules of practice, free of I/O: the next hand's skill and difficulty, and progress.

Two numbers decide about the next hand. The player's *strength* is the log odds to solve a hand, overall and
for each skill, corrected by each hand that was played. The player's *lead* is by how many more hands than
`AIM` of them the latest practised ones were solved. The further ahead the player is, the harder is the next
hand; behind, it is nearly sure.

The *schedule* of a skill begins when a hand that needs it was missed: not solved, or slowly (`SLOW_FACTOR`).
The skill is due after a day, when that goes well after 3 and 9 days, and then ever later; a miss begins anew.
The schedule is stored nowhere, but follows from the played hands.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import exp, inf, log, sqrt
from statistics import median

import fsrs

from bot.database import parse_object
from bot.levels import normalize_word
from bot.rounds.puzzle import (
    MAX_ARGUMENT_LENGTH,
    PracticeWish,
    Skill,
    Strength,
    UnknownWordError,
    compute_log_odds,
)
from bot.rounds.rules import SLOW_FACTOR

MIN_PACE = 0.05  # Quicker times are no time of thinking
MIN_SUCCESS, MAX_SUCCESS = 0.2, 1.5  # Of a solved hand
SLOWNESS_COST, HINT_COST = 0.7, 0.2  # For each logarithm of the pace, and each hint
AIM = 0.75  # Share of the practised hands that a player should solve
LEAD_HANDS = 14  # Latest practised hands that make up the lead
EVEN_CHANCE = 1.0  # To solve the next hand without a lead
CHANCE_PER_HAND = 1.2  # How much a hand of lead lowers that chance …
MIN_CHANCE, MAX_CHANCE = 0.2, 0.985  # … within these bounds
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
    is_chosen: bool  # Whether the player named the skill; else each hand has another weak one
    reports_all_skills: bool  # Whether the hand's message reports gains in all skills

    @classmethod
    def parse(cls, packed: str) -> "PracticeOptions":
        """Return stored options. Raises LookupError if one is missing."""
        stored = parse_object(packed)
        return cls(stored["skill"], stored["chosen"], stored["asked"])

    def __str__(self) -> str:
        chosen, asked = self.is_chosen, self.reports_all_skills
        return json.dumps({"skill": self.skill, "chosen": chosen, "asked": asked})


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """A hand that the player practised, or played in another kind of round."""

    skills: Collection[str]  # Skills that the hand needs
    seconds: float | None  # None if it was not solved
    expected: float  # Seconds that practised players need
    hints: int = 0
    round_id: int = 0  # 0 for a hand of the day
    asked: str = ""  # The skill for which it was dealt; empty outside practice
    at: float = 0.0  # When it ended
    numbers: tuple[int, ...] = ()  # Sorted
    is_measured: bool = False  # Whether the expected time was measured

    @property
    def pace(self) -> float:
        """The time taken over the expected time; infinite if it was not solved."""
        return inf if self.seconds is None else self.seconds / max(self.expected, 1.0)

    @property
    def is_missed(self) -> bool:
        return self.pace > SLOW_FACTOR

    @property
    def success(self) -> float:
        """The success with the hand: 0 unsolved, 1 solved in the expected time, more if quicker."""
        if self.seconds is None:
            return 0.0
        slowness = log(max(self.pace, MIN_PACE))
        return min(MAX_SUCCESS, max(MIN_SUCCESS, 1.0 - SLOWNESS_COST * slowness - HINT_COST * self.hints))


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
    is_skill_named: bool
    gains: Sequence[SkillGain] = ()
    gives_advice: bool = False
    entry: str = ""  # The player's latest entry, if a nearer one is possible


FIRST_STRENGTH = -0.5  # Newcomers are weaker than the people whose times are known
FIRST_VARIANCES = (1.0, 0.8)  # How uncertain the strength is before the first hand, overall and in a skill
DRIFT = 0.005  # How much more uncertain it becomes with each hand, since people change
OVERALL = ""  # The key of the overall strength beside those of skills


def estimate_strength(played: Sequence[PlayedHand]) -> tuple[Strength, dict[str, float]]:
    """Estimate a player's strength from the played hands, the latest first, and its variances.

    Each hand corrects what it needs by how surprising it went, the more the less is known (a Kalman filter
    that leaves out how the errors depend on each other).
    """
    means, variances = {OVERALL: FIRST_STRENGTH}, {OVERALL: FIRST_VARIANCES[0]}
    for hand in reversed(played):
        parts = [OVERALL, *hand.skills]
        chance = _compute_chance(Strength(0.0, means).estimate_log_odds(hand.expected, parts))
        information = chance * (1 - chance)
        uncertainty = sum(variances.setdefault(part, FIRST_VARIANCES[1]) for part in parts)
        for part in parts:
            gain = variances[part] / (1 + information * uncertainty)
            means[part] = means.get(part, 0.0) + gain * (hand.success - chance)
            variances[part] += DRIFT - variances[part] * gain * information
    overall = means.pop(OVERALL)
    return Strength(overall, means), variances


def _compute_chance(log_odds: float) -> float:
    return 1 / (1 + exp(-log_odds))


def compute_lead(played: Sequence[PlayedHand]) -> float:
    """Return how many more of the latest practised hands were solved than `AIM` of them."""
    latest = [hand for hand in played if hand.asked][:LEAD_HANDS]
    return sum((hand.seconds is not None) - AIM for hand in latest)


def choose_chance(lead: float) -> float:
    """Choose the chance that the player should have to solve the next hand."""
    return min(MAX_CHANCE, max(MIN_CHANCE, EVEN_CHANCE - CHANCE_PER_HAND * lead))


_DAY = timedelta(days=1)
SCHEDULER = fsrs.Scheduler(learning_steps=(_DAY, 3 * _DAY, 9 * _DAY), enable_fuzzing=False)


def find_due_times(played: Sequence[PlayedHand]) -> dict[str, float]:
    """Return when each skill that was missed is due, from the played hands, the latest first.

    Hands that go well before a skill is due change nothing.
    """
    cards = dict[str, fsrs.Card]()
    for hand in reversed(played):
        at = datetime.fromtimestamp(hand.at, UTC)
        for skill in hand.skills:
            card = cards.get(skill)
            if hand.is_missed:
                cards[skill], _log = SCHEDULER.review_card(fsrs.Card(card_id=0), fsrs.Rating.Again, at)
            elif card and card.due <= at:
                cards[skill], _log = SCHEDULER.review_card(card, fsrs.Rating.Good, at)
    return {skill: card.due.timestamp() for skill, card in cards.items()}


SHORTFALL_COST = 4.0  # Log odds for which a skill has to be weaker, if no hand for it is as sure as wished
REST_BONUS = 0.03  # Log odds by which a skill counts as weaker for each hand that was not dealt for it
DUE_BONUS = 3.0  # Log odds by which a skill that is due counts as weaker


def plan_hand(
    played: Sequence[PlayedHand], skills: Mapping[str, Skill], latest_skills: Collection[str], now: float
) -> PracticeWish:
    """Choose the next hand from the played hands, the latest first; it needs none of the latest skills.

    The weakest skill is chosen, if its easiest hands are as sure as wished. A skill counts as weak as it may
    be (a standard deviation below the estimate), so unknown skills are tried first. If the weakest can't be
    chosen now, the hand does not need it either, so that it can be next.
    """
    strength, variances = estimate_strength(played)
    wished = choose_chance(compute_lead(played))
    due_times = find_due_times(played)
    asked = [hand.asked for hand in played if hand.asked]
    weakness, cost = dict[str, float](), dict[str, float]()
    for skill, traits in skills.items():
        mean = strength.by_skill.get(skill, 0.0)
        doubt = sqrt(variances.get(skill, FIRST_VARIANCES[1]))
        easiest = _compute_chance(strength.overall + mean + compute_log_odds(traits.highest_share))
        weakness[skill] = doubt - mean + DUE_BONUS * (due_times.get(skill, inf) <= now)
        rest = (*asked, skill).index(skill)
        cost[skill] = SHORTFALL_COST * max(0.0, wished - easiest) - weakness[skill] - REST_BONUS * rest
    needed = {skill: {skill, *traits.implied} for skill, traits in skills.items()}
    weakest = max(skills, key=weakness.__getitem__)
    candidates = [skill for skill in skills if needed[skill].isdisjoint(latest_skills)]
    others = [skill for skill in candidates if skill == weakest or weakest not in needed[skill]]
    chosen = min(others or candidates, key=cost.__getitem__)
    avoided = {*latest_skills, *needed[weakest]} - needed[chosen]
    return wish_for_hand(played, chosen, frozenset(avoided))


def wish_for_hand(
    played: Sequence[PlayedHand], skill: str, avoided: frozenset[str] = frozenset()
) -> PracticeWish:
    """Return the wish for a hand of the skill, with other numbers than the hands that were played last."""
    strength, _variances = estimate_strength(played)
    excluded = frozenset(hand.numbers for hand in played[:COMPARED_HANDS])
    return PracticeWish(skill, choose_chance(compute_lead(played)), strength, avoided, excluded)


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
