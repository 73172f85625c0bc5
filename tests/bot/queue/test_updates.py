"""What an update is as a row, whatever shape it has."""

import json
from typing import Any

import pytest

from bot.queue.queries import QueuedUpdate
from bot.queue.replicas.queries import LEADER_LANE
from bot.queue.updates import (
    decode_update,
    find_board_press,
    find_lane,
    find_message_date,
    find_sent_time,
    find_update_id,
    make_queued_update,
    normalize_command,
    strip_board_marks,
)

MOST = 2**63 - 1
DAY = 86_400.0


def test_an_update_is_kept_as_it_came() -> None:
    raw = {"update_id": 7, "message": {"chat": {"id": -5}, "text": "8/(3-8/3) ×"}}
    incoming = make_queued_update(raw, 12.0, b"key")
    assert incoming == QueuedUpdate(7, -5, json.dumps(raw), accepted_at=12.0)
    assert decode_update(incoming) == raw


@pytest.mark.parametrize("raw", [[], 7, None, {}, {"update_id": -1}, {"update_id": "7"}, {"update_id": True}])
def test_an_update_without_a_usable_id_gets_one_of_its_content(raw: Any) -> None:
    first, again = make_queued_update(raw, 1.0, b""), make_queued_update(raw, 2.0, b"")
    assert first.update_id == again.update_id < 0
    assert first.lane == 0
    assert first.accepted_at == 1.0
    assert first.update_id != make_queued_update({"other": 1}, 1.0, b"").update_id


def test_the_id_of_odd_content_is_its_checksum_below_zero() -> None:
    assert make_queued_update({}, 0.0, b"").update_id == -1 - 2745614147


def test_what_is_no_json_is_kept_by_its_type() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert json.loads(make_queued_update(deep, 0.0, b"").body) == {"unreadable": "list"}


@pytest.mark.parametrize(
    ("number", "usable"),
    [(0, True), (MOST, True), (MOST + 1, False), (-1, False), (True, False), (1.0, False)],
)
def test_which_ids_can_be_stored(number: Any, usable: bool) -> None:
    assert find_update_id({"update_id": number}) == (number if usable else None)


@pytest.mark.parametrize("raw", [None, 5, "x", [{"update_id": 1}]])
def test_what_is_no_object_has_no_id(raw: Any) -> None:
    assert find_update_id(raw) is None


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
def test_the_lane_is_the_chat_or_else_the_person(raw: dict[str, Any], lane: int) -> None:
    assert find_lane(raw) == lane


@pytest.mark.parametrize(
    "kind",
    [
        *("message", "edited_message", "channel_post", "edited_channel_post", "my_chat_member"),
        *("chat_member", "chat_join_request", "message_reaction"),
    ],
)
def test_these_kinds_name_their_chat(kind: str) -> None:
    assert find_lane({kind: {"chat": {"id": -5}, "from": {"id": 3}}}) == -5


@pytest.mark.parametrize(
    ("raw", "date"),
    [
        ({"message": {"date": 1000}}, 1000.0),
        ({"message": {"date": MOST}}, float(MOST)),
        ({"message": {"date": MOST + 1}}, None),
        ({"message": {"date": 1000.5}}, None),
        ({"message": {"date": True}}, None),
        ({"message": {}}, None),
        ({"message": 7}, None),
        ({"edited_message": {"date": 1000}}, None),
        (7, None),
    ],
)
def test_only_a_message_is_dated(raw: Any, date: float | None) -> None:
    assert find_message_date(raw) == date


def sent(raw: object, at: float) -> float:
    return find_sent_time(QueuedUpdate(1, 0, json.dumps(raw), accepted_at=at))


def test_an_update_was_sent_when_its_message_says_or_else_when_it_came() -> None:
    assert sent({"message": {"date": 900}}, 1000.0) == 900.0
    assert sent({"callback_query": {}}, 1000.0) == 1000.0
    assert sent({"message": {"date": 5}}, 1000.0 + 2 * DAY) == 1000.0 + 2 * DAY  # nobody can believe it


@pytest.mark.parametrize("body", ["{", "[]", "7", "[" * 100_000])
def test_a_row_that_cant_be_read_is_empty(body: str) -> None:
    assert decode_update(QueuedUpdate(1, 0, body)) == {}


def pressed(number: object, key: bytes = b"key") -> str | None:
    return make_queued_update({"update_id": 1, "callback_query": {"id": number}}, 0.0, key).press_hash


def test_a_press_is_told_by_a_hash_of_its_id() -> None:
    assert pressed("12") == pressed("12") != pressed("13")
    assert pressed("12") != pressed("12", b"another bot's")
    assert len(pressed("12") or "") == 32
    assert pressed(12) is pressed("×") is pressed(None) is None
    assert make_queued_update({"update_id": 1, "callback_query": 7}, 0.0, b"").press_hash is None


TAPPED = {"chat": {"id": -5}, "text": "8/(3-8/3)", "board": {"press": "x"}}
PLAIN = {"chat": {"id": -5}, "text": "8/(3-8/3)"}


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        ({"update_id": 1, "message": TAPPED}, {"update_id": 1, "message": PLAIN}),
        ({"update_id": 1, "edited_message": TAPPED}, {"update_id": 1, "edited_message": PLAIN}),
        (
            {"update_id": 1, "callback_query": {"id": "7", "message": TAPPED}},
            {"update_id": 1, "callback_query": {"id": "7", "message": PLAIN}},
        ),
        ({"update_id": 1, "message": PLAIN}, {"update_id": 1, "message": PLAIN}),
        ({"update_id": 1, "callback_query": {"id": "7"}}, {"update_id": 1, "callback_query": {"id": "7"}}),
        ({"update_id": 1, "message": 5}, {"update_id": 1, "message": 5}),
        ([7], [7]),
        (None, None),
    ],
)
def test_no_update_of_telegrams_says_that_it_is_a_tap(raw: Any, kept: Any) -> None:
    assert strip_board_marks(raw) == kept


@pytest.mark.parametrize(
    ("raw", "tap"),
    [
        ({"message": TAPPED | {"from": {"id": 3}}}, (3, "x")),
        ({"callback_query": {"from": {"id": 3}, "message": TAPPED}}, (3, "x")),
        ({"callback_query": {"from": 7, "message": TAPPED}}, (0, "x")),
        ({"message": PLAIN}, None),
        ({"callback_query": {"from": {"id": 3}, "message": 5}}, None),
        ({"callback_query": {"from": {"id": 3}}}, None),
        ({"message": PLAIN | {"board": 5}}, None),
        ({"message": 5}, None),
        ({}, None),
        (None, None),
    ],
)
def test_who_tapped_and_what_the_page_calls_it(raw: Any, tap: Any) -> None:
    assert find_board_press(raw) == tap


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
def test_wide_digits_and_spaces_are_like_all_others(text: str, plain: str) -> None:
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
def test_digits_touch_a_command_that_is_known(text: str, plain: str) -> None:
    assert normalize_command(text, {"a", "play"}) == plain
