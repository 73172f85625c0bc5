"""Draw every picture of the README and the manual: `make pictures`, with chromium.

The pictures show the bot, the board and a class as they are, with fixed hands, clocks and names.
"""

import asyncio
from collections.abc import Iterator, Sequence

from playwright.async_api import Browser, Page

from docs.draw import chat, classroom, solutions
from docs.draw.board import Step, find_middle, open_family_board, solve_on_board
from docs.draw.browser import open_browser, open_page
from docs.draw.family import (
    ASKED,
    BOARD_HAND,
    DEALT,
    HINT_ASKED,
    HINTED,
    READER,
    REFUSED,
    SOLVED,
    TRIED,
    WON,
    Family,
    View,
    format_transcript,
    open_family,
    play_race,
    play_round,
)
from docs.draw.images import FOLDER, PHONE, RECORDING, SCALE, decode, save_picture
from docs.draw.recording import HEADER_HEIGHT, Frame, draw_recording

TITLE = "A family plays 24 in its group and on the board"
# Seconds at which the views of a round are shown.
ROUND_TIMES = {
    0: 0.0,
    ASKED: 1.0,
    DEALT: 1.8,
    TRIED: 4.2,
    REFUSED: 4.9,
    HINT_ASKED: 6.6,
    HINTED: 7.2,
    SOLVED: 9.0,
    WON: 9.6,
}
SOLUTION_SHOWN, NEXT_DEALT, BOARD_OPENED = 10.4, 13.0, 14.4
FIRST_TAP, TAP_INTERVAL = 15.2, 0.42
MARGIN = 10  # Above the message that is shown in full
MERGED = 4  # Taps after which the board's picture is taken: two cards are one, and a card is chosen


async def draw_all() -> None:
    """Draw the pictures; one that is drawn no longer disappears."""
    for path in FOLDER.iterdir():
        path.unlink()
    solutions.write_pictures()
    async with open_browser() as browser:
        await draw_round(browser)
        await draw_race(browser)
        await classroom.draw_class(browser)


async def draw_round(browser: Browser) -> None:
    """Draw a round in the chat, a hand on the board, and both as the recording."""
    async with open_family() as family:
        views = await play_round(family)
        page = await open_page(browser, chat.PAGE)
        await draw_chat(page, "chat", views[HINTED][1:])
        await draw_chat(page, "chat-won", views[WON][2:3])
        frames = await _film_round(page, views)
        frames.append(await _deal_again(page, family, frames[-1].shift))
        header = decode(await page.locator("header").screenshot())
        x, y = await find_middle(page.get_by_text("Board").last)
        opened = x, y + frames[-1].shift
        async with open_family_board(family, browser) as board:
            steps = await solve_on_board(board)
    save_picture("board", steps[MERGED].image)
    save_picture("board-won", steps[-1].image)
    recording = draw_recording(
        header, frames, list(_film_board(steps, opened)), TITLE, format_transcript(views[WON])
    )
    RECORDING.write_text(recording, "utf-8")


async def _film_round(page: Page, views: Sequence[View]) -> list[Frame]:
    """Return the chat at the times of `ROUND_TIMES`, then with the solution in full."""
    frames = [await _film(page, second, views[number]) for number, second in ROUND_TIMES.items()]
    return [*frames, await _film(page, SOLUTION_SHOWN, views[WON], top=2)]


async def _film(
    page: Page, second: float, view: View, place: tuple[float, float] | None = None, top: int | None = None
) -> Frame:
    """Return the phone at the end of the chat, or with the message of the index `top` in full."""
    await chat.show_chat(page, view)
    image = decode(await page.locator("main").screenshot())
    shift = PHONE[1] - HEADER_HEIGHT - image.height / SCALE
    if top is not None:
        box = await page.locator("article").nth(top).bounding_box()
        shift = HEADER_HEIGHT + MARGIN - box["y"] if box else shift
    return Frame(second, image, place, shift)


async def _deal_again(page: Page, family: Family, shift: float) -> Frame:
    """Press the button for the next hand in a chat moved by `shift`, and return the chat with that hand."""
    x, y = await find_middle(page.get_by_text("Next hand"))
    family.clock.advance(20)
    family.bot.rig(*BOARD_HAND)
    deal = next(message for message in family.bot.world.posts(family.group) if "Next hand" in message.labels)
    family.bot.world.press(family.people[READER], deal, "Next hand")
    await family.bot.world.next_post(family.group, "→ 24")
    return await _film(page, NEXT_DEALT, await family.look(), (x, y + shift))


def _film_board(steps: Sequence[Step], opened: tuple[float, float]) -> Iterator[Frame]:
    """Yield the board as it opens, each tap, and the tree at the speed of the page."""
    yield Frame(BOARD_OPENED, steps[0].image, opened)
    second = FIRST_TAP
    for step in steps[1:]:
        yield Frame(round(second, 2), step.image, step.place)
        second += TAP_INTERVAL


async def draw_race(browser: Browser) -> None:
    """Draw a race in its fourth hand, and its table at the end."""
    async with open_family() as family:
        running, over = await play_race(family)
    page = await open_page(browser, chat.PAGE)
    await draw_chat(page, "race", running)
    await draw_chat(page, "race-over", over)


async def draw_chat(page: Page, name: str, view: View) -> None:
    await chat.show_chat(page, view)
    save_picture(name, decode(await page.locator("body").screenshot()), format_transcript(view))


if __name__ == "__main__":
    asyncio.run(draw_all())
