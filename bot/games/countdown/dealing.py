"""Tasks of the solver's workers: deal draws and find the best answers."""

from collections.abc import Sequence
from hashlib import sha256

import solver
from bot.games.countdown.rules import EXPECTED_SECONDS, TARGETS, Draw, rate_level
from bot.rounds.puzzle import Level
from bot.workers.pool import SolverPool


def deal_draw(seed: int, large: int | None) -> Draw:
    """Return the draw of a seed, with its best answer."""
    text, recipe = solver.spelled(seed), solver.Recipe("countdown", large=large)
    drawn = solver.draw(solver.Stream(text), large)
    best = solver.nearest(drawn.numbers, drawn.target)
    level = rate_level(best.expression, best.distance)
    return Draw(
        tiles=drawn.numbers,
        target=drawn.target,
        best=str(best.expression),
        best_value=best.value,
        reachable_count=len(solver.reachable(drawn.numbers, max(TARGETS)).intersection(TARGETS)),
        level=level,
        expected=EXPECTED_SECONDS[level],
        proof=f"{text} {recipe}",
    )


CANDIDATES = 30  # Draws among which one of a level is looked for


def deal_draw_of_level(level: Level, seed: int, but: tuple[tuple[int, ...], ...]) -> Draw:
    """Return one of the next draws of a seed without the tiles in `but`, of that level if there is one.

    Each draw has a seed of its own, so that its own recipe proves it.
    """
    seeds = [int.from_bytes(sha256(f"{seed} {n}".encode()).digest()[:16], "big") for n in range(CANDIDATES)]
    drawn = [(one, solver.draw(solver.Stream(solver.spelled(one)))) for one in seeds]
    other = [(one, puzzle) for one, puzzle in drawn if tuple(sorted(puzzle.numbers)) not in but]
    return deal_draw(next((one for one, puzzle in other if _has_level(puzzle, level)), other[0][0]), None)


def _has_level(puzzle: solver.Puzzle, level: Level) -> bool:
    best = solver.nearest(puzzle.numbers, puzzle.target)
    return rate_level(best.expression, best.distance) == level


MAX_SEARCH_SECONDS = 2.0  # People wait for the reply


async def find_best(pool: SolverPool, tiles: Sequence[int], target: int) -> str:
    """Return an expression whose value is as near to the target as any. Raises SolvingError."""
    return await pool.run_task(
        find_nearest, tuple(tiles), target, deadline=min(pool.deadline, MAX_SEARCH_SECONDS), is_long=True
    )


def find_nearest(tiles: tuple[int, ...], target: int) -> str:
    return str(solver.nearest(tiles, target).expression)
