"""Lead: of several bots one polls, runs timers and clears away for all of them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from secrets import randbits

from bot import metrics
from bot.database import DedicatedConnection, Tx
from bot.queue.leases import LaneLostError
from bot.queue.replicas import queries

log = logging.getLogger(__name__)


class Leadership:
    """Takes and gives up the lead, and runs the leader's parts; ends with the bot's lease."""

    def __init__(self) -> None:
        self.token: int | None = None  # names this bot's lead in the database; None unless it leads
        self._leads = asyncio.Event()
        self._follows = asyncio.Event()  # set while `_leads` is not
        self._follows.set()
        self._parts = 0  # how many are to run; 0 in a bot that still starts, or that stops
        self._expiry: asyncio.TimerHandle | None = None

    def check_leader(self, tx: Tx, name: str) -> None:
        """Keep other bots from leading until `tx` ends. Raises LaneLostError if this bot does not lead."""
        token = tx.scalar(queries.SELECT_TOKEN_FOR_SHARE, {"lane": queries.LEADER_LANE, "owner": name})
        if token is None or token != self.token:
            raise LaneLostError

    async def run_while_leader(self, part: Callable[[], Awaitable[None]]) -> None:
        """Run `part` while this bot leads, until it returns; restart it with each lead. Raises as `part`."""
        self._parts += 1
        try:
            while True:
                await self._leads.wait()
                running = asyncio.ensure_future(part())
                loss = asyncio.create_task(self._follows.wait())
                try:
                    await asyncio.wait({running, loss}, return_when=asyncio.FIRST_COMPLETED)
                    if running.done():  # else the lead is lost: cancel the part until the next lead
                        return running.result()
                finally:
                    loss.cancel()
                    running.cancel()
                    await asyncio.gather(running, loss, return_exceptions=True)
        finally:
            self._parts -= 1

    async def update_lead(
        self, connection: DedicatedConnection, name: str, get_lease_seconds: Callable[[], float]
    ) -> None:
        """Take the lead if nobody has it, notice if another bot does, release it if no part is to run."""
        token = self.token
        if token is not None and not await connection.run(lambda tx: queries.is_leader(tx, name, token)):
            self.lose_lead()  # the server forgot in a crash that this bot led
        if self._parts and self.token is None:
            new_token = randbits(62)
            if await connection.run(lambda tx: queries.take_lead(tx, name, new_token)):
                self.start_leading(new_token)
                self.set_expiry(get_lease_seconds())  # which may be over by now
                metrics.TAKEOVERS.labels("lead").inc()
        elif not self._parts and self.token is not None:
            self.stop_leading()
            await connection.run(lambda tx: queries.release_lead(tx, name))

    def start_leading(self, token: int) -> None:
        """Start the parts, under this new token of the lead."""
        log.info("this bot leads: it keeps the time and clears away for all, and fetches without a webhook")
        self.token = token
        self._follows.clear()
        self._leads.set()

    def set_expiry(self, seconds: float) -> None:
        """Lose the lead after so many seconds, unless this is called again before."""
        self.cancel_expiry()
        self._expiry = asyncio.get_running_loop().call_later(max(0.0, seconds), self.lose_lead)

    def cancel_expiry(self) -> None:
        if self._expiry is not None:
            self._expiry.cancel()

    def lose_lead(self) -> None:
        """If this bot leads, stop, and log a warning that the lease could not be renewed."""
        if self.token is not None:
            log.warning("this bot leads no more: it could not say that it is there")
        self.stop_leading()

    def stop_leading(self) -> None:
        """Cancel the parts."""
        self.token = None
        self._leads.clear()
        self._follows.set()  # `run_while_leader` waits for it
