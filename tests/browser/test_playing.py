"""Each game from the deal to the end: by touch, by the keyboard, and by the accessibility tree alone."""

import re
from typing import TYPE_CHECKING

from tests.browser.conftest import DESK, PHONE, Open, until
from tests.browser.fake_service import HINTS, Fake, contest, countdown, twentyfour

if TYPE_CHECKING:
    from playwright.sync_api import Page

MINUTE = 60_000


def touch(page: "Page", *names: str) -> None:
    """Taps what is seen, by its place on the screen."""
    for name in names:
        kind = ".sign" if name in "+−×÷" else "button:visible"  # a tile says how it was made, signs and all
        page.locator(f"#play {kind}", has_text=name).first.tap()


def told(page: "Page", text: str) -> None:
    """Waits until a live region tells it."""
    page.get_by_role("status").filter(has_text=text).first.wait_for(timeout=MINUTE, state="attached")


def answers(board: Fake) -> list[str]:
    """What was handed in."""
    return [each["answer"] for each in board.entries if "answer" in each]


def test_twentyfour_by_touch(board: Fake, sit: Open) -> None:
    page = sit()
    tiles, signs = page.locator(".tile"), page.locator(".sign")
    for tile, sign, other in ((1, 3, 0), (2, 1, 0), (3, 3, 0)):
        if tile != 1 or tiles.nth(1).get_attribute("aria-pressed") != "true":
            tiles.nth(tile).tap()
        signs.nth(sign).tap()
        tiles.nth(other).tap()
    page.get_by_role("heading", name="You won!").wait_for(timeout=MINUTE)
    assert answers(board) == ["8/(3-8/3)"]
    assert page.locator(".equation").inner_text() == "8 ÷ (3 − 8 ÷ 3) = 24"
    touch(page, "Next hand")
    page.locator(".sign").first.wait_for(timeout=MINUTE)


def test_twentyfour_by_keyboard(board: Fake, sit: Open) -> None:
    page = sit(size=DESK)
    for key in "3+8":
        page.keyboard.press(key)
    page.keyboard.press("Backspace")
    page.keyboard.press("Escape")
    for key in "8/33-8/38/1":
        page.keyboard.press(key)
    page.get_by_role("heading", name="You won!").wait_for(timeout=MINUTE)
    assert answers(board) == ["8/(3-8/3)"]
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Next hand").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="plus").wait_for(timeout=MINUTE)


def test_twentyfour_by_names_alone(board: Fake, sit: Open) -> None:
    page = sit()
    numbers = page.get_by_role("list", name="Numbers")
    for name in ("8", "divided by", "3"):
        page.get_by_role("button", name=name, exact=True).first.press("Enter")
    assert page.get_by_role("button", name="8 over 3", pressed=True).is_visible()
    assert numbers.get_by_role("button").count() == 3
    told(page, "8 ÷ 3 = 8 over 3")
    for name in ("3", "minus", "8 over 3", "8", "divided by", "1 over 3"):
        page.get_by_role("button", name=name, exact=True).first.press("Enter")
    told(page, "You won! 8 ÷ (3 − 8 ÷ 3) = 24")
    assert answers(board) == ["8/(3-8/3)"]


def test_a_miss_is_told_and_not_sent(board: Fake, sit: Open) -> None:
    page = sit()
    for key in "3+8+3+8":
        page.keyboard.press(key)
    told(page, "That makes 22, not 24.")
    assert board.entries == []
    for _ in range(3):
        page.get_by_role("button", name="Undo").press("Enter")
    assert page.get_by_role("list", name="Numbers").get_by_role("button").count() == 4


def test_hints_are_seen_and_told_and_four_taps_on_one_spot_give_nothing_up(board: Fake, sit: Open) -> None:
    page = sit()
    hint = page.get_by_role("button", name="Hint −1 point")
    spot = hint.bounding_box()
    assert spot
    for told_by_then in (*HINTS, "No more hints for this hand."):
        page.touchscreen.tap(spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2)
        told(page, told_by_then)
        seen = page.get_by_text(told_by_then).first.bounding_box()
        assert seen
        assert seen["y"] + seen["height"] <= PHONE[1]
    assert [each["press"] for each in board.entries] == ["h:1"] * 3
    assert page.get_by_role("button", name="Hint").get_attribute("aria-disabled") == "true"


def test_by_keyboard_giving_up_never_inherits_the_focus_and_asks(board: Fake, sit: Open) -> None:
    page = sit(size=DESK)
    page.get_by_role("button", name="Hint").focus()
    for hint in HINTS:
        page.keyboard.press("Enter")
        told(page, hint)
        assert page.get_by_role("button", name="Hint").evaluate("each => each === document.activeElement")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    told(page, "Give this hand up? Press once more.")
    assert [each["press"] for each in board.entries] == ["h:1"] * 3
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="The hand is over.").wait_for(timeout=MINUTE)


