"""The totals of boards, and the histogram that is kept beside them in the same transaction."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from sqlalchemy import bindparam, delete, select, text

from bot.database import Tx, inserting
from bot.database.schema import EMPTY, histogram, totals

LINE = ["chat_id", "period", "player_id"]
"""What names a line of `totals`."""
BAR = ["chat_id", "period", "points"]
"""What names a line of `histogram`."""


@dataclass(frozen=True, slots=True)
class Line:
    """What is added to one player's total."""

    chat_id: int
    period: str
    player_id: int
    points: int
    wins: int


def add(tx: Tx, lines: Sequence[Line]) -> None:
    """Add points and wins to totals, each line to another one."""
    if not lines:
        return
    rows = tx.execute(_adding(tx.dialect.name), [asdict(line) for line in lines])
    after = {(row.chat_id, row.period, row.player_id): row for row in rows}
    shifts = []
    for line in lines:
        now = after[line.chat_id, line.period, line.player_id]
        if now.wins > line.wins:
            shifts.append((line.chat_id, line.period, now.points - line.points, -1))
        shifts.append((line.chat_id, line.period, now.points, 1))
    _shift(tx, shifts)


def remove(tx: Tx, board: int, period: str, player_id: int) -> None:
    """Take a player off one board."""
    here = (totals.c.chat_id == board, totals.c.period == period, totals.c.player_id == player_id)
    points = tx.scalar(select(totals.c.points).where(*here))
    if points is not None:
        _shift(tx, [(board, period, points, -1)])
        tx.execute(delete(totals).where(*here))


def _shift(tx: Tx, shifts: Sequence[tuple[int, str, int, int]]) -> None:
    """Count so many (the last) more players of a board and period with these points."""
    rows = [{"chat_id": b, "period": w, "points": n, "players": more} for b, w, n, more in shifts]
    tx.execute(_shifting(tx.dialect.name), rows)
    left = [{"at_chat_id": b, "at_period": w, "at_points": n} for b, w, n, more in shifts if more < 0]
    if left:
        tx.execute(LEFT, left)


# Built once, since each win needs them and building takes longer than the database does


@cache
def _adding(dialect: str) -> Any:
    """An INSERT that adds to totals, and tells what they are then."""
    statement = inserting(dialect, totals)
    summed = {k: totals.c[k] + statement.excluded[k] for k in ("points", "wins")}
    told = [totals.c[k] for k in (*LINE, "points", "wins")]
    return statement.on_conflict_do_update(index_elements=LINE, set_=summed).returning(*told)


@cache
def _shifting(dialect: str) -> Any:
    """An INSERT that adds to the bars of histograms."""
    statement = inserting(dialect, histogram)
    summed = {"players": histogram.c.players + statement.excluded.players}
    return statement.on_conflict_do_update(index_elements=BAR, set_=summed)


LEFT = delete(histogram).where(*(histogram.c[k] == bindparam(f"at_{k}") for k in BAR), text(EMPTY))
"""Deletes the bars where nobody is left."""
