"""The board beside the terminal chat."""

import asyncio
import io
import re
import socket
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot import service
from bot.console import chat
from bot.console.fake_telegram import HOST, compute_player_id
from bot.games.twentyfour.dealing import build_hand
from bot.settings import read_settings
from tests.bot.board.signing import make_init_data
from tests.bot.console.talking import Talk, make_talk, split_lines
from tests.databases import write_database
from tests.stories.conftest import InProcessPool

LINK = re.compile(r"http://127\.0\.0\.1:([0-9]+)/#key=([A-Za-z0-9_-]{32})")


@pytest.fixture
def talk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Talk:
    return make_talk(monkeypatch, tmp_path)


async def test_welcome_has_a_link_and_board_gives_one_more(talk: Talk) -> None:
    shown = split_lines(await talk("@ann /board", "/help"))
    links = [line for line in shown if LINK.search(line)]
    assert [line.partition(": ")[0] for line in links] == [
        "To tap instead of typing, once, as Player",
        "To tap instead of typing, once, as Ann",
    ]
    asked = "/board prints a link that opens a board to tap, for whoever speaks; > /board one in private."
    assert asked in shown


async def test_port_is_the_same_the_next_time_if_it_is_free(talk: Talk) -> None:
    first, second = [LINK.search(await talk()) for _ in range(2)]
    assert first
    assert second
    assert first[1] == second[1]
    assert first[2] != second[2]
    with socket.create_server(("127.0.0.1", int(first[1]))):
        other = LINK.search(await talk())
    assert other
    assert other[1] != first[1]


class Terminal:
    """A running chat with a browser beside it."""

    def __init__(self) -> None:
        self.lines = asyncio.Queue[str | None]()
        self.shown = io.StringIO()
        self.http: aiohttp.ClientSession

    async def read_typed_lines(self) -> AsyncIterator[str]:
        while (line := await self.lines.get()) is not None:
            yield line

    async def wait_for_text(self, pattern: str) -> re.Match[str]:
        """Wait for the pattern in the output; return its last match."""
        async with asyncio.timeout(60):
            while not (found := list(re.finditer(pattern, self.shown.getvalue()))):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        return found[-1]

    async def open_page(self, link: re.Match[str]) -> tuple[int, dict[str, Any]]:
        async with self.http.post(f"http://127.0.0.1:{link[1]}/open", json={"key": link[2]}) as answer:
            return answer.status, await answer.json() if answer.status == 200 else {}


@pytest.fixture
async def terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[Terminal]:
    beside, solving = Terminal(), InProcessPool()
    solving.hands = [build_hand((3, 8, 3, 8), 24)] * 5

    monkeypatch.setattr(service, "SolverPool", lambda *_: solving)
    monkeypatch.setattr(sys, "stdout", beside.shown)
    monkeypatch.setenv("LANG", "C")
    settings = read_settings({"DATABASE_URL": f"sqlite:///{write_database(tmp_path / 'games.sqlite3')}"})
    talking = asyncio.create_task(chat.run_console(settings, beside.read_typed_lines()))
    async with aiohttp.ClientSession() as beside.http:
        yield beside
    await beside.lines.put(None)
    assert await talking == 0


async def test_board_shows_the_chats_hand_to_the_same_player(terminal: Terminal) -> None:
    link = await terminal.wait_for_text(LINK.pattern)
    root = f"http://127.0.0.1:{link[1]}"
    await terminal.lines.put("/play")
    await terminal.wait_for_text("3 8 3 8 → 24")
    status, result = await terminal.open_page(link)
    assert (status, result["you"]) == (200, {"id": compute_player_id(HOST), "name": "Player"})
    assert (await terminal.open_page(link))[0] == 403, "a key opens it once"
    known = {"Authorization": f"Bearer {result['session']}"}
    async with terminal.http.get(f"{root}/state", headers=known) as answer:
        state = await answer.json()
    assert state["round"]["numbers"] == ["3", "8", "3", "8"]
    entry = {"id": "A" * 22, "round": state["round"]["id"], "answer": "8/(3-8/3)"}
    async with terminal.http.post(f"{root}/entry", json=entry, headers=known) as answer:
        assert answer.status == 202
    await terminal.wait_for_text("Player.*: 8÷\\(3−8÷3\\) = 24")
    async with terminal.http.get(f"{root}/state", headers=known) as answer:
        assert (await answer.json())["winner"]["you"] is True


async def test_private_board_offers_todays_hand(terminal: Terminal) -> None:
    await terminal.lines.put("@ann > /board")
    link = await terminal.wait_for_text(f"in private.*as .?Ann.?: {LINK.pattern}")
    status, result = await terminal.open_page(link)
    assert (status, result["you"]) == (200, {"id": compute_player_id("ann"), "name": "Ann"})
    root, known = f"http://127.0.0.1:{link[1]}", {"Authorization": f"Bearer {result['session']}"}
    async with terminal.http.get(f"{root}/state", headers=known) as answer:
        state = await answer.json()
    assert state["place"] == {"kind": "private", "title": ""}
    presses = {each["label"]: each["press"] for row in state["buttons"] for each in row}
    entry = {"id": "A" * 22, "press": presses["🗓 Solve today’s hand"]}
    async with terminal.http.post(f"{root}/entry", json=entry, headers=known) as answer:
        assert answer.status == 202
    await terminal.wait_for_text("Send your answer, as often as you like")
    async with terminal.http.get(f"{root}/state", headers=known) as answer:
        assert (await answer.json())["day"]["is_done"] is False


async def test_another_person_has_another_link(terminal: Terminal) -> None:
    await terminal.lines.put("@ann /board")
    link = await terminal.wait_for_text(f"as .?Ann.?: {LINK.pattern}")
    status, result = await terminal.open_page(link)
    assert (status, result["you"]) == (200, {"id": compute_player_id("ann"), "name": "Ann"})


async def test_board_refuses_foreign_keys_hosts_and_origins(terminal: Terminal) -> None:
    link = await terminal.wait_for_text(LINK.pattern)
    root = f"http://127.0.0.1:{link[1]}"
    user = {"id": compute_player_id(HOST), "first_name": "Player"}
    for token in ("", chat.CONSOLE_TOKEN):
        raw = make_init_data(token, int(time.time()), user)
        async with terminal.http.post(f"{root}/open", json={"init_data": raw, "start": ""}) as answer:
            assert answer.status == 401, "its token is no secret"
    for host in ("evil.example", f"evil.example:{link[1]}", "127.0.0.1", f"localhost:{link[1]}"):
        async with terminal.http.get(f"{root}/", headers={"Host": host}) as answer:
            assert answer.status == 403
    origin = {"Origin": "https://evil.example"}
    async with terminal.http.post(f"{root}/open", json={"key": link[2]}, headers=origin) as answer:
        assert answer.status == 403
    assert (await terminal.open_page(link))[0] == 200, "the key was not used up"
