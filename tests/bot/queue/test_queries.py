"""The durable queues, query by query: what is kept of an update and of a request, and for how long."""

import json
import time
from typing import Any

import pytest
from sqlalchemy import select

from bot.database import Store
from bot.database.schema import inbox, outbox
from bot.queue import dead_letters, queries
from bot.queue.queries import FIRST_BOARD_UPDATE_ID, DeadLetter, QueuedRequest, QueuedUpdate, sort_updates
from tests.bot.postgres import migrated_database
from tests.bot.queue.rows import Rows, queued

DAY = 86_400.0
TEXT = {"method": "sendMessage", "params": {"text": "é"}}


def rows_of(rows: Rows, table: Any) -> list[dict[str, Any]]:
    """Every row of a queue as it stands."""
    found = rows.look(lambda tx: tx.execute(select(table).order_by(*table.primary_key)).mappings().all())
    return [dict(row) for row in found]


def ids(rows: Rows, table: Any) -> list[int]:
    return [row["update_id" if table is inbox else "id"] for row in rows_of(rows, table)]


def update(rows: Rows, number: int, state: str = "waiting", **values: Any) -> None:
    """An update as it lies in the queue."""
    rows.add(inbox, **{"update_id": number, "lane": -5, "body": "{}", "state": state, "at": 0.0} | values)


BODY = json.dumps(TEXT)


def request(rows: Rows, number: int, state: str = "waiting", **values: Any) -> None:
    """A request as it lies in the queue."""
    rows.add(outbox, **{"id": number, "lane": -5, "body": BODY, "state": state, "at": 0.0} | values)


def accepted(rows: Rows, *updates: QueuedUpdate) -> list[int]:
    """The ids of those that are new."""
    return [one.update_id for one in rows.look(lambda tx: queries.insert_updates(tx, updates, 5.0))]


def test_an_update_that_nothing_is_known_of() -> None:
    plain = QueuedUpdate(7, -5, "{}")
    assert (
        plain.attempts,
        plain.press_hash,
        plain.accepted_at,
        plain.kind,
        plain.person_id,
        plain.queued_at,
    ) == (
        0,
        None,
        0,
        "",
        0,
        0,
    )
    assert not plain.is_refused
    assert plain.as_refused() == QueuedUpdate(7, -5, "{}", is_refused=True)


def test_a_request_that_nothing_is_known_of() -> None:
    assert QueuedRequest(1, -5, {}) == QueuedRequest(1, -5, {}, stored_at=0.0, caused_by=0)


def test_an_accepted_update_is_stored_as_it_came() -> None:
    rows = Rows()
    assert accepted(rows, QueuedUpdate(9, -5, '{"a": 1}', press_hash="p"), QueuedUpdate(8, 4, "{}")) == [9, 8]
    assert rows_of(rows, inbox) == [
        {"update_id": 8, "lane": 4, "body": "{}", "press": None, **WAITING},
        {"update_id": 9, "lane": -5, "body": '{"a": 1}', "press": "p", **WAITING},
    ]


WAITING = {"state": "waiting", "tries": 0, "trouble": None, "at": 5.0}


def test_nothing_is_accepted_of_nothing() -> None:
    assert accepted(Rows()) == []


def test_an_update_is_accepted_once_whatever_became_of_it() -> None:
    rows = Rows()
    update(rows, 1, "done")
    update(rows, 2, "dead")
    assert accepted(rows, *(QueuedUpdate(number, 4, "{}") for number in (1, 2, 3, 3))) == [3]
    assert accepted(rows, QueuedUpdate(3, 4, "{}")) == []


def test_a_press_is_accepted_once_under_whatever_id() -> None:
    rows = Rows()
    presses = [
        QueuedUpdate(1, 4, "{}", press_hash="p"),
        QueuedUpdate(2, 4, "{}", press_hash="p"),
        QueuedUpdate(3, 4, "{}", press_hash="q"),
    ]
    assert accepted(rows, *presses) == [1, 3]
    assert accepted(rows, QueuedUpdate(4, 4, "{}", press_hash="q"), QueuedUpdate(5, 4, "{}")) == [5]


def test_what_cannot_be_handled_is_dead_at_once() -> None:
    rows = Rows()
    rows.look(lambda tx: queries.insert_dead_update(tx, QueuedUpdate(7, -5, "[]"), "no id", 5.0))
    dead = {"update_id": 7, "lane": -5, "body": "[]", "state": "dead", "tries": 0, "press": None}
    assert rows_of(rows, inbox) == [{**dead, "trouble": "no id", "at": 5.0}]
    rows.look(lambda tx: queries.insert_dead_update(tx, QueuedUpdate(7, 4, "{}"), "again", 6.0))
    assert rows_of(rows, inbox) == [{**dead, "trouble": "again", "at": 6.0}]


