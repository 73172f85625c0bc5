"""Queries of the inbox and the outbox, the durable queues of updates and of requests to Telegram.

States of an update: *waiting* from the commit that stores it until the commit that stores everything it
caused; then *done* (only its id is kept, to recognise repeats). After too many failures it is *dead* and kept
whole for the operator, who may mark it to be tried *again*.

States of a request: *waiting* from the commit that caused it until it has arrived, then its row is deleted.
A post in a group becomes *sent*: its time and message id are kept for a while. A request that can't be
delivered is *dead*, or *wish* if it belongs to a person's request to have their data deleted: the bot itself
goes on with such a one.
"""

import json
import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

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
from bot.durations import DAY

log = logging.getLogger(__name__)

# Ids from here on are those of board updates: Telegram never gives such ids.
FIRST_BOARD_UPDATE_ID = 2**62
NO_LANE = 0  # The lane of a done update, so that nothing of its sender is kept

# Pseudo-methods: requests that are turned into a real one when their turn comes
SHOW_ROUND = "show"  # Draw the message of a round in its present state
SEND_PERSONAL_DATA = "hand over"  # Send a person the file with all data that is kept of them
TELL_PRIVATELY = "to one"  # Tell one person of a group what nobody else may read, see `private_delivery`
DRAWN_POST_PREFIX = "post "  # Any other post that is drawn when its turn comes
# Keys that a stored request needs, and their types; every other method needs `params`.
REQUIRED_KEYS: dict[str, dict[str, Any]] = {
    SHOW_ROUND: {"round": int},
    SEND_PERSONAL_DATA: {"player": int},
    TELL_PRIVATELY: {"params": dict, "to": int, "ways": list, "until": int | float},
}

# Keys of a stored request
LATEST_ID_KEY = "after"  # The latest message of its chat when it was caused
CHECK_KEY = "doubt"  # The DeliveryCheck of a post that may have arrived
UNCHECKED_KEY = "left"  # Latest message and time before an ephemeral message whose result is not checked yet

# Kinds of `about` of the requests that belong to a deletion request: the person's data, the question whether
# it has arrived, and the last message.
DELETION_KINDS = ("forget", "ask", "gone")


@dataclass(frozen=True, slots=True)
class QueuedUpdate:
    """An update that waits in the inbox. The fields from `kind` on are not stored."""

    update_id: int
    lane: int  # The chat whose order it keeps, or the person where there is no chat
    body: str  # JSON as it came
    attempts: int = 0  # Attempts to handle it that failed
    # Identifies the press of a button, which a retrying client may send again under another update id. It is
    # a hash, since Telegram's id of the press contains the person's id.
    press_hash: str | None = None
    accepted_at: float = 0.0
    kind: str = ""  # An `UpdateKind`
    person_id: int = 0  # The sender, 0 for nobody
    queued_at: float = 0.0  # On the monotonic clock
    is_refused: bool = False  # It is answered without any work, because its sender asks for too much
    lease_token: int = 0  # The token of the lease under which it was queued

    def as_refused(self) -> "QueuedUpdate":
        return replace(self, is_refused=True)


@dataclass(frozen=True, slots=True)
class QueuedRequest:
    id: int
    lane: int
    body: dict[str, Any]
    stored_at: float = 0.0
    caused_by: int = 0  # The person who caused it, 0 for nobody or if the bot has been restarted since


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A dead update or request, as shown to the operator."""

    id: int
    lane: int
    at: float  # When it was accepted or dead-lettered
    reason: str
    body: str


# Updates. Statements are built once, since building them costs more than running them.

SELECT_SEEN = select(inbox.c.update_id).where(inbox.c.update_id.in_(bindparam("ids")))
SELECT_PRESSED = select(inbox.c.press).where(inbox.c.press.in_(bindparam("presses")))
INSERT_UPDATES = insert(inbox).values(state="waiting")


def insert_updates(tx: Tx, updates: Sequence[QueuedUpdate], now: float) -> list[QueuedUpdate]:
    """Store the updates whose id and press were not seen before, and return them in their order."""
    ids = [queued.update_id for queued in updates]
    presses = [queued.press_hash for queued in updates if queued.press_hash]
    seen = set(tx.scalars(SELECT_SEEN, {"ids": ids})) if ids else set()
    pressed = set(tx.scalars(SELECT_PRESSED, {"presses": presses})) if presses else set()
    new = list[QueuedUpdate]()
    for queued in updates:
        if queued.update_id in seen or queued.press_hash in pressed:
            continue
        seen.add(queued.update_id)
        if queued.press_hash:
            pressed.add(queued.press_hash)
        new.append(queued)
    if new:
        rows = [
            {"update_id": q.update_id, "lane": q.lane, "body": q.body, "press": q.press_hash, "at": now}
            for q in new
        ]
        tx.execute(INSERT_UPDATES, rows)
    return new


def insert_dead_update(tx: Tx, queued: QueuedUpdate, reason: str, now: float) -> None:
    """Store an update that can't be handled as a dead letter; if its id is stored, mark that row as dead."""
    dead = {"state": "dead", "trouble": reason, "at": read_server_time(tx, now)}
    row = {"update_id": queued.update_id, "lane": queued.lane, "body": queued.body}
    statement = build_insert(tx, inbox).values(**row, **dead)
    tx.execute(statement.on_conflict_do_update(index_elements=["update_id"], set_=dead))


