"""Ask Telegram about the bot: its token, what groups let it do, where its updates go, and the time."""

import errno
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import aiohttp
from telegram import Bot, User, WebhookInfo
from telegram.error import NetworkError, TelegramError

from bot import logs
from bot.checkup.account_fix import fix_account
from bot.checkup.environment import TOKEN_HINT
from bot.checkup.finding import Finding, good, note, wrong
from bot.queue.refusals import is_refusal
from bot.settings import Settings, SettingsError
from bot.telegram.api import NONSENSE_ERRORS, Connections, call_api, describe_failure

# Fields of WebhookInfo that other servers may leave out
NO_WEBHOOK = {"url": "", "has_custom_certificate": False, "pending_update_count": 0}


async def check_account(
    settings: Settings, now: float, *, with_fix: bool = False
) -> tuple[list[Finding], str]:
    """Check the bot's account, its rights and its webhook; return also the bot's username.

    If Telegram can't be asked, return one finding that says why, and an empty username. `with_fix` first
    changes the bot's settings at Telegram as `fix_account` does.
    """
    fixes = list[Finding]()
    try:
        async with _open_bot(settings) as bot:
            if with_fix:
                fixes = await fix_account(bot)
            me = User.de_json(await call_api(bot, "getMe", {}))
            webhook_info = await call_api(bot, "getWebhookInfo", {})
            hook = WebhookInfo.de_json(NO_WEBHOOK | webhook_info)
    except SettingsError as error:
        return [wrong("proxy", str(error), "correct the variable or leave it out")], ""
    except TelegramError as error:
        return [*fixes, _explain_failure(settings, error)], ""
    except NONSENSE_ERRORS:
        return [*fixes, _report_no_server(settings)], ""
    account = good("BOT_TOKEN", f"@{me.username}")
    findings = [account, *fixes, *_check_rights(me), *check_app(settings, me)]
    return [*findings, _check_updates(settings, hook, now)], str(me.username)


@asynccontextmanager
async def _open_bot(settings: Settings) -> AsyncIterator[Bot]:
    """Yield the bot with open connections. Raises SettingsError for a proxy that can't be used."""
    request = Connections(settings.api_url)
    root = f"{settings.api_url}/bot"
    bot = Bot(settings.token or "", base_url=root, request=request, get_updates_request=request)
    await request.initialize()
    try:
        yield bot
    finally:
        await request.shutdown()


def _explain_failure(settings: Settings, error: TelegramError) -> Finding:
    """Report why nothing was learned: the token is refused, the server out of reach, or no Bot API server."""
    host = _get_host(settings.api_url)
    if is_refusal(error):
        remedy = f"{TOKEN_HINT}; and is BOT_API_URL the server that was meant?"
        return wrong("BOT_TOKEN", f"{host} refuses it", remedy)
    if isinstance(error, NetworkError):
        cause = error.__cause__
        reason = explain_connection_error(cause) if cause else describe_failure(error)
        remedy = (
            "is there a network, a firewall, a proxy to be named in HTTPS_PROXY, and is BOT_API_URL right?"
        )
        return wrong("network", f"{host} can't be reached: {reason}", remedy)
    return _report_no_server(settings)


def explain_connection_error(error: BaseException) -> str:
    """Return in one line why a connection failed; the libraries' own words are about their calls."""
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return f"its certificate is not valid: {error.certificate_error}"
    if isinstance(error, aiohttp.ClientConnectorError):
        error = error.os_error
    if not isinstance(error, OSError):
        return logs.get_error_reason(error)
    number = error.errno or 0  # not positive where a host's name can't be resolved
    if number == errno.ECONNREFUSED:
        return "the connection was refused"
    if number > 0:
        return os.strerror(number)
    return error.strerror or logs.get_error_reason(error)


def _report_no_server(settings: Settings) -> Finding:
    state = f"what answers at {_get_host(settings.api_url)} is no Bot API server"
    return wrong("BOT_API_URL", state, "name the root of one, or leave it out")


def _get_host(url: str) -> str:
    return urlsplit(url).hostname or url


FIX_HINT = "twentyfour-bot check --fix; or @BotFather"


