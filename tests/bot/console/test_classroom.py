"""A class without Telegram: what the terminal prints, and requests over HTTP."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest

from bot import service
from bot.console import classroom
from bot.settings import Address, read_settings
from tests.databases import write_database
from tests.stories.conftest import InProcessPool

SOON = 60.0


@dataclass
class RunningClass:
    """A class that is served, and its teacher."""

    printed: str
    http: aiohttp.ClientSession

    def find(self, pattern: str) -> str:
        found = re.search(pattern, self.printed)
        assert found, self.printed
        return found[1]

    async def request(self, method: str, path: str, key: str = "", **body: Any) -> aiohttp.ClientResponse:
        """Send a request, with the teacher's key unless there is another."""
        root, key = self.find(r"(http://\S+)/teacher#"), key or self.find("Your page: .*#key=(.*)")
        known = {"Authorization": f"Bearer {key}"}
        return await self.http.request(method, f"{root}/{path}", json=body or None, headers=known)

    async def post(self, path: str, **body: Any) -> Any:
        return await (await self.request("POST", path, **body)).json()

    async def join(self, name: str) -> str:
        """Let a pupil in, and return the key of the pupil's page."""
        joined = await self.post("class/join", code=self.find(r"type (\w{6}),"), name=name)
        opened = await self.post("open", pupil=joined["pupil"])
        return str(opened["session"])


RunClass = Callable[[], AbstractAsyncContextManager[RunningClass]]


@pytest.fixture
def run_class(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> RunClass:
    """Return a function that serves a class, each time with the same file."""
    file = write_database(tmp_path / "class.sqlite3")
    settings = read_settings({"DATABASE_URL": f"sqlite:///{file}"})
    monkeypatch.setattr(service, "SolverPool", lambda *_: InProcessPool())

    @asynccontextmanager
    async def run() -> AsyncIterator[RunningClass]:
        stop, printed = SimpleNamespace(event=asyncio.Event()), asyncio.Event()

        def print_lines(lines: list[str]) -> int:
            print(*lines, sep="\n")
            printed.set()
            return 0

        monkeypatch.setattr(classroom, "StopSignal", lambda: stop)
        monkeypatch.setattr(classroom, "print_lines", print_lines)
        capsys.readouterr()
        listen = Address("127.0.0.1", 0)
        task = asyncio.create_task(
            classroom.run_class(settings, listen, "en", is_new=False, opens_browser=False)
        )
        async with asyncio.timeout(SOON), aiohttp.ClientSession() as http:
            await printed.wait()
            yield RunningClass(capsys.readouterr().out, http)
            stop.event.set()
            assert await task == 0

    return run


@pytest.mark.parametrize("action", ["remove", "delete"])
async def test_open_page_of_a_removed_pupil_ends_at_once(run_class: RunClass, action: str) -> None:
    async with run_class() as running:
        session = await running.join("Ann")
        events = await running.request("GET", "events", session)
        assert b"event: state" in await events.content.readuntil(b"\n\n")
        state = (await (await running.request("GET", "class/state")).json())["state"]
        await running.post("class/action", action=action, pupil_id=state["pupils"][0]["id"])
        await events.content.read()  # to its end
        assert (await running.request("GET", "state", session)).status == 401


async def test_class_goes_on_in_the_next_run(run_class: RunClass) -> None:
    async with run_class() as running:
        first = running.find(r"type (\w{6}),")
    async with run_class() as running:
        assert running.find(r"type (\w{6}),") == first


async def test_kept_report_has_an_address_in_the_next_run(run_class: RunClass) -> None:
    async with run_class() as running:
        await running.join("Ann")
        await running.post("class/action", action="keep", is_on=True)
        await running.post("class/action", action="close")
    async with run_class() as running:
        kept = await running.request("GET", "class/state", running.find(r"Class \w{6} of .*#key=(.*)"))
        assert [pupil["name"] for pupil in (await kept.json())["state"]["pupils"]] == ["Ann"]
        fresh = await running.request("GET", "class/state")
        assert (await fresh.json())["state"]["pupils"] == []
