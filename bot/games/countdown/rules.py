"""The rules of Countdown's numbers round: dealing, entries, points, and the end of a round.

A draw is six tiles from a box of large and small ones, and a target from 101 to 999. A player may use any of
the tiles, each once; every intermediate result is whole and not negative. The nearest entry wins, as do all
that are as near: 10 points for the target itself, 7 within 5, 5 within 10, and nothing beyond.
(https://en.wikipedia.org/wiki/Countdown_(game_show)#Numbers_round)

Once an entry makes the target itself, everybody has five more seconds, counted from when the bot processed
the last entry: the bot may have been down meanwhile, and no entry may be late by a deadline that nobody was
shown. A player who is alone does not wait: the round is over with the exact entry.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256

import solver
from bot.levels import Level
from bot.rounds.puzzle import Entry, Options
from bot.rounds.rules import Award

LARGE_TILE_COUNTS = range(5)  # Large tiles that can be asked for
POINTS_BY_DISTANCE = ((0, 10), (5, 7), (10, 5))  # Distances from the target, each with the points up to it
MAX_DISTANCE, _ = POINTS_BY_DISTANCE[-1]
TARGETS = range(101, 1000)
TILE_COUNT, MAX_SMALL_TILE = 6, 10
BOX = Counter([*range(1, 11), *range(1, 11), 25, 50, 75, 100])  # All tiles from which a draw is taken
SECONDS_AFTER_EXACT = 5.0
DEFAULT_ROUND_LENGTH = 60  # Seconds
ROUND_LENGTHS = (30, 45, 60, 90, 120)  # Seconds that admins may choose


@dataclass(frozen=True, slots=True)
class Draw:
    """Six tiles and a target, with the best that can be made of them."""

    tiles: tuple[int, ...]  # As drawn, the large ones first
    target: int
    best: str  # An expression whose value is as near as any
    best_value: int
    level: str
    expected: float  # Seconds that players usually need
    recipe: str = ""  # How the draw follows from a seed (see `solver.fair`)

    @property
    def line(self) -> str:
        """The tiles and the target, as every deal shows them."""
        return f"{' '.join(map(str, self.tiles))} → {self.target}"


@dataclass(frozen=True, slots=True)
class DrawOptions(Options):
    large: int | None = None  # Number of large tiles; None leaves it to chance


# Tasks of the solver's workers


def deal_draw(seed: int, large_tiles: int | None) -> Draw:
    """Return the draw of a seed with so many large tiles (None: by chance), and its best answer."""
    recipe = solver.Recipe("countdown", large=large_tiles)
    drawn = solver.draw(solver.Stream(solver.spell_seed(seed)), large_tiles)
    best = solver.nearest(drawn.numbers, drawn.target)
    rating = solver.rate_draw(best)
    return Draw(
        tiles=drawn.numbers,
        target=drawn.target,
        best=str(best.expression),
        best_value=best.value,
        level=rating.level,
        expected=rating.seconds,
        recipe=str(recipe),
    )


CANDIDATES = 30  # Draws among which one of a level is looked for
SEED_BYTES = 16


def deal_draw_of_level(level: Level, seed: int, excluded: tuple[tuple[int, ...], ...]) -> Draw:
    """Return the first draw of that level among `CANDIDATES`, else the first; not with `excluded` tiles."""
    other_seeds: list[int] = []
    for n in range(CANDIDATES):
        # A seed of its own, so that `deal_draw` deals it without the draws before it
        digest = sha256(f"{seed} {n}".encode()).digest()
        own_seed = int.from_bytes(digest[:SEED_BYTES], "big")
        drawn = solver.draw(solver.Stream(solver.spell_seed(own_seed)))
        if tuple(sorted(drawn.numbers)) in excluded:
            continue
        if solver.rate_draw(solver.nearest(drawn.numbers, drawn.target)).level == level:
            return deal_draw(own_seed, None)
        other_seeds.append(own_seed)
    return deal_draw(other_seeds[0], None)


def find_best(tiles: tuple[int, ...], target: int) -> str:
    """Return an expression of some or all tiles whose value is as near to the target as any."""
    return str(solver.nearest(tiles, target).expression)


def find_violation(expression: solver.Expression) -> solver.Expression | None:
    """Return the first part whose value is negative or not whole, against the rules; None if there is none.

    A row of additions and subtractions, or of multiplications and divisions, may be computed in any order:
    `5-7+10` and `4/3*75` are allowed, since 5+10-7 and 4*75/3 are.
    """
    operations = [part for part in expression.walk() if part.op]
    # Another order may avoid the results of a row's beginnings. By identity: equal parts may stand elsewhere
    beginnings = {id(part.left) for part in operations if _continues_row(part)}
    for part in operations:
        if id(part) not in beginnings and not is_allowed_value(part.value):
            return part
    return None


def _continues_row(part: solver.Expression) -> bool:
    """Whether an operation and the one at its left both add or subtract, or both multiply or divide."""
    return part.left.op != "" and (part.op in "+-") == (part.left.op in "+-")


def is_allowed_value(value: Fraction) -> bool:
    """Whether an intermediate result with that value is whole and not negative."""
    return value >= 0 and value.denominator == 1


def evaluate_answer(answer: str) -> int:
    """Return the value of an answer that keeps the rules. Raises ExpressionError if it can't be read."""
    return int(solver.parse(answer).value)


def compute_awards(draw: Draw, entries: Sequence[Entry], opened: float) -> tuple[Award, ...]:
    """Return awards for the nearest of the players' entries, the earliest first; none if all are too far."""
    distances = {entry.player_id: abs(evaluate_answer(entry.answer) - draw.target) for entry in entries}
    least = min(distances.values(), default=None)
    if least is None or least > MAX_DISTANCE:
        return ()
    points = next(points for limit, points in POINTS_BY_DISTANCE if least <= limit)  # The first that holds
    winners = [entry for entry in entries if distances[entry.player_id] == least]
    return tuple(
        Award(entry.player_id, points, seconds=max(0.0, entry.sent_at - opened), answer=entry.answer, part="")
        for entry in sorted(winners, key=lambda entry: entry.sent_at)
    )


def can_be_drawn(numbers: Sequence[int]) -> bool:
    """Whether the numbers can be some or all tiles of a draw."""
    return len(numbers) <= TILE_COUNT and Counter(numbers) <= BOX
