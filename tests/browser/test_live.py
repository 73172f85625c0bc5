"""Several at one table, a connection that breaks, and a session that ends."""

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from bot import i18n
from bot.board import sentences
from tests.browser.conftest import PHONE, Open, until
from tests.browser.fake_service import Fake, contest, countdown, twentyfour
from tests.browser.test_playing import MINUTE, answers, told

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

LINE = 22  # CSS pixels
SOLUTION = "8/33-8/38/1"
DAY = {
    "day": f"{datetime.now(UTC):%Y-%m-%d}",
    "numbers": ["1", "2", "3", "4"],
    "shown": ["1", "2", "3", "4"],
    "target": "24",
}


def test_two_race_and_one_watches(board: Fake, sit: Open) -> None:
    ann, bob = sit("Ann"), sit("Bob")
    ann.get_by_role("button", name="Link for spectators").tap()
    link = ann.get_by_role("link").inner_text()
    watching = sit(link=link)
    assert watching.get_by_role("button").count() == 0
    assert watching.get_by_role("list", name="Numbers").inner_text().split() == ["3", "8", "3", "8"]
    for key in "8/3":
        ann.keyboard.press(key)
    for key in SOLUTION:
        bob.keyboard.press(key)
    for page in (ann, watching):
        page.get_by_role("heading", name="\u2068Bob\u2069 won.").wait_for(timeout=MINUTE)
        told(page, "\u2068Bob\u2069 won. 8 ÷ (3 − 8 ÷ 3) = 24")
    assert watching.get_by_text("You are watching. The link ends here.").is_visible()
    assert ann.get_by_text("You are watching.").count() == 0
    bob.get_by_role("heading", name="You won!").wait_for(timeout=MINUTE)
    assert watching.get_by_role("button").count() == 0


def test_what_letters_are_worth_is_seen_and_told_by_who_only_reads_the_cards(board: Fake, sit: Open) -> None:
    dealt = twentyfour(numbers=["12", "1", "9", "9"], shown=["Q", "A", "9", "9"])
    board.round = dealt
    page = sit()
    page.get_by_role("button", name="Link for spectators").tap()
    watching = sit(link=page.get_by_role("link").inner_text())
    numbers = watching.get_by_role("list", name="Numbers")
    assert numbers.inner_text().split() == ["Q", "12", "A", "1", "9", "9"]
    board.lay({**dealt, "state": "over"})
    for each in (page, watching):
        each.get_by_role("heading", name="The hand is over.").wait_for(timeout=MINUTE)
        read = each.get_by_role("list", name="Numbers")
        assert read.inner_text().split() == ["Q", "12", "A", "1", "9", "9"]
    board.lay({**dealt, "id": 2})
    told(page, "Make 24: Q, 12; A, 1; 9; 9")


def test_somebody_in_the_chat_wins(board: Fake, sit: Open) -> None:
    page = sit()
    board.round, board.winner = twentyfour(state="over"), {"name": "Cleo", "answer": "8/(3-8/3)"}
    board.tell()
    page.get_by_role("heading", name="\u2068Cleo\u2069 won.").wait_for(timeout=MINUTE)
    board.lay(twentyfour(2))
    told(page, "Make 24: 3; 8; 3; 8")
    page.get_by_role("button", name="plus").wait_for(timeout=MINUTE)


def test_a_restart_in_the_middle_keeps_the_tiles(board: Fake, sit: Open) -> None:
    page = sit()
    for key in "8/3":
        page.keyboard.press(key)
    board.refusing = 503
    board.hang_up()
    told(page, "No connection. Trying again …")
    for key in "3-8/38/1":
        page.keyboard.press(key)
    told(page, "Kept, and sent as soon as there is a connection.")
    board.refusing = None
    page.get_by_role("heading", name="You won!").wait_for(timeout=MINUTE)
    told(page, "Connected again.")
    assert answers(board) == ["8/(3-8/3)"]


def test_a_lost_connection_moves_nothing(board: Fake, sit: Open) -> None:
    board.title, board.round = "Terminal", countdown(seconds=600)
    page = sit()
    page.locator("#clock").wait_for()
    tiles = "document.querySelector('.tiles').getBoundingClientRect().top + scrollY"
    before = page.evaluate(tiles)
    board.refusing = 503
    board.hang_up()
    told(page, "No connection. Trying again …")
    assert page.evaluate(tiles) == before
    page.get_by_role("button", name="Hint").tap()
    told(page, "Kept, and sent as soon as there is a connection.")
    assert page.evaluate(tiles) == before


