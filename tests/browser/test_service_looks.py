"""The page of a real bot: its pictures, its languages, axe-core, and what it must not tell before the end."""

import os
from typing import TYPE_CHECKING, Any

import pytest

import solver
from bot import i18n
from bot.board import sentences
from tests.bot.pictures.golden import apart
from tests.browser import golden
from tests.browser.conftest import AXE, DESK, PHONE
from tests.browser.real_bot import WAIT, Alive, headed, leaks
from tests.browser.test_looks import RULES
from tests.browser.test_pictures import NEAR
from tests.browser.test_service import HAND, drawn
from tests.faults.conftest import parse_hand, solve_deal

if TYPE_CHECKING:
    from playwright.async_api import Page

pytestmark = pytest.mark.asyncio(loop_scope="module")
PLAIN = r"""
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const text = node.data.replace(/(?![0-9#*])\p{Extended_Pictographic}|[\u{1F0A0}-\u{1F0FF}]/gu, "");
  if (text !== node.data) node.data = text;
}
"""
SIZES = pytest.mark.parametrize(("size", "scheme"), [(PHONE, "light"), (DESK, "dark")], ids=["phone", "desk"])


async def looked_at(page: "Page", name: str) -> None:
    """It looks as it was looked at, but for the clock."""
    await page.route("**/seen.ttf", golden.letters)
    await page.add_style_tag(content=golden.STYLE)
    await page.evaluate("document.fonts.load('16px Seen')")
    await page.evaluate(PLAIN)  # small pictures among the letters differ between machines
    picture = golden.small(await page.screenshot(style="#clock, .clocked {visibility: hidden}"))
    if os.environ.get("GOLDEN") == "write":
        golden.keep(name, picture)
    assert apart(picture, golden.kept(name)) <= NEAR


async def violations(page: "Page") -> list[str]:
    """What axe-core finds."""
    found = await page.evaluate(f"{AXE.read_text('utf-8')};axe.run(document, {{runOnly: {RULES}}})")
    return [f"{each['id']}: {each['nodes'][0]['html']}" for each in found["violations"]]


@SIZES
async def test_it_looks_as_it_was_looked_at(alive: Alive, size: tuple[int, int], scheme: str) -> None:
    ann = alive.world.user("Ann")
    await alive.dealt(ann, *HAND)
    more: dict[str, Any] = {
        "color_scheme": scheme,
        "bypass_csp": True,
        "service_workers": "block",
        "telegram": False,
    }
    page = await alive.page(ann, size=size, **more)
    await looked_at(page, f"real-{size[0]}")
    assert await page.evaluate("document.documentElement.scrollWidth") <= size[0]


@SIZES
async def test_axe_finds_nothing(alive: Alive, size: tuple[int, int], scheme: str) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed: no page is tried with it")
    found, world, ann = dict[str, list[str]](), alive.world, alive.world.user("Ann")
    await alive.dealt(ann, *HAND)
    more: dict[str, Any] = {"color_scheme": scheme, "bypass_csp": True, "telegram": False}
    page = await alive.page(ann, size=size, **more)
    found["a hand"] = await violations(page)
    for key in "8/33-8/38/1":
        await page.keyboard.press(key)
    await headed(page, "You won!")
    found["a hand won"] = await violations(page)
    world.say(ann, ann, "/countdown")
    await page.get_by_role("timer").wait_for(timeout=WAIT)
    found["Countdown"] = await violations(page)
    await page.get_by_role("button", name="Give up").press("Enter")
    await page.get_by_role("button", name="Yes, give up").press("Enter")
    await headed(page, "The hand is over.")
    found["Countdown over"] = await violations(page)
    world.say(ann, ann, "/yahtzee")
    await headed(page, "Roll 1 of 13")
    found["Yahtzee"] = await violations(page)
    assert {what: each for what, each in found.items() if each} == {}


@pytest.mark.parametrize("language", i18n.list_languages())
async def test_it_speaks_the_readers_language(alive: Alive, language: str) -> None:
    tag = language.replace("_", "-")
    ann = alive.world.user("Ann", language_code={"zh-Hans": "zh-hans", "zh-Hant": "zh-hant"}.get(tag, tag))
    words = i18n.get_words(language)
    alive.world.say(ann, ann, " ".join(map(str, HAND)))
    offered = await alive.world.next_post(ann, "→ 24")
    alive.world.press(ann, offered, words.translate_plain("Play it"))
    await alive.world.next_post(ann, "3 8 3 8 → 24\n")
    page = await alive.page(ann)
    await page.locator(f"html[lang={tag}]").wait_for(state="attached", timeout=WAIT)
    told = sentences.translate_sentences(words)
    for sentence in ("Undo", "Reset", "Tap a number, an operation, a number."):
        assert await page.get_by_text(told[sentence], exact=True).first.is_visible()
    assert await page.get_by_role("button", name=words.translate_plain("Hint")).is_visible()
    assert await page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


async def test_nothing_that_is_told_before_the_end_solves_a_hand(alive: Alive) -> None:
    world = alive.world
    ann, bob = (world.user(name) for name in ("Ann", "Bob"))
    group = alive.group(ann, bob)
    for command, begins in (("play", "→ 24"), ("countdown", "→")):
        deal, start = await alive.in_group(group, ann, command, begins)
        numbers, target = (parse_hand(deal), 24) if command == "play" else drawn(deal)
        page = await alive.page(ann, start)
        await alive.forget()
        session = await alive.asked(bob, start)
        await page.reload()
        await page.wait_for_selector("#play:not([aria-busy])", timeout=WAIT)
        if command == "play":
            await page.get_by_role("button", name="Hint").press("Enter")
            await page.get_by_text("💡").first.wait_for(timeout=WAIT)
        best = solver.nearest(numbers, target) if command == "countdown" else None
        await alive.state(session)
        heard = await alive.listened()
        assert sum(map(len, heard)) > 20_000, "the program, the words, the states"
        assert any(" ".join(map(str, numbers)) in text for text in heard), "among them the hand"
        assert leaks(heard, numbers, target) == []
        assert not best or not any(str(best.expression) in text for text in heard)
        answer = str(best.expression) if best else solve_deal(deal)
        world.say(bob, group, answer, reply_to=deal)
        if command == "play":
            await headed(page, "\u2068Bob\u2069 won.")
            assert answer in "".join(await alive.listened()), "now it may be told"
