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

from bot.connectivity import Connectivity
from bot.database import Watch
from bot.pulse import Pulse
from bot.queue.replicas import queries

log = logging.getLogger(__name__)

FOLLOWED = 30.0  # Seconds since the bot that leads heard of Telegram up to which that holds for all
# Seconds without any answer after which it asks the others, and after which it leaves its chats to them.
ASKS, GIVES_UP = 1.0, 5.0
# Seconds without any answer after which the one that leads tries: Telegram may hold what it asks for longer,
# and over a connection that is lost without a word that looks the same.
QUIET = 10.0
BETWEEN, PATIENCE = 2.0, 10.0  # Seconds between two tries at Telegram, and that one may take
NEVER = 1e9  # Seconds that mean that it never heard of Telegram
Try = Callable[[], Awaitable[object]]  # A request to Telegram, whose outcome its connections note


class Contact:
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
    def told(self) -> float:
        """Seconds since Telegram answered this bot, for the others; `ASKING` where it does no more."""
        return queries.ASKING if self._reach.lost > ASKS else min(NEVER, self._reach.ago)

    async def hear(self, watch: Watch, name: str, *, leads: bool) -> None:
        """Who leads says when it heard of Telegram; for the others that holds as well."""
        now, asked = self._reach.monotonic(), False
        if leads:
            if self._pulse.beats and self._pulse.silent(now) < FOLLOWED:
                await watch.run(lambda tx: queries.beats(tx, name))
        else:
            self._pulse.followed = True
            silent, asked = await watch.run(queries.heard)
            if silent < FOLLOWED:
                self._pulse.beat(now)
        quiet = GIVES_UP if asked else QUIET if leads else NEVER
        if self._reach.lost > ASKS or self._reach.ago > quiet:
            self._begin()

    async def cut_off(self, watch: Watch, name: str) -> bool:
        """Whether Telegram answers others, and has not answered this one for a while, nor when it tried: one
        request alone may just take long.
        """
        lost = self._reach.lost
        if lost <= GIVES_UP or self._in_vain <= self._reach.heard:
            return False
        if not await watch.run(lambda tx: queries.others_reach(tx, name, lost)):
            return False
        self._pulse.cut_off = True
        return True

    def back(self) -> bool:
        """Whether it has not been cut off, or is no more, as a try at Telegram showed."""
        if not self._pulse.cut_off:
            return True
        if self._reach.lost:
            self._begin()
            return False
        log.info("this bot reaches Telegram again")
        self._pulse.cut_off = False
        return True

    def _begin(self) -> None:
        """Try, beside all else, unless that was just done."""
        now = self._reach.monotonic()
        if now - self._tried >= BETWEEN and (self._trying is None or self._trying.done()):
            self._tried, self._trying = now, asyncio.create_task(self._try())

    async def _try(self) -> None:
        began = self._reach.monotonic()
        with suppress(Exception):  # what came of it is noted by what sent it
            async with asyncio.timeout(PATIENCE):
                await self._try_it()
        if self._reach.heard < began:
            self._in_vain = began
