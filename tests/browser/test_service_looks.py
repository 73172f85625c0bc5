"""The page of a real bot: its look, languages and accessibility, and the secrecy of solutions."""

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

import solver
from bot import i18n
from bot.board import static_files
from tests.bot.pictures.golden import measure_difference
from tests.browser import golden
from tests.browser.conftest import AXE, DESK, PHONE
from tests.browser.real_bot import WAIT, BrowserBot, find_solutions, wait_for_heading
from tests.browser.test_looks import RULES
from tests.browser.test_pictures import NEAR
from tests.browser.test_service import HAND, parse_draw
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


async def compare_picture(page: "Page", name: str) -> None:
    """Compare the page, without its clock, with the approved picture."""
    await page.route("**/seen.ttf", golden.serve_font_async)
    await page.add_style_tag(content=golden.STYLE)
    await page.evaluate("document.fonts.load('16px Seen')")
    await page.evaluate(PLAIN)  # emoji differ between machines
    picture = golden.shrink(await page.screenshot(style="#clock, .clocked {visibility: hidden}"))
    if os.environ.get("GOLDEN") == "write":
        golden.write_picture(name, picture)
    assert measure_difference(picture, golden.load_picture(name)) <= NEAR


async def find_violations(page: "Page") -> list[str]:
    """Return the violations that axe-core finds."""
    violations = await page.evaluate(f"{AXE.read_text('utf-8')};axe.run(document, {{runOnly: {RULES}}})")
    return [f"{each['id']}: {each['nodes'][0]['html']}" for each in violations["violations"]]


@SIZES
async def test_page_looks_as_approved(bot: BrowserBot, size: tuple[int, int], scheme: str) -> None:
    ann = bot.world.user("Ann")
    await bot.deal_hand(ann, *HAND)
    more: dict[str, Any] = {
        "color_scheme": scheme,
        "bypass_csp": True,
        "service_workers": "block",
        "telegram": False,
    }
    page = await bot.open_page(ann, size=size, **more)
    await compare_picture(page, f"real-{size[0]}")
    assert await page.evaluate("document.documentElement.scrollWidth") <= size[0]


@SIZES
async def test_axe_finds_no_violations(bot: BrowserBot, size: tuple[int, int], scheme: str) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed: no page is tried with it")
    violations, world, ann = dict[str, list[str]](), bot.world, bot.world.user("Ann")
    await bot.deal_hand(ann, *HAND)
    more: dict[str, Any] = {"color_scheme": scheme, "bypass_csp": True, "telegram": False}
    page = await bot.open_page(ann, size=size, **more)
    violations["a hand"] = await find_violations(page)
    for key in "8/33-8/38/1":
        await page.keyboard.press(key)
    await wait_for_heading(page, "You won!")
    violations["a hand won"] = await find_violations(page)
    world.say(ann, ann, "/countdown")
    await page.get_by_role("timer").wait_for(timeout=WAIT)
    violations["Countdown"] = await find_violations(page)
    await page.get_by_role("button", name="Give up").press("Enter")
    await page.get_by_role("button", name="Yes, give up").press("Enter")
    await wait_for_heading(page, "The hand is over.")
    violations["Countdown over"] = await find_violations(page)
    world.say(ann, ann, "/yahtzee")
    await wait_for_heading(page, "Roll 1 of 13")
    violations["Yahtzee"] = await find_violations(page)
    assert {what: each for what, each in violations.items() if each} == {}


@pytest.mark.parametrize("language", i18n.list_languages())
async def test_page_is_in_the_readers_language(bot: BrowserBot, language: str) -> None:
    tag = language.replace("_", "-")
    ann = bot.world.user("Ann", language_code={"zh-Hans": "zh-hans", "zh-Hant": "zh-hant"}.get(tag, tag))
    words = i18n.get_words(language)
    bot.world.say(ann, ann, " ".join(map(str, HAND)))
    offered = await bot.world.next_post(ann, "→ 24")
    bot.world.press(ann, offered, words.translate_plain("Play it"))
    await bot.world.next_post(ann, "3 8 3 8 → 24\n")
    page = await bot.open_page(ann)
    await page.locator(f"html[lang={tag}]").wait_for(state="attached", timeout=WAIT)
    translated = static_files.translate_sentences(words)
    for sentence in ("Undo", "Reset", "Tap a number, an operation, a number."):
        assert await page.get_by_text(translated[sentence], exact=True).first.is_visible()
    assert await page.get_by_role("button", name=words.translate_plain("Hint")).is_visible()
    assert await page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


async def test_no_answer_before_the_end_contains_a_solution(bot: BrowserBot) -> None:
    world = bot.world
    ann, bob = (world.user(name) for name in ("Ann", "Bob"))
    group = bot.make_group(ann, bob)
    for command, begins in (("play", "→ 24"), ("countdown", "→")):
        deal, start = await bot.send_command(group, ann, command, begins)
        numbers, target = (parse_hand(deal), 24) if command == "play" else parse_draw(deal)
        page = await bot.open_page(ann, start)
        await bot.forget_answers()
        session = await bot.open_session(bob, start)
        await page.reload()
        await page.wait_for_selector("#play:not([aria-busy])", timeout=WAIT)
        if command == "play":
            await page.get_by_role("button", name="Hint").press("Enter")
            await page.get_by_text("💡").first.wait_for(timeout=WAIT)
        best = solver.nearest(numbers, target) if command == "countdown" else None
        await bot.read_state(session)
        answers = await bot.read_answers()
        assert sum(map(len, answers)) > 20_000, "programs, words and states were read"
        assert any(json.dumps(list(map(str, numbers))) in text for text in answers), "the hand was read too"
        assert find_solutions(answers, numbers, target) == []
        assert not best or not any(str(best.expression) in text for text in answers)
        answer = str(best.expression) if best else solve_deal(deal)
        world.say(bob, group, answer, reply_to=deal)
        if command == "play":
            await wait_for_heading(page, "\u2068Bob\u2069 won.")
            assert answer in "".join(await bot.read_answers()), "after the end the solution is sent"
