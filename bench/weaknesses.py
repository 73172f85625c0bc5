"""The skills that a pupil lacks: how often they are named after a lesson, and how often in error.

Pupils play the hands of a lesson, with the times of real people (`human-times.csv`) and skills as a teacher
may mix them. A pupil needs a lognormal time for a hand and gives up after LIMIT seconds: so a slow pupil
solves half of the hands, a quick one nine in ten (a note has the shares of the three STRENGTHS). Everybody
sends wrong answers, most of no telling kind.

A weakness is planted in one of three ways: hands that need the skill are almost never solved, and few wrong
answers are sent (blind); they are solved, after wrong answers of the telling kind (errs); or half of both
(half). No hand needs the order of operations: there, each hand may have a wrong answer of that kind.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import exp
from statistics import fmean, quantiles

from bench.report import Row
from bench.simulated_players import load_hands
from bot.modes.classroom.diagnosis import Mistake, PlayedHand, find_weaknesses

PUPILS = 200  # For each weakness and way, and without one
STRENGTHS = (50, 70, 90)  # Percentage of the hands that a pupil solves without a weakness
LIMIT, SPREAD = 120.0, 0.65  # Seconds of a hand, and the standard deviation of the logarithm of times
CLASS_SIZE = 24
WRONG = 0.6  # Wrong answers a hand
OTHER = 1 - 3 * 0.08  # The part of them of no telling kind
TELLING = {"fraction": Mistake.FRACTION, "subtraction": Mistake.SIGN, "order": Mistake.ORDER}


@dataclass(frozen=True, slots=True)
class Way:
    blind: float  # Chance that a hand with the skill is not even seen
    errs: float  # Chance of telling mistakes in such a hand
    errs_in_order: float  # Chance of a telling mistake in any hand, for the order of operations


WAYS = {"blind": Way(0.95, 0.1, 0.0), "errs": Way(0.0, 0.8, 0.4), "half": Way(0.5, 0.4, 0.2)}

FRACTION, SUBTRACTION, DIVISION = {"fraction", "division"}, {"subtraction"}, {"division"}
SCARCE = "2 of both"
# The skills of 15 hands; other hands need none
LESSONS: dict[str, list[set[str]]] = {
    "4 subtractions": [SUBTRACTION] * 4,
    "4 fractions": [FRACTION] * 4,
    "4 of both": [SUBTRACTION] * 4 + [FRACTION] * 3 + [FRACTION | SUBTRACTION] + [DIVISION],
    SCARCE: [SUBTRACTION] * 2 + [FRACTION] * 2 + [DIVISION],
}
HANDS = 15


@dataclass(frozen=True, slots=True)
class Task:
    """A hand of a lesson."""

    skills: frozenset[str]
    seconds: float  # Of real people
    expected: float
    solved_share: float | None  # Of the class


@dataclass(frozen=True, slots=True)
class Pupil:
    slowness: float  # Times the seconds of real people
    weakness: str | None
    way: Way


@dataclass(frozen=True, slots=True)
class Outcome:
    strength: int
    weakness: str | None
    named: tuple[str, ...]


def is_found(outcome: Outcome) -> bool:
    return outcome.weakness in outcome.named


def has_wrong_name(outcome: Outcome) -> bool:
    return any(skill != outcome.weakness for skill in outcome.named)


def measure_rows() -> Iterator[Row]:
    for lesson in LESSONS:
        yield from _measure_lesson(lesson, knows_class=True)
    yield from _measure_lesson("4 of both", knows_class=False)


def _measure_lesson(lesson: str, *, knows_class: bool) -> Iterator[Row]:
    usual = simulate(lesson, None, "errs", knows_class=knows_class)
    title = lesson if knows_class else f"{lesson}, class unknown"
    note = f"{PUPILS} pupils; {_format_by_strength(usual, has_wrong_name)}"
    yield Row(f"{title}: named without a weakness", _format(usual, has_wrong_name), "10%", "", note)
    for weakness, way in list_cases(lesson):
        outcomes = simulate(lesson, weakness, way, knows_class=knows_class)
        note = f"{_format_by_strength(outcomes, is_found)}; a wrong one: {_format(outcomes, has_wrong_name)}"
        bar = "" if way == "half" or lesson == SCARCE else "90%"  # So little evidence may be bad luck
        yield Row(f"… found: {weakness}, {way}", _format(outcomes, is_found), bar, "", note)


def list_cases(lesson: str) -> list[tuple[str, str]]:
    """Return the weaknesses that a lesson may show, each with its ways."""
    needed = {"order"}.union(*LESSONS[lesson])
    cases = [(weakness, way) for weakness in TELLING for way in WAYS if weakness in needed]
    return [case for case in cases if case != ("order", "blind")]


def _format(outcomes: Sequence[Outcome], trait: Callable[[Outcome], bool]) -> str:
    return f"{fmean(map(trait, outcomes)):.0%}"


def _format_by_strength(outcomes: Sequence[Outcome], trait: Callable[[Outcome], bool]) -> str:
    parts = [[outcome for outcome in outcomes if outcome.strength == strength] for strength in STRENGTHS]
    return " / ".join(_format(part, trait) for part in parts)


def simulate(
    lesson: str, weakness: str | None, way: str, *, knows_class: bool, pupils: int = PUPILS
) -> list[Outcome]:
    """Return what is named for so many pupils, each in a lesson of their own; the same at each call."""
    rng = random.Random(24)
    slowness = _calibrate(rng)
    outcomes = []
    for number in range(pupils):
        strength = STRENGTHS[number % len(STRENGTHS)]
        pupil = Pupil(slowness[strength], weakness, WAYS[way])
        tasks = _draw_tasks(rng, LESSONS[lesson], list(slowness.values()), knows_class=knows_class)
        outcomes.append(Outcome(strength, weakness, find_weaknesses([_play(rng, pupil, t) for t in tasks])))
    return outcomes


def _calibrate(rng: random.Random) -> dict[int, float]:
    """Return the slowness with which a pupil solves each percentage of the hands in time."""
    hands = [hand for level in load_hands().values() for hand in level]
    times = [rng.choice(hands).seconds * _draw_noise(rng) for _ in range(5000)]
    percentiles = quantiles(times, n=100)
    return {strength: LIMIT / percentiles[strength - 1] for strength in STRENGTHS}


def _draw_noise(rng: random.Random) -> float:
    return exp(rng.gauss(0, SPREAD))


def _draw_tasks(
    rng: random.Random, lesson: Sequence[set[str]], paces: Sequence[float], *, knows_class: bool
) -> list[Task]:
    """Draw the hands of a lesson, which a class of pupils without weaknesses has played."""
    hands = [hand for level in load_hands().values() for hand in level]
    tasks = []
    for skills in [*lesson, *[set[str]()] * (HANDS - len(lesson))]:
        hand = rng.choice(hands)
        times = [rng.choice(paces) * hand.seconds * _draw_noise(rng) for _ in range(CLASS_SIZE)]
        share = fmean(time < LIMIT for time in times) if knows_class else None
        tasks.append(Task(frozenset(skills), hand.seconds, hand.expected, share))
    return tasks


def _play(rng: random.Random, pupil: Pupil, task: Task) -> PlayedHand:
    """Return how the pupil plays a hand."""
    is_concerned = pupil.weakness in task.skills
    is_blind = is_concerned and rng.random() < pupil.way.blind
    seconds = pupil.slowness * task.seconds * _draw_noise(rng)
    solved = seconds < LIMIT and not is_blind
    mistakes = Counter(_draw_mistakes(rng, WRONG / 2 if is_blind else WRONG))
    if pupil.weakness is not None:
        chance = pupil.way.errs_in_order if pupil.weakness == "order" else pupil.way.errs * is_concerned
        if rng.random() < chance:
            mistakes[TELLING[pupil.weakness]] += rng.randint(1, 2)
    return PlayedHand(
        task.skills, solved, min(seconds, LIMIT), task.expected, mistakes, solved_share=task.solved_share
    )


def _draw_mistakes(rng: random.Random, mean: float) -> Iterator[Mistake]:
    """Yield wrong answers as everybody sends them; so many in the mean, and some hands have several."""
    kinds = (Mistake.VALUE, *TELLING.values())
    weights = (OTHER, *[(1 - OTHER) / len(TELLING)] * len(TELLING))
    while rng.random() < mean / (1 + mean):
        yield rng.choices(kinds, weights)[0]
