"""Takes the updates that Telegram posts: each is committed before it is accepted.

A request without the secret is refused before its body is read. The library's own server parses first, logs a
wrong secret, and answers an update that it can't parse with an error each time that Telegram repeats it.
"""

import asyncio
import hmac
import json
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from telegram import Bot, WebhookInfo
from telegram.error import InvalidToken

from bot.database import describe_error, is_database_failure
from bot.pulse import Pulse
from bot.queue.inbox import Inbox, InboxFullError, UpdateBatcher
from bot.queue.watermark import Watermark
from bot.settings import Settings
from bot.telegram.api import describe_failure, is_refusal, require_true
from bot.telegram.startup import call_until_answered
from bot.web.server import Server, read_body

log = logging.getLogger(__name__)


def _parse(body: bytes) -> dict[str, Any] | None:
    """Return the update in `body`; None if it holds anything else."""
    try:
        update = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(update, dict) or type(update.get("update_id")) is not int or _is_too_deep(update):
        return None
    return update


MAX_DEPTH = 100  # levels of lists and objects in an update at most


def _is_too_deep(value: object) -> bool:
    level: list[object] = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for v in level
            for inner in (v.values() if isinstance(v, dict) else v if isinstance(v, list) else ())
        ]
        if not level:
            return False
    return True


def list_webhook_paths(url: str) -> set[str]:
    """Return the paths at which Telegram's posts are taken."""
    path = urlsplit(url).path.rstrip("/")
    return {path or "/", f"{path}/"}


SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - a header's name
LARGEST = 1024 * 1024  # bytes of a body at most; Telegram's updates have a few thousand


class Webhook:
    """The page that takes updates, and its registration with Telegram."""

    def __init__(self, inbox: Inbox, settings: Settings) -> None:
        self._settings = settings
        self._secrets = [secret.encode() for secret in settings.webhook_secrets]
        self._accept = UpdateBatcher(inbox.accept).accept
        paths = list_webhook_paths(settings.webhook_url or "")
        self._server = Server([Route(path, self._accept_post, methods=["POST"]) for path in paths])

    @property
    def port(self) -> int:
        """Where it listens, once it does; the system's choice if the settings say 0."""
        return self._server.port

    async def start(self, bot: Bot, allowed: tuple[str, ...]) -> None:
        """Listen, then tell Telegram."""
        await self.listen()
        await self.register(bot, allowed)

    async def listen(self) -> None:
        """Take requests. Raises OSError when the address can't be had."""
        await self._server.listen(self._settings.webhook_listen)

    def add_routes(self, routes: Sequence[BaseRoute]) -> None:
        """Serve these beside the webhook."""
        self._server.add_routes(routes)

    async def register(self, bot: Bot, allowed: tuple[str, ...], which: int = 0) -> None:
        """Tell Telegram where to post, and which of the secrets to send along. Raises TelegramError."""
        await require_true(
            bot.set_webhook(
                self._settings.webhook_url or "",
                secret_token=self._settings.webhook_secrets[which],
                allowed_updates=list(allowed),
                max_connections=40,
            )
        )

    async def close(self) -> None:
        """Stop listening; Telegram keeps its updates and posts them to the next start."""
        await self._server.close()

    async def _accept_post(self, request: Request) -> Response:
        """Commit the update, then answer 200."""
        self._check_secret(request)
        update = _parse(await read_body(request, LARGEST))
        if update is None:
            raise HTTPException(400)
        try:
            await self._accept(update)
        except InboxFullError:
            raise HTTPException(503) from None
        except Exception as error:
            if not is_database_failure(error):
                raise
            log.warning("an update can't be stored, Telegram will repeat it: %s", describe_error(error))
            raise HTTPException(503) from None
        return Response()

    def _check_secret(self, request: Request) -> None:
        """Refuse whoever is not Telegram, before a byte of the body is read."""
        given = request.headers.getlist(SECRET_HEADER)
        sent = ",".join(given).encode("utf-8", "replace")
        found = [hmac.compare_digest(sent, secret) for secret in self._secrets]  # all of them
        if True not in found:
            log.warning(
                "a post with a wrong secret, or none, was refused: where /healthz says that Telegram can't"
                " post, it has another WEBHOOK_SECRET, else somebody is trying"
            )
            raise HTTPException(403 if given else 401)


class TakenOverError(Exception):
    """Telegram posts elsewhere; the message is one line."""


