"""Call the Bot API with plain JSON, over aiohttp's connections, behind the library's interface and errors.

The library's usual client takes some ten times the CPU time per request, more than everything else that the
bot does for an update.
"""

import asyncio
import json
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx
from telegram import Bot, InputFile
from telegram.error import InvalidToken, NetworkError, RetryAfter, TelegramError, TimedOut
from telegram.request import BaseRequest, RequestData
from yarl import URL

from bot import logs, metrics
from bot.metrics import Connectivity
from bot.queue.refusals import NONSENSE_ANSWER, describe_telegram_error, is_refusal
from bot.settings import SettingsError

log = logging.getLogger(__name__)

# Raised by the library at an answer that lacks fields, has others' types, or is nested too deep.
NONSENSE_ERRORS = (KeyError, AttributeError, TypeError, ValueError, OverflowError, RecursionError)


async def call_api(
    bot: Bot, method: str, parameters: Mapping[str, Any], *, read_timeout: float | None = None
) -> Any:
    """Call a method and return its result as JSON. Raises TelegramError, also for an answer without sense.

    The library's typed methods are not used: requests are stored as JSON before they are sent, and an update
    that the library can't parse must be stored as it came. `Bot.do_api_request` takes JSON too, but warns at
    each method that has a typed twin, and reports a refused token as an unknown method.
    """
    outcome = "unanswered"
    try:
        with metrics.measure_time(metrics.REQUEST_TIME.labels(method)):
            form = cast("RequestData", RequestForm(_open_files(parameters)))
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
        files = {}
        for name, value in self.parameters.items():
            if isinstance(value, InputFile):
                files[name] = value.field_tuple
        return files


def _open_files(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters with pictures and the text of a document as files."""
    opened = dict(parameters)
    for name, value in parameters.items():
        if isinstance(value, bytes):
            opened[name] = InputFile(value, filename=f"{name}.png")
    document = parameters.get("document")
    if isinstance(document, dict):
        opened["document"] = InputFile(document["text"].encode(), filename=document["name"])
    return opened


async def require_true(call: Awaitable[object]) -> None:
    """Await a call that Telegram answers with True. Raises TelegramError, also for any other answer."""
    if await call is not True:
        raise TelegramError(NONSENSE_ANSWER)


MAX_FAILURE_LENGTH = 200  # Characters of the reason in the log


def describe_failure(error: BaseException) -> str:
    """Return why a request failed, in one line for the log, without anything that could hold the token."""
    if isinstance(error, TelegramError):
        message = describe_telegram_error(error)
        if message != error.message or isinstance(error, InvalidToken):
            return message  # A whole sentence already
        return f"{type(error).__name__}: {message}"[:MAX_FAILURE_LENGTH]
    if isinstance(error, KeyError | AttributeError):
        return "the answer has no result"
    reason = logs.get_error_reason(error)
    if not str(error).strip():
        return reason  # Names the type already
    return f"{type(error).__name__}: {reason}"[:MAX_FAILURE_LENGTH]


# Connections

# One connection waits for updates, `outbox.MAX_PARALLEL` send, and handlers look things up.
MAX_CONNECTIONS = 64
CONNECT_TIMEOUT = 5.0  # seconds until a connection is made
WRITE_TIMEOUT = 20.0  # seconds until a request is written
READ_TIMEOUT = 10.0  # seconds until the next part of the answer comes
POOL_TIMEOUT = 10.0  # seconds until one of the connections is free
IDLE_TIME = 5.0  # seconds for which an unused connection is kept: many servers close theirs not much later
GATEWAY_STATUSES = {502, 503, 504}  # by which a proxy may say that Telegram does not answer
# Turns of the event loop before each request: in the first, the library sees which connections were closed.
LOOP_TURNS = 2


class Connections(BaseRequest):
    """A pool of connections to the server at `root`, through a proxy if the environment names one."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._proxy = find_proxy(root)
        self._session: aiohttp.ClientSession | None = None
        self.connectivity = Connectivity()  # records the outcome of all requests
        # Called with the date in the header of each answer of the server.
        self.on_server_date: Callable[[float], None] = lambda _: None

    @property
    def read_timeout(self) -> float | None:
        """Seconds after which an answer that doesn't come counts as lost."""
        return READ_TIMEOUT

    async def initialize(self) -> None:
        """Open the session; the library calls this more than once."""
        if self._session is not None:
            return
        # Trust the certificates that come with the library, since a machine may have none
        certificates = httpx.create_ssl_context() if self._root.startswith("https:") else True
        connector = aiohttp.TCPConnector(limit=MAX_CONNECTIONS, keepalive_timeout=IDLE_TIME, ssl=certificates)
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": self.USER_AGENT},
            proxy=self._proxy,
        )

    async def shutdown(self) -> None:
        session = self._session
        self._session = None  # Before closing, which takes a moment
        if session is not None:
            await session.close()

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: Any = BaseRequest.DEFAULT_NONE,
        *_other_timeouts: Any,
        **_timeouts_by_name: Any,
    ) -> tuple[int, bytes]:
        """Send a request, and return the status and body of the answer; only its read timeout can be chosen.

        Record in `connectivity` whether an answer came. Raises TimedOut or NetworkError, caused by the error,
        which tells whether anything was sent.
        """
        if self._session is None:
            raise RuntimeError("the connections are not open")
        if read_timeout is BaseRequest.DEFAULT_NONE:
            read_timeout = READ_TIMEOUT
        timeout = _make_timeout(read_timeout)
        for _ in range(LOOP_TURNS):
            await asyncio.sleep(0)  # Lets the library see which connections were closed
        began = self.connectivity.monotonic()
        try:
            body, headers = encode_form(request_data)
            async with self._session.request(
                method, url, data=body, headers=headers, timeout=timeout, allow_redirects=False
            ) as response:
                content = await response.read()
        except TimeoutError as error:
            self.connectivity.record_failure(began)
            raise TimedOut from error
        except Exception as error:
            self.connectivity.record_failure(began)
            raise NetworkError(_describe_connection_error(error)) from error
        self._record_answer(response)
        return response.status, content

    def _record_answer(self, response: aiohttp.ClientResponse) -> None:
        """Record that the server answered, unless that was a proxy, and pass on the date in its header."""
        if response.status not in GATEWAY_STATUSES:
            self.connectivity.record_answer()
        if response.status == HTTPStatus.OK:
            with suppress(KeyError, ValueError):  # no date, or none that can be read
                date = parsedate_to_datetime(response.headers["Date"])
                self.on_server_date(date.timestamp())


