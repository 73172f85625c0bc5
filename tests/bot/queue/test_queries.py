"""Stored updates and requests, and how long they are kept."""

import json
import time
from typing import Any

import pytest
from sqlalchemy import select

from bot.database import Store
from bot.database.schema import inbox, outbox
from bot.queue import dead_letters, queries
from bot.queue.outgoing import Outgoing
from bot.queue.queries import FIRST_SUBMISSION_ID, QueuedRequest, QueuedUpdate, sort_updates
from tests.bot.postgres import migrated_database
from tests.bot.queue.queue_database import QueueDatabase, make_outgoing

DAY = 86_400.0
TEXT = {"method": "sendMessage", "params": {"text": "é"}}


def read_rows(database: QueueDatabase, table: Any) -> list[dict[str, Any]]:
    found = database.run(lambda tx: tx.execute(select(table).order_by(*table.primary_key)).mappings().all())
    return [dict(row) for row in found]


def read_ids(database: QueueDatabase, table: Any) -> list[int]:
    return [row["update_id" if table is inbox else "id"] for row in read_rows(database, table)]


def insert_update(database: QueueDatabase, number: int, state: str = "waiting", **values: Any) -> None:
    database.insert(
        inbox, **{"update_id": number, "lane": -5, "body": "{}", "state": state, "at": 0.0} | values
    )


BODY, POST = json.dumps(TEXT), make_outgoing(-5, TEXT)


def insert_request(database: QueueDatabase, number: int, state: str = "waiting", **values: Any) -> None:
    database.insert(outbox, **{"id": number, "lane": -5, "body": BODY, "state": state, "at": 0.0} | values)


def accept(database: QueueDatabase, *updates: QueuedUpdate) -> list[int]:
    """Accept updates and return the ids of the new ones."""
    return [one.update_id for one in database.run(lambda tx: queries.insert_updates(tx, updates, 5.0))]


def test_accepted_update_is_stored_unchanged() -> None:
    database = QueueDatabase()
    assert accept(database, QueuedUpdate(9, -5, '{"a": 1}', press_hash="p"), QueuedUpdate(8, 4, "{}")) == [
        9,
        8,
    ]
    assert read_rows(database, inbox) == [
        {"update_id": 8, "lane": 4, "body": "{}", "press": None, **WAITING},
        {"update_id": 9, "lane": -5, "body": '{"a": 1}', "press": "p", **WAITING},
    ]


WAITING = {"state": "waiting", "tries": 0, "trouble": None, "at": 5.0}


def test_update_is_accepted_once() -> None:
    database = QueueDatabase()
    insert_update(database, 1, "done")
    insert_update(database, 2, "dead")
    assert accept(database, *(QueuedUpdate(number, 4, "{}") for number in (1, 2, 3, 3))) == [3]
    assert accept(database, QueuedUpdate(3, 4, "{}")) == []


def test_press_is_accepted_once_under_any_update_id() -> None:
    database = QueueDatabase()
    presses = [
        QueuedUpdate(1, 4, "{}", press_hash="p"),
        QueuedUpdate(2, 4, "{}", press_hash="p"),
        QueuedUpdate(3, 4, "{}", press_hash="q"),
    ]
    assert accept(database, *presses) == [1, 3]
    assert accept(database, QueuedUpdate(4, 4, "{}", press_hash="q"), QueuedUpdate(5, 4, "{}")) == [5]


def test_dead_update_is_stored_with_its_reason() -> None:
    database = QueueDatabase()
    database.run(lambda tx: queries.insert_dead_update(tx, QueuedUpdate(7, -5, "[]"), "no id", 5.0))
    dead = {"update_id": 7, "lane": -5, "body": "[]", "state": "dead", "tries": 0, "press": None}
    assert read_rows(database, inbox) == [{**dead, "trouble": "no id", "at": 5.0}]
    database.run(lambda tx: queries.insert_dead_update(tx, QueuedUpdate(7, 4, "{}"), "again", 6.0))
    assert read_rows(database, inbox) == [{**dead, "trouble": "again", "at": 6.0}]


def test_done_update_keeps_only_its_id_and_press() -> None:
    database = QueueDatabase()
    insert_update(database, 7, tries=2, trouble="oops", press="p")
    assert database.run(lambda tx: queries.mark_done(tx, 7, 9.0)) is True
    nothing = {"lane": 0, "body": "", "trouble": None, "tries": 0}
    assert read_rows(database, inbox) == [
        {"update_id": 7, "state": "done", "at": 9.0, "press": "p", **nothing}
    ]


@pytest.mark.parametrize("state", ["done", "dead", "again"])
def test_only_a_waiting_update_is_marked_done(state: str) -> None:
    database = QueueDatabase()
    insert_update(database, 7, state)
    insert_update(database, 8)
    before = read_rows(database, inbox)
    assert database.run(lambda tx: queries.mark_done(tx, 7, 9.0)) is False
    assert read_rows(database, inbox) == before


def test_failures_are_counted_and_the_last_reason_kept() -> None:
    database = QueueDatabase()
    for number in (7, 8):
        insert_update(database, number)
    assert [database.run(lambda tx, n=n: queries.count_failure(tx, 7, f"{n}")) for n in (1, 2)] == [1, 2]  # type: ignore[misc]
    assert database.list_updates() == [(7, "waiting", 2, "2"), (8, "waiting", 0, None)]
    assert database.run(lambda tx: queries.count_failure(tx, 9, "who?")) == 0


def test_dead_update_is_dated() -> None:
    database = QueueDatabase()
    for number in (7, 8):
        insert_update(database, number)
    database.run(lambda tx: queries.dead_letter_update(tx, 7, 9.0))
    assert [(row["state"], row["at"]) for row in read_rows(database, inbox)] == [
        ("dead", 9.0),
        ("waiting", 0.0),
    ]


def test_waiting_rows_are_loaded_in_order() -> None:
    database = QueueDatabase()
    for number, at in ((9, 1.0), (8, 2.0)):
        insert_update(database, number, body=f"[{number}]", tries=2, press="p", at=at)
        insert_request(database, number, at=at)
    for number, state in enumerate(("done", "dead", "again")):
        insert_update(database, number, state)
    insert_request(database, 20, "sent")
    assert database.run(queries.load_waiting_updates) == [
        QueuedUpdate(n, -5, f"[{n}]", 2, accepted_at=10.0 - n) for n in (8, 9)
    ]
    assert database.run(queries.load_waiting_requests) == [QueuedRequest(n, POST, 10.0 - n) for n in (8, 9)]


PRIVATE = {"method": "to one", "params": {}, "to": 7, "ways": ["private"], "until": 1.5}
PERSONAL_DATA, SHOW = {"method": "hand over", "player": 7}, {"method": "show", "round": 3}


def test_readable_requests_stay_waiting() -> None:
    database, bodies = QueueDatabase(), [PRIVATE, PRIVATE | {"until": 1}, PERSONAL_DATA, SHOW, TEXT]
    for number, body in enumerate(bodies, start=1):
        insert_request(database, number, body=json.dumps(body))
    assert database.run(queries.dead_letter_unreadable_requests) == 0
    assert len(database.run(queries.load_waiting_requests)) == len(bodies)


def test_request_is_stored_until_it_is_deleted() -> None:
    database = QueueDatabase()
    written = [
        database.insert_request(-5, TEXT, 5.0, caused_by=3),
        database.insert_request(4, TEXT, 6.0),
        database.insert_request(4, TEXT, 7.0),
    ]
    assert written[0] == QueuedRequest(1, POST, 5.0, 3)
    assert [request.id for request in written] == [1, 2, 3]
    body = '{"method": "sendMessage", "params": {"text": "é"}}'
    waiting = {"state": "waiting", "trouble": None}
    assert read_rows(database, outbox)[0] == {"id": 1, "lane": -5, "body": body, "at": 5.0, **waiting}
    assert database.run(lambda tx: queries.insert_request(tx, POST, 8.0)) == QueuedRequest(4, POST, 8.0)
    database.run(lambda tx: queries.delete_requests(tx, []))
    assert read_ids(database, outbox) == [1, 2, 3, 4]
    database.run(lambda tx: queries.delete_requests(tx, written[:2]))
    assert read_ids(database, outbox) == [3, 4]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "[" * 100_000,
        "[]",
        "{}",
        '{"method": 3, "params": {}}',
        '{"method": "sendMessage"}',
        '{"method": "sendMessage", "params": []}',
        '{"method": "sendMessage", "params": 3}',
        '{"method": "show", "round": {}}',
        '{"method": "hand over"}',
        '{"method": "show", "round": "x"}',
        '{"method": "sendMessage", "text": "x"}',
        *(json.dumps(PRIVATE | {key: None}) for key in PRIVATE),
    ],
    ids=lambda body: body[:60],
)
def test_unreadable_request_does_not_delay_others(body: str) -> None:
    database = QueueDatabase()
    for number in (1, 3):
        insert_request(database, number, body=body)
    insert_request(database, 2)
    insert_request(database, 4, "sent", body="")
    assert [one.id for one in database.run(queries.load_waiting_requests)] == [2]
    assert database.run(queries.dead_letter_unreadable_requests) == 2
    assert database.list_requests() == [(1, "dead"), (2, "waiting"), (3, "dead"), (4, "sent")]
    assert read_rows(database, outbox)[0]["trouble"] == "can't be read"


