"""Dead letters: listed, marked by an operator, and requeued by the bot that runs."""

import asyncio
from collections.abc import Iterable
from typing import cast

import pytest

from bot.database.schema import inbox, outbox
from bot.queue import dead_letters
from bot.queue.inbox import Inbox
from bot.queue.outbox import Outbox
from bot.queue.queries import QueuedRequest, QueuedUpdate
from tests.bot.queue.rows import FULL_DISK, Rows
from tests.jumping import jumping, passed

BODY = '{"method": "sendMessage", "params": {"text": "x"}}'


def stored() -> Rows:
    rows = Rows()
    for number, state in ((17, "dead"), (18, "waiting"), (19, "dead")):
        values = {"update_id": number, "lane": -5, "body": "{}" * 150, "state": state}
        rows.add(inbox, **values, at=86_400.0 + number, tries=3, trouble="oops" if number == 17 else None)
    for number, state in ((17, "dead"), (18, "wish"), (20, "waiting")):
        rows.add(outbox, id=number, lane=7, body=BODY, state=state, at=0.0, trouble="kicked")
    return rows


class Queues:
    """The inbox and the outbox, as far as they are given anything."""

    def __init__(self) -> None:
        self.updates: list[tuple[int, int]] = []
        self.requests: list[int] = []

    def enqueue(self, queued: Iterable[QueuedUpdate | QueuedRequest]) -> None:
        for one in queued:
            if isinstance(one, QueuedUpdate):
                self.updates.append((one.update_id, one.attempts))
            else:
                self.requests.append(one.id)


def watched(rows: Rows, queues: Queues) -> "asyncio.Task[None]":
    return asyncio.create_task(
        dead_letters.watch_dead_letters(rows.store, cast(Inbox, queues), cast(Outbox, queues))
    )


def test_a_line_tells_of_each() -> None:
    lines = stored().look(dead_letters.list_dead_letters)
    assert lines == [
        f"u17  1970-01-02 00:00:17  chat -5  oops  {'{}' * 100}",
        f"u19  1970-01-02 00:00:19  chat -5  no reason kept  {'{}' * 100}",
        f"r17  1970-01-01 00:00:00  chat 7  kicked  {BODY}",
    ]


@jumping
async def test_what_is_marked_is_requeued_within_five_seconds() -> None:
    rows, queues = stored(), Queues()
    task = watched(rows, queues)
    assert rows.look(lambda tx: dead_letters.retry_dead_letters(tx, ["u17", "r17"])) == 2
    await passed(4.9)
    assert (queues.updates, queues.requests) == ([], [])
    await passed(0.2)
    assert (queues.updates, queues.requests) == ([(17, 0)], [17])
    await passed(20.0)
    assert rows.writes == 1  # nothing is written where nothing is marked
    assert [row[:3] for row in rows.updates()] == [(17, "waiting", 0), (18, "waiting", 3), (19, "dead", 3)]
    task.cancel()


@jumping
async def test_a_database_in_trouble_is_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    rows, queues = stored(), Queues()
    rows.look(lambda tx: dead_letters.retry_dead_letters(tx, []))
    rows.troubles = [FULL_DISK]
    task = watched(rows, queues)
    await passed(5.0)
    assert queues.updates == []
    assert caplog.messages == ["dead letters wait for the database: Exception: database or disk is full"]
    await passed(5.0)
    assert (queues.updates, queues.requests) == ([(17, 0), (19, 0)], [17])
    task.cancel()


@jumping
async def test_what_nobody_foresaw_ends_the_watch() -> None:
    rows = stored()
    rows.look(lambda tx: dead_letters.retry_dead_letters(tx, []))
    rows.troubles = [ZeroDivisionError()]
    with pytest.raises(ZeroDivisionError):
        await watched(rows, Queues())


def test_some_or_all_are_dropped() -> None:
    rows = stored()
    assert rows.look(lambda tx: dead_letters.delete_dead_letters(tx, ["u19"])) == 1
    assert [row[0] for row in rows.updates()] == [17, 18]
    assert rows.look(lambda tx: dead_letters.delete_dead_letters(tx, [])) == 2
    assert [row[0] for row in rows.updates()] == [18]
    assert rows.requests() == [(18, "wish"), (20, "waiting")]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("u18", "no dead letter is called 'u18'$"),
        ("r99", "no dead letter is called 'r99'$"),
        ("u-3", "no dead letter is called 'u-3'; ids look like u17 or r4$"),
        ("17", "no dead letter is called '17'; ids look like u17 or r4$"),
        ("r18", "r18 is somebody's wish to be forgotten"),
    ],
)
def test_a_name_that_is_none_is_refused(name: str, said: str) -> None:
    rows = stored()
    with pytest.raises(dead_letters.DeadLetterError, match=said):
        rows.look(lambda tx: dead_letters.retry_dead_letters(tx, ["u17", name]))
    with pytest.raises(dead_letters.DeadLetterError, match=said):
        rows.look(lambda tx: dead_letters.delete_dead_letters(tx, ["u17", name]))
    assert [row[1] for row in rows.updates()] == ["dead", "waiting", "dead"]
