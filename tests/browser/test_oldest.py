"""The board in the oldest browsers, with an error of its own, and beside many others in one browser."""

from pathlib import Path

import pytest

from tests.browser.conftest import Open
from tests.browser.fake_service import Fake
from tests.browser.test_playing import MINUTE, answers, told

# Takes from the browser what the oldest ones do not have.
OLDEST = Path(__file__).with_name("oldest.js").read_text("utf-8")
RESTS = "Newer boards are open, so this one waits. Tap it to go on."


def test_a_hand_is_played_with_what_the_oldest_browsers_have(board: Fake, sit: Open) -> None:
    page = sit(script=OLDEST)
    assert page.evaluate("[AbortSignal.timeout, [].toSorted, window.structuredClone].every((each) => !each)")
    for key in "8/33-8/38/1":
        page.keyboard.press(key)
    page.get_by_role("heading", name="You won!").wait_for(timeout=MINUTE)
    assert answers(board) == ["8/(3-8/3)"]
    page.get_by_role("button", name="Next hand").tap()
    page.get_by_role("button", name="plus").wait_for(timeout=MINUTE)
    assert page.locator("#notice").inner_text() == ""


def test_a_notice_stands_in_the_place_of_the_groups_name(board: Fake, sit: Open) -> None:
    page = sit()
    page.locator("#place", has_text="Maths club").wait_for()
    board.refusing = 503
    board.hang_up()
    told(page, "No connection. Trying again …")
    assert page.locator("#place").is_hidden()


@pytest.mark.parametrize(
    "error",
    [
        "delete window.AbortController",  # before anything is heard
        "delete Response.prototype.body",  # in the stream
        "delete Array.prototype.findIndex",  # whenever the table is drawn
    ],
)
def test_an_error_of_the_page_is_no_lost_connection(board: Fake, sit: Open, error: str) -> None:
    page = sit(script=error, fails=True)
    page.get_by_role("heading", name="Something went wrong on this page.").wait_for(timeout=MINUTE)
    assert page.get_by_text("Reload it.", exact=True).is_visible()
    assert page.locator("#notice").inner_text() == ""
    page.get_by_role("button", name="Reload").tap()
    page.wait_for_event("load")


def test_an_error_under_a_tap_is_said_and_the_hand_goes_on(board: Fake, sit: Open) -> None:
    page = sit(fails=True)
    page.evaluate("void (window.matchMedia = () => { throw new TypeError('no such thing'); })")
    for key in "8/3":
        page.keyboard.press(key)
    told(page, "Something went wrong on this page. Reload it.")
    page.evaluate("delete window.matchMedia")
    for key in "3-8/38/1":
        page.keyboard.press(key)
    page.get_by_role("heading", name="You won!").wait_for(timeout=MINUTE)


def test_the_oldest_of_seven_boards_waits_until_it_is_tapped(board: Fake, sit: Open) -> None:
    first = sit()
    pages = [first]
    for name in ("Bob", "Cem", "Dee", "Eve", "Fay", "Gus"):
        pages.append(first.context.new_page())
        pages[-1].goto(board.link(name))
        pages[-1].locator(".sign").first.wait_for(timeout=MINUTE)
    told(first, RESTS)
    told(pages[1], RESTS)
    assert all(page.get_by_text(RESTS).count() == 0 for page in pages[2:])
    first.locator(".tile").first.tap()
    told(pages[2], RESTS)
    for key in "8/38":
        first.keyboard.press(key)
    for key in "8/33-8/38/1":
        pages[-1].keyboard.press(key)
    first.get_by_role("heading", name="\u2068Gus\u2069 won.").wait_for(timeout=MINUTE)
    assert first.get_by_text(RESTS).count() == 0
