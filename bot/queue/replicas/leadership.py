"""Which one of several bots leads: it fetches, keeps the time and clears away for all of them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from secrets import randbits

from bot import metrics
from bot.database import DedicatedConnection, Tx
from bot.queue.leases import LaneLostError
from bot.queue.replicas import queries

log = logging.getLogger(__name__)


def report_expired_replicas(bots: int, silent: float) -> None:
    """Count and say that so many others were taken for dead after `silent` seconds, and all that they had is
    free.
    """
    metrics.TAKEOVERS.labels("bot").inc(bots)
    who = "another bot was" if bots == 1 else f"each of {bots} other bots was"
    log.info("%s silent for %g s and is taken for dead: what it served is shared out", who, silent)


class Leadership:
    """The lead as one bot has it, or not; where it had it, that ends when it may have been buried."""

    def __init__(self) -> None:
        self.token: int | None = None
        """What names its lead in the database; None where another one leads, or nobody."""
        self._leads, self._follows = asyncio.Event(), asyncio.Event()
        self._follows.set()
        self._parts = 0
        self._expiry: asyncio.TimerHandle | None = None

    @property
    def has_parts(self) -> bool:
        """Whether there is anything to run: not in a bot that still starts, or that stops."""
        return self._parts > 0

    def check_leader(self, tx: Tx, name: str) -> None:
        """Let nobody take the lead until `tx` is over. Raises LaneLostError if it isn't this bot's."""
        token = tx.scalar(queries.SELECT_TOKEN, {"lane": queries.LEADER_LANE, "owner": name})
        if token is None or token != self.token:
            raise LaneLostError

    async def run_while_leader(self, part: Callable[[], Awaitable[None]]) -> None:
        """Run `part` whenever this bot leads, and stop it when it doesn't any more. Raises as `part`."""
        self._parts += 1
        try:
            while True:
                await self._leads.wait()
                running = asyncio.ensure_future(part())
                over = asyncio.create_task(self._follows.wait())
                try:
                    await asyncio.wait({running, over}, return_when=asyncio.FIRST_COMPLETED)
                    if running.done():
                        return running.result()
                finally:
                    over.cancel()
                    running.cancel()
                    await asyncio.gather(running, over, return_exceptions=True)
        finally:
            self._parts -= 1

    async def update_lead(self, watch: DedicatedConnection, name: str, lasts: Callable[[], float]) -> None:
        """Lead, as this bot, where nobody does, or where it led until it was cut off for a moment. Nobody can
        take it for dead within what `lasts` says by then.
        """
        if self.token is not None and not await self._has_it(watch, name, self.token):
            self.lose_lead()  # another one leads: the server forgot in a crash who did
        if self.has_parts and self.token is None:
            await self._try(watch, name, lasts)
        elif not self.has_parts and self.token is not None:
            self.stop_leading()
            await watch.run(lambda tx: queries.release_lead(tx, name))

    async def _has_it(self, watch: DedicatedConnection, name: str, token: int) -> bool:
        return await watch.run(lambda tx: queries.is_leader(tx, name, token))

    async def _try(self, watch: DedicatedConnection, name: str, lasts: Callable[[], float]) -> None:
        token = randbits(62)
        if await watch.run(lambda tx: queries.take_lead(tx, name, token)):
            self.start_leading(token)
            self.set_expiry(lasts())  # that may be over by now
            metrics.TAKEOVERS.labels("lead").inc()

    def start_leading(self, token: int) -> None:
        """It leads from now on."""
        log.info("this bot leads: it keeps the time and clears away for all, and fetches without a webhook")
        self.token = token
        self._follows.clear()
        self._leads.set()

    def set_expiry(self, seconds: float) -> None:
        """Nobody can have taken it for dead for so long."""
        self.cancel_expiry()
        self._expiry = asyncio.get_running_loop().call_later(max(0.0, seconds), self.lose_lead)

    def lose_lead(self) -> None:
        """It leads no more, if it did."""
        if self.token is not None:
            log.warning("this bot leads no more: it could not say that it is there")
        self.stop_leading()

    def stop_leading(self) -> None:
        """The same where that is as it should be."""
        self.token = None
        self._leads.clear()
        self._follows.set()

    def cancel_expiry(self) -> None:
        """Wait for no end any more."""
        if self._expiry is not None:
            self._expiry.cancel()
