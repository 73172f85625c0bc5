"""Check the board's public address: whether this bot's own page answers there."""

from importlib.resources import files
from urllib.parse import urlsplit

import aiohttp

from bot.board.endpoints import make_board_links
from bot.board.rules import Place
from bot.checkup.finding import Finding, good, note, wrong
from bot.checkup.telegram import ANSWER_TIMEOUT, explain_connection_error
from bot.settings import TELEGRAM_API_URL, Settings

SUBJECT = "WEB_URL"
TOKEN_SECONDS = 600.0  # for which the token of the check opens the page
PROXY_PATH_HINT = "pass that path and all below it on to WEB_LISTEN; docs/operators/webhook.md shows how"


async def check_board(settings: Settings, now: float, *, is_bot_running: bool) -> list[Finding]:
    """Check the page at the board's address; return [] without an address.

    An address out of reach is wrong while a bot runs, else worth a note.
    """
    if settings.web_url is None:
        return []
    findings = []
    if settings.api_url == TELEGRAM_API_URL and not settings.web_url.startswith("https:"):
        state = "http: browsers of this machine can open it, and Telegram opens https alone"
        remedy = "put a proxy with a certificate in front; docs/operators/webhook.md shows one"
        findings.append(wrong(SUBJECT, state, remedy))
    timeout = aiohttp.ClientTimeout(total=ANSWER_TIMEOUT)
    try:
        async with aiohttp.ClientSession(trust_env=True, timeout=timeout) as session:
            return [*findings, await _check_page(session, settings, now)]
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        state = f"{urlsplit(settings.web_url).hostname} can't be reached: {explain_connection_error(error)}"
    if not is_bot_running:
        return [*findings, note(SUBJECT, state, "check again once the bot runs")]
    remedy = f"does the name lead here, is its certificate valid? Then {PROXY_PATH_HINT}"
    return [*findings, wrong(SUBJECT, state, remedy)]


async def _check_page(session: aiohttp.ClientSession, settings: Settings, now: float) -> Finding:
    """Compare the page with this bot's own, and send it a link made with this bot's token."""
    index = files("bot.board").joinpath("page", "index.html").read_bytes()
    async with session.get(f"{settings.web_url}/", allow_redirects=False) as answer:
        page = await answer.read()
        status = answer.status
    if status in {502, 503, 504}:
        return wrong(SUBJECT, f"a proxy answers there ({status}), and no bot behind it", PROXY_PATH_HINT)
    if status != 200 or page != index:
        return wrong(SUBJECT, f"what answers there is another page ({status})", PROXY_PATH_HINT)
    # A token that only this bot's board accepts; its place, a chat without rounds, shows nothing.
    tokens = make_board_links(settings, username="").tokens
    token = tokens.make_token(Place(chat_id=1, watch_only=True), until=now + TOKEN_SECONDS)
    async with session.post(f"{settings.web_url}/open", json={"watch": token}) as opened:
        status = opened.status
    if status == 401:
        state = "the board that answers there is another bot's: it does not know this bot's links"
        return wrong(SUBJECT, state, "is BOT_TOKEN that one's, or the address another one's?")
    if status != 200:
        return wrong(
            SUBJECT, f"the page is there, and what it asks is not answered ({status})", PROXY_PATH_HINT
        )
    return good(SUBJECT, "this bot's board answers there")
