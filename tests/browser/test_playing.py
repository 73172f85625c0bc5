"""Each game from the deal to the end: by touch, by keyboard, and by the accessibility tree."""

import re
from typing import TYPE_CHECKING

from tests.browser.conftest import DESK, PHONE, OpenPage, wait_for_condition
from tests.browser.fake_service import HINTS, FakeService, make_contest, make_countdown, make_twentyfour

if TYPE_CHECKING:
    from playwright.sync_api import Page

MINUTE = 60_000


def tap_buttons(page: "Page", *names: str) -> None:
    """Tap buttons by their places on the screen."""
    for name in names:
        kind = ".sign" if name in "+−×÷" else "button:visible"  # a tile shows how it was made, with signs
        page.locator(f"#play {kind}", has_text=name).first.tap()


def wait_for_status(page: "Page", text: str) -> None:
    """Wait until a live region contains the text."""
    page.get_by_role("status").filter(has_text=text).first.wait_for(timeout=MINUTE, state="attached")


def wait_until_sent(page: "Page") -> None:
    """Wait until the bot has replied to all entries: before that the same press is a double tap."""
    wait_for_condition(page, "!Object.keys(sessionStorage).some(name => name.startsWith('board:entries:'))")


def list_sent_answers(board: FakeService) -> list[str]:
    """Return the answers that the page has sent."""
    return [each["answer"] for each in board.entries if "answer" in each]


def test_twentyfour_by_touch(board: FakeService, open_page: OpenPage) -> None:
    page = open_page()
    tiles, signs = page.locator(".tile"), page.locator(".sign")
    for tile, sign, other in ((1, 3, 0), (2, 1, 0), (3, 3, 0)):
        if tile != 1 or tiles.nth(1).get_attribute("aria-pressed") != "true":
            tiles.nth(tile).tap()
        signs.nth(sign).tap()
        tiles.nth(other).tap()
    page.get_by_role("heading", name="You won!").wait_for(timeout=MINUTE)
    assert list_sent_answers(board) == ["8/(3-8/3)"]
    assert page.locator(".equation").inner_text() == "8÷(3−8÷3) = 24"
    tap_buttons(page, "Next hand")
    page.locator(".sign").first.wait_for(timeout=MINUTE)


def test_twentyfour_by_keyboard(board: FakeService, open_page: OpenPage) -> None:
    page = open_page(size=DESK)
    for key in "3+8":
        page.keyboard.press(key)
    page.keyboard.press("Backspace")
    page.keyboard.press("Escape")
    for key in "8/33-8/38/1":
        page.keyboard.press(key)
    page.get_by_role("heading", name="You won!").wait_for(timeout=MINUTE)
    assert list_sent_answers(board) == ["8/(3-8/3)"]
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Next hand").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="plus").wait_for(timeout=MINUTE)


def test_twentyfour_by_accessible_names(board: FakeService, open_page: OpenPage) -> None:
    page = open_page()
    numbers = page.get_by_role("list", name="Numbers")
    for name in ("8", "divided by", "3"):
        page.get_by_role("button", name=name, exact=True).first.press("Enter")
    assert page.get_by_role("button", name="8 over 3", pressed=True).is_visible()
    assert numbers.get_by_role("button").count() == 3
    wait_for_status(page, "8÷3 = 8 over 3")
    for name in ("3", "minus", "8 over 3", "8", "divided by", "1 over 3"):
        page.get_by_role("button", name=name, exact=True).first.press("Enter")
    wait_for_status(page, "You won! 8÷(3−8÷3) = 24")
    assert list_sent_answers(board) == ["8/(3-8/3)"]


def test_wrong_result_is_announced_and_not_sent(board: FakeService, open_page: OpenPage) -> None:
    page = open_page()
    for key in "3+8+3+8":
        page.keyboard.press(key)
    wait_for_status(page, "That makes 22, not 24.")
    assert board.entries == []
    for _ in range(3):
        page.get_by_role("button", name="Undo").press("Enter")
    assert page.get_by_role("list", name="Numbers").get_by_role("button").count() == 4


