"""Serve HTTP with starlette and uvicorn: security headers on every response, and uniform refusals.

Slow clients, connections per address and TLS are left to the proxy in front. Nothing that a client sent is
logged.
"""

import asyncio
import errno
import logging
import math
import socket
from collections.abc import Iterable, Mapping
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

for name in ("uvicorn.error", "uvicorn.access"):  # they log what clients sent
    logging.getLogger(name).setLevel(logging.CRITICAL + 1)

MAX_CONNECTIONS = 4000  # further ones get 503
KEEP_ALIVE_SECONDS = 120
SHUTDOWN_SECONDS = 1  # for requests that are open when the server closes


class Server:
    """Serves `routes`, each at exactly its path."""

    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        handlers = {HTTPException: _handle_error, Exception: _handle_error}
        self._application = Starlette(routes=list(routes), exception_handlers=handlers)
        self._application.router.redirect_slashes = False
        self._server: uvicorn.Server | None = None
        self._sockets: list[socket.socket] = []
        self.port = 0  # 0 before `bind`

    def add_routes(self, routes: Iterable[BaseRoute]) -> None:
        self._application.router.routes.extend(routes)

    async def listen(self, address: Address) -> None:
        """Serve in the background, and set `port`. Raises OSError if the address is not available."""
        self.bind(address)
        await self.serve()

    def bind(self, address: Address) -> None:
        """Set `port`, and let clients wait until `serve`. Raises OSError if the address is not available."""
        self._sockets = open_listening_sockets(address)
        _, self.port, *_ = self._sockets[0].getsockname()

    async def serve(self) -> None:
        """Serve in the background."""
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
            headers=[("Server", "web")],  # instead of the software's name
            limit_concurrency=MAX_CONNECTIONS,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
        )
        # The steps of uvicorn's `serve`, which would also handle signals and wait for the end.
        config.load()
        self._server = uvicorn.Server(config)
        self._server.lifespan = config.lifespan_class(config)
        await self._server.on_tick(0)  # makes the default headers; 0 is the number of the tick
        await self._server.startup(self._sockets)

    async def close(self) -> None:
        """Stop serving, after a second for open requests; nothing happens if the server does not listen."""
        server = self._server
        if server is None:
            return
        self._server = None
        # The steps of uvicorn's `shutdown`, which would wait for a tenth of a second without open requests.
        for listener in server.servers:
            listener.close()
        state = server.server_state
        for connection in list(state.connections):
            connection.shutdown()
        with suppress(TimeoutError):
            async with asyncio.timeout(SHUTDOWN_SECONDS):
                while state.connections or state.tasks:  # noqa: ASYNC110 - uvicorn tells nobody
                    await asyncio.sleep(0.01)
        for task in state.tasks:
            task.cancel()
        for connection in list(state.connections):
            connection.transport.abort()


SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}


class SecurityHeadersMiddleware:
    """Adds the security headers that the application does not set itself."""

    def __init__(self, application: ASGIApp) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._application(scope, receive, send_with_headers)


async def _handle_error(request: Request, error: Exception) -> Response:
    """Return the refusal that an HTTPException asks for; log any other error and return 500."""
    if isinstance(error, HTTPException):
        return make_refusal(request, error.status_code, error.headers)
    log.error("the web server failed: %s", type(error).__name__)  # its message may quote a client
    return make_refusal(request, 500)


MAX_HEADER_CHARS = 200  # the rest of a header is not read


def make_refusal(
    request: Request, status: int, headers: Mapping[str, str] | None = None
) -> PlainTextResponse:
    """Return a response of this status: with a sentence for a browser's GET, else the number alone."""
    accepted = request.headers.get("accept", "")[:MAX_HEADER_CHARS]
    is_browser = "text/html" in accepted.lower()
    if request.method != "GET" or not is_browser:
        return PlainTextResponse(f"{status}\n", status, headers)
    words = get_words(choose_browser_language(request))
    if status == 429 or status >= 500:
        sentence = words.translate_plain("This can’t be shown just now. Try again in a moment.")
    else:
        sentence = words.translate_plain(
            "Nothing opens at this address. Use the link just as you were given it."
        )
    response = PlainTextResponse(f"{sentence}\n", status, headers)
    response.headers["Vary"] = "Accept, Accept-Language"
    return response