BUSY_INTERVAL = 0.5  # seconds between two questions while one does
# Seconds between two questions to Telegram where it posts to, while no deadline waits for updates.
LOOK = 20.0


async def watch_webhook(
    bot: Bot, url: str, inbox: Inbox, pulse: Pulse | None = None, clean: Callable[[str], str] = str
) -> None:
    """Ask Telegram now and then whether it still posts here, and often while deadlines wait for updates.

    Each answer beats `pulse`, unless it says that nothing comes through: then `pulse` and the log get the
    reason, without what `clean` strikes out. Raises TakenOverError when another bot took the webhook,
    StartError when Telegram refuses the token.
    """
    queue, said, pulse = _Queue(inbox.watermark), "", pulse or Pulse(time.monotonic())
    while True:
        with suppress(TimeoutError):
            await asyncio.wait_for(inbox.watermark.wait_for_request(), LOOK)
        began, pulse.is_of_leader = inbox.now(), False
        try:
            info = await bot.get_webhook_info()
        except Exception as error:  # noqa: BLE001 - an answer that makes no sense can fail in any way
            log.warning(
                "Telegram does not say what waits for the webhook, asking again: %s", describe_failure(error)
            )
            if isinstance(error, InvalidToken) and is_refusal(error):
                await call_until_answered(bot.get_me, "BOT_TOKEN")
        else:
            if info.url != url:
                raise TakenOverError("WEBHOOK_URL: Telegram posts elsewhere now: another bot uses the token")
            now, why = time.monotonic(), ""
            if is_delivery_failing(info, inbox.last_accepted_at):
                why = format_error_message(str(info.last_error_message or ""), clean)
                pulse.record_failure(now, why)
            else:
                pulse.record_success(now)
            if why != said:
                _say(why)
            said = why
            queue.seen(info, began)
        await asyncio.sleep(BUSY_INTERVAL)


def format_error_message(message: str, clean: Callable[[str], str]) -> str:
    """Return Telegram's complaint as one short line, without what `clean` strikes out."""
    line = clean(" ".join(message.split()))[:200]
    return "".join(c if c.isprintable() else "?" for c in line) or "it does not say why"


def _say(why: str) -> None:
    if why:
        log.warning("Telegram can't post updates here: %s", why)
    else:
        log.info("Telegram can post updates here again")


def is_delivery_failing(info: WebhookInfo, accepted: float) -> bool:
    """Whether Telegram could not post what it holds, and nothing has come in since that (`accepted`)."""
    failed = info.last_error_date
    return bool(info.pending_update_count and failed and failed.timestamp() > accepted)


# Seconds for which deadlines wait for what Telegram could not post: it tries again ever more seldom.
MAX_FAILURE_WAIT = 180.0
# Seconds after which updates that Telegram still holds, and posts without trouble, count as newer ones.
MAX_BACKLOG_WAIT = 15.0
# Seconds for which Telegram must say that it holds no update: one that it is just posting may not count.
EMPTY_SECONDS = 2.0


class _Queue:
    """Updates that Telegram has not posted yet, as it says itself."""

    def __init__(self, arrivals: Watermark) -> None:
        self._arrivals = arrivals
        self._waits: float | None = None  # since when a deadline waits for what Telegram holds
        self._empty: float | None = None  # since when it has said each time that it holds nothing

    def seen(self, info: WebhookInfo, now: float) -> None:
        """Tell `arrivals` once everything has come, or has been waited for long enough."""
        if info.pending_update_count:
            self._empty = None
            self._held(info, now)
            return
        self._waits = None
        self._empty = now if self._empty is None else self._empty
        if now - self._empty >= EMPTY_SECONDS:
            self._arrivals.mark_received(now - EMPTY_SECONDS)

    def _held(self, info: WebhookInfo, now: float) -> None:
        if not self._arrivals.is_awaited:
            self._waits = None
        elif self._waits is None:
            self._waits = now
        elif now - self._waits > (MAX_FAILURE_WAIT if self._trouble(info, self._waits) else MAX_BACKLOG_WAIT):
            log.warning(
                "Telegram still holds %d updates; deadlines have waited %.0f s for them and go on",
                info.pending_update_count,
                now - self._waits,
            )
            self._waits = None
            self._arrivals.mark_received(now)

    def _trouble(self, info: WebhookInfo, since: float) -> bool:
        """Whether Telegram could not post something lately."""
        return (
            info.last_error_date is not None and info.last_error_date.timestamp() > since - MAX_FAILURE_WAIT
        )
