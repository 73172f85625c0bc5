"""What each bot hears of Telegram, told to all.

The bot that leads asks it what waits; what comes of that holds for all. And each notes whether its own
requests have answers. One whose requests come to nothing asks the others, which then try: where Telegram
answers one of them, the one that it doesn't answer leaves its chats, and the lead, to them until it does.
Where nobody reaches Telegram all stay as they are.
"""

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from contextlib import suppress

from bot.database import DedicatedConnection
from bot.pulse import Connectivity, Pulse
from bot.queue.replicas import queries

log = logging.getLogger(__name__)

FOLLOWED = 30.0  # Seconds since the bot that leads heard of Telegram up to which that holds for all
# Seconds without any answer after which it asks the others, and after which it leaves its chats to them.
ASKS, GIVES_UP = 1.0, 5.0
# Seconds without any answer after which the one that leads tries: Telegram may hold what it asks for longer,
# and over a connection that is lost without a word that looks the same.
LEADER_SILENCE = 10.0
TRY_INTERVAL, TRY_TIMEOUT = 2.0, 10.0  # Seconds between two tries at Telegram, and that one may take
NEVER_ANSWERED = 1e9  # Seconds that mean that it never heard of Telegram
Try = Callable[[], Awaitable[object]]  # A request to Telegram, whose outcome its connections note


class TelegramContact:
    """One bot's with Telegram. `pulse` is beaten where the one that leads does, `reach` notes what came
    of this one's requests, and `try_it` is one.
    """

    def __init__(self, pulse: Pulse, reach: Connectivity, try_it: Try) -> None:
        self._pulse, self._reach, self._try_it = pulse, reach, try_it
        self._tried = 0.0
        self._in_vain = -math.inf
        """When the last try began that had no answer."""
        self._trying: asyncio.Task[None] | None = None

    @property
    def answer_age(self) -> float:
        """Seconds since Telegram answered this bot, for the others; `ASKING` where it does no more."""
        return (
            queries.NO_ANSWER
            if self._reach.outage_seconds > ASKS
            else min(NEVER_ANSWERED, self._reach.answer_age)
        )

    async def exchange_news(self, watch: DedicatedConnection, name: str, *, leads: bool) -> None:
        """Who leads says when it heard of Telegram; for the others that holds as well."""
        now, asked = self._reach.monotonic(), False
        if leads:
            if self._pulse.success_count and self._pulse.get_success_age(now) < FOLLOWED:
                await watch.run(lambda tx: queries.store_leader_contact(tx, name))
        else:
            self._pulse.is_of_leader = True
            silent, asked = await watch.run(queries.load_leader_contact)
            if silent < FOLLOWED:
                self._pulse.record_success(now)
        quiet = GIVES_UP if asked else LEADER_SILENCE if leads else NEVER_ANSWERED
        if self._reach.outage_seconds > ASKS or self._reach.answer_age > quiet:
            self._begin()

    async def is_cut_off(self, watch: DedicatedConnection, name: str) -> bool:
        """Whether Telegram answers others, and has not answered this one for a while, nor when it tried: one
        request alone may just take long.
        """
        lost = self._reach.outage_seconds
        if lost <= GIVES_UP or self._in_vain <= self._reach.last_answer_at:
            return False
        if not await watch.run(lambda tx: queries.do_others_reach_telegram(tx, name, lost)):
            return False
        self._pulse.is_cut_off = True
        return True

    def is_back(self) -> bool:
        """Whether it has not been cut off, or is no more, as a try at Telegram showed."""
        if not self._pulse.is_cut_off:
            return True
        if self._reach.outage_seconds:
            self._begin()
            return False
        log.info("this bot reaches Telegram again")
        self._pulse.is_cut_off = False
        return True

    def _begin(self) -> None:
        """Try, beside all else, unless that was just done."""
        now = self._reach.monotonic()
        if now - self._tried >= TRY_INTERVAL and (self._trying is None or self._trying.done()):
            self._tried, self._trying = now, asyncio.create_task(self._try())

    async def _try(self) -> None:
        began = self._reach.monotonic()
        with suppress(Exception):  # what came of it is noted by what sent it
            async with asyncio.timeout(TRY_TIMEOUT):
                await self._try_it()
        if self._reach.last_answer_at < began:
            self._in_vain = began
