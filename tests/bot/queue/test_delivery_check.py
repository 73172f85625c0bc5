"""What an error tells of a post, and how the post is looked for."""

from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import aiohttp
import pytest
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from bot.queue.delivery_check import (
    DeliveryCheck,
    DeliveryStatus,
    LatestMessages,
    classify_error,
    find_post,
    is_undelivered,
    read_check,
    write_check,
)
from bot.queue.queries import QueuedRequest

REFUSED = aiohttp.ClientConnectorError(Mock(), OSError("no route"))


GROUP = -1_000_000_000_007
NO_JSON = TelegramError("Invalid server response")


def caused(error: TelegramError, cause: Exception) -> TelegramError:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (NetworkError("Bad Gateway"), DeliveryStatus.REFUSED),
        (NetworkError("Gateway Timeout (504)"), DeliveryStatus.REFUSED),
        (NetworkError("Internal Server Error: restart"), DeliveryStatus.REFUSED),
        (NetworkError("Unknown HTTPError (503). Parsing the server response failed"), DeliveryStatus.REFUSED),
        (NetworkError("Internal Server Error: sent message was immediately deleted"), DeliveryStatus.ARRIVED),
        (TimedOut(), DeliveryStatus.UNKNOWN),
        (caused(NetworkError("lost"), aiohttp.ServerDisconnectedError()), DeliveryStatus.UNKNOWN),
        (caused(NetworkError("refused"), REFUSED), DeliveryStatus.UNSENT),
        (caused(TimedOut(), aiohttp.ConnectionTimeoutError()), DeliveryStatus.UNSENT),
        (caused(TimedOut(), aiohttp.SocketTimeoutError()), DeliveryStatus.UNKNOWN),
        (
            caused(NetworkError("no way"), aiohttp.ClientHttpProxyError(Mock(), (), status=503)),
            DeliveryStatus.UNSENT,
        ),
        *(
            (NetworkError(f"Unknown HTTPError ({status})"), DeliveryStatus.REFUSED)
            for status in (302, 407, 408, 520)
        ),
        (NetworkError("ClientOSError: Connection reset by peer (port 8081)"), DeliveryStatus.UNKNOWN),
        (NetworkError("lost. Parsing the server response b'see (404)' failed"), DeliveryStatus.UNKNOWN),
        (TelegramError("Invalid server response"), DeliveryStatus.REFUSED),  # a body that breaks off
        (
            caused(BadRequest("Bad Request (400). Parsing … b'<html>' failed"), NO_JSON),
            DeliveryStatus.REFUSED,
        ),
        (Conflict("terminated by other getUpdates request"), DeliveryStatus.REFUSED),
    ],
)
def test_what_an_error_tells(error: TelegramError, expected: DeliveryStatus) -> None:
    assert classify_error(error) is expected


TEXT, LOST = {"chat_id": GROUP, "text": "x"}, DeliveryCheck(DeliveryStatus.REFUSED, 7, 0.0)


async def test_ids_are_tried_with_the_post_itself_but_for_its_place() -> None:
    params = {"chat_id": GROUP, "text": "x", "reply_parameters": {"message_id": 4}, "message_thread_id": 2}
    tried: list[dict[str, Any]] = []

    async def ask(method: str, parameters: dict[str, Any]) -> Any:
        tried.append(parameters)
        raise OTHERS

    latest = LatestMessages()
    for number in (8, 10):
        latest.record(GROUP, number, own=True)
    await find_post(ask, GROUP, params, LOST, latest)
    assert [edit["message_id"] for edit in tried] == [9, *range(11, 70)]
    assert tried[0] == {"chat_id": GROUP, "text": "x", "message_id": 9}


def test_only_so_many_posts_are_remembered() -> None:
    latest = LatestMessages()
    latest.record(GROUP, 1, own=True)
    latest.record(GROUP, 2)
    for number in range(3, 63):
        latest.record(GROUP, number, own=True)
    assert list(latest.find_other_ids(GROUP)) == list(range(3, 63))
    assert list(latest.find_other_ids(GROUP - 1)) == []


def test_private_chats_and_basic_groups_share_one_count() -> None:
    latest = LatestMessages()
    for number, chat in enumerate((7, -8, 9, GROUP, 7), 1):
        latest.record(chat, number)
    latest.record(7, 6, own=True)
    assert latest.find_other_ids(7) == {2, 3, 6}
    assert latest.find_other_ids(-8) == {1, 3, 5, 6}
    assert list(latest.find_other_ids(GROUP)) == []
    for number in range(10, 10_010):
        latest.record(9, number)
    assert latest.find_other_ids(7) == {6, *range(10, 10_010)}


