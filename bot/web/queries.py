"""How much there is: what an operator's graphs are drawn from. Nothing here looks through a whole table."""

from dataclasses import dataclass

from sqlalchemy import Column, Table, func, select

from bot.database import Tx
from bot.database.schema import chats, inbox, outbox, players, rounds
from bot.games.rounds.rules import State

UPDATES = ("waiting", "again", "dead")
REQUESTS = (*UPDATES, "wish")


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


@dataclass(frozen=True, slots=True)
class Known:
    """What grows for years, and is counted seldom for that."""

    chats: int
    players: int


def census(tx: Tx) -> Census:
    """The counts as they are now."""
    live = select(func.count()).where(rounds.c.state == State.OPEN.value)
    oldest = {"updates": _oldest(tx, inbox), "requests": _oldest(tx, outbox)}
    return Census(
        updates=_by(tx, inbox.c.state, *UPDATES),
        requests=_by(tx, outbox.c.state, *REQUESTS),
        oldest={name: at for name, at in oldest.items() if at is not None},
        live=int(tx.scalar(live) or 0),
    )


def known(tx: Tx) -> Known:
    """How many chats and people are known."""
    return Known(
        *(int(tx.scalar(select(func.count()).select_from(table)) or 0) for table in (chats, players))
    )


def _by(tx: Tx, state: "Column[str]", *wanted: str) -> dict[str, int]:
    counted = select(state, func.count()).where(state.in_(wanted)).group_by(state)
    return dict.fromkeys(wanted, 0) | {row[0]: row[1] for row in tx.execute(counted)}


def _oldest(tx: Tx, table: Table) -> float | None:
    at = tx.scalar(select(func.min(table.c.at)).where(table.c.state == "waiting"))
    return None if at is None else float(at)
