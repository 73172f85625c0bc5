"""Hands of 24, dealt and solved by the workers."""

import math
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import solver
from bot.games.twentyfour import skills
from bot.games.twentyfour.rules import MAX_IDEAS, MEASURED_CARDS, MEASURED_TARGET, Hand, pack_hints
from bot.rounds.puzzle import LEVELS, Level
from bot.workers.pool import SolverPool, TooSlowError

# Hands that are always found within a tenth of a second: so many cards, up to such ranks, with this target.
# Others may be rare, or not exist.
QUICK_CARD_COUNTS, QUICK_HIGHEST, QUICK_TARGET = range(3, 6), range(9, 21), 24
AT_ONCE = 0.9  # Seconds after which a search that has found nothing is stopped: people wait for the reply
MAX_LISTING_SECONDS = 0.6  # Seconds after which a long list is cut, so that the reply comes within one
DEAL_QUEUED = 1.0  # Seconds for which a deal that may take long waits for a worker: its chat waits for it
SUITS = 4  # Cards of each rank in a pack
# Targets that are practised beside the usual one.
PRACTISED = {skills.TARGET: (18, 20, 30, 36, 40, 48), skills.LARGE: (60, 64, 72, 81, 90, 100)}
MIN_IDEAS = 3  # Ideas that a hand should have where all are to be found …
DRAWS = 6  # … and how many more hands are drawn to get one
SEARCH = 0.8  # Seconds of a worker's time after which no more hands are drawn …
DEALT = 1.0  # … and seconds after which the deal is stopped, however busy the machine is


class TooManyIdeasError(ValueError):
    """Every hand of the kind asked for has more ideas than a list holds."""


@dataclass(frozen=True, slots=True)
class Solutions:
    """Ideas for a hand, easiest first."""

    ideas: tuple[str, ...]
    complete: bool  # False when time or room ran out before all were found


def is_found_quickly(cards: int, highest: int, target: int) -> bool:
    """Whether a hand of the kind is found at once, of whatever level."""
    return cards in QUICK_CARD_COUNTS and highest in QUICK_HIGHEST and target == QUICK_TARGET


async def deal_hand(
    pool: SolverPool, seed: int, cards: int, highest: int, target: int, level: Level | None
) -> Hand:
    """A new hand that can be solved. Raises ValueError when there is none of the kind asked for.

    What may be rare is a long task, unless it is urgent.
    """
    kind = cards, highest, target, level
    if is_found_quickly(cards, highest, target):
        return await pool.run_task(draw_hand, seed, *kind)
    return await _draw(pool, draw_hand, seed, kind, long=not pool.is_urgent)


async def deal_hand_with_all_ideas(
    pool: SolverPool, seed: int, cards: int, highest: int, target: int, level: Level | None
) -> Hand:
    """As `deal`, a hand whose ideas are all listed. Raises TooManyIdeasError when none turns up.

    Of more cards than the usual ones, that is also why none turns up in time.
    """
    try:
        return await _draw(pool, draw_hand_with_all_ideas, seed, (cards, highest, target, level), long=True)
    except TooSlowError:
        if cards in QUICK_CARD_COUNTS:
            raise
        raise TooManyIdeasError from None


async def _draw(
    pool: SolverPool, task: Callable[..., Hand], seed: int, kind: tuple[Any, ...], *, long: bool
) -> Hand:
    """A hand of a kind that may be rare; for a while nobody looks again for one that wasn't found."""
    known = (task.__name__, *kind)
    pool.negative_cache.raise_if_cached(known, time.monotonic())
    limit = min(DEALT, pool.deadline)
    try:
        patience = DEAL_QUEUED if long else None
        return await pool.run_task(
            task, seed, *kind, min(SEARCH, limit), deadline=limit, is_long=long, queue_timeout=patience
        )
    except ValueError as error:
        pool.negative_cache.add(known, error, time.monotonic())
        raise


async def deal_chosen_hand(pool: SolverPool, numbers: tuple[int, ...], target: int) -> Hand:
    """A hand that was chosen elsewhere. Raises ValueError where no pack holds it, or it has no solution."""
    if not is_in_one_pack(numbers):
        raise ValueError(f"a pack has {SUITS} cards of a rank: {numbers!r}")
    return await pool.run_task(build_hand, numbers, target)


def is_in_one_pack(numbers: tuple[int, ...]) -> bool:
    """Whether a pack has so many cards of each rank."""
    return max(map(numbers.count, numbers)) <= SUITS


async def find_solutions(pool: SolverPool, numbers: tuple[int, ...], target: int) -> Solutions:
    """What solves a hand, as far as it is found in the time that a reply may take."""
    limit = min(pool.deadline, AT_ONCE)
    try:
        return await pool.run_task(list_solutions, numbers, target, deadline=limit, is_long=True)
    except TooSlowError:
        return Solutions((), complete=False)


class _Draws(solver.Stream):
    """The numbers of a seed for so many seconds of this process's time; then it raises ValueError."""

    def __init__(self, seed: str, seconds: float) -> None:
        super().__init__(seed)
        self._until = time.process_time() + seconds

    def random(self) -> float:
        """As ever; the sequence is the seed's."""
        if time.process_time() > self._until:
            raise ValueError("no such hand was found in time")
        return super().random()