def test_only_so_many_chats_are_remembered() -> None:
    latest = LatestMessages()
    latest.record(0, 9)
    latest.record(0, 5)
    assert latest.get_latest_id(0) == 9
    for chat in range(1, 10_001):
        latest.record(chat, 1)
    assert latest.get_latest_id(0) is None
    assert latest.get_latest_id(1) == 1
    assert latest.get_latest_id(10_000) == 1


def test_a_chat_that_is_heard_of_again_is_remembered_longer() -> None:
    latest = LatestMessages()
    for chat in range(10_000):
        latest.record(chat, 1)
    latest.record(0, 2)
    latest.record(10_000, 1)
    assert (latest.get_latest_id(0), latest.get_latest_id(1)) == (2, None)


@pytest.mark.parametrize(
    ("error", "nothing"),
    [
        (BadRequest("Chat not found"), True),
        (RetryAfter(3), True),
        (NetworkError("Bad Gateway"), True),
        (caused(NetworkError("refused"), REFUSED), True),
        (TimedOut(), False),
        (NetworkError("Internal Server Error: sent message was immediately deleted"), False),
    ],
)
def test_which_posts_came_to_nothing(error: TelegramError, nothing: bool) -> None:
    assert is_undelivered(error) is nothing


SAME = BadRequest("Message is not modified")
OTHERS = BadRequest("Message can't be edited")
MISSING = BadRequest("Message to edit NOT FOUND")


@pytest.mark.parametrize(
    ("answers", "number", "tried"),
    [
        ([SAME], 8, 1),
        ([OTHERS, SAME], 9, 2),
        ([OTHERS, {"message_id": 9}], 9, 2),
        ([MISSING] * 9, None, 6),
        ([*[MISSING] * 5, OTHERS, *[MISSING] * 9], None, 12),
        ([OTHERS] * 100, None, 60),
    ],
)
async def test_the_post_is_looked_for_by_edits_that_change_nothing(
    answers: list[Any], number: int | None, tried: int
) -> None:
    asked: list[Any] = []

    async def ask(method: str, parameters: dict[str, Any]) -> Any:
        asked.append((method, parameters["message_id"], parameters["text"]))
        answer = answers[len(asked) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert await find_post(ask, GROUP, TEXT, LOST, LatestMessages()) == number
    assert asked == [("editMessageText", 8 + n, "x") for n in range(tried)]


async def test_where_chats_share_a_count_the_end_is_farther() -> None:
    asked: list[int] = []

    async def ask(method: str, parameters: dict[str, Any]) -> Any:
        asked.append(parameters["message_id"])
        raise SAME if parameters["message_id"] == 48 else MISSING

    params, latest = {"chat_id": 7, "text": "x"}, LatestMessages()
    for number in range(20, 40):
        latest.record(8, number)
    assert await find_post(ask, 7, params, LOST, latest) == 48
    assert asked == [*range(8, 20), *range(40, 49)]
    asked.clear()
    assert await find_post(ask, 7, params, replace(LOST, after=107), latest) is None
    assert asked == list(range(108, 138))


async def test_an_error_that_tells_nothing_ends_the_look() -> None:
    async def ask(method: str, parameters: dict[str, Any]) -> Any:
        raise TimedOut

    with pytest.raises(TimedOut):
        await find_post(ask, GROUP, TEXT, LOST, LatestMessages())


async def test_nothing_is_looked_for_in_a_chat_that_is_another_one_now() -> None:
    async def ask(method: str, parameters: dict[str, Any]) -> Any:
        raise ChatMigrated(-100)

    assert await find_post(ask, GROUP, TEXT, LOST, LatestMessages()) is None


async def test_a_photo_is_looked_for_by_its_caption() -> None:
    asked: list[str] = []

    async def ask(method: str, parameters: dict[str, Any]) -> Any:
        asked.append(method)
        raise SAME

    assert await find_post(ask, GROUP, {"caption": "x"}, replace(LOST, picture="abc"), LatestMessages()) == 8
    assert await find_post(ask, GROUP, TEXT, LOST, LatestMessages()) == 8
    assert asked == ["editMessageCaption", "editMessageText"]


def test_what_is_in_doubt_is_kept_whole_also_what_an_older_version_kept() -> None:
    request = QueuedRequest(1, GROUP, {"method": "show"})
    assert read_check(request) is None
    kept = DeliveryCheck(DeliveryStatus.UNKNOWN, 7, 9.0, picture="abc", looked=2)
    write_check(request, kept)
    assert read_check(request) == kept
    request.body["doubt"] = {"fate": "refused", "after": 7, "at": 9.0, "over": True}
    assert read_check(request) == DeliveryCheck(DeliveryStatus.REFUSED, 7, 9.0, over=True)
