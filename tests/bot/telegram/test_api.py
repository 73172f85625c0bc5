"""Calls of the Bot API, the library's errors, and their descriptions in logs."""

import ast
import asyncio
from pathlib import Path

import pytest
from telegram import Bot
from telegram.error import BadRequest, Conflict, InvalidToken, NetworkError, RetryAfter, TelegramError

from bot.queue.refusals import describe_telegram_error, is_refusal
from bot.telegram.api import call_api, describe_failure, require_true
from tests.metric_counter import MetricCounter
from tests.telegram import World, WorldRequest

BOT = Path(__file__).parents[3] / "bot"

NO_JSON_MESSAGE = "Not Found (404), in an answer that is no JSON"
PAGE = "Not Found (404). Parsing the server response b'<html>canary</html>' failed"


def make_page_error(error: TelegramError) -> TelegramError:
    """Return the error as the library raises it for an answer that is no JSON."""
    error.__cause__ = TelegramError("Invalid server response")
    return error


def wrap_as_invalid_token(error: TelegramError) -> TelegramError:
    """Return the error as the library raises it when it starts."""
    error_at_start = InvalidToken("The token was rejected by the server.")
    error_at_start.__cause__ = error
    return error_at_start


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (make_page_error(InvalidToken(PAGE)), "Not Found (404), in an answer that is no JSON"),
        (TelegramError("Invalid server response"), "the answer is no JSON"),
        (InvalidToken("The token `1:canary` was rejected."), "Telegram does not know the token"),
        (KeyError("result"), "the answer has no result"),
        (Conflict("Conflict: two"), "Conflict: Conflict: two"),
        (NetworkError("x" * 900), "NetworkError: " + "x" * 186),
    ],
)
def test_describe_failure_is_short_and_quotes_no_page(error: Exception, expected: str) -> None:
    assert describe_failure(error) == expected
    assert "canary" not in describe_failure(error)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (InvalidToken("Unauthorized"), True),
        (BadRequest("bad webhook"), True),
        (wrap_as_invalid_token(InvalidToken("Unauthorized")), True),
        (wrap_as_invalid_token(make_page_error(InvalidToken(PAGE))), False),
        (make_page_error(InvalidToken(PAGE)), False),
        (NetworkError("Bad Gateway"), False),
        (TelegramError("Invalid server response"), False),
    ],
)
def test_is_refusal_is_false_for_answers_of_other_servers(error: Exception, expected: bool) -> None:
    assert is_refusal(error) is expected


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def bot(world: World) -> Bot:
    return Bot(world.token, request=WorldRequest(world), get_updates_request=WorldRequest(world))


async def test_call_api_returns_the_raw_result(bot: Bot, world: World) -> None:
    ann = world.user("Ann")
    world.say(ann, ann, "/start")
    keyboard = {"inline_keyboard": [[{"text": "Hint", "callback_data": "h:1"}]]}
    counter = MetricCounter("requests_total", method="sendMessage", outcome="answered")
    sent = await call_api(bot, "sendMessage", {"chat_id": ann.id, "text": "[1]", "reply_markup": keyboard})
    assert counter.increase == 1
    assert (sent["text"], sent["reply_markup"]) == ("[1]", keyboard)


async def test_cancelled_request_is_counted_as_cut_off(bot: Bot, world: World) -> None:
    world.faults.add("getMe", delay=600.0)
    counter = MetricCounter("requests_total", method="getMe", outcome="cut off")
    asking = asyncio.create_task(call_api(bot, "getMe", {}))
    await asyncio.wait([asking], timeout=0.0)
    asking.cancel()
    await asyncio.wait([asking])
    assert counter.increase == 1


async def test_document_text_is_sent_as_file(bot: Bot, world: World) -> None:
    ann = world.user("Ann")
    world.say(ann, ann, "/start")
    params = {"chat_id": ann.id, "document": {"name": "a.json", "text": "{}"}, "caption": "all"}
    sent = await call_api(bot, "sendDocument", params)
    assert (sent["caption"], list(world.files.values())) == ("all", [b"{}"])


@pytest.mark.parametrize(
    ("fault", "error", "outcome"),
    [
        ({"status": 429, "retry_after": 7}, RetryAfter, "throttled"),
        ({"status": 502}, NetworkError, "unanswered"),
        ({"status": 401}, InvalidToken, "refused"),
    ],
)
async def test_errors_are_the_librarys_and_are_counted(
    fault: dict[str, int], error: type[TelegramError], outcome: str, bot: Bot, world: World
) -> None:
    world.faults.add("getMe", **fault)
    counter = MetricCounter("requests_total", method="getMe", outcome=outcome)
    timer = MetricCounter("request_seconds_count", method="getMe")
    with pytest.raises(error):
        await call_api(bot, "getMe", {})
    assert (counter.increase, timer.increase) == (1, 1)


def find_private_uses(path: Path) -> list[str]:
    """Return imports of private modules of the library, and calls of private methods of its bot."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    modules = [n.module or "" for n in nodes if isinstance(n, ast.ImportFrom)]
    modules += [alias.name for n in nodes if isinstance(n, ast.Import) for alias in n.names]
    calls = [ast.unparse(n) for n in nodes if isinstance(n, ast.Attribute) and n.attr.startswith("_")]
    theirs = [m for m in modules if m.startswith("telegram") and "._" in m]
    return theirs + [call for call in calls if call.rpartition(".")[0].endswith(("bot", "application"))]


@pytest.mark.long
def test_nothing_private_of_the_library_is_used() -> None:
    assert {str(path): found for path in BOT.rglob("*.py") if (found := find_private_uses(path))} == {}


async def _answer(result: object) -> object:
    return result


@pytest.mark.parametrize("odd", ["x", None, False, 1, {}])
async def test_require_true_accepts_only_true(odd: object) -> None:
    await require_true(_answer(True))
    with pytest.raises(TelegramError, match=r"^an answer that makes no sense$"):
        await require_true(_answer(odd))


TOKEN = "123456:canary"  # noqa: S105 - opens nothing


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (BadRequest("Chat not found"), "Chat not found"),
        (
            NetworkError(f"Not Found (404). Parsing the server response b'/bot{TOKEN}/x' failed"),
            NO_JSON_MESSAGE,
        ),
        (
            InvalidToken(f"Not Found (404). Parsing the server response b'/bot{TOKEN}/x' failed"),
            NO_JSON_MESSAGE,
        ),
        (
            InvalidToken(f"The token `{TOKEN}` was rejected by the server."),
            "Telegram does not know the token",
        ),
        (TelegramError("Invalid server response"), "the answer is no JSON"),
    ],
)
def test_stored_error_never_holds_the_token(error: TelegramError, expected: str) -> None:
    """An error page may repeat the path of the request, and so the token."""
    assert describe_telegram_error(error) == expected
    assert TOKEN not in describe_failure(error)
