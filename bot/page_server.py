"""Serve the pages beside the webhook: health, and the board if there is one.

Each has an address in the settings; pages with the same address are served there together.
"""

from contextlib import suppress

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from bot.board.endpoints import Board
from bot.ingress import PollingIngress
from bot.settings import Address, Settings
from bot.telegram.startup import StartError
from bot.web.health import LIVEZ, Health, respond_alive
from bot.web.server import Server
from bot.web.webhook import Webhook


class StartupResponder:
    """Answers at health's address until the bot has started: that the process lives, and else with 503.
    Starting takes as long as Telegram or the database can't be reached; a supervisor that asks meanwhile must
    not end the process.
    """

    def __init__(self, listen: Address | None) -> None:
        """Prepare the routes. `listen` is health's address; with None nothing is served."""
        self._listen = listen
        self._server = Server([Route(LIVEZ, respond_alive), Route("/{page:path}", _respond_starting)])

    async def start(self) -> None:
        """Listen; an address that can't be had is reported later, by `PageServer`."""
        if self._listen:
            with suppress(OSError):
                await self._server.listen(self._listen)

    async def close(self) -> None:
        """Stop listening, so that `PageServer` can have the address."""
        await self._server.close()


async def _respond_starting(_: Request) -> Response:
    """Answer any other page with status 503."""
    return PlainTextResponse("it is starting: Telegram or the database has not answered yet\n", 503)


class PageServer:
    """Serves all pages until it is closed."""

    def __init__(self, settings: Settings, health: Health, board: Board | None) -> None:
        self._settings, self._health, self._board = settings, health, board
        self._servers: list[Server] = []
        self._servers_by_address = dict[Address, Server]()  # with the webhook's

    async def start(self, source: PollingIngress | Webhook) -> None:
        """Serve each page at its address, together with what is served there already. Raises StartError."""
        if isinstance(source, Webhook):  # its server starts when the source is opened
            self._servers_by_address[self._settings.webhook_listen] = source.server
        if self._settings.health_listen:
            problem = "HEALTH_LISTEN: can't listen there"
            await self._serve(self._settings.health_listen, list(self._health.routes), problem)
        if self._board:
            problem = "WEB_LISTEN: the board can't be served there"
            await self._serve(self._settings.web_listen, self._board.routes, problem)

    async def _serve(self, address: Address, routes: list[Route], problem: str) -> None:
        """Serve routes at `address`, on a server there or a new one. Raises StartError with `problem`."""
        if address in self._servers_by_address:
            self._servers_by_address[address].add_routes(routes)
            return
        server = Server(routes)
        try:
            await server.listen(address)
        except OSError as error:
            raise StartError(f"{problem}: {error.strerror or error}") from None
        self._servers.append(server)
        self._servers_by_address[address] = server

    async def close(self) -> None:
        """Close the board and all servers that this one started."""
        if self._board:
            self._board.close()
        for server in self._servers:
            await server.close()