def test_a_clock_that_jumps_says_why_where_it_is_seen(board: Fake, sit: Open) -> None:
    board.round = countdown(seconds=55)
    page = sit()
    page.get_by_role("button", name="Link for spectators").tap()
    watching = sit(link=page.get_by_role("link").inner_text())
    page.evaluate("scrollTo(0, 0)")
    hurry = "⏳ Somebody has it: five more seconds for all."
    board.lay({**countdown(seconds=5), "hurry": hurry})
    for each in (page, watching):
        told(each, hurry)
        seen = each.locator("#said").bounding_box()
        assert seen
        assert seen["y"] + LINE <= PHONE[1], "where verdicts stand, too"
        until(each, "document.querySelector('#clock').textContent <= '0:03'")
        assert "seconds left" not in each.locator("#aloud").inner_text()


def test_a_reload_keeps_person_and_tiles(board: Fake, sit: Open) -> None:
    page = sit()
    assert "#" not in page.url
    for key in "8/3":
        page.keyboard.press(key)
    page.reload()
    page.get_by_role("button", name="8 over 3").wait_for(timeout=MINUTE)


def test_a_session_that_ended_says_what_to_do(board: Fake, sit: Open) -> None:
    page = sit()
    board.expired = True
    board.hang_up()
    page.get_by_role("heading", name="This board was closed a while ago.").wait_for(timeout=MINUTE)
    way = "Type /board in the terminal, and open the link that it shows."
    assert page.get_by_text(way, exact=True).is_visible()


def test_a_link_that_is_refused_says_so(board: Fake, sit: Open) -> None:
    page = sit(link=f"{board.base}#key=forged")
    page.get_by_role("heading", name="This board can’t be opened.").wait_for(timeout=MINUTE)
    assert "#" not in page.url


def test_an_address_without_a_key_says_where_one_is(board: Fake, sit: Open) -> None:
    page = sit(link=board.base)
    page.get_by_role("heading", name="Nothing to play here yet.").wait_for(timeout=MINUTE)


@pytest.mark.parametrize(
    ("locale", "language"), [("es-ES", "es"), ("ru-RU", "ru"), ("zh-CN", "zh_Hans"), ("zh-TW", "zh_Hant")]
)
@pytest.mark.parametrize(
    ("fragment", "title"),
    [
        ("", "Nothing to play here yet."),
        ("#key=forged", "This board can’t be opened."),
        ("#key=unknown", "This link opens no board."),
    ],
)
def test_why_there_is_no_board_is_said_in_the_browsers_language(
    board: Fake, sit: Open, locale: str, language: str, fragment: str, title: str
) -> None:
    board.slow = 0.5
    page = sit(link=f"{board.base}{fragment}", locale=locale)
    translated = sentences.translate_sentences(i18n.get_words(language))[title]
    page.get_by_role("heading", name=translated).wait_for(timeout=MINUTE)
    told(page, translated)
    assert title not in page.locator("body").inner_text()


@pytest.mark.parametrize("behind", [".", ").", "%20", "。", "…"])
def test_what_is_written_behind_a_link_does_no_harm(board: Fake, sit: Open, behind: str) -> None:
    page = sit(link=f"{board.link('Ann')}{behind}")
    page.get_by_role("button", name="plus").wait_for(timeout=MINUTE)
    (opened,) = board.opened
    assert re.fullmatch(r"[\w-]+", opened)


def test_a_link_that_is_cut_short_says_so(board: Fake, sit: Open) -> None:
    page = sit(link=f"{board.base}#key=unknown")
    page.get_by_role("heading", name="This link opens no board.").wait_for(timeout=MINUTE)
    way = "Copy all of it, or type /board in the terminal for another."
    assert page.locator("#board").get_by_text(way).is_visible()
    assert "#" not in page.url


def two_with_the_days_hand(board: Fake, sit: Open) -> tuple["Page", "Page"]:
    """Two pages of one person whose time for it runs."""
    board.round, board.kind, board.day = None, "private", {**DAY, "done": False}
    first = sit()
    second = first.context.new_page()
    second.goto(board.link())
    told(second, "Your time for the day’s hand runs.")
    return first, second