def _make_timeout(read: float) -> aiohttp.ClientTimeout:
    """Make the time limits of a request; only that of reading is chosen, in seconds."""
    # For aiohttp a connection includes the time until one of the pool is free
    connect = POOL_TIMEOUT + CONNECT_TIMEOUT
    total = connect + WRITE_TIMEOUT + read
    return aiohttp.ClientTimeout(total=total, connect=connect, sock_read=read, sock_connect=CONNECT_TIMEOUT)


def find_proxy(root: str) -> str | None:
    """Return the proxy that the environment names for a server, or None. Raises SettingsError if bad."""
    parts = urlsplit(root)
    proxies = getproxies()  # By scheme; "all" is for every scheme that has none of its own
    scheme = parts.scheme if proxies.get(parts.scheme) else "all"
    proxy = proxies.get(scheme)
    if not proxy or proxy_bypass(parts.netloc):
        return None
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    with suppress(ValueError):  # No address, or no number as its port
        address = urlsplit(proxy)
        if address.scheme in {"http", "https"} and address.hostname and address.port != 0:
            return proxy
    raise SettingsError(f"{scheme.upper()}_PROXY: no address of an HTTP proxy, such as http://host:3128")


def encode_form(data: RequestData | None) -> tuple[aiohttp.FormData | bytes | None, dict[str, str]]:
    """Encode a request's body: as a form, of several parts if it holds a file. Return it with its headers.

    An ordinary form is escaped by the code for the query of a URL. That is compiled; aiohttp's own code for
    forms takes six times as long.
    """
    if data is None:
        return None, {}
    files = data.multipart_data or {}
    if not files:
        body = URL.build(query=data.json_parameters).raw_query_string.encode()
        return body, {"Content-Type": "application/x-www-form-urlencoded"}
    form = aiohttp.FormData(data.json_parameters)
    for name, (filename, content, kind) in files.items():
        form.add_field(name, content, filename=filename, content_type=kind)
    return form, {}


def _describe_connection_error(error: Exception) -> str:
    """Describe an error in one line, without its own message: that holds the address, and so the token."""
    kind = type(error).__name__
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return f"{kind}: {error.host}:{error.port}, {error.certificate_error}"
    if isinstance(error, aiohttp.ClientConnectorError):
        cause = error.os_error
        reason = cause.strerror or type(cause).__name__
        if cause.errno and cause.errno > 0:  # A failed look-up of a name has numbers of its own, below 0
            reason = os.strerror(cause.errno)
        return f"{kind}: {error.host}:{error.port}, {reason}"
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return f"{kind}: the proxy answers {error.status}"
    if isinstance(error, OSError) and error.errno:
        return f"{kind}: {os.strerror(error.errno)}"
    return kind
