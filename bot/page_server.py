"""Serves the bot's pages beside the webhook: health's, and the board's if there is one.

Each has an address in the settings; what has the same one is served there together.
"""

from collections.abc import Collection, Iterator
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


class BoardSite(Protocol):
    """The routes of a board."""

    routes: list[Route]

    @property
    def paths(self) -> set[str]:
        """The paths of its routes."""

    def close(self) -> None:
        """End all streams, so that nobody waits for them."""


class StartupResponder:
    """Answers at health's address until the bot is there.

    That may take as long as Telegram or the database can't be reached, and whoever watches over the process
    must not end it for that.
    """

    def __init__(self, listen: Address | None) -> None:
        self._listen = listen
        self._server = Server([Route(LIVEZ, respond_alive), Route("/{page:path}", _not_there_yet)])

    async def start(self) -> None:
        """Start to answer; an address that can't be had is reported later, by `Listening`."""
        if self._listen:
            with suppress(OSError):
                await self._server.listen(self._listen)

    async def close(self) -> None:
        """Stop answering."""
        await self._server.close()


async def _not_there_yet(_: Request) -> Response:
    return PlainTextResponse("it is starting: Telegram or the database has not answered yet\n", 503)


class PageServer:
    """Serves all pages until it is closed."""

    def __init__(self, settings: Settings, health: Health, board: BoardSite | None) -> None:
        self._settings, self._health, self._board = settings, health, board
        self._server: Server | None = None  # the board's own, where it has an address to itself

    async def start(self, way_in: PollingIngress | WebhookIngress) -> None:
        """Serve each page where the settings say. Raises StartError."""
        health, web = self._settings.health_listen, self._settings.web_listen
        for clash in find_path_clashes(self._settings, self._board.paths if self._board else ()):
            told = f"its path is one of {clash.other_pages}, at the same address: take another"
            raise StartError(f"{clash.variable}: {told}")
        if health:
            await self._serve_health(health, way_in)
        if self._board:
            await self._serve_board(self._board, web, way_in)

    async def close(self) -> None:
        """Stop serving."""
        if self._board:
            self._board.close()
        await self._health.close()
        if self._server:
            await self._server.close()

    async def _serve_health(self, listen: Address, way_in: PollingIngress | WebhookIngress) -> None:
        """Serve health's pages."""
        if isinstance(way_in, WebhookIngress) and is_address_conflict(listen, self._settings.webhook_listen):
            way_in.add_routes(self._health.routes)
            return
        try:
            await self._health.start(listen)
        except OSError as error:
            raise StartError(f"HEALTH_LISTEN: can't listen there: {error.strerror}") from None

    async def _serve_board(
        self, board: BoardSite, listen: Address, way_in: PollingIngress | WebhookIngress
    ) -> None:
        health = self._settings.health_listen
        if isinstance(way_in, WebhookIngress) and is_address_conflict(listen, self._settings.webhook_listen):
            way_in.add_routes(board.routes)
        elif health and is_address_conflict(listen, health):
            self._health.add_routes(board.routes)
        else:
            self._server = Server(board.routes)
            try:
                await self._server.listen(listen)
            except OSError as error:
                why = error.strerror or str(error)
                raise StartError(f"WEB_LISTEN: the board can't be served there: {why}") from None


class PathClash(NamedTuple):
    """A path that two pages have at one address."""

    variable: str  # the variable that names it
    path: str
    other_pages: str  # of which pages it is one
    listen_variable: str  # the variable that puts these at that address


HEALTHS, BOARDS = "health's pages", "the board's"


def find_path_clashes(settings: Settings, board: Collection[str]) -> Iterator[PathClash]:
    """Yield each path that would be served twice at one address; `board` are the board's paths."""
    health, web, hook = settings.health_listen, settings.web_listen, settings.webhook_listen
    posts = list_webhook_paths(settings.webhook_url) if settings.webhook_url else set[str]()
    if health and is_address_conflict(health, web):
        yield from _both("WEB_URL", board, HEALTH_PATHS, HEALTHS, "HEALTH_LISTEN")
    if health and is_address_conflict(health, hook):
        yield from _both("WEBHOOK_URL", posts, HEALTH_PATHS, HEALTHS, "HEALTH_LISTEN")
    if is_address_conflict(web, hook):
        yield from _both("WEBHOOK_URL", posts, board, BOARDS, "WEB_LISTEN")


def _both(
    about: str, paths: Collection[str], others: Collection[str], whose: str, listen: str
) -> Iterator[PathClash]:
    if same := sorted(set(paths).intersection(others)):
        yield PathClash(about, same[0], whose, listen)
