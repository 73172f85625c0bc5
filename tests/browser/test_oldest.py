"""The board in the oldest browsers, after its own errors, and beside many other boards."""

from pathlib import Path

import pytest

from tests.browser.conftest import OpenPage
from tests.browser.fake_service import FakeService
from tests.browser.test_playing import MINUTE, list_sent_answers, wait_for_status

# Removes features that the oldest browsers lack.
OLDEST = Path(__file__).with_name("oldest.js").read_text("utf-8")
WAITING_NOTICE = "Newer boards are open, so this one waits. Tap it to go on."


def test_hand_can_be_played_in_the_oldest_browsers(board: FakeService, open_page: OpenPage) -> None:
    page = open_page(script=OLDEST)
    assert page.evaluate("[AbortSignal.timeout, [].toSorted, window.structuredClone].every((each) => !each)")
    for key in "8/33-8/38/1":
        page.keyboard.press(key)
    page.get_by_role("heading", name="You won!").wait_for(timeout=MINUTE)
    assert list_sent_answers(board) == ["8/(3-8/3)"]
    page.get_by_role("button", name="Next hand").tap()
    page.get_by_role("button", name="plus").wait_for(timeout=MINUTE)
    assert page.locator("#notice").inner_text() == ""


def test_notice_replaces_the_group_name(board: FakeService, open_page: OpenPage) -> None:
    page = open_page()
    page.locator("#place", has_text="Maths club").wait_for()
    board.refusing = 503
    board.close_streams()
    wait_for_status(page, "No connection. Trying again …")
    assert page.locator("#place").is_hidden()


@pytest.mark.parametrize(
    "error",
    [
        "delete window.AbortController",  # before the stream
        "delete Response.prototype.body",  # in the stream
        "delete Array.prototype.findIndex",  # when the table is drawn
    ],
)
def test_page_error_is_not_shown_as_a_lost_connection(
    board: FakeService, open_page: OpenPage, error: str
) -> None:
    page = open_page(script=error, fails=True)
    page.get_by_role("heading", name="Something went wrong on this page.").wait_for(timeout=MINUTE)
    assert page.get_by_text("Reload it.", exact=True).is_visible()
    assert page.locator("#notice").inner_text() == ""
    page.get_by_role("button", name="Reload").tap()
    page.wait_for_event("load")


def test_error_during_a_tap_is_shown_and_the_hand_goes_on(board: FakeService, open_page: OpenPage) -> None:
    page = open_page(fails=True)
    page.evaluate("void (window.matchMedia = () => { throw new TypeError('no such thing'); })")
    for key in "8/3":
        page.keyboard.press(key)
    wait_for_status(page, "Something went wrong on this page. Reload it.")
    page.evaluate("delete window.matchMedia")
    for key in "3-8/38/1":
        page.keyboard.press(key)
    page.get_by_role("heading", name="You won!").wait_for(timeout=MINUTE)


def test_oldest_of_seven_boards_waits_until_it_is_tapped(board: FakeService, open_page: OpenPage) -> None:
    first = open_page()
    pages = [first]
    for name in ("Bob", "Cem", "Dee", "Eve", "Fay", "Gus"):
        pages.append(first.context.new_page())
        pages[-1].goto(board.make_link(name))
        pages[-1].locator(".sign").first.wait_for(timeout=MINUTE)
    wait_for_status(first, WAITING_NOTICE)
    wait_for_status(pages[1], WAITING_NOTICE)
    assert all(page.get_by_text(WAITING_NOTICE).count() == 0 for page in pages[2:])
    first.locator(".tile").first.tap()
    wait_for_status(pages[2], WAITING_NOTICE)
    for key in "8/38":
        first.keyboard.press(key)
    for key in "8/33-8/38/1":
        pages[-1].keyboard.press(key)
    first.get_by_role("heading", name="\u2068Gus\u2069 won.").wait_for(timeout=MINUTE)
    assert first.get_by_text(WAITING_NOTICE).count() == 0