MARK_DONE = (
    update(inbox)
    .where(inbox.c.update_id == bindparam("number"), inbox.c.state == "waiting")
    .values(state="done", body="", lane=NO_LANE, trouble=None, tries=0, at=bindparam("now"))
)
MARK_DONE_BY_SERVER_TIME = MARK_DONE.values(at=SERVER_TIME)


def mark_done(tx: Tx, update_id: int, now: float) -> bool:
    """Mark an update as handled and keep nothing but its id and press; False if it was not waiting."""
    if tx.dialect.name == "postgresql":  # another bot deletes the id, by a clock that may differ from ours
        return bool(tx.execute(MARK_DONE_BY_SERVER_TIME, {"number": update_id}).rowcount)
    return bool(tx.execute(MARK_DONE, {"number": update_id, "now": now}).rowcount)


COUNT_FAILURE = (
    update(inbox)
    .where(inbox.c.update_id == bindparam("number"))
    .values(tries=inbox.c.tries + 1, trouble=bindparam("what"))
    .returning(inbox.c.tries)
)


def count_failure(tx: Tx, update_id: int, reason: str) -> int:
    """Count a failed attempt to handle an update, store its reason, and return the number of failures."""
    return int(tx.scalar(COUNT_FAILURE, {"number": update_id, "what": reason}) or 0)


def dead_letter_update(tx: Tx, update_id: int, now: float) -> None:
    """Mark a waiting update as dead: it is not tried again unless the operator asks for it."""
    waits = (inbox.c.update_id == update_id, inbox.c.state == "waiting")
    tx.execute(update(inbox).where(*waits).values(state="dead", at=read_server_time(tx, now)))


SELECT_UPDATES = select(inbox.c.update_id, inbox.c.lane, inbox.c.body, inbox.c.tries, inbox.c.at)
SELECT_WAITING_UPDATES = SELECT_UPDATES.where(inbox.c.state == "waiting").order_by(inbox.c.update_id)
SELECT_WAITING_IN_LANES = SELECT_WAITING_UPDATES.where(inbox.c.lane.in_(bindparam("lanes", expanding=True)))


def load_waiting_updates(tx: Tx, lanes: Collection[int] | None = None) -> list[QueuedUpdate]:
    """Return the waiting updates of these lanes, or of all lanes, oldest first."""
    if lanes is None:
        return read_updates(tx, SELECT_WAITING_UPDATES)
    return read_updates(tx, SELECT_WAITING_IN_LANES, lanes=list(lanes))


def read_updates(tx: Tx, statement: Select[Any], **parameters: Any) -> list[QueuedUpdate]:
    """Run a statement like `SELECT_UPDATES`, and return the updates in the order of `sort_updates`."""
    rows = tx.execute(statement, parameters)
    return sort_updates([QueuedUpdate(r.update_id, r.lane, r.body, r.tries, accepted_at=r.at) for r in rows])


def sort_updates(updates: Sequence[QueuedUpdate]) -> list[QueuedUpdate]:
    """Put each board update before the first of Telegram's updates that was accepted later.

    `updates` are sorted by id. The ids of board updates tell nothing of their order. Telegram's updates stay
    sorted by id, since their times may come from the clocks of several bots.
    """
    telegram_updates = [queued for queued in updates if queued.update_id < FIRST_BOARD_UPDATE_ID]
    board_updates = [queued for queued in updates if queued.update_id >= FIRST_BOARD_UPDATE_ID]
    board_updates.sort(key=lambda queued: queued.accepted_at)
    ordered = list[QueuedUpdate]()
    for queued in telegram_updates:
        while board_updates and board_updates[0].accepted_at < queued.accepted_at:
            ordered.append(board_updates.pop(0))
        ordered.append(queued)
    return ordered + board_updates


# Requests