def test_four_taps_on_the_hint_button_give_nothing_up(board: FakeService, open_page: OpenPage) -> None:
    page = open_page()
    hint = page.get_by_role("button", name="Hint −1 point")
    spot = hint.bounding_box()
    assert spot
    for text in (*HINTS, "No more hints for this hand."):
        page.touchscreen.tap(spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2)
        wait_for_status(page, text)
        wait_until_sent(page)
        seen = page.get_by_text(text).first.bounding_box()
        assert seen
        assert seen["y"] + seen["height"] <= PHONE[1]
    assert [each["press"] for each in board.entries] == ["h:1"] * 3
    assert page.get_by_role("button", name="Hint").get_attribute("aria-disabled") == "true"


def test_give_up_by_keyboard_gets_no_focus_and_asks_first(board: FakeService, open_page: OpenPage) -> None:
    page = open_page(size=DESK)
    page.get_by_role("button", name="Hint").focus()
    for hint in HINTS:
        page.keyboard.press("Enter")
        wait_for_status(page, hint)
        wait_until_sent(page)
        assert page.get_by_role("button", name="Hint").evaluate("each => each === document.activeElement")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    wait_for_status(page, "Give this hand up? Press once more.")
    assert [each["press"] for each in board.entries] == ["h:1"] * 3
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="The hand is over.").wait_for(timeout=MINUTE)


def test_double_click_or_held_key_gives_nothing_up(board: FakeService, open_page: OpenPage) -> None:
    page = open_page(size=DESK)
    page.get_by_role("button", name="Give up").dblclick()
    asking = page.get_by_role("button", name="Yes, give up")
    asking.wait_for(timeout=MINUTE)
    page.get_by_role("button", name="Hint").click()
    wait_for_status(page, HINTS[0])
    page.get_by_role("button", name="Give up").focus()
    for _ in range(3):
        page.keyboard.down("Enter")  # the second and third say that they repeat
    page.keyboard.up("Enter")
    asking.wait_for(timeout=MINUTE)
    assert [each["press"] for each in board.entries] == ["h:1"]


def test_countdown_by_touch(board: FakeService, open_page: OpenPage) -> None:
    board.round = make_countdown()
    page = open_page()
    tap_buttons(page, "6", "−")
    barred = page.get_by_role("button", name="75")
    assert barred.get_attribute("aria-disabled") == "true"
    barred.tap(force=True)
    wait_for_status(page, "6−75: not above zero")
    tap_buttons(page, "Reset", "75", "×", "4")
    tap_buttons(page, "Hand in 300")
    wait_for_status(page, "300: noted.")
    tap_buttons(page, "+", "6", "+", "2")
    wait_for_status(page, "308: noted.")
    assert list_sent_answers(board) == ["75*4", "75*4+6+2"]


def test_countdown_by_keyboard(board: FakeService, open_page: OpenPage) -> None:
    board.round = make_countdown()
    page = open_page(size=DESK)
    for key in ("7", "*", "4", "+", "6", "Enter"):
        page.keyboard.press(key)
    wait_for_status(page, "306: noted.")
    for key in ("+", "2", "Enter"):
        page.keyboard.press(key)
    wait_for_status(page, "308: noted.")
    assert list_sent_answers(board)[0] == "75*4+6"
    assert list_sent_answers(board)[-1] == "75*4+6+2"


def test_enter_after_typing_hands_in_wherever_the_focus_is(board: FakeService, open_page: OpenPage) -> None:
    board.round = {**make_countdown(), "state": "over"}
    page = open_page(size=DESK)
    page.get_by_role("button", name="Next hand").focus()
    board.set_round(make_countdown(2))
    first = page.get_by_role("button", name="75")
    first.wait_for(timeout=MINUTE)
    assert first.evaluate("each => each === document.activeElement")
    for key in ("7", "*", "4", "+", "6", "Enter"):
        page.keyboard.press(key)
    wait_for_status(page, "306: noted.")
    assert page.get_by_text("Enter to hand in").is_visible()
    page.get_by_role("button", name="Hand in 306").wait_for(timeout=MINUTE)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    wait_for_status(page, "2: no longer chosen.")
    assert list_sent_answers(board) == ["75*4+6"]


