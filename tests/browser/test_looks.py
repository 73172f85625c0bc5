"""The page's layout and accessibility at 320 and 1440 px, light and dark, in all languages."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import pytest

from bot import i18n
from bot.board import static_files
from tests.browser.conftest import AXE, DESK, PHONE, OpenPage
from tests.browser.fake_service import (
    TREE,
    FakeService,
    make_contest,
    make_countdown,
    make_storm,
    make_twentyfour,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCREENS: dict[str, tuple[Callable[[], dict[str, object] | None], str]] = {
    "twentyfour": (make_twentyfour, ""),
    "fractions": (make_twentyfour, "8/33-"),
    "missed": (make_twentyfour, "3+8+3+8"),
    "won": (lambda: make_twentyfour(state="over"), ""),
    "countdown": (lambda: make_countdown(seconds=9_000), "75*4+6"),
    "nearest": (
        lambda: {**make_countdown(), "state": "over", "deadline": None, "best_solution": "75*4+6+2 = 308"},
        "",
    ),
    "barred": (lambda: make_countdown(seconds=9_000), "6/"),
    "yahtzee": (make_contest, ""),
    "nothing": (lambda: None, ""),
    "letters": (
        lambda: make_twentyfour(numbers=["12", "1", "13", "10"], labels=["Q", "A", "K", "10"]),
        "q+1",
    ),
    "watched": (make_twentyfour, ""),
    "day": (lambda: None, ""),
    "private": (lambda: None, ""),
    "storm": (lambda: make_storm(deadline=None), "8/3"),
    "storm_over": (lambda: make_storm(state="over", race_end="Storm · 12 solved"), ""),
}
WINNERS = {
    "won": {"name": "Ann", "answer": "8/(3-8/3)", "earned": "+5 points"},
    "nearest": {"name": "Bob", "answer": "75*4+10-4", "earned": "+3 points", "value": "306"},
}
TIMES = {"sign": "×", "left": {"number": 75}, "right": {"number": 4}, "value": "300"}
NEAREST = {"sign": "−", "left": {"number": 10}, "right": {"number": 4}, "value": "6"}
TREES = {"won": TREE, "nearest": {"sign": "+", "left": TIMES, "right": NEAREST, "value": "306"}, "day": TREE}
TREES["storm_over"] = TREE
NOTICES = {"storm_over": "Your best: 12 today, 17 this week, 24 ever"}
SOLUTIONS = {"storm_over": "8/(3-8/3) = 24"}
TODAY = ["Solve today’s hand"]
BUTTONS = {  # without emoji, which differ between machines
    "private": [["Deal a hand"], ["Storm", "Streak"], TODAY],
    "storm": [["Skip: −10 s"]],
    "storm_over": [["Again", "Review"], ["Deal a hand"], ["Streak"], TODAY],
}
ENDED_DAY = {
    "day": "2026-11-27",
    "answer": "8÷(3−8÷3) = 24",
    "is_done": True,
    "is_solved": True,
    "result": ["Solved in 42 s.", "Your streak: 3 days"],
    "share": "https://t.me/share",
    "tree": TREE,
}
ALL_SCREENS = pytest.mark.parametrize("screen", SCREENS)
ALL_SIZES = pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
MIN_TARGET = 44  # CSS pixels of a touch target, both ways
BOX = "name => document.querySelector(name).getBoundingClientRect().toJSON()"


def open_screen(
    board: FakeService, open_page: OpenPage, screen: str, size: tuple[int, int], **more: object
) -> "Page":
    """Open a page with this screen and press its keys."""
    page = open_page(link=prepare_screen(board, screen), size=size, **more)
    for key in SCREENS[screen][1]:
        page.keyboard.press(key)
    if screen == "day":
        page.get_by_role("button", name="The day’s hand").click()
    return page


def prepare_screen(board: FakeService, screen: str) -> str | None:
    """Set up the table of this screen; return the link that opens it, None for a player's."""
    board.round = SCREENS[screen][0]()
    board.filled = [5, 0, 10]
    board.winner, board.tree = WINNERS.get(screen), TREES.get(screen)
    board.notice, board.solution = NOTICES.get(screen, ""), SOLUTIONS.get(screen, "")
    rows = BUTTONS.get(screen, [])
    board.buttons = [[{"label": label, "press": f"{label}:1"} for label in row] for row in rows]
    if screen in BUTTONS:
        board.kind, board.title, board.people = "private", "", []
    if screen == "day":
        board.kind, board.day = "private", {**make_twentyfour(), **ENDED_DAY}
    return f"{board.base}#watch=w-1" if screen == "watched" else None


