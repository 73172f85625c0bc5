"""Queries of the inbox and the outbox, the durable queues of updates and of requests to Telegram.

States of an update: *waiting* from the commit that stores it until the commit that stores everything it
caused; then *done* (only its id is kept, to recognise repeats). After too many failures it is *dead* and kept
whole for the operator, who may mark it to be tried *again*.

States of a request: *waiting* from the commit that caused it until it has arrived, then its row is deleted.
A post in a group becomes *sent*: its time and message id are kept for a while. A request that can't be
delivered is *dead*, or *wish* if it belongs to a person's request to have their data deleted: the bot itself
goes on with such a one.
"""

import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sqlalchemy import Column, Select, Table, bindparam, delete, insert, select, update

from bot.database import SERVER_TIME, Tx, build_insert_for, delete_batch, parse_number, read_server_time
from bot.database.schema import inbox, outbox
from bot.durations import DAY
from bot.queue.outgoing import Outgoing, decode, encode

log = logging.getLogger(__name__)

# Ids from here on are those of submissions from the board: Telegram never gives such ids.
FIRST_SUBMISSION_ID = 2**62
NO_LANE = 0  # The lane of a done update, so that nothing of its sender is kept

# Kinds of `about` of the requests that belong to a deletion request: the person's data, and the last message
DELETION_KINDS = ("forget", "gone")


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


@dataclass(slots=True)
class QueuedRequest:
    """A request that waits in the outbox."""

    id: int
    outgoing: Outgoing  # Replaced when it takes another form or its state changes
    stored_at: float = 0.0
    caused_by: int = 0  # The person who caused it, 0 for nobody or if the bot has been restarted since

    @property
    def lane(self) -> int:
        return self.outgoing.lane

    def update_state(self, **changes: Any) -> None:
        """Change fields of its `DeliveryState`, without storing them."""
        state = replace(self.outgoing.state, **changes)
        self.outgoing = replace(self.outgoing, state=state)


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
        tx.execute(INSERT_UPDATES, [_make_row(queued, now) for queued in new])
    return new


def _make_row(queued: QueuedUpdate, now: float) -> Mapping[str, object]:
    return {
        "update_id": queued.update_id,
        "lane": queued.lane,
        "body": queued.body,
        "press": queued.press_hash,
        "at": now,
    }


def insert_dead_update(tx: Tx, queued: QueuedUpdate, reason: str, now: float) -> None:
    """Store an update that can't be handled as a dead letter; if its id is stored, mark that row as dead."""
    dead = {"state": "dead", "trouble": reason, "at": read_server_time(tx, now)}
    row = {"update_id": queued.update_id, "lane": queued.lane, "body": queued.body}
    statement = build_insert_for(tx.dialect.name, inbox).values(**row, **dead)
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
    waiting = update(inbox).where(inbox.c.update_id == update_id, inbox.c.state == "waiting")
    tx.execute(waiting.values(state="dead", at=read_server_time(tx, now)))


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
    updates = [
        QueuedUpdate(row.update_id, row.lane, row.body, attempts=row.tries, accepted_at=row.at)
        for row in tx.execute(statement, parameters)
    ]
    return sort_updates(updates)


def sort_updates(updates: Sequence[QueuedUpdate]) -> list[QueuedUpdate]:
    """Put each submission before the first of Telegram's updates that was accepted later.

    `updates` are sorted by id. The ids of submissions tell nothing of their order. Telegram's updates stay
    sorted by id, since their times may come from the clocks of several bots.
    """
    telegram_updates = [queued for queued in updates if queued.update_id < FIRST_SUBMISSION_ID]
    submissions = [queued for queued in updates if queued.update_id >= FIRST_SUBMISSION_ID]
    submissions.sort(key=lambda queued: queued.accepted_at)
    ordered = list[QueuedUpdate]()
    for queued in telegram_updates:
        while submissions and submissions[0].accepted_at < queued.accepted_at:
            ordered.append(submissions.pop(0))
        ordered.append(queued)
    return ordered + submissions


