"""Call the Bot API with plain JSON, over the library's connections and with its errors."""

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

NONSENSE_ANSWER = "an answer that makes no sense"
# Raised by the library at an answer that lacks fields, has others' types, or is nested too deep.
NONSENSE_ERRORS = (KeyError, AttributeError, TypeError, ValueError, OverflowError, RecursionError)


async def call_api(
    bot: Bot, method: str, parameters: dict[str, Any], *, read_timeout: float | None = None
) -> Any:
    """Call a method and return its result as JSON. Raises TelegramError, also for an answer without sense.

    The library's typed methods are not used: requests are stored as JSON before they are sent, and an update
    that the library can't parse must be stored as it came. `Bot.do_api_request` takes JSON too, but warns at
    each method that has a typed twin, and reports a refused token as an unknown method.
    """
    outcome = "unanswered"
    try:
        with metrics.measure_time(metrics.REQUEST_TIME.labels(method)):
            form = cast("RequestData", RequestForm(parameters))
            timeouts = {} if read_timeout is None else {"read_timeout": read_timeout}
            result = await bot.request.post(f"{bot.base_url}/{method}", form, **timeouts)
        outcome = "answered"
        return result
    except NONSENSE_ERRORS:
        raise TelegramError(NONSENSE_ANSWER) from None
    except TelegramError as error:
        if isinstance(error, RetryAfter):
            outcome = "throttled"
        elif is_refusal(error):
            outcome = "refused"
        raise
    except asyncio.CancelledError:
        outcome = "cut off"
        raise
    finally:
        metrics.REQUESTS.labels(method, outcome).inc()
        log.debug("%s: %s", method, outcome)


@dataclass(frozen=True, slots=True)
class RequestForm:
    """The parameters of a request, as the library's `RequestData`, which only private code can build."""

    parameters: dict[str, Any]

    @property
    def json_parameters(self) -> dict[str, str]:
        """All parameters but files, each as the text of a form's field."""
        fields = {}
        for name, value in self.parameters.items():
            if not isinstance(value, InputFile):
                fields[name] = value if isinstance(value, str) else json.dumps(value)
        return fields

    @property
    def multipart_data(self) -> dict[str, Any]:
        """The files: the name, content and type of each."""
        return {key: file.field_tuple for key, file in self.parameters.items() if isinstance(file, InputFile)}


def make_parameters(body: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a stored request; pictures and the text of a document become files."""
    parameters = dict(body["params"])
    for name, value in parameters.items():
        if isinstance(value, bytes):
            parameters[name] = InputFile(value, filename=f"{name}.png")
    document = parameters.get("document")
    if isinstance(document, dict):
        parameters["document"] = InputFile(document["text"].encode(), filename=document["name"])
    return parameters


async def require_true(call: Awaitable[object]) -> None:
    """Await a call that Telegram answers with True. Raises TelegramError, also for any other answer."""
    if await call is not True:
        raise TelegramError(NONSENSE_ANSWER)


MAX_FAILURE_LENGTH = 200  # Characters of the reason in the log
NO_JSON_MESSAGE = "Invalid server response"  # the library's, for an answer of some other server


def is_refusal(error: BaseException) -> bool:
    """Whether Telegram itself refuses the request and would do so again; False if another server answered."""
    # A proxy may answer with the same status but no JSON; the library raises its error from that of the JSON
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, TelegramError) and cause.message == NO_JSON_MESSAGE:
            return False
        cause = cause.__cause__
    return isinstance(error, BadRequest | Forbidden | InvalidToken)


def describe_telegram_error(error: TelegramError) -> str:
    """Return Telegram's error message, without anything that could hold the token, such as a page."""
    # The library quotes a page that is no JSON behind these words
    message, has_page, _page = error.message.partition(". Parsing the server response")
    if has_page:
        return f"{message}, in an answer that is no JSON"
    if message == NO_JSON_MESSAGE:
        return "the answer is no JSON"
    if isinstance(error, InvalidToken):
        return "Telegram does not know the token"  # the library's message may quote it
    return message


def describe_failure(error: BaseException) -> str:
    """Return why a request failed, in one line for the log, without anything that could hold the token."""
    if isinstance(error, TelegramError):
        message = describe_telegram_error(error)
        if message != error.message or isinstance(error, InvalidToken):
            return message  # A whole sentence already
        return f"{type(error).__name__}: {message}"[:MAX_FAILURE_LENGTH]
    if isinstance(error, KeyError | AttributeError):
        return "the answer has no result"
    reason = logs.describe_error(error)
    if not str(error).strip():
        return reason  # Names the type already
    return f"{type(error).__name__}: {reason}"[:MAX_FAILURE_LENGTH]
