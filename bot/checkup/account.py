"""The bot's account at Telegram: its token, what groups let it do, and where its updates go."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from telegram import Bot
from telegram.error import NetworkError, TelegramError

from bot.checkup import board
from bot.checkup.connecting import why
from bot.checkup.finding import Finding, good, note, wrong
from bot.logs import Redacted
from bot.settings import TELEGRAM, Settings, SettingsError
from bot.telegram.api import ask, reason, refused
from bot.telegram.connections import Connections

PORTS = {None, 443, 80, 88, 8443}
"""Where Telegram posts to. https://core.telegram.org/bots/api#setwebhook"""
BEHIND = "does the bot run, does the proxy pass that path on to WEBHOOK_LISTEN?"
TOKENS = "@BotFather, /mybots, API Token shows the one that holds"


async def looked_at(settings: Settings, now: float, *, starts: bool = True) -> list[Finding]:
    """What Telegram says of the bot; one line where it can't be asked.

    Where it is known that the bot never `starts`, nothing is said of what its start would change at Telegram.
    """
    try:
        request = Connections(settings.api_url)
        bot = Bot(
            settings.token or "",
            base_url=f"{settings.api_url}/bot",
            request=request,
            get_updates_request=request,
        )
    except SettingsError as error:
        return [wrong("proxy", str(error), "mend the variable, or leave it out")]
    await request.initialize()
    try:
        me = await ask(bot, "getMe", {})
        hook = await ask(bot, "getWebhookInfo", {})
    except TelegramError as error:
        return [_unanswered(settings, error)]
    finally:
        await request.shutdown()
    if not isinstance(me, dict) or not isinstance(hook, dict):
        return [_no_server(_host(settings.api_url))]
    return [
        good("BOT_TOKEN", f"@{me.get('username')}"),
        *_rights(me),
        *board.app(settings, me),
        *_ways(settings, hook, now, starts),
    ]


def _unanswered(settings: Settings, error: TelegramError) -> Finding:
    host, official = _host(settings.api_url), settings.api_url == TELEGRAM
    if refused(error):
        if official:
            return wrong("BOT_TOKEN", "Telegram refuses it", TOKENS)
        remedy = f"{TOKENS}; or is the server of BOT_API_URL another one than was meant?"
        return wrong("BOT_TOKEN", f"{host}, the server of BOT_API_URL, refuses it", remedy)
    if isinstance(error, NetworkError):
        remedy = "is there a network, a firewall between, a proxy to be named in HTTPS_PROXY?"
        if not official:
            remedy = "is BOT_API_URL right, and does that server run?"
        return wrong("network", f"{host} can't be reached: {_why(error)}", remedy)
    if not official:
        return _no_server(host)
    return wrong("network", f"{host} answers oddly: {reason(error)}", "try again in a minute")


def _why(error: TelegramError) -> str:
    """The reason in words of its own where no connection came about; else Telegram's, or the library's."""
    under = error.__cause__
    if isinstance(
        under, aiohttp.ClientConnectorError | aiohttp.ClientConnectorCertificateError | TimeoutError
    ):
        return why(under)
    return reason(error).removeprefix(f"{NetworkError.__name__}: ")


def _no_server(host: str) -> Finding:
    told = f"what answers at {host} is no Bot API server"
    return wrong("BOT_API_URL", told, "name the root of one, or leave it out")


def _host(url: str) -> str:
    parts = urlsplit(url)
    return parts.hostname or url


def _rights(me: dict[str, Any]) -> Iterator[Finding]:
    if not me.get("can_join_groups", True):
        yield wrong("groups", "nobody can add the bot to a group", "@BotFather, /setjoingroups, Enable")
    if me.get("can_read_all_group_messages"):
        yield good("privacy mode", "off: the bot hears every answer in a group")
    else:
        remedy = (
            "@BotFather, /setprivacy, Disable; then add it to its groups again, or make it an admin there"
        )
        yield note("privacy mode", "on: in groups it hears commands and replies to it alone", remedy)
    if not me.get("supports_inline_queries"):
        told = "off: nobody can send a hand from another chat"
        yield note("inline mode", told, "@BotFather, /setinline, and a few words such as “3 8 3 8”")


