"""Lists dead letters, and lets the operator retry or delete them.

`u17` is an update, `r17` a request to Telegram. A retry only marks them; the running bot requeues them within
`CHECK_INTERVAL` seconds, or the next one at its start. Requests that belong to a deletion request are never
among them: the bot itself tries those again.
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

CHECK_INTERVAL = 5.0  # Seconds between checks for marked dead letters
CHUNK_SIZE = 2000  # Dead letters that one statement changes; it takes 32 767 arguments at most
SHOWN_LENGTH = 200  # Characters of a body in the list


class DeadLetterError(Exception):
    """No such dead letter; the message is one line."""


async def watch_dead_letters(store: Store, inbox: Inbox, outbox: Outbox) -> None:
    """Requeue dead letters that are marked to be tried again, until cancelled."""
    while True:
        await asyncio.sleep(CHECK_INTERVAL)
        try:
            if await store.read(queries.has_marked_for_retry):
                updates, requests = await store.write(queries.requeue_marked)
                inbox.enqueue(updates)
                outbox.enqueue(requests)
        except Exception as error:
            if not is_database_failure(error):
                raise
            log.warning("dead letters wait for the database: %s", describe_error(error))


def list_dead_letters(tx: Tx) -> list[str]:
    """Return a line for each dead letter: its name, time, chat, reason, and how its body begins."""
    updates = [("u", letter) for letter in queries.load_dead_updates(tx)]
    requests = [("r", letter) for letter in queries.load_dead_requests(tx)]
    return [
        f"{kind}{letter.id}  {_format_time(letter.at)}  chat {letter.lane}"
        f"  {letter.reason or 'no reason kept'}  {letter.body[:SHOWN_LENGTH]}"
        for kind, letter in [*updates, *requests]
    ]


def _format_time(at: float) -> str:
    """Format a time; a broken row may have one that no calendar knows, which stays a number."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}" if 0 <= at < MAX_SECONDS else str(at)


def retry_dead_letters(tx: Tx, names: Sequence[str]) -> int:
    """Mark these dead letters, or all without names, to be tried again, and return how many.

    Raises DeadLetterError for an unknown name.
    """
    return _change_in_chunks(tx, queries.mark_for_retry, *_find_ids(tx, names))


def delete_dead_letters(tx: Tx, names: Sequence[str]) -> int:
    """Delete these dead letters, or all without names, and return how many.

    Raises DeadLetterError for an unknown name.
    """
    return _change_in_chunks(tx, queries.delete_dead, *_find_ids(tx, names))


def _change_in_chunks(
    tx: Tx,
    change: Callable[[Tx, Sequence[int], Sequence[int]], int],
    updates: Sequence[int],
    requests: Sequence[int],
) -> int:
    starts = range(0, max(len(updates), len(requests)), CHUNK_SIZE)
    return sum(change(tx, updates[n : n + CHUNK_SIZE], requests[n : n + CHUNK_SIZE]) for n in starts)


def _find_ids(tx: Tx, names: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the ids of updates and of requests with these names, or all without names."""
    updates = {f"u{letter.id}": letter.id for letter in queries.load_dead_updates(tx)}
    requests = {f"r{letter.id}": letter.id for letter in queries.load_dead_requests(tx)}
    deletions = {f"r{number}" for number in queries.load_failed_deletion_requests(tx)}
    for name in names:
        if name in deletions:
            raise DeadLetterError(
                f"{name} is somebody's wish to be forgotten: the bot goes on with it by itself"
            )
        if name not in updates and name not in requests:
            hint = "" if re.fullmatch(r"[ur]-?[0-9]+", name) else "; ids look like u17 or r4"
            raise DeadLetterError(f"no dead letter is called {name!r}{hint}")
    chosen = set(names) or {*updates, *requests}
    return [updates[n] for n in updates if n in chosen], [requests[n] for n in requests if n in chosen]
