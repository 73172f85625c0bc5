"""Updates that came in and requests that must go out, as rows: what a crash can't take away.

An update is *waiting* from the commit that accepts it until the commit that holds everything it caused
(*done*: only its id is kept, so that a repeat is known), or until it failed too often (*dead*: kept whole
for the operator). A request to Telegram is written by the same commit and struck once it has arrived.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from bot.schema import inbox, outbox
from bot.store import Tx

REMEMBERED = 2 * 86_400.0
"""Seconds for which the id of a finished update is kept: Telegram itself repeats nothing older than a day."""

SHOW = "show"
"""A letter's pseudo-method: draw the round's message as the round stands when its turn comes."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """An update that waits."""

    update_id: int
    lane: int
    """The chat whose order it keeps, or the person where there is no chat."""
    body: str
    """JSON as it came."""
    tries: int = 0


@dataclass(frozen=True, slots=True)
class Letter:
    """A request to Telegram that waits."""

    id: int
    lane: int
    body: dict[str, Any]


def upsert(tx: Tx, table: Any) -> Any:
    """An INSERT of `table` that knows ON CONFLICT, for the database at hand."""
    return sqlite.insert(table) if tx.dialect.name == "sqlite" else postgresql.insert(table)


def accept(tx: Tx, updates: Iterable[Incoming], now: float) -> list[Incoming]:
    """Keep each update that wasn't seen before; returns those, in their order."""
    fresh = []
    for incoming in updates:
        row = {
            "update_id": incoming.update_id,
            "lane": incoming.lane,
            "body": incoming.body,
            "state": "waiting",
            "at": now,
        }
        added = tx.execute(upsert(tx, inbox).values(row).on_conflict_do_nothing())
        if added.rowcount:
            fresh.append(incoming)
    return fresh


def set_aside(tx: Tx, incoming: Incoming, trouble: str, now: float) -> None:
    """Keep an update that can't be handled, with what is needed to look at it."""
    row = {
        "update_id": incoming.update_id,
        "lane": incoming.lane,
        "body": incoming.body,
        "state": "dead",
        "trouble": trouble,
        "at": now,
    }
    statement = upsert(tx, inbox).values(row)
    tx.execute(
        statement.on_conflict_do_update(
            index_elements=["update_id"], set_={"state": "dead", "trouble": trouble, "at": now}
        )
    )


def strike(tx: Tx, update_id: int, now: float) -> bool:
    """Mark an update as handled; False when it already was."""
    waiting = and_(inbox.c.update_id == update_id, inbox.c.state == "waiting")
    return bool(tx.execute(update(inbox).where(waiting).values(state="done", body="", at=now)).rowcount)


def failed(tx: Tx, update_id: int, trouble: str) -> int:
    """Count a failure; returns how often the update failed by now."""
    this = inbox.c.update_id == update_id
    tx.execute(update(inbox).where(this).values(tries=inbox.c.tries + 1, trouble=trouble))
    return int(tx.scalar(select(inbox.c.tries).where(this)) or 0)


def bury(tx: Tx, update_id: int, now: float) -> None:
    """Set an update aside for good: nothing tries it again unless the operator asks."""
    tx.execute(update(inbox).where(inbox.c.update_id == update_id).values(state="dead", at=now))


def waiting_updates(tx: Tx) -> list[Incoming]:
    """Every update that a former run accepted and did not finish, oldest first."""
    return _incoming(tx, inbox.c.state == "waiting")


def dead_updates(tx: Tx) -> list[tuple[Incoming, str]]:
    """What was set aside, with its trouble."""
    columns = (inbox.c.update_id, inbox.c.lane, inbox.c.body, inbox.c.tries, inbox.c.trouble)
    rows = tx.execute(select(*columns).where(inbox.c.state == "dead").order_by(inbox.c.at))
    return [(Incoming(r.update_id, r.lane, r.body, r.tries), r.trouble or "") for r in rows]


def retry(tx: Tx, update_ids: Sequence[int]) -> int:
    """Let dead updates wait again; returns how many."""
    these = and_(inbox.c.state == "dead", inbox.c.update_id.in_(update_ids))
    return tx.execute(update(inbox).where(these).values(state="waiting", tries=0)).rowcount


def forget_old(tx: Tx, now: float) -> None:
    """Drop the ids of updates that nobody repeats any more."""
    tx.execute(delete(inbox).where(inbox.c.state == "done", inbox.c.at < now - REMEMBERED))


def post(tx: Tx, lane: int, body: dict[str, Any], now: float) -> Letter:
    """Keep a request to Telegram until it is struck."""
    added = tx.execute(
        insert(outbox).values(lane=lane, body=json.dumps(body, ensure_ascii=False), state="waiting", at=now)
    )
    (key,) = added.inserted_primary_key or (0,)
    return Letter(int(key), lane, body)


def waiting_letters(tx: Tx) -> list[Letter]:
    """Every request that a former run did not see arrive, oldest first."""
    rows = tx.execute(
        select(outbox.c.id, outbox.c.lane, outbox.c.body)
        .where(outbox.c.state == "waiting")
        .order_by(outbox.c.id)
    )
    return [Letter(r.id, r.lane, json.loads(r.body)) for r in rows]


def delivered(tx: Tx, letter: Letter) -> None:
    """Strike a request that arrived, or that no longer needs to."""
    tx.execute(delete(outbox).where(outbox.c.id == letter.id))


def undeliverable(tx: Tx, letter: Letter, trouble: str) -> None:
    """Set a request aside that Telegram won't take, or that may have arrived and must not be repeated."""
    tx.execute(update(outbox).where(outbox.c.id == letter.id).values(state="dead", trouble=trouble))


def backlog(tx: Tx) -> tuple[int, int]:
    """How many updates and requests wait."""
    updates = tx.scalar(select(func.count()).where(inbox.c.state == "waiting"))
    letters = tx.scalar(select(func.count()).where(outbox.c.state == "waiting"))
    return int(updates or 0), int(letters or 0)


def _incoming(tx: Tx, which: ColumnElement[bool]) -> list[Incoming]:
    columns = (inbox.c.update_id, inbox.c.lane, inbox.c.body, inbox.c.tries)
    rows = tx.execute(select(*columns).where(which).order_by(inbox.c.update_id))
    return [Incoming(r.update_id, r.lane, r.body, r.tries) for r in rows]
