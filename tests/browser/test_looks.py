"""How the page looks and reads: at 320 and at 1440 px, light and dark, in five languages, to axe-core."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from bot import i18n
from bot.board import sentences
from tests.browser.conftest import AXE, DESK, PHONE, Open
from tests.browser.fake_service import Fake, contest, countdown, twentyfour

if TYPE_CHECKING:
    from playwright.sync_api import Page

LAID: dict[str, tuple[Callable[[], dict[str, object] | None], str]] = {
    "twentyfour": (twentyfour, ""),
    "fractions": (twentyfour, "8/33-"),
    "missed": (twentyfour, "3+8+3+8"),
    "won": (lambda: twentyfour(state="over"), ""),
    "countdown": (lambda: countdown(seconds=9_000), "75*4+6"),
    "nearest": (lambda: {**countdown(), "state": "over", "deadline": None, "best": "75*4+6+2 = 308"}, ""),
    "barred": (lambda: countdown(seconds=9_000), "6/"),
    "yahtzee": (contest, ""),
    "nothing": (lambda: None, ""),
}
WON = {
    "won": {"name": "Ann", "answer": "8/(3-8/3)"},
    "nearest": {"name": "Bob", "answer": "75*4+10-4", "value": "306"},
}
EVERY = pytest.mark.parametrize("laid", LAID)
SIZES = pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
LEAST = 44  # CSS pixels of a touch target, both ways
BOX = "name => document.querySelector(name).getBoundingClientRect().toJSON()"


def seen(board: Fake, sit: Open, laid: str, size: tuple[int, int], **more: str) -> "Page":
    """A page with that laid, and some keys pressed."""
    round_, keys = LAID[laid]
    board.round = round_()
    board.put = [5, 0, 10]
    board.winner = WON.get(laid)
    page = sit(size=size, **more)
    for key in keys:
        page.keyboard.press(key)
    return page


@EVERY
@SIZES
@SCHEMES
def test_axe_finds_nothing(board: Fake, sit: Open, laid: str, size: tuple[int, int], scheme: str) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed: no page is tried with it")
    page = seen(board, sit, laid, size, color_scheme=scheme)
    found = page.evaluate(f"{AXE.read_text('utf-8')};axe.run(document, {{runOnly: {RULES}}})")
    assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []


@EVERY
@SIZES
def test_everything_fits_and_can_be_hit(board: Fake, sit: Open, laid: str, size: tuple[int, int]) -> None:
    page = seen(board, sit, laid, size)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    boxes = [each.bounding_box() for each in page.get_by_role("button").all()]
    assert [box for box in boxes if box and min(box["width"], box["height"]) < LEAST] == []


@pytest.mark.parametrize("language", i18n.list_languages())
def test_no_english_is_left_in_another_language(board: Fake, sit: Open, language: str) -> None:
    board.language = language
    page = sit()
    page.locator(f"html[lang={language.replace('_', '-')}]").wait_for(state="attached")
    translated = sentences.translate_sentences(i18n.get_words(language))
    for sentence in ("Undo", "Reset", "Tap a number, an operation, a number.", "At the table"):
        assert page.get_by_text(translated[sentence], exact=True).first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


@SIZES
def test_what_is_said_moves_no_button(board: Fake, sit: Open, size: tuple[int, int]) -> None:
    page = sit(size=size)
    hint = page.locator("#buttons button").first
    before = hint.bounding_box()
    for key in "3+8+3+8":
        page.keyboard.press(key)
    page.get_by_text("That makes 22, not 24. Undo, and try another way.").first.wait_for()
    assert hint.bounding_box() == before
    assert before
    assert before["y"] + before["height"] <= size[1], "it is seen at once"


# What is cut off, and what lies over something else.
LOST = """() => {
  const seen = (each) => each.checkVisibility() && !each.closest(".spoken") && each.textContent.trim();
  const wide = (each) => each.scrollWidth > each.clientWidth + 1;
  const high = (each) => !each.matches(".tile") && each.scrollHeight > each.clientHeight + 1;  // it grows
  const told = (each) => `${each.id || each.className}: ${each.textContent}`;
  const of = (names) => [...document.querySelectorAll(names)].filter(seen);
  const cut = of("h1, h2, p:not(.spoken), button, .tile").filter((each) => wide(each) || high(each));
  const parts = ".face, .why, h1, #place, #clock, .sign, .category, .points, .expression, #goal, .tool";
  const boxes = of(parts).map((each) => [each, each.getBoundingClientRect()]);
  const beside = (a, b) => a.left >= b.right - 1 || b.left >= a.right - 1;
  const over = (a, b) => !beside(a, b) && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const clashes = boxes.flatMap(([one, a], at) => {
    const others = boxes.slice(at + 1).filter(([, b]) => over(a, b));
    return others.map(([other]) => `${told(one)} over ${told(other)}`);
  });
  return [...cut.map(told), ...clashes];
}"""


@pytest.mark.parametrize("percent", [100, 125, 150, 200])
@pytest.mark.parametrize("laid", [*LAID, "cards", "timed"])
def test_large_letters_lose_nothing(board: Fake, sit: Open, laid: str, percent: int) -> None:
    board.title = "Terminal"
    if laid == "cards":
        lettered = {"numbers": ["11", "1", "13", "12"], "shown": ["J", "A", "K", "Q"]}
        board.round = {**twentyfour(), **lettered}
    elif laid == "timed":
        board.round = countdown(seconds=620)
    page = sit() if laid in {"cards", "timed"} else seen(board, sit, laid, PHONE)
    page.evaluate(f"document.documentElement.style.fontSize = '{percent}%'")
    if laid == "timed":
        page.locator("#clock").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    assert page.evaluate(LOST) == []


@pytest.mark.parametrize("laid", ["twentyfour", "fractions", "missed", "countdown", "barred"])
@pytest.mark.parametrize("size", [(568, 320), (667, 375), (915, 412)], ids=["small", "usual", "large"])
def test_on_its_side_tiles_and_operations_are_reached_together(
    board: Fake, sit: Open, laid: str, size: tuple[int, int]
) -> None:
    page = seen(board, sit, laid, size)
    buttons = page.locator(".tile:visible, .sign, .tool:visible")
    boxes = [each.bounding_box() for each in buttons.all()]
    assert [box for box in boxes if not box or box["y"] + box["height"] > size[1]] == []
    assert [box for box in boxes if box and min(box["width"], box["height"]) < LEAST] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert page.evaluate(LOST) == []


@SIZES
def test_the_hand_fits_without_scrolling(board: Fake, sit: Open, size: tuple[int, int]) -> None:
    page = sit(size=size)
    box = page.get_by_role("button", name="Reset").bounding_box()
    assert box
    assert box["y"] + box["height"] <= size[1]


@pytest.mark.parametrize(
    "title",
    ["A" * 128, "<b>maths</b> & friends " * 5, "نادي الرياضيات \u202e" * 7, "\u202e\u2067Club"],
    ids=["one word", "tags", "from the right", "turned round"],
)
def test_any_title_of_a_group_stays_in_its_place(board: Fake, sit: Open, title: str) -> None:
    board.title, board.round = title, countdown(seconds=600)
    page = sit()
    page.locator("#clock").wait_for()
    place = page.locator("#place")
    assert place.text_content() == title, "whole for whoever hears it"
    assert place.locator("*").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    shown, head = (page.evaluate(BOX, each) for each in ("#place", ".top"))
    assert head["left"] <= shown["left"] < shown["right"] <= head["right"]
    assert head["height"] <= LEAST
    clock = page.evaluate(BOX, "#clock")
    assert shown["right"] <= clock["left"]


def test_no_short_word_of_the_head_or_the_list_breaks(board: Fake, sit: Open) -> None:
    """Neither beside a clock with most figures nor beside a long name."""
    board.title, board.round = "Terminal", countdown(seconds=620)
    board.people = [
        {"name": "Maximiliana Konstantina of the Club", "points": 12, "in": True, "done": "solved it"}
    ]
    page = sit(name="Maximiliana Konstantina of the Club")
    page.locator("#clock").wait_for()
    heights = {name: page.evaluate(BOX, name)["height"] for name in ("h1", "#place", ".tag")}
    assert heights["h1"] < 30
    assert heights["#place"] < 24
    assert heights[".tag"] < 30
    whole = "document.querySelector('#place').scrollWidth <= document.querySelector('#place').clientWidth"
    assert page.evaluate(whole)


def test_without_a_title_nothing_is_in_its_place(board: Fake, sit: Open) -> None:
    board.title = ""
    assert sit().locator("#place").is_hidden()