def draw_hand(
    seed: int, cards: int, highest: int, target: int, level: Level | None, time_limit: float = math.inf
) -> Hand:
    """A hand, unless none is found within `patience` seconds of this process's time: then ValueError."""
    recipe = solver.Recipe("24", cards, highest, target, level)
    puzzle = next(_draws(recipe, seed, time_limit))
    return _proved(puzzle, recipe, seed)


def draw_hand_with_all_ideas(
    seed: int, cards: int, highest: int, target: int, level: Level | None, time_limit: float = SEARCH
) -> Hand:
    """A hand whose ideas are all listed, and several if such a hand turns up within `patience` seconds.

    Raises TooManyIdeasError when each hand has too many, ValueError when there is none of the kind.
    """
    recipe = solver.Recipe("24", cards, highest, target, level)
    until, few, counted = time.process_time() + time_limit, None, 0
    with suppress(ValueError):  # until none turns up
        for counted, puzzle in enumerate(_draws(recipe, seed, max(time_limit, SEARCH)), 1):
            ideas = sum(1 for _ in solver.tricks(puzzle.numbers, target, limit=MAX_IDEAS))
            if MIN_IDEAS <= ideas < MAX_IDEAS:
                return _proved(puzzle, replace(recipe, nth=counted), seed)
            few = _proved(puzzle, replace(recipe, nth=counted), seed) if ideas < MIN_IDEAS else few
            if time.process_time() > until or (few and counted > DRAWS):
                break
    if few:
        return few
    raise TooManyIdeasError if counted else ValueError("no such hand")


def _draws(recipe: solver.Recipe, seed: int, patience: float) -> Iterator[solver.Puzzle]:
    """One hand of a seed after the other. Raises ValueError when none turns up."""
    rng = _Draws(solver.spelled(seed), patience)
    kind = {"cards": recipe.cards, "highest": recipe.highest, "target": recipe.target}
    while True:
        yield solver.deal(rng, **kind, level=recipe.level)


def _proved(puzzle: solver.Puzzle, recipe: solver.Recipe, seed: int) -> Hand:
    """The hand with what proves that it came by chance."""
    return replace(build_hand(puzzle.numbers, puzzle.target), proof=f"{solver.spelled(seed)} {recipe}")


def build_hand(numbers: tuple[int, ...], target: int) -> Hand:
    """All that a round needs to know of a puzzle. Raises ValueError for one without a solution."""
    rating = solver.rate(numbers, target)
    ideas = tuple(str(idea) for idea in solver.tricks(numbers, target, limit=MAX_IDEAS))
    return Hand(tuple(numbers), target, rating.level, rating.seconds, ideas, pack_hints(numbers, target))


def list_solutions(numbers: tuple[int, ...], target: int) -> Solutions:
    """The ideas for a hand, cut after `PATIENCE` seconds or `IDEAS_KEPT` if there is one more."""
    until = time.monotonic() + MAX_LISTING_SECONDS
    found: list[str] = []
    for idea in solver.tricks(numbers, target):
        if len(found) >= MAX_IDEAS or (found and time.monotonic() > until):
            return Solutions(tuple(found), complete=False)
        found.append(str(idea))
    return Solutions(tuple(found), complete=True)


async def deal_practice_hand(
    pool: SolverPool, skill: str, level: Level, seed: int, but: Collection[tuple[int, ...]]
) -> Hand:
    """A hand that needs the skill, without the numbers in `but`. Raises ValueError when none turns up."""
    limit = min(2 * DEALT, pool.deadline)
    task = (
        draw_hand_for_skill,
        seed,
        skill,
        skills.get_practice_level(skill, level),
        tuple(but),
        min(2 * SEARCH, limit),
    )
    return await pool.run_task(*task, deadline=limit, is_long=True, queue_timeout=DEAL_QUEUED)


def draw_hand_for_skill(
    seed: int, skill: str, level: Level | None, but: tuple[tuple[int, ...], ...], time_limit: float = SEARCH
) -> Hand:
    """A hand for a skill: of that level, or where none turns up in a quarter of the time the nearest one."""
    rng, until = _Draws(solver.spelled(seed), time_limit), time.process_time() + time_limit / 4
    best: tuple[int, Hand] | None = None
    with suppress(ValueError):  # until no more turn up in time
        while best is None or (best[0] and time.process_time() < until):
            found = _needing(rng, skill)
            if found is not None and tuple(sorted(found.numbers)) not in but:
                far = abs(LEVELS.index(level) - LEVELS.index(found.level)) if level else 0
                best = min(best or (far, found), (far, found), key=lambda one: one[0])
    if best is None:
        raise ValueError(f"no hand was found in time: {skill!r}")
    return best[1]


def _needing(rng: solver.Stream, skill: str) -> Hand | None:
    """The next hand that is drawn, if it belongs to the skill."""
    cards = MEASURED_CARDS + (skill == skills.MORE_CARDS)
    targets = PRACTISED.get(skill)
    target = targets[int(rng.random() * len(targets))] if targets else MEASURED_TARGET
    drawn = solver.deal(rng, cards=cards, highest=13, target=target)
    if skill in (skills.DIVISION, skills.FRACTION, skills.SUBTRACTION):
        ideas = tuple(str(idea) for idea in solver.tricks(drawn.numbers, target, limit=MAX_IDEAS))
        if skill not in skills.find_needed_skills(ideas):
            return None
    found = build_hand(drawn.numbers, target)
    return found if skill in skills.find_skills(found) else None
