"""Tasks of the solver's workers: deal draws and find the best answers."""

from hashlib import sha256

import solver
from bot.games.countdown.rules import EXPECTED_SECONDS, TARGETS, Draw, rate_level
from bot.rounds.puzzle import Level


def deal_draw(seed: int, large_tiles: int | None) -> Draw:
    """Return the draw of a seed with so many large tiles (None: by chance), its best answer and its proof."""
    seed_text = solver.spell_seed(seed)
    recipe = solver.Recipe("countdown", large=large_tiles)
    drawn = solver.draw(solver.Stream(seed_text), large_tiles)
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
        proof=f"{seed_text} {recipe}",
    )


CANDIDATES = 30  # Draws among which one of a level is looked for
SEED_BYTES = 16


def deal_draw_of_level(level: Level, seed: int, excluded: tuple[tuple[int, ...], ...]) -> Draw:
    """Return the first draw of that level among `CANDIDATES`, else the first; not with `excluded` tiles."""
    other_seeds: list[int] = []
    for n in range(CANDIDATES):
        # Each draw has a seed of its own, which proves it without the draws before it
        digest = sha256(f"{seed} {n}".encode()).digest()
        own_seed = int.from_bytes(digest[:SEED_BYTES], "big")
        drawn = solver.draw(solver.Stream(solver.spell_seed(own_seed)))
        if tuple(sorted(drawn.numbers)) in excluded:
            continue
        best = solver.nearest(drawn.numbers, drawn.target)
        if rate_level(best.expression, best.distance) == level:
            return deal_draw(own_seed, None)
        other_seeds.append(own_seed)
    return deal_draw(other_seeds[0], None)


def find_best(tiles: tuple[int, ...], target: int) -> str:
    """Return an expression of some or all tiles whose value is as near to the target as any."""
    return str(solver.nearest(tiles, target).expression)
