"""The page with a real bot: every game to a win that the bot confirms and the chat shows."""

import asyncio
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import solver
from bot.formats import format_expression
from bot.games.countdown.rules import MAX_DISTANCE
from tests.browser.conftest import DESK, PHONE
from tests.browser.real_bot import WAIT, BrowserBot, find_solutions, wait_for_heading, wait_for_status
from tests.browser.tapping import Way, tap_by_keyboard, tap_by_name, tap_by_touch, tap_expression
from tests.faults.conftest import fetch_rows, parse_hand, solve_deal
from tests.telegram import Message, User, World

if TYPE_CHECKING:
    from playwright.async_api import Locator, Page

pytestmark = pytest.mark.asyncio(loop_scope="module")
WAYS = pytest.mark.parametrize(
    ("way", "size"), [(tap_by_touch, PHONE), (tap_by_keyboard, DESK), (tap_by_name, PHONE)]
)
HAND, SOLUTION = (3, 8, 3, 8), "8/(3-8/3)"
MINUTE = 60


async def wait_for_text(world: World, post: Message, text: str) -> None:
    """Wait until a message contains the text."""
    await world.wait_until(lambda: text in post.text, MINUTE, f"{text} in {post.text!r}")


def parse_draw(deal: Message) -> tuple[list[int], int]:
    """Return the tiles and the target of a draw of Countdown."""
    line = next(line for line in deal.text.splitlines() if re.fullmatch(r"[\d ]+ → \d+", line))
    numbers, _, target = line.partition(" → ")
    return [int(each) for each in numbers.split()], int(target)


async def fill_card(page: "Page", way: Way) -> None:
    """Put each of the thirteen rolls into the first free category."""
    for turn in range(13):
        await wait_for_heading(page, f"Roll {turn + 1} of 13")
        row = page.get_by_role("button", name="for this roll").first
        await press_category(page, row, way)
        asked = page.get_by_role("button", name="Press again to put it here.")
        if await asked.count():
            await press_category(page, asked, way, again=True)


async def press_category(page: "Page", row: "Locator", way: Way, *, again: bool = False) -> None:
    """Press a category; with `again` confirm the one that was just pressed."""
    if way is tap_by_touch:
        if again:
            await page.locator(".turn").tap()  # two taps on one spot at once do not confirm
        await row.tap()
    elif way is tap_by_name:
        await row.press("Enter")
    else:
        if not again:
            await focus_free_category(page)
        await page.keyboard.press("Enter")


async def focus_free_category(page: "Page") -> None:
    """Move the focus to the first free category by arrow keys."""
    free = "document.activeElement.textContent.includes('for this roll')"
    for _ in range(14):
        await page.keyboard.press("ArrowDown")
        if await page.evaluate(free):
            return
    for _ in range(14):
        await page.keyboard.press("ArrowUp")
        if await page.evaluate(free):
            return


@WAYS
async def test_twentyfour_is_won_on_the_page(bot: BrowserBot, way: Way, size: tuple[int, int]) -> None:
    ann = bot.world.user("Ann")
    deal = await bot.deal_hand(ann, *HAND)
    page = await bot.open_page(ann, size=size)
    (last,) = await tap_expression(page, SOLUTION, way, but=1)
    session = await bot.open_session(ann)
    assert (await bot.read_state(session))["round"]["state"] == "open"
    await way(page, last)
    await wait_for_heading(page, "You won!")
    await wait_for_text(bot.world, deal, f"Ann\u2069: {format_expression(SOLUTION)} = 24")
    winner = (await bot.read_state(session))["winner"]
    assert (winner["you"], winner["answer"], winner["earned"]) == (True, SOLUTION, "")


@WAYS
async def test_countdown_is_won_on_the_page(bot: BrowserBot, way: Way, size: tuple[int, int]) -> None:
    best = None
    while best is None or best.distance > MAX_DISTANCE:  # some draws have no answer near enough to count
        ann = bot.world.user("Ann")
        bot.world.say(ann, ann, "/countdown")
        deal = await bot.world.next_post(ann, "→")
        numbers, target = parse_draw(deal)
        best = solver.nearest(numbers, target)
    page = await bot.open_page(ann, size=size)
    await tap_expression(page, str(best.expression), way)
    if best.distance:  # without an exact answer the round does not end by itself
        await page.get_by_role("button", name="Hand in").press("Enter")
        await wait_for_text(bot.world, deal, "✋")
        await page.get_by_role("button", name="Give up").press("Enter")
        await page.get_by_role("button", name="Yes, give up").press("Enter")
    await wait_for_text(bot.world, deal, "🏆 \u2068Ann\u2069")
    await wait_for_heading(page, "You won!")
    (answer,) = re.findall(r"🏆 \u2068Ann\u2069: (.+) = \d", deal.text)
    made = solver.parse(answer)  # with equal tiles the other one may have been used
    assert made.value == best.expression.value
    assert not Counter(made.numbers) - Counter(numbers)


