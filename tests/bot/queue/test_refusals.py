"""Classification of Telegram's refusals."""

from datetime import timedelta
from typing import Any

import pytest
from telegram.error import BadRequest, Forbidden, NetworkError, RetryAfter, TelegramError

from bot.queue.refusals import is_forbidden, is_harmless, is_message_gone, is_too_large, read_retry_delay


@pytest.mark.parametrize(
    ("method", "error", "expected"),
    [
        ("editMessageText", BadRequest("Message is not modified"), True),
        ("answerCallbackQuery", BadRequest("Query is too old and response timeout expired"), True),
        ("answerCallbackQuery", BadRequest("Query ID is invalid"), True),
        ("setMessageReaction", BadRequest("Message to react not found"), True),
        ("setMessageReaction", BadRequest("MESSAGE_ID_INVALID"), True),
        ("editMessageText", BadRequest("Message to edit not found"), False),
        ("sendMessage", BadRequest("Chat not found"), False),
        ("editMessageText", Forbidden("not modified"), False),
    ],
)
def test_harmless_refusals(method: str, error: TelegramError, expected: bool) -> None:
    assert is_harmless(method, error) is expected


@pytest.mark.parametrize(
    ("method", "error", "expected"),
    [
        ("editMessageText", BadRequest("Message to edit not found"), True),
        ("editMessageText", BadRequest("Message can't be edited"), True),
        ("editMessageText", BadRequest("Message not found"), True),
        ("editMessageText", BadRequest("MESSAGE_EDIT_TIME_EXPIRED"), True),
        ("editMessageCaption", BadRequest("MESSAGE_AUTHOR_REQUIRED"), True),
        ("editMessageText", BadRequest("Chat not found"), False),
        ("sendMessage", BadRequest("Message not found"), False),
        ("editMessageText", NetworkError("Message not found"), False),
    ],
)
def test_refusals_of_edits_of_deleted_messages(method: str, error: TelegramError, expected: bool) -> None:
    assert is_message_gone(method, error) is expected


@pytest.mark.parametrize(
    ("method", "error", "expected"),
    [
        ("setMessageReaction", BadRequest("Reaction_invalid"), True),
        ("sendMessage", BadRequest("Have no rights to send a message"), True),
        ("sendPhoto", BadRequest("CHAT_SEND_PHOTOS_FORBIDDEN"), True),
        ("sendMessage", BadRequest("CHAT_WRITE_FORBIDDEN"), True),
        ("sendMessage", BadRequest("TOPIC_CLOSED"), True),
        ("sendMessage", BadRequest("Message thread not found"), True),
        ("editMessageText", Forbidden("Forbidden: bot is not a member of the supergroup chat"), True),
        ("sendMessage", BadRequest("Button_data_invalid"), False),
        ("sendMessage", NetworkError("Not enough rights"), False),
    ],
)
def test_refusals_by_people_or_groups(method: str, error: TelegramError, expected: bool) -> None:
    assert is_forbidden(method, error) is expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [("Unknown HTTPError (413)", True), ("Request Entity Too Large", True), ("Bad Gateway", False)],
)
def test_refusals_of_large_requests(message: str, expected: bool) -> None:
    assert is_too_large(NetworkError(message)) is expected


@pytest.mark.parametrize(
    ("delay", "seconds"),
    [
        (7, 7),
        (timedelta(seconds=7), 7),
        (-5, 1),
        (0, 1),
        ("7", 1),
        (None, 1),
        (10**9, 3600),
        (float("inf"), 3600),
    ],
)
def test_retry_delay_is_between_a_second_and_an_hour(delay: Any, seconds: float) -> None:
    error = RetryAfter(1)
    error._retry_after = delay
    assert read_retry_delay(error) == seconds