def test_enter_presses_the_tile_that_was_focused_by_tab(board: FakeService, open_page: OpenPage) -> None:
    board.round = make_countdown()
    page = open_page(size=DESK)
    for key in ("7", "*", "4", "Tab", "Enter"):
        page.keyboard.press(key)
    assert page.locator(".tile[aria-pressed=true]:visible").evaluate(
        "each => each === document.activeElement"
    )
    page.keyboard.press("+")
    page.get_by_role("button", name="6", exact=True).click()
    page.keyboard.press("Enter")
    assert list_sent_answers(board) == []


def test_countdown_by_accessible_names(board: FakeService, open_page: OpenPage) -> None:
    board.round = make_countdown(seconds=38)
    page = open_page()
    assert page.get_by_role("timer", name="Time left").inner_text() in {f"0:{n}" for n in range(31, 39)}
    wait_for_status(page, "30 seconds left.")
    for name in ("75", "times", "4", "plus", "6", "plus", "2"):
        page.get_by_role("button", name=name, exact=True).press("Enter")
    wait_for_status(page, "308: noted.")


def test_yahtzee_by_touch(board: FakeService, open_page: OpenPage) -> None:
    board.round = make_contest()
    page = open_page()
    page.get_by_role("button", name="Sixes: 18 for this roll").tap()
    page.get_by_role("button", name="Sixes: 18, filled").wait_for(timeout=MINUTE)
    assert page.get_by_text("Total: 18").is_visible()
    page.get_by_role("button", name="Short straight: 25 for this roll").tap()
    page.get_by_role("heading", name="Roll 3 of 13").wait_for(timeout=MINUTE)
    assert [each["press"] for each in board.entries] == ["ct:1:0:5", "ct:1:1:10"]


def test_end_of_a_hand_beside_yahtzee_stays_until_dismissed(board: FakeService, open_page: OpenPage) -> None:
    board.round, board.contest = make_twentyfour(7), make_contest(3)
    page = open_page(size=DESK)
    for key in "8/33-8/38/1":
        page.keyboard.press(key)
    wait_for_status(page, "You won! 8÷(3−8÷3) = 24")
    page.get_by_role("heading", name="You won!").wait_for(timeout=MINUTE)
    board.send_state()
    page.reload()
    page.get_by_role("heading", name="You won!").wait_for(timeout=MINUTE)
    assert page.get_by_role("button", name="Next hand").is_visible()
    page.get_by_role("button", name="Yahtzee").focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Roll 1 of 13").wait_for(timeout=MINUTE)
    wait_for_status(page, "Roll 1 of 13: 6 6 6 1 1")
    page.keyboard.press("Enter")  # a second press on the tab changes nothing
    page.get_by_role("button", name="Sixes: 18 for this roll").press("Enter")
    page.get_by_role("heading", name="Roll 2 of 13").wait_for(timeout=MINUTE)
    page.get_by_role("button", name="Deal a hand").press("Enter")
    page.get_by_role("button", name="plus").wait_for(timeout=MINUTE)
    page.get_by_role("button", name="Yahtzee").press("Enter")
    page.get_by_role("heading", name="Roll 2 of 13").wait_for(timeout=MINUTE)
    page.get_by_role("button", name="Twenty-Four").press("Enter")
    page.get_by_role("button", name="plus").wait_for(timeout=MINUTE)


def test_end_of_a_race_is_shown_with_its_last_hand(board: FakeService, open_page: OpenPage) -> None:
    board.round = make_twentyfour()
    page = open_page()
    last = {"name": "Bob", "you": False, "text": "", "answer": "8/(3-8/3) = 24"}
    over = make_twentyfour(state="over", race_end="You won the race, 16 to 15.", last_result=last)
    board.set_round(over)
    page.get_by_role("heading", name="You won the race, 16 to 15.").wait_for(timeout=MINUTE)
    assert page.get_by_text("Last hand, \u2068Bob\u2069: 8÷(3−8÷3) = 24", exact=True).first.is_visible()
    assert not page.get_by_role("heading", name="Make 24").is_visible()
    wait_for_status(page, "You won the race, 16 to 15. Last hand, \u2068Bob\u2069: 8÷(3−8÷3) = 24")


