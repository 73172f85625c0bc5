"""Takes updates in: the bot fetches them, or Telegram posts them."""

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

    def __init__(self, bot: Bot, inbox: Inbox, pulse: Pulse) -> None:
        self._bot, self._inbox, self._pulse = bot, inbox, pulse

    async def open(self) -> bool:
        """Remove a webhook, so that Telegram keeps updates for us. Raises StartError."""
        await call_until_answered(self._without_webhook, "BOT_TOKEN")
        return True

    async def run(self) -> None:
        """Fetch updates until another bot does."""
        self._pulse.is_of_leader = False
        await poll_updates(self._bot, self._inbox, ALLOWED_UPDATES, self._pulse)

    async def close(self) -> None:
        """Do nothing: no connection is kept."""

    async def _without_webhook(self) -> None:
        if (await self._bot.get_webhook_info()).url:
            await require_true(self._bot.delete_webhook())


# Whether the database is a new one, on which no bot has set a webhook and nobody has played.
IsNewDatabase = Callable[[], Awaitable[bool]]
ChooseSecret = Callable[[], Awaitable[int]]  # which of the webhook's secrets all bots on the database take


class WebhookIngress:
    """Takes updates that Telegram posts, with the secret that is `agreed` among several bots.

    `is_new` tells whether the database is a new one: if Telegram posts to the same address already, that is
    most likely for another bot, which was meant to share its database with this one.
    """

    name = "webhook"

    def __init__(
        self,
        bot: Bot,
        inbox: Inbox,
        pulse: Pulse,
        settings: Settings,
        agreed: ChooseSecret | None = None,
        is_new: IsNewDatabase | None = None,
    ) -> None:
        self._agreed, self._is_new = agreed, is_new
        self._bot, self._inbox, self._pulse = bot, inbox, pulse
        self._url = settings.webhook_url or ""
        self._clean = RedactingFormatter(settings.secrets).redact
        self._server = Webhook(inbox, settings)

    def add_routes(self, routes: Sequence[Route]) -> None:
        """Serve these at the same address."""
        self._server.add_routes(routes)

    async def open(self) -> bool:
        """Listen, then tell Telegram. Raises StartError."""
        try:
            await self._server.listen()
        except OSError as error:
            why = f"WEBHOOK_LISTEN: the webhook can't be opened: {error.strerror or error}"
            raise StartError(why) from None
        await self._look_for_another()
        await self._tell()
        return True

    async def _look_for_another(self) -> None:
        """Warn if another bot seems to take turns with this one: nothing else would ever show it."""
        if self._is_new is None or not await self._is_new():
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

    async def _tell(self) -> None:
        """Set the webhook, again if another bot that started meanwhile changed what is agreed."""
        which: int | None = None
        while which != (agreed := await self._agreed() if self._agreed else 0):
            which = agreed
            await call_until_answered(
                partial(self._server.register, self._bot, ALLOWED_UPDATES, which), "WEBHOOK_URL"
            )

    async def run(self) -> None:
        """Watch where Telegram posts to, until that is elsewhere."""
        await watch_webhook(self._bot, self._url, self._inbox, self._pulse, self._clean)

    async def close(self) -> None:
        """Stop listening."""
        await self._server.close()


TOKEN_LOST_ERRORS = (TokenLostError, TakenOverError)  # another bot has the token
FINISH_TIMEOUT = 5.0  # seconds that a bot which another one replaces has to finish what it took in


class Ingress:
    """Takes updates in; a bot that another one replaces first finishes what it has.

    `idle` waits until all of that is done, and `ends` are errors that end the ingress for good.
    """

    def __init__(
        self,
        bot: Bot,
        inbox: Inbox,
        pulse: Pulse,
        settings: Settings,
        idle: Callable[[], Awaitable[None]],
        ends: FatalErrors,
        agreed: ChooseSecret | None = None,
        is_new: IsNewDatabase | None = None,
    ) -> None:
        hooked = settings.webhook_url is not None
        self.source: PollingIngress | WebhookIngress = (
            WebhookIngress(bot, inbox, pulse, settings, agreed, is_new)
            if hooked
            else PollingIngress(bot, inbox, pulse)
        )
        self._idle = idle
        self._ends = ends
        self.is_open = True  # whether updates still come in

    async def run(self) -> None:
        """Take updates in until that ends for good. Raises what ended it."""
        try:
            await keep_running(self.source.name, self.source.run, self._ends)
        except self._ends as error:
            self.is_open = False
            if isinstance(error, TOKEN_LOST_ERRORS):
                await self._finish()
            raise

    async def _finish(self) -> None:
        """Answer what was taken in already: the bot that goes on knows nothing of it."""
        with suppress(TimeoutError):
            async with asyncio.timeout(FINISH_TIMEOUT):
                await self._idle()