# Requests

INSERT_REQUEST = insert(outbox).values(state="waiting")
UPDATE_REQUEST = update(outbox).where(outbox.c.id == bindparam("key"))
DELETE_REQUEST = delete(outbox).where(outbox.c.id == bindparam("key"))
SELECT_REQUESTS = select(outbox.c.id, outbox.c.lane, outbox.c.body, outbox.c.at)
SELECT_WAITING_REQUESTS = SELECT_REQUESTS.where(outbox.c.state == "waiting").order_by(outbox.c.id)


def insert_request(tx: Tx, outgoing: Outgoing, now: float, caused_by: int = 0) -> QueuedRequest:
    """Store a request to Telegram until it is delivered; `caused_by` is a person's id."""
    row = {"lane": outgoing.lane, "body": encode(outgoing), "at": now}
    added = tx.execute(INSERT_REQUEST, row)
    (key,) = added.inserted_primary_key or (0,)  # the default is for mypy alone
    return QueuedRequest(int(key), outgoing, now, caused_by)


def update_request(tx: Tx, request: QueuedRequest) -> None:
    tx.execute(UPDATE_REQUEST, {"key": request.id, "body": encode(request.outgoing)})


def delete_requests(tx: Tx, requests: Collection[QueuedRequest]) -> None:
    """Delete requests that have arrived or are no longer needed."""
    if requests:
        tx.execute(DELETE_REQUEST, [{"key": request.id} for request in requests])


def is_of_deletion(request: QueuedRequest) -> bool:
    """Whether a request belongs to a deletion request, which is kept if it is refused."""
    return request.outgoing.about_kind in DELETION_KINDS


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
        outgoing = decode(row.lane, row.body)
        if outgoing:
            requests.append(QueuedRequest(row.id, outgoing, row.at))
    return requests


def dead_letter_unreadable_requests(tx: Tx) -> int:
    """Mark waiting requests that can't be read as dead, since they would hold up others; return how many."""
    rows = tx.execute(SELECT_WAITING_REQUESTS).all()
    unreadable = [row for row in rows if not decode(row.lane, row.body)]
    for row in unreadable:
        log.warning("request %s is set aside: it can't be read", row.id)
        tx.execute(UPDATE_REQUEST, {"key": row.id, "state": "dead", "trouble": "can't be read"})
    return len(unreadable)


SELECT_STORED_IDS = select(outbox.c.id).where(outbox.c.id.in_(bindparam("keys", expanding=True)))


def select_still_stored(tx: Tx, requests: Collection[QueuedRequest]) -> list[QueuedRequest]:
    """Return those of the requests that were not deleted meanwhile together with a person's data."""
    ids = [request.id for request in requests]
    stored_ids = set(tx.scalars(SELECT_STORED_IDS, {"keys": ids}))
    return [request for request in requests if request.id in stored_ids]


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
        lanes = {request.lane for request, _ in posts}
        tx.execute(DELETE_OLD_POSTS, {"lanes": list(lanes), "before": at - POST_RETENTION})
        rows = [{"key": request.id, "number": str(message_id), "now": at} for request, message_id in posts]
        tx.execute(MARK_POSTED, rows)


SELECT_POSTS = (
    select(outbox.c.lane, outbox.c.body, outbox.c.at).where(outbox.c.state == "sent").order_by(outbox.c.at)
)
SELECT_POSTS_IN_LANES = SELECT_POSTS.where(outbox.c.lane.in_(bindparam("lanes", expanding=True)))


class SentPost(NamedTuple):
    """A post that has arrived in a group."""

    lane: int
    message_id: int  # 0 if unknown
    at: float


