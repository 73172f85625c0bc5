"""Accept the updates that Telegram posts, and watch whether it can post them.

Each update is committed before it is acknowledged. A request without the secret is refused before its body is
read. The server of python-telegram-bot is not used: it logs wrong secrets, and parses updates before storing
them, so that Telegram would repeat one that can't be parsed for ever.
"""

import asyncio
import hmac
import json
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
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
from bot.queue.batcher import Batcher
from bot.queue.inbox import Inbox, InboxFullError
from bot.queue.watermark import Watermark
from bot.settings import Settings
from bot.telegram.api import describe_failure, is_refusal, require_true
from bot.telegram.startup import call_until_answered
from bot.web.server import Server, read_body

log = logging.getLogger(__name__)


def list_webhook_paths(url: str) -> set[str]:
    """Return the paths at which posts are accepted: with and without a slash at the end."""
    path = urlsplit(url).path.rstrip("/")
    return {path or "/", f"{path}/"}


SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - a header's name
BATCH_SIZE = 100  # updates of one transaction: as many as Telegram hands over at once to a poller
MAX_POST_BYTES = 1024 * 1024  # bytes of a body; Telegram's updates have a few thousand


class Webhook:
    """The server that accepts updates, and its registration with Telegram."""

    def __init__(self, inbox: Inbox, settings: Settings) -> None:
        self._settings = settings
        self._secrets = [secret.encode() for secret in settings.webhook_secrets]
        self._accept = Batcher[Any, None](inbox.accept, BATCH_SIZE).submit
        paths = list_webhook_paths(settings.webhook_url or "")
        self._server = Server([Route(path, self._accept_post, methods=["POST"]) for path in paths])

    @property
    def port(self) -> int:
        return self._server.port

    async def start(self, bot: Bot, allowed: tuple[str, ...]) -> None:
        """Listen, then register with Telegram. Raises OSError, TelegramError."""
        await self.listen()
        await self.register(bot, allowed)

    async def listen(self) -> None:
        """Start to accept requests. Raises OSError."""
        await self._server.listen(self._settings.webhook_listen)

    def add_routes(self, routes: Sequence[BaseRoute]) -> None:
        self._server.add_routes(routes)

    async def register(self, bot: Bot, allowed: tuple[str, ...], secret_index: int = 0) -> None:
        """Set the webhook at Telegram to the settings' URL and one of its secrets. Raises TelegramError."""
        await require_true(
            bot.set_webhook(
                self._settings.webhook_url or "",
                secret_token=self._settings.webhook_secrets[secret_index],
                allowed_updates=list(allowed),
                max_connections=40,  # Telegram's default
            )
        )

    async def close(self) -> None:
        """Stop listening; Telegram keeps its updates until the next start."""
        await self._server.close()

    async def _accept_post(self, request: Request) -> Response:
        """Commit the update and respond with 200. Raises HTTPException, 503 if it can't be stored."""
        self._check_secret(request)
        try:
            update = json.loads(await read_body(request, MAX_POST_BYTES))
        except (ValueError, RecursionError):
            raise HTTPException(400) from None
        if not isinstance(update, dict) or type(update.get("update_id")) is not int:
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
        """Raise HTTPException unless the request has one of the secrets: 401 if it has none, else 403."""
        headers = request.headers.getlist(SECRET_HEADER)
        given_secret = ",".join(headers).encode("utf-8", "replace")
        # Compare with all secrets: the time of a refusal must not depend on them.
        matches = [hmac.compare_digest(given_secret, secret) for secret in self._secrets]
        if True not in matches:
            log.warning(
                "a post with a wrong secret, or none, was refused: where /healthz says that Telegram can't"
                " post, it has another WEBHOOK_SECRET, else somebody is trying"
            )
            raise HTTPException(403 if headers else 401)


class TakenOverError(Exception):
    """Telegram posts to another address; the message is one line."""


ASK_INTERVAL = 20.0  # seconds between two requests to Telegram while no deadline waits for updates
BUSY_INTERVAL = 0.5  # seconds between two requests while one does


