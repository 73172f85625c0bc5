"""The page beside the terminal, opened by one-time keys that the terminal prints."""

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
from tests.browser.real_bot import WAIT, wait_for_heading, wait_for_status
from tests.browser.tapping import (
    Table,
    read_tiles,
    tap_by_keyboard,
    tap_by_name,
    tap_by_touch,
    tap_expression,
)
from tests.faults.conftest import ROOT

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = pytest.mark.asyncio(loop_scope="module")
LINK = re.compile(r"http://127\.0\.0\.1:\d+/#key=[\w-]+")
SOLVED_LINE = r"Solved in \d+ s\."
PATIENCE = 60


class Terminal:
    """The chat of `make run` in a terminal."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process, self.output = process, ""

    def type(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{line}\n".encode())

    async def wait_for_output(self, pattern: str) -> str:
        """Wait until the output matches the pattern; return the match and drop the output up to its end."""
        assert self.process.stdout
        try:
            async with asyncio.timeout(PATIENCE):
                while not (found := re.search(pattern, self.output)):
                    part = await self.process.stdout.read(65536)
                    assert part, f"it ended: {self.output}"
                    self.output += part.decode()
        except TimeoutError:
            raise AssertionError(f"{pattern} was not printed: {self.output}") from None
        self.output = self.output[found.end() :]
        return found[0]


@pytest_asyncio.fixture(loop_scope="module")
async def terminal(tmp_path: Path) -> AsyncIterator[Terminal]:
    """Start the terminal chat with a new database."""
    environment = {**os.environ, "DATABASE_URL": f"sqlite:///{tmp_path}/games.sqlite3", "SOLVER_WORKERS": "1"}
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot"), cwd=ROOT, env=environment, stdin=pipe, stdout=pipe
    )
    yield Terminal(process)
    assert process.stdin
    process.stdin.close()
    await asyncio.wait_for(process.wait(), PATIENCE)


async def open_link(chromium: "Browser", link: str, size: tuple[int, int] = DESK) -> "Page":
    more: dict[str, Any] = {"has_touch": size == PHONE, "reduced_motion": "reduce"}
    context = await chromium.new_context(viewport={"width": size[0], "height": size[1]}, **more)
    page = await context.new_page()
    await page.goto(link)
    await page.wait_for_selector("#play:not([aria-busy])", timeout=WAIT)
    return page


async def test_two_people_of_the_terminal_play_on_pages(chromium: "Browser", terminal: Terminal) -> None:
    yours = await terminal.wait_for_output(LINK.pattern)
    terminal.type("@ann /board")
    anns = await terminal.wait_for_output(LINK.pattern)
    terminal.type("@")  # You again
    terminal.type("/play")
    dealt = await terminal.wait_for_output(r"\d+ \d+ \d+ \d+ → 24")
    answers = [str(each) for each in solver.solve([int(n) for n in dealt.partition(" →")[0].split()])]
    answer = min(answers, key=lambda each: each.count("/"))
    you, ann = [await open_link(chromium, link) for link in (yours, anns)]
    assert "#" not in you.url
    await tap_expression(ann, answer, tap_by_keyboard)
    await wait_for_heading(ann, "You won!")
    await wait_for_heading(you, "\u2068Ann\u2069 won.")
    await terminal.wait_for_output(r"🏆 \W*Ann\W*: .* = 24")
    again = await open_link(chromium, yours)
    await wait_for_heading(again, "This board can’t be opened.")
    for page in (you, ann, again):
        await page.context.close()


async def find_solution(page: "Page") -> str:
    """Return a solution of the page's hand with few divisions."""
    answers = [str(each) for each in solver.solve([int(each.value) for each in await read_tiles(page)])]
    return min(answers, key=lambda each: each.count("/"))


async def test_days_hand_is_played_on_a_private_board(chromium: "Browser", terminal: Terminal) -> None:
    await terminal.wait_for_output(LINK.pattern)
    terminal.type("@bob > /board")
    page = await open_link(chromium, await terminal.wait_for_output(LINK.pattern), PHONE)
    await page.get_by_role("button", name="Solve today’s hand").tap()
    await page.get_by_text("The day’s hand", exact=True).first.wait_for(timeout=WAIT)
    await terminal.wait_for_output("The hand of")
    taps = list(Table(await read_tiles(page)).plan_taps(await find_solution(page)))
    for tap in taps[:3]:
        await tap_by_touch(page, tap)
    await page.reload()
    await page.get_by_text("The day’s hand", exact=True).first.wait_for(timeout=WAIT)
    for tap in taps[3:]:  # the numbers that were merged before are still merged
        await tap_by_touch(page, tap)
    await wait_for_status(page, "Solved in")
    await wait_for_heading(page, "Solved!")
    await page.get_by_text("Your streak: 1 day").first.wait_for(timeout=WAIT)
    assert await page.locator(".tree").count() == 1
    assert await page.evaluate("document.documentElement.scrollWidth") == PHONE[0]
    await terminal.wait_for_output(SOLVED_LINE)
    await page.context.close()


async def test_days_hand_is_played_beside_a_group_hand(chromium: "Browser", terminal: Terminal) -> None:
    link = await terminal.wait_for_output(LINK.pattern)
    terminal.type("> /daily")
    await terminal.wait_for_output(r"\d+ \d+ \d+ \d+ → 24")
    terminal.type("/play")
    dealt = await terminal.wait_for_output(r"\d+ \d+ \d+ \d+ → 24")
    page = await open_link(chromium, link)
    await page.get_by_role("button", name="The day’s hand").press("Enter")
    await wait_for_status(page, "Your time runs.")
    await tap_expression(page, await find_solution(page), tap_by_name)
    await wait_for_heading(page, "Solved!")
    await page.get_by_role("button", name="Twenty-Four").press("Enter")
    await page.locator(".tile:visible").nth(3).wait_for(timeout=WAIT)
    assert [str(each.value) for each in await read_tiles(page)] == dealt.partition(" →")[0].split()
    await terminal.wait_for_output(SOLVED_LINE)
    await page.context.close()
