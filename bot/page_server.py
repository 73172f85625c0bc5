"""Serve the pages beside the webhook: health, and the board if there is one.

Each has an address in the settings; pages with the same address are served there together.
"""

from contextlib import suppress
from typing import Protocol

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
    """Answers at health's address until the bot has started.

    Starting takes as long as Telegram or the database can't be reached; a supervisor that asks meanwhile must
    not end the process.
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
        await self._server.close()


async def _respond_starting(_: Request) -> Response:
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
        self._server: Server | None = None  # the board's own, if it has an address to itself

    async def start(self, source: PollingIngress | WebhookIngress) -> None:
        """Serve each page at its address; at the webhook's together with it. Raises StartError."""
        _require_distinct_paths(self._settings, self._board.paths if self._board else set())
        if self._settings.health_listen:
            await self._serve_health(self._settings.health_listen, source)
        if self._board:
            await self._serve_board(self._board, self._settings.web_listen, source)

    async def close(self) -> None:
        if self._board:
            self._board.close()
        await self._health.close()
        if self._server:
            await self._server.close()

    async def _serve_health(self, listen: Address, source: PollingIngress | WebhookIngress) -> None:
        if isinstance(source, WebhookIngress) and is_address_conflict(listen, self._settings.webhook_listen):
            source.add_routes(self._health.routes)
            return
        try:
            await self._health.start(listen)
        except OSError as error:
            raise StartError(f"HEALTH_LISTEN: can't listen there: {error.strerror}") from None

    async def _serve_board(
        self, board: BoardSite, listen: Address, source: PollingIngress | WebhookIngress
    ) -> None:
        health = self._settings.health_listen
        if isinstance(source, WebhookIngress) and is_address_conflict(listen, self._settings.webhook_listen):
            source.add_routes(board.routes)
        elif health and is_address_conflict(listen, health):
            self._health.add_routes(board.routes)
        else:
            self._server = Server(board.routes)
            try:
                await self._server.listen(listen)
            except OSError as error:
                why = error.strerror or str(error)
                raise StartError(f"WEB_LISTEN: the board can't be served there: {why}") from None


def _require_distinct_paths(settings: Settings, board_paths: set[str]) -> None:
    """Raise StartError if two pages at one address have the same path."""
    health, web, webhook = settings.health_listen, settings.web_listen, settings.webhook_listen
    webhook_paths = list_webhook_paths(settings.webhook_url) if settings.webhook_url else set[str]()
    health_paths = set(HEALTH_PATHS)
    for one, other, variable, paths, other_paths, owner in (
        (health, web, "WEB_URL", board_paths, health_paths, "health's pages"),
        (health, webhook, "WEBHOOK_URL", webhook_paths, health_paths, "health's pages"),
        (web, webhook, "WEBHOOK_URL", webhook_paths, board_paths, "the board's"),
    ):
        if paths & other_paths and one and is_address_conflict(one, other):
            raise StartError(f"{variable}: its path is one of {owner}, at the same address: take another")
