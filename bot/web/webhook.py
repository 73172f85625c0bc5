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
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from math import inf
from typing import Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from telegram import Bot, WebhookInfo
from telegram.error import InvalidToken, TelegramError

from bot.database import describe_error, is_database_failure
from bot.database.store import Batcher
from bot.logs import RedactingFormatter
from bot.metrics import Pulse
from bot.queue.inbox import Inbox, InboxFullError
from bot.queue.refusals import is_refusal
from bot.queue.updates import Watermark
from bot.settings import Settings
from bot.telegram.api import describe_failure, require_true
from bot.telegram.routes import ALLOWED_UPDATES
from bot.telegram.startup import StartError, call_until_answered
from bot.web.server import Server, read_body

log = logging.getLogger(__name__)


SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - a header's name
BATCH_SIZE = 100  # updates of one transaction: as many as Telegram hands over at once to a poller
MAX_POST_BYTES = 1024 * 1024  # bytes of a body; Telegram's updates have a few thousand


class Webhook:
    """Receives updates that Telegram posts: a server, and its registration with Telegram."""

    name = "webhook"

    def __init__(
        self,
        bot: Bot,
        inbox: Inbox,
        pulse: Pulse,
        settings: Settings,
        load_secret_index: Callable[[], Awaitable[int]] | None = None,
        is_new: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        """Prepare the server, which listens from `open` on.

        `load_secret_index` returns the place of the secret that all bots of the database take; `is_new`
        returns whether no bot has set a webhook on the database and nobody has played.
        """
        self._bot = bot
        self._inbox = inbox
        self._pulse = pulse
        self._settings = settings
        self._load_secret_index = load_secret_index
        self._is_new_database = is_new
        self._url = settings.webhook_url or ""
        self._secrets = [secret.encode() for secret in settings.webhook_secrets]
        self._accept = Batcher[Any](inbox.accept, BATCH_SIZE).submit
        path = urlsplit(self._url).path.rstrip("/")
        paths = {path or "/", f"{path}/"}  # with and without a slash at the end
        routes = [Route(each, self._accept_post, methods=["POST"]) for each in paths]
        self.server = Server(routes)

    async def open(self) -> bool:
        """Listen, then register the webhook at Telegram. Return True. Raises StartError."""
        try:
            await self.server.listen(self._settings.webhook_listen)
        except OSError as error:
            why = f"WEBHOOK_LISTEN: the webhook can't be opened: {error.strerror or error}"
            raise StartError(why) from None
        await self._warn_of_another_bot()
        await self._register()
        return True  # its caller gets None instead if the bot is stopped meanwhile

    async def _register(self) -> None:
        """Register the webhook with the chosen secret, until that no longer changes. Raises StartError."""
        registered_index: int | None = None  # of the secret that Telegram was told last
        while True:
            index = 0  # the first in the settings
            if self._load_secret_index:
                index = await self._load_secret_index()
            if index == registered_index:
                return
            await call_until_answered(partial(self._set_webhook, secret_index=index), "WEBHOOK_URL")
            registered_index = index  # another replica that started meanwhile may have changed the choice

    async def _set_webhook(self, secret_index: int) -> None:
        """Set the webhook at Telegram to the settings' URL and one of its secrets. Raises TelegramError."""
        setting = self._bot.set_webhook(
            self._url,
            secret_token=self._settings.webhook_secrets[secret_index],
            allowed_updates=list(ALLOWED_UPDATES),
            max_connections=40,  # Telegram's default
        )
        await require_true(setting)

    async def _warn_of_another_bot(self) -> None:
        """Warn if Telegram posts to this address already, but the database is new."""
        # The call also stores that a webhook was set up
        if self._is_new_database is None or not await self._is_new_database():
            return
        try:
            info = await self._bot.get_webhook_info()
        except TelegramError as error:
            log.info("Telegram does not say where it posts to: %s", describe_failure(error))
            return
        if info.url == self._url:
            log.warning(
                "Telegram posts to WEBHOOK_URL already, and this database is new: if another bot runs there,"
                " give both the same DATABASE_URL, or each plays games of its own"
            )

    async def run(self) -> None:
        """Watch the webhook until cancelled. Raises TakenOverError when it was set to another address."""
        redact = RedactingFormatter(self._settings.secrets).redact
        await watch_webhook(self._bot, self._url, self._inbox, self._pulse, redact)

    async def close(self) -> None:
        """Stop listening; Telegram keeps its updates until the next start."""
        await self.server.close()

    async def _accept_post(self, request: Request) -> Response:
        """Commit the update and respond with 200. Raises HTTPException, 503 if it can't be stored."""
        self._check_secret(request)
        body = await read_body(request, MAX_POST_BYTES)
        try:
            update = json.loads(body)
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
    bot: Bot, url: str, inbox: Inbox, pulse: Pulse, clean: Callable[[str], str] = str
) -> None:
    """Ask Telegram from time to time whether it can post here, and often while deadlines wait for updates.

    Record each answer in `pulse`, as a failure if Telegram can't post; `clean` removes secrets from its
    reason. Raises TakenOverError if another bot has taken the webhook, StartError if Telegram refuses the
    token.
    """
    backlog = _Backlog(inbox.watermark)
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
            failure = describe_delivery_failure(info, inbox.last_accepted_at, clean)
            if failure:
                pulse.record_failure(time.monotonic(), failure)
            else:
                pulse.record_success(time.monotonic())
            _log_change(failure, last_failure)
            last_failure = failure
            backlog.observe(info, asked_at)
        await asyncio.sleep(BUSY_INTERVAL)


async def _handle_unanswered(bot: Bot, error: Exception) -> None:
    """Log the error; if the token was refused, ask with it again. Raises StartError if it still is."""
    log.warning("Telegram does not say what waits for the webhook, asking again: %s", describe_failure(error))
    if isinstance(error, InvalidToken) and is_refusal(error):
        await call_until_answered(bot.get_me, "BOT_TOKEN")


def _log_change(failure: str, last_failure: str) -> None:
    """Log a failure that differs from the last one, or that posts arrive again; empty means they arrive."""
    if failure and failure != last_failure:
        log.warning("Telegram can't post updates here: %s", failure)
    elif last_failure and not failure:
        log.info("Telegram can post updates here again")


MAX_REASON_CHARS = 200


def describe_delivery_failure(info: WebhookInfo, last_accepted_at: float, clean: Callable[[str], str]) -> str:
    """Return in one printable line why Telegram could not post the updates it holds.

    Empty if it holds none, or this bot has accepted one since the failure.
    """
    failed_at = info.last_error_date
    if not info.pending_update_count or not failed_at or failed_at.timestamp() <= last_accepted_at:
        return ""
    words = str(info.last_error_message or "").split()
    reason = clean(" ".join(words))[:MAX_REASON_CHARS]
    if not reason:
        return "it does not say why"
    return "".join(char if char.isprintable() else "?" for char in reason)


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
        max_wait = MAX_BACKLOG_WAIT
        failed_at = info.last_error_date.timestamp() if info.last_error_date else -inf
        if failed_at > self._waiting_since - MAX_FAILURE_WAIT:  # lately
            max_wait = MAX_FAILURE_WAIT
        waited = now - self._waiting_since
        if waited > max_wait:
            log.warning(
                "Telegram still holds %d updates; deadlines have waited %.0f s for them and go on",
                info.pending_update_count,
                waited,
            )
            self._waiting_since = None
            self._watermark.mark_received(now)
