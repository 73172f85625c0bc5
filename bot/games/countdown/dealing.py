"""What the workers are asked: a draw, with the best that can be made of it."""

import solver
from bot.games.countdown.rules import EXPECTED, TARGETS, Draw, level_of


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