async def watch_webhook(
    bot: Bot, url: str, inbox: Inbox, pulse: Pulse | None = None, clean: Callable[[str], str] = str
) -> None:
    """Ask Telegram from time to time whether it can post here, and often while deadlines wait for updates.

    Record each answer in `pulse`, as a failure if Telegram can't post; `clean` removes secrets from its
    reason. Raises TakenOverError if another bot has taken the webhook, StartError if Telegram refuses the
    token.
    """
    backlog = _Backlog(inbox.watermark)
    pulse = pulse or Pulse(time.monotonic())
    last_failure = ""
    while True:
        with suppress(TimeoutError):  # ends earlier once a deadline waits
            await asyncio.wait_for(inbox.watermark.wait_for_request(), ASK_INTERVAL)
        asked_at = inbox.now()
        pulse.is_of_leader = False  # this bot asks Telegram itself
        try:
            info = await bot.get_webhook_info()
        except Exception as error:  # noqa: BLE001 - a malformed answer can fail in any way
            await _handle_unanswered(bot, error)
        else:
            if info.url != url:
                raise TakenOverError("WEBHOOK_URL: Telegram posts elsewhere now: another bot uses the token")
            failure = ""
            if is_delivery_failing(info, inbox.last_accepted_at):
                failure = _describe_delivery_failure(info, clean)
            _record_answer(pulse, failure)
            _log_change(failure, last_failure)
            last_failure = failure
            backlog.observe(info, asked_at)
        await asyncio.sleep(BUSY_INTERVAL)


async def _handle_unanswered(bot: Bot, error: Exception) -> None:
    """Log the error; if the token was refused, ask with it again. Raises StartError if it still is."""
    log.warning("Telegram does not say what waits for the webhook, asking again: %s", describe_failure(error))
    if isinstance(error, InvalidToken) and is_refusal(error):
        await call_until_answered(bot.get_me, "BOT_TOKEN")


def _record_answer(pulse: Pulse, failure: str) -> None:
    """Record that Telegram answered now: that it fails to post here, or, if `failure` is empty, a success."""
    if failure:
        pulse.record_failure(time.monotonic(), failure)
    else:
        pulse.record_success(time.monotonic())


def _log_change(failure: str, last_failure: str) -> None:
    """Log a failure that differs from the last one, or that posts arrive again; empty means they arrive."""
    if failure and failure != last_failure:
        log.warning("Telegram can't post updates here: %s", failure)
    elif last_failure and not failure:
        log.info("Telegram can post updates here again")


def is_delivery_failing(info: WebhookInfo, last_accepted_at: float) -> bool:
    """Whether Telegram could not post the updates it holds, and this bot has accepted none since."""
    failed_at = info.last_error_date
    return bool(info.pending_update_count and failed_at and failed_at.timestamp() > last_accepted_at)


MAX_REASON_CHARS = 200


def _describe_delivery_failure(info: WebhookInfo, clean: Callable[[str], str]) -> str:
    """Return Telegram's reason, cleaned, in one line of at most 200 printable characters; never empty."""
    one_line = " ".join(str(info.last_error_message or "").split())
    reason = clean(one_line)[:MAX_REASON_CHARS]
    return "".join(char if char.isprintable() else "?" for char in reason) or "it does not say why"


MAX_BACKLOG_WAIT = 15.0  # seconds for which deadlines wait for updates that Telegram holds
MAX_FAILURE_WAIT = 180.0  # the same after a failed post, since Telegram repeats it ever less often
EMPTY_SECONDS = 2.0  # Telegram must hold no update for so long: one that it is just posting may not count


class _Backlog:
    """Tells the watermark when deadlines need not wait any longer for updates that Telegram holds."""

    def __init__(self, watermark: Watermark) -> None:
        self._watermark = watermark
        self._waiting_since: float | None = None  # when a deadline began to wait for held updates
        self._empty_since: float | None = None  # the first of the last answers that all had no held updates

    def observe(self, info: WebhookInfo, now: float) -> None:
        """Mark updates as received once Telegram holds none, or deadlines have waited long enough."""
        if info.pending_update_count:
            self._empty_since = None
            self._observe_held_updates(info, now)
            return
        self._waiting_since = None
        if self._empty_since is None:
            self._empty_since = now
        if now - self._empty_since >= EMPTY_SECONDS:
            self._watermark.mark_received(now - EMPTY_SECONDS)  # later ones may still be on their way

    def _observe_held_updates(self, info: WebhookInfo, now: float) -> None:
        """Mark held updates as received, though they are not, once deadlines have waited too long."""
        if not self._watermark.is_awaited:  # no deadline waits
            self._waiting_since = None
            return
        if self._waiting_since is None:
            self._waiting_since = now
        failed_at = info.last_error_date.timestamp() if info.last_error_date else -inf
        has_failed_lately = failed_at > self._waiting_since - MAX_FAILURE_WAIT
        max_wait = MAX_FAILURE_WAIT if has_failed_lately else MAX_BACKLOG_WAIT
        waited = now - self._waiting_since
        if waited > max_wait:
            log.warning(
                "Telegram still holds %d updates; deadlines have waited %.0f s for them and go on",
                info.pending_update_count,
                waited,
            )
            self._waiting_since = None
            self._watermark.mark_received(now)
