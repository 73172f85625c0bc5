"""Takes the updates that Telegram posts: each is committed before it is accepted.

A request without the secret is refused before its body is read. The library's own server parses first, logs a
wrong secret, and answers an update that it can't parse with an error each time that Telegram repeats it.
"""

import asyncio
import hmac
import json
import logging
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import tornado.httpserver
import tornado.web
from telegram import Bot, WebhookInfo
from tornado.netutil import bind_sockets

from bot.database import cause, storage_trouble
from bot.delivery.arrivals import Arrivals
from bot.delivery.gathering import Gathering
from bot.delivery.inbox import Inbox, InboxFullError
from bot.pulse import Pulse
from bot.settings import Settings
from bot.telegram.api import reason
from bot.web.health import Page

log = logging.getLogger(__name__)

LARGEST = 1024 * 1024
"""Bytes of a body at most; Telegram's updates have a few thousand."""
DRAINED = 64 * LARGEST
"""Bytes of a refused body that are read and dropped, so that its sender gets the answer."""
DEEPEST = 100
"""Levels of lists and objects in an update at most."""
LOOK = 20.0
"""Seconds between two questions to Telegram where it posts to, while no deadline waits for updates."""
PAUSE = 0.5
"""Seconds between two questions while one does."""
SURE = 2.0
"""Seconds for which Telegram must say that it holds no update: one that it is just posting may not count."""
ENOUGH = 15.0
"""Seconds after which updates that Telegram still holds, and posts without trouble, count as newer ones."""
LONGEST = 180.0
"""Seconds for which deadlines wait for what Telegram could not post: it tries again ever more seldom."""
SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - a header's name


class Quiet(tornado.web.RequestHandler):
    """Answers with the status alone, and logs nothing that a stranger sent."""

    def set_default_headers(self) -> None:
        """Leave out which server this is."""
        self.clear_header("Server")
        self.set_header("Content-Type", "text/plain")

    def write_error(self, status_code: int, **_: object) -> None:
        """Answer with the status's number alone."""
        self.set_header("Connection", "close")
        self.finish(f"{status_code}\n")

    def log_exception(self, typ: object, value: object, tb: object) -> None:
        """Log no more of an error than its type."""
        if not isinstance(value, tornado.web.HTTPError):
            log.error("the webhook failed: %s", type(value).__name__)


@tornado.web.stream_request_body
class NotFound(Quiet):
    """Refuses every path but the webhook's before a body is read."""

    def prepare(self) -> None:
        """Answer 404."""
        raise tornado.web.HTTPError(404)

    def data_received(self, chunk: bytes) -> None:
        """Drop the body."""


@tornado.web.stream_request_body
class UpdateHandler(Quiet):
    """Takes one update by POST."""

    def initialize(self, accept: Callable[[Any], Awaitable[None]], secret: str) -> None:
        self._accept = accept
        self._secret = secret.encode()
        self._body = bytearray()
        self._received = 0
        self._refusal = 0
        """The status with which the request is refused once its body is read; 0 if it is not."""

    def prepare(self) -> None:
        """Decide before a byte of the body is kept; a refused body is read and dropped if it is short."""
        headers = self.request.headers
        self._refusal = self._judge(headers.get(SECRET_HEADER), headers.get("Content-Length", ""))
        asks_first = headers.get("Expect", "").lower() == "100-continue"
        if self._refusal and (asks_first or _announced(headers.get("Content-Length", "")) > DRAINED):
            raise tornado.web.HTTPError(self._refusal)

    def _judge(self, given: str | None, length: str) -> int:
        if given is None:
            return 401
        if not hmac.compare_digest(given.encode("utf-8", "replace"), self._secret):
            return 403
        if self.request.method != "POST":
            return 405
        return 413 if _announced(length) > LARGEST else 0

    def data_received(self, chunk: bytes) -> None:
        """Collect the body up to the limit; close the connection on a body without an end."""
        self._received += len(chunk)
        if self._received > LARGEST:
            self._refusal = self._refusal or 413
        if self._refusal:
            self._body.clear()
            if self._received > DRAINED:
                self.request.connection.stream.close()  # type: ignore[union-attr]
            return
        self._body += chunk

    def get(self) -> None:
        """Refuse this and every other method but POST."""
        raise tornado.web.HTTPError(self._refusal or 405)

    head = delete = patch = put = options = get

    async def post(self) -> None:
        """Commit the update, then answer 200."""
        if self._refusal:
            raise tornado.web.HTTPError(self._refusal)
        update = _parsed(bytes(self._body))
        if update is None:
            raise tornado.web.HTTPError(400)
        try:
            await self._accept(update)
        except InboxFullError:
            raise tornado.web.HTTPError(503) from None
        except Exception as error:
            if not storage_trouble(error):
                raise
            log.warning("an update can't be stored, Telegram will repeat it: %s", cause(error))
            raise tornado.web.HTTPError(503) from None


def _announced(length: str) -> int:
    """The body's length as the header has it; 0 when it doesn't say."""
    return int(length) if length.isascii() and length.isdigit() and len(length) < 20 else 0


def _parsed(body: bytes) -> dict[str, Any] | None:
    """The update in `body`, or None if it holds anything else."""
    try:
        update = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(update, dict) or type(update.get("update_id")) is not int or _deep(update):
        return None
    return update