def _check_rights(me: User) -> Iterator[Finding]:
    """Check what @BotFather lets the bot do: join groups, read all their messages, answer inline."""
    if me.can_join_groups is False:
        yield wrong("groups", "nobody can add the bot to a group", f"{FIX_HINT}, /setjoingroups, Enable")
    if me.can_read_all_group_messages:
        yield good("privacy mode", "off: the bot hears every answer in a group")
    else:
        remedy = (
            f"{FIX_HINT}, /setprivacy, Disable; then remove it from its groups and add it again,"
            " or make it an admin there"
        )
        yield note("privacy mode", "on: in groups it hears commands and replies to it alone", remedy)
    if not me.supports_inline_queries:
        state = "off: nobody can send a hand from another chat"
        yield note("inline mode", state, f"{FIX_HINT}, /setinline, and a few words such as “3 8 3 8”")


def check_app(settings: Settings, me: User) -> Iterator[Finding]:
    """Yield a finding if links in groups can't open the board: the bot has no Mini App."""
    url = settings.web_url or ""
    if url.startswith("https:") and not settings.web_app and not me.has_main_web_app:
        state = "the bot has no main one, and WEB_APP names no other: links in groups open nothing"
        remedy = f"@BotFather, /mybots, Bot Settings, Configure Mini App: enable it at {url}/"
        yield wrong("Mini App", state, f"{remedy}; or /newapp, and its short name as WEB_APP")


PROXY_HINT = "does the bot run, and does the proxy pass that path on to WEBHOOK_LISTEN?"
WEBHOOK_REMEDIES = {
    "certificate": "the certificate must be valid for that name and sent with its whole chain",
    "ssl": "the certificate must be valid for that name and sent with its whole chain",
    "401": "the secret differs: start the bot again, so that Telegram learns WEBHOOK_SECRET",
    "403": "the secret differs: start the bot again, so that Telegram learns WEBHOOK_SECRET",
    "404": "the proxy's path is another one than in WEBHOOK_URL",
    "503": f"the bot can't store updates, as its log says, or none is behind the proxy: {PROXY_HINT}",
}  # by what Telegram complains of


def _check_updates(settings: Settings, hook: WebhookInfo, now: float) -> Finding:
    """Check whether Telegram delivers updates as the settings say, and whether its last post failed."""
    address = hook.url
    count = hook.pending_update_count
    queue = "1 update waits" if count == 1 else f"{count} updates wait"
    if not settings.webhook_url and address:
        state = f"Telegram posts updates to {_get_host(address)}, and this bot would fetch them"
        return wrong(
            "WEBHOOK_URL",
            state,
            "does another bot have this token? If not, the next start removes that webhook",
        )
    if not settings.webhook_url:
        return good("updates", f"fetched; {queue}")
    if not address:
        return note("WEBHOOK_URL", "no webhook is set yet: the next start sets it")
    if address != settings.webhook_url:
        state = f"Telegram posts updates to another address, at {_get_host(address)}"
        remedy = "does another bot have this token? If not, the next start sets this address"
        return wrong("WEBHOOK_URL", state, remedy)
    if count and hook.last_error_date:  # else all arrived after the failure
        error = str(hook.last_error_message)
        age = now - hook.last_error_date.timestamp()
        remedy = PROXY_HINT
        for sign, known_remedy in WEBHOOK_REMEDIES.items():
            if sign in error.lower():
                remedy = known_remedy
                break
        return wrong("webhook", f"{queue}; {age:.0f} s ago: {error}", remedy)
    return good("webhook", f"set; {queue}")


MAX_CLOCK_DIFFERENCE = 5.0  # seconds: an answer takes time, and its date has whole seconds
ANSWER_TIMEOUT = 10.0  # seconds


async def check_clock(settings: Settings, now: float) -> list[Finding]:
    """Compare this machine's clock (`now`) with Telegram's; return [] if Telegram sends no date."""
    timeout = aiohttp.ClientTimeout(total=ANSWER_TIMEOUT)
    try:
        async with (
            aiohttp.ClientSession(trust_env=True, timeout=timeout) as session,
            session.get(settings.api_url, allow_redirects=False) as answer,
        ):
            telegram_time = parsedate_to_datetime(answer.headers["Date"])
            difference = now - telegram_time.timestamp()
    except (aiohttp.ClientError, TimeoutError, KeyError, ValueError, OSError):
        return []
    if abs(difference) <= MAX_CLOCK_DIFFERENCE:
        return [good("clock", "as Telegram's")]
    direction = "ahead of" if difference > 0 else "behind"
    state = f"{abs(difference):.0f} s {direction} Telegram's"
    return [wrong("clock", state, "let the system keep it: `timedatectl set-ntp true`, or chrony")]