def test_a_double_click_or_a_held_key_gives_nothing_up(board: Fake, sit: Open) -> None:
    page = sit(size=DESK)
    page.get_by_role("button", name="Give up").dblclick()
    asking = page.get_by_role("button", name="Yes, give up")
    asking.wait_for(timeout=MINUTE)
    page.get_by_role("button", name="Hint").click()
    page.get_by_role("button", name="Give up").focus()
    for _ in range(3):
        page.keyboard.down("Enter")  # the second and third say that they repeat
    page.keyboard.up("Enter")
    asking.wait_for(timeout=MINUTE)
    assert [each["press"] for each in board.entries] == ["h:1"]


def test_countdown_by_touch(board: Fake, sit: Open) -> None:
    board.round = countdown()
    page = sit()
    touch(page, "6", "−")
    barred = page.get_by_role("button", name="75")
    assert barred.get_attribute("aria-disabled") == "true"
    barred.tap(force=True)
    told(page, "6 − 75: not above zero")
    touch(page, "Reset", "75", "×", "4")
    touch(page, "Hand in 300")
    told(page, "300: noted.")
    touch(page, "+", "6", "+", "2")
    told(page, "308: noted.")
    assert answers(board) == ["75*4", "75*4+6+2"]


def test_countdown_by_keyboard(board: Fake, sit: Open) -> None:
    board.round = countdown()
    page = sit(size=DESK)
    for key in ("7", "*", "4", "+", "6", "Enter"):
        page.keyboard.press(key)
    told(page, "306: noted.")
    for key in ("+", "2", "Enter"):
        page.keyboard.press(key)
    told(page, "308: noted.")
    assert answers(board)[0] == "75*4+6"
    assert answers(board)[-1] == "75*4+6+2"


def test_enter_hands_in_what_was_typed_wherever_the_page_put_the_focus(board: Fake, sit: Open) -> None:
    board.round = {**countdown(), "state": "over"}
    page = sit(size=DESK)
    page.get_by_role("button", name="Next hand").focus()
    board.lay(countdown(2))
    first = page.get_by_role("button", name="75")
    first.wait_for(timeout=MINUTE)
    assert first.evaluate("each => each === document.activeElement")
    for key in ("7", "*", "4", "+", "6", "Enter"):
        page.keyboard.press(key)
    told(page, "306: noted.")
    assert page.get_by_text("Enter to hand in").is_visible()
    page.get_by_role("button", name="Hand in 306").wait_for(timeout=MINUTE)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    told(page, "2: no longer chosen.")
    assert answers(board) == ["75*4+6"]


def test_enter_is_a_tiles_own_where_somebody_went_to_it(board: Fake, sit: Open) -> None:
    board.round = countdown()
    page = sit(size=DESK)
    for key in ("7", "*", "4", "Tab", "Enter"):
        page.keyboard.press(key)
    assert page.locator(".tile[aria-pressed=true]:visible").evaluate(
        "each => each === document.activeElement"
    )
    page.keyboard.press("+")
    page.get_by_role("button", name="6", exact=True).click()
    page.keyboard.press("Enter")
    assert answers(board) == []


def test_countdown_by_names_alone(board: Fake, sit: Open) -> None:
    board.round = countdown(seconds=38)
    page = sit()
    assert page.get_by_role("timer", name="Time left").inner_text() in {f"0:{n}" for n in range(31, 39)}
    told(page, "30 seconds left.")
    for name in ("75", "times", "4", "plus", "6", "plus", "2"):
        page.get_by_role("button", name=name, exact=True).press("Enter")
    told(page, "308: noted.")


def test_yahtzee_by_touch(board: Fake, sit: Open) -> None:
    board.round = contest()
    page = sit()
    page.get_by_role("button", name="Sixes: 18 for this roll").tap()
    page.get_by_role("button", name="Sixes: 18, filled").wait_for(timeout=MINUTE)
    assert page.get_by_text("Total: 18").is_visible()
    page.get_by_role("button", name="Short straight: 25 for this roll").tap()
    page.get_by_role("heading", name="Roll 3 of 13").wait_for(timeout=MINUTE)
    assert [each["press"] for each in board.entries] == ["ct:1:0:5", "ct:1:1:10"]


