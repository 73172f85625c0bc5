"""The rules of Countdown's numbers round: draws, entries, points, and the end of a round.

A draw is six tiles from a box of large and small ones, and a target from 101 to 999. A player may use any of
the tiles, each once; every intermediate result is whole and not negative. The nearest entry wins, as do all
that are as near: 10 points for the target itself, 7 within 5, 5 within 10, and nothing beyond.
(https://en.wikipedia.org/wiki/Countdown_(game_show)#Numbers_round)

Once an entry makes the target itself, everybody has five more seconds. They run from the time at which the
bot processed the last entry, not from when that was sent: the bot may have been down meanwhile, and no entry
may be late by a deadline that nobody was shown. A worse entry afterwards gives no time back. A player who is
alone does not wait: the round is over with the exact entry.
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
LARGE_TILE_COUNTS = range(5)  # Large tiles that can be asked for
POINTS_BY_DISTANCE = ((0, 10), (5, 7), (10, 5))  # Distances from the target, each with the points up to it
MAX_DISTANCE = POINTS_BY_DISTANCE[-1][0]
TARGETS = range(101, 1000)
TILE_COUNT, MAX_SMALL_TILE = 6, 10
BOX = Counter([*range(1, 11), *range(1, 11), 25, 50, 75, 100])  # All tiles from which a draw is taken
SECONDS_AFTER_EXACT = 5.0
DEFAULT_ROUND_LENGTH = 60  # Seconds
ROUND_LENGTHS = (30, 45, 60, 90, 120)  # Seconds that admins may choose
# Seconds that players usually need, by level: estimated, not measured.
EXPECTED_SECONDS: dict[Level, float] = {"easy": 10.0, "medium": 20.0, "hard": 35.0, "fiendish": 50.0}


@dataclass(frozen=True, slots=True)
class Draw:
    """Six tiles and a target, with the best that can be made of them."""

    tiles: tuple[int, ...]  # As drawn, the large ones first
    target: int
    best: str  # An expression whose value is as near as any
    best_value: int
    reachable_count: int  # How many of the `TARGETS` these tiles make
    level: str
    expected: float  # Seconds that players usually need
    proof: str = ""  # Proves that the draw came by chance (see `solver.fair`)

    @property
    def line(self) -> str:
        """The tiles and the target, as every deal shows them."""
        return f"{' '.join(map(str, self.tiles))} → {self.target}"


@dataclass(frozen=True, slots=True)
class DrawOptions(Options):
    """The options of a deal."""

    large_tiles: int | None = None  # None leaves their number to chance


def parse_options(text: str) -> DrawOptions:
    """Parse the text after the command: nothing, or the number of large tiles. Raises UnknownWordError."""
    words = split_argument(text)
    unknown = words[1:] or [word for word in words if parse_number(word) not in LARGE_TILE_COUNTS]
    if unknown:
        raise UnknownWordError(unknown[0])
    return DrawOptions(kind=Kind.BEST, large_tiles=parse_number(words[0]) if words else None)


def rate_level(best: solver.Expression, distance: int) -> Level:
    """Return the level of a draw by the operations of its best expression and the distance that is left."""
    operations = len(best.numbers) - 1
    if distance or operations > 4:
        return "fiendish"
    return "easy" if operations < 3 else "medium" if operations == 3 else "hard"


@dataclass(frozen=True, slots=True)
class RuleViolation:
    """A part of an expression whose value is negative or not whole."""

    part: solver.Expression
    value: Fraction  # 0 if the part divides by zero


def find_violation(expression: solver.Expression) -> RuleViolation | None:
    """Return the first part that breaks the rules; None if none does.

    A row of additions and subtractions, or of multiplications and divisions, may be computed in any order:
    `5-7+10` and `4/3*75` are allowed, since 5+10-7 and 4*75/3 are.
    """
    for part in _list_rows(expression):
        value = part.value if not _divides_by_zero(part) else None
        if value is None or value < 0 or value.denominator != 1:
            return RuleViolation(part, Fraction(0) if value is None else value)
    return None


def _divides_by_zero(part: solver.Expression) -> bool:
    return any(p.op == "/" and not p.right.ratio[0] for p in part.walk())


def _list_rows(expression: solver.Expression) -> Iterator[solver.Expression]:
    """Yield the complete rows of operations of the same kind, the expression itself last."""
    continued = {id(part.left) for part in expression.walk() if part.op and _continues_row(part)}
    yield from (part for part in expression.walk() if part.op and id(part) not in continued)


def _continues_row(part: solver.Expression) -> bool:
    """Whether the left side of a part has an operation of the same kind."""
    same_kind = "+-" if part.op in "+-" else "*/"
    return bool(part.left.op) and part.left.op in same_kind


def score_distance(distance: int) -> int:
    """Return the points for the nearest value if it is so far from the target."""
    return next((points for limit, points in POINTS_BY_DISTANCE if distance <= limit), 0)


def evaluate_answer(answer: str) -> int:
    """Return the value of a stored entry."""
    return int(solver.parse(answer).value)


def is_valid_entry(answer: str) -> bool:
    """Whether a stored entry is an expression by the rules."""
    try:
        return find_violation(solver.parse(answer)) is None
    except solver.ExpressionError:
        return False


def compute_awards(draw: Draw, entries: Sequence[Entry], opened: float) -> tuple[Award, ...]:
    """Return the awards of the nearest entries, the earliest first."""
    distances = {entry.player_id: abs(evaluate_answer(entry.answer) - draw.target) for entry in entries}
    least = min(distances.values(), default=MAX_DISTANCE + 1)
    points = score_distance(least)
    winners = sorted((e for e in entries if distances[e.player_id] == least), key=lambda e: e.sent_at)
    return tuple(
        Award(e.player_id, points, max(0.0, e.sent_at - opened), e.answer, "") for e in winners if points
    )


def build_match(draw: Draw, played: Sequence[PlayerResult]) -> Match:
    """Build the match for the ratings: nearer entries rank higher, and an entry as near as the best beats it.

    Entries have even places, so that the draw's own odd place lies between two of them. A player without an
    entry is last.
    """
    last = 2 * TARGETS.stop
    places = [2 * abs(evaluate_answer(p.entry) - draw.target) if p.entry else last for p in played]
    results = [Result(p.player_id, place) for p, place in zip(played, places, strict=True)]
    return Match(results, 2 * abs(draw.best_value - draw.target) + 1, draw.expected)


def compute_close_time(
    draw: Draw, entries: Sequence[Entry], processed: float, *, alone: bool
) -> float | None:
    """Return when the entries end a round; None if only its time limit does.

    The last of the entries was processed at `processed`. An exact entry leaves everybody
    `SECONDS_AFTER_EXACT` from then on; for a player who is `alone` it ends the round at once.
    """
    exact = [entry.sent_at for entry in entries if evaluate_answer(entry.answer) == draw.target]
    if alone or not exact:
        return min(exact, default=None)
    return max([processed, *(entry.sent_at for entry in entries)]) + SECONDS_AFTER_EXACT


def pack_draw(draw: Draw) -> dict[str, Any]:
    """Return the draw as JSON."""
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
    """Return the draw. Raises ValueError or TypeError if it can't be played."""
    if packed.get("v") != VERSION or level not in LEVELS or not isfinite(expected):
        raise ValueError("no draw of a known version, level and time")
    tiles, best, proof = tuple(packed.get("tiles", ())), packed.get("best"), packed.get("proof", "")
    values: list[Any] = [packed.get(key) for key in ("target", "value", "reach")]
    if not tiles or not all(type(n) is int and n >= 0 for n in (*tiles, *values)):
        raise ValueError("a draw with wrong numbers")
    if not isinstance(best, str) or not isinstance(proof, str) or (best and not is_valid_entry(best)):
        raise ValueError("a draw with a wrong best expression or proof")
    target, best_value, reachable_count = values
    return Draw(tiles, target, best, best_value, reachable_count, level, expected, proof)


