"""Check of the board: whether this bot's page answers at its address."""

import socket
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from telegram import User

from bot.board import endpoints as site
from bot.board.tokens import BoardLinks
from bot.checkup.board import check_board
from bot.checkup.environment import check_variables
from bot.checkup.finding import Finding, Mark
from bot.checkup.telegram import check_app
from bot.settings import Address, Settings, read_settings
from bot.web.server import Server
from tests.bot.board.harness import Harness, make_harness
from tests.bot.board.signing import TOKEN

NOW = 1_790_000_000.0


def make_settings(port: int, path: str = "/board", **more: str) -> Settings:
    given = {"BOT_TOKEN": TOKEN, "BOT_API_URL": "http://127.0.0.1:1", "WEB_LISTEN": "127.0.0.1:0"}
    return read_settings(given | {"WEB_URL": f"http://127.0.0.1:{port}{path}"} | more)


@pytest.fixture
async def own_board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Harness]:
    """A board whose links are made of the bot's token."""
    async with make_harness(tmp_path, monkeypatch) as made:
        await made.open(replace(made.make_needs(), session_secret=TOKEN.encode(), links=make_links()))
        yield made


def make_links() -> BoardLinks:
    return site.make_board_links(make_settings(1), "TwentyFourBot")


def list_findings(found: list[Finding]) -> list[tuple[Mark, str]]:
    return [(one.mark, one.state) for one in found if "https alone" not in one.state]


async def test_this_bots_board_is_recognised(own_board: Harness) -> None:
    before = await own_board.load_all_rows()
    found = await check_board(make_settings(own_board.server.port), own_board.now, is_bot_running=True)
    assert list_findings(found) == [(Mark.GOOD, "this bot's board answers there")]
    assert await own_board.load_all_rows() == before, "nothing is changed by looking"


async def test_another_bots_board_is_recognised(own_board: Harness) -> None:
    given = make_settings(own_board.server.port, BOT_TOKEN="654321:OTHER")  # noqa: S106 - made up
    (found,) = list_findings(await check_board(given, own_board.now, is_bot_running=True))
    assert found[0] is Mark.WRONG
    assert "another bot's" in found[1]


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        (200, "Welcome to nginx!", "another page (200)"),
        (404, "404", "another page (404)"),
        (301, "", "another page (301)"),
        (502, "Bad Gateway", "a proxy answers there (502), and no bot behind it"),
    ],
)
async def test_another_page_is_recognised(status: int, body: str, says: str) -> None:
    async def answer(_: Request) -> Response:
        return PlainTextResponse(body, status)

    server = Server([Route("/board/", answer)])
    await server.listen(Address("127.0.0.1", 0))
    (found,) = list_findings(await check_board(make_settings(server.port), NOW, is_bot_running=False))
    await server.close()
    assert found[0] is Mark.WRONG
    assert says in found[1]


@pytest.mark.parametrize(("running", "mark"), [(True, Mark.WRONG), (False, Mark.NOTE)])
async def test_missing_answer_is_wrong_only_while_a_bot_runs(running: bool, mark: Mark) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (found,) = list_findings(await check_board(make_settings(port), NOW, is_bot_running=running))
    assert found[0] is mark
    assert found[1] == "127.0.0.1 can't be reached: the connection was refused"


async def test_http_address_is_wrong() -> None:
    official = read_settings({"BOT_TOKEN": TOKEN, "WEB_URL": "http://127.0.0.1:1"})
    (first, _) = await check_board(official, NOW, is_bot_running=False)
    assert first.mark is Mark.WRONG


async def test_without_a_board_there_is_no_finding() -> None:
    assert await check_board(read_settings({}), NOW, is_bot_running=True) == []


def test_links_in_groups_need_a_mini_app() -> None:
    known = make_settings(1, WEB_URL="https://bot.example.org/board")
    me = User(24, "Twenty-Four", is_bot=True)
    with_app = User(24, "Twenty-Four", is_bot=True, has_main_web_app=True)
    (found,) = check_app(known, me)
    assert found.mark is Mark.WRONG
    assert "https://bot.example.org/board/" in found.remedy
    assert list(check_app(known, with_app)) == []
    assert list(check_app(replace(known, web_app="play"), me)) == []
    assert list(check_app(make_settings(1), me)) == []  # Telegram opens no http, as is said already


@pytest.mark.parametrize("name", ["WEB_LISTEN", "WEB_APP"])
def test_board_variables_without_an_address_are_noted(name: str) -> None:
    given = {"BOT_TOKEN": TOKEN, "DATABASE_URL": "sqlite:///bot.db"}
    more = {"WEB_LISTEN": "127.0.0.1:8080", "WEB_APP": "board"}[name]
    _, found = check_variables(given | {name: more, "WEB_URI": "https://bot.example.org/board"})
    (result,) = [each for each in found if each.subject == "WEB_URL"]
    assert result.mark is Mark.NOTE
    assert "there is no board" in result.state
    assert name in result.state
    _, found = check_variables(given | {name: more, "WEB_URL": "https://bot.example.org/board"})
    assert not [each for each in found if each.subject == "WEB_URL"]
