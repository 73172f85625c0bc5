"""Open rounds by their clocks: whose time is over, and whose message shows an old time left."""

import math
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Row, bindparam, exists, func, or_, select, update

from bot.database import Tx
from bot.database.schema import outbox, rounds
from bot.durations import MINUTE
from bot.rounds.puzzle import Kind
from bot.rounds.rows import is_in_state
from bot.rounds.rules import FINE_CLOCK_LIMIT, MAX_ROUND_SECONDS, CLOCK_STEP, State


@dataclass(frozen=True, slots=True)
class RoundClock:
    """An open round by its times."""

    round_id: int
    chat_id: int
    deadline: float
    drawn_at: float  # When its message was last drawn; 0 before


# Built once, since they are asked every moment and building takes longer than the database does

CLOCK_OPEN = is_in_state(State.OPEN)
CLOCKS = select(rounds.c.id, rounds.c.chat_id, rounds.c.deadline, rounds.c.shown).where(CLOCK_OPEN)
COMING = exists().where(outbox.c.lane == rounds.c.chat_id, outbox.c.state == "waiting")
DEAL_SENT = or_(rounds.c.message_id.is_not(None), ~COMING)
CLOCK_OVER = or_(rounds.c.deadline < bindparam("now"), rounds.c.deadline > bindparam("latest"))
DUE_CLOCKS = CLOCKS.where(CLOCK_OVER, DEAL_SENT).order_by(rounds.c.deadline)
NEXT_DEADLINE = select(func.min(rounds.c.deadline)).where(CLOCK_OPEN, rounds.c.deadline > bindparam("after"))
SHOWS_TIME = rounds.c.kind != Kind.LESSON.value  # whose message tells its few seconds once
DRAWN_BEFORE = (rounds.c.message_id.is_not(None), rounds.c.shown <= bindparam("a_tick_ago"))
CLOCK_LATE = or_(rounds.c.deadline <= bindparam("soon"), rounds.c.shown <= bindparam("a_minute_ago"))
RUNNING_CLOCKS = CLOCKS.where(*DRAWN_BEFORE, rounds.c.deadline > bindparam("now"), CLOCK_LATE, SHOWS_TIME).limit(200)
EXPIRE_ROUND = (
    update(rounds)
    .where(rounds.c.id == bindparam("this"), CLOCK_OPEN)
    .returning(rounds.c.chat_id, rounds.c.race_id, rounds.c.message_id)
)


def load_due_clocks(tx: Tx, now: float) -> list[RoundClock]:
    """Open rounds whose deadline is over, but for those whose deal is still on its way to their chat.

    One that no round can have, since a wrong clock has noted it, counts as over.
    """
    found = [RoundClock(*row) for row in tx.execute(DUE_CLOCKS, {"now": now, "latest": now + MAX_ROUND_SECONDS})]
    return [replace(clock, deadline=min(clock.deadline, now)) for clock in found]


def load_next_deadline(tx: Tx, after: float) -> float | None:
    """The earliest deadline of an open round that is later than `after`."""
    at = tx.scalar(NEXT_DEADLINE, {"after": after})
    return None if at is None else float(at)


def load_running_clocks(tx: Tx, now: float) -> list[RoundClock]:
    """Open rounds whose message may show an old time left."""
    moments = {"now": now, "soon": now + FINE_CLOCK_LIMIT, "a_tick_ago": now - CLOCK_STEP, "a_minute_ago": now - MINUTE}
    return [RoundClock(*row) for row in tx.execute(RUNNING_CLOCKS, moments) if math.isfinite(row.deadline)]


def force_expire(tx: Tx, round_id: int, now: float) -> Row[Any] | None:
    """End an open round of which nothing else can be done; its chat, its race and its message."""
    return tx.execute(EXPIRE_ROUND, {"this": round_id, "state": State.EXPIRED.value, "closed": now}).first()
