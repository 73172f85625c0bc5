"""Several pages at one table, lost connections, ended sessions and bad links."""

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from bot import i18n
from bot.board import static_files
from tests.browser.conftest import PHONE, OpenPage, wait_for_condition
from tests.browser.fake_service import FakeService, make_contest, make_countdown, make_twentyfour
from tests.browser.test_playing import MINUTE, list_sent_answers, wait_for_status

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

LINE = 22  # CSS pixels
SOLUTION = "8/33-8/38/1"
DAY = {
    "day": f"{datetime.now(UTC):%Y-%m-%d}",
    "numbers": ["1", "2", "3", "4"],
    "labels": ["1", "2", "3", "4"],
    "target": "24",
}


def test_two_pages_race_and_one_watches(board: FakeService, open_page: OpenPage) -> None:
    ann, bob = open_page("Ann"), open_page("Bob")
    ann.get_by_role("button", name="Link for spectators").tap()
    link = ann.get_by_role("link").inner_text()
    watching = open_page(link=link)
    assert watching.get_by_role("button").count() == 0
    assert watching.get_by_role("list", name="Numbers").inner_text().split() == ["3", "8", "3", "8"]
    for key in "8/3":
        ann.keyboard.press(key)
    for key in SOLUTION:
        bob.keyboard.press(key)
    for page in (ann, watching):
        page.get_by_role("heading", name="\u2068Bob\u2069 won.").wait_for(timeout=MINUTE)
        wait_for_status(page, "\u2068Bob\u2069 won. 8÷(3−8÷3) = 24")
    assert watching.get_by_text("You are watching. The link ends here.").is_visible()
    assert ann.get_by_text("You are watching.").count() == 0
    bob.get_by_role("heading", name="You won!").wait_for(timeout=MINUTE)
    assert watching.get_by_role("button").count() == 0


def test_values_of_letter_cards_are_shown_when_watching(board: FakeService, open_page: OpenPage) -> None:
    dealt = make_twentyfour(numbers=["12", "1", "9", "9"], labels=["Q", "A", "9", "9"])
    board.round = dealt
    page = open_page()
    page.get_by_role("button", name="Link for spectators").tap()
    watching = open_page(link=page.get_by_role("link").inner_text())
    numbers = watching.get_by_role("list", name="Numbers")
    assert numbers.inner_text().split() == ["Q", "12", "A", "1", "9", "9"]
    assert watching.locator("html[data-watch]").count() == 1
    board.set_round({**dealt, "state": "over"})
    for each in (page, watching):
        each.get_by_role("heading", name="The hand is over.").wait_for(timeout=MINUTE)
        read = each.get_by_role("list", name="Numbers")
        assert read.inner_text().split() == ["Q", "12", "A", "1", "9", "9"]
    board.set_round({**dealt, "id": 2})
    wait_for_status(page, "Make 24: Q, 12; A, 1; 9; 9")


def test_win_in_the_chat_ends_the_hand_on_the_page(board: FakeService, open_page: OpenPage) -> None:
    page = open_page()
    board.round, board.winner = make_twentyfour(state="over"), {"name": "Cleo", "answer": "8/(3-8/3)"}
    board.send_state()
    page.get_by_role("heading", name="\u2068Cleo\u2069 won.").wait_for(timeout=MINUTE)
    board.set_round(make_twentyfour(2))
    wait_for_status(page, "Make 24: 3; 8; 3; 8")
    page.get_by_role("button", name="plus").wait_for(timeout=MINUTE)


def test_restart_keeps_the_tiles_and_the_answer(board: FakeService, open_page: OpenPage) -> None:
    page = open_page()
    for key in "8/3":
        page.keyboard.press(key)
    board.refusing = 503
    board.close_streams()
    wait_for_status(page, "No connection. Trying again …")
    for key in "3-8/38/1":
        page.keyboard.press(key)
    wait_for_status(page, "Kept, and sent as soon as there is a connection.")
    board.refusing = None
    page.get_by_role("heading", name="You won!").wait_for(timeout=MINUTE)
    wait_for_status(page, "Connected again.")
    assert list_sent_answers(board) == ["8/(3-8/3)"]


def test_lost_connection_does_not_move_the_tiles(board: FakeService, open_page: OpenPage) -> None:
    board.title, board.round = "Terminal", make_countdown(seconds=600)
    page = open_page()
    page.locator("#clock").wait_for()
    tiles = "document.querySelector('.tiles').getBoundingClientRect().top + scrollY"
    before = page.evaluate(tiles)
    board.refusing = 503
    board.close_streams()
    wait_for_status(page, "No connection. Trying again …")
    assert page.evaluate(tiles) == before
    page.get_by_role("button", name="Hint").tap()
    wait_for_status(page, "Kept, and sent as soon as there is a connection.")
    assert page.evaluate(tiles) == before