def test_posted_request_keeps_its_time_and_message_id() -> None:
    database = QueueDatabase()
    for number, lane in ((1, -5), (2, -6), (3, -6)):
        insert_request(database, number, lane=lane)
    insert_request(database, 4, "sent", lane=-5, at=99.9)
    insert_request(database, 5, "sent", lane=-5, at=100.0)
    insert_request(database, 6, "sent", lane=-7, at=1.0)
    insert_request(database, 7, "dead", lane=-5, at=1.0)
    database.run(lambda tx: queries.mark_posted(tx, [], 1000.0))
    assert read_ids(database, outbox) == [1, 2, 3, 4, 5, 6, 7]
    sent = [(QueuedRequest(n, Outgoing(lane, "sendMessage")), n + 70) for n, lane in ((1, -5), (2, -6))]
    database.run(lambda tx: queries.mark_posted(tx, sent, 1000.0))
    kept = [(row["id"], row["state"], row["at"], row["body"]) for row in read_rows(database, outbox)]
    assert kept == [
        (1, "sent", 1000.0, "71"),
        (2, "sent", 1000.0, "72"),
        (3, "waiting", 0.0, BODY),
        (5, "sent", 100.0, BODY),
        (6, "sent", 1.0, BODY),
        (7, "dead", 1.0, BODY),
    ]


def test_recent_posts_are_loaded_oldest_first() -> None:
    database = QueueDatabase()
    for number, at, body in ((1, 12.0, "71"), (2, 11.0, ""), (3, 10.0, "72")):
        insert_request(database, number, "sent", lane=-number, at=at, body=body)
    insert_request(database, 4, at=12.0)
    assert database.run(queries.load_recent_posts) == [(-3, 72, 10.0), (-2, 0, 11.0), (-1, 71, 12.0)]


@pytest.mark.parametrize("body", ["{", "x", "-1", "1.5", "[1]", "9" * 5000, str(2**63)])
def test_post_with_unreadable_message_id_has_id_0(body: str) -> None:
    database = QueueDatabase()
    insert_request(database, 1, "sent", at=10.0, body=body)
    insert_request(database, 2, "sent", at=11.0, body="72")
    assert database.run(queries.load_recent_posts) == [(-5, 0, 10.0), (-5, 72, 11.0)]


@pytest.mark.parametrize(
    ("about", "state"),
    [("forget:7", "wish"), ("gone", "wish"), ("deal:7", "dead"), (None, "dead")],
)
def test_refused_request_is_dead_unless_it_belongs_to_forgetme(about: str | None, state: str) -> None:
    database = QueueDatabase()
    body = TEXT if about is None else {**TEXT, "about": about}
    asked, other = (database.insert_request(4, body) for _ in range(2))
    database.run(lambda tx: queries.dead_letter_request(tx, asked, "kicked"))
    assert database.list_requests() == [(1, state), (other.id, "waiting")]
    assert read_rows(database, outbox)[0]["trouble"] == "kicked"
    assert [letter.id for letter in database.run(queries.load_dead_requests)] == (
        [1] if state == "dead" else []
    )


def make_database_with_dead_letters() -> QueueDatabase:
    """Return a database with two dead updates and requests and a waiting one of each."""
    database = QueueDatabase()
    for add in (insert_update, insert_request):
        add(database, 1, "dead", at=20.0, trouble="oops")
        add(database, 2, "dead", at=10.0)
        add(database, 3, at=10.0)
    return database


