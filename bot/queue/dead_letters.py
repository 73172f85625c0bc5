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
from typing import Any

from sqlalchemy import Table, delete, update

from bot.database import Store, Tx, describe_error, is_database_failure
from bot.database.schema import inbox, outbox
from bot.queue import queries
from bot.queue.inbox import Inbox
from bot.queue.outbox import Outbox

log = logging.getLogger(__name__)

CHECK_INTERVAL = 5.0  # Seconds between checks for marked dead letters
SHOWN_LENGTH = 200  # Characters of a body in the list


class DeadLetterError(Exception):
    """No such dead letter; the message is one line."""


async def watch_dead_letters(store: Store, to_handle: Inbox, to_send: Outbox) -> None:
    """Requeue dead letters that are marked to be tried again, until cancelled. Survives database failures."""
    while True:
        await asyncio.sleep(CHECK_INTERVAL)
        try:
            if await store.read(queries.has_marked_for_retry):
                updates, requests = await store.write(queries.requeue_marked)
                to_handle.enqueue(updates)
                to_send.enqueue(requests)
        except Exception as error:
            if not is_database_failure(error):
                raise
            log.warning("dead letters wait for the database: %s", describe_error(error))


def list_dead_letters(tx: Tx) -> list[str]:
    """Return a line for each dead letter: its name, time, chat, reason, and how its body begins."""
    updates = [("u", letter) for letter in queries.load_dead_updates(tx)]
    requests = [("r", letter) for letter in queries.load_dead_requests(tx)]
    lines = list[str]()
    for prefix, letter in [*updates, *requests]:
        at = datetime.fromtimestamp(letter.at, UTC)
        reason = letter.reason or "no reason kept"
        body = letter.body[:SHOWN_LENGTH]
        lines.append(f"{prefix}{letter.id}  {at:%Y-%m-%d %H:%M:%S}  chat {letter.lane}  {reason}  {body}")
    return lines


def retry_dead_letters(tx: Tx, names: Sequence[str]) -> int:
    """Mark these dead letters, or all without names, for a retry; return how many. Raises DeadLetterError."""
    return _change_dead_letters(tx, names, lambda table: update(table).values(state="again"))


def delete_dead_letters(tx: Tx, names: Sequence[str]) -> int:
    """Delete these dead letters, or all without names, and return how many. Raises DeadLetterError."""
    return _change_dead_letters(tx, names, delete)


ID_COLUMNS = {"u": inbox.c.update_id, "r": outbox.c.id}  # By the first letter of a name


def _change_dead_letters(tx: Tx, names: Sequence[str], build_change: Callable[[Table], Any]) -> int:
    """Run a change for these dead letters (none: for all); return how many. Raises DeadLetterError."""
    if not names:
        changes = [build_change(table).where(table.c.state == "dead") for table in (inbox, outbox)]
        return sum(tx.execute(change).rowcount for change in changes)
    for name in set(names):
        _change_dead_letter(tx, name, build_change)
    return len(set(names))


def _change_dead_letter(tx: Tx, name: str, build_change: Callable[[Table], Any]) -> None:
    """Run a change for one dead letter. Raises DeadLetterError if there is none of this name."""
    match = re.fullmatch("([ur])([0-9]{1,18})", name)
    if match is None:
        raise DeadLetterError(f"no dead letter is called {name!r}; ids look like u17 or r4")
    letter, number = match.groups()
    id_column = ID_COLUMNS[letter]
    table = id_column.table
    change = build_change(table).where(id_column == int(number), table.c.state == "dead")
    if not tx.execute(change).rowcount:
        raise DeadLetterError(f"no dead letter is called {name!r}")