def test_of_a_handled_update_only_its_id_and_its_press_are_kept() -> None:
    rows = Rows()
    update(rows, 7, tries=2, trouble="oops", press="p")
    assert rows.look(lambda tx: queries.mark_done(tx, 7, 9.0)) is True
    nothing = {"lane": 0, "body": "", "trouble": None, "tries": 0}
    assert rows_of(rows, inbox) == [{"update_id": 7, "state": "done", "at": 9.0, "press": "p", **nothing}]


@pytest.mark.parametrize("state", ["done", "dead", "again"])
def test_an_update_is_done_once_and_only_if_it_waits(state: str) -> None:
    rows = Rows()
    update(rows, 7, state)
    update(rows, 8)
    before = rows_of(rows, inbox)
    assert rows.look(lambda tx: queries.mark_done(tx, 7, 9.0)) is False
    assert rows_of(rows, inbox) == before


def test_failures_are_counted_and_the_last_one_is_kept() -> None:
    rows = Rows()
    for number in (7, 8):
        update(rows, number)
    assert [rows.look(lambda tx, n=n: queries.count_failure(tx, 7, f"{n}")) for n in (1, 2)] == [1, 2]  # type: ignore[misc]
    assert rows.updates() == [(7, "waiting", 2, "2"), (8, "waiting", 0, None)]
    assert rows.look(lambda tx: queries.count_failure(tx, 9, "who?")) == 0


def test_a_dead_letter_is_dated() -> None:
    rows = Rows()
    for number in (7, 8):
        update(rows, number)
    rows.look(lambda tx: queries.dead_letter_update(tx, 7, 9.0))
    assert [(row["state"], row["at"]) for row in rows_of(rows, inbox)] == [("dead", 9.0), ("waiting", 0.0)]


def test_what_waits_comes_back_in_its_order() -> None:
    rows = Rows()
    for number, at in ((9, 1.0), (8, 2.0)):
        update(rows, number, body=f"[{number}]", tries=2, press="p", at=at)
        request(rows, number, at=at)
    for number, state in enumerate(("done", "dead", "again")):
        update(rows, number, state)
    request(rows, 20, "sent")
    assert rows.look(queries.load_waiting_updates) == [
        QueuedUpdate(n, -5, f"[{n}]", 2, accepted_at=10.0 - n) for n in (8, 9)
    ]
    assert rows.look(queries.load_waiting_requests) == [QueuedRequest(n, -5, TEXT, 10.0 - n) for n in (8, 9)]


SAID = {"method": "to one", "params": {}, "to": 7, "ways": ["private"], "until": 1.5}
FILE, DRAWN = {"method": "hand over", "player": 7}, {"method": "show", "round": 3}


def test_requests_that_have_what_they_need_are_left_waiting() -> None:
    rows, sound = Rows(), [SAID, SAID | {"until": 1}, FILE, DRAWN, TEXT]
    for number, body in enumerate(sound, start=1):
        request(rows, number, body=json.dumps(body))
    assert rows.look(queries.dead_letter_unreadable_requests) == 0
    assert [waiting.body for waiting in rows.look(queries.load_waiting_requests)] == sound


@pytest.mark.parametrize(
    "broken",
    [
        *(SAID | {key: value} for key in SAID if key != "method" for value in ("x", None)),
        *(whole | {key: "x"} for whole in (FILE, DRAWN) for key in whole),
        TEXT | {"params": [1]},
        TEXT | {"method": 5},
    ],
    ids=json.dumps,
)
def test_requests_that_lack_what_they_need_are_set_aside(broken: dict[str, Any]) -> None:
    rows = Rows()
    request(rows, 1, body=json.dumps(broken))
    request(rows, 2)
    assert rows.look(queries.load_waiting_requests) == [QueuedRequest(2, -5, TEXT, 0.0)]
    assert rows.look(queries.dead_letter_unreadable_requests) == 1
    assert [(one.id, one.reason) for one in rows.look(queries.load_dead_requests)] == [(1, "can't be read")]