def test_marked_letters_wait_again_from_the_first_attempt() -> None:
    database = make_database_with_dead_letters()
    insert_update(database, 4, "dead", tries=5)
    assert not database.run(queries.has_marked_for_retry)
    assert database.run(lambda tx: dead_letters.retry_dead_letters(tx, ["u4", "r1"])) == 2
    assert database.run(queries.has_marked_for_retry)
    expected = [QueuedUpdate(4, -5, "{}")], [QueuedRequest(1, POST, 20.0)]
    assert database.run(queries.requeue_marked) == expected
    assert [row[1:3] for row in database.list_updates()] == [
        ("dead", 0),
        ("dead", 0),
        ("waiting", 0),
        ("waiting", 0),
    ]
    assert database.list_requests() == [(1, "waiting"), (2, "dead"), (3, "waiting")]
    assert not database.run(queries.has_marked_for_retry)


def test_unreadable_request_is_dead_again_after_requeuing() -> None:
    database = QueueDatabase()
    insert_request(database, 1, "again", body="{")
    assert database.run(queries.requeue_marked) == ([], [])
    assert database.list_requests() == [(1, "dead")]


ONE, TWO = FIRST_SUBMISSION_ID + 9, FIRST_SUBMISSION_ID + 2


def stored_at(number: int, at: float) -> QueuedUpdate:
    return QueuedUpdate(number, -5, "{}", accepted_at=at)


@pytest.mark.parametrize(
    ("stored", "ordered"),
    [
        ([], []),
        ([(7, 1.0), (8, 2.0)], [7, 8]),
        ([(7, 3.0), (8, 2.0)], [7, 8]),  # accepted by bots whose clocks differ
        ([(7, 1.0), (8, 2.0), (ONE, 1.5)], [7, ONE, 8]),
        ([(7, 1.0), (8, 2.0), (ONE, 0.5)], [ONE, 7, 8]),
        ([(7, 1.0), (8, 2.0), (ONE, 2.0)], [7, 8, ONE]),
        ([(7, 1.0), (8, 2.0), (TWO, 1.7), (ONE, 1.5)], [7, ONE, TWO, 8]),
        ([(TWO, 1.7), (ONE, 1.5)], [ONE, TWO]),
    ],
)
def test_taps_are_sorted_before_later_updates(stored: list[tuple[int, float]], ordered: list[int]) -> None:
    assert [each.update_id for each in sort_updates([stored_at(*each) for each in stored])] == ordered


@pytest.mark.parametrize(
    ("table", "state", "kept"),
    [
        (inbox, "done", 2 * DAY),
        (inbox, "dead", 30 * DAY),
        (outbox, "dead", 30 * DAY),
        (outbox, "sent", 2 * DAY),
    ],
)
def test_finished_rows_are_deleted_after_their_retention_time(table: Any, state: str, kept: float) -> None:
    database, now = QueueDatabase(), 100 * DAY
    for number, age in enumerate((kept - 1.0, kept, kept + 1.0), start=1):
        if table is inbox:
            insert_update(database, number, state, at=now - age, lane=0 if state == "done" else -5)
        else:
            insert_request(database, number, state, at=now - age)
    insert_update(database, 10, at=0.0)
    insert_request(database, 10, at=0.0)
    insert_request(database, 11, "wish", at=0.0)
    database.run(lambda tx: queries.delete_expired_rows(tx, now))
    assert read_ids(database, table) == [1, 2, *([10] if table is inbox else [10, 11])]
    assert read_ids(database, outbox if table is inbox else inbox) == ([10, 11] if table is inbox else [10])


def test_many_rows_are_deleted_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.database.tx.DELETED_AT_ONCE", 3)
    database, now = QueueDatabase(), 100 * DAY
    for number in range(1, 8):
        insert_update(database, number, "done", lane=0, at=0.0)
    left = list[tuple[bool, int]]()
    while not left or left[-1][0]:
        more = database.run(lambda tx: queries.delete_expired_rows(tx, now))
        left.append((more, len(read_rows(database, inbox))))
    assert left == [(True, 4), (True, 1), (False, 0)]


@pytest.mark.long
@pytest.mark.parametrize("skew", [-100 * DAY, 100 * DAY])
async def test_bot_with_a_wrong_clock_deletes_nothing_too_early(skew: float) -> None:
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
