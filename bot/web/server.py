"""A small HTTP server: a few pages, every other path refused, no word of a stranger's in the log."""

import asyncio
import errno
import logging
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from aiohttp import web

from bot.settings import Address

log = logging.getLogger(__name__)
UNHEARD = logging.getLogger(f"{__name__}.unheard")
UNHEARD.setLevel(logging.CRITICAL + 1)  # what the library says of a bad request holds what a stranger wrote

PATIENCE = 30.0
"""Seconds within which a body must have come."""
IDLE = 120.0
"""Seconds after which a connection is closed on which nothing is asked."""
LAST_WORDS = 1.0
"""Seconds that what is being answered has when the server closes."""
NAME = "web"
"""What the answers call the server: strangers need not know which one it is."""
EVERYWHERE = {"0.0.0.0", "::"}  # noqa: S104 - known, not bound
"""Addresses that stand for all of this machine's."""
Body = TypeVar("Body", bytes, bytearray)
Page = Callable[[web.BaseRequest], Awaitable[web.Response]]
"""What answers at a path."""


class Refusal(Exception):  # noqa: N818 - an answer, not an error
    """The request is answered with this status alone."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Server:
    """Serves `pages`, each at exactly its path."""

    def __init__(self, pages: Mapping[str, Page]) -> None:
        self._pages = dict(pages)
        self._runner: web.ServerRunner | None = None
        self.port = 0
        """Where it listens, once it does."""

    def also(self, pages: Mapping[str, Page]) -> None:
        """Serve these too."""
        self._pages |= pages

    async def listen(self, address: Address) -> None:
        """Take requests. Raises OSError when the address can't be had."""
        sockets = bound(address)
        self.port = sockets[0].getsockname()[1]
        self._runner = web.ServerRunner(_Connections(self._answer), shutdown_timeout=LAST_WORDS)
        await self._runner.setup()
        for one in sockets:
            await web.SockSite(self._runner, one).start()

    async def close(self) -> None:
        """Stop listening; what is being answered gets a moment."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _answer(self, request: web.BaseRequest) -> web.Response:
        try:
            answer = await self._asked(request)
        except Refusal as refusal:
            answer = _refused(refusal.status)
        except Exception as error:  # noqa: BLE001 - whatever it is, it may hold a stranger's words
            log.error("the web server failed: %s", type(error).__name__)
            answer = _refused(500)
        answer.headers.setdefault("Server", NAME)
        return answer

    async def _asked(self, request: web.BaseRequest) -> web.Response:
        page = self._pages.get(request.raw_path.partition("?")[0])
        if page is None:
            raise Refusal(404)
        return await page(request)


class _Connections(web.Server):
    """The library's connections, which answer with the status alone what is no request at all."""

    def __call__(self) -> web.RequestHandler:
        return _Connection(
            self,
            loop=asyncio.get_running_loop(),
            keepalive_timeout=IDLE,
            logger=UNHEARD,
            access_log=UNHEARD,
            auto_decompress=False,
        )


class _Connection(web.RequestHandler):
    __slots__ = ()

    def handle_error(self, _: object, status: int = 500, *__: object) -> web.StreamResponse:
        """Repeat nothing of what came."""
        return _refused(status)


def _refused(status: int) -> web.Response:
    """The status alone. What else the sender writes is read for a while and dropped, so that it is heard."""
    answer = web.Response(text=f"{status}\n", status=status, headers={"Server": NAME})
    answer.force_close()
    return answer


async def body_of(request: web.BaseRequest, largest: int) -> bytes:
    """The body of a request that is welcome. Raises Refusal for one over `largest` bytes, or too slow."""
    if (request.content_length or 0) > largest:
        raise Refusal(413)
    if request.content.is_eof():
        return _within(request.content.read_nowait(), largest)
    if request.headers.get("Expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0  # the answer itself has not begun
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            return await _read(request, largest)
    raise Refusal(408)


async def _read(request: web.BaseRequest, largest: int) -> bytes:
    body = bytearray()
    try:
        async for chunk in request.content.iter_any():
            body += chunk
            _within(body, largest)
    except (web.RequestPayloadError, ConnectionError):  # no body, or nobody there any more
        raise Refusal(400) from None
    return bytes(body)


def _within(body: Body, largest: int) -> Body:
    if len(body) > largest:
        raise Refusal(413)
    return body


def bound(address: Address) -> list[socket.socket]:
    """Sockets that listen at the address, all at one port. Raises OSError when it can't be had.

    A name may stand for addresses of a kind that this machine doesn't have, as `localhost` does where IPv6 is
    switched off; those are left out while any other is left.
    """
    sockets: list[socket.socket] = []
    lacking: OSError | None = None
    for family, where in _places(address):
        port = sockets[0].getsockname()[1] if sockets else where[1]
        try:
            sockets.append(socket.create_server((where[0], port, *where[2:]), family=family, backlog=128))
        except OSError as error:
            if error.errno not in {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}:
                _close(sockets)
                raise
            lacking = error
    if not sockets:
        raise lacking or OSError(errno.EADDRNOTAVAIL, "no such address")
    return sockets


def meet(one: Address, other: Address) -> bool:
    """Whether something that listens at both ports would be in its own way."""
    if one.port != other.port:
        return False
    try:
        mine, theirs = ({where[0] for _, where in _places(address)} for address in (one, other))
    except OSError:
        return one == other
    return bool(mine & theirs or (mine | theirs) & EVERYWHERE)


def _places(address: Address) -> list[tuple[socket.AddressFamily, tuple[Any, ...]]]:
    """Family and address of each place that a name stands for. Raises OSError for one of nothing."""
    found = socket.getaddrinfo(
        address.host or None, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    return list(dict.fromkeys((family, where) for family, _, _, _, where in found))


def _close(sockets: list[socket.socket]) -> None:
    for one in sockets:
        one.close()