def choose_browser_language(request: Request) -> str:
    """Return the first language of Accept-Language; English if the bot does not speak it."""
    header = request.headers.get("accept-language", "")[:MAX_HEADER_CHARS]
    first_language, _, _ = header.partition(",")
    tag, _, _weight = first_language.partition(";")
    return choose_language(tag.strip())


BODY_TIMEOUT = 30.0  # seconds


async def read_body(request: Request, max_bytes: int) -> bytes:
    """Return the body of a request.

    Raises HTTPException: 413 if it is too large, 408 if it takes too long, 400 if the client disconnects.
    """
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > max_bytes:  # refused before it is read
        raise HTTPException(413)
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_TIMEOUT):
            async for chunk in request.stream():
                body += chunk
                if len(body) > max_bytes:
                    raise HTTPException(413)
    except TimeoutError:
        raise HTTPException(408) from None
    except ClientDisconnect:
        raise HTTPException(400) from None
    return bytes(body)


@dataclass(frozen=True, slots=True)
class Rate:
    """A limit of requests: `burst` at once, and then `per_second`."""

    burst: float
    per_second: float


MAX_BUCKETS = 10_000  # beyond which all are forgotten, and full the next time


class RateLimiter:
    """Limits each player's requests by a bucket of tokens that refills with time."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._buckets = dict[int, tuple[float, float]]()  # by player: tokens left, and at what time

    def take_token(self, player_id: int, now: float) -> float:
        """Take a token and return 0; if none is left, return the seconds until there is one."""
        if len(self._buckets) > MAX_BUCKETS:
            self._buckets.clear()  # simpler than finding the old ones; all players start anew
        last_tokens, last_time = self._buckets.get(player_id, (self._rate.burst, now))
        refilled = max(0.0, now - last_time) * self._rate.per_second
        tokens = min(self._rate.burst, last_tokens + refilled)
        if tokens < 1.0:
            self._buckets[player_id] = tokens, now
            return (1.0 - tokens) / self._rate.per_second
        self._buckets[player_id] = tokens - 1.0, now
        return 0.0

    def return_token(self, player_id: int) -> None:
        """Give back a token that was taken for nothing."""
        tokens, at = self._buckets[player_id]
        self._buckets[player_id] = min(self._rate.burst, tokens + 1.0), at


def make_retry_after_header(seconds: float) -> dict[str, str]:
    """Return the Retry-After header: whole seconds, rounded up, at least one."""
    whole_seconds = max(1, math.ceil(seconds))
    return {"Retry-After": str(whole_seconds)}


def open_listening_sockets(address: Address) -> list[socket.socket]:
    """Return sockets that listen at all addresses of a host, at one port.

    Addresses that this machine does not support are left out, such as the IPv6 one of `localhost`. Raises
    OSError if none is left, or one is in use or forbidden.
    """
    sockets: list[socket.socket] = []
    unsupported_error: OSError | None = None
    for family, (host, port, *rest) in _resolve_host(address):
        if sockets:
            _, port, *_ = sockets[0].getsockname()  # if the port is 0, the one that the system chose
        try:
            listening = socket.create_server((host, port, *rest), family=family)
        except OSError as error:
            if error.errno not in {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}:
                for other in sockets:
                    other.close()
                raise
            unsupported_error = error
        else:
            # Without TCP_NODELAY the second part of a response waits 40 ms; asyncio sets it only for sockets
            # with an explicit protocol.
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sockets.append(listening)
    if not sockets:
        raise unsupported_error or OSError(errno.EADDRNOTAVAIL, "no such address")
    return sockets


def _resolve_host(address: Address) -> list[tuple[socket.AddressFamily, tuple[Any, ...]]]:
    """Return family and socket address of each address of a host, each once. Raises OSError if it has none.

    An empty host stands for all addresses of this machine.
    """
    infos = socket.getaddrinfo(
        address.host or None, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    addresses = [(family, socket_address) for family, _, _, _, socket_address in infos]
    return list(dict.fromkeys(addresses))  # each once, in their order
