"""Deal and solve hands of 24 with the solver's workers."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import solver
from bot.games.twentyfour import skills
from bot.games.twentyfour.rules import MAX_IDEAS, MEASURED_CARDS, MEASURED_TARGET, Hand, pack_hint
from bot.rounds.puzzle import PracticeWish
from bot.workers.pool import SolverPool, TooSlowError


class TooManyIdeasError(ValueError):
    """Every hand with these options has more ideas than a list holds."""


# Hands of so many cards with this target are found within a tenth of a second, fiendish ones of five in one
QUICK_CARD_COUNTS = range(3, 6)
QUICK_TARGET = 24


async def deal_hand(
    pool: SolverPool, seed: int, recipe: solver.Recipe, *, with_all_ideas: bool = False
) -> Hand:
    """Deal a hand that has a solution; `with_all_ideas`: a hand whose ideas are all listed.

    Raises ValueError if none is found, TooSlowError if the worker takes too long, and TooManyIdeasError if
    all hands that were drawn have too many ideas, or the search for one of many cards takes too long.
    """
    if with_all_ideas:
        try:
            return await draw_rare_hand(pool, draw_hand_with_all_ideas, (seed, recipe))
        except TooSlowError:
            if recipe.cards in QUICK_CARD_COUNTS:
                raise
            raise TooManyIdeasError from None  # Many cards mostly have too many ideas
    if recipe.cards in QUICK_CARD_COUNTS and recipe.target == QUICK_TARGET:
        return await pool.run_task(draw_hand, seed, recipe)
    return await draw_rare_hand(pool, draw_hand, (seed, recipe))


MAX_SEARCH_SECONDS = 0.8  # Of a worker's processor time
MAX_DEAL_SECONDS = 1.0  # Until the task is stopped, however busy the machine is
MAX_QUEUE_SECONDS = 1.0  # For which a long task waits for a worker, while its chat waits for the deal


async def draw_rare_hand(
    pool: SolverPool, task: Callable[..., Hand], arguments: tuple[Any, ...], patience: int = 1
) -> Hand:
    """Run a task that draws a hand, a time limit as its last argument; `patience` multiplies the limits."""
    deadline = min(patience * MAX_DEAL_SECONDS, pool.deadline)
    search_seconds = min(patience * MAX_SEARCH_SECONDS, deadline)
    return await pool.run_task(
        task, *arguments, search_seconds, deadline=deadline, is_long=True, queue_timeout=MAX_QUEUE_SECONDS
    )


@dataclass(frozen=True, slots=True)
class Solutions:
    ideas: tuple[str, ...]  # Easiest first
    complete: bool  # False if time or room ran out before all were found


MAX_SOLVING_SECONDS = 0.9  # People wait for the reply


async def find_solutions(pool: SolverPool, numbers: tuple[int, ...], target: int) -> Solutions:
    """Return the ideas found in the time that a reply may take; none if that is too short.

    Raises SolvingError if the pool can't run the search.
    """
    limit = min(pool.deadline, MAX_SOLVING_SECONDS)
    try:
        return await pool.run_task(list_solutions, numbers, target, deadline=limit, is_long=True)
    except TooSlowError:
        return Solutions((), complete=False)


# Tasks of the workers

MAX_LISTING_SECONDS = 0.6  # After which a long list is cut, so that the reply comes within a second


def list_solutions(numbers: tuple[int, ...], target: int) -> Solutions:
    """List up to `MAX_IDEAS` ideas for a hand. Stop after `MAX_LISTING_SECONDS` if there is one by then."""
    until = time.monotonic() + MAX_LISTING_SECONDS
    ideas: list[str] = []
    for idea in solver.tricks(numbers, target):
        is_too_late = bool(ideas) and time.monotonic() > until
        if is_too_late or len(ideas) >= MAX_IDEAS:
            return Solutions(tuple(ideas), complete=False)
        ideas.append(str(idea))
    return Solutions(tuple(ideas), complete=True)


def build_hand(numbers: tuple[int, ...], target: int) -> Hand:
    """Return a hand with level, hints and up to `MAX_IDEAS` ideas. Raises ValueError without a solution."""
    rating = solver.rate(numbers, target)
    ideas = tuple(str(idea) for idea in solver.tricks(numbers, target, limit=MAX_IDEAS))
    hints = tuple(pack_hint(hint) for hint in solver.hints(numbers, target))
    return Hand(tuple(numbers), target, rating.level, rating.seconds, ideas, hints)


class _TimedStream(solver.Stream):
    """Random numbers of a seed, up to a limit of this process's time; then `random` raises ValueError."""

    def __init__(self, seed: str, seconds: float) -> None:
        super().__init__(seed)
        self._until = time.process_time() + seconds

    def random(self) -> float:
        if time.process_time() > self._until:
            raise ValueError("no such hand was found in time")
        return super().random()


