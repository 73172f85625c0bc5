"""What is needed for a browser, and a table at which its pages sit.

`board` is the one place that says what serves the page: here a fake that keeps to the contract.
"""

import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
import pytest_asyncio

from tests.browser.fake_service import Fake, Served
from tests.browser.real_bot import Alive
from tests.faults.conftest import BotFactory, database, free_port, make_bot
from tests.telegram import BotApi, World

if TYPE_CHECKING:
    from playwright.async_api import Browser as AsyncBrowser
    from playwright.sync_api import Browser, Page

__all__ = ["database", "free_port", "make_bot"]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
CARRIES_AXE = find_spec("axe_playwright_python")
# axe-core's script, in a package of Python's: so nothing of npm is needed.
AXE = Path(str(CARRIES_AXE and CARRIES_AXE.origin)).parent / "axe.min.js"
ARGUMENTS = ["--no-sandbox", "--disable-background-networking"]
PHONE, DESK = (320, 568), (1440, 900)
Open = Callable[..., "Page"]


def until(page: "Page", holds: str) -> None:
    """Waits for a condition in JavaScript, which the page's own policy would not let Playwright poll."""
    while not page.evaluate(holds):
        page.wait_for_timeout(20)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All that needs a browser is marked so."""
    here = str(Path(__file__).parent)
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.browser)


def _driver(kind: str) -> Any:
    """Playwright, where there is a browser to drive; else the test is skipped."""
    driver = pytest.importorskip(
        f"playwright.{kind}_api", reason="playwright is not installed: no browser is tried"
    )
    if CHROMIUM is None:
        pytest.skip("chromium is not installed: no browser is tried")
    return driver


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """One browser for the tests of a file, which leaves no event loop behind; each page has its context."""
    with _driver("sync").sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def chromium() -> AsyncIterator["AsyncBrowser"]:
    """The same, driven from an event loop in which a Telegram runs beside it."""
    async with _driver("async").async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        await started.close()


@pytest_asyncio.fixture(loop_scope="module")
async def alive(chromium: "AsyncBrowser", make_bot: BotFactory, free_port: int) -> AsyncIterator[Alive]:
    """A bot that runs, with its board."""
    world, root = World(), f"http://127.0.0.1:{free_port}/board"
    async with BotApi(world) as api, aiohttp.ClientSession() as http:
        process = make_bot(world, api.url, WEB_URL=root, WEB_LISTEN=f"127.0.0.1:{free_port}")
        served = Alive(world, process, chromium, http, root)
        await served.start()
        yield served
        await served.close()
        process.stop()
    assert not world.violations


@pytest.fixture
def board() -> Iterator[Fake]:
    """A table with a hand on it; `link()` is an address at which somebody sits down."""
    with Served(Fake()) as fake:
        fake.people = [
            {"name": "Ann", "points": 3, "in": True, "done": "solved it"},
            {"name": "Bob", "points": None, "in": False, "done": ""},
        ]
        yield fake


@pytest.fixture
def sit(browser: "Browser", board: Fake) -> Iterator[Open]:
    """Opens a page at the board: a phone's, unless another size is asked for. Nothing may go wrong in it,
    unless it `fails`. `script` runs in it before its own.
    """
    contexts: list[Any] = []
    wrong: list[str] = []

    def opened(
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
        page.on("console", lambda said: wrong.append(said.text) if "Content Security" in said.text else None)
        page.goto(link or board.link(name))
        page.wait_for_selector("#play:not([aria-busy])")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []
