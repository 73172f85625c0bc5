"""Serve the pages beside the webhook: health, and the board if there is one.

Each has an address in the settings; pages with the same address are served there together.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from bot.ingress import PollingIngress, WebhookIngress
from bot.settings import Address, Settings
from bot.telegram.startup import StartError
from bot.web.health import HEALTH_PATHS, LIVEZ, Health, respond_alive
from bot.web.server import Server, is_address_conflict
from bot.web.webhook import list_webhook_paths


class StartupResponder:
    """Answers at health's address until the bot has started. Starting takes as long as Telegram or the
    database can't be reached; a supervisor that asks meanwhile must not end the process.
    """

    def __init__(self, listen: Address | None) -> None:
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


class BoardSite(Protocol):
    """The board's routes."""

    routes: list[Route]

    @property
    def paths(self) -> set[str]:
        """The paths of its routes."""

    def close(self) -> None:
        """End all streams, so that closing waits for none."""


class PageServer:
    """Serves all pages until it is closed."""

    def __init__(self, settings: Settings, health: Health, board: BoardSite | None) -> None:
        self._settings, self._health, self._board = settings, health, board
        self._servers: list[Server] = []
        # Each address that is served, with the function that adds routes there
        self._served: list[tuple[Address, Callable[[Sequence[Route]], None]]] = []

    async def start(self, source: PollingIngress | WebhookIngress) -> None:
        """Serve each page at its address, together with what is served there already. Raises StartError."""
        _require_distinct_paths(self._settings, self._board.paths if self._board else set())
        if isinstance(source, WebhookIngress):  # its server starts when the source is opened
            self._served.append((self._settings.webhook_listen, source.add_routes))
        if self._settings.health_listen:
            problem = "HEALTH_LISTEN: can't listen there"
            await self._serve(self._settings.health_listen, list(self._health.routes), problem)
        if self._board:
            problem = "WEB_LISTEN: the board can't be served there"
            await self._serve(self._settings.web_listen, self._board.routes, problem)

    async def _serve(self, address: Address, routes: list[Route], problem: str) -> None:
        """Serve routes at `address`, on a server there or a new one. Raises StartError with `problem`."""
        for served_address, add_routes in self._served:
            if is_address_conflict(address, served_address):
                add_routes(routes)
                return
        server = Server(routes)
        try:
            await server.listen(address)
        except OSError as error:
            raise StartError(f"{problem}: {error.strerror or error}") from None
        self._servers.append(server)
        self._served.append((address, server.add_routes))

    async def close(self) -> None:
        """Close the board and all servers that this one started."""
        if self._board:
            self._board.close()
        for server in self._servers:
            await server.close()


class _Site(NamedTuple):
    """Pages at one address."""

    name: str
    address: Address | None  # None if they are not served
    paths: set[str]


def _require_distinct_paths(settings: Settings, board_paths: set[str]) -> None:
    """Raise StartError if two pages at one address have the same path."""
    webhook_paths = list_webhook_paths(settings.webhook_url) if settings.webhook_url else set[str]()
    health = _Site("health's pages", settings.health_listen, set(HEALTH_PATHS))
    board = _Site("the board's", settings.web_listen, board_paths)
    webhook = _Site("the webhook's", settings.webhook_listen, webhook_paths)
    # The variable to change in a conflict, the site whose path it sets, and the one that has the path already
    for variable, site, owner in (
        ("WEB_URL", board, health),
        ("WEBHOOK_URL", webhook, health),
        ("WEBHOOK_URL", webhook, board),
    ):
        if not site.paths & owner.paths:
            continue
        if owner.address and site.address and is_address_conflict(owner.address, site.address):
            raise StartError(
                f"{variable}: its path is one of {owner.name}, at the same address: take another"
            )
