"""The connections over which Telegram is asked: aiohttp's, behind the library's own interface and errors.

The library's usual client takes some ten times the work for each request, more than all else that the bot
does for an update together.
"""

import asyncio
import os
import ssl
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx
from telegram.error import NetworkError, TimedOut
from telegram.request import BaseRequest, RequestData
from yarl import URL

from bot.pulse import Connectivity
from bot.settings import SettingsError

MAX_CONNECTIONS = (
    64  # Connections at once: one waits for updates, `outbox.PARALLEL` send, and handlers look things up
)
# Seconds for a connection to come about, for a request to be written, for the next part of its answer to
# come, and for one of the connections to be free.
CONNECT, WRITE, READ_TIMEOUT, ROOM = 5.0, 20.0, 10.0, 10.0
# Seconds for which a connection is kept that nobody uses: many servers close theirs not much later.
IDLE = 5.0
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
ELSEWHERE = {502, 503, 504}  # Statuses by which something on the way may say that Telegram does not answer
# Turns of the event loop before each request. The first sees which connections were closed meanwhile.
TURNS = 2


class Connections(BaseRequest):
    """A pool of connections to the Bot API server at `root`, through the proxy that the environment names.

    Raises SettingsError when that proxy can't be used.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._proxy = find_proxy(root)
        self._session: aiohttp.ClientSession | None = None
        self.connectivity = Connectivity()
        """What came of all requests."""
        self.on_server_date: Callable[[float], None] = lambda _: None
        """Called with the date in the header of each answer of the Bot API server."""

    @property
    def read_timeout(self) -> float | None:
        """Seconds after which an answer that doesn't come counts as lost."""
        return READ_TIMEOUT

    async def initialize(self) -> None:
        """Make ready to connect; the library calls it more than once."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=MAX_CONNECTIONS, keepalive_timeout=IDLE, ssl=_certificates(self._root)
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": self.USER_AGENT},
                proxy=self._proxy,
            )

    async def shutdown(self) -> None:
        """Close every connection."""
        if self._session is not None:
            session, self._session = self._session, None
            await session.close()

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: Any = BaseRequest.DEFAULT_NONE,
        write_timeout: Any = BaseRequest.DEFAULT_NONE,
        connect_timeout: Any = BaseRequest.DEFAULT_NONE,
        pool_timeout: Any = BaseRequest.DEFAULT_NONE,
    ) -> tuple[int, bytes]:
        """The status and the body that came back.

        Raises TimedOut or NetworkError, caused by the error of aiohttp that tells whether anything was sent.
        """
        if self._session is None:
            raise RuntimeError("the connections are not open")
        connect, write = _seconds(connect_timeout, CONNECT), _seconds(write_timeout, WRITE)
        read, room = _seconds(read_timeout, READ_TIMEOUT), _seconds(pool_timeout, ROOM)
        timeout = aiohttp.ClientTimeout(
            total=room + connect + write + read, connect=room + connect, sock_connect=connect, sock_read=read
        )
        for _ in range(TURNS):
            await asyncio.sleep(0)
        began = self.connectivity.monotonic()
        try:
            body, headers = _form(request_data)
            async with self._session.request(
                method, url, data=body, headers=headers, timeout=timeout, allow_redirects=False
            ) as response:
                answer, date = (response.status, await response.read()), _date(response)
        except TimeoutError as error:
            self.connectivity.record_failure(began)
            raise TimedOut from error
        except Exception as error:
            self.connectivity.record_failure(began)
            raise NetworkError(_told(error)) from error
        if answer[0] not in ELSEWHERE:
            self.connectivity.record_answer()
        if answer[0] == HTTPStatus.OK and date is not None:
            self.on_server_date(date)
        return answer


def find_proxy(root: str) -> str | None:
    """The proxy for the server at `root`, as HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY say.

    Raises SettingsError for one that can't be used.
    """
    parts = urlsplit(root)
    proxies = getproxies()
    scheme = parts.scheme if proxies.get(parts.scheme) else "all"
    named = proxies.get(scheme)
    if not named or proxy_bypass(parts.netloc):
        return None
    proxy = named if "://" in named else f"http://{named}"
    if not _usable(proxy):
        raise SettingsError(f"{scheme.upper()}_PROXY: no address of an HTTP proxy, such as http://host:3128")
    return proxy


def _usable(proxy: str) -> bool:
    try:
        parts = urlsplit(proxy)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _certificates(root: str) -> ssl.SSLContext | bool:
    """What the library itself trusts: a machine may have no certificates of its own."""
    return httpx.create_ssl_context() if root.startswith("https:") else True


def _date(response: aiohttp.ClientResponse) -> float | None:
    """When the answer was made, in seconds since 1970; None where it doesn't say."""
    try:
        return parsedate_to_datetime(response.headers["Date"]).timestamp()
    except (KeyError, ValueError):
        return None


def _seconds(given: Any, usual: float) -> float:
    return usual if given is BaseRequest.DEFAULT_NONE else float(given)


def _form(data: RequestData | None) -> tuple[aiohttp.FormData | bytes | None, dict[str, str]]:
    """The body and its headers: a form, of several parts where a file is among them.

    An ordinary one is escaped as the query of an address would be, since that is compiled: what aiohttp does
    itself takes six times as long.
    """
    if data is None:
        return None, {}
    files = data.multipart_data or {}
    if not files:
        return URL.build(query=data.json_parameters).raw_query_string.encode(), FORM
    form = aiohttp.FormData(data.json_parameters)
    for name, (filename, content, kind) in files.items():
        form.add_field(name, content, filename=filename, content_type=kind)
    return form, {}


def _told(error: Exception) -> str:
    """The error in one line, without its own text: the address stands there, and so the token."""
    told = type(error).__name__
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return f"{told}: {error.host}:{error.port}, {error.certificate_error}"
    if isinstance(error, aiohttp.ClientConnectorError):
        return f"{told}: {error.host}:{error.port}, {_reason(error.os_error)}"
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return f"{told}: the proxy answers {error.status}"
    return f"{told}: {os.strerror(error.errno)}" if isinstance(error, OSError) and error.errno else told


def _reason(error: OSError) -> str:
    """Why no connection came about; what asks for names numbers its errors by itself, below 0."""
    number = error.errno or 0
    return os.strerror(number) if number > 0 else str(error.strerror or type(error).__name__)
