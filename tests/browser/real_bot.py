"""A real process of the bot between the fake Telegram and a browser; all its answers to pages are kept.

Pages are opened as by Telegram, with initData behind the address's `#` and a stub of Telegram's script, or by
the key that the terminal prints.
"""

import asyncio
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import aiohttp

import solver
from tests.bot.board.signing import make_init_data
from tests.browser.telegram_stub import SCRIPT, STUB
from tests.faults.conftest import Process
from tests.telegram import Chat, Message, User, World

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, Response, Route

WAIT = 30_000  # Milliseconds
# Keeps the answers to the page's requests; Playwright would return streams only after their end.
KEEP_ANSWERS = """
const asked = window.fetch;
window.streamed = [];
window.fetch = async (...given) => {
  const answer = await asked(...given);
  if (answer.body && !String(answer.type).startsWith("opaque")) read(answer.clone().body.getReader());
  return answer;
};
async function read(reader) {
  const decoder = new TextDecoder();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      window.streamed.push(decoder.decode(part.value, { stream: true }));
    }
  } catch {}
}
"""
EXPRESSION = re.compile(r"[\d(][\d()+\-*/ ]*[-+*/][\d()+\-*/ ]*[\d)]")
NUMBERS = count(1)


def find_solutions(texts: Iterable[str], numbers: list[int], target: int) -> list[str]:
    """Return the solutions in texts: known ones, and any expression with the target as its value."""
    known = {str(each) for each in solver.solve(numbers, target)}
    found = []
    for text in texts:
        plain = text.replace("×", "*").replace("÷", "/").replace("−", "-")
        found += [each for each in known if each in plain.replace(" ", "")]
        found += [each for each in EXPRESSION.findall(plain) if _makes_target(each, target)]
    return found


def _makes_target(text: str, target: int) -> bool:
    try:
        return solver.parse(text).value == Fraction(target)
    except (ValueError, ZeroDivisionError):
        return False


@dataclass
class BrowserBot:
    """The bot on loopback, and the pages of its players."""

    world: World
    process: Process
    browser: "Browser"
    http: aiohttp.ClientSession
    root: str
    answers: list[str] = field(default_factory=list)  # The answers to all clients
    errors: list[str] = field(default_factory=list)  # Errors of all pages
    _pages: list["Page"] = field(default_factory=list)
    _reading: set[asyncio.Task[None]] = field(default_factory=set)

    async def start(self) -> None:
        """Start the bot, also again after a kill."""
        self.process.start()
        await self.process.wait_for_log_count("is ready", self.process.starts)

    async def deal_hand(self, user: User, *numbers: int) -> Message:
        """Deal a hand of these numbers in private."""
        self.world.say(user, user, " ".join(map(str, numbers)))
        offered = await self.world.next_post(user, "→ 24")
        self.world.press(user, offered, "Play it")
        return await self.world.next_post(user, "Use each number once")

    def make_init_data(self, user: User, start: str = "") -> str:
        """Return valid initData, different each time."""
        known = {"id": user.id, "first_name": user.first_name, "language_code": user.language_code or "en"}
        more = {"chat_instance": str(next(NUMBERS))} | ({"start_param": start} if start else {})
        return make_init_data(self.world.token, time.time(), known, **more)

    def make_link(self, user: User, start: str = "") -> str:
        """Return the page's address as Telegram opens it."""
        data = quote(self.make_init_data(user, start), safe="")
        return f"{self.root}/#tgWebAppData={data}&tgWebAppVersion=8.0&tgWebAppPlatform=ios"

    async def open_page(
        self, user: User, start: str = "", *, size: tuple[int, int] = (320, 568), **more: Any
    ) -> "Page":
        """Open a person's page, by default of a phone's size."""
        return await self.open_link(self.make_link(user, start), size=size, **more)

    async def open_link(
        self, link: str, *, size: tuple[int, int] = (320, 568), telegram: bool = True, **more: Any
    ) -> "Page":
        """Open a page in a context of its own; without `telegram` Telegram's script is not loaded."""
        given = {"viewport": {"width": size[0], "height": size[1]}, "reduced_motion": "reduce"}
        context = await self.browser.new_context(**{**given, "has_touch": size[0] < 600, **more})
        await context.add_init_script(KEEP_ANSWERS)
        await context.route(SCRIPT, _serve_stub if telegram else _abort)
        page = await context.new_page()
        page.on("response", self._read_later)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._collect_error)
        self._pages.append(page)
        await page.goto(link)
        await page.wait_for_selector("#play:not([aria-busy])", timeout=WAIT)
        return page

    def _collect_error(self, message: Any) -> None:
        if "Content Security" in message.text:
            self.errors.append(message.text)

    def _read_later(self, answer: "Response") -> None:
        if answer.url.startswith("http://127.0.0.1") and not answer.url.endswith(("/events", ".png")):
            task = asyncio.ensure_future(self._store_answer(answer))
            self._reading.add(task)
            task.add_done_callback(self._reading.discard)

    async def _store_answer(self, answer: "Response") -> None:
        with suppress(Exception):  # the bodies are gone once the page is left
            self.answers.append(await answer.text())

    async def read_answers(self) -> list[str]:
        """Return all answers until now; those of an open page are one text."""
        await asyncio.gather(*self._reading, return_exceptions=True)
        pages = [page for page in self._pages if not page.is_closed()]
        streamed = [await page.evaluate("window.streamed.join('')") for page in pages]
        return self.answers + streamed

    async def forget_answers(self) -> None:
        """Forget all answers until now."""
        await self.read_answers()
        self.answers.clear()
        for page in self._pages:
            await page.evaluate("window.streamed.length = 0")

    async def open_session(self, user: User, start: str = "") -> str:
        """Open a session of an HTTP client for this person; its answers are kept too."""
        body = {"init_data": self.make_init_data(user), "start": start}
        async with self.http.post(f"{self.root}/open", json=body) as answer:
            assert answer.status == 200
            self.answers.append(await answer.text())
            return str((await answer.json())["session"])

    async def read_state(self, session: str) -> dict[str, Any]:
        known = {"Authorization": f"Bearer {session}"}
        async with self.http.get(f"{self.root}/state", headers=known) as answer:
            assert answer.status == 200
            self.answers.append(await answer.text())
            found: dict[str, Any] = await answer.json()
            return found

    def make_group(self, *people: User) -> Chat:
        return self.world.group("Maths club", *people)

    async def send_command(self, chat: Chat, user: User, command: str, shows: str) -> tuple[Message, str]:
        """Send a command to a group; return the bot's post and the start parameter of its board button."""
        self.world.say(user, chat, f"/{command}@{self.world.bot.username}")
        post = await self.world.next_post(chat, shows)
        (url,) = [str(each["url"]) for each in post.buttons if "startapp=" in each.get("url", "")]
        return post, url.partition("startapp=")[2]

    async def close(self) -> None:
        """Close all pages; AssertionError if an error occurred in one."""
        for page in self._pages:
            await page.context.close()
        assert self.errors == []


async def _serve_stub(route: "Route") -> None:
    await route.fulfill(body=STUB, content_type="text/javascript")


async def _abort(route: "Route") -> None:
    await route.abort()


async def wait_for_heading(page: "Page", name: str) -> None:
    """Wait until the page shows a heading."""
    await page.get_by_role("heading", name=name).wait_for(timeout=WAIT)


async def wait_for_status(page: "Page", text: str) -> None:
    """Wait until a live region contains the text."""
    status = page.get_by_role("status").filter(has_text=text).first
    await status.wait_for(timeout=WAIT, state="attached")
