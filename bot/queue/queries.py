"""Durable queues of updates and requests: their queries.

An update is *waiting* from the commit that accepts it until the commit that holds everything it caused
(*done*: only its id is kept, so that a repeat is known), or until it failed too often (*dead*: kept whole
for the operator, who may mark it to be tried *again*). A request to Telegram is written by the same commit
and deleted once it has arrived; of a post in a group the time stays for a minute (*sent*). One that was not
delivered and is of somebody's *wish* to be forgotten is the bot's to go on with, and no operator's.
"""

import json
import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from sqlalchemy import Column, Select, Table, bindparam, delete, insert, select, update

from bot.database import (
    SERVER_TIME,
    Tx,
    build_insert,
    delete_batch,
    parse_number,
    parse_object,
    read_server_time,
)
from bot.database.schema import inbox, outbox

# From here on updates have numbers that Telegram never gives: they are taps on a page of the bot's own.
FIRST_BOARD_UPDATE_ID = 2**62


class StoredUpdate(Protocol):
    """An update that waits."""

    @property
    def update_id(self) -> int:
        """Its number."""

    @property
    def accepted_at(self) -> float:
        """When it was accepted."""


S = TypeVar("S", bound=StoredUpdate)


def sort_updates(updates: Sequence[S]) -> list[S]:
    """Telegram's updates by their numbers, and each tap before the first of them that was accepted later.

    The numbers of taps tell nothing of their order. Nor do times tell that of Telegram's updates: several
    bots may have accepted them, each by its own clock. `updates` are in the order of their numbers.
    """
    taps = sorted(
        (one for one in updates if one.update_id >= FIRST_BOARD_UPDATE_ID), key=lambda one: one.accepted_at
    )
    if not taps:
        return list(updates)
    ordered = list[S]()
    for one in updates[: len(updates) - len(taps)]:
        while taps and taps[0].accepted_at < one.accepted_at:
            ordered.append(taps.pop(0))
        ordered.append(one)
    return ordered + taps


log = logging.getLogger(__name__)

# Seconds for which the numbers of posts in a busy group are kept: nothing else is looked for there.
POSTS_KEPT = 900.0
NO_LANE = 0  # The lane of an update that is handled: it says nothing of whose it was
EMPTIED = {"body": "", "lane": NO_LANE, "trouble": None, "tries": 0}

# A request's pseudo-method: a file with all that is kept of a person when its turn comes.
SEND_PERSONAL_DATA = "hand over"
DRAWN_POST_PREFIX = "post "  # How the pseudo-method of a post begins that is drawn when its turn comes
# What a request of a wish to be forgotten is about: the copy, whether it has come, the word that ends it.
DELETION_KINDS = ("forget", "ask", "gone")
SHOW_ROUND = (
    "show"  # A request's pseudo-method: draw the round's message as the round stands when its turn comes
)
# A request's pseudo-method: tell one person of a group what nobody else may read (see `delivery.secret`).
TELL_PRIVATELY = "to one"

# What such a request must have to be sent, or to wait for its turn; any other needs its parameters.
NEEDED: dict[str, dict[str, Any]] = {
    SHOW_ROUND: {"round": int},
    SEND_PERSONAL_DATA: {"player": int},
    TELL_PRIVATELY: {"params": dict, "to": int, "ways": list, "until": int | float},
}


@dataclass(frozen=True, slots=True)
class QueuedUpdate:
    """An update that waits."""

    update_id: int
    lane: int  # The chat whose order it keeps, or the person where there is no chat
    body: str  # JSON as it came
    attempts: int = 0
    # What tells the press, which a retrying client may send under another update's id; not Telegram's id of
    # it, which holds the person's own.
    press_hash: str | None = None
    accepted_at: float = 0.0  # When it was accepted
    # What it is, as far as its place in line goes; found out when it is queued, and not stored.
    kind: str = ""
    person_id: int = 0  # Who sent it, 0 for nobody; not stored either
    queued_at: float = 0.0  # When it was queued, on the monotonic clock
    is_refused: bool = False  # Whether it is answered without any work, because its sender asks for too much
    lease_token: int = 0  # The token of the claim under which it was queued (see `delivery.claims`)

    def as_refused(self) -> "QueuedUpdate":
        """The same, refused."""
        return replace(self, is_refused=True)


@dataclass(frozen=True, slots=True)
class QueuedRequest:
    """A request to Telegram that waits."""

    id: int
    lane: int
    body: dict[str, Any]
    stored_at: float = 0.0  # When it was written
    caused_by: int = 0  # Who caused it, 0 for nobody or for somebody before the last start


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """An update or a request that was dead-lettered, as an operator looks at it."""

    id: int
    lane: int
    at: float  # When it was accepted or dead-lettered
    reason: str
    body: str


