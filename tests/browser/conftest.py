"""What is needed for a browser, and a table at which its pages sit.

`board` is the one place that says what serves the page: here a fake that keeps to the contract.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.faked import Fake, Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
AXE = Path(os.environ.get("AXE", Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"))
"""axe-core's script: `npm ci --prefix tests/browser` puts it there."""
PHONE, DESK = (320, 568), (1440, 900)
Open = Callable[..., "Page"]


def until(page: "Page", holds: str) -> None:
    """Waits for a condition in JavaScript, which the page's own policy would not let Playwright poll."""
    while not page.evaluate(holds):
        page.wait_for_timeout(20)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All that needs a browser is marked so."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """One browser for all tests; each page has a context of its own."""
    driver = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: no browser is tried"
    )
    if CHROMIUM is None:
        pytest.skip("chromium is not installed: no browser is tried")
    with driver.sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-background-networking"]
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield started
        started.close()


@pytest.fixture
def board() -> Iterator[Fake]:
    """A table with a hand on it; `link()` is an address at which somebody sits down."""
    with Served(Fake()) as fake:
        fake.people = [
            {"name": "Ann", "points": 3, "in": True},
            {"name": "Bob", "points": None, "in": False},
        ]
        yield fake


@pytest.fixture
def sit(browser: "Browser", board: Fake) -> Iterator[Open]:
    """Opens a page at the board: a phone's, unless another size is asked for. Nothing may go wrong in it."""
    contexts: list[Any] = []
    wrong: list[str] = []

    def opened(
        name: str = "Ann", size: tuple[int, int] = PHONE, link: str | None = None, **more: Any
    ) -> "Page":
        width, height = size
        touch = {"has_touch": width < 600, "reduced_motion": "reduce"}
        context = browser.new_context(viewport={"width": width, "height": height}, **{**touch, **more})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if "Content Security" in said.text else None)
        page.goto(link or board.link(name))
        page.wait_for_selector("#play:not([aria-busy])")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []
