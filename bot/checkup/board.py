"""Check the board's public address: whether this bot's own page answers there."""

from importlib.resources import files
from urllib.parse import urlsplit

import aiohttp

from bot.checkup.finding import Finding, good, note, wrong
from bot.checkup.telegram import SOON, explain_connection_error
from bot.settings import TELEGRAM_API_URL, Settings

ABOUT = "WEB_URL"
PASS_ON = "pass that path and all below it on to WEB_LISTEN; deploy/README.md shows how"  # noqa: S105


async def check_board(settings: Settings, now: float, *, running: bool) -> list[Finding]:
    """Check what answers at the board's address, if there is one; none need unless a bot is `running`."""
    if settings.web_url is None:
        return []
    found = []
    if settings.api_url == TELEGRAM_API_URL and not settings.web_url.startswith("https:"):
        told = "http: browsers of this machine can open it, and Telegram opens https alone"
        found.append(
            wrong(ABOUT, told, "put a proxy with a certificate in front; deploy/README.md shows one")
        )
    timeout = aiohttp.ClientTimeout(total=SOON)
    try:
        async with aiohttp.ClientSession(trust_env=True, timeout=timeout) as session:
            return [*found, await _ask(session, settings, now)]
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        told = f"{urlsplit(settings.web_url).hostname} can’t be reached: {explain_connection_error(error)}"
    if not running:
        return [*found, note(ABOUT, told, "look again once the bot runs")]
    return [*found, wrong(ABOUT, told, f"does the name lead here, is its certificate valid? Then {PASS_ON}")]


LARGEST = 64 * 1024  # bytes that are read of the page, which has a few thousand


async def _ask(session: aiohttp.ClientSession, settings: Settings, now: float) -> Finding:
    """Compare the page with this bot's own, and let its service read a link that this bot's token made."""
    index = files("bot.board").joinpath("page", "index.html").read_bytes()
    async with session.get(f"{settings.web_url}/", allow_redirects=False) as answer:
        page, status = await answer.content.read(LARGEST), answer.status
    if status in {502, 503, 504}:
        return wrong(ABOUT, f"a proxy answers there ({status}), and no bot behind it", PASS_ON)
    if status != 200 or page != index:
        return wrong(ABOUT, f"what answers there is another page ({status})", PASS_ON)
    async with session.post(f"{settings.web_url}/open", json={"watch": _link(settings, now)}) as opened:
        status = opened.status
    if status == 401:
        told = "the board that answers there is another bot’s: it does not know this bot’s links"
        return wrong(ABOUT, told, "is BOT_TOKEN that one’s, or the address another one’s?")
    if status != 200:
        return wrong(ABOUT, f"the page is there, and what it asks is not answered ({status})", PASS_ON)
    return good(ABOUT, "this bot’s board answers there")


def _link(settings: Settings, now: float) -> str:
    """Return a link that shows nothing, and which this bot's board alone knows."""
    from bot.board import endpoints as site
    from bot.board.rules import Place  # here: only who has a board needs it

    return site.make_board_links(settings, "").tokens.make_token(Place(1, watch_only=True), now + 600)
