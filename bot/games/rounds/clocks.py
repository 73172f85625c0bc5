"""Open rounds by their clocks: whose time is over, and whose message shows an old time left."""

import math
from dataclasses import dataclass

from sqlalchemy import and_, exists, func, or_, select

from bot.database import Tx
from bot.database.schema import outbox, rounds
from bot.games.rounds.rules import FINE, MINUTE, TICK, State


@dataclass(frozen=True, slots=True)
class Clock:
    """An open round whose message shows the time left."""

    round_id: int
    chat_id: int
    deadline: float
    shown: float
    """When the message was last drawn."""


@dataclass(frozen=True, slots=True)
class Due:
    """An open round whose deadline is over."""

    round_id: int
    chat_id: int
    deadline: float


def due(tx: Tx, now: float) -> list[Due]:
    """Open rounds whose deadline is over, but for those whose deal is still on its way to their chat."""
    coming = exists().where(outbox.c.lane == rounds.c.chat_id, outbox.c.state == "waiting")
    over = (rounds.c.state == State.OPEN.value, rounds.c.deadline < now)
    shown = or_(rounds.c.message_id.is_not(None), ~coming)
    columns = (rounds.c.id, rounds.c.chat_id, rounds.c.deadline)
    return [Due(*row) for row in tx.execute(select(*columns).where(*over, shown).order_by(rounds.c.deadline))]


def next_deadline(tx: Tx, after: float) -> float | None:
    """The earliest deadline of an open round that is later than `after`."""
    at = tx.scalar(
        select(func.min(rounds.c.deadline)).where(
            rounds.c.state == State.OPEN.value, rounds.c.deadline > after
        )
    )
    return None if at is None else float(at)


def clocks(tx: Tx, now: float) -> list[Clock]:
    """Open rounds whose message may show an old time left."""
    shown = and_(rounds.c.message_id.is_not(None), rounds.c.deadline > now, rounds.c.shown <= now - TICK)
    late = or_(rounds.c.deadline <= now + FINE, rounds.c.shown <= now - MINUTE)
    columns = (rounds.c.id, rounds.c.chat_id, rounds.c.deadline, rounds.c.shown)
    found = select(*columns).where(rounds.c.state == State.OPEN.value, shown, late).limit(200)
    return [Clock(*row) for row in tx.execute(found) if math.isfinite(row.deadline)]
