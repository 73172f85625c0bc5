"""The page beside the terminal: opened by the one-time key that it prints, as You and as Ann."""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

import solver
from tests.browser.alive import WAIT, headed
from tests.browser.conftest import DESK
from tests.browser.hands import by_keys, play
from tests.faults.conftest import ROOT

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = pytest.mark.asyncio(loop_scope="module")
LINK = re.compile(r"http://127\.0\.0\.1:\d+/#key=[\w-]+")
PATIENCE = 60


class Terminal:
    """`make run`: lines in, lines out."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process, self.said = process, ""

    def type(self, line: str) -> None:
        """Type a line."""
        assert self.process.stdin
        self.process.stdin.write(f"{line}\n".encode())

    async def says(self, pattern: str) -> str:
        """Wait until something like that is shown; what it is. It is passed over the next time."""
        assert self.process.stdout
        async with asyncio.timeout(PATIENCE):
            while not (found := re.search(pattern, self.said)):
                part = await self.process.stdout.read(65536)
                assert part, f"it ended: {self.said}"
                self.said += part.decode()
        self.said = self.said[found.end() :]
        return found[0]


@pytest_asyncio.fixture(loop_scope="module")
async def terminal(tmp_path: Path) -> AsyncIterator[Terminal]:
    """A chat in a pipe, with scores of its own."""
    environment = {**os.environ, "DATABASE_URL": f"sqlite:///{tmp_path}/games.sqlite3", "SOLVER_WORKERS": "1"}
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot"), cwd=ROOT, env=environment, stdin=pipe, stdout=pipe
    )
    yield Terminal(process)
    assert process.stdin
    process.stdin.close()
    await asyncio.wait_for(process.wait(), PATIENCE)


async def opened(chromium: "Browser", link: str) -> "Page":
    context = await chromium.new_context(viewport={"width": DESK[0], "height": DESK[1]})
    page = await context.new_page()
    await page.goto(link)
    await page.wait_for_selector("#play:not([aria-busy])", timeout=WAIT)
    return page


async def test_you_and_ann_at_the_terminals_own_board(chromium: "Browser", terminal: Terminal) -> None:
    yours = await terminal.says(LINK.pattern)
    terminal.type("@ann /board")
    anns = await terminal.says(LINK.pattern)
    terminal.type("@")  # You again
    terminal.type("/play")
    dealt = await terminal.says(r"\d+ \d+ \d+ \d+ → 24")
    answers = [str(each) for each in solver.solve([int(n) for n in dealt.partition(" →")[0].split()])]
    answer = min(answers, key=lambda each: each.count("/"))
    you, ann = [await opened(chromium, link) for link in (yours, anns)]
    assert "#" not in you.url
    await play(ann, answer, by_keys)
    await headed(ann, "You won!")
    await headed(you, "Ann won.")
    await terminal.says(r"🏆 \W*Ann\W*: .* = 24")
    again = await opened(chromium, yours)
    await headed(again, "This board can’t be opened.")
    for page in (you, ann, again):
        await page.context.close()
