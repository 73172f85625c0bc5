"""What the workers are asked: a draw, with the best that can be made of it."""

from collections.abc import Collection, Sequence
from hashlib import sha256

import solver
from bot.games.countdown.rules import EXPECTED, TARGETS, Draw, level_of
from bot.rounds.puzzle import Level
from bot.workers.pool import Pool

TRIED = 30  # Draws that are looked at to find one of a level
AT_ONCE = 2.0  # Seconds after which a search is stopped: people wait for the reply


def draw(seed: int, large: int | None) -> Draw:
    """The tiles and the target of a seed."""
    text, recipe = solver.spelled(seed), solver.Recipe("countdown", large=large)
    drawn = solver.draw(solver.Stream(text), large)
    best = solver.nearest(drawn.numbers, drawn.target)
    level = level_of(best.expression, best.distance)
    return Draw(
        tiles=drawn.numbers,
        target=drawn.target,
        best=str(best.expression),
        value=best.value,
        reach=len(solver.reachable(drawn.numbers, max(TARGETS)).intersection(TARGETS)),
        level=level,
        expected=EXPECTED[level],
        proof=f"{text} {recipe}",
    )


async def practise(pool: Pool, level: Level, seed: int, but: Collection[tuple[int, ...]]) -> Draw:
    """A draw of a level, with none of the tiles in `but`. Raises SolvingError."""
    return await pool.ask(draw_for, level, seed, tuple(but))


def draw_for(level: Level, seed: int, but: tuple[tuple[int, ...], ...]) -> Draw:
    """One of the next draws behind a seed, of that level if there is one: its own recipe proves it."""
    seeds = [int.from_bytes(sha256(f"{seed} {n}".encode()).digest()[:16], "big") for n in range(TRIED)]
    drawn = [(one, solver.draw(solver.Stream(solver.spelled(one)))) for one in seeds]
    other = [(one, puzzle) for one, puzzle in drawn if tuple(sorted(puzzle.numbers)) not in but]
    return draw(next((one for one, puzzle in other if _is_of(puzzle, level)), other[0][0]), None)


def _is_of(puzzle: solver.Puzzle, level: Level) -> bool:
    best = solver.nearest(puzzle.numbers, puzzle.target)
    return level_of(best.expression, best.distance) == level


async def best(pool: Pool, tiles: Sequence[int], target: int) -> str:
    """What comes as near to a target as any. Raises SolvingError when that isn't found while people wait."""
    return await pool.ask(nearest, tuple(tiles), target, deadline=min(pool.deadline, AT_ONCE), long=True)


def nearest(tiles: tuple[int, ...], target: int) -> str:
    """The same, at once."""
    return str(solver.nearest(tiles, target).expression)
