"""The totals of boards, and the histogram that is kept beside them in the same transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    and_,
    bindparam,
    delete,
    func,
    literal_column,
    select,
    tuple_,
)

from bot.database import Tx, inserting
from bot.database.schema import Whole, histogram, totals

LINE = ["chat_id", "period", "player_id"]
"""What names a line of `totals` …"""
SUMMED = [*LINE, "points", "wins"]
"""… and all that it says."""
BAR = ["chat_id", "period", "points"]
"""What names a line of `histogram`."""
ALL_CHATS = 0
"""Stands for a chat's id in the boards that sum up all chats."""
OF_ALL: ColumnElement[int] = literal_column(str(ALL_CHATS))
"""The same written out: PostgreSQL plans a statement for an average chat unless it sees that it is this one,
which has far more lines."""


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
    rows = tx.execute(
        _adding(tx.dialect.name), [{each: getattr(line, each) for each in SUMMED} for line in lines]
    )
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
    here = {"at_chat_id": board, "at_period": period, "at_player_id": player_id}
    points = tx.scalar(POINTS, here)
    if points is not None:
        _shift(tx, [(board, period, points, -1)])
        tx.execute(OFF, here)


def merge(tx: Tx, chat_id: int, periods: Sequence[str], sign: int) -> None:
    """Add a chat's totals of these periods to those of all chats, or take them off: `sign` is 1 or -1."""
    dialect, this = tx.dialect.name, {"this_chat": chat_id, "these": list(periods)}
    before = tx.execute(_tallying(dialect), {**this, "sign": -1}).all()
    tx.execute(_merging(dialect), {**this, "sign": sign})
    tx.execute(ONLY_THERE, this)
    tx.execute(_tallying(dialect), {**this, "sign": 1})
    _clear(tx, [(ALL_CHATS, bar.period, bar.points) for bar in before if not bar.players])


def _shift(tx: Tx, shifts: Sequence[tuple[int, str, int, int]]) -> None:
    """Count so many (the last) more players of a board and period with these points."""
    rows = [{"chat_id": b, "period": w, "points": n, "players": more} for b, w, n, more in shifts]
    tx.execute(_shifting(tx.dialect.name), rows)
    _clear(tx, [(board, period, points) for board, period, points, more in shifts if more < 0])


def _clear(tx: Tx, bars: Sequence[tuple[int, str, int]]) -> None:
    """Delete those of the bars where nobody is left."""
    if bars:
        tx.execute(LEFT, [{"at_chat_id": b, "at_period": w, "at_points": n} for b, w, n in bars])


# Built once, since each win needs them and building takes longer than the database does


@cache
def _adding(dialect: str) -> Any:
    """An INSERT that adds to totals, and tells what they are then."""
    statement = inserting(dialect, totals)
    summed = {k: totals.c[k] + statement.excluded[k] for k in ("points", "wins")}
    told = [totals.c[k] for k in SUMMED]
    return statement.on_conflict_do_update(index_elements=LINE, set_=summed).returning(*told)


@cache
def _shifting(dialect: str) -> Any:
    """An INSERT that adds to the bars of histograms."""
    statement = inserting(dialect, histogram)
    summed = {"players": histogram.c.players + statement.excluded.players}
    return statement.on_conflict_do_update(index_elements=BAR, set_=summed)


LEFT = delete(histogram).where(
    *(histogram.c[k] == bindparam(f"at_{k}") for k in BAR), histogram.c.players == 0
)
"""Deletes the bars where nobody is left."""
THIS_LINE = and_(*(totals.c[k] == bindparam(f"at_{k}") for k in LINE))
POINTS = select(totals.c.points).where(THIS_LINE)
OFF = delete(totals).where(THIS_LINE)

SIGN: BindParameter[int] = bindparam("sign", type_=Whole)
MINE = totals.alias("mine")
OF_CHAT = and_(
    MINE.c.chat_id == bindparam("this_chat"), MINE.c.period.in_(bindparam("these", expanding=True))
)


@cache
def _merging(dialect: str) -> Any:
    """Adds the totals of the chat to those of all chats, or takes them off."""
    signed = (SIGN * MINE.c.points, SIGN * MINE.c.wins)
    told = select(OF_ALL, MINE.c.period, MINE.c.player_id, *signed).where(OF_CHAT)
    statement = inserting(dialect, totals).from_select(SUMMED, told)
    summed = {k: totals.c[k] + statement.excluded[k] for k in ("points", "wins")}
    return statement.on_conflict_do_update(index_elements=LINE, set_=summed)


@cache
def _tallying(dialect: str) -> Any:
    """Counts the chat's players into the histogram of all with the points they have there, or out of it.

    Tells the bars that it changed.
    """
    counted = select(OF_ALL, MINE.c.period, totals.c.points, SIGN * func.count())
    same = (totals.c.period == MINE.c.period, totals.c.player_id == MINE.c.player_id)
    joined = counted.join_from(MINE, totals, and_(totals.c.chat_id == OF_ALL, *same))
    grouped = joined.where(OF_CHAT).group_by(MINE.c.period, totals.c.points)
    statement = inserting(dialect, histogram).from_select([*BAR, "players"], grouped)
    summed = {"players": histogram.c.players + statement.excluded.players}
    changed = statement.on_conflict_do_update(index_elements=BAR, set_=summed)
    return changed.returning(*(histogram.c[k] for k in ("period", "points", "players")))


ONLY_THERE = delete(totals).where(
    *(totals.c.chat_id == OF_ALL, totals.c.wins == 0),
    tuple_(totals.c.period, totals.c.player_id).in_(select(MINE.c.period, MINE.c.player_id).where(OF_CHAT)),
)
"""Deletes the totals of all of whoever won in that chat alone."""