def load_recent_posts(tx: Tx, lanes: Collection[int] | None = None) -> list[SentPost]:
    """Return the posts kept in these or all lanes, oldest first."""
    if lanes is None:
        rows = tx.execute(SELECT_POSTS)
    else:
        rows = tx.execute(SELECT_POSTS_IN_LANES, {"lanes": list(lanes)})
    return [SentPost(row.lane, parse_number(row.body) or 0, row.at) for row in rows]


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
    return [DeadLetter(row.id, row.lane, row.at, row.trouble or "", row.body) for row in rows]


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
    marked_updates = update(inbox).where(inbox.c.state == "again")
    tx.execute(marked_updates.values(state="waiting", tries=0))
    marked_requests = update(outbox).where(outbox.c.state == "again")
    tx.execute(marked_requests.values(state="waiting"))
    dead_letter_unreadable_requests(tx)
    return updates, requests


DONE_RETENTION = 2 * DAY  # Seconds for which ids of done updates are kept; Telegram repeats for a day at most
DEAD_RETENTION = 30 * DAY


def delete_expired_rows(tx: Tx, now: float) -> bool:
    """Delete a batch of rows that are no longer needed; return whether there may be more."""
    now = read_server_time(tx, now)  # if there is one: one of several bots deletes what all have stored
    is_done = (inbox.c.state == "done", inbox.c.lane == NO_LANE)  # the columns of an index
    has_more = [
        delete_batch(tx, inbox, *is_done, inbox.c.at < now - DONE_RETENTION),
        delete_batch(tx, inbox, inbox.c.state == "dead", inbox.c.at < now - DEAD_RETENTION),
        delete_batch(tx, outbox, outbox.c.state == "dead", outbox.c.at < now - DEAD_RETENTION),
        delete_batch(tx, outbox, outbox.c.state == "sent", outbox.c.at < now - DONE_RETENTION),
    ]
    return any(has_more)


# Leases: of several bots on one database, each chat is served by the one that holds its lease.
#
# A lease has a token that is new with each owner. Every transaction for a chat checks the token, so a bot
# that was frozen or cut off changes nothing once another bot has taken over. A request to Telegram can't be
# taken back, so it is sent only while the lease can't have ended unnoticed.


class LaneLostError(Exception):
    """Another bot holds the lease, or leads: it goes on with what was under way."""


class Leases:
    """The leases of this bot. By default it has the database to itself: it owns all chats and leads."""

    shared = False  # Whether there may be other bots on the database
    backlog = 0  # Updates that wait for any bot, when last counted

    def owns(self, lane: int) -> bool:
        """Whether this bot has the lease, as far as it knows; always true without other bots."""
        return True

    def surely_owns(self, lane: int) -> bool:
        """Whether no other bot can have taken the lease by now; always true without other bots."""
        return True

    def get_token(self, lane: int) -> int:
        """Return the token of the lease; 0 if there is none, or none is needed."""
        return 0

    def check_token(self, tx: Tx, lane: int, token: int) -> None:
        """Lock the lease until `tx` ends, or raise LaneLostError if its token is another; here do nothing."""

    def mark_done(self, tx: Tx, update: QueuedUpdate, now: float) -> bool:
        """Mark an update as handled, see `mark_done`. Raises LaneLostError as `check_token` does."""
        self.check_token(tx, update.lane, update.lease_token)
        return mark_done(tx, update.update_id, now)

    def check_leader(self, tx: Tx) -> None:
        """Lock the lead until `tx` ends, or raise LaneLostError if another bot leads; here do nothing."""

    def load_waiting_updates(self, tx: Tx, lanes: Collection[int]) -> list[QueuedUpdate]:
        """Return all waiting updates in those of the lanes that it owns; none without other bots."""
        return []

    def notify_others(self) -> None:
        """Tell the other bots, if any, that something was stored that one of them may have to handle."""

    async def run_while_leader(self, part: Callable[[], Awaitable[None]]) -> None:
        """Run `part` while this bot leads, until `part` returns or raises; here the bot always leads."""
        await part()


SINGLE_BOT = Leases()