@WAYS
async def test_yahtzee_is_won_on_the_page(bot: BrowserBot, way: Way, size: tuple[int, int]) -> None:
    ann = bot.world.user("Ann")
    bot.world.say(ann, ann, "/yahtzee")
    card = await bot.world.next_post(ann, "Roll 1 of 13")
    page = await bot.open_page(ann, size=size)
    await fill_card(page, way)
    await wait_for_heading(page, "You won!")
    await wait_for_text(bot.world, card, "🏁 Yahtzee")
    (total,) = re.findall(r"You (\d+), best \d+", card.text)
    assert await page.get_by_text(f"Total: {total}").first.is_visible()


# Clicks at once, on what may have gone by then: somebody else has won.
CLICK_TILE = "place => document.querySelectorAll('.tiles .place')[place]?.querySelector('button')?.click()"


async def test_two_pages_and_a_chat_race(bot: BrowserBot, database: Path) -> None:
    world = bot.world
    people = ann, bob, cem = [world.user(name) for name in ("Ann", "Bob", "Cem")]
    group, pages, won = bot.make_group(*people), list["Page"](), list[str]()
    for hand in range(3):
        deal, start = await bot.send_command(group, ann, "play", "→ 24")
        if not pages:
            pages = [await bot.open_page(each, start) for each in (ann, bob)]
        answer = solve_deal(deal)
        for page in pages:
            await page.get_by_role("button", name="plus").wait_for(timeout=WAIT)
            await page.locator("#place", has_text=group.title).wait_for(timeout=WAIT)
        await bot.forget_answers()
        lasts = [(await tap_expression(page, answer, tap_by_touch, but=1))[0] for page in pages]
        assert find_solutions(await bot.read_answers(), parse_hand(deal), 24) == []
        taps = [page.evaluate(CLICK_TILE, last.place) for page, last in zip(pages, lasts, strict=True)]
        if hand == 1:
            world.say(cem, group, answer, reply_to=deal)
        await asyncio.gather(*taps)
        if hand == 2:
            world.say(cem, group, answer, reply_to=deal)
        await wait_for_text(world, deal, "🏆")
        won += re.findall(r"🏆 \u2068(\w+)\u2069", deal.text)
        assert len(won) == hand + 1, deal.text
        for page, name in zip(pages, ("Ann", "Bob"), strict=True):
            await wait_for_heading(page, "You won!" if won[-1] == name else f"\u2068{won[-1]}\u2069 won.")
        assert fetch_rows(database, "SELECT count(*) FROM awards") == [(hand + 1,)]
    print(f"\n  three races of two pages and a chat: won by {', '.join(won)}")


async def test_spectator_sees_the_end_and_has_no_buttons(bot: BrowserBot) -> None:
    ann, bob = (bot.world.user(name) for name in ("Ann", "Bob"))
    deal, start = await bot.send_command(bot.make_group(ann, bob), ann, "play", "→ 24")
    page = await bot.open_page(ann, start)
    await page.get_by_role("button", name="Link for spectators").tap()
    watching = await bot.open_link(await page.get_by_role("link").first.inner_text())
    assert await watching.get_by_role("button").count() == 0
    assert await watching.locator("#place").is_hidden(), "the group's name is hidden from spectators"
    await tap_expression(page, solve_deal(deal), tap_by_touch)
    await wait_for_heading(watching, "\u2068A•••\u2069 won.")


async def test_restart_within_an_expression_keeps_it(bot: BrowserBot, database: Path) -> None:
    ann = bot.world.user("Ann")
    deal = await bot.deal_hand(ann, *HAND)
    page = await bot.open_page(ann)
    rest = await tap_expression(page, SOLUTION, tap_by_touch, but=4)
    bot.process.kill()
    await wait_for_status(page, "No connection. Trying again …")
    assert await page.get_by_role("button", name="8 over 3").is_visible()
    await bot.start()
    await wait_for_status(page, "Connected again.")
    for tap in rest:
        await tap_by_touch(page, tap)
    await wait_for_heading(page, "You won!")
    await wait_for_text(bot.world, deal, "🏆")


@pytest.mark.parametrize("taken", [False, True], ids=["before it is taken", "once it is taken"])
async def test_restart_after_the_last_tap_counts_the_answer_once(
    bot: BrowserBot, database: Path, taken: bool
) -> None:
    ann = bot.world.user("Ann")
    deal, start = await bot.send_command(bot.make_group(ann), ann, "play", "→ 24")
    page = await bot.open_page(ann, start)
    (last,) = await tap_expression(page, solve_deal(deal), tap_by_touch, but=1)
    if taken:
        page.on("response", lambda each: bot.process.kill() if each.status == 202 else None)
    else:
        bot.process.kill()
    await tap_by_touch(page, last)
    if not taken:
        await wait_for_status(page, "Kept, and sent as soon as there is a connection.")
    await asyncio.to_thread(bot.process.process.wait)
    await bot.start()
    await wait_for_heading(page, "You won!")
    await wait_for_text(bot.world, deal, "🏆")
    assert fetch_rows(database, "SELECT count(*) FROM awards") == [(1,)]