@ALL_SCREENS
@ALL_SIZES
def test_axe_finds_no_violations(
    board: FakeService, open_page: OpenPage, screen: str, size: tuple[int, int]
) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed: no page is tried with it")
    page = open_screen(board, open_page, screen, size)
    page.evaluate(AXE.read_text("utf-8"))
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate(f"axe.run(document, {{runOnly: {RULES}}})")
        assert [(scheme, each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []


@ALL_SCREENS
@ALL_SIZES
def test_page_fits_and_buttons_are_large_enough(
    board: FakeService, open_page: OpenPage, screen: str, size: tuple[int, int]
) -> None:
    page = open_screen(board, open_page, screen, size)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    boxes = [each.bounding_box() for each in page.get_by_role("button").all()]
    assert [box for box in boxes if box and min(box["width"], box["height"]) < MIN_TARGET] == []


@pytest.mark.parametrize("language", i18n.list_languages())
def test_other_languages_show_no_english(board: FakeService, open_page: OpenPage, language: str) -> None:
    board.language = language
    page = open_page()
    page.locator(f"html[lang={language.replace('_', '-')}]").wait_for(state="attached")
    translated = static_files.translate_sentences(i18n.get_words(language))
    for sentence in ("Undo", "Reset", "Tap a number, an operation, a number.", "At the table"):
        assert page.get_by_text(translated[sentence], exact=True).first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


@ALL_SIZES
def test_message_does_not_move_buttons(
    board: FakeService, open_page: OpenPage, size: tuple[int, int]
) -> None:
    page = open_page(size=size)
    hint = page.locator("#buttons button").first
    before = hint.bounding_box()
    for key in "3+8+3+8":
        page.keyboard.press(key)
    page.get_by_text("That makes 22, not 24. Undo, and try another way.").first.wait_for()
    assert hint.bounding_box() == before
    assert before
    assert before["y"] + before["height"] <= size[1], "visible without scrolling"


# Lists texts that are cut off and elements that overlap.
FIND_CUT_TEXT = """() => {
  const isVisible = (node) => node.checkVisibility() && !node.closest(".visually-hidden");
  const isSeen = (node) => isVisible(node) && node.textContent.trim();
  const isCut = (node) => {
    if (node.scrollWidth > node.clientWidth + 1) return true;
    return !node.matches(".tile") && node.scrollHeight > node.clientHeight + 1;  // a tile grows
  };
  const describe = (node) => `${node.id || node.className}: ${node.textContent}`;
  const find = (names) => [...document.querySelectorAll(names)].filter(isSeen);
  const cut = find("h1, h2, p:not(.visually-hidden), button, .tile").filter(isCut);
  const parts = ".face, .note, h1, #place, #clock, .sign, .category, .points, .expression, #goal, .tool";
  const boxes = find(parts).map((node) => [node, node.getBoundingClientRect()]);
  const areBeside = (a, b) => a.left >= b.right - 1 || b.left >= a.right - 1;
  const overlap = (a, b) => !areBeside(a, b) && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const clashes = boxes.flatMap(([node, box], index) => {
    const others = boxes.slice(index + 1).filter(([, other]) => overlap(box, other));
    return others.map(([other]) => `${describe(node)} over ${describe(other)}`);
  });
  return [...cut.map(describe), ...clashes];
}"""


@pytest.mark.parametrize("screen", [*SCREENS, "cards", "timed"])
def test_large_text_is_neither_cut_nor_overlapping(
    board: FakeService, open_page: OpenPage, screen: str
) -> None:
    board.title = "Terminal"
    if screen == "cards":
        lettered = {"numbers": ["11", "1", "13", "12"], "labels": ["J", "A", "K", "Q"]}
        board.round = {**make_twentyfour(), **lettered}
    elif screen == "timed":
        board.round = make_countdown(seconds=620)
    page = open_page() if screen in {"cards", "timed"} else open_screen(board, open_page, screen, PHONE)
    if screen == "timed":
        page.locator("#clock").wait_for()
    for percent in (100, 125, 150, 200):
        page.evaluate(f"document.documentElement.style.fontSize = '{percent}%'")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
        assert (percent, page.evaluate(FIND_CUT_TEXT)) == (percent, [])


SMALL, USUAL, LARGE = (568, 320), (667, 375), (915, 412)  # of phones held sideways


@pytest.mark.parametrize("screen", ["twentyfour", "fractions", "missed", "countdown", "barred"])
def test_landscape_shows_tiles_and_operations_together(
    board: FakeService, open_page: OpenPage, screen: str
) -> None:
    page = open_screen(board, open_page, screen, SMALL, has_touch=True)
    for width, height in (SMALL, USUAL, LARGE):
        page.set_viewport_size({"width": width, "height": height})
        buttons = page.locator(".tile:visible, .sign, .tool:visible")
        boxes = [each.bounding_box() for each in buttons.all()]
        assert [box for box in boxes if not box or box["y"] + box["height"] > height] == []
        assert [box for box in boxes if box and min(box["width"], box["height"]) < MIN_TARGET] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(FIND_CUT_TEXT) == []


@ALL_SIZES
def test_hand_fits_without_scrolling(board: FakeService, open_page: OpenPage, size: tuple[int, int]) -> None:
    page = open_page(size=size)
    box = page.get_by_role("button", name="Reset").bounding_box()
    assert box
    assert box["y"] + box["height"] <= size[1]


@pytest.mark.parametrize(
    "title",
    ["A" * 128, "<b>maths</b> & friends " * 5, "نادي الرياضيات \u202e" * 7, "\u202e\u2067Club"],
    ids=["one word", "tags", "from the right", "turned round"],
)
def test_any_group_title_stays_in_its_place(board: FakeService, open_page: OpenPage, title: str) -> None:
    board.title, board.round = title, make_countdown(seconds=600)
    page = open_page()
    page.locator("#clock").wait_for()
    place = page.locator("#place")
    assert place.text_content() == title, "complete for screen readers"
    assert place.locator("*").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    shown, head = (page.evaluate(BOX, each) for each in ("#place", ".header"))
    assert head["left"] <= shown["left"] < shown["right"] <= head["right"]
    assert head["height"] <= MIN_TARGET
    clock = page.evaluate(BOX, "#clock")
    assert shown["right"] <= clock["left"]


def test_short_words_do_not_wrap(board: FakeService, open_page: OpenPage) -> None:
    board.title, board.round = "Terminal", make_countdown(seconds=620)
    maximiliana = {"name": "Maximiliana Konstantina of the Club", "points": 12}
    board.people = [{**maximiliana, "status": "done", "activity": "solved it"}]
    page = open_page(name="Maximiliana Konstantina of the Club")
    page.locator("#clock").wait_for()
    heights = {name: page.evaluate(BOX, name)["height"] for name in ("h1", "#place", ".tag")}
    assert heights["h1"] < 30
    assert heights["#place"] < 24
    assert heights[".tag"] < 30
    whole = "document.querySelector('#place').scrollWidth <= document.querySelector('#place').clientWidth"
    assert page.evaluate(whole)


def test_place_is_hidden_without_a_title(board: FakeService, open_page: OpenPage) -> None:
    board.title = ""
    assert open_page().locator("#place").is_hidden()
