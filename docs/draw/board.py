"""Play a hand on the board in the browser, beside the family's chat."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from PIL import Image
from playwright.async_api import Browser, Locator, Page
from telegram import User

from bot.console.local_board import open_board
from docs.draw.browser import open_page
from docs.draw.family import BOARD_SOLUTION, READER, Family
from docs.draw.images import decode
from tests.browser.tapping import Table, Tap, read_tiles

# Seconds of the tree's animation at which it is seen growing; it is whole at the last.
TREE_TIMES = (0.0, 0.7, 1.1, 1.9)
SHOW_TREE_AT = """(seconds) => document.getAnimations().forEach((animation) => {
  animation.currentTime = 1000 * seconds;
})"""


@dataclass(frozen=True)
class Step:
    """The board after a tap, and where that was; without a place, after nothing but time."""

    image: Image.Image
    place: tuple[float, float] | None = None


@asynccontextmanager
async def open_family_board(family: Family, browser: Browser) -> AsyncIterator[Page]:
    """Serve the board of the group and open it as the reader's phone does."""
    board = await open_board(family.bot.service, family.group.id)
    reader = User(family.people[READER].id, READER, is_bot=False, language_code="en")
    page = await open_page(browser, board.make_link(reader, is_private=False), now=family.clock())
    try:
        await page.locator(".sign").first.wait_for()
        yield page
    finally:
        await page.context.close()
        await board.close()


async def solve_on_board(page: Page) -> list[Step]:
    """Tap the solution; return the board at first, after each tap, and while the tree grows."""
    steps = [Step(await _take_picture(page))]
    taps = list(Table(await read_tiles(page)).plan_taps(BOARD_SOLUTION))
    for tap in taps[:-1]:
        place = await _touch(page, tap)
        steps.append(Step(await _take_picture(page), place))
    await page.emulate_media(reduced_motion="no-preference")
    place = await _touch(page, taps[-1])
    await page.locator(".tree").wait_for()
    await page.locator(".earned").wait_for()
    for seconds in TREE_TIMES:
        await page.evaluate(SHOW_TREE_AT, seconds)
        steps.append(Step(await _take_picture(page), None if seconds else place))
    return steps


async def _touch(page: Page, tap: Tap) -> tuple[float, float]:
    find: Callable[[str], Locator] = page.locator
    place = await find_middle(
        find(".sign").nth("+-*/".index(tap.sign))
        if tap.sign
        else find(".tiles .place").nth(tap.place).locator(".tile")
    )
    await page.touchscreen.tap(*place)
    return place


async def find_middle(locator: Locator) -> tuple[float, float]:
    box = await locator.bounding_box()
    assert box is not None  # noqa: S101 - it is visible
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


async def _take_picture(page: Page) -> Image.Image:
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return decode(await page.screenshot())
