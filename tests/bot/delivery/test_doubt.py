"""What an error tells of a post, and how the post is looked for."""

import httpx
import pytest
from telegram.error import BadRequest, NetworkError, RetryAfter, TelegramError, TimedOut

from bot.delivery.doubt import AHEAD, MANY_CHATS, Fate, Latest, edits, fate, is_it


def caused(error: NetworkError, cause: Exception) -> NetworkError:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (NetworkError("Bad Gateway"), Fate.REFUSED),
        (NetworkError("Gateway Timeout (504)"), Fate.REFUSED),
        (NetworkError("Internal Server Error: restart"), Fate.REFUSED),
        (NetworkError("Unknown HTTPError (503). Parsing the server response failed"), Fate.REFUSED),
        (NetworkError("Internal Server Error: sent message was immediately deleted"), Fate.ARRIVED),
        (TimedOut(), Fate.UNKNOWN),
        (caused(NetworkError("httpx.ReadError: "), httpx.ReadError("")), Fate.UNKNOWN),
        (caused(NetworkError("httpx.ConnectError: "), httpx.ConnectError("")), Fate.UNSENT),
        (TimedOut("Pool timeout: All connections in the connection pool are occupied"), Fate.UNSENT),
    ],
)
def test_what_an_error_tells(error: NetworkError, expected: Fate) -> None:
    assert fate(error) is expected


def test_the_numbers_after_the_last_known_one_are_tried() -> None:
    params = {"chat_id": -1, "text": "x", "reply_parameters": {"message_id": 4}, "message_thread_id": 2}
    tried = dict(edits(params, 7))
    assert list(tried) == list(range(8, 8 + AHEAD))
    assert tried[9] == {"chat_id": -1, "text": "x", "message_id": 9}


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (BadRequest("Message is not modified: specified new message content …"), True),
        (BadRequest("Message to edit not found"), False),
        (BadRequest("Message can't be edited"), False),
        (RetryAfter(3), None),
        (TimedOut(), None),
    ],
)
def test_whose_message_it_is(error: TelegramError, expected: bool | None) -> None:
    assert is_it(error) is expected


def test_only_so_many_chats_are_remembered() -> None:
    latest = Latest()
    latest.saw(0, 9)
    latest.saw(0, 5)
    assert latest.of(0) == 9
    for chat in range(1, MANY_CHATS + 1):
        latest.saw(chat, 1)
    assert latest.of(0) is None
    assert latest.of(MANY_CHATS) == 1
