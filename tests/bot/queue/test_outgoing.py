"""Requests and the JSON in which they are stored, also by earlier versions."""

import json
from dataclasses import replace
from typing import Any

import pytest

from bot.queue.outgoing import (
    DeliveryCheck,
    DeliveryState,
    DeliveryStatus,
    Outgoing,
    PictureRequest,
    UncheckedPost,
    decode,
    encode,
)
from bot.telegram.messages import (
    edit_message,
    post_message,
    react_to_message,
    show_round,
    tell_privately,
)

GROUP, ANN = -100, 7
POST = post_message(GROUP, "3 8 3 8", topic=4, about="deal:7", timed=True)
TOLD = tell_privately(GROUP, ANN, "psst", 112.0, language="en", query_id="p", round_id=7, heading="24")
COPY = Outgoing(ANN, "hand over", {"player": ANN, "language": "en"}, about="forget:7")
CHECK = DeliveryCheck(DeliveryStatus.UNKNOWN, 7, 9.0, picture="abc", looked=2)
UNCHECKED = UncheckedPost(60, 50.0)
STATE = DeliveryState(CHECK, UNCHECKED, goes_without_picture=True, is_text=True, picture_checks=2)
DEAL = show_round(GROUP, 7)


@pytest.mark.parametrize(
    "request_",
    [
        POST,
        replace(POST, picture=PictureRequest("podium", "en", "", {"week": 3}), latest_id=5, cause="u7"),
        replace(POST, is_aside=True, changes_table=True, state=STATE),
        react_to_message(GROUP, 3, "🏆", instead=post_message(GROUP, "won")),
        show_round(GROUP, 7, unasked=True),
        Outgoing(GROUP, "show", key=7, is_new=True),
        Outgoing(ANN, "post card", {"round": 7, "player": ANN}),
        TOLD,
        COPY,
    ],
)
def test_what_is_stored_is_read(request_: Outgoing) -> None:
    assert decode(request_.lane, encode(request_)) == request_


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ({"method": "show", "round": 7, "new": False}, DEAL),
        (
            {"method": "show", "round": 7, "new": True, "unasked": True, "after": 3, "cause": "u1"},
            replace(DEAL, is_new=True, is_refresh=True, latest_id=3, cause="u1"),
        ),
        (
            {"method": "hand over", "player": 7, "language": "en", "about": "forget:7"},
            replace(COPY, lane=GROUP),
        ),
    ],
)
def test_stored_form_is_that_of_earlier_versions(stored: dict[str, Any], expected: Outgoing) -> None:
    assert decode(GROUP, json.dumps(stored)) == expected
    assert encode(expected) == json.dumps(stored)


def test_check_of_an_earlier_version_is_read() -> None:
    check = {"fate": "refused", "after": 7, "at": 9.0, "over": True}
    request = decode(GROUP, json.dumps({"method": "sendMessage", "params": {}, "doubt": check}))
    assert request
    assert request.state.check == DeliveryCheck(DeliveryStatus.REFUSED, 7, 9.0, over=True)


def test_only_requests_that_make_a_message_are_posts() -> None:
    alert, message = TOLD, TOLD.take_next_way()
    posts = [POST, COPY, message, Outgoing(ANN, "post card", {"round": 7}), Outgoing(ANN, "sendDocument")]
    others = [
        alert,
        edit_message(GROUP, 3, "x"),
        show_round(GROUP, 7),
        react_to_message(GROUP, 3, "👎"),
    ]
    assert [request.is_post for request in posts + others] == [True] * 5 + [False] * 4
    assert replace(DEAL, is_new=True).is_post


def test_moved_request_names_no_message_of_its_former_chat() -> None:
    reply = post_message(GROUP, "x", reply_to=3, topic=4)
    moved = replace(reply, latest_id=5, state=STATE).move(-200)
    assert moved == post_message(-200, "x", topic=4)
    assert replace(DEAL, latest_id=5).move(-200) == show_round(-200, 7)


def test_rounds_and_cards_are_visible_on_board_and_posts_are_not() -> None:
    assert show_round(-1_001, 7).is_visible_on_board
    assert Outgoing(7, "post card", {"round": 7}).is_visible_on_board
    assert Outgoing(-1_001, "editMessageText", changes_table=True).is_visible_on_board
    assert not post_message(-1_001, "all").is_visible_on_board
    assert not tell_privately(-1_001, 7, "psst", 0.0, language="en").is_visible_on_board