# Statements that every update needs are built once: that costs more than running them.
SEEN = select(inbox.c.update_id).where(inbox.c.update_id.in_(bindparam("ids")))
PRESSED = select(inbox.c.press).where(inbox.c.press.in_(bindparam("presses")))
ACCEPT = insert(inbox).values(state="waiting")
FAILED = (
    update(inbox)
    .where(inbox.c.update_id == bindparam("number"))
    .values(tries=inbox.c.tries + 1, trouble=bindparam("what"))
    .returning(inbox.c.tries)
)
UPDATES = select(inbox.c.update_id, inbox.c.lane, inbox.c.body, inbox.c.tries, inbox.c.at)
SELECT_WAITING_UPDATES = UPDATES.where(inbox.c.state == "waiting").order_by(inbox.c.update_id)
UPDATES_HERE = SELECT_WAITING_UPDATES.where(inbox.c.lane.in_(bindparam("lanes", expanding=True)))
MARK_DONE = (
    update(inbox)
    .where(inbox.c.update_id == bindparam("number"), inbox.c.state == "waiting")
    .values(**EMPTIED, state="done", at=bindparam("now"))
)
MARK_DONE_THERE = MARK_DONE.values(at=SERVER_TIME)  # on a server: another bot's clock forgets it else
ENQUEUE = insert(outbox).values(state="waiting")
DELIVERED = delete(outbox).where(outbox.c.id == bindparam("key"))
CHANGE = update(outbox).where(outbox.c.id == bindparam("key"))
KEPT = select(outbox.c.id).where(outbox.c.id.in_(bindparam("keys", expanding=True)))
REQUESTS = select(outbox.c.id, outbox.c.lane, outbox.c.body, outbox.c.at)
SELECT_WAITING_REQUESTS = REQUESTS.where(outbox.c.state == "waiting").order_by(outbox.c.id)
POSTS = (
    select(outbox.c.lane, outbox.c.body, outbox.c.at).where(outbox.c.state == "sent").order_by(outbox.c.at)
)
POSTS_HERE = POSTS.where(outbox.c.lane.in_(bindparam("lanes", expanding=True)))
AGAIN_UPDATES = UPDATES.where(inbox.c.state == "again").order_by(inbox.c.update_id)
AGAIN_REQUESTS = REQUESTS.where(outbox.c.state == "again").order_by(outbox.c.id)
ASKED_AGAIN = (
    select(inbox.c.lane)
    .where(inbox.c.state == "again")
    .union_all(select(outbox.c.lane).where(outbox.c.state == "again"))
)
POSTED = (
    update(outbox)
    .where(outbox.c.id == bindparam("key"))
    .values(state="sent", body=bindparam("number"), at=bindparam("now"))
)
OLD_POSTS = delete(outbox).where(
    outbox.c.lane.in_(bindparam("lanes")),
    outbox.c.state == "sent",
    outbox.c.at < bindparam("before"),
)


def insert_updates(tx: Tx, updates: Sequence[QueuedUpdate], now: float) -> list[QueuedUpdate]:
    """Store each update, and each press, that wasn't seen before; returns those, in their order."""
    ids = [incoming.update_id for incoming in updates]
    presses = [incoming.press_hash for incoming in updates if incoming.press_hash]
    seen = set(tx.scalars(SEEN, {"ids": ids})) if ids else set()
    pressed = set(tx.scalars(PRESSED, {"presses": presses})) if presses else set()
    fresh = list[QueuedUpdate]()
    for incoming in updates:
        if incoming.update_id in seen or incoming.press_hash in pressed:
            continue
        seen.add(incoming.update_id)
        if incoming.press_hash:
            pressed.add(incoming.press_hash)
        fresh.append(incoming)
    rows = [
        {"update_id": i.update_id, "lane": i.lane, "body": i.body, "press": i.press_hash, "at": now}
        for i in fresh
    ]
    if rows:
        tx.execute(ACCEPT, rows)
    return fresh


def insert_dead_update(tx: Tx, incoming: QueuedUpdate, trouble: str, now: float) -> None:
    """Dead-letter an update that was never stored, since it can't be handled."""
    now = read_server_time(tx, now)
    row = {"update_id": incoming.update_id, "lane": incoming.lane, "body": incoming.body}
    statement = build_insert(tx, inbox).values(**row, state="dead", trouble=trouble, at=now)
    tx.execute(
        statement.on_conflict_do_update(
            index_elements=["update_id"], set_={"state": "dead", "trouble": trouble, "at": now}
        )
    )