def pack_options(options: DrawOptions) -> dict[str, Any]:
    """Return the options as JSON."""
    return {} if options.large_tiles is None else {"large": options.large_tiles}


def unpack_options(packed: Mapping[str, Any]) -> DrawOptions:
    """Return the options; a value that can't be read counts as not chosen."""
    return DrawOptions(
        kind=Kind.BEST, large_tiles=keep_if_allowed(packed.get("large"), LARGE_TILE_COUNTS, None)
    )


def is_draw_expression(expression: solver.Expression) -> bool:
    """Whether an expression is one for a draw rather than for cards.

    It uses tiles of the box by the rules, and has a large tile or makes a number near a possible target.
    """
    numbers = expression.numbers
    if not expression.op or not _can_be_drawn(numbers) or find_violation(expression) is not None:
        return False
    near_targets = range(TARGETS.start - MAX_DISTANCE, TARGETS.stop + MAX_DISTANCE)
    return max(numbers) > MAX_SMALL_TILE or int(expression.value) in near_targets


def _can_be_drawn(numbers: Sequence[int]) -> bool:
    return len(numbers) <= TILE_COUNT and not Counter(numbers) - BOX


def is_draw_question(numbers: Sequence[int], target: int) -> bool:
    """Whether these numbers and this target can be some or all of a draw."""
    return target in TARGETS and len(numbers) > 1 and _can_be_drawn(numbers)


def has_invalid_target(numbers: Sequence[int], target: int) -> bool:
    """Whether the numbers are tiles that no hand of cards has, and the target is none of a draw."""
    only_tiles = len(numbers) == TILE_COUNT or max(numbers) > MAX_SMALL_TILE
    return only_tiles and _can_be_drawn(numbers) and target not in TARGETS