async def test_offline_solution_of_the_days_hand_gives_no_points(bot: BrowserBot, database: Path) -> None:
    ann = bot.world.user("Ann")
    bot.world.say(ann, ann, "/daily")
    deal = await bot.world.next_post(ann, "The clock runs")
    numbers = parse_hand(deal)
    page = await bot.open_page(ann)
    await page.evaluate("navigator.serviceWorker.ready")
    while not await page.evaluate("caches.keys().then((names) => names.length > 0)"):  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    await page.context.set_offline(True)
    await page.reload()
    await page.get_by_text("The day’s hand, offline").wait_for(timeout=WAIT)
    await tap_expression(page, str(next(iter(solver.solve(numbers)))), tap_by_touch)
    await wait_for_status(page, "Solved offline: it gives no points")
    assert fetch_rows(database, "SELECT count(*) FROM board_offline") == [(0,)]
    await page.context.set_offline(False)
    await wait_for_status(page, "by your clock: no points.")
    assert fetch_rows(database, "SELECT count(*) FROM board_offline") == [(1,)]
    assert fetch_rows(database, "SELECT count(*) FROM awards") == [(0,)], "no points"


# Loses entries only; a Playwright route would miss requests of a service worker.
LOSE_ENTRIES = """() => {
  window.whole = fetch;
  const lost = () => Promise.reject(new TypeError("lost"));
  window.fetch = (path, ...rest) => path === "./entry" ? lost() : whole(path, ...rest);
}"""


async def begin_days_hand(bot: BrowserBot, user: User) -> tuple["Page", str]:
    """Open a person's page with the day's hand begun; return the page and a right answer."""
    bot.world.say(user, user, "/daily")
    deal = await bot.world.next_post(user, "The clock runs")
    page = await bot.open_page(user)
    await page.locator("#place", has_text="The day’s hand").wait_for(timeout=WAIT)
    return page, str(next(iter(solver.solve(parse_hand(deal)))))


async def test_answer_of_a_closed_window_is_sent_once_by_another(bot: BrowserBot, database: Path) -> None:
    ann = bot.world.user("Ann")
    page, answer = await begin_days_hand(bot, ann)
    closed = await page.context.new_page()
    await closed.goto(bot.make_link(ann))
    await closed.locator("#place", has_text="The day’s hand").wait_for(timeout=WAIT)
    for each in (page, closed):
        await each.evaluate(LOSE_ENTRIES)
    await tap_expression(closed, answer, tap_by_touch)
    await wait_for_status(closed, "Handed in.")
    await closed.close()
    (last,) = await tap_expression(page, answer, tap_by_touch, but=1)
    await page.context.set_offline(True)
    await page.get_by_text("The day’s hand, offline").wait_for(timeout=WAIT)
    await tap_by_touch(page, last)
    await wait_for_status(page, "Kept, and sent as soon as there is a connection.")
    await page.evaluate("void (window.fetch = window.whole)")
    await page.context.set_offline(False)
    await wait_for_status(page, "Your streak: 1 day")
    assert fetch_rows(database, "SELECT state FROM attempts") == [("solved",)]
    assert fetch_rows(database, "SELECT count(*) FROM board_offline") == [(0,)]


async def test_one_of_two_windows_sends_the_offline_answer(bot: BrowserBot, database: Path) -> None:
    ann = bot.world.user("Ann")
    page, answer = await begin_days_hand(bot, ann)
    other = await page.context.new_page()
    await other.goto(bot.make_link(ann))
    await other.locator("#place", has_text="The day’s hand").wait_for(timeout=WAIT)
    taken = list[int]()
    page.context.on("response", lambda each: taken.append(each.status) if each.url.endswith("/day") else None)
    (last,) = await tap_expression(page, answer, tap_by_touch, but=1)
    await page.context.set_offline(True)
    await page.get_by_text("The day’s hand, offline").wait_for(timeout=WAIT)
    await tap_by_touch(page, last)
    await wait_for_status(page, "Solved offline: it gives no points")
    await page.context.set_offline(False)
    await wait_for_status(page, "by your clock: no points.")
    await wait_for_status(other, "by your clock: no points.")
    assert taken == [200]
    assert fetch_rows(database, "SELECT count(*) FROM board_offline") == [(1,)]


async def test_days_hand_is_solved_offline_without_storage(bot: BrowserBot, database: Path) -> None:
    page, answer = await begin_days_hand(bot, bot.world.user("Ann"))
    await page.evaluate("void (Storage.prototype.setItem = () => { throw new Error('full'); })")
    (last,) = await tap_expression(page, answer, tap_by_touch, but=1)
    await page.context.set_offline(True)
    await page.get_by_text("The day’s hand, offline").wait_for(timeout=WAIT)
    await tap_by_touch(page, last)
    await wait_for_heading(page, "Solved!")
    await page.context.set_offline(False)
    await wait_for_status(page, "by your clock: no points.")
    assert fetch_rows(database, "SELECT count(*) FROM board_offline") == [(1,)]
