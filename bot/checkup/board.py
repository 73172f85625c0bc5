"""The board's public address: whether it is this bot's page that answers there."""

from collections.abc import Iterator
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from bot.checkup.connecting import why
from bot.checkup.finding import Finding, good, note, wrong
from bot.settings import TELEGRAM, Settings

ABOUT = "WEB_URL"
SOON = 10.0
"""Seconds for an answer."""
LARGEST = 64 * 1024
"""Bytes of the page that are looked at; it has a few thousand."""
PASSED_ON = "pass that path and all below it on to WEB_LISTEN; deploy/README.md shows how"
APP = (
    "@BotFather, /mybots, Bot Settings, Configure Mini App: enable it at {url}/; or /newapp, and its short"
    " name as WEB_APP"
)


async def looked_at(settings: Settings, now: float, *, running: bool) -> list[Finding]:
    """What there is to say of it; nothing without one. Where no bot is `running` none need answer."""
    if settings.web_url is None:
        return []
    found = [] if settings.web_url.startswith("https:") else [_not_for_telegram(settings)]
    try:
        async with aiohttp.ClientSession(
            trust_env=True, timeout=aiohttp.ClientTimeout(total=SOON)
        ) as session:
            answer = await _answers(session, settings, now)
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        return [*found, _silent(settings, why(error), running=running)]
    return [*found, answer or good(ABOUT, "this bot’s board answers there")]


async def _answers(session: aiohttp.ClientSession, settings: Settings, now: float) -> Finding | None:
    """What is wrong with what answers there; None for nothing."""
    async with session.get(f"{settings.web_url}/", allow_redirects=False) as answer:
        page = await answer.content.read(LARGEST)
        if answer.status in {502, 503, 504}:
            return wrong(ABOUT, f"a proxy answers there ({answer.status}), and no bot behind it", PASSED_ON)
        if answer.status != 200 or page != _index():
            return wrong(ABOUT, f"what answers there is another page ({answer.status})", PASSED_ON)
    async with session.post(f"{settings.web_url}/open", json={"watch": _token(settings, now)}) as opened:
        if opened.status == 401:
            told = "the board that answers there is another bot’s: it does not know this bot’s links"
            return wrong(ABOUT, told, "is BOT_TOKEN that one’s, or the address another one’s?")
        if opened.status != 200:
            told = f"the page is there, and what it asks is not answered ({opened.status})"
            return wrong(ABOUT, told, PASSED_ON)
    return None


def _index() -> bytes:
    return files("bot.web.board").joinpath("page", "index.html").read_bytes()


def paths(settings: Settings) -> set[str]:
    """All that the board serves; nothing without one."""
    if settings.web_url is None:
        return set()
    from bot.web.board.board import paths_below  # here: only who has a board needs it

    return paths_below(urlsplit(settings.web_url).path)


def _token(settings: Settings, now: float) -> str:
    """A link by which nobody sees anything, and which this bot's board alone knows."""
    from bot.games.board.rules import Place  # here: only who has a board needs it
    from bot.web.board import site

    return site.links(settings, "").tokens.made(Place(1, watches=True), now + 600)


def _silent(settings: Settings, reason: str, *, running: bool) -> Finding:
    host = urlsplit(settings.web_url or "").hostname
    told = f"{host} can’t be reached: {reason}"
    if running:
        return wrong(ABOUT, told, f"does the name lead here, is its certificate valid? Then {PASSED_ON}")
    return note(ABOUT, told, "look again once the bot runs")


def _not_for_telegram(settings: Settings) -> Finding:
    told = "http: browsers of this machine can open it, and Telegram opens https alone"
    remedy = "put a proxy with a certificate in front; deploy/README.md shows one"
    return wrong(ABOUT, told, remedy) if settings.api_url == TELEGRAM else note(ABOUT, told, remedy)


def app(settings: Settings, me: dict[str, Any]) -> Iterator[Finding]:
    """Whether links in groups open a Mini App, by what Telegram says of the bot; it opens none by http."""
    if settings.web_url is None or settings.web_app or not settings.web_url.startswith("https:"):
        return
    if me.get("has_main_web_app"):
        yield good("Mini App", "the bot has one")
    else:
        told = "the bot has no main one, and WEB_APP names no other: links in groups open nothing"
        yield wrong("Mini App", told, APP.format(url=settings.web_url))
