"""Storms and streaks on the page of a real bot: by touch, by keyboard, by names, and without a connection."""

import asyncio
from fractions import Fraction
from itertools import cycle
from typing import TYPE_CHECKING

import pytest

import solver
from bot import i18n
from tests.browser.conftest import AXE, DESK, PHONE
from tests.browser.real_bot import WAIT, BrowserBot, wait_for_heading, wait_for_status
from tests.browser.tapping import Way, read_tiles, tap_by_keyboard, tap_by_name, tap_by_touch, tap_expression
from tests.browser.test_looks import FIND_CUT_TEXT
from tests.browser.test_service_looks import find_violations
from tests.telegram import Message, User

if TYPE_CHECKING:
    from playwright.async_api import Page, Route

pytestmark = pytest.mark.asyncio(loop_scope="module")
WAYS = pytest.mark.parametrize(
    ("way", "size"), [(tap_by_touch, PHONE), (tap_by_keyboard, DESK), (tap_by_name, PHONE)]
)
# Lists what the page announces, and measures from the newest event to the frame with four tiles.
WATCH = """
(() => {
  const region = document.getElementById("announcement");
  window.announced = [];
  new MutationObserver(() => announced.push(region.textContent)).observe(region, { childList: true });
  let since = 0;
  const note = () => (since = performance.now());
  for (const name of ["pointerdown", "keydown"]) addEventListener(name, note, true);
  const isVisible = (tile) => tile.checkVisibility();
  window.countTiles = () => [...document.querySelectorAll(".tile")].filter(isVisible).length;
  const look = () => {
    if (countTiles() === 4) window.took ??= performance.now() - since;
    requestAnimationFrame(look);
  };
  look();
})()
"""
FOCUSED = "document.activeElement?.textContent"


async def begin_run(bot: BrowserBot, user: User, button: str, size: tuple[int, int]) -> "Page":
    """Begin a run by its button on the page of the private chat."""
    bot.world.say(user, user, "/help")
    await bot.world.next_post(user, "/play")
    page = await bot.open_page(user, size=size)
    await page.get_by_role("button", name=button).click()
    await page.locator(".sign").first.wait_for(timeout=WAIT)
    await page.evaluate(WATCH)
    return page


async def find_answer(page: "Page") -> str:
    """Return a right answer to the hand on the page."""
    numbers = [int(tile.value) for tile in await read_tiles(page)]
    return str(next(iter(solver.ideas(numbers, 24))))


async def solve_hand(page: "Page", way: Way) -> float:
    """Solve the hand on the page; return the milliseconds from the last tap until the next one lies there."""
    (last,) = await tap_expression(page, await find_answer(page), way, but=1)
    await page.evaluate("window.took = undefined")
    await way(page, last)
    async with asyncio.timeout(WAIT / 1000):
        while (took := await page.evaluate("window.took")) is None:
            await page.wait_for_timeout(10)
    return float(took)


async def wait_for_score(page: "Page", run: Message, bot: BrowserBot, score: int) -> None:
    """Wait until the page's header and the run's message in the chat count this many hands."""
    await page.locator("#place", has_text=f"{score} solved").wait_for(timeout=WAIT)
    await bot.world.wait_until(lambda: f"{score} solved" in run.text, 60, f"{score} in {run.text!r}")


@WAYS
async def test_next_hand_does_not_wait_for_the_bot(bot: BrowserBot, way: Way, size: tuple[int, int]) -> None:
    ann = bot.world.user("Ann")
    page = await begin_run(bot, ann, "⚡ Storm", size)
    run = await bot.world.next_post(ann, "⚡ Storm")
    held, is_free = list["Route"](), asyncio.Event()

    async def hold(route: "Route") -> None:
        held.append(route)
        await is_free.wait()
        await route.continue_()

    await page.route("**/entry", hold)
    took = [await solve_hand(page, way) for _ in range(4)]
    print(f"{way.__name__}: next hand after {', '.join(f'{each:.0f}' for each in took)} ms")
    assert len(held) == 1, "the first answer was held back, and no other was sent"
    assert await page.evaluate("countTiles()") == 4
    is_free.set()
    await wait_for_score(page, run, bot, 4)
    dealt = [text for text in await page.evaluate("announced") if text.startswith("Make 24")]
    assert len(dealt) == len(set(dealt)) == 4, "each new hand is announced once"


async def test_five_seconds_without_a_connection_lose_no_hand(bot: BrowserBot) -> None:
    ann = bot.world.user("Ann")
    page = await begin_run(bot, ann, "⚡ Storm", PHONE)
    run = await bot.world.next_post(ann, "⚡ Storm")
    await solve_hand(page, tap_by_touch)
    await wait_for_score(page, run, bot, 1)
    await page.context.set_offline(True)
    for _ in range(3):
        await solve_hand(page, tap_by_touch)
    await page.wait_for_timeout(5_000)
    assert "1 solved" in run.text
    await page.context.set_offline(False)
    await wait_for_score(page, run, bot, 4)
    assert await page.evaluate("countTiles()") == 4
    assert bot.world.posts(ann)[1:] == [run], "one message after that of /help"


