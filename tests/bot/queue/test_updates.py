"""Reading of updates of any shape: id, chat, date, press, and typed commands."""

import json
from typing import Any

import pytest

from bot.database import MAX_INTEGER
from bot.queue.queries import QueuedUpdate
from bot.queue.replicas.queries import LEADER_LANE
from bot.queue.updates import (
    decode_update,
    find_lane,
    find_message_date,
    find_sent_time,
    find_update_id,
    make_queued_update,
    normalize_command,
)

MAX_ID = 2**62 - 1
DAY = 86_400.0


def test_update_is_stored_unchanged() -> None:
    raw = {"update_id": 7, "message": {"chat": {"id": -5}, "text": "8/(3-8/3) ×"}}
    incoming = make_queued_update(raw, 12.0, b"key")
    assert incoming == QueuedUpdate(7, -5, json.dumps(raw), accepted_at=12.0)
    assert decode_update(incoming) == raw


@pytest.mark.parametrize("raw", [[], 7, None, {}, {"update_id": -1}, {"update_id": "7"}, {"update_id": True}])
def test_update_without_usable_id_gets_an_id_from_its_content(raw: Any) -> None:
    first, again = make_queued_update(raw, 1.0, b""), make_queued_update(raw, 2.0, b"")
    assert first.update_id == again.update_id < 0
    assert first.lane == 0
    assert first.accepted_at == 1.0
    assert first.update_id != make_queued_update({"other": 1}, 1.0, b"").update_id


def test_update_that_is_no_json_is_stored_by_its_type() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert json.loads(make_queued_update(deep, 0.0, b"").body) == {"unreadable": "list"}


@pytest.mark.parametrize(
    ("number", "usable"),
    [(0, True), (MAX_ID, True), (MAX_ID + 1, False), (-1, False), (True, False), (1.0, False)],
)
def test_ids_of_submissions_are_not_usable(number: Any, usable: bool) -> None:
    assert find_update_id({"update_id": number}) == (number if usable else None)
    assert find_update_id([{"update_id": number}]) is find_update_id(number) is None


@pytest.mark.parametrize(
    ("raw", "lane"),
    [
        ({"update_id": 1, "message": {"chat": {"id": -5}, "from": {"id": 3}}}, -5),
        ({"callback_query": {"from": {"id": 3}, "message": {"chat": {"id": -5}}}}, -5),
        ({"callback_query": {"from": {"id": 3}, "message": 7}}, 3),
        ({"callback_query": {"from": {"id": 3}}}, 3),
        ({"inline_query": {"from": {"id": 3}, "message": {"chat": {"id": -5}}}}, 3),
        ({"inline_query": {"query": "x"}, "other": {"from": {"id": 4}}}, 4),
        ({"message": {"chat": {"id": 2**53 - 1}}}, 2**53 - 1),
        ({"message": {"chat": {"id": 2**53}}}, 0),
        ({"message": {"chat": {"id": 1 - 2**53}}}, 1 - 2**53),
        ({"message": {"chat": {"id": LEADER_LANE}}}, 0),
        ({"message": {"chat": {"id": "-5"}}}, 0),
        ({"message": {"chat": {"id": True}}}, 0),
        ({"message": {"chat": 7}}, 0),
        ({"message": {}}, 0),
        ({"message": 7}, 0),
        ({}, 0),
    ],
)
def test_lane_is_the_chat_or_else_the_person(raw: dict[str, Any], lane: int) -> None:
    assert find_lane(raw) == lane


@pytest.mark.parametrize(
    "kind",
    [
        *("message", "edited_message", "channel_post", "edited_channel_post", "my_chat_member"),
        *("chat_member", "chat_join_request", "message_reaction"),
    ],
)
def test_lane_of_each_kind_of_update_is_its_chat(kind: str) -> None:
    assert find_lane({kind: {"chat": {"id": -5}, "from": {"id": 3}}}) == -5


@pytest.mark.parametrize(
    ("raw", "date"),
    [
        ({"message": {"date": 1000}}, 1000.0),
        ({"message": {"date": MAX_INTEGER}}, float(MAX_INTEGER)),
        ({"message": {"date": MAX_INTEGER + 1}}, None),
        ({"message": {"date": 1000.5}}, None),
        ({"message": {"date": True}}, None),
        ({"message": {}}, None),
        ({"message": 7}, None),
        ({"edited_message": {"date": 1000}}, None),
        (7, None),
    ],
)
def test_only_messages_have_a_date(raw: Any, date: float | None) -> None:
    assert find_message_date(raw) == date


def read_sent_time(raw: object, at: float) -> float:
    return find_sent_time(QueuedUpdate(1, 0, json.dumps(raw), accepted_at=at))


def test_sent_time_is_the_message_date_or_the_arrival() -> None:
    assert read_sent_time({"message": {"date": 900}}, 1000.0) == 900.0
    assert read_sent_time({"callback_query": {}}, 1000.0) == 1000.0
    assert (
        read_sent_time({"message": {"date": 5}}, 1000.0 + 2 * DAY) == 1000.0 + 2 * DAY
    )  # too old to be believed


@pytest.mark.parametrize("body", ["{", "[]", "7", "[" * 100_000])
def test_unreadable_row_is_decoded_as_empty(body: str) -> None:
    assert decode_update(QueuedUpdate(1, 0, body)) == {}


def hash_press(number: object, key: bytes = b"key") -> str | None:
    return make_queued_update({"update_id": 1, "callback_query": {"id": number}}, 0.0, key).press_hash


def test_press_is_identified_by_a_keyed_hash_of_its_id() -> None:
    assert hash_press("12") == hash_press("12") != hash_press("13")
    assert hash_press("12") != hash_press("12", b"another bot's")
    assert len(hash_press("12") or "") == 32
    assert hash_press(12) is hash_press("×") is hash_press(None) is None
    assert make_queued_update({"update_id": 1, "callback_query": 7}, 0.0, b"").press_hash is None


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("/play１３", "/play 13"),
        ("/play　１３", "/play 13"),
        ("/play@TwentyFourBot３６　５", "/play@TwentyFourBot 36 5"),
        ("/solve３ ８ ３ ８", "/solve 3 8 3 8"),
        ("/solve ３，８，３，８", "/solve 3,8,3,8"),
        ("/play 13", "/play 13"),
        ("/play13", "/play13"),
        ("/play", "/play"),
        ("play１３", "play１３"),
        ("８／３", "８／３"),
        ("", ""),
    ],
)
def test_wide_digits_and_spaces_are_normalized(text: str, plain: str) -> None:
    assert normalize_command(text) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("/play13", "/play 13"),
        ("/a4*(1+2+3)", "/a 4*(1+2+3)"),
        ("/A8/(3-8/3)", "/A 8/(3-8/3)"),
        ("/a4x3x2", "/a 4x3x2"),
        ("/play13　５", "/play 13 5"),
        ("/play 13", "/play 13"),
        ("/a4@other_bot", "/a4@other_bot"),
        ("/a4@other_bot 5", "/a4@other_bot 5"),
        ("/a@bot4", "/a@bot4"),
        ("/a4b", "/a4b"),
        ("/ban13", "/ban13"),
    ],
)
def test_digits_are_split_from_a_known_command(text: str, plain: str) -> None:
    assert normalize_command(text, {"a", "play"}) == plain
