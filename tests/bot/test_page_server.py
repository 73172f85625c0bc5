"""Addresses of pages: separate or shared."""

import socket
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, cast

import aiohttp
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from bot.board.endpoints import Board
from bot.ingress import PollingIngress
from bot.metrics import Pulse
from bot.page_server import PageServer, StartupResponder
from bot.queue.inbox import Inbox
from bot.settings import Address, Settings, read_settings
from bot.telegram.startup import StartError
from bot.web.health import Health, respond_alive
from bot.web.webhook import Webhook


class FakeHealth(Health):
    """Health's pages without what they check."""

    def __init__(self) -> None:
        self.routes = (Route("/livez", respond_alive),)  # type: ignore[assignment]


class FakeBoard(Board):
    """A board with one page."""

    def __init__(self, path: str) -> None:
        async def answer(_: Request) -> Response:
            return PlainTextResponse("board")

        self.routes = [Route(path, answer)]
        self.closed = False

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def ports() -> list[int]:
    """Three free ports."""
    taken = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
    found = [one.getsockname()[1] for one in taken]
    for one in taken:
        one.close()
    return found


def make_settings(hook: int = 1, health: int | None = None, web: int = 0) -> Settings:
    given = {
        "BOT_TOKEN": "1:x",
        "WEBHOOK_URL": "http://127.0.0.1/hook",
        "WEBHOOK_SECRET": "x" * 16,
        "WEB_URL": "https://bot.example.org/board",
        "WEBHOOK_LISTEN": f"127.0.0.1:{hook}",
        "WEB_LISTEN": f"127.0.0.1:{web}",
    }
    known = read_settings(given)
    return replace(known, health_listen=None if health is None else Address("127.0.0.1", health))


@pytest.fixture
async def get_status() -> AsyncIterator[Any]:
    """A function that returns the status of a path at a port; 0 if nobody listens."""
    async with aiohttp.ClientSession() as http:

        async def ask(port: int, path: str) -> int:
            try:
                async with http.get(f"http://127.0.0.1:{port}{path}") as answer:
                    return answer.status
            except aiohttp.ClientConnectionError:
                return 0

        yield ask


def make_webhook(given: Settings) -> Webhook:
    inbox = cast("Inbox", type("Nobody", (), {"accept": None})())
    return Webhook(cast("Any", None), inbox, Pulse(0.0), given)


POLLING = PollingIngress(cast("Any", None), cast("Any", None), Pulse(0.0), lambda: None)


async def test_pages_are_served_at_separate_addresses(ports: list[int], get_status: Any) -> None:
    _, health, web = ports
    board = FakeBoard("/board/")
    served = PageServer(make_settings(health=health, web=web), FakeHealth(), board)
    await served.start(POLLING)
    assert [await get_status(health, path) for path in ("/livez", "/board/")] == [200, 404]
    assert [await get_status(web, path) for path in ("/livez", "/board/")] == [404, 200]
    await served.close()
    assert board.closed
    assert [await get_status(port, "/livez") for port in ports] == [0, 0, 0]


async def test_health_and_board_share_an_address(ports: list[int], get_status: Any) -> None:
    served = PageServer(make_settings(health=ports[0], web=ports[0]), FakeHealth(), FakeBoard("/board/"))
    await served.start(POLLING)
    assert [await get_status(ports[0], path) for path in ("/livez", "/board/", "/x")] == [200, 200, 404]
    await served.close()


async def test_all_pages_share_the_webhooks_address(ports: list[int], get_status: Any) -> None:
    (port, *_) = ports
    given = make_settings(hook=port, health=port, web=port)
    way_in, served = make_webhook(given), PageServer(given, FakeHealth(), FakeBoard("/board/"))
    await served.start(way_in)
    await way_in.server.listen(given.webhook_listen)
    assert [await get_status(port, path) for path in ("/livez", "/board/", "/hook", "/x")] == [
        200,
        200,
        405,
        404,
    ]
    await served.close()
    await way_in.close()


async def test_taken_address_names_its_variable(ports: list[int]) -> None:
    with socket.create_server(("127.0.0.1", ports[0])):
        for given, name in ((make_settings(web=ports[0]), "WEB"), (make_settings(health=ports[0]), "HEALTH")):
            served = PageServer(given, FakeHealth(), FakeBoard("/board/"))
            with pytest.raises(StartError, match=rf"^{name}_LISTEN: "):
                await served.start(POLLING)
            await served.close()


async def test_no_board_is_served_without_its_address(ports: list[int], get_status: Any) -> None:
    served = PageServer(make_settings(health=ports[0], web=ports[1]), FakeHealth(), None)
    await served.start(POLLING)
    assert [await get_status(port, "/livez") for port in ports] == [200, 0, 0]
    await served.close()


async def test_responder_is_alive_but_not_ready(ports: list[int], get_status: Any) -> None:
    before = StartupResponder(Address("127.0.0.1", ports[0]))
    await before.start()
    pages = ("/livez", "/healthz", "/readyz", "/metrics")
    assert [await get_status(ports[0], path) for path in pages] == [200, 503, 503, 503]
    await before.close()
    await before.close()
    assert await get_status(ports[0], "/livez") == 0


async def test_responder_ignores_a_taken_address(ports: list[int], get_status: Any) -> None:
    one, other = (StartupResponder(Address("127.0.0.1", ports[0])) for _ in range(2))
    await one.start()
    await other.start()
    await other.close()
    assert await get_status(ports[0], "/livez") == 200
    await one.close()
