"""The web server: a few pages, every other path refused, and security headers on every answer.

Starlette finds the page and uvicorn speaks HTTP. Slow clients, connections per address and TLS are the affair
of the proxy in front. No word that a stranger sent is logged.
"""

import asyncio
import errno
import logging
import math
import socket
from collections import OrderedDict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.i18n import choose_language, get_words
from bot.settings import Address

log = logging.getLogger(__name__)

for name in ("uvicorn.error", "uvicorn.access"):  # they repeat what a stranger wrote, and errors in words
    logging.getLogger(name).setLevel(logging.CRITICAL + 1)

MAX_CONNECTIONS = 4000  # connections, and requests that are being answered; more get 503
KEEP_ALIVE = 120  # seconds for which a connection waits for the next request
SHUTDOWN_SECONDS = 1  # seconds that open requests have when the server closes


class Server:
    """Serves `routes`, each at exactly its path."""

    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        refused = {HTTPException: _refuse, Exception: _fail}
        self._application = Starlette(routes=list(routes), exception_handlers=refused)
        self._application.router.redirect_slashes = False
        self._server: uvicorn.Server | None = None
        self.port = 0  # where it listens, once it does

    def add_routes(self, routes: Iterable[BaseRoute]) -> None:
        """Serve these too."""
        self._application.router.routes.extend(routes)

    async def listen(self, address: Address) -> None:
        """Take requests. Raises OSError when the address can't be had."""
        sockets = open_listening_sockets(address)
        self.port = sockets[0].getsockname()[1]
        config = uvicorn.Config(
            SecurityHeadersMiddleware(self._application),
            http="httptools",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            headers=[("Server", "web")],  # strangers need not know which one it is
            limit_concurrency=MAX_CONNECTIONS,
            timeout_keep_alive=KEEP_ALIVE,
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        )
        config.load()
        self._server = uvicorn.Server(config)
        self._server.lifespan = config.lifespan_class(config)
        await self._server.on_tick(0)  # makes the headers that all answers have
        await self._server.startup(sockets)

    async def close(self) -> None:
        """Stop listening; what is being answered gets a moment."""
        server, self._server = self._server, None
        if server is None:
            return
        await server.shutdown()
        for connection in list(server.server_state.connections):
            connection.transport.abort()


SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}  # a page's own headers come first, such as its policy


