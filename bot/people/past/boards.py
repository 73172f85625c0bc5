"""The boards of days and weeks of long ago are let go, and each player's best day in a chat is kept.

Chats are gone through in the order of their numbers, and it is written down how far that has come.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

from sqlalchemy import Row, Table, bindparam, delete, func, literal, select, union_all

from bot.database import Tx, read_object
from bot.database.schema import NOBODY, chats, histogram, totals
from bot.durations import DAY
from bot.games.known import GAMES
from bot.people import queries as people
from bot.people.leaderboard.queries import ALL_CHATS, periods, within
from bot.people.past import queries as past
from bot.people.past.piece import NOTHING, Piece

CHATS_AT_ONCE, LINES_AT_ONCE = 10, 40
"""Chats, and lines of their boards, that one transaction looks at."""
LATER = 35 * DAY
"""So much longer are the boards of all chats kept than each chat's own. They are the sum of the chats that
count, and a chat whose own days were gone first would leave its part of the sum behind."""
REACHED = "boards summed up"
"""The fact that says how far it has come."""
BEFORE_ALL = -(2**62)
"""Less than any chat's number."""
BEHIND = (
    select(chats.c.id).where(chats.c.id > bindparam("reached")).order_by(chats.c.id).limit(bindparam("most"))
)


@dataclass(frozen=True, slots=True)
class _Span:
    """Periods of one kind, in one game or in all, before a moment: `least` <= period < `end`."""

    least: str
    end: str
    """With as many characters as each of the periods."""
    is_day: bool = False
    """Whether these are the days of all games, of which the best is kept."""


def _spans(since: float | None, before: float) -> Iterator[_Span]:
    """The days and weeks from one moment to another; `since` None: from the first one."""
    _, _, last_week, last_day = periods(before)
    _, _, first_week, first_day = periods(since) if since is not None else ("",) * 4
    for game in (None, *GAMES):
        end = within(last_day, game)
        yield _Span(within(first_day or "0", game), end, is_day=game is None)
        end = within(last_week, game)
        yield _Span(within(first_week or "0", game), end)


@dataclass(frozen=True, slots=True)
class _Walk:
    """How far boards are summed up: those of chats up to `chat`, of days between two moments."""

    until: float
    """All that was over before is summed up, or being so."""
    since: float | None = None
    """All before that was so at the walk before; None: there was none."""
    chat: int | None = None
    """None: the walk is over."""


def _walk(tx: Tx) -> _Walk | None:
    """The last walk; None before the first."""
    told = read_object(people.fact(tx, REACHED))
    until, since, chat = (told.get(key) for key in ("until", "since", "chat"))
    if not isinstance(until, float) or not isinstance(since, float | None):
        return None
    return _Walk(until, since, chat if type(chat) is int else None)


def age(tx: Tx, now: float, kept: float) -> Piece:
    """Let a few lines go of boards of days and weeks that were over `kept` seconds before `now`.

    It goes on behind the last chat that was looked at, and each day from the first one again.
    """
    walk = _walk(tx)
    if walk is None or (walk.chat is None and now - kept - walk.until >= DAY):
        walk = _Walk(float(now - kept), walk.until if walk else None, BEFORE_ALL)
    if walk.chat is None:
        return NOTHING
    here = list(tx.scalars(BEHIND, {"reached": walk.chat, "most": CHATS_AT_ONCE}))
    if here:
        gone = _let_go(tx, here, _spans(walk.since, walk.until))
        if gone < LINES_AT_ONCE:
            walk = replace(walk, chat=here[-1])
    else:
        since = None if walk.since is None else walk.since - LATER
        gone = _let_go(tx, [ALL_CHATS], _spans(since, walk.until - LATER))
        if gone < LINES_AT_ONCE:
            walk = replace(walk, chat=None)
    people.remember(tx, REACHED, json.dumps(asdict(walk)))
    return Piece(gone, more=walk.chat is not None)


def forget(tx: Tx, chat_id: int) -> None:
    """Write nowhere that it has come as far as that chat: it begins again with the first one."""
    walk = _walk(tx)
    if walk is not None and walk.chat == chat_id:
        people.remember(tx, REACHED, json.dumps(asdict(replace(walk, chat=BEFORE_ALL))))


def _let_go(tx: Tx, here: Collection[int], spans: Iterable[_Span]) -> int:
    """Delete old days and weeks of those chats, up to `LINES_AT_ONCE`; returns how many, fewer where none is
    left.
    """
    spans, room = list(spans), LINES_AT_ONCE
    for table in (totals, histogram):
        gone = _first(tx, table, spans, here, room)
        if table is totals:
            past.keep_days(tx, [_best(row) for row in gone if _may_be_best(row)])
        _delete(tx, table, gone)
        room -= len(gone)
        if not room:
            break
    return LINES_AT_ONCE - room


def _first(
    tx: Tx, table: Table, spans: Sequence[_Span], here: Collection[int], most: int
) -> Sequence[Row[Any]]:
    """Lines of the spans, as many as that at most, and of each `is_day`: one statement for all of them."""
    least = {f"least_{n}": span.least for n, span in enumerate(spans)}
    ends = {f"end_{n}": span.end for n, span in enumerate(spans)}
    lengths = {f"length_{n}": len(span.end) for n, span in enumerate(spans)}
    return tx.execute(_old(table), {**least, **ends, **lengths, "here": list(here), "most": most}).all()


@cache
def _old(table: Table) -> Any:
    """Lines of `here` between `least` and `end`, for each of as many spans as there are; built once."""
    here = table.c.chat_id.in_(bindparam("here", expanding=True))

    def of(number: int, span: _Span) -> Any:
        period = (table.c.period >= bindparam(f"least_{number}"), table.c.period < bindparam(f"end_{number}"))
        length = func.length(table.c.period) == bindparam(f"length_{number}")
        return select(table, literal(int(span.is_day)).label("is_day")).where(here, *period, length)

    each = [of(number, span) for number, span in enumerate(_spans(None, 0.0))]
    return union_all(*each).limit(bindparam("most"))


def _delete(tx: Tx, table: Table, rows: Sequence[Row[Any]]) -> None:
    key = [column.name for column in table.primary_key]
    lines = [{f"its_{name}": row._mapping[name] for name in key} for row in rows]
    if lines:
        tx.execute(_gone(table), lines)


@cache
def _gone(table: Table) -> Any:
    return delete(table).where(*(column == bindparam(f"its_{column.name}") for column in table.primary_key))


def _may_be_best(row: Row[Any]) -> bool:
    return bool(row.is_day) and row.player_id > NOBODY and row.chat_id != ALL_CHATS


def _best(row: Any) -> dict[str, Any]:
    return {"chat_id": row.chat_id, "player_id": row.player_id, "points": row.points, "day": row.period}
