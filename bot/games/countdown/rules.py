"""Countdown's numbers round: what is dealt, what counts, and what it is worth.

Six tiles come out of the box, a few large ones and the rest small, and a target from 101 to 999. Any of the
tiles may be used, each once; every number on the way is whole and none is negative. The nearest wins, and
those who are as near as that win with them: 10 points for the target itself, 7 within 5, 5 within 10, and
nothing beyond. (https://en.wikipedia.org/wiki/Countdown_(game_show)#Numbers_round)

Once somebody's entry is the target itself, everybody has five more seconds. They run from when the bot could
first tell: from when it dealt with that entry, and not from when that was sent, which may be long before
where the bot was down or the entry stood in line. So no entry is late by a deadline that nobody was shown,
nor one that was sent and dealt with before. Whoever then hands in something worse gives no time back: the
clock would jump at everybody's cost. Alone nobody waits, and the round is over with that entry.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

import solver
from bot.rounds.puzzle import (
    LEVELS,
    Entry,
    Kind,
    Level,
    Options,
    PlayerResult,
    UnknownWordError,
    keep_if_allowed,
    parse_number,
    split_argument,
)
from bot.rounds.rules import Award
from bot.standings.ratings.rules import Match, Result

VERSION = 1
LARGE_TILE_COUNTS = range(5)  # How many large tiles can be asked for
POINTS = ((0, 10), (5, 7), (10, 5))  # So far from the target at most, so many points
MAX_DISTANCE = POINTS[-1][0]  # Farther away nothing counts
TARGETS = range(101, 1000)
TILES, SMALL = 6, 10  # Tiles of a draw, and the largest of the small ones
BOX = Counter([*range(1, SMALL + 1), *range(1, SMALL + 1), 25, 50, 75, 100])  # Every tile there is
MORE = 5.0  # Seconds that everybody has once somebody has made the target itself
DEFAULT_ROUND_LENGTH = 60
ROUND_LENGTHS = (30, 45, 60, 90, 120)  # Seconds of a round, and what admins may choose
# Seconds that the levels stand for: reckoned, not measured.
EXPECTED_SECONDS: dict[Level, float] = {"easy": 10.0, "medium": 20.0, "hard": 35.0, "fiendish": 50.0}


def format_line(tiles: Sequence[int], target: int) -> str:
    """The tiles and the target, as every deal shows them."""
    return f"{' '.join(map(str, tiles))} → {target}"


@dataclass(frozen=True, slots=True)
class Draw:
    """Six tiles and a target, with the best that can be made of them."""

    tiles: tuple[int, ...]  # As drawn, the large ones first
    target: int
    best: str  # A plain expression that comes as near as any
    best_value: int  # What that makes
    reachable_count: int  # How many of the `TARGETS` these tiles make
    level: str
    expected: float  # Seconds that the level stands for
    proof: str = ""  # What proves that it came by chance (see `solver.fair`)

    @property
    def line(self) -> str:
        """The tiles and the target, as every deal shows them."""
        return format_line(self.tiles, self.target)


@dataclass(frozen=True, slots=True)
class DrawOptions(Options):
    """What was asked of a deal."""

    large_tiles: int | None = None  # Large tiles; None leaves that to chance


@dataclass(frozen=True, slots=True)
class RuleViolation:
    """Why an expression does not count: this part of it makes no whole number, or less than nothing."""

    part: solver.Expression
    value: Fraction


def parse_options(text: str) -> DrawOptions:
    """What stands behind the command: nothing, or how many large tiles. Raises UnknownWordError."""
    words = split_argument(text)
    for word in words[1:]:
        raise UnknownWordError(word)
    if not words:
        return DrawOptions(kind=Kind.BEST)
    if parse_number(words[0]) not in LARGE_TILE_COUNTS:
        raise UnknownWordError(words[0])
    return DrawOptions(kind=Kind.BEST, large_tiles=parse_number(words[0]))


def rate_level(best: solver.Expression, distance: int) -> Level:
    """How hard a draw is: by the operations that its best needs, and whether that makes the target."""
    operations = len(best.numbers) - 1
    if distance or operations > 4:
        return "fiendish"
    return "easy" if operations < 3 else "medium" if operations == 3 else "hard"


def find_violation(expression: solver.Expression) -> RuleViolation | None:
    """The first part that breaks the rules on the way; None where none does.

    Terms that are added and subtracted, or multiplied and divided, one after the other may be worked out in
    any order: `5-7+10` and `4/3*75` are fine, since 5+10-7 and 4*75/3 are.
    """
    for part in _wholes(expression):
        value = part.value if not _divides_by_zero(part) else None
        if value is None or value < 0 or value.denominator != 1:
            return RuleViolation(part, Fraction(0) if value is None else value)
    return None


def _divides_by_zero(part: solver.Expression) -> bool:
    return any(p.op == "/" and not p.right.ratio[0] for p in part.walk())


def _wholes(expression: solver.Expression) -> Iterator[solver.Expression]:
    """The parts that are worked out before something else is done with them, itself last."""
    seen = {id(part.left) for part in expression.walk() if part.op and _goes_on(part)}
    yield from (part for part in expression.walk() if part.op and id(part) not in seen)


def _goes_on(part: solver.Expression) -> bool:
    """Whether the part goes on with what stands before its sign, by operations of the same kind."""
    alike = "+-" if part.op in "+-" else "*/"
    return bool(part.left.op) and part.left.op in alike


def score_distance(distance: int) -> int:
    """What a value so far from the target is worth where no other is nearer."""
    return next((worth for far, worth in POINTS if distance <= far), 0)


def evaluate_answer(answer: str) -> int:
    """What an entry makes, as it is kept."""
    return int(solver.parse(answer).value)


def is_valid_entry(answer: str) -> bool:
    """Whether what was kept of an entry is an expression by the rules."""
    try:
        return find_violation(solver.parse(answer)) is None
    except solver.ExpressionError:
        return False


def compute_awards(draw: Draw, entries: Sequence[Entry], opened: float) -> tuple[Award, ...]:
    """What the entries earn: the nearest, and those as near; whoever was first is named first."""
    off = {entry.player_id: abs(evaluate_answer(entry.answer) - draw.target) for entry in entries}
    if not off:
        return ()
    least = min(off.values())
    winners = sorted(
        (e for e in entries if off[e.player_id] == least and score_distance(least)), key=lambda e: e.sent_at
    )
    return tuple(
        Award(e.player_id, score_distance(least), max(0.0, e.sent_at - opened), e.answer, "") for e in winners
    )


def build_match(draw: Draw, played: Sequence[PlayerResult]) -> Match:
    """How near each came; whoever comes as near as anybody can has beaten the draw."""
    results = [Result(p.player_id, _place(draw, p)) for p in played]
    return Match(results, 2 * abs(draw.best_value - draw.target) + 1, draw.expected)


def _place(draw: Draw, played: PlayerResult) -> int:
    """Even numbers, so that the draw's own place lies between two of them; last without an entry."""
    if played.entry is None:
        return 2 * TARGETS.stop
    return 2 * abs(evaluate_answer(played.entry) - draw.target)


