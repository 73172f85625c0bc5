"""Connect to the Bot API server with aiohttp, behind the library's own interface and errors.

The library's usual client takes some ten times the CPU time per request, more than everything else that the
bot does for an update.
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

# One connection waits for updates, `outbox.MAX_PARALLEL` send, and handlers look things up.
MAX_CONNECTIONS = 64
# Seconds until a connection is made, a request is written, the next part of the answer comes, and one of the
# connections is free.
CONNECT_TIMEOUT, WRITE_TIMEOUT, READ_TIMEOUT, POOL_TIMEOUT = 5.0, 20.0, 10.0, 10.0
IDLE_TIME = 5.0  # seconds for which an unused connection is kept: many servers close theirs not much later
GATEWAY_STATUSES = {502, 503, 504}  # by which a proxy may say that Telegram does not answer
# Turns of the event loop before each request: in the first, the library sees which connections were closed.
LOOP_TURNS = 2


class Connections(BaseRequest):
    """A pool of connections to the Bot API server at `root`, through the proxy that the environment names.

    Raises SettingsError when that proxy can't be used.
    """

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
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=MAX_CONNECTIONS,
                    keepalive_timeout=IDLE_TIME,
                    ssl=make_ssl_context(self._root),
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
        """Send a request, and return the status and body of the answer.

        Raises TimedOut or NetworkError, caused by aiohttp's error, which tells whether anything was sent.
        """
        if self._session is None:
            raise RuntimeError("the connections are not open")
        timeout = _make_timeout(connect_timeout, write_timeout, read_timeout, pool_timeout)
        for _ in range(LOOP_TURNS):
            await asyncio.sleep(0)
        began = self.connectivity.monotonic()
        try:
            body, headers = encode_form(request_data)
            async with self._session.request(
                method, url, data=body, headers=headers, timeout=timeout, allow_redirects=False
            ) as response:
                status, content, date = response.status, await response.read(), _read_date(response)
        except TimeoutError as error:
            self.connectivity.record_failure(began)
            raise TimedOut from error
        except Exception as error:
            self.connectivity.record_failure(began)
            raise NetworkError(_describe_error(error)) from error
        if status not in GATEWAY_STATUSES:
            self.connectivity.record_answer()
        if status == HTTPStatus.OK and date is not None:
            self.on_server_date(date)
        return status, content


def _make_timeout(connect: Any, write: Any, read: Any, pool: Any) -> aiohttp.ClientTimeout:
    given = ((connect, CONNECT_TIMEOUT), (write, WRITE_TIMEOUT), (read, READ_TIMEOUT), (pool, POOL_TIMEOUT))
    connect, write, read, pool = (
        default if seconds is BaseRequest.DEFAULT_NONE else float(seconds) for seconds, default in given
    )
    total = pool + connect + write + read
    return aiohttp.ClientTimeout(total=total, connect=pool + connect, sock_connect=connect, sock_read=read)


def find_proxy(root: str) -> str | None:
    """Return the proxy for the server at `root`, as HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY say.

    None without one. Raises SettingsError for one that can't be used.
    """
    parts = urlsplit(root)
    proxies = getproxies()
    scheme = parts.scheme if proxies.get(parts.scheme) else "all"
    named = proxies.get(scheme)
    if not named or proxy_bypass(parts.netloc):
        return None
    proxy = named if "://" in named else f"http://{named}"
    if not _is_http_address(proxy):
        raise SettingsError(f"{scheme.upper()}_PROXY: no address of an HTTP proxy, such as http://host:3128")
    return proxy


def _is_http_address(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def make_ssl_context(root: str) -> ssl.SSLContext | bool:
    """Trust what the library itself trusts, since a machine may have no certificates; True without https."""
    return httpx.create_ssl_context() if root.startswith("https:") else True


def encode_form(data: RequestData | None) -> tuple[aiohttp.FormData | bytes | None, dict[str, str]]:
    """Encode a request's body: as a form, of several parts if it holds a file. Return it with its headers.

    An ordinary form is escaped as the query of an address, which is compiled code: aiohttp's own takes six
    times as long.
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


def _read_date(response: aiohttp.ClientResponse) -> float | None:
    """Return the date in an answer's header, in seconds since 1970; None without one."""
    try:
        return parsedate_to_datetime(response.headers["Date"]).timestamp()
    except (KeyError, ValueError):
        return None


def _describe_error(error: Exception) -> str:
    """Describe an error in one line, without its own message: that holds the address, and so the token."""
    kind = type(error).__name__
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return f"{kind}: {error.host}:{error.port}, {error.certificate_error}"
    if isinstance(error, aiohttp.ClientConnectorError):
        failed, number = error.os_error, error.os_error.errno or 0
        # A failed look-up of a name has numbers of its own, below 0.
        reason = os.strerror(number) if number > 0 else failed.strerror or type(failed).__name__
        return f"{kind}: {error.host}:{error.port}, {reason}"
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return f"{kind}: the proxy answers {error.status}"
    return f"{kind}: {os.strerror(error.errno)}" if isinstance(error, OSError) and error.errno else kind
