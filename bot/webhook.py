"""Where Telegram posts updates: accepted means committed, and nothing is read without the secret.

The library's own server parses before it checks, logs a wrong secret and answers an update that it can't
parse with an error for ever; this handler does not.
"""

import hmac
import json
import logging
from urllib.parse import urlsplit

import tornado.httpserver
import tornado.web
from sqlalchemy.exc import DBAPIError
from telegram import Bot

from bot.inbox import Inbox, InboxFullError
from bot.settings import Settings

log = logging.getLogger(__name__)

LARGEST = 1024 * 1024
"""Bytes of body that are read; Telegram's updates are a few thousand."""
DEEPEST = 100
SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - a header's name


@tornado.web.stream_request_body
class UpdateHandler(tornado.web.RequestHandler):
    """POST of one update."""

    def initialize(self, inbox: Inbox, secret: str) -> None:
        self._inbox = inbox
        self._secret = secret.encode()
        self._body = bytearray()

    def prepare(self) -> None:
        """Refuse before a byte of the body is kept."""
        given = self.request.headers.get(SECRET_HEADER)
        if given is None:
            raise tornado.web.HTTPError(401)
        if not hmac.compare_digest(given.encode("utf-8", "replace"), self._secret):
            raise tornado.web.HTTPError(403)
        if self.request.method != "POST":
            raise tornado.web.HTTPError(405)
        length = self.request.headers.get("Content-Length", "0")
        if length.isdigit() and int(length) > LARGEST:
            raise tornado.web.HTTPError(413)

    def data_received(self, chunk: bytes) -> None:
        """Collect the body up to the limit."""
        if len(self._body) + len(chunk) > LARGEST:
            raise tornado.web.HTTPError(413)
        self._body += chunk

    async def post(self) -> None:
        """Keep the update, then say so."""
        try:
            update = json.loads(self._body)
        except (ValueError, RecursionError):
            raise tornado.web.HTTPError(400) from None
        if not isinstance(update, dict) or not isinstance(update.get("update_id"), int) or _deep(update):
            raise tornado.web.HTTPError(400)
        try:
            await self._inbox.accept([update])
        except InboxFullError:
            raise tornado.web.HTTPError(503) from None
        except DBAPIError as error:
            log.warning("an update can't be stored, Telegram will repeat it: %s", error.orig)
            raise tornado.web.HTTPError(503) from None

    def write_error(self, status_code: int, **_: object) -> None:
        """Say no more than the number."""
        self.set_header("Connection", "close")
        self.finish(f"{status_code}\n")

    def log_exception(self, typ: object, value: object, tb: object) -> None:
        """Nothing of a refused request reaches the log but its kind."""
        if not isinstance(value, tornado.web.HTTPError):
            log.error("the webhook failed: %s", type(value).__name__)


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
    """The HTTP server, and Telegram's knowledge of it."""

    def __init__(self, inbox: Inbox, settings: Settings) -> None:
        self._settings = settings
        path = urlsplit(settings.webhook_url or "").path or "/"
        options = {"inbox": inbox, "secret": settings.webhook_secret or ""}
        application = tornado.web.Application(
            [(_exactly(path), UpdateHandler, options)], log_function=lambda _: None
        )
        self._server = tornado.httpserver.HTTPServer(
            application,
            max_body_size=64 * LARGEST,
            max_buffer_size=2 * LARGEST,
            chunk_size=65536,
            body_timeout=30,
            idle_connection_timeout=120,
        )

    async def start(self, bot: Bot, allowed: tuple[str, ...]) -> None:
        """Listen, then tell Telegram."""
        listen = self._settings.webhook_listen
        self._server.listen(listen.port, listen.host)
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


def _exactly(path: str) -> str:
    import re

    return re.escape(path.rstrip("/")) + "/?"
