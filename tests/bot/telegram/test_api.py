"""What a failed request is called in a log."""

import pytest
from telegram.error import BadRequest, Conflict, InvalidToken, NetworkError, TelegramError

from bot.telegram.api import reason, refused

PAGE = "Not Found (404). Parsing the server response b'<html>canary</html>' failed"


def caused(error: TelegramError) -> TelegramError:
    """As the library raises it when the answer was a page."""
    error.__cause__ = TelegramError("Invalid server response")
    return error


def wrapped(error: TelegramError) -> TelegramError:
    """As the library raises it at its start."""
    told = InvalidToken("The token was rejected by the server.")
    told.__cause__ = error
    return told


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (caused(InvalidToken(PAGE)), "Not Found (404), in an answer that is no JSON"),
        (TelegramError("Invalid server response"), "the answer is no JSON"),
        (InvalidToken("The token `1:canary` was rejected."), "Telegram does not know the token"),
        (KeyError("result"), "the answer has no result"),
        (Conflict("Conflict: two"), "Conflict: Conflict: two"),
        (NetworkError("x" * 900), "NetworkError: " + "x" * 186),
    ],
)
def test_a_reason_is_short_and_quotes_no_page(error: Exception, expected: str) -> None:
    assert reason(error) == expected
    assert "canary" not in reason(error)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (InvalidToken("Unauthorized"), True),
        (BadRequest("bad webhook"), True),
        (wrapped(InvalidToken("Unauthorized")), True),
        (wrapped(caused(InvalidToken(PAGE))), False),
        (caused(InvalidToken(PAGE)), False),
        (NetworkError("Bad Gateway"), False),
        (TelegramError("Invalid server response"), False),
    ],
)
def test_only_telegram_itself_refuses(error: Exception, expected: bool) -> None:
    assert refused(error) is expected
