"""Delivery status after an error, and the search for a post that may have arrived."""

from collections.abc import Mapping
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

from bot.queue.delivery_check import classify_error, find_post, is_undelivered
from bot.queue.outgoing import DeliveryCheck, DeliveryStatus
from bot.queue.pacing import LatestMessages

REFUSED = aiohttp.ClientConnectorError(Mock(), OSError("no route"))


GROUP = -1_000_000_000_007
NO_JSON = TelegramError("Invalid server response")


def with_cause(error: TelegramError, cause: Exception) -> TelegramError:
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
        (with_cause(NetworkError("lost"), aiohttp.ServerDisconnectedError()), DeliveryStatus.UNKNOWN),
        (with_cause(NetworkError("refused"), REFUSED), DeliveryStatus.UNSENT),
        (with_cause(TimedOut(), aiohttp.ConnectionTimeoutError()), DeliveryStatus.UNSENT),
        (with_cause(TimedOut(), aiohttp.SocketTimeoutError()), DeliveryStatus.UNKNOWN),
        (
            with_cause(NetworkError("no way"), aiohttp.ClientHttpProxyError(Mock(), (), status=503)),
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
            with_cause(BadRequest("Bad Request (400). Parsing … b'<html>' failed"), NO_JSON),
            DeliveryStatus.REFUSED,
        ),
        (Conflict("terminated by other getUpdates request"), DeliveryStatus.REFUSED),
    ],
)
def test_error_gives_the_delivery_status(error: TelegramError, expected: DeliveryStatus) -> None:
    assert classify_error(error) is expected


TEXT, LOST = {"chat_id": GROUP, "text": "x"}, DeliveryCheck(DeliveryStatus.REFUSED, 7, 0.0)


async def test_search_edits_other_ids_with_the_posts_own_text() -> None:
    params = {"chat_id": GROUP, "text": "x", "reply_parameters": {"message_id": 4}, "message_thread_id": 2}
    attempts: list[Mapping[str, Any]] = []

    async def ask(method: str, parameters: Mapping[str, Any]) -> Any:
        attempts.append(parameters)
        raise OTHERS

    latest = LatestMessages()
    for message_id in (8, 10):
        latest.record(GROUP, message_id, own=True)
    await find_post(ask, GROUP, params, LOST, latest)
    assert [edit["message_id"] for edit in attempts] == [9, *range(11, 70)]
    assert attempts[0] == {"chat_id": GROUP, "text": "x", "message_id": 9}


def test_number_of_remembered_posts_is_limited() -> None:
    latest = LatestMessages()
    latest.record(GROUP, 1, own=True)
    latest.record(GROUP, 2)
    for message_id in range(3, 63):
        latest.record(GROUP, message_id, own=True)
    assert list(latest.find_other_ids(GROUP)) == list(range(3, 63))
    assert list(latest.find_other_ids(GROUP - 1)) == []


def test_private_chats_and_basic_groups_share_message_ids() -> None:
    latest = LatestMessages()
    for message_id, chat in enumerate((7, -8, 9, GROUP, 7), 1):
        latest.record(chat, message_id)
    latest.record(7, 6, own=True)
    assert latest.find_other_ids(7) == {2, 3, 6}
    assert latest.find_other_ids(-8) == {1, 3, 5, 6}
    assert list(latest.find_other_ids(GROUP)) == []
    for message_id in range(10, 10_010):
        latest.record(9, message_id)
    assert latest.find_other_ids(7) == {6, *range(10, 10_010)}


def test_number_of_remembered_chats_is_limited() -> None:
    latest = LatestMessages()
    latest.record(0, 9)
    latest.record(0, 5)
    assert latest.get_latest_id(0) == 9
    for chat in range(1, 10_001):
        latest.record(chat, 1)
    assert latest.get_latest_id(0) == 0
    assert latest.get_latest_id(1) == 1
    assert latest.get_latest_id(10_000) == 1


@pytest.mark.parametrize(
    ("error", "undelivered"),
    [
        (BadRequest("Chat not found"), True),
        (RetryAfter(3), True),
        (NetworkError("Bad Gateway"), True),
        (with_cause(NetworkError("refused"), REFUSED), True),
        (TimedOut(), False),
        (NetworkError("Internal Server Error: sent message was immediately deleted"), False),
    ],
)
def test_error_says_whether_a_post_is_undelivered(error: TelegramError, undelivered: bool) -> None:
    assert is_undelivered(error) is undelivered


SAME = BadRequest("Message is not modified")
OTHERS = BadRequest("Message can't be edited")
MISSING = BadRequest("Message to edit NOT FOUND")


@pytest.mark.parametrize(
    ("answers", "message_id", "attempts"),
    [
        ([SAME], 8, 1),
        ([OTHERS, SAME], 9, 2),
        ([OTHERS, {"message_id": 9}], 9, 2),
        ([MISSING] * 9, None, 6),
        ([*[MISSING] * 5, OTHERS, *[MISSING] * 9], None, 12),
        ([OTHERS] * 100, None, 60),
    ],
)
async def test_post_is_searched_by_edits_that_change_nothing(
    answers: list[Any], message_id: int | None, attempts: int
) -> None:
    calls: list[Any] = []

    async def ask(method: str, parameters: Mapping[str, Any]) -> Any:
        calls.append((method, parameters["message_id"], parameters["text"]))
        answer = answers[len(calls) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert await find_post(ask, GROUP, TEXT, LOST, LatestMessages()) == message_id
    assert calls == [("editMessageText", 8 + n, "x") for n in range(attempts)]


async def test_search_is_longer_where_chats_share_message_ids() -> None:
    calls: list[int] = []

    async def ask(method: str, parameters: Mapping[str, Any]) -> Any:
        calls.append(parameters["message_id"])
        raise SAME if parameters["message_id"] == 48 else MISSING

    params, latest = {"chat_id": 7, "text": "x"}, LatestMessages()
    for message_id in range(20, 40):
        latest.record(8, message_id)
    assert await find_post(ask, 7, params, LOST, latest) == 48
    assert calls == [*range(8, 20), *range(40, 49)]
    calls.clear()
    assert await find_post(ask, 7, params, replace(LOST, after=107), latest) is None
    assert calls == list(range(108, 138))


async def test_timeout_ends_the_search() -> None:
    async def ask(method: str, parameters: Mapping[str, Any]) -> Any:
        raise TimedOut

    with pytest.raises(TimedOut):
        await find_post(ask, GROUP, TEXT, LOST, LatestMessages())


async def test_post_is_not_found_in_a_migrated_chat() -> None:
    async def ask(method: str, parameters: Mapping[str, Any]) -> Any:
        raise ChatMigrated(-100)

    assert await find_post(ask, GROUP, TEXT, LOST, LatestMessages()) is None


async def test_photo_is_searched_by_its_caption() -> None:
    calls: list[str] = []

    async def ask(method: str, parameters: Mapping[str, Any]) -> Any:
        calls.append(method)
        raise SAME

    assert await find_post(ask, GROUP, {"caption": "x"}, replace(LOST, picture="abc"), LatestMessages()) == 8
    assert await find_post(ask, GROUP, TEXT, LOST, LatestMessages()) == 8
    assert calls == ["editMessageCaption", "editMessageText"]