def test_beside_yahtzee_the_end_of_a_hand_stays_until_somebody_goes_back_to_the_card(
    board: Fake, sit: Open
) -> None:
    board.round, board.contest = twentyfour(7), contest(3)
    page = sit(size=DESK)
    for key in "8/33-8/38/1":
        page.keyboard.press(key)
    told(page, "You won! 8 ÷ (3 − 8 ÷ 3) = 24")
    page.get_by_role("heading", name="You won!").wait_for(timeout=MINUTE)
    board.tell()
    page.reload()
    page.get_by_role("heading", name="You won!").wait_for(timeout=MINUTE)
    assert page.get_by_role("button", name="Next hand").is_visible()
    page.get_by_role("button", name="Back to the card").focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Roll 1 of 13").wait_for(timeout=MINUTE)
    told(page, "Roll 1 of 13: 6 6 6 1 1")
    assert page.evaluate("document.activeElement.matches('#play h2')"), "the keyboard is where it goes on"
    page.keyboard.press("Enter")  # a second time, which puts no roll
    page.get_by_role("button", name="Sixes: 18 for this roll").press("Enter")
    page.get_by_role("heading", name="Roll 2 of 13").wait_for(timeout=MINUTE)
    page.get_by_role("button", name="Deal a hand").press("Enter")
    page.get_by_role("button", name="plus").wait_for(timeout=MINUTE)
    page.get_by_role("button", name="Back to the card").press("Enter")
    page.get_by_role("heading", name="Roll 2 of 13").wait_for(timeout=MINUTE)
    page.get_by_role("button", name="To the hand").press("Enter")
    page.get_by_role("button", name="plus").wait_for(timeout=MINUTE)


def test_the_end_of_a_race_is_seen_with_its_last_hand(board: Fake, sit: Open) -> None:
    board.round = twentyfour()
    page = sit()
    last = {"name": "Bob", "you": False, "text": "", "answer": "8/(3-8/3) = 24"}
    over = twentyfour(state="over", ended="You won the race, 16 to 15.", last=last)
    board.lay(over)
    page.get_by_role("heading", name="You won the race, 16 to 15.").wait_for(timeout=MINUTE)
    assert page.get_by_text("Last hand, \u2068Bob\u2069: 8 ÷ (3 − 8 ÷ 3) = 24", exact=True).first.is_visible()
    assert not page.get_by_role("heading", name="Make 24").is_visible()
    told(page, "You won the race, 16 to 15. Last hand, \u2068Bob\u2069: 8 ÷ (3 − 8 ÷ 3) = 24")


def test_where_a_button_goes_the_focus_falls_on_no_other(board: Fake, sit: Open) -> None:
    end, deal = [{"label": "End", "press": "ce:1"}], [{"label": "Deal a hand", "press": "st:deal"}]
    board.round, board.buttons = contest(), [end, deal]
    page = sit(size=DESK)
    page.get_by_role("button", name="End").focus()
    board.lay(contest(), buttons=[deal])
    page.get_by_role("button", name="End").wait_for(state="detached", timeout=MINUTE)
    assert page.evaluate("document.activeElement.textContent") == "Roll 1 of 13"


def test_a_double_click_puts_one_roll(board: Fake, sit: Open) -> None:
    board.round = contest()
    page = sit(size=DESK)
    page.get_by_role("button", name="Sixes: 18 for this roll").dblclick()
    page.get_by_role("heading", name="Roll 2 of 13").wait_for(timeout=MINUTE)
    page.get_by_role("button", name="Short straight: 25 for this roll").click()
    page.get_by_role("heading", name="Roll 3 of 13").wait_for(timeout=MINUTE)
    assert [each["press"] for each in board.entries] == ["ct:1:0:5", "ct:1:1:10"]


def test_a_held_enter_hands_in_once(board: Fake, sit: Open) -> None:
    board.round = countdown()
    page = sit(size=DESK)
    for key in "75*4":
        page.keyboard.press(key)
    for _ in range(10):  # without the key let go of between them each is a repeat
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    until(page, "document.getElementById('said').textContent.length > 0")
    page.keyboard.press("Backspace")
    assert answers(board) == ["75*4"]


def test_what_scores_nothing_is_asked_about(board: Fake, sit: Open) -> None:
    board.round = contest()
    page = sit()
    page.get_by_role("button", name="Fives: 0 for this roll").tap()
    told(page, "Fives: 0 points. Press again to put it here.")
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


def test_yahtzee_by_keyboard(board: Fake, sit: Open) -> None:
    board.round = contest()
    page = sit(size=DESK)
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    page.get_by_role("heading", name="Roll 2 of 13").wait_for(timeout=MINUTE)
    assert page.get_by_role("button", name="filled").evaluate("each => each === document.activeElement")


def test_yahtzee_by_names_alone(board: Fake, sit: Open) -> None:
    board.round = contest()
    page = sit()
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