INSERT_REQUEST = insert(outbox).values(state="waiting")
UPDATE_REQUEST = update(outbox).where(outbox.c.id == bindparam("key"))
DELETE_REQUEST = delete(outbox).where(outbox.c.id == bindparam("key"))
SELECT_REQUESTS = select(outbox.c.id, outbox.c.lane, outbox.c.body, outbox.c.at)
SELECT_WAITING_REQUESTS = SELECT_REQUESTS.where(outbox.c.state == "waiting").order_by(outbox.c.id)


def insert_request(tx: Tx, lane: int, body: dict[str, Any], now: float, caused_by: int = 0) -> QueuedRequest:
    """Store a request to Telegram until it is delivered; `caused_by` is a person's id."""
    row = {"lane": lane, "body": json.dumps(body, ensure_ascii=False), "at": now}
    added = tx.execute(INSERT_REQUEST, row)
    (key,) = added.inserted_primary_key or (0,)  # the default is for mypy alone
    return QueuedRequest(int(key), lane, body, now, caused_by)


def update_request(tx: Tx, request: QueuedRequest) -> None:
    """Store the request's body as it is now."""
    body = json.dumps(request.body, ensure_ascii=False)
    tx.execute(UPDATE_REQUEST, {"key": request.id, "body": body})


def delete_requests(tx: Tx, requests: Collection[QueuedRequest]) -> None:
    """Delete requests that have arrived or are no longer needed."""
    if requests:
        tx.execute(DELETE_REQUEST, [{"key": request.id} for request in requests])


def is_of_deletion(request: QueuedRequest) -> bool:
    """Whether a request belongs to a deletion request, which is kept if it is refused."""
    return str(request.body.get("about", "")).partition(":")[0] in DELETION_KINDS


def dead_letter_request(tx: Tx, request: QueuedRequest, reason: str) -> None:
    """Mark a request as dead, or as a `wish` if it belongs to a deletion request."""
    state = "wish" if is_of_deletion(request) else "dead"
    tx.execute(UPDATE_REQUEST, {"key": request.id, "state": state, "trouble": reason})


def load_waiting_requests(tx: Tx) -> list[QueuedRequest]:
    """Return the waiting requests of all lanes that can be read, oldest first."""
    return read_requests(tx, SELECT_WAITING_REQUESTS)


def read_requests(tx: Tx, statement: Select[Any], **parameters: Any) -> list[QueuedRequest]:
    """Run a statement like `SELECT_REQUESTS`, and return the requests that can be read."""
    requests = list[QueuedRequest]()
    for row in tx.execute(statement, parameters):
        body = _parse_request(row.body)
        if body:
            requests.append(QueuedRequest(row.id, row.lane, body, row.at))
    return requests


def dead_letter_unreadable_requests(tx: Tx) -> int:
    """Mark waiting requests that can't be read as dead, since they would hold up others; return how many."""
    unreadable = [row.id for row in tx.execute(SELECT_WAITING_REQUESTS) if not _parse_request(row.body)]
    for number in unreadable:
        log.warning("request %s is set aside: it can't be read", number)
        tx.execute(UPDATE_REQUEST, {"key": number, "state": "dead", "trouble": "can't be read"})
    return len(unreadable)


def _parse_request(text: str) -> dict[str, Any] | None:
    """Read the body of a stored request; None if it lacks a key that it needs."""
    body = parse_object(text)
    method = body.get("method")
    if not isinstance(method, str):
        return None
    required = REQUIRED_KEYS.get(method, {"params": dict})
    if not all(isinstance(body.get(key), kind) for key, kind in required.items()):
        return None
    return body


SELECT_STORED_IDS = select(outbox.c.id).where(outbox.c.id.in_(bindparam("keys", expanding=True)))


def select_still_stored(tx: Tx, requests: Collection[QueuedRequest]) -> list[QueuedRequest]:
    """Return those of the requests that were not deleted meanwhile together with a person's data."""
    stored = set(tx.scalars(SELECT_STORED_IDS, {"keys": [request.id for request in requests]}))
    return [request for request in requests if request.id in stored]


# Posts in groups that have arrived

# Seconds for which the message ids of posts are kept in a group where more follow; a delivery check looks no
# further back.
POST_RETENTION = 900.0
MARK_POSTED = (
    update(outbox)
    .where(outbox.c.id == bindparam("key"))
    .values(state="sent", body=bindparam("number"), at=bindparam("now"))
)
DELETE_OLD_POSTS = delete(outbox).where(
    outbox.c.lane.in_(bindparam("lanes")), outbox.c.state == "sent", outbox.c.at < bindparam("before")
)


