"""Receive updates: the bot fetches them, or Telegram posts them."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from telegram import Bot

from bot.metrics import Pulse
from bot.queue.inbox import Inbox
from bot.supervision import FatalErrors, keep_running
from bot.telegram.api import require_true
from bot.telegram.polling import TokenLostError, poll_updates
from bot.telegram.routes import ALLOWED_UPDATES
from bot.telegram.startup import call_until_answered
from bot.web.webhook import TakenOverError, Webhook


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
        return True  # its caller gets None instead if the bot is stopped meanwhile

    async def run(self) -> None:
        """Fetch updates until cancelled. Raises PollingError or TokenLostError."""
        self._pulse.is_of_leader = False  # this bot itself fetches now
        await poll_updates(self._bot, self._inbox, ALLOWED_UPDATES, self._pulse, self._check_token)

    async def close(self) -> None:
        """Do nothing: no connection is kept."""


TOKEN_LOST_ERRORS = (TokenLostError, TakenOverError)
FINISH_TIMEOUT = 5.0  # seconds that a bot whose token is lost has to handle what it received


class Ingress:
    """Receives updates from `source`; after another bot has taken the token, finishes what was received.
    `wait_until_idle` waits until all of that is handled and sent.
    """

    def __init__(
        self,
        source: PollingIngress | Webhook,
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
