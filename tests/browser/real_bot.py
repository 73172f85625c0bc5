"""A real process of the bot with a small Telegram and a browser around it, all of whose answers are kept.

Pages are opened as Telegram opens them: by initData behind the address's `#`, with Telegram's own script
stubbed; or by the key that the terminal prints.
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
from tests.bot.board.signing import init_data
from tests.browser.telegram_stub import SCRIPT, STUB
from tests.faults.conftest import Process
from tests.telegram import Chat, Message, User, World

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, Response, Route

WAIT = 30_000  # Milliseconds for what takes one
# Keeps what the page is told, streams as well, which Playwright gives back only once they end.
HEARS = """
const asked = window.fetch;
window.heard = [];
window.fetch = async (...given) => {
  const answer = await asked(...given);
  if (answer.body && !String(answer.type).startsWith("opaque")) read(answer.clone().body.getReader());
  return answer;
};
async function read(reader) {
  const decoder = new TextDecoder();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      window.heard.push(decoder.decode(part.value, { stream: true }));
    }
  } catch {}
}
"""
EXPRESSION = re.compile(r"[\d(][\d()+\-*/ ]*[-+*/][\d()+\-*/ ]*[\d)]")
NUMBERS = count(1)


def leaks(texts: Iterable[str], numbers: list[int], target: int) -> list[str]:
    """Solutions that stand in a text: all that are known, and whatever else comes to the target."""
    known = {str(each) for each in solver.solve(numbers, target)}
    found = []
    for text in texts:
        plain = text.replace("×", "*").replace("÷", "/").replace("−", "-")
        found += [each for each in known if each in plain.replace(" ", "")]
        found += [each for each in EXPRESSION.findall(plain) if _comes_to(each, target)]
    return found


def _comes_to(text: str, target: int) -> bool:
    try:
        return solver.parse(text).value == Fraction(target)
    except (ValueError, ZeroDivisionError):
        return False


@dataclass
class Alive:
    """The bot on loopback, and whoever sits at its pages."""

    world: World
    process: Process
    browser: "Browser"
    http: aiohttp.ClientSession
    root: str
    heard: list[str] = field(default_factory=list)  # Every answer that anybody got
    wrong: list[str] = field(default_factory=list)  # What went wrong in any page
    _pages: list["Page"] = field(default_factory=list)
    _reading: set[asyncio.Task[None]] = field(default_factory=set)

    async def start(self) -> None:
        """Start it, perhaps once more."""
        self.process.start()
        await self.process.wait_for_log_count("is ready", self.process.starts)

    async def dealt(self, user: User, *numbers: int) -> Message:
        """A hand of these numbers, in private."""
        self.world.say(user, user, " ".join(map(str, numbers)))
        offered = await self.world.next_post(user, "→ 24")
        self.world.press(user, offered, "Play it")
        return await self.world.next_post(user, "Use each number once")

    def raw(self, user: User, start: str = "") -> str:
        """Sound initData, other each time."""
        known = {"id": user.id, "first_name": user.first_name, "language_code": user.language_code or "en"}
        more = {"chat_instance": str(next(NUMBERS))} | ({"start_param": start} if start else {})
        return init_data(self.world.token, time.time(), known, **more)

    def link(self, user: User, start: str = "") -> str:
        """The page's address as Telegram opens it."""
        data = quote(self.raw(user, start), safe="")
        return f"{self.root}/#tgWebAppData={data}&tgWebAppVersion=8.0&tgWebAppPlatform=ios"

    async def page(
        self, user: User, start: str = "", *, size: tuple[int, int] = (320, 568), **more: Any
    ) -> "Page":
        """Somebody's page: a phone's, unless another size is asked for."""
        return await self.open(self.link(user, start), size=size, **more)

    async def open(
        self, link: str, *, size: tuple[int, int] = (320, 568), telegram: bool = True, **more: Any
    ) -> "Page":
        """A page at an address, in a browser of its own; without Telegram's script, its own colours show."""
        given = {"viewport": {"width": size[0], "height": size[1]}, "reduced_motion": "reduce"}
        context = await self.browser.new_context(**{**given, "has_touch": size[0] < 600, **more})
        await context.add_init_script(HEARS)
        await context.route(SCRIPT, _stubbed if telegram else _away)
        page = await context.new_page()
        page.on("response", self._answered)
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", self._said)
        self._pages.append(page)
        await page.goto(link)
        await page.wait_for_selector("#play:not([aria-busy])", timeout=WAIT)
        return page

    def _said(self, said: Any) -> None:
        if "Content Security" in said.text:
            self.wrong.append(said.text)

    def _answered(self, answer: "Response") -> None:
        if answer.url.startswith("http://127.0.0.1") and not answer.url.endswith(("/events", ".png")):
            task = asyncio.ensure_future(self._keep(answer))
            self._reading.add(task)
            task.add_done_callback(self._reading.discard)

    async def _keep(self, answer: "Response") -> None:
        with suppress(Exception):  # a page that is left has no bodies any more
            self.heard.append(await answer.text())

    async def listened(self) -> list[str]:
        """Every answer until now, those of pages that are open in one piece each."""
        await asyncio.gather(*self._reading, return_exceptions=True)
        told = [await page.evaluate("window.heard.join('')") for page in self._pages if not page.is_closed()]
        return self.heard + told

    async def forget(self) -> None:
        """What was told until now is of a hand that is over."""
        await self.listened()
        self.heard.clear()
        for page in self._pages:
            await page.evaluate("window.heard.length = 0")

    async def asked(self, user: User, start: str = "") -> str:
        """An HTTP client's session for the same person; what it is told counts, too."""
        body = {"init_data": self.raw(user), "start": start}
        async with self.http.post(f"{self.root}/open", json=body) as answer:
            assert answer.status == 200
            self.heard.append(await answer.text())
            return str((await answer.json())["session"])

    async def state(self, session: str) -> dict[str, Any]:
        """What that client sees."""
        known = {"Authorization": f"Bearer {session}"}
        async with self.http.get(f"{self.root}/state", headers=known) as answer:
            assert answer.status == 200
            self.heard.append(await answer.text())
            found: dict[str, Any] = await answer.json()
            return found

    def group(self, *people: User) -> Chat:
        """A group of these people."""
        return self.world.group("Maths club", *people)

    async def in_group(self, chat: Chat, user: User, command: str, shows: str) -> tuple[Message, str]:
        """What the bot posts on a command there, and what its button to the board starts with."""
        self.world.say(user, chat, f"/{command}@{self.world.bot.username}")
        post = await self.world.next_post(chat, shows)
        (url,) = [str(each["url"]) for each in post.buttons if "startapp=" in each.get("url", "")]
        return post, url.partition("startapp=")[2]

    async def close(self) -> None:
        """End all pages; nothing may have gone wrong in one."""
        for page in self._pages:
            await page.context.close()
        assert self.wrong == []


async def _stubbed(route: "Route") -> None:
    await route.fulfill(body=STUB, content_type="text/javascript")


async def _away(route: "Route") -> None:
    await route.abort()


async def headed(page: "Page", name: str) -> None:
    """Wait for a heading."""
    await page.get_by_role("heading", name=name).wait_for(timeout=WAIT)


async def told(page: "Page", text: str) -> None:
    """Wait until a live region tells it."""
    status = page.get_by_role("status").filter(has_text=text).first
    await status.wait_for(timeout=WAIT, state="attached")