def _ways(settings: Settings, hook: dict[str, Any], now: float, starts: bool) -> Iterator[Finding]:
    """Where Telegram leaves its updates, and how that goes."""
    set_to = str(hook.get("url") or "")
    if settings.webhook_url:
        yield from _public(settings)
    if not starts and set_to != (settings.webhook_url or ""):
        return
    if not settings.webhook_url:
        if set_to:
            told = f"Telegram posts updates to {_host(set_to)}, and this bot would fetch them"
            remedy = (
                "if another bot has this token, get one more at @BotFather; else the start takes that away"
            )
            yield wrong("WEBHOOK_URL", told, remedy)
        else:
            yield good("updates", f"fetched; {_waits(int(hook.get('pending_update_count') or 0))}")
        return
    if set_to and set_to != settings.webhook_url:
        theirs, ours = _apart(set_to, settings.webhook_url, Redacted(settings.secrets))
        told = f"Telegram posts updates to {theirs}, not to {ours}"
        yield wrong(
            "WEBHOOK_URL", told, "does another bot have this token? The start sets it to this address"
        )
    elif not set_to:
        yield note("WEBHOOK_URL", "Telegram posts nowhere yet: the start sets it")
    else:
        yield from _posted(hook, now)


def _apart(one: str, other: str, redacted: Redacted) -> tuple[str, str]:
    """Two addresses, each with as much of it as tells them apart."""
    first, second = ([redacted.clean(way) for way in _ways_to_write(url)] for url in (one, other))
    differ = (pair for pair in zip(first, second, strict=True) if pair[0] != pair[1])
    return next(differ, (f"another address at {first[0]}", "that of WEBHOOK_URL"))


def _ways_to_write(url: str) -> list[str]:
    """The host, then with its path, then with scheme and port as well; a password or a query in none."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    port = f":{parts.port}" if parts.port else ""
    return [host, f"{host}{parts.path}", f"{parts.scheme}://{host}{port}{parts.path}"]


def _public(settings: Settings) -> Iterator[Finding]:
    """Whether Telegram's own servers would post there at all; a server of one's own may."""
    parts = urlsplit(settings.webhook_url or "")
    if settings.api_url == TELEGRAM and (parts.scheme != "https" or parts.port not in PORTS):
        where = parts.scheme if parts.port is None else f"{parts.scheme} on port {parts.port}"
        told = f"Telegram posts to https alone, on port 443, 80, 88 or 8443, not to {where}"
        yield wrong(
            "WEBHOOK_URL", told, "put a proxy with a certificate in front; deploy/README.md shows one"
        )


def _posted(hook: dict[str, Any], now: float) -> Iterator[Finding]:
    waiting, failed = int(hook.get("pending_update_count") or 0), hook.get("last_error_date")
    if waiting and isinstance(failed, int | float):
        told = f"{_waits(waiting)}; {now - failed:.0f} s ago: {hook.get('last_error_message')}"
        yield wrong("webhook", told, _way_out(str(hook.get("last_error_message"))))
    else:
        yield good("webhook", f"set; {_waits(waiting)}")


def _waits(count: int) -> str:
    return "1 update waits" if count == 1 else f"{count} updates wait"


def _way_out(message: str) -> str:
    """What mends what Telegram complains of."""
    plain = message.lower()
    if "certificate" in plain or "ssl" in plain:
        return "the certificate must be valid for that name and sent with its whole chain"
    if "refused" in plain or "timed out" in plain or "unreachable" in plain:
        return "does the bot run, and does the proxy in front pass that path on to WEBHOOK_LISTEN?"
    if "401" in plain or "403" in plain:
        return "the secret differs: start the bot again, so that Telegram learns WEBHOOK_SECRET"
    if "502" in plain or "504" in plain:
        return f"the proxy answers, but no bot behind it does: {BEHIND}"
    if "503" in plain:
        return f"the bot can't store updates, as its log says, or none is behind the proxy: {BEHIND}"
    if "404" in plain:
        return "the path is another one there than in WEBHOOK_URL"
    return "what does the proxy's own log say of that time?"