def test_a_request_is_stored_until_it_is_delivered() -> None:
    rows = Rows()
    written = [queued(rows, -5, TEXT, 5.0, by=3), queued(rows, 4, TEXT, 6.0), queued(rows, 4, TEXT, 7.0)]
    assert written[0] == QueuedRequest(1, -5, TEXT, 5.0, 3)
    assert [request.id for request in written] == [1, 2, 3]
    body = '{"method": "sendMessage", "params": {"text": "é"}}'
    waiting = {"state": "waiting", "trouble": None}
    assert rows_of(rows, outbox)[0] == {"id": 1, "lane": -5, "body": body, "at": 5.0, **waiting}
    assert rows.look(lambda tx: queries.insert_request(tx, 4, TEXT, 8.0)) == QueuedRequest(4, 4, TEXT, 8.0, 0)
    rows.look(lambda tx: queries.delete_requests(tx, []))
    assert ids(rows, outbox) == [1, 2, 3, 4]
    rows.look(lambda tx: queries.delete_requests(tx, written[:2]))
    assert ids(rows, outbox) == [3, 4]


@pytest.mark.parametrize(
    "body",
    [
        '{"method": "sendMessage", "params": {}}',
        '{"method": "show", "round": 3}',
        '{"method": "hand over", "player": 3}',
    ],
)
def test_a_request_that_can_be_read_stays(body: str) -> None:
    rows = Rows()
    request(rows, 1, body=body)
    assert rows.look(queries.dead_letter_unreadable_requests) == 0
    assert [one.body for one in rows.look(queries.load_waiting_requests)] == [json.loads(body)]


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
        '{"method": "show", "params": {}}',
        '{"method": "show", "round": {}}',
        '{"method": "hand over", "player": "3"}',
        '{"method": "hand over", "round": 3}',
    ],
    ids=range(13),
)
def test_a_request_that_cannot_be_read_holds_up_no_others(body: str) -> None:
    rows = Rows()
    for number in (1, 3):
        request(rows, number, body=body)
    request(rows, 2)
    request(rows, 4, "sent", body="")
    assert [one.id for one in rows.look(queries.load_waiting_requests)] == [2]
    assert rows.look(queries.dead_letter_unreadable_requests) == 2
    assert rows.requests() == [(1, "dead"), (2, "waiting"), (3, "dead"), (4, "sent")]
    assert rows_of(rows, outbox)[0]["trouble"] == "can't be read"


def test_of_a_post_its_time_and_number_are_kept_for_a_while() -> None:
    rows = Rows()
    for number, lane in ((1, -5), (2, -6), (3, -6)):
        request(rows, number, lane=lane)
    request(rows, 4, "sent", lane=-5, at=99.9)
    request(rows, 5, "sent", lane=-5, at=100.0)
    request(rows, 6, "sent", lane=-7, at=1.0)
    request(rows, 7, "dead", lane=-5, at=1.0)
    rows.look(lambda tx: queries.mark_posted(tx, [], 1000.0))
    assert ids(rows, outbox) == [1, 2, 3, 4, 5, 6, 7]
    sent = [(QueuedRequest(1, -5, {}), 71), (QueuedRequest(2, -6, {}), 72)]
    rows.look(lambda tx: queries.mark_posted(tx, sent, 1000.0))
    kept = [(row["id"], row["state"], row["at"], row["body"]) for row in rows_of(rows, outbox)]
    assert kept == [
        (1, "sent", 1000.0, "71"),
        (2, "sent", 1000.0, "72"),
        (3, "waiting", 0.0, BODY),
        (5, "sent", 100.0, BODY),
        (6, "sent", 1.0, BODY),
        (7, "dead", 1.0, BODY),
    ]


def test_posts_come_oldest_first() -> None:
    rows = Rows()
    for number, at, body in ((1, 12.0, "71"), (2, 11.0, ""), (3, 10.0, "72")):
        request(rows, number, "sent", lane=-number, at=at, body=body)
    request(rows, 4, at=12.0)
    assert rows.look(queries.load_recent_posts) == [(-3, 72, 10.0), (-2, 0, 11.0), (-1, 71, 12.0)]


@pytest.mark.parametrize("body", ["{", "x", "-1", "1.5", "[1]", "9" * 5000, str(2**63)])
def test_of_a_post_whose_number_cannot_be_read_only_the_time_is_known(body: str) -> None:
    rows = Rows()
    request(rows, 1, "sent", at=10.0, body=body)
    request(rows, 2, "sent", at=11.0, body="72")
    assert rows.look(queries.load_recent_posts) == [(-5, 0, 10.0), (-5, 72, 11.0)]


