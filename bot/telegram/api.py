"""One request to Telegram as plain JSON in and out, with the library's connections, errors and retries."""

import asyncio
import json
import logging
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, cast

from telegram import Bot, InputFile
from telegram.error import BadRequest, Forbidden, InvalidToken, RetryAfter, TelegramError
from telegram.request import RequestData

from bot import logs, metrics

log = logging.getLogger(__name__)

# What the library says of an answer that some other server gave in Telegram's place.
NO_JSON_MESSAGE = "Invalid server response"

NONSENSE_ANSWER = "an answer that makes no sense"
# What the library makes of one: it looks for more than came, reckons with it, or goes too deep.
ODDITIES = (KeyError, AttributeError, TypeError, ValueError, OverflowError, RecursionError)


@dataclass(frozen=True, slots=True)
class RequestForm:
    """The parameters of one request, as the library's connections read them from a `RequestData`.

    The library makes its own by means that are not public.
    """

    parameters: dict[str, Any]

    @property
    def contains_files(self) -> bool:
        """Whether a file is among them."""
        return bool(self.multipart_data)

    @property
    def json_parameters(self) -> dict[str, str]:
        """All but files, each as the field of a form that Telegram reads."""
        plain = {key: value for key, value in self.parameters.items() if not isinstance(value, InputFile)}
        return {key: v if isinstance(v, str) else json.dumps(v) for key, v in plain.items()}

    @property
    def multipart_data(self) -> dict[str, Any]:
        """The files: of each its name, content and type."""
        return {key: file.field_tuple for key, file in self.parameters.items() if isinstance(file, InputFile)}


async def require_true(asking: Awaitable[object]) -> None:
    """Ask for something that Telegram answers with True. Raises TelegramError, also for any other answer."""
    if await asking is not True:
        raise TelegramError(NONSENSE_ANSWER)


async def call_api(
    bot: Bot, method: str, parameters: dict[str, Any], *, read_timeout: float | None = None
) -> Any:
    """The result of `method`, as Telegram sent it. Raises TelegramError.

    Requests are stored as JSON before they are sent, and an update that can't be parsed has to be kept as it
    came; so neither passes through the library's typed methods. `Bot.do_api_request` takes JSON too, but
    warns at each call of a method that has a typed twin, and calls a refused token an unknown method.
    """
    outcome = "unanswered"
    try:
        with metrics.measure_time(metrics.REQUEST_TIME.labels(method)):
            result = await _ask(bot, method, parameters, read_timeout)
        outcome = "answered"
        return result
    except TelegramError as error:
        outcome = _outcome(error)
        raise
    except asyncio.CancelledError:
        outcome = "cut off"
        raise
    finally:
        metrics.REQUESTS.labels(method, outcome).inc()
        log.debug("%s: %s", method, outcome)


async def _ask(bot: Bot, method: str, parameters: dict[str, Any], read_timeout: float | None) -> Any:
    timeouts = {} if read_timeout is None else {"read_timeout": read_timeout}
    form = cast("RequestData", RequestForm(parameters))
    try:
        return await bot.request.post(f"{bot.base_url}/{method}", form, **timeouts)
    except ODDITIES:
        raise TelegramError(NONSENSE_ANSWER) from None


def _outcome(error: TelegramError) -> str:
    """What a failure counts as: Telegram asks to wait, says no, or says nothing that makes sense."""
    if isinstance(error, RetryAfter):
        return "throttled"
    return "refused" if is_refusal(error) else "unanswered"


def make_parameters(body: dict[str, Any]) -> dict[str, Any]:
    """What goes into a stored request: a document's text travels as a file, and so does a picture."""
    given = dict(body["params"])
    for name, value in given.items():
        if isinstance(value, bytes):
            given[name] = InputFile(value, filename=f"{name}.png")
    document = given.get("document")
    if isinstance(document, dict):
        given["document"] = InputFile(document["text"].encode(), filename=document["name"])
    return given


def is_refusal(error: BaseException) -> bool:
    """Whether Telegram itself says no, and would again; a page of some other server says nothing."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, TelegramError) and cause.message == NO_JSON_MESSAGE:
            return False
        cause = cause.__cause__
    return isinstance(error, BadRequest | Forbidden | InvalidToken)


def describe_telegram_error(error: TelegramError) -> str:
    """Telegram's own words. Of an answer in its place only that it was one: a page may repeat the token."""
    message, *page = error.message.split(". Parsing the server response", 1)
    if page:
        return f"{message}, in an answer that is no JSON"
    if message == NO_JSON_MESSAGE:
        return "the answer is no JSON"
    if isinstance(error, InvalidToken):
        return "Telegram does not know the token"  # the library's own words may hold it
    return message


def describe_failure(error: BaseException) -> str:
    """Why a request failed, for a log: one line that doesn't quote what came back in Telegram's place."""
    if isinstance(error, TelegramError):
        message = describe_telegram_error(error)
        plain = message == error.message and not isinstance(error, InvalidToken)
        return f"{type(error).__name__}: {message}"[:200] if plain else message
    if isinstance(error, KeyError | AttributeError):
        return "the answer has no result"
    why = logs.describe_error(error)
    return f"{type(error).__name__}: {why}"[:200] if str(error).strip() else why
