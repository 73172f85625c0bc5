"""How much there is: what an operator's graphs are drawn from; and whether a tap was stored before.

Nothing here looks through a whole table.
"""

from dataclasses import dataclass
from math import inf

from sqlalchemy import ScalarSelect, Table, bindparam, func, literal, select, union_all

from bot.database import Tx
from bot.database.backup import BACKED_UP
from bot.database.schema import chats, inbox, outbox, players
from bot.database.stored import read_number
from bot.games.rounds.rows import is_in
from bot.games.rounds.rules import State
from bot.people.queries import fact

UPDATES = ("waiting", "again", "dead")
REQUESTS = (*UPDATES, "wish")
STORED = select(inbox.c.update_id).where(inbox.c.update_id == bindparam("number"))


@dataclass(frozen=True, slots=True)
class Census:
    """Counts of rows."""

    updates: dict[str, int]
    """By state, of those that are not done."""
    requests: dict[str, int]
    """To Telegram, by state, of those that have not arrived; *wish*: of a wish to be forgotten."""
    oldest: dict[str, float]
    """When the oldest of those that wait was written, of `updates` and of `requests`, where any waits."""
    live: int
    """Rounds that are open."""
    backed_up: float | None  # when the last backup was made; -inf if none was; None on a server


@dataclass(frozen=True, slots=True)
class Known:
    """What grows for years, and is counted seldom for that."""

    chats: int
    players: int


def _oldest(table: Table) -> ScalarSelect[float]:
    return select(func.min(table.c.at)).where(table.c.state == "waiting").scalar_subquery()


BY_STATE = union_all(
    *(
        select(literal(name), table.c.state, func.count())
        .where(table.c.state.in_(states))
        .group_by(table.c.state)
        for name, table, states in (("updates", inbox, UPDATES), ("requests", outbox, REQUESTS))
    )
)
LIVE = select(func.count()).where(is_in(State.OPEN)).scalar_subquery()
NOW = select(_oldest(inbox).label("updates"), _oldest(outbox).label("requests"), LIVE.label("live"))


def census(tx: Tx) -> Census:
    """The counts as they are now."""
    counts = {"updates": dict.fromkeys(UPDATES, 0), "requests": dict.fromkeys(REQUESTS, 0)}
    for name, state, count in tx.execute(BY_STATE):
        counts[name][state] = count
    now = tx.execute(NOW).one()
    oldest = {"updates": now.updates, "requests": now.requests}
    return Census(
        **counts,
        oldest={name: float(at) for name, at in oldest.items() if at is not None},
        live=int(now.live),
        backed_up=_read_backup_time(tx) if tx.dialect.name == "sqlite" else None,
    )


def _read_backup_time(tx: Tx) -> float:
    at = read_number(fact(tx, BACKED_UP) or "")
    return -inf if at is None else at


def known(tx: Tx) -> Known:
    """How many chats and people are known."""
    return Known(
        *(int(tx.scalar(select(func.count()).select_from(table)) or 0) for table in (chats, players))
    )


def is_stored(tx: Tx, update_id: int) -> bool:
    """Whether that update was stored before, be it handled or not."""
    return tx.scalar(STORED, {"number": update_id}) is not None
