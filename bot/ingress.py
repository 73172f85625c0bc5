"""Receive updates: the bot fetches them, or Telegram posts them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial

from starlette.routing import Route
from telegram import Bot
from telegram.error import TelegramError

from bot.logs import RedactingFormatter
from bot.pulse import Pulse
from bot.queue.inbox import Inbox
from bot.settings import Settings
from bot.supervision import FatalErrors, keep_running
from bot.telegram.api import describe_failure, require_true
from bot.telegram.polling import TokenLostError, poll_updates
from bot.telegram.routes import ALLOWED_UPDATES
from bot.telegram.startup import StartError, call_until_answered
from bot.web.webhook import TakenOverError, Webhook, watch_webhook

log = logging.getLogger(__name__)


class PollingIngress:
    """Fetches updates from Telegram."""

    name = "polling"

    def __init__(self, bot: Bot, inbox: Inbox, pulse: Pulse, check_token: Callable[[], object]) -> None:
        self._bot, self._inbox, self._pulse, self._check_token = bot, inbox, pulse, check_token

    async def open(self) -> bool:
        """Delete a webhook, so that Telegram keeps updates for polling. Return True. Raises StartError."""

        async def delete_webhook() -> None:
            if (await self._bot.get_webhook_info()).url:
                await require_true(self._bot.delete_webhook())

        await call_until_answered(delete_webhook, "BOT_TOKEN")
        return True  # unlike the None of `run_unless_stopped`

    async def run(self) -> None:
        """Fetch updates until cancelled. Raises PollingError or TokenLostError."""
        self._pulse.is_of_leader = False  # this bot itself fetches now
        await poll_updates(self._bot, self._inbox, ALLOWED_UPDATES, self._pulse, self._check_token)

    async def close(self) -> None:
        """Do nothing: no connection is kept."""


# Returns the index of the webhook secret that all bots of the database take.
ChooseSecret = Callable[[], Awaitable[int]]
# Whether the database is a new one, on which no bot has set a webhook and nobody has played.
IsNewDatabase = Callable[[], Awaitable[bool]]


class WebhookIngress:
    """Receives updates that Telegram posts."""

    name = "webhook"

    def __init__(
        self,
        bot: Bot,
        inbox: Inbox,
        pulse: Pulse,
        settings: Settings,
        choose_secret: ChooseSecret | None = None,
        is_new: IsNewDatabase | None = None,
    ) -> None:
        self._bot, self._inbox, self._pulse = bot, inbox, pulse
        self._choose_secret, self._is_new_database = choose_secret, is_new
        self._url = settings.webhook_url or ""
        self._redact = RedactingFormatter(settings.secrets).redact
        self._server = Webhook(inbox, settings)

    def add_routes(self, routes: Sequence[Route]) -> None:
        """Serve these at the same address."""
        self._server.add_routes(routes)

    async def open(self) -> bool:
        """Listen, then register the webhook at Telegram. Return True. Raises StartError."""
        try:
            await self._server.listen()
        except OSError as error:
            why = f"WEBHOOK_LISTEN: the webhook can't be opened: {error.strerror or error}"
            raise StartError(why) from None
        await self._warn_of_another_bot()
        await self._register_webhook()
        return True  # unlike the None of `run_unless_stopped`

    async def _register_webhook(self) -> None:
        """Register the webhook with the chosen secret, until that no longer changes. Raises StartError."""
        registered_index: int | None = None  # of the secret that Telegram was told last
        while True:
            index = await self._choose_secret() if self._choose_secret else 0  # 0: the first in the settings
            if index == registered_index:
                return
            register = partial(self._server.register, self._bot, ALLOWED_UPDATES, secret_index=index)
            await call_until_answered(register, "WEBHOOK_URL")
            registered_index = index  # another replica that started meanwhile may have changed the choice

    async def _warn_of_another_bot(self) -> None:
        """Warn if Telegram posts to this address already, but the database is new."""
        # The call also stores that a webhook was set up
        if self._is_new_database is None or not await self._is_new_database():
            return
        try:
            posts_here = (await self._bot.get_webhook_info()).url == self._url
        except TelegramError as error:
            log.info("Telegram does not say where it posts to: %s", describe_failure(error))
            return
        if posts_here:
            log.warning(
                "Telegram posts to WEBHOOK_URL already, and this database is new: if another bot runs there,"
                " give both the same DATABASE_URL, or each plays games of its own"
            )

    async def run(self) -> None:
        """Watch the webhook until cancelled. Raises TakenOverError when it was set to another address."""
        await watch_webhook(self._bot, self._url, self._inbox, self._pulse, self._redact)

    async def close(self) -> None:
        """Stop listening."""
        await self._server.close()


TOKEN_LOST_ERRORS = (TokenLostError, TakenOverError)
FINISH_TIMEOUT = 5.0  # seconds that a bot whose token is lost has to handle what it received


class Ingress:
    """Receives updates from `source`; after another bot has taken the token, finishes what was received.
    `wait_until_idle` waits until all of that is handled and sent.
    """

    def __init__(
        self,
        source: PollingIngress | WebhookIngress,
        wait_until_idle: Callable[[], Awaitable[None]],
        fatal_errors: FatalErrors,
    ) -> None:
        self.source = source
        self.is_open = True  # whether updates are still received
        self._wait_until_idle = wait_until_idle
        self._fatal_errors = fatal_errors

    async def run(self) -> None:
        """Receive updates until cancelled, or until a fatal error, which is raised. If the token is lost, all
        that was received is handled and sent before, in at most `FINISH_TIMEOUT` seconds.
        """
        try:
            await keep_running(self.source.name, self.source.run, self._fatal_errors)
        except self._fatal_errors as error:
            self.is_open = False
            if isinstance(error, TOKEN_LOST_ERRORS):  # the other bot does not know what was received
                with suppress(TimeoutError):
                    async with asyncio.timeout(FINISH_TIMEOUT):
                        await self._wait_until_idle()
            raise
