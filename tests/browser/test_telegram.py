"""The page within Telegram, whose script is a stub that records calls."""

from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tests.browser.conftest import OpenPage, wait_for_condition
from tests.browser.fake_service import FakeService, make_twentyfour
from tests.browser.telegram_stub import SCRIPT, STUB
from tests.browser.test_playing import MINUTE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

DATA = "user=%7B%22id%22%3A7%7D&start_param=g7&auth_date=1&hash=ab12cd34"


def make_telegram_link(board: FakeService) -> str:
    """Return an address as Telegram opens it."""
    return f"{board.base}#tgWebAppData={quote(DATA)}&tgWebAppVersion=8.0&tgWebAppPlatform=ios"


def read_calls(page: "Page") -> list[str]:
    """Return the calls of Telegram's script."""
    found: list[Any] = page.evaluate("window.called")
    return [str(each) for each in found]


def open_in_telegram(board: FakeService, browser: "Browser", script: str | None = STUB) -> "Page":
    """Open a page in Telegram; with `script` None the script can't be loaded."""
    context = browser.new_context(
        viewport={"width": 360, "height": 640}, has_touch=True, reduced_motion="reduce"
    )
    page = context.new_page()
    if script is None:
        page.route(SCRIPT, lambda route: route.abort())
    else:
        page.route(SCRIPT, lambda route: route.fulfill(body=script, content_type="text/javascript"))
    page.goto(make_telegram_link(board))
    page.wait_for_selector("#play:not([aria-busy])")
    return page


def test_page_uses_telegram_during_a_hand(board: FakeService, browser: "Browser") -> None:
    page = open_in_telegram(board, browser)
    assert {"ready", "expand", "no swipes"} <= set(read_calls(page))
    assert "tgWebAppData" not in page.url
    assert page.evaluate("document.documentElement.dataset.scheme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(35, 46, 60)"
    assert page.evaluate("getComputedStyle(document.body).paddingTop") == "38px"
    for key in "8/3":
        page.keyboard.press(key)
    assert {"back", "confirm", "impact light"} <= set(read_calls(page))
    for _ in "12":
        page.evaluate("window.back()")
    assert read_calls(page)[-2:] == ["no back", "do not confirm"]
    for key in "8/33-8/38/1":
        page.keyboard.press(key)
    page.get_by_role("heading", name="You won!").wait_for(timeout=MINUTE)
    assert "haptic success" in read_calls(page)
    page.get_by_role("button", name="Share the result").tap()
    wait_for_condition(page, "window.called.includes('share prepared-1')")
    page.context.close()


def test_opening_with_a_lost_answer_is_repeated(board: FakeService, browser: "Browser") -> None:
    sent: list[str] = []

    def requested(route: "Route") -> None:
        sent.append((route.request.post_data_json or {})["page"])
        if len(sent) < 3:
            if len(sent) == 1:
                route.fetch()  # the service answers, but the page gets no answer
            route.abort()
        else:
            route.continue_()

    context = browser.new_context()
    page = context.new_page()
    page.route("**/open", requested)
    page.goto(make_telegram_link(board))
    page.get_by_role("button", name="plus").wait_for(timeout=MINUTE)
    assert [sha256(each.encode()).hexdigest() for each in sent[1:]] == sent[:2]
    context.close()


def test_reload_keeps_telegrams_look(board: FakeService, browser: "Browser") -> None:
    page = open_in_telegram(board, browser)
    page.reload()
    page.wait_for_selector("#play:not([aria-busy])")
    assert page.evaluate("document.documentElement.dataset.telegram") == ""
    page.context.close()


def test_hand_can_be_played_without_telegrams_script(board: FakeService, browser: "Browser") -> None:
    page = open_in_telegram(board, browser, script=None)
    assert page.get_by_role("button", name="plus").is_visible()
    page.context.close()


def test_telegrams_script_is_loaded_in_telegram_only(board: FakeService, open_page: OpenPage) -> None:
    page = open_page()
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    board.set_round(make_twentyfour(2))
    page.reload()
    page.wait_for_selector("#play:not([aria-busy])")
    assert requested
    assert [url for url in requested if not url.startswith(board.base)] == []
