"""The page within Telegram: its script is a stub here that writes down what it is asked for."""

from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tests.browser.conftest import Open, until
from tests.browser.fake_service import Fake, twentyfour
from tests.browser.telegram_stub import SCRIPT, STUB
from tests.browser.test_playing import MINUTE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

DATA = "user=%7B%22id%22%3A7%7D&start_param=g7&auth_date=1&hash=ab12cd34"


def link(board: Fake) -> str:
    """An address as Telegram opens it."""
    return f"{board.base}#tgWebAppData={quote(DATA)}&tgWebAppVersion=8.0&tgWebAppPlatform=ios"


def called(page: "Page") -> list[str]:
    """What Telegram was asked for."""
    found: list[Any] = page.evaluate("window.called")
    return [str(each) for each in found]


def opened(board: Fake, browser: "Browser", script: str | None = STUB) -> "Page":
    """A page in Telegram; without a script, its host can't be reached."""
    context = browser.new_context(
        viewport={"width": 360, "height": 640}, has_touch=True, reduced_motion="reduce"
    )
    page = context.new_page()
    if script is None:
        page.route(SCRIPT, lambda route: route.abort())
    else:
        page.route(SCRIPT, lambda route: route.fulfill(body=script, content_type="text/javascript"))
    page.goto(link(board))
    page.wait_for_selector("#play:not([aria-busy])")
    return page


def test_telegram_around_a_hand(board: Fake, browser: "Browser") -> None:
    page = opened(board, browser)
    assert {"ready", "expand", "no swipes"} <= set(called(page))
    assert "tgWebAppData" not in page.url
    assert page.evaluate("document.documentElement.dataset.scheme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(35, 46, 60)"
    assert page.evaluate("getComputedStyle(document.body).paddingTop") == "38px"
    for key in "8/3":
        page.keyboard.press(key)
    assert {"back", "confirm", "impact light"} <= set(called(page))
    for _ in "12":
        page.evaluate("window.back()")
    assert called(page)[-2:] == ["no back", "do not confirm"]
    for key in "8/33-8/38/1":
        page.keyboard.press(key)
    page.get_by_role("heading", name="You won!").wait_for(timeout=MINUTE)
    assert "haptic success" in called(page)
    page.get_by_role("button", name="Share the result").tap()
    until(page, "window.called.includes('share prepared-1')")
    page.context.close()


def test_an_opening_whose_answer_is_lost_is_asked_for_again_by_the_same_page(
    board: Fake, browser: "Browser"
) -> None:
    sent: list[str] = []

    def asked(route: "Route") -> None:
        sent.append((route.request.post_data_json or {})["page"])
        if len(sent) < 3:
            if len(sent) == 1:
                route.fetch()  # the service answers, and the page does not hear it
            route.abort()
        else:
            route.continue_()

    context = browser.new_context()
    page = context.new_page()
    page.route("**/open", asked)
    page.goto(link(board))
    page.get_by_role("button", name="plus").wait_for(timeout=MINUTE)
    assert [sha256(each.encode()).hexdigest() for each in sent[1:]] == sent[:2]
    context.close()


def test_a_reload_keeps_telegrams_look(board: Fake, browser: "Browser") -> None:
    page = opened(board, browser)
    page.reload()
    page.wait_for_selector("#play:not([aria-busy])")
    assert page.evaluate("document.documentElement.dataset.telegram") == ""
    page.context.close()


def test_without_telegrams_script_the_hand_is_played_all_the_same(board: Fake, browser: "Browser") -> None:
    page = opened(board, browser, script=None)
    assert page.get_by_role("button", name="plus").is_visible()
    page.context.close()


def test_the_script_is_asked_for_in_telegram_alone(board: Fake, sit: Open) -> None:
    page = sit()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    board.lay(twentyfour(2))
    page.reload()
    page.wait_for_selector("#play:not([aria-busy])")
    assert asked
    assert [url for url in asked if not url.startswith(board.base)] == []