def mark_posted(tx: Tx, posts: Sequence[tuple[QueuedRequest, int]], now: float) -> None:
    """Keep the time and the message id of posts that have arrived in groups, and nothing else of them.

    Delete the groups' older posts, see `POST_RETENTION`. The time is the server's: the bot that serves the
    group next counts the posts by it.
    """
    if posts:
        at = read_server_time(tx, now)
        lanes = list({request.lane for request, _ in posts})
        tx.execute(DELETE_OLD_POSTS, {"lanes": lanes, "before": at - POST_RETENTION})
        rows = [{"key": request.id, "number": str(message_id), "now": at} for request, message_id in posts]
        tx.execute(MARK_POSTED, rows)


SELECT_POSTS = (
    select(outbox.c.lane, outbox.c.body, outbox.c.at).where(outbox.c.state == "sent").order_by(outbox.c.at)
)
SELECT_POSTS_IN_LANES = SELECT_POSTS.where(outbox.c.lane.in_(bindparam("lanes", expanding=True)))


def load_recent_posts(tx: Tx, lanes: Collection[int] | None = None) -> list[tuple[int, int, float]]:
    """Return group, message id (0 if unknown) and time of posts kept in these or all lanes, oldest first."""
    if lanes is None:
        rows = tx.execute(SELECT_POSTS)
    else:
        rows = tx.execute(SELECT_POSTS_IN_LANES, {"lanes": list(lanes)})
    return [(row.lane, parse_number(row.body) or 0, row.at) for row in rows]


# Dead letters


def load_dead_updates(tx: Tx) -> list[DeadLetter]:
    return _load_dead(tx, inbox, inbox.c.update_id)


def load_dead_requests(tx: Tx) -> list[DeadLetter]:
    """Return every dead request, oldest first; those of deletion requests are not among them."""
    return _load_dead(tx, outbox, outbox.c.id)


def _load_dead(tx: Tx, table: Table, key: Column[Any]) -> list[DeadLetter]:
    """Return the dead rows of a table with the id column `key`, oldest first."""
    columns = select(key.label("id"), table.c.lane, table.c.body, table.c.trouble, table.c.at)
    rows = tx.execute(columns.where(table.c.state == "dead").order_by(table.c.at))
    return [DeadLetter(r.id, r.lane, r.at, r.trouble or "", r.body) for r in rows]


SELECT_ANY_TO_RETRY = (
    select(inbox.c.lane)
    .where(inbox.c.state == "again")
    .union_all(select(outbox.c.lane).where(outbox.c.state == "again"))
)


def has_marked_for_retry(tx: Tx) -> bool:
    return tx.execute(SELECT_ANY_TO_RETRY).first() is not None


SELECT_UPDATES_TO_RETRY = SELECT_UPDATES.where(inbox.c.state == "again").order_by(inbox.c.update_id)
SELECT_REQUESTS_TO_RETRY = SELECT_REQUESTS.where(outbox.c.state == "again").order_by(outbox.c.id)


def requeue_marked(tx: Tx) -> tuple[list[QueuedUpdate], list[QueuedRequest]]:
    """Let the dead letters marked for a retry wait anew, and return them; unreadable requests stay dead."""
    # The operator has marked them by the state "again".
    updates = [replace(queued, attempts=0) for queued in read_updates(tx, SELECT_UPDATES_TO_RETRY)]
    requests = read_requests(tx, SELECT_REQUESTS_TO_RETRY)
    tx.execute(update(inbox).where(inbox.c.state == "again").values(state="waiting", tries=0))
    tx.execute(update(outbox).where(outbox.c.state == "again").values(state="waiting"))
    dead_letter_unreadable_requests(tx)
    return updates, requests


DONE_RETENTION = 2 * DAY  # Seconds for which ids of done updates are kept; Telegram repeats for a day at most
DEAD_RETENTION = 30 * DAY


def delete_expired_rows(tx: Tx, now: float) -> bool:
    """Delete a batch of rows that are no longer needed; return whether there may be more."""
    now = read_server_time(tx, now)  # if there is one: one of several bots deletes what all have stored
    is_done = (inbox.c.state == "done", inbox.c.lane == NO_LANE)  # the columns of an index
    return any(
        [  # a list, so that all four run
            delete_batch(tx, inbox, *is_done, inbox.c.at < now - DONE_RETENTION),
            delete_batch(tx, inbox, inbox.c.state == "dead", inbox.c.at < now - DEAD_RETENTION),
            delete_batch(tx, outbox, outbox.c.state == "dead", outbox.c.at < now - DEAD_RETENTION),
            delete_batch(tx, outbox, outbox.c.state == "sent", outbox.c.at < now - DONE_RETENTION),
        ]
    )
