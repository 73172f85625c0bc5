"""Open rounds by their clocks: whose time is over, and whose message shows an old time left."""

import math
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Row, bindparam, exists, func, or_, select, update

from bot.database import Tx
from bot.database.schema import outbox, rounds
from bot.durations import MINUTE
from bot.rounds.puzzle import Kind
from bot.rounds.rows import is_in
from bot.rounds.rules import FINE, LONGEST, TICK, State


@dataclass(frozen=True, slots=True)
class Clock:
    """An open round by its times."""

    round_id: int
    chat_id: int
    deadline: float
    shown: float  # When its message was last drawn; 0 before


# Built once, since they are asked every moment and building takes longer than the database does

OPEN = is_in(State.OPEN)
CLOCKS = select(rounds.c.id, rounds.c.chat_id, rounds.c.deadline, rounds.c.shown).where(OPEN)
COMING = exists().where(outbox.c.lane == rounds.c.chat_id, outbox.c.state == "waiting")
SHOWN = or_(rounds.c.message_id.is_not(None), ~COMING)
OVER = or_(rounds.c.deadline < bindparam("now"), rounds.c.deadline > bindparam("latest"))
DUE = CLOCKS.where(OVER, SHOWN).order_by(rounds.c.deadline)
NEXT = select(func.min(rounds.c.deadline)).where(OPEN, rounds.c.deadline > bindparam("after"))
TIMED = rounds.c.kind != Kind.LESSON.value  # whose message tells its few seconds once
DRAWN = (rounds.c.message_id.is_not(None), rounds.c.shown <= bindparam("a_tick_ago"))
LATE = or_(rounds.c.deadline <= bindparam("soon"), rounds.c.shown <= bindparam("a_minute_ago"))
RUNNING = CLOCKS.where(*DRAWN, rounds.c.deadline > bindparam("now"), LATE, TIMED).limit(200)
EXPIRE = (
    update(rounds)
    .where(rounds.c.id == bindparam("this"), OPEN)
    .returning(rounds.c.chat_id, rounds.c.race_id, rounds.c.message_id)
)


def due(tx: Tx, now: float) -> list[Clock]:
    """Open rounds whose deadline is over, but for those whose deal is still on its way to their chat.

    One that no round can have, since a wrong clock has noted it, counts as over.
    """
    found = [Clock(*row) for row in tx.execute(DUE, {"now": now, "latest": now + LONGEST})]
    return [replace(clock, deadline=min(clock.deadline, now)) for clock in found]


def next_deadline(tx: Tx, after: float) -> float | None:
    """The earliest deadline of an open round that is later than `after`."""
    at = tx.scalar(NEXT, {"after": after})
    return None if at is None else float(at)


def clocks(tx: Tx, now: float) -> list[Clock]:
    """Open rounds whose message may show an old time left."""
    moments = {"now": now, "soon": now + FINE, "a_tick_ago": now - TICK, "a_minute_ago": now - MINUTE}
    return [Clock(*row) for row in tx.execute(RUNNING, moments) if math.isfinite(row.deadline)]


def expire_plainly(tx: Tx, round_id: int, now: float) -> Row[Any] | None:
    """End an open round of which nothing else can be done; its chat, its race and its message."""
    return tx.execute(EXPIRE, {"this": round_id, "state": State.EXPIRED.value, "closed": now}).first()
