"""A browser and two services for its pages: `board` is a fake service, `bot` a real process."""

import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
import pytest_asyncio

from tests.browser.fake_service import FakeService, ServiceThread
from tests.browser.real_bot import BrowserBot
from tests.faults.conftest import BotFactory, database, free_port, make_bot
from tests.telegram import BotApi, World

if TYPE_CHECKING:
    from playwright.async_api import Browser as AsyncBrowser
    from playwright.sync_api import Browser, Page

__all__ = ["database", "free_port", "make_bot"]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
CARRIES_AXE = find_spec("axe_playwright_python")
# axe-core's script from a Python package, so that npm is not needed.
AXE = Path(str(CARRIES_AXE and CARRIES_AXE.origin)).parent / "axe.min.js"
ARGUMENTS = ["--no-sandbox", "--disable-background-networking"]
PHONE, DESK = (320, 568), (1440, 900)
OpenPage = Callable[..., "Page"]


def wait_for_condition(page: "Page", condition: str) -> None:
    """Wait for a condition in JavaScript; the page's security policy forbids Playwright's own wait."""
    while not page.evaluate(condition):
        page.wait_for_timeout(20)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this folder with `browser`."""
    here = str(Path(__file__).parent)
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.browser)


def _import_driver(kind: str) -> Any:
    """Return Playwright's `sync` or `async` API; skip the test without Playwright or Chromium."""
    driver = pytest.importorskip(
        f"playwright.{kind}_api", reason="playwright is not installed: no browser is tried"
    )
    if CHROMIUM is None:
        pytest.skip("chromium is not installed: no browser is tried")
    return driver


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Start one browser for the tests of a file; each page has its own context."""
    with _import_driver("sync").sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def chromium() -> AsyncIterator["AsyncBrowser"]:
    """Start one browser for a file's async tests, which share the event loop with the fake Telegram."""
    async with _import_driver("async").async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        await started.close()


@pytest_asyncio.fixture(loop_scope="module")
async def bot(chromium: "AsyncBrowser", make_bot: BotFactory, free_port: int) -> AsyncIterator[BrowserBot]:
    """Start a bot with its board."""
    world, root = World(), f"http://127.0.0.1:{free_port}/board"
    async with BotApi(world) as api, aiohttp.ClientSession() as http:
        process = make_bot(world, api.url, WEB_URL=root, WEB_LISTEN=f"127.0.0.1:{free_port}")
        served = BrowserBot(world, process, chromium, http, root)
        await served.start()
        yield served
        await served.close()
        process.stop()
    assert not world.violations


@pytest.fixture
def board() -> Iterator[FakeService]:
    """Start a fake service with a hand on the table."""
    with ServiceThread(FakeService()) as fake:
        fake.people = [
            {"name": "Ann", "points": 3, "status": "done", "activity": "solved it"},
            {"name": "Bob", "points": None, "status": "tried", "activity": "tried"},
            {"name": "Cem", "points": None, "status": "thinking", "activity": "thinking"},
        ]
        yield fake


@pytest.fixture
def open_page(browser: "Browser", board: FakeService) -> Iterator[OpenPage]:
    """Return a function that opens a page of the board, by default of a phone's size.

    `script` runs before the page's own scripts. An error in the page fails the test, unless `fails` is true.
    """
    contexts: list[Any] = []
    wrong: list[str] = []

    def open_at(
        name: str = "Ann",
        size: tuple[int, int] = PHONE,
        link: str | None = None,
        script: str = "",
        fails: bool = False,
        **more: Any,
    ) -> "Page":
        width, height = size
        touch = {"has_touch": width < 600, "reduced_motion": "reduce"}
        context = browser.new_context(viewport={"width": width, "height": height}, **{**touch, **more})
        contexts.append(context)
        context.add_init_script(script)
        page = context.new_page()
        page.on("pageerror", lambda error: None if fails else wrong.append(str(error)))
        page.on("console", lambda line: wrong.append(line.text) if "Content Security" in line.text else None)
        page.goto(link or board.make_link(name))
        page.wait_for_selector("#play:not([aria-busy])")
        return page

    yield open_at
    for context in contexts:
        context.close()
    assert wrong == []