def mark_done(tx: Tx, update_id: int, now: float) -> bool:
    """Mark an update as handled, and keep of it only that it was; False when it already was."""
    shared = tx.dialect.name == "postgresql"
    done = {"number": update_id} if shared else {"number": update_id, "now": now}
    return bool(tx.execute(MARK_DONE_THERE if shared else MARK_DONE, done).rowcount)


def count_failure(tx: Tx, update_id: int, trouble: str) -> int:
    """Count a failure; returns how often the update failed by now."""
    return int(tx.scalar(FAILED, {"number": update_id, "what": trouble}) or 0)


def dead_letter_update(tx: Tx, update_id: int, now: float) -> None:
    """Dead-letter an update: nothing tries it again unless the operator asks."""
    this = (inbox.c.update_id == update_id, inbox.c.state == "waiting")
    tx.execute(update(inbox).where(*this).values(state="dead", at=read_server_time(tx, now)))


def load_waiting_updates(tx: Tx, lanes: Collection[int] | None = None) -> list[QueuedUpdate]:
    """The updates that were accepted and are not finished, oldest first: all, or those of these lanes."""
    here = {} if lanes is None else {"lanes": list(lanes)}
    return read_updates(tx, UPDATES_HERE if here else SELECT_WAITING_UPDATES, **here)


def insert_request(tx: Tx, lane: int, body: dict[str, Any], now: float, caused_by: int = 0) -> QueuedRequest:
    """Store a request to Telegram until it is delivered; `by` whoever caused it."""
    added = tx.execute(ENQUEUE, {"lane": lane, "body": json.dumps(body, ensure_ascii=False), "at": now})
    (key,) = added.inserted_primary_key or (0,)
    return QueuedRequest(int(key), lane, body, now, caused_by)


def load_waiting_requests(tx: Tx) -> list[QueuedRequest]:
    """Every request that a former run did not see arrive, oldest first."""
    return read_requests(tx, SELECT_WAITING_REQUESTS)


def dead_letter_unreadable_requests(tx: Tx) -> int:
    """Dead-letter waiting requests that can't be read, so that they hold up no others; returns how many."""
    broken = [row.id for row in tx.execute(SELECT_WAITING_REQUESTS) if _request(row.body) is None]
    for number in broken:
        log.warning("request %s is set aside: it can't be read", number)
        tx.execute(CHANGE, {"key": number, "state": "dead", "trouble": "can't be read"})
    return len(broken)


def _request(body: str) -> dict[str, Any] | None:
    """A stored request; None for what can't be sent."""
    read = parse_object(body)
    method = read.get("method")
    if not isinstance(method, str):
        return None
    needed = NEEDED.get(method, {"params": dict})
    return read if all(isinstance(read.get(key), kind) for key, kind in needed.items()) else None


def select_still_stored(tx: Tx, requests: Collection[QueuedRequest]) -> list[QueuedRequest]:
    """Those of the requests that are still stored: whose they are may have been forgotten meanwhile."""
    stored = set(tx.scalars(KEPT, {"keys": [request.id for request in requests]}))
    return [request for request in requests if request.id in stored]


def delete_requests(tx: Tx, requests: Collection[QueuedRequest]) -> None:
    """Forget requests that arrived, or that no longer need to."""
    if requests:
        tx.execute(DELIVERED, [{"key": request.id} for request in requests])


def mark_posted(tx: Tx, arrived: Sequence[tuple[QueuedRequest, int]], at: float) -> None:
    """Keep of posts that arrived in groups, each with its message's number, only that and when.

    That is by the `clock`: whoever serves the group next counts them, whatever its machine's clock shows.
    """
    if arrived:
        at = read_server_time(tx, at)
        lanes = list({request.lane for request, _ in arrived})
        tx.execute(OLD_POSTS, {"lanes": lanes, "before": at - POSTS_KEPT})
        tx.execute(POSTED, [{"key": request.id, "number": str(n), "now": at} for request, n in arrived])


def load_recent_posts(tx: Tx, lanes: Collection[int] | None = None) -> list[tuple[int, int, float]]:
    """Group, message's number (0: not known) and time of each post there that is kept, oldest first."""
    kept = tx.execute(POSTS) if lanes is None else tx.execute(POSTS_HERE, {"lanes": list(lanes)})
    return [(row.lane, parse_number(row.body) or 0, row.at) for row in kept]


def update_request(tx: Tx, request: QueuedRequest) -> None:
    """Store the request as it is now."""
    body = json.dumps(request.body, ensure_ascii=False)
    tx.execute(CHANGE, {"key": request.id, "body": body})


def dead_letter_request(tx: Tx, request: QueuedRequest, trouble: str) -> None:
    """Dead-letter a request that Telegram won't take, or that may have arrived and must not be repeated.

    One of a wish to be forgotten is kept for the bot instead.
    """
    kind = str(request.body.get("about", "")).partition(":")[0]
    state = "wish" if kind in DELETION_KINDS else "dead"
    tx.execute(CHANGE, {"key": request.id, "state": state, "trouble": trouble})


def load_dead_updates(tx: Tx) -> list[DeadLetter]:
    """Every update that was dead-lettered."""
    return _dead(tx, inbox, inbox.c.update_id)


def load_dead_requests(tx: Tx) -> list[DeadLetter]:
    """Every request that was dead-lettered; a wish to be forgotten is none."""
    return _dead(tx, outbox, outbox.c.id)


def load_failed_deletion_requests(tx: Tx) -> list[int]:
    """The requests of wishes to be forgotten that were not delivered."""
    return list(tx.scalars(select(outbox.c.id).where(outbox.c.state == "wish")))


def mark_for_retry(tx: Tx, updates: Collection[int], requests: Collection[int]) -> int:
    """Mark these dead letters for the bot to try again, now or at its next start; returns how many."""
    again = (
        update(inbox).where(inbox.c.state == "dead", inbox.c.update_id.in_(updates)).values(state="again"),
        update(outbox).where(outbox.c.state == "dead", outbox.c.id.in_(requests)).values(state="again"),
    )
    return sum(tx.execute(statement).rowcount for statement in again)


def delete_dead(tx: Tx, updates: Collection[int], requests: Collection[int]) -> int:
    """Delete these dead letters; returns how many there were."""
    gone = (
        delete(inbox).where(inbox.c.state == "dead", inbox.c.update_id.in_(updates)),
        delete(outbox).where(outbox.c.state == "dead", outbox.c.id.in_(requests)),
    )
    return sum(tx.execute(statement).rowcount for statement in gone)


def has_marked_for_retry(tx: Tx) -> bool:
    """Whether an operator wants anything tried again."""
    return tx.execute(ASKED_AGAIN).first() is not None


def requeue_marked(tx: Tx) -> tuple[list[QueuedUpdate], list[QueuedRequest]]:
    """Requeue what is marked to be tried again; returns it."""
    asked, wanted = read_updates(tx, AGAIN_UPDATES), read_requests(tx, AGAIN_REQUESTS)
    tx.execute(update(inbox).where(inbox.c.state == "again").values(state="waiting", tries=0))
    tx.execute(update(outbox).where(outbox.c.state == "again").values(state="waiting"))
    dead_letter_unreadable_requests(tx)
    return [replace(incoming, attempts=0) for incoming in asked], wanted


def read_updates(tx: Tx, statement: Select[Any], **known: Any) -> list[QueuedUpdate]:
    """The updates that are asked for, by their numbers, in their order."""
    rows = tx.execute(statement, known)
    return sort_updates([QueuedUpdate(r.update_id, r.lane, r.body, r.tries, accepted_at=r.at) for r in rows])


def read_requests(tx: Tx, statement: Select[Any], **known: Any) -> list[QueuedRequest]:
    """The requests that are asked for and can be read."""
    rows = tx.execute(statement, known)
    return [QueuedRequest(r.id, r.lane, body, r.at) for r in rows if (body := _request(r.body)) is not None]


def _dead(tx: Tx, table: Table, key: Column[Any]) -> list[DeadLetter]:
    kept = select(key.label("id"), table.c.lane, table.c.body, table.c.trouble, table.c.at)
    rows = tx.execute(kept.where(table.c.state == "dead").order_by(table.c.at))
    return [DeadLetter(r.id, r.lane, r.at, r.trouble or "", r.body) for r in rows]


# Seconds for which the id of a finished update is kept: Telegram itself repeats nothing older than a day.
REMEMBERED = 2 * 86_400.0
DEAD_KEPT = 30 * 86_400.0  # Seconds for which an operator can look at a dead letter

DONE = inbox.c.state == "done"


def delete_expired_rows(tx: Tx, now: float) -> bool:
    """Drop the ids of updates that nobody repeats any more, and what nobody will look at again.

    So many at once, for whoever waits; whether there may be more. A server's clock goes before `now`, since
    one of several bots clears away what all have stored.
    """
    now = read_server_time(tx, now)
    left = [
        delete_batch(tx, inbox, DONE, inbox.c.lane == NO_LANE, inbox.c.at < now - REMEMBERED),
        delete_batch(tx, inbox, inbox.c.state == "dead", inbox.c.at < now - DEAD_KEPT),
        delete_batch(tx, outbox, outbox.c.state == "dead", outbox.c.at < now - DEAD_KEPT),
        delete_batch(tx, outbox, outbox.c.state == "sent", outbox.c.at < now - REMEMBERED),
    ]
    return any(left)