def test_shortened_time_is_explained_in_view(board: FakeService, open_page: OpenPage) -> None:
    board.round = make_countdown(seconds=55)
    page = open_page()
    page.get_by_role("button", name="Link for spectators").tap()
    watching = open_page(link=page.get_by_role("link").inner_text())
    page.evaluate("scrollTo(0, 0)")
    hurry = "⏳ Somebody has it: five more seconds for all."
    board.set_round({**make_countdown(seconds=5), "hurry": hurry})
    for each in (page, watching):
        wait_for_status(each, hurry)
        seen = each.locator("#message").bounding_box()
        assert seen
        assert seen["y"] + LINE <= PHONE[1], "visible, in the place of verdicts"
        wait_for_condition(each, "document.querySelector('#clock').textContent <= '0:03'")
        assert "seconds left" not in each.locator("#announcement").inner_text()


def test_reload_keeps_person_and_tiles(board: FakeService, open_page: OpenPage) -> None:
    page = open_page()
    assert "#" not in page.url
    for key in "8/3":
        page.keyboard.press(key)
    page.reload()
    page.get_by_role("button", name="8 over 3").wait_for(timeout=MINUTE)


def test_ended_session_is_explained(board: FakeService, open_page: OpenPage) -> None:
    page = open_page()
    board.expired = True
    board.close_streams()
    page.get_by_role("heading", name="This board was closed a while ago.").wait_for(timeout=MINUTE)
    way = "Type /board in the terminal, and open the link that it shows."
    assert page.get_by_text(way, exact=True).is_visible()


def test_refused_link_is_explained(board: FakeService, open_page: OpenPage) -> None:
    page = open_page(link=f"{board.base}#key=forged")
    page.get_by_role("heading", name="This board can’t be opened.").wait_for(timeout=MINUTE)
    assert "#" not in page.url


def test_address_without_a_key_is_explained(board: FakeService, open_page: OpenPage) -> None:
    page = open_page(link=board.base)
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
def test_refusal_is_in_the_browsers_language(
    board: FakeService, open_page: OpenPage, locale: str, language: str, fragment: str, title: str
) -> None:
    board.slow = 0.5
    page = open_page(link=f"{board.base}{fragment}", locale=locale)
    translated = static_files.translate_sentences(i18n.get_words(language))[title]
    page.get_by_role("heading", name=translated).wait_for(timeout=MINUTE)
    wait_for_status(page, translated)
    assert title not in page.locator("body").inner_text()


@pytest.mark.parametrize("suffix", [".", ").", "%20", "。", "…"])
def test_characters_after_a_link_are_ignored(board: FakeService, open_page: OpenPage, suffix: str) -> None:
    page = open_page(link=f"{board.make_link('Ann')}{suffix}")
    page.get_by_role("button", name="plus").wait_for(timeout=MINUTE)
    (opened,) = board.opened
    assert re.fullmatch(r"[\w-]+", opened)


def test_cut_link_is_explained(board: FakeService, open_page: OpenPage) -> None:
    page = open_page(link=f"{board.base}#key=unknown")
    page.get_by_role("heading", name="This link opens no board.").wait_for(timeout=MINUTE)
    way = "Copy all of it, or type /board in the terminal for another."
    assert page.locator("#board").get_by_text(way).is_visible()
    assert "#" not in page.url


def open_two_pages_with_the_days_hand(board: FakeService, open_page: OpenPage) -> tuple["Page", "Page"]:
    """Open two pages of one person who has begun the day's hand."""
    board.round, board.kind, board.day = None, "private", {**DAY, "is_done": False}
    first = open_page()
    second = first.context.new_page()
    second.goto(board.make_link())
    for page in (first, second):
        wait_for_status(page, "Your time runs.")
    return first, second


def test_one_of_two_pages_sends_the_offline_answer(board: FakeService, open_page: OpenPage) -> None:
    first, second = open_two_pages_with_the_days_hand(board, open_page)
    board.refusing = 503
    board.close_streams()
    for page in (first, second):
        page.get_by_text("The day’s hand, offline").wait_for(timeout=MINUTE)
    for key in "1*2*3*4":
        first.keyboard.press(key)
    wait_for_status(first, "Solved offline: it gives no points")
    second.get_by_role("heading", name="Solved!").wait_for(timeout=MINUTE)
    board.refusing = None
    wait_for_status(first, "Solved offline: no points, but well done.")
    wait_for_status(second, "Solved offline: no points, but well done.")
    assert len(board.days) == 1


