"""The page beside the terminal: opened by the one-time key that it prints, as You and as Ann."""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

import solver
from tests.browser.conftest import DESK, PHONE
from tests.browser.real_bot import WAIT, headed, told
from tests.browser.tapping import Table, by_keys, by_names, by_touch, play, tiles
from tests.faults.conftest import ROOT

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = pytest.mark.asyncio(loop_scope="module")
LINK = re.compile(r"http://127\.0\.0\.1:\d+/#key=[\w-]+")
SOLVED = r"Solved in (?:\d+ seconds?|less than a second)\."
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
        try:
            async with asyncio.timeout(PATIENCE):
                while not (found := re.search(pattern, self.said)):
                    part = await self.process.stdout.read(65536)
                    assert part, f"it ended: {self.said}"
                    self.said += part.decode()
        except TimeoutError:
            raise AssertionError(f"{pattern} was not said: {self.said}") from None
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


async def opened(chromium: "Browser", link: str, size: tuple[int, int] = DESK) -> "Page":
    more: dict[str, Any] = {"has_touch": size == PHONE, "reduced_motion": "reduce"}
    context = await chromium.new_context(viewport={"width": size[0], "height": size[1]}, **more)
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
    await headed(you, "\u2068Ann\u2069 won.")
    await terminal.says(r"🏆 \W*Ann\W*: .* = 24")
    again = await opened(chromium, yours)
    await headed(again, "This board can’t be opened.")
    for page in (you, ann, again):
        await page.context.close()


async def solution(page: "Page") -> str:
    """How the hand that lies there is done, with few fractions."""
    answers = [str(each) for each in solver.solve([int(each.value) for each in await tiles(page)])]
    return min(answers, key=lambda each: each.count("/"))


async def test_the_days_hand_is_tapped_on_ones_own_board(chromium: "Browser", terminal: Terminal) -> None:
    await terminal.says(LINK.pattern)
    terminal.type("@bob > /board")
    page = await opened(chromium, await terminal.says(LINK.pattern), PHONE)
    await page.get_by_role("button", name="Solve today’s hand").tap()
    await page.get_by_text("The day’s hand", exact=True).wait_for(timeout=WAIT)
    await terminal.says("The hand of")
    taps = list(Table(await tiles(page)).taps(await solution(page)))
    for tap in taps[:3]:
        await by_touch(page, tap)
    await page.get_by_role("button", name="Back to the table").tap()
    await headed(page, "No hand is on the table.")
    await told(page, "Your time for the day’s hand runs.")
    await page.get_by_role("button", name="Play the day’s hand").tap()
    for tap in taps[3:]:  # the two numbers that were merged before are still one
        await by_touch(page, tap)
    await told(page, "Solved in")
    await headed(page, "No hand is on the table.")
    assert await page.get_by_role("button", name="Play the day’s hand").count() == 0
    assert await page.evaluate("document.documentElement.scrollWidth") == PHONE[0]
    await terminal.says(SOLVED)
    await page.context.close()


async def test_the_days_hand_is_played_beside_the_groups_by_names_alone(
    chromium: "Browser", terminal: Terminal
) -> None:
    link = await terminal.says(LINK.pattern)
    terminal.type("> /daily")
    await terminal.says(r"\d+ \d+ \d+ \d+ → 24")
    terminal.type("/play")
    dealt = await terminal.says(r"\d+ \d+ \d+ \d+ → 24")
    page = await opened(chromium, link)
    await page.get_by_role("button", name="Play the day’s hand").press("Enter")
    await told(page, "Your time runs.")
    assert await page.evaluate("document.activeElement.className") == "tile", "Enter leads not back at once"
    await play(page, await solution(page), by_names)
    await told(page, "Solved in")
    await headed(page, "Make 24")
    assert [str(each.value) for each in await tiles(page)] == dealt.partition(" →")[0].split()
    await terminal.says(SOLVED)
    await page.context.close()