def test_focus_of_a_removed_button_moves_to_the_heading(board: FakeService, open_page: OpenPage) -> None:
    end, deal = [{"label": "End", "press": "ce:1"}], [{"label": "Deal a hand", "press": "st:deal"}]
    board.round, board.buttons = make_contest(), [end, deal]
    page = open_page(size=DESK)
    page.get_by_role("button", name="End").focus()
    board.set_round(make_contest(), buttons=[deal])
    page.get_by_role("button", name="End").wait_for(state="detached", timeout=MINUTE)
    assert page.evaluate("document.activeElement.textContent") == "Roll 1 of 13"


def test_double_click_puts_one_roll(board: FakeService, open_page: OpenPage) -> None:
    board.round = make_contest()
    page = open_page(size=DESK)
    page.get_by_role("button", name="Sixes: 18 for this roll").dblclick()
    page.get_by_role("heading", name="Roll 2 of 13").wait_for(timeout=MINUTE)
    page.get_by_role("button", name="Short straight: 25 for this roll").click()
    page.get_by_role("heading", name="Roll 3 of 13").wait_for(timeout=MINUTE)
    assert [each["press"] for each in board.entries] == ["ct:1:0:5", "ct:1:1:10"]


def test_held_enter_hands_in_once(board: FakeService, open_page: OpenPage) -> None:
    board.round = make_countdown()
    page = open_page(size=DESK)
    for key in "75*4":
        page.keyboard.press(key)
    for _ in range(10):  # without a release between them all but the first are repeats
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    wait_for_condition(page, "document.getElementById('message').textContent.length > 0")
    page.keyboard.press("Backspace")
    assert list_sent_answers(board) == ["75*4"]


def test_category_without_points_needs_a_second_press(board: FakeService, open_page: OpenPage) -> None:
    board.round = make_contest()
    page = open_page()
    page.get_by_role("button", name="Fives: 0 for this roll").tap()
    wait_for_status(page, "Fives: 0 points. Press again to put it here.")
    asked = page.get_by_role("button", name="Fives: 0 points.")
    assert "Put 0 here?" in asked.inner_text()
    page.get_by_role("button", name="Fours: 0 for this roll").tap()
    assert page.get_by_role("button", name="Press again").count() == 1
    assert page.get_by_role("button", name="Fives: 0 for this roll").is_visible()
    page.get_by_role("button", name="Sixes: 18 for this roll").tap()
    page.get_by_role("heading", name="Roll 2 of 13").wait_for(timeout=MINUTE)
    assert page.get_by_role("button", name="Press again").count() == 0
    page.get_by_role("button", name="Fives: 0 for this roll").dblclick()
    page.get_by_role("button", name="Fives: 0 points.").press("Enter")
    page.get_by_role("heading", name="Roll 3 of 13").wait_for(timeout=MINUTE)
    assert [each["press"] for each in board.entries] == ["ct:1:0:5", "ct:1:1:4"]


def test_yahtzee_by_keyboard(board: FakeService, open_page: OpenPage) -> None:
    board.round = make_contest()
    page = open_page(size=DESK)
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    page.get_by_role("heading", name="Roll 2 of 13").wait_for(timeout=MINUTE)
    assert page.get_by_role("button", name="filled").evaluate("each => each === document.activeElement")


def test_yahtzee_by_accessible_names(board: FakeService, open_page: OpenPage) -> None:
    board.round = make_contest()
    page = open_page()
    for turn in range(13):
        page.get_by_role("heading", name=f"Roll {turn + 1} of 13").wait_for(timeout=MINUTE)
        scoring = page.get_by_role("button", name=re.compile(": [1-9]\\d* for this roll"))
        if scoring.count():
            scoring.first.press("Enter")
            continue
        page.get_by_role("button", name="0 for this roll").first.press("Enter")
        page.get_by_role("button", name="0 points. Press again to put it here.").press("Enter")
    page.get_by_role("heading", name="The card is full.").wait_for(timeout=MINUTE)
    assert page.get_by_role("button", name="filled").count() == 13
    assert len({each["press"] for each in board.entries}) == 13
