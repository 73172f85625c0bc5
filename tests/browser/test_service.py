"""The page and the bot as they are: every game to a win, that the bot referees and the chat shows."""

import asyncio
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import solver
from bot.games.countdown.rules import MAX_DISTANCE
from tests.browser.conftest import DESK, PHONE
from tests.browser.real_bot import WAIT, Alive, headed, leaks, told
from tests.browser.tapping import Way, by_keys, by_names, by_touch, play
from tests.faults.conftest import fetch_rows, parse_hand, solve_deal
from tests.telegram import Message, User, World

if TYPE_CHECKING:
    from playwright.async_api import Locator, Page

pytestmark = pytest.mark.asyncio(loop_scope="module")
WAYS = pytest.mark.parametrize(("way", "size"), [(by_touch, PHONE), (by_keys, DESK), (by_names, PHONE)])
HAND, SOLUTION = (3, 8, 3, 8), "8/(3-8/3)"
MINUTE = 60


async def shows(world: World, post: Message, text: str) -> None:
    """Wait until a message of the chat shows that."""
    await world.wait_until(lambda: text in post.text, MINUTE, f"{text} in {post.text!r}")


def drawn(deal: Message) -> tuple[list[int], int]:
    """The tiles and the target of a draw of Countdown."""
    line = next(line for line in deal.text.splitlines() if re.fullmatch(r"[\d ]+ → \d+", line))
    numbers, _, target = line.partition(" → ")
    return [int(each) for each in numbers.split()], int(target)


async def fill(page: "Page", way: Way) -> None:
    """Put all thirteen rolls, each where the page names it first."""
    for turn in range(13):
        await headed(page, f"Roll {turn + 1} of 13")
        row = page.get_by_role("button", name="for this roll").first
        await put(page, row, way)
        asked = page.get_by_role("button", name="Press again to put it here.")
        if await asked.count():
            await put(page, asked, way, again=True)


async def put(page: "Page", row: "Locator", way: Way, *, again: bool = False) -> None:
    """Press a category; `again` the one that has the focus."""
    if way is by_touch:
        if again:
            await page.locator("#title").tap()  # two at once on one spot are no answer
        await row.tap()
    elif way is by_names:
        await row.press("Enter")
    else:
        if not again:
            await move(page)
        await page.keyboard.press("Enter")


async def move(page: "Page") -> None:
    """By arrows alone, to the first category that is free."""
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
async def test_twentyfour(alive: Alive, way: Way, size: tuple[int, int]) -> None:
    ann = alive.world.user("Ann")
    deal = await alive.dealt(ann, *HAND)
    page = await alive.page(ann, size=size)
    (last,) = await play(page, SOLUTION, way, but=1)
    session = await alive.asked(ann)
    assert (await alive.state(session))["round"]["state"] == "open"
    await way(page, last)
    await headed(page, "You won!")
    await shows(alive.world, deal, f"Ann\u2069: {SOLUTION} = 24")
    assert (await alive.state(session))["winner"] == {"name": "Ann", "you": True, "answer": SOLUTION}


@WAYS
async def test_countdown(alive: Alive, way: Way, size: tuple[int, int]) -> None:
    best = None
    while best is None or best.distance > MAX_DISTANCE:  # of some draws nothing comes near enough to count
        ann = alive.world.user("Ann")
        alive.world.say(ann, ann, "/countdown")
        deal = await alive.world.next_post(ann, "→")
        numbers, target = drawn(deal)
        best = solver.nearest(numbers, target)
    page = await alive.page(ann, size=size)
    await play(page, str(best.expression), way)
    if best.distance:  # nothing makes it, so nothing ends it either
        await page.get_by_role("button", name="Hand in").press("Enter")
        await shows(alive.world, deal, "✋")
        await page.get_by_role("button", name="Give up").press("Enter")
        await page.get_by_role("button", name="Yes, give up").press("Enter")
    await shows(alive.world, deal, "🏆 \u2068Ann\u2069")
    await headed(page, "You won!")
    (answer,) = re.findall(r"🏆 \u2068Ann\u2069: (.+) = \d", deal.text)
    made = solver.parse(answer)  # of two tiles that are called the same, names alone may take the other one
    assert made.value == best.expression.value
    assert not Counter(made.numbers) - Counter(numbers)