def _deep(value: object) -> bool:
    level: list[object] = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for v in level
            for inner in (v.values() if isinstance(v, dict) else v if isinstance(v, list) else ())
        ]
        if not level:
            return False
    return True


class Webhook:
    """The HTTP server, and its registration with Telegram."""

    def __init__(self, inbox: Inbox, settings: Settings) -> None:
        self._settings = settings
        self.port = settings.webhook_listen.port
        """Where it listens; the system's choice once started if the settings say 0."""
        path = urlsplit(settings.webhook_url or "").path or "/"
        options = {"accept": Gathering(inbox.accept).accept, "secret": settings.webhook_secret or ""}
        self._application = application = tornado.web.Application(
            [(_exactly(path), UpdateHandler, options)],
            default_handler_class=NotFound,
            log_function=lambda _: None,
        )
        self._server = tornado.httpserver.HTTPServer(
            application,
            max_body_size=2**62,  # `UpdateHandler` has bounds of its own, and says which one was met
            max_buffer_size=2 * LARGEST,
            chunk_size=65536,
            body_timeout=30,
            idle_connection_timeout=120,
        )

    async def start(self, bot: Bot, allowed: tuple[str, ...]) -> None:
        """Listen, then tell Telegram."""
        self.listen()
        await self.register(bot, allowed)

    def listen(self) -> None:
        """Take requests. Raises OSError when the address can't be had."""
        listen = self._settings.webhook_listen
        sockets = bind_sockets(listen.port, listen.host)
        self.port = sockets[0].getsockname()[1]
        self._server.add_sockets(sockets)

    def also(self, pages: Sequence[Page]) -> None:
        """Serve these beside the webhook."""
        self._application.add_handlers(".*", list(pages))

    async def register(self, bot: Bot, allowed: tuple[str, ...]) -> None:
        """Tell Telegram where to post. Raises TelegramError."""
        await bot.set_webhook(
            self._settings.webhook_url or "",
            secret_token=self._settings.webhook_secret,
            allowed_updates=list(allowed),
            max_connections=40,
        )

    async def close(self) -> None:
        """Stop listening; Telegram keeps its updates and posts them to the next start."""
        self._server.stop()
        await self._server.close_all_connections()


class TakenOverError(Exception):
    """Telegram posts elsewhere; the message is one line."""


async def watch(bot: Bot, url: str, inbox: Inbox, pulse: Pulse | None = None) -> None:
    """Ask Telegram now and then whether it still posts here, and often while deadlines wait for updates.

    Each answer beats `pulse`, unless it says that nothing comes through. Raises TakenOverError when another
    bot took the webhook.
    """
    queue = _Queue(inbox.arrivals)
    while True:
        with suppress(TimeoutError):
            await asyncio.wait_for(inbox.arrivals.asked(), LOOK)
        began = inbox.now()
        try:
            info = await bot.get_webhook_info()
        except Exception as error:  # noqa: BLE001 - an answer that makes no sense can fail in any way
            log.warning("Telegram does not say what waits for the webhook, asking again: %s", reason(error))
        else:
            if pulse is not None and not stuck(info, inbox.accepted):
                pulse.beat(time.monotonic())
            if info.url != url:
                raise TakenOverError("WEBHOOK_URL: Telegram posts elsewhere now: another bot uses the token")
            queue.seen(info, began)
        await asyncio.sleep(PAUSE)


def stuck(info: WebhookInfo, accepted: float) -> bool:
    """Whether Telegram could not post what it holds, and nothing has come in since that (`accepted`)."""
    failed = info.last_error_date
    return bool(info.pending_update_count and failed and failed.timestamp() > accepted)


class _Queue:
    """Updates that Telegram has not posted yet, as it says itself."""

    def __init__(self, arrivals: Arrivals) -> None:
        self._arrivals = arrivals
        self._waits: float | None = None
        """Since when a deadline waits for what Telegram holds."""
        self._empty: float | None = None
        """Since when it has said each time that it holds nothing."""

    def seen(self, info: WebhookInfo, now: float) -> None:
        """Tell `arrivals` once everything has come, or has been waited for long enough."""
        if info.pending_update_count:
            self._empty = None
            self._held(info, now)
            return
        self._waits = None
        self._empty = now if self._empty is None else self._empty
        if now - self._empty >= SURE:
            self._arrivals.complete(now - SURE)

    def _held(self, info: WebhookInfo, now: float) -> None:
        if not self._arrivals.awaited:
            self._waits = None
        elif self._waits is None:
            self._waits = now
        elif now - self._waits > (LONGEST if self._trouble(info, self._waits) else ENOUGH):
            log.warning(
                "Telegram still holds %d updates; deadlines have waited %.0f s for them and go on",
                info.pending_update_count,
                now - self._waits,
            )
            self._waits = None
            self._arrivals.complete(now)

    def _trouble(self, info: WebhookInfo, since: float) -> bool:
        """Whether Telegram could not post something lately."""
        return info.last_error_date is not None and info.last_error_date.timestamp() > since - LONGEST


def _exactly(path: str) -> str:
    return re.escape(path.rstrip("/")) + "/?"