class SecurityHeadersMiddleware:
    """An application that answers with these security headers wherever it does not set them itself."""

    def __init__(self, application: ASGIApp) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the application does."""

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._application(scope, receive, guarded)


# Refusals


async def _refuse(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return make_refusal(request, status, getattr(error, "headers", None))


async def _fail(request: Request, error: Exception) -> Response:
    log.error("the web server failed: %s", type(error).__name__)  # its words may be a stranger's
    return await _refuse(request, error)


MAX_HEADER_CHARS = 200  # characters of a header that are read


def make_refusal(request: Request, status: int, headers: dict[str, str] | None = None) -> PlainTextResponse:
    """Answer a request that is refused or failed: one sentence in a browser, the status alone to programs.

    Neither says what there is here, or what was wrong: anybody may ask.
    """
    in_browser = "text/html" in request.headers.get("accept", "")[:MAX_HEADER_CHARS].lower()
    if request.method != "GET" or not in_browser:
        return PlainTextResponse(f"{status}\n", status, headers)
    told = {**(headers or {}), "Vary": "Accept, Accept-Language"}
    return PlainTextResponse(f"{_sentence(choose_browser_language(request), status)}\n", status, told)


def choose_browser_language(request: Request) -> str:
    """Return the language that the browser asks for first, of those that we speak."""
    first = request.headers.get("accept-language", "")[:MAX_HEADER_CHARS].partition(",")[0]
    return choose_language(first.partition(";")[0].strip())


def _sentence(language: str, status: int) -> str:
    speech = get_words(language)
    if status == 429 or status >= 500:
        return speech.translate_plain("This can’t be shown just now. Try again in a moment.")
    return speech.translate_plain("Nothing opens at this address. Use the link just as you were given it.")


# Bodies

BODY_TIMEOUT = 30.0  # seconds within which a body must have come


async def read_body(request: Request, largest: int) -> bytes:
    """Return the body of a request. Raises HTTPException if it is over `largest` bytes, or too slow."""
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > largest:
        raise HTTPException(413)
    with suppress(TimeoutError):
        async with asyncio.timeout(BODY_TIMEOUT):
            return await _read_chunks(request, largest)
    raise HTTPException(408)


async def _read_chunks(request: Request, largest: int) -> bytes:
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > largest:
                raise HTTPException(413)
    except ClientDisconnect:
        raise HTTPException(400) from None
    return bytes(body)


# Addresses


def open_listening_sockets(address: Address) -> list[socket.socket]:
    """Return sockets that listen at the address, all at one port. Raises OSError when it can't be had.

    A name may stand for addresses of a kind that this machine doesn't have, as `localhost` does where IPv6 is
    switched off; those are left out while any other is left.
    """
    sockets: list[socket.socket] = []
    lacking: OSError | None = None
    for family, where in _places(address):
        port = sockets[0].getsockname()[1] if sockets else where[1]
        try:
            one = socket.create_server((where[0], port, *where[2:]), family=family)
        except OSError as error:
            if error.errno not in {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}:
                for other in sockets:
                    other.close()
                raise
            lacking = error
        else:
            # Without it the second part of an answer waits 40 ms for the first to arrive; asyncio sets it for
            # sockets alone that name their protocol.
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sockets.append(one)
    if not sockets:
        raise lacking or OSError(errno.EADDRNOTAVAIL, "no such address")
    return sockets


WILDCARD_HOSTS = {"0.0.0.0", "::"}  # noqa: S104 - compared, not bound


def is_address_conflict(one: Address, other: Address) -> bool:
    """Whether the two addresses can't be listened on side by side."""
    if one.port != other.port:
        return False
    try:
        mine, theirs = ({where[0] for _, where in _places(address)} for address in (one, other))
    except OSError:
        return one == other
    return bool(mine & theirs or (mine | theirs) & WILDCARD_HOSTS)


def _places(address: Address) -> list[tuple[socket.AddressFamily, tuple[Any, ...]]]:
    """Return family and address of each place that a name stands for. Raises OSError if there is none."""
    found = socket.getaddrinfo(
        address.host or None, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    return list(dict.fromkeys((family, where) for family, _, _, _, where in found))


@dataclass(frozen=True, slots=True)
class Rate:
    """A number of requests at once, and a second on end."""

    burst: float
    per_second: float


# Buckets that are kept; of more, the one that was used least lately is let go, and is full the next time.
MAX_BUCKETS = 10_000


class RateLimiter:
    """One bucket for each person, all of one rate. Times are in seconds, by any clock that goes on."""

    def __init__(self, rate: Rate, max_buckets: int = MAX_BUCKETS) -> None:
        self._rate, self._most = rate, max_buckets
        # What was left in each when it was last looked at, and when that was.
        self._left = OrderedDict[int, tuple[float, float]]()

    def take_token(self, name: int, now: float) -> float:
        """Take a token; return 0, or the seconds after which there is one if none is left."""
        left, at = self._left.pop(name, (self._rate.burst, now))
        left = min(self._rate.burst, left + max(0.0, now - at) * self._rate.per_second)
        taken = left >= 1.0
        self._left[name] = (left - 1.0 if taken else left), now
        while len(self._left) > self._most:
            self._left.popitem(last=False)
        return 0.0 if taken else (1.0 - left) / self._rate.per_second

    def __len__(self) -> int:
        return len(self._left)


def make_retry_after_header(seconds: float) -> dict[str, str]:
    """Return the header that says when to come again."""
    return {"Retry-After": str(max(1, math.ceil(seconds)))}
