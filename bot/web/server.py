"""The web application, served: a few pages, every other path refused, no word of a stranger's in the log.

Starlette finds the page and uvicorn speaks HTTP. What is refused is answered as `refusals` has it.
"""

import asyncio
import logging
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import Any, cast

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from bot.settings import Address
from bot.web.addresses import WAITING, bound
from bot.web.connection import IDLE, Connection
from bot.web.crowd import CROWD, Crowd
from bot.web.guards import Guarded
from bot.web.refusals import refusal

log = logging.getLogger(__name__)

for name in ("uvicorn.error", "uvicorn.access"):  # they repeat what a stranger wrote, and errors in words
    logging.getLogger(name).setLevel(logging.CRITICAL + 1)

PATIENCE = 30.0
"""Seconds within which a body must have come."""
AT_ONCE = 16
"""Connections that are taken before others are closed to make room for them: till then there are more."""
LAST_WORDS = 1
"""Seconds that what is being answered has when the server closes."""
NAME = "web"
"""What the answers call the server: strangers need not know which one it is."""


class Server:
    """Serves `routes`, each at exactly its path."""

    def __init__(self, routes: Iterable[BaseRoute], crowd: Crowd = CROWD) -> None:
        self._crowd = crowd
        refused = {HTTPException: _refused, Exception: _failed}
        self._application = Starlette(routes=list(routes), exception_handlers=refused)
        self._application.router.redirect_slashes = False
        self._server: uvicorn.Server | None = None
        self.port = 0
        """Where it listens, once it does."""

    def also(self, routes: Iterable[BaseRoute]) -> None:
        """Serve these too."""
        self._application.router.routes.extend(routes)

    async def listen(self, address: Address) -> None:
        """Take requests. Raises OSError when the address can't be had."""
        sockets = bound(address)
        self.port = sockets[0].getsockname()[1]
        config = uvicorn.Config(
            Guarded(self._application),
            http=cast("Any", partial(Connection, crowd=self._crowd)),
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            headers=[("Server", NAME)],
            timeout_keep_alive=round(IDLE),
            backlog=AT_ONCE,
            timeout_graceful_shutdown=LAST_WORDS,
        )
        config.load()
        self._server = uvicorn.Server(config)
        self._server.lifespan = config.lifespan_class(config)
        await self._server.on_tick(0)  # makes the headers that all answers have
        await self._server.startup(sockets)
        for one in sockets:
            one.listen(WAITING)  # for asyncio it is one figure with how many are taken at once

    async def close(self) -> None:
        """Stop listening; what is being answered gets a moment."""
        server, self._server = self._server, None
        if server is None:
            return
        await server.shutdown()
        for connection in list(server.server_state.connections):
            connection.transport.abort()


async def _refused(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return refusal(request, status, getattr(error, "headers", None))


async def _failed(request: Request, error: Exception) -> Response:
    """Whatever it is, it may hold a stranger's words."""
    log.error("the web server failed: %s", type(error).__name__)
    return await _refused(request, error)


async def body_of(request: Request, largest: int) -> bytes:
    """The body of a request that is welcome. HTTPException: it is over `largest` bytes, or too slow."""
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > largest:
        raise HTTPException(413)
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            return await _read(request, largest)
    raise HTTPException(408)


async def _read(request: Request, largest: int) -> bytes:
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > largest:
                raise HTTPException(413)
    except ClientDisconnect:
        raise HTTPException(400) from None
    return bytes(body)
