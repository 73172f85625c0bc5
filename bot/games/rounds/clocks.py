"""Open rounds by their clocks: whose time is over, and whose message shows an old time left."""

import math
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, and_, exists, func, or_, select, update

from bot.database import Tx
from bot.database.schema import outbox, rounds
from bot.games.puzzle import Kind
from bot.games.rounds.rules import FINE, TICK, State
from bot.spans import MINUTE


@dataclass(frozen=True, slots=True)
class Clock:
    """An open round by its times."""

    round_id: int
    chat_id: int
    deadline: float
    shown: float
    """When its message was last drawn; 0 before."""


COLUMNS = (rounds.c.id, rounds.c.chat_id, rounds.c.deadline, rounds.c.shown)


def due(tx: Tx, now: float) -> list[Clock]:
    """Open rounds whose deadline is over, but for those whose deal is still on its way to their chat."""
    coming = exists().where(outbox.c.lane == rounds.c.chat_id, outbox.c.state == "waiting")
    over = (rounds.c.state == State.OPEN.value, rounds.c.deadline < now)
    shown = or_(rounds.c.message_id.is_not(None), ~coming)
    found = select(*COLUMNS).where(*over, shown).order_by(rounds.c.deadline)
    return [Clock(*row) for row in tx.execute(found)]


def next_deadline(tx: Tx, after: float) -> float | None:
    """The earliest deadline of an open round that is later than `after`."""
    later = (rounds.c.state == State.OPEN.value, rounds.c.deadline > after)
    at = tx.scalar(select(func.min(rounds.c.deadline)).where(*later))
    return None if at is None else float(at)


def clocks(tx: Tx, now: float) -> list[Clock]:
    """Open rounds whose message may show an old time left."""
    shown = and_(rounds.c.message_id.is_not(None), rounds.c.deadline > now, rounds.c.shown <= now - TICK)
    timed = rounds.c.kind != Kind.LESSON.value  # whose message tells its few seconds once
    late = or_(rounds.c.deadline <= now + FINE, rounds.c.shown <= now - MINUTE)
    found = select(*COLUMNS).where(rounds.c.state == State.OPEN.value, shown, late, timed).limit(200)
    return [Clock(*row) for row in tx.execute(found) if math.isfinite(row.deadline)]


def expire_plainly(tx: Tx, round_id: int, now: float) -> Row[Any] | None:
    """End an open round of which nothing else can be done; its chat, its race and its message."""
    open_one = update(rounds).where(rounds.c.id == round_id, rounds.c.state == State.OPEN.value)
    ended = open_one.values(state=State.EXPIRED.value, closed=now)
    return tx.execute(ended.returning(rounds.c.chat_id, rounds.c.race_id, rounds.c.message_id)).first()