@WAYS
async def test_yahtzee(alive: Alive, way: Way, size: tuple[int, int]) -> None:
    ann = alive.world.user("Ann")
    alive.world.say(ann, ann, "/yahtzee")
    card = await alive.world.next_post(ann, "Roll 1 of 13")
    page = await alive.page(ann, size=size)
    await fill(page, way)
    await headed(page, "You won!")
    await shows(alive.world, card, "🏁 Yahtzee")
    (total,) = re.findall(r"You (\d+), best \d+", card.text)
    assert await page.get_by_text(f"— {total}").first.is_visible()


async def test_two_race_on_pages_and_one_in_the_chat(alive: Alive, database: Path) -> None:
    world = alive.world
    people = ann, bob, cem = [world.user(name) for name in ("Ann", "Bob", "Cem")]
    group, pages, won = alive.group(*people), list["Page"](), list[str]()
    for hand in range(3):
        deal, start = await alive.in_group(group, ann, "play", "→ 24")
        if not pages:
            pages = [await alive.page(each, start) for each in (ann, bob)]
        answer = solve_deal(deal)
        for page in pages:
            await page.get_by_role("button", name="plus").wait_for(timeout=WAIT)
            await page.locator("#place", has_text=group.title).wait_for(timeout=WAIT)
        await alive.forget()
        lasts = [(await play(page, answer, by_touch, but=1))[0] for page in pages]
        assert leaks(await alive.listened(), parse_hand(deal), 24) == []
        taps = [by_touch(page, last) for page, last in zip(pages, lasts, strict=True)]
        if hand == 1:
            world.say(cem, group, answer, reply_to=deal)
        await asyncio.gather(*taps)
        if hand == 2:
            world.say(cem, group, answer, reply_to=deal)
        await shows(world, deal, "🏆")
        won += re.findall(r"🏆 \u2068(\w+)\u2069", deal.text)
        assert len(won) == hand + 1, deal.text
        for page, name in zip(pages, ("Ann", "Bob"), strict=True):
            await headed(page, "You won!" if won[-1] == name else f"\u2068{won[-1]}\u2069 won.")
        assert fetch_rows(database, "SELECT count(*) FROM awards") == [(hand + 1,)]
    print(f"\n  three races of two pages and a chat: won by {', '.join(won)}")


async def test_a_spectator_sees_the_end_and_may_tap_nothing(alive: Alive) -> None:
    ann, bob = (alive.world.user(name) for name in ("Ann", "Bob"))
    deal, start = await alive.in_group(alive.group(ann, bob), ann, "play", "→ 24")
    page = await alive.page(ann, start)
    await page.get_by_role("button", name="Link for spectators").tap()
    watching = await alive.open(await page.get_by_role("link").first.inner_text())
    assert await watching.get_by_role("button").count() == 0
    assert await watching.locator("#place").is_hidden(), "whose hand it is they need not learn"
    await play(page, solve_deal(deal), by_touch)
    await headed(watching, "\u2068A•••\u2069 won.")


async def test_a_restart_in_the_middle_of_an_expression(alive: Alive, database: Path) -> None:
    ann = alive.world.user("Ann")
    deal = await alive.dealt(ann, *HAND)
    page = await alive.page(ann)
    rest = await play(page, SOLUTION, by_touch, but=4)
    alive.process.kill()
    await told(page, "No connection. Trying again …")
    assert await page.get_by_role("button", name="8 over 3").is_visible()
    await alive.start()
    await told(page, "Connected again.")
    for tap in rest:
        await by_touch(page, tap)
    await headed(page, "You won!")
    await shows(alive.world, deal, "🏆")


@pytest.mark.parametrize("taken", [False, True], ids=["before it is taken", "once it is taken"])
async def test_a_restart_between_the_tap_and_the_answer(alive: Alive, database: Path, taken: bool) -> None:
    ann = alive.world.user("Ann")
    deal, start = await alive.in_group(alive.group(ann), ann, "play", "→ 24")
    page = await alive.page(ann, start)
    (last,) = await play(page, solve_deal(deal), by_touch, but=1)
    if taken:
        page.on("response", lambda each: alive.process.kill() if each.status == 202 else None)
    else:
        alive.process.kill()
    await by_touch(page, last)
    if not taken:
        await told(page, "Kept, and sent as soon as there is a connection.")
    await asyncio.to_thread(alive.process.process.wait)
    await alive.start()
    await headed(page, "You won!")
    await shows(alive.world, deal, "🏆")
    assert fetch_rows(database, "SELECT count(*) FROM awards") == [(1,)]


