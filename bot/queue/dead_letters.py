"""Dead letters: updates and requests that failed for good, for an operator to look at, retry or drop.

`u17` is an update, `r17` a request to Telegram. A retry only marks them; the bot that runs on the database
requeues them within `LOOK` seconds, or the next one at its start. What somebody needs to be forgotten is
never among them, however often Telegram refused it: the bot goes on with it by itself.
"""

import asyncio
import logging
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from bot.database import Store, Tx, describe_error, is_database_failure
from bot.database.schema import MAX_SECONDS
from bot.queue import queries
from bot.queue.inbox import Inbox
from bot.queue.outbox import Outbox

log = logging.getLogger(__name__)

LOOK = 5.0  # Seconds between two looks at what an operator marked
MOST = 2000  # Dead letters that one statement changes
SHOWN = 200  # Characters of a body that the list shows


class DeadLetterError(Exception):
    """No such dead letter; the message is one line."""


async def watch_dead_letters(store: Store, inbox: Inbox, outbox: Outbox) -> None:
    """Requeue what an operator marks, for as long as it is not cancelled."""
    while True:
        await asyncio.sleep(LOOK)
        try:
            await requeue_dead_letters(store, inbox, outbox)
        except Exception as error:
            if not is_database_failure(error):
                raise
            log.warning("dead letters wait for the database: %s", describe_error(error))


async def requeue_dead_letters(store: Store, inbox: Inbox, outbox: Outbox) -> None:
    """Requeue what is marked to be tried again."""
    if await store.read(queries.has_marked_for_retry):
        updates, requests = await store.write(queries.requeue_marked)
        inbox.enqueue(updates)
        outbox.enqueue(requests)


def list_dead_letters(tx: Tx) -> list[str]:
    """A line for each dead letter: its id, when, in which chat, what went wrong, and how it begins."""
    dead = [("u", d) for d in queries.load_dead_updates(tx)] + [
        ("r", d) for d in queries.load_dead_requests(tx)
    ]
    return [
        f"{kind}{d.id}  {_date(d.at)}  chat {d.lane}  {d.reason or 'no reason kept'}  {d.body[:SHOWN]}"
        for kind, d in dead
    ]


def _date(at: float) -> str:
    """The moment as a date; the bare number where a broken row has one that no calendar knows."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}" if 0 <= at < MAX_SECONDS else str(at)


def retry_dead_letters(tx: Tx, names: Sequence[str]) -> int:
    """Mark these, or with no names all, to be tried again; returns how many. Raises DeadError."""
    return _by_parts(tx, queries.mark_for_retry, *_chosen(tx, names))


def delete_dead_letters(tx: Tx, names: Sequence[str]) -> int:
    """Throw these, or with no names all, away; returns how many. Raises DeadError."""
    return _by_parts(tx, queries.delete_dead, *_chosen(tx, names))


def _by_parts(
    tx: Tx,
    act: Callable[[Tx, Sequence[int], Sequence[int]], int],
    updates: Sequence[int],
    requests: Sequence[int],
) -> int:
    """Do that to so many at a time: a statement takes no more than 32 767 arguments."""
    parts = range(0, max(len(updates), len(requests)), MOST)
    return sum(act(tx, updates[n : n + MOST], requests[n : n + MOST]) for n in parts)


def _chosen(tx: Tx, names: Sequence[str]) -> tuple[list[int], list[int]]:
    updates = {f"u{d.id}": d.id for d in queries.load_dead_updates(tx)}
    requests = {f"r{d.id}": d.id for d in queries.load_dead_requests(tx)}
    wishes = {f"r{number}" for number in queries.load_failed_deletion_requests(tx)}
    for name in names:
        if name in wishes:
            raise DeadLetterError(
                f"{name} is somebody's wish to be forgotten: the bot goes on with it by itself"
            )
        if name not in updates and name not in requests:
            hint = "" if re.fullmatch(r"[ur]-?[0-9]+", name) else "; ids look like u17 or r4"
            raise DeadLetterError(f"no dead letter is called {name!r}{hint}")
    chosen = set(names) or {*updates, *requests}
    return [updates[n] for n in updates if n in chosen], [requests[n] for n in requests if n in chosen]