def test_a_request_is_stored_as_it_is_now() -> None:
    rows = Rows()
    request(rows, 1)
    request(rows, 2)
    rows.look(lambda tx: queries.update_request(tx, QueuedRequest(2, -5, {"text": "é"})))
    assert [row["body"] for row in rows_of(rows, outbox)] == [BODY, '{"text": "é"}']


@pytest.mark.parametrize(
    ("about", "state"),
    [("forget:7", "wish"), ("ask:7", "wish"), ("gone", "wish"), ("deal:7", "dead"), (None, "dead")],
)
def test_what_telegram_refuses_is_dead_but_for_wishes_to_be_forgotten(about: str | None, state: str) -> None:
    rows = Rows()
    body = TEXT if about is None else {**TEXT, "about": about}
    asked, other = (queued(rows, 4, body) for _ in range(2))
    rows.look(lambda tx: queries.dead_letter_request(tx, asked, "kicked"))
    assert rows.requests() == [(1, state), (other.id, "waiting")]
    assert rows_of(rows, outbox)[0]["trouble"] == "kicked"
    assert [letter.id for letter in rows.look(queries.load_dead_requests)] == ([1] if state == "dead" else [])


def dead_ones() -> Rows:
    """Two dead of each kind, the first of them with a reason, and one of each that waits."""
    rows = Rows()
    for add in (update, request):
        add(rows, 1, "dead", at=20.0, trouble="oops")
        add(rows, 2, "dead", at=10.0)
        add(rows, 3, at=10.0)
    return rows


def test_an_operator_sees_dead_letters_oldest_first() -> None:
    rows, body = dead_ones(), json.dumps(TEXT)
    assert rows.look(queries.load_dead_updates) == [
        DeadLetter(2, -5, 10.0, "", "{}"),
        DeadLetter(1, -5, 20.0, "oops", "{}"),
    ]
    assert rows.look(queries.load_dead_requests) == [
        DeadLetter(2, -5, 10.0, "", body),
        DeadLetter(1, -5, 20.0, "oops", body),
    ]


def test_what_an_operator_marks_waits_again_from_the_first_try() -> None:
    rows = dead_ones()
    update(rows, 4, "dead", tries=5)
    assert not rows.look(queries.has_marked_for_retry)
    assert rows.look(lambda tx: dead_letters.retry_dead_letters(tx, ["u4", "r1"])) == 2
    assert rows.look(queries.has_marked_for_retry)
    expected = [QueuedUpdate(4, -5, "{}")], [QueuedRequest(1, -5, TEXT, 20.0)]
    assert rows.look(queries.requeue_marked) == expected
    assert [row[1:3] for row in rows.updates()] == [("dead", 0), ("dead", 0), ("waiting", 0), ("waiting", 0)]
    assert rows.requests() == [(1, "waiting"), (2, "dead"), (3, "waiting")]
    assert not rows.look(queries.has_marked_for_retry)


@pytest.mark.parametrize("name", ["u1", "r1"])
def test_one_mark_is_enough_to_be_asked_again(name: str) -> None:
    rows = dead_ones()
    rows.look(lambda tx: dead_letters.retry_dead_letters(tx, [name]))
    assert rows.look(queries.has_marked_for_retry)


def test_what_is_requeued_but_cannot_be_read_is_dead_again() -> None:
    rows = Rows()
    request(rows, 1, "again", body="{")
    assert rows.look(queries.requeue_marked) == ([], [])
    assert rows.requests() == [(1, "dead")]


ONE, TWO = FIRST_BOARD_UPDATE_ID + 9, FIRST_BOARD_UPDATE_ID + 2


def stored_at(number: int, at: float) -> QueuedUpdate:
    return QueuedUpdate(number, -5, "{}", accepted_at=at)


@pytest.mark.parametrize(
    ("stored", "ordered"),
    [
        ([], []),
        ([(7, 1.0), (8, 2.0)], [7, 8]),
        ([(7, 3.0), (8, 2.0)], [7, 8]),  # accepted by bots with other clocks
        ([(7, 1.0), (8, 2.0), (ONE, 1.5)], [7, ONE, 8]),
        ([(7, 1.0), (8, 2.0), (ONE, 0.5)], [ONE, 7, 8]),
        ([(7, 1.0), (8, 2.0), (ONE, 2.0)], [7, 8, ONE]),
        ([(7, 1.0), (8, 2.0), (TWO, 1.7), (ONE, 1.5)], [7, ONE, TWO, 8]),
        ([(TWO, 1.7), (ONE, 1.5)], [ONE, TWO]),
    ],
)
def test_each_tap_stands_before_what_came_later(stored: list[tuple[int, float]], ordered: list[int]) -> None:
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