def test_offline_answer_of_a_closed_page_is_sent_by_another(board: FakeService, open_page: OpenPage) -> None:
    first, second = open_two_pages_with_the_days_hand(board, open_page)
    board.refusing = 503
    board.close_streams()
    first.get_by_text("The day’s hand, offline").wait_for(timeout=MINUTE)
    for key in "1*2*3*4":
        first.keyboard.press(key)
    second.get_by_role("heading", name="Solved!").wait_for(timeout=MINUTE)
    first.close()
    board.refusing = None
    wait_for_status(second, "Solved offline: no points, but well done.")
    assert len(board.days) == 1


def test_days_hand_is_solved_offline_and_sent_later(board: FakeService, open_page: OpenPage) -> None:
    board.day = {**DAY, "is_done": False}
    page = open_page()
    page.evaluate("navigator.serviceWorker.ready")
    wait_for_condition(page, "caches.keys().then((names) => names.length > 0)")
    page.context.set_offline(True)
    page.reload()
    page.get_by_text("The day’s hand, offline").wait_for(timeout=MINUTE)
    for key in "1*2*3*4":
        page.keyboard.press(key)
    wait_for_status(page, "Solved offline: it gives no points")
    assert board.days == []
    page.reload()
    page.get_by_role("heading", name="Solved!").wait_for(timeout=MINUTE)
    wait_for_status(page, "is sent once you are connected.")
    page.context.set_offline(False)
    wait_for_status(page, "Solved offline: no points, but well done.")
    (sent,) = board.days
    assert sent["answer"] == "1*2*3*4"
    assert sent["day"] == DAY["day"]
    assert re.fullmatch(r"[\w-]{22}", sent["id"])
    page.get_by_role("heading", name="Make 24").wait_for(timeout=MINUTE)


def test_lost_offline_answer_is_sent_again_with_the_same_id(board: FakeService, open_page: OpenPage) -> None:
    board.day = {**DAY, "is_done": False}
    page = open_page()
    tries: list[str] = []

    def lose_twice(route: "Route") -> None:
        tries.append((route.request.post_data_json or {})["id"])
        if len(tries) < 3:
            route.abort()
        else:
            route.continue_()

    page.route("**/day", lose_twice)
    board.refusing = 503
    board.close_streams()
    page.get_by_role("button", name="The day’s hand").click(timeout=MINUTE)
    page.get_by_text("The day’s hand, offline").wait_for(timeout=MINUTE)
    for key in "1*2*3*4":
        page.keyboard.press(key)
    board.refusing = None
    wait_for_status(page, "Solved offline: no points, but well done.")
    assert len(tries) == 3
    assert len(set(tries)) == len(board.days) == 1


def test_name_is_never_read_as_html(board: FakeService, open_page: OpenPage) -> None:
    board.people = [{"name": "<img src=x onerror=alert(1)>", "points": 1, "status": "", "activity": ""}]
    page = open_page()
    assert page.locator("#sidebar img").count() == 0
    assert page.get_by_text("<img src=x").is_visible()


def test_full_yahtzee_card_shows_the_result(board: FakeService, open_page: OpenPage) -> None:
    board.round = make_contest()
    page = open_page()
    board.set_round({**make_contest(), "state": "over"})
    page.get_by_role("heading", name="The game is over.").wait_for(timeout=MINUTE)


def test_another_link_in_the_same_tab_opens_its_board(board: FakeService, open_page: OpenPage) -> None:
    page = open_page("Ann")
    page.locator(".person.you", has_text="Ann").wait_for()
    page.keyboard.press("3")
    page.evaluate("link => (location.href = link)", board.make_link("Bob"))
    page.locator(".person.you", has_text="Bob").wait_for()
    assert page.evaluate("location.hash") == ""
    assert page.locator(".tile[aria-pressed=true]").count() == 0


def test_good_link_after_a_bad_one_opens_the_board(board: FakeService, open_page: OpenPage) -> None:
    page = open_page(link=f"{board.base}#key=forged")
    page.get_by_role("heading", name="This board can’t be opened.").wait_for()
    page.evaluate("link => (location.href = link)", board.make_link("Bob"))
    page.locator(".person.you", has_text="Bob").wait_for()
