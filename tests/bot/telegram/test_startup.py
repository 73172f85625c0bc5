"""The first requests to Telegram are repeated after errors; refusals end the start."""

import logging
from collections.abc import Callable

import pytest
from telegram.error import (
    BadRequest,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
)

from bot.telegram import startup as startup
from bot.telegram.startup import MAX_REFUSALS, StartError, call_until_answered


class Telegram:
    """Raises the given errors, one each, and then returns 7."""

    def __init__(self, *answers: Exception) -> None:
        self.answers = list(answers)
        self.call_count = 0

    async def __call__(self) -> int:
        self.call_count += 1
        if self.answers:
            raise self.answers.pop(0)
        return 7


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(startup, "FIRST_PAUSE", 0.0)
    monkeypatch.setattr(startup, "read_retry_delay", lambda _: 0.0)


def make_page_error(kind: Callable[[str], TelegramError]) -> TelegramError:
    """Return the error for a page of some other server."""
    error = kind("Not Found (404). Parsing the server response b'<html>canary' failed")
    error.__cause__ = TelegramError("Invalid server response")
    return error


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (NetworkError("ClientConnectorError: refused"), "NetworkError: ClientConnectorError: refused"),
        (NetworkError("Bad Gateway"), "NetworkError: Bad Gateway"),
        (RetryAfter(0), "RetryAfter: Flood control exceeded. Retry in 0:00:00"),
        (Conflict("Conflict: somebody else"), "Conflict: Conflict: somebody else"),
        (TelegramError("Invalid server response"), "the answer is no JSON"),
        (make_page_error(InvalidToken), "Not Found (404), in an answer that is no JSON"),
        (make_page_error(BadRequest), "Not Found (404), in an answer that is no JSON"),
        (KeyError("result"), "the answer has no result"),
        (
            TypeError("User.__init__() missing 1 required argument"),
            "TypeError: User.__init__() missing 1 required argument",
        ),
        (AttributeError("'int' object has no attribute 'get'"), "the answer has no result"),
    ],
)
async def test_transient_errors_are_retried(
    error: Exception, expected: str, caplog: pytest.LogCaptureFixture
) -> None:
    telegram = Telegram(*[error] * 5)
    with caplog.at_level(logging.WARNING):
        assert await call_until_answered(telegram, "WEBHOOK_URL") == 7
    assert telegram.call_count == 6
    assert caplog.messages == [f"Telegram can't be reached, trying again: {expected}"] * 5


@pytest.mark.parametrize("times", range(1, MAX_REFUSALS))
async def test_single_refusals_of_the_token_are_retried(times: int, caplog: pytest.LogCaptureFixture) -> None:
    assert await call_until_answered(Telegram(*[InvalidToken("Unauthorized")] * times), "WEBHOOK_URL") == 7
    assert caplog.text == ""


async def test_refused_token_raises_start_error() -> None:
    telegram = Telegram(*[InvalidToken("the token `1:canary` was rejected")] * 9)
    with pytest.raises(StartError, match=r"^BOT_TOKEN: Telegram refuses it$"):
        await call_until_answered(telegram, "WEBHOOK_URL")
    assert telegram.call_count == MAX_REFUSALS


@pytest.mark.parametrize(
    "refusal", [BadRequest("bad webhook: an HTTPS URL must be provided"), Forbidden("no")]
)
async def test_refused_request_names_its_setting(refusal: TelegramError) -> None:
    telegram = Telegram(NetworkError("Bad Gateway"), refusal)
    with pytest.raises(StartError, match=r"^WEBHOOK_URL: Telegram refuses it"):
        await call_until_answered(telegram, "WEBHOOK_URL")
    assert telegram.call_count == 2