async def test_the_days_hand_offline_and_back(alive: Alive, database: Path) -> None:
    ann = alive.world.user("Ann")
    alive.world.say(ann, ann, "/daily")
    deal = await alive.world.next_post(ann, "Your time runs")
    numbers = parse_hand(deal)
    page = await alive.page(ann)
    await page.evaluate("navigator.serviceWorker.ready")
    while not await page.evaluate("caches.keys().then((names) => names.length > 0)"):  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    await page.context.set_offline(True)
    await page.reload()
    await page.get_by_text("The day’s hand, offline").wait_for(timeout=WAIT)
    await play(page, str(next(iter(solver.solve(numbers)))), by_touch)
    await told(page, "Solved offline: it gives no points")
    assert fetch_rows(database, "SELECT count(*) FROM board_offline") == [(0,)]
    await page.context.set_offline(False)
    await told(page, "by your clock: no points.")
    assert fetch_rows(database, "SELECT count(*) FROM board_offline") == [(1,)]
    assert fetch_rows(database, "SELECT count(*) FROM awards") == [(0,)], "no points"


LOSING = """() => {
  window.whole = fetch;
  const lost = () => Promise.reject(new TypeError("lost"));
  window.fetch = (path, ...rest) => path === "./entry" ? lost() : whole(path, ...rest);
}"""
# Loses entries alone. A route of playwright's misses what a service worker passes on.


async def begun(alive: Alive, user: User) -> tuple["Page", str]:
    """Somebody's page with the day's hand laid, and its answer."""
    alive.world.say(user, user, "/daily")
    deal = await alive.world.next_post(user, "Your time runs")
    page = await alive.page(user)
    await page.get_by_role("button", name="Play the day’s hand").tap()
    return page, str(next(iter(solver.solve(parse_hand(deal)))))


async def test_the_days_answer_of_a_closed_window_is_sent_by_another_and_no_second_one(
    alive: Alive, database: Path
) -> None:
    ann = alive.world.user("Ann")
    page, answer = await begun(alive, ann)
    closed = await page.context.new_page()
    await closed.goto(alive.link(ann))
    await closed.get_by_role("button", name="Play the day’s hand").tap()
    for each in (page, closed):
        await each.evaluate(LOSING)
    await play(closed, answer, by_touch)
    await told(closed, "Handed in.")
    await closed.close()
    (last,) = await play(page, answer, by_touch, but=1)
    await page.context.set_offline(True)
    await page.get_by_text("The day’s hand, offline").wait_for(timeout=WAIT)
    await by_touch(page, last)
    await told(page, "Kept, and sent as soon as there is a connection.")
    await page.evaluate("void (window.fetch = window.whole)")
    await page.context.set_offline(False)
    await told(page, "Your streak: 1 day")
    assert fetch_rows(database, "SELECT state FROM attempts") == [("solved",)]
    assert fetch_rows(database, "SELECT count(*) FROM board_offline") == [(0,)]


async def test_of_two_windows_one_sends_the_days_answer_and_both_tell_of_it(
    alive: Alive, database: Path
) -> None:
    ann = alive.world.user("Ann")
    page, answer = await begun(alive, ann)
    other = await page.context.new_page()
    await other.goto(alive.link(ann))
    await other.get_by_role("button", name="Play the day’s hand").wait_for(timeout=WAIT)
    taken = list[int]()
    page.context.on("response", lambda each: taken.append(each.status) if each.url.endswith("/day") else None)
    (last,) = await play(page, answer, by_touch, but=1)
    await page.context.set_offline(True)
    await page.get_by_text("The day’s hand, offline").wait_for(timeout=WAIT)
    await by_touch(page, last)
    await told(page, "Solved offline: it gives no points")
    await page.context.set_offline(False)
    await told(page, "by your clock: no points.")
    await told(other, "by your clock: no points.")
    assert taken == [200]
    assert fetch_rows(database, "SELECT count(*) FROM board_offline") == [(1,)]


async def test_a_days_hand_is_solved_offline_where_the_browser_keeps_nothing(
    alive: Alive, database: Path
) -> None:
    page, answer = await begun(alive, alive.world.user("Ann"))
    await page.evaluate("void (Storage.prototype.setItem = () => { throw new Error('full'); })")
    (last,) = await play(page, answer, by_touch, but=1)
    await page.context.set_offline(True)
    await page.get_by_text("The day’s hand, offline").wait_for(timeout=WAIT)
    await by_touch(page, last)
    await headed(page, "Solved!")
    await page.context.set_offline(False)
    await told(page, "by your clock: no points.")
    assert fetch_rows(database, "SELECT count(*) FROM board_offline") == [(1,)]