def test_of_two_pages_one_sends_the_days_answer_and_both_tell_what_came_of_it(board: Fake, sit: Open) -> None:
    first, second = two_with_the_days_hand(board, sit)
    offline = "Play the day’s hand offline"
    board.refusing = 503
    board.hang_up()
    for page in (first, second):
        page.get_by_role("button", name=offline).wait_for(timeout=MINUTE)
    first.get_by_role("button", name=offline).click()
    for key in "1*2*3*4":
        first.keyboard.press(key)
    told(first, "Solved offline: it gives no points")
    told(second, "You have solved the day’s hand offline. It is sent once you are connected.")
    assert second.get_by_role("button", name=offline).count() == 0
    board.refusing = None
    told(first, "Solved offline: no points, but well done.")
    told(second, "Solved offline: no points, but well done.")
    assert len(board.days) == 1


def test_what_was_solved_offline_is_sent_by_another_page_where_its_own_is_closed(
    board: Fake, sit: Open
) -> None:
    first, second = two_with_the_days_hand(board, sit)
    board.refusing = 503
    board.hang_up()
    first.get_by_role("button", name="Play the day’s hand offline").click(timeout=MINUTE)
    for key in "1*2*3*4":
        first.keyboard.press(key)
    told(second, "You have solved the day’s hand offline.")
    first.close()
    board.refusing = None
    told(second, "Solved offline: no points, but well done.")
    assert len(board.days) == 1


def test_the_days_hand_offline_and_back(board: Fake, sit: Open) -> None:
    board.day = {**DAY, "done": False}
    page = sit()
    page.evaluate("navigator.serviceWorker.ready")
    until(page, "caches.keys().then((names) => names.length > 0)")
    page.context.set_offline(True)
    page.reload()
    page.get_by_text("The day’s hand, offline").wait_for(timeout=MINUTE)
    for key in "1*2*3*4":
        page.keyboard.press(key)
    told(page, "Solved offline: it gives no points")
    assert board.days == []
    page.reload()
    page.get_by_role("heading", name="Solved!").wait_for(timeout=MINUTE)
    told(page, "is sent once you are connected.")
    page.context.set_offline(False)
    told(page, "Solved offline: no points, but well done.")
    (sent,) = board.days
    assert sent["answer"] == "1*2*3*4"
    assert sent["day"] == DAY["day"]
    assert re.fullmatch(r"[\w-]{22}", sent["id"])
    page.get_by_role("heading", name="Make 24").wait_for(timeout=MINUTE)


def test_a_days_answer_that_is_lost_on_the_way_is_sent_again_over_the_same_connection(
    board: Fake, sit: Open
) -> None:
    board.day = {**DAY, "done": False}
    page = sit()
    tries: list[str] = []

    def lost(route: "Route") -> None:
        tries.append((route.request.post_data_json or {})["id"])
        if len(tries) < 3:
            route.abort()
        else:
            route.continue_()

    page.route("**/day", lost)
    board.refusing = 503
    board.hang_up()
    page.get_by_role("button", name="Play the day’s hand offline").click(timeout=MINUTE)
    for key in "1*2*3*4":
        page.keyboard.press(key)
    board.refusing = None
    told(page, "Solved offline: no points, but well done.")
    assert len(tries) == 3
    assert len(set(tries)) == len(board.days) == 1


def test_a_name_is_never_read_as_html(board: Fake, sit: Open) -> None:
    board.people = [{"name": "<img src=x onerror=alert(1)>", "points": 1, "in": True, "done": "solved it"}]
    page = sit()
    assert page.locator("#about img").count() == 0
    assert page.get_by_text("<img src=x").is_visible()


def test_a_card_that_fills_ends(board: Fake, sit: Open) -> None:
    board.round = contest()
    page = sit()
    board.lay({**contest(), "state": "over"}, lines=["You 200, best 231."])
    page.get_by_role("heading", name="The game is over.").wait_for(timeout=MINUTE)
    assert page.get_by_text("You 200, best 231.").is_visible()


def test_another_link_in_the_same_tab_opens_another_board(board: Fake, sit: Open) -> None:
    page = sit("Ann")
    page.locator(".person.you", has_text="Ann").wait_for()
    page.keyboard.press("3")
    page.evaluate("link => (location.href = link)", board.link("Bob"))
    page.locator(".person.you", has_text="Bob").wait_for()
    assert page.evaluate("location.hash") == ""
    assert page.locator(".tile[aria-pressed=true]").count() == 0


def test_a_good_link_after_a_bad_one_opens_the_board(board: Fake, sit: Open) -> None:
    page = sit(link=f"{board.base}#key=forged")
    page.get_by_role("heading", name="This board can’t be opened.").wait_for()
    page.evaluate("link => (location.href = link)", board.link("Bob"))
    page.locator(".person.you", has_text="Bob").wait_for()
