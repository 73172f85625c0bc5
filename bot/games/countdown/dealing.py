"""What the workers are asked: a draw, with the best that can be made of it."""

from collections.abc import Sequence

import solver
from bot.games.countdown.rules import EXPECTED, TARGETS, Draw, level_of
from bot.workers.pool import Pool

AT_ONCE = 2.0
"""Seconds after which a search is stopped: people wait for the reply."""


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
        reach=len(solver.reachable(drawn.numbers).intersection(TARGETS)),
        level=level,
        expected=EXPECTED[level],
        proof=f"{text} {recipe}",
    )


async def best(pool: Pool, tiles: Sequence[int], target: int) -> str:
    """What comes as near to a target as any. Raises SolvingError when that isn't found while people wait."""
    return await pool.ask(nearest, tuple(tiles), target, deadline=min(pool.deadline, AT_ONCE), long=True)


def nearest(tiles: tuple[int, ...], target: int) -> str:
    """The same, at once."""
    return str(solver.nearest(tiles, target).expression)