async def find_wrong_answer(page: "Page") -> str:
    """Return an answer whose value is not 24."""
    numbers = [str(tile.value) for tile in await read_tiles(page)]
    answers = "+".join(numbers), "*".join(numbers)
    return next(each for each in answers if solver.parse(each).value != Fraction(24))


async def test_wrong_number_and_skipped_hands_take_the_time_of_a_storm(bot: BrowserBot) -> None:
    ann = bot.world.user("Ann")
    page = await begin_run(bot, ann, "⚡ Storm", DESK)
    run = await bot.world.next_post(ann, "⚡ Storm")
    await solve_hand(page, tap_by_keyboard)
    await wait_for_score(page, run, bot, 1)
    session = await bot.open_session(ann)
    deadline = (await bot.read_state(session))["round"]["deadline"]
    await tap_expression(page, await find_wrong_answer(page), tap_by_keyboard)
    await wait_for_status(page, "Undo, and try another way.")
    await page.keyboard.press("Escape")
    await solve_hand(page, tap_by_keyboard)
    await wait_for_score(page, run, bot, 2)
    assert (await bot.read_state(session))["round"]["deadline"] == deadline - 10
    await page.get_by_role("button", name="Skip: −10 s").focus()
    ended = page.get_by_role("heading", name="⚡ Storm · 2 solved")
    async with asyncio.timeout(WAIT / 1000):
        while not await ended.count():
            await page.keyboard.press("Enter")
            await page.wait_for_timeout(50)
    await wait_for_status(page, "Your best: 2 today, 2 this week, 2 ever")
    assert await page.evaluate(FOCUSED) == "⚡ Storm · 2 solved"
    buttons = await page.locator("#buttons button").all_inner_texts()
    assert buttons[:4] == ["Again", "Review", "Deal a hand", "🔥 Streak"]
    await page.get_by_role("button", name="Review").press("Enter")
    await wait_for_status(page, "The review is in the chat with the bot.")
    await bot.world.next_post(ann, "1/")
    await page.get_by_role("button", name="Again").press("Enter")
    await page.locator("#place", has_text="⚡ Storm · 0 solved").wait_for(timeout=WAIT)
    await solve_hand(page, tap_by_keyboard)
    await page.locator("#place", has_text="1 solved").wait_for(timeout=WAIT)


@pytest.mark.exhaustive
@WAYS
async def test_streak_ends_with_its_first_miss(bot: BrowserBot, way: Way, size: tuple[int, int]) -> None:
    ann = bot.world.user("Ann")
    page = await begin_run(bot, ann, "🔥 Streak", size)
    run = await bot.world.next_post(ann, "🔥 Streak")
    assert await page.get_by_role("timer").count() == 0
    for _ in range(2):
        await solve_hand(page, way)
    await wait_for_score(page, run, bot, 2)
    await tap_expression(page, await find_wrong_answer(page), way)
    await wait_for_heading(page, "🔥 Streak · 2 solved")
    await wait_for_status(page, "Your best: 2 today")
    assert await page.get_by_role("button", name="Again").is_visible()


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("language", "scheme"), [*zip(i18n.list_languages(), cycle(["light", "dark"]), strict=False)]
)
async def test_storm_is_accessible_in_each_language(bot: BrowserBot, language: str, scheme: str) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed: no page is tried with it")
    ann = bot.world.user("Ann", language_code=language.replace("_", "-").lower())
    bot.world.say(ann, ann, "/help")
    await bot.world.next_post(ann, "/play")
    page = await bot.open_page(ann, bypass_csp=True, telegram=False, color_scheme=scheme)
    await page.get_by_role("button", name="⚡").wait_for(timeout=WAIT)
    found, session = {"before": await find_faults(page)}, await bot.open_session(ann)
    await page.get_by_role("button", name="⚡").tap()
    await page.locator(".sign").first.wait_for(timeout=WAIT)
    numbers = [int(each) for each in (await bot.read_state(session))["round"]["numbers"]]
    bot.world.say(ann, ann, str(next(iter(solver.ideas(numbers, 24)))))
    await page.locator("#place", has_text="1").wait_for(timeout=WAIT)
    found["storm"] = await find_faults(page)
    bot.world.say(ann, ann, "/stop")
    await page.locator("#play[data-mode=ended]").wait_for(timeout=WAIT)
    found["over"] = await find_faults(page)
    assert {screen: faults for screen, faults in found.items() if faults} == {}


async def find_faults(page: "Page") -> list[str]:
    """Return what axe-core finds, texts that are cut off, and a page wider than a phone."""
    width = await page.evaluate("document.documentElement.scrollWidth")
    too_wide = [f"{width} px wide"] if width > PHONE[0] else []
    return [*await find_violations(page), *await page.evaluate(FIND_CUT_TEXT), *too_wide]
