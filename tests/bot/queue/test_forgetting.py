"""What is let go of the queues, and when."""

import time
from typing import Any

import pytest
from sqlalchemy import select

from bot.database import Store
from bot.database.schema import inbox, outbox
from bot.queue import queries
from bot.queue.queries import QueuedUpdate
from tests.bot.postgres import migrated_database
from tests.bot.queue.rows import Rows
from tests.bot.queue.test_queries import DAY, ids, request, rows_of, update


@pytest.mark.parametrize(
    ("table", "state", "kept"),
    [
        (inbox, "done", 2 * DAY),
        (inbox, "dead", 30 * DAY),
        (outbox, "dead", 30 * DAY),
        (outbox, "sent", 2 * DAY),
    ],
)
def test_what_is_over_is_forgotten_in_its_time(table: Any, state: str, kept: float) -> None:
    rows, now = Rows(), 100 * DAY
    for number, age in enumerate((kept - 1.0, kept, kept + 1.0), start=1):
        if table is inbox:
            update(rows, number, state, at=now - age, lane=0 if state == "done" else -5)
        else:
            request(rows, number, state, at=now - age)
    update(rows, 10, at=0.0)
    request(rows, 10, at=0.0)
    request(rows, 11, "wish", at=0.0)
    rows.look(lambda tx: queries.delete_expired_rows(tx, now))
    assert ids(rows, table) == [1, 2, *([10] if table is inbox else [10, 11])]
    assert ids(rows, outbox if table is inbox else inbox) == ([10, 11] if table is inbox else [10])


def test_many_are_forgotten_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.database.tx.DELETED_AT_ONCE", 3)
    rows, now = Rows(), 100 * DAY
    for number in range(1, 8):
        update(rows, number, "done", lane=0, at=0.0)
    left = list[tuple[bool, int]]()
    while not left or left[-1][0]:
        more = rows.look(lambda tx: queries.delete_expired_rows(tx, now))
        left.append((more, len(rows_of(rows, inbox))))
    assert left == [(True, 4), (True, 1), (False, 0)]


@pytest.mark.long
@pytest.mark.parametrize("skew", [-100 * DAY, 100 * DAY])
async def test_one_of_several_whose_clock_is_wrong_forgets_nothing_before_its_time(skew: float) -> None:
    """What it stored and marked is looked at by another one, and the other way round."""
    async with migrated_database() as url:
        store = await Store.open(url)
        for number, now in ((1, time.time()), (2, time.time() + skew)):
            await store.write(lambda tx: queries.insert_updates(tx, [QueuedUpdate(number, -5, "{}")], now))  # noqa: B023
            assert await store.write(lambda tx: queries.mark_done(tx, number, now))  # noqa: B023
        await store.write(
            lambda tx: queries.insert_dead_update(tx, QueuedUpdate(3, -5, "{}"), "odd", time.time() + skew)
        )
        await store.write(
            lambda tx: queries.insert_updates(tx, [QueuedUpdate(4, -5, "{}")], time.time() + skew)
        )
        await store.write(lambda tx: queries.dead_letter_update(tx, 4, time.time() + skew))
        for now in (time.time(), time.time() + skew):
            await store.write(lambda tx: queries.delete_expired_rows(tx, now))  # noqa: B023
        left = await store.read(lambda tx: list(tx.scalars(select(inbox.c.update_id).order_by("update_id"))))
        await store.close()
    assert left == [1, 2, 3, 4]
