"""Dead letters are listed, deleted, and marked by an operator for the running bot to retry."""

import asyncio
from collections.abc import Iterable
from typing import cast

import pytest

from bot.database.schema import inbox, outbox
from bot.queue import dead_letters
from bot.queue.inbox import Inbox
from bot.queue.outbox import Outbox
from bot.queue.queries import QueuedRequest, QueuedUpdate
from tests.bot.queue.queue_database import FULL_DISK, QueueDatabase
from tests.fake_time import advance_time, with_fake_time

BODY = '{"method": "sendMessage", "params": {"text": "x"}}'


def make_database() -> QueueDatabase:
    database = QueueDatabase()
    for number, state in ((17, "dead"), (18, "waiting"), (19, "dead")):
        values = {"update_id": number, "lane": -5, "body": "{}" * 150, "state": state}
        database.insert(
            inbox, **values, at=86_400.0 + number, tries=3, trouble="oops" if number == 17 else None
        )
    for number, state in ((17, "dead"), (18, "wish"), (20, "waiting")):
        database.insert(outbox, id=number, lane=7, body=BODY, state=state, at=0.0, trouble="kicked")
    return database


class Queues:
    """The inbox and the outbox; they record what is enqueued."""

    def __init__(self) -> None:
        self.updates: list[tuple[int, int]] = []
        self.requests: list[int] = []

    def enqueue(self, queued: Iterable[QueuedUpdate | QueuedRequest]) -> None:
        for item in queued:
            if isinstance(item, QueuedUpdate):
                self.updates.append((item.update_id, item.attempts))
            else:
                self.requests.append(item.id)


def start_watch(database: QueueDatabase, queues: Queues) -> "asyncio.Task[None]":
    return asyncio.create_task(
        dead_letters.watch_dead_letters(database.store, cast(Inbox, queues), cast(Outbox, queues))
    )


def test_list_has_a_line_for_each_dead_letter() -> None:
    lines = make_database().run(dead_letters.list_dead_letters)
    assert lines == [
        f"u17  1970-01-02 00:00:17  chat -5  oops  {'{}' * 100}",
        f"u19  1970-01-02 00:00:19  chat -5  no reason kept  {'{}' * 100}",
        f"r17  1970-01-01 00:00:00  chat 7  kicked  {BODY}",
    ]


@with_fake_time
async def test_marked_letters_are_requeued_within_five_seconds() -> None:
    database, queues = make_database(), Queues()
    task = start_watch(database, queues)
    assert database.run(lambda tx: dead_letters.retry_dead_letters(tx, ["u17", "r17"])) == 2
    await advance_time(4.9)
    assert (queues.updates, queues.requests) == ([], [])
    await advance_time(0.2)
    assert (queues.updates, queues.requests) == ([(17, 0)], [17])
    await advance_time(20.0)
    assert database.write_count == 1  # nothing is written while nothing is marked
    assert [row[:3] for row in database.list_updates()] == [
        (17, "waiting", 0),
        (18, "waiting", 3),
        (19, "dead", 3),
    ]
    task.cancel()


@with_fake_time
async def test_watch_survives_a_database_failure(caplog: pytest.LogCaptureFixture) -> None:
    database, queues = make_database(), Queues()
    database.run(lambda tx: dead_letters.retry_dead_letters(tx, []))
    database.errors = [FULL_DISK]
    task = start_watch(database, queues)
    await advance_time(5.0)
    assert queues.updates == []
    assert caplog.messages == ["dead letters wait for the database: Exception: database or disk is full"]
    await advance_time(5.0)
    assert (queues.updates, queues.requests) == ([(17, 0), (19, 0)], [17])
    task.cancel()


@with_fake_time
async def test_unexpected_error_ends_the_watch() -> None:
    database = make_database()
    database.run(lambda tx: dead_letters.retry_dead_letters(tx, []))
    database.errors = [ZeroDivisionError()]
    with pytest.raises(ZeroDivisionError):
        await start_watch(database, Queues())


def test_some_or_all_letters_are_deleted() -> None:
    database = make_database()
    assert database.run(lambda tx: dead_letters.delete_dead_letters(tx, ["u19"])) == 1
    assert [row[0] for row in database.list_updates()] == [17, 18]
    assert database.run(lambda tx: dead_letters.delete_dead_letters(tx, [])) == 2
    assert [row[0] for row in database.list_updates()] == [18]
    assert database.list_requests() == [(18, "wish"), (20, "waiting")]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("u18", "no dead letter is called 'u18'$"),
        ("r99", "no dead letter is called 'r99'$"),
        ("u-3", "no dead letter is called 'u-3'; ids look like u17 or r4$"),
        ("17", "no dead letter is called '17'; ids look like u17 or r4$"),
        ("r18", "no dead letter is called 'r18'$"),
    ],
)
def test_unknown_id_changes_nothing(name: str, expected: str) -> None:
    database = make_database()
    with pytest.raises(dead_letters.DeadLetterError, match=expected):
        database.run(lambda tx: dead_letters.retry_dead_letters(tx, ["u17", name]))
    with pytest.raises(dead_letters.DeadLetterError, match=expected):
        database.run(lambda tx: dead_letters.delete_dead_letters(tx, ["u17", name]))
    assert [row[1] for row in database.list_updates()] == ["dead", "waiting", "dead"]