def compute_close_time(draw: Draw, entries: Sequence[Entry], told: float, *, alone: bool) -> float | None:
    """When a round is over by what was handed in; None where only its time ends it.

    The last of the entries was dealt with at `told`. Once somebody's is the target itself, everybody has
    `MORE` seconds from then on, whenever it was sent; who plays `alone` waits for nobody.
    """
    exact = [entry.sent_at for entry in entries if evaluate_answer(entry.answer) == draw.target]
    if alone:
        return min(exact, default=None)
    return max([told, *(entry.sent_at for entry in entries)]) + MORE if exact else None


def fits(draw: Draw, numbers: Sequence[int]) -> bool:
    """Whether these numbers are some of the tiles."""
    return not Counter(numbers) - Counter(draw.tiles)


def pack_draw(draw: Draw) -> dict[str, Any]:
    """The draw as JSON."""
    return {
        "v": VERSION,
        "tiles": list(draw.tiles),
        "target": draw.target,
        "best": draw.best,
        "value": draw.best_value,
        "reach": draw.reachable_count,
        **({"proof": draw.proof} if draw.proof else {}),
    }


def unpack_draw(packed: Mapping[str, Any], level: str, expected: float) -> Draw:
    """The draw again. Raises ValueError for one that nobody could play."""
    try:
        tiles, target, best = tuple(packed["tiles"]), packed["target"], packed["best"]
        value, reach, proof = packed["value"], packed["reach"], packed.get("proof", "")
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"no draw: {error!r}") from None
    if packed.get("v") != VERSION or not tiles:
        raise ValueError("no draw of a known version")
    if not all(type(n) is int and n >= 0 for n in (*tiles, target, value, reach)):
        raise ValueError("its numbers are none")
    if best and not is_valid_entry(str(best)):
        raise ValueError("its best is none")
    if (
        not all(isinstance(text, str) for text in (best, proof))
        or level not in LEVELS
        or not isfinite(expected)
    ):
        raise ValueError("its best, its proof, its level or its usual time is none")
    return Draw(tiles, target, best, value, reach, level, expected, proof)


def pack_options(wanted: DrawOptions) -> dict[str, Any]:
    """What was asked for as JSON."""
    return {} if wanted.large_tiles is None else {"large": wanted.large_tiles}


def unpack_options(packed: Mapping[str, Any]) -> DrawOptions:
    """What was asked for again; what can't be read counts as not asked."""
    return DrawOptions(
        kind=Kind.BEST, large_tiles=keep_if_allowed(packed.get("large"), LARGE_TILE_COUNTS, None)
    )


def is_draw_expression(expression: solver.Expression) -> bool:
    """Whether an expression alone is such as people write for a draw, and not for cards.

    It could have been dealt and keeps to the rules, and it has a large tile or makes what a target may be.
    """
    numbers = expression.numbers
    if (
        not expression.op
        or len(numbers) > TILES
        or Counter(numbers) - BOX
        or find_violation(expression) is not None
    ):
        return False
    return max(numbers) > SMALL or int(expression.value) in range(
        TARGETS.start - MAX_DISTANCE, TARGETS.stop + MAX_DISTANCE
    )


def is_draw_question(numbers: Sequence[int], target: int) -> bool:
    """Whether somebody who names these numbers and a target asks for a draw, or for some of its tiles."""
    return target in TARGETS and 1 < len(numbers) <= TILES and not Counter(numbers) - BOX


def has_invalid_target(numbers: Sequence[int], target: int) -> bool:
    """Whether these are tiles that no other game has, and that is no target."""
    tiles = len(numbers) <= TILES and not Counter(numbers) - BOX
    return tiles and (len(numbers) == TILES or max(numbers) > SMALL) and target not in TARGETS