def draw_hand(seed: int, recipe: solver.Recipe, time_limit: float = math.inf) -> Hand:
    """Draw a hand. Raises ValueError if none is found within `time_limit` seconds of this process's time."""
    first_puzzle = next(_draw_puzzles(recipe, seed, time_limit))
    return _build_hand_of_recipe(first_puzzle, recipe)


MIN_IDEAS = 3  # Ideas that a hand should have if all are to be found …
MAX_FEW_DRAWS = 6  # … and draws after which one with fewer ideas will do


def draw_hand_with_all_ideas(
    seed: int, recipe: solver.Recipe, time_limit: float = MAX_SEARCH_SECONDS
) -> Hand:
    """Draw a hand whose ideas are all listed, and with at least `MIN_IDEAS` if one is found in time.

    Raises TooManyIdeasError if each hand has too many ideas, ValueError if there is no hand.
    """
    until = time.process_time() + time_limit
    hand: Hand | None = None  # The latest with all its ideas listed
    draw_count = 0
    # With a shorter limit, a first hand is still drawn
    puzzles = _draw_puzzles(recipe, seed, max(time_limit, MAX_SEARCH_SECONDS))
    with suppress(ValueError):  # No more hands are found
        for draw_count, puzzle in enumerate(puzzles, start=1):
            idea_count = len(list(solver.tricks(puzzle.numbers, puzzle.target, limit=MAX_IDEAS)))
            if idea_count < MAX_IDEAS:  # Else there may be more than are listed
                # The recipe says which of the seed's hands it is
                hand = _build_hand_of_recipe(puzzle, replace(recipe, nth=draw_count))
                if idea_count >= MIN_IDEAS:
                    break
            has_drawn_enough = hand is not None and draw_count > MAX_FEW_DRAWS
            if has_drawn_enough or time.process_time() > until:
                break
    if hand:
        return hand
    if draw_count > 0:
        raise TooManyIdeasError
    raise ValueError("no such hand")


def _draw_puzzles(recipe: solver.Recipe, seed: int, time_limit: float) -> Iterator[solver.Puzzle]:
    """Yield hands of a seed without end. Raises ValueError if none is found, or no more in time."""
    rng = _TimedStream(solver.spell_seed(seed), time_limit)
    while True:
        yield solver.deal_by_recipe(rng, recipe)


def _build_hand_of_recipe(puzzle: solver.Puzzle, recipe: solver.Recipe) -> Hand:
    return replace(build_hand(puzzle.numbers, puzzle.target), recipe=str(recipe))


# Targets of the skills that are about targets
PRACTICE_TARGETS = {skills.TARGET: (18, 20, 30, 36, 40, 48), skills.LARGE: (60, 64, 72, 81, 90, 100)}


NEAR_ENOUGH = 0.25  # Log odds from the wish: such a hand is dealt at once


def draw_practice_hand(seed: int, wish: PracticeWish, time_limit: float = MAX_SEARCH_SECONDS) -> Hand:
    """Draw a hand near the wish if one is found in a quarter of the time, else the nearest.

    Raises ValueError if none is found within `time_limit` seconds.
    """
    rng = _TimedStream(solver.spell_seed(seed), time_limit)
    until = time.process_time() + time_limit / 4
    best: Hand | None = None
    best_distance = math.inf
    with suppress(ValueError):  # No more hands are found in time
        while best is None or (best_distance > NEAR_ENOUGH and time.process_time() < until):
            hand = draw_candidate(rng, wish.skill)
            distance = wish.measure_distance(hand.expected, skills.find_skills(hand))
            if distance < best_distance and tuple(sorted(hand.numbers)) not in wish.excluded:
                best = hand
                best_distance = distance
    if best is None:
        raise ValueError(f"no hand was found in time: {wish.skill!r}")
    return best


def draw_candidate(rng: solver.Stream, skill: str) -> Hand:
    """Draw a hand with cards and a target for a skill, which it may not need. Raises ValueError if late."""
    cards = MEASURED_CARDS + 1 if skill == skills.MORE_CARDS else MEASURED_CARDS
    target = MEASURED_TARGET
    if skill in PRACTICE_TARGETS:
        targets = PRACTICE_TARGETS[skill]
        target = targets[int(rng.random() * len(targets))]
    puzzle = solver.deal(rng, cards=cards, highest=solver.CARDS["K"], target=target)
    return build_hand(puzzle.numbers, target)
