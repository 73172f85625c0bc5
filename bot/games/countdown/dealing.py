"""What the workers are asked: a draw, with the best that can be made of it."""

from collections.abc import Collection, Sequence
from hashlib import sha256

import solver
from bot.games.countdown.rules import EXPECTED_SECONDS, TARGETS, Draw, rate_level
from bot.rounds.puzzle import Level
from bot.workers.pool import SolverPool

TRIED = 30  # Draws that are looked at to find one of a level
AT_ONCE = 2.0  # Seconds after which a search is stopped: people wait for the reply


def deal_draw(seed: int, large: int | None) -> Draw:
    """The tiles and the target of a seed."""
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


async def deal_practice_draw(
    pool: SolverPool, level: Level, seed: int, but: Collection[tuple[int, ...]]
) -> Draw:
    """A draw of a level, with none of the tiles in `but`. Raises SolvingError."""
    return await pool.run_task(deal_draw_of_level, level, seed, tuple(but))


def deal_draw_of_level(level: Level, seed: int, but: tuple[tuple[int, ...], ...]) -> Draw:
    """One of the next draws behind a seed, of that level if there is one: its own recipe proves it."""
    seeds = [int.from_bytes(sha256(f"{seed} {n}".encode()).digest()[:16], "big") for n in range(TRIED)]
    drawn = [(one, solver.draw(solver.Stream(solver.spelled(one)))) for one in seeds]
    other = [(one, puzzle) for one, puzzle in drawn if tuple(sorted(puzzle.numbers)) not in but]
    return deal_draw(next((one for one, puzzle in other if _is_of(puzzle, level)), other[0][0]), None)


def _is_of(puzzle: solver.Puzzle, level: Level) -> bool:
    best = solver.nearest(puzzle.numbers, puzzle.target)
    return rate_level(best.expression, best.distance) == level


async def find_best(pool: SolverPool, tiles: Sequence[int], target: int) -> str:
    """What comes as near to a target as any. Raises SolvingError when that isn't found while people wait."""
    return await pool.run_task(
        find_nearest, tuple(tiles), target, deadline=min(pool.deadline, AT_ONCE), is_long=True
    )


def find_nearest(tiles: tuple[int, ...], target: int) -> str:
    """The same, at once."""
    return str(solver.nearest(tiles, target).expression)
