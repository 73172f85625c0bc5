"""Deadlines: rounds that nobody answered close by themselves. The database is the only memory of them."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from sqlalchemy.exc import DBAPIError

from bot import reply
from bot.reply import Outgoing
from bot.round import expire
from bot.store import Store, Tx, mail, rounds
from bot.turn import Move

log = logging.getLogger(__name__)

LOOK = 1.0
"""Seconds between two looks at what is due."""
SWEEP = 3600.0
GRACE = 2.0
"""Seconds that an answer sent in time may need to arrive."""


class Timers:
    """Closes what is due. `act` runs a move and sends what it answers."""

    def __init__(
        self, store: Store, act: Callable[[Move], Awaitable[None]], wall: Callable[[], float] = time.time
    ) -> None:
        self._store = store
        self._act = act
        self._wall = wall
        self._swept = 0.0

    async def run(self) -> None:
        """Look again and again, for as long as it is not cancelled."""
        while True:
            try:
                await self.look()
            except DBAPIError as error:
                log.warning("deadlines wait for the database: %s", error.orig)
            await asyncio.sleep(LOOK)

    async def look(self) -> None:
        """Close every round whose deadline is over by now."""
        now = self._wall()
        at = await self._store.read(rounds.next_deadline)
        if at is not None and at + GRACE < now:
            await self._act(lambda tx: close_due(tx, now - GRACE))
        if now - self._swept > SWEEP:
            self._swept = now
            await self._store.write(lambda tx: mail.forget_old(tx, now))


def close_due(tx: Tx, now: float) -> list[Outgoing]:
    """End the rounds whose time is over by `now`; their messages then show the solutions."""
    due = [expire(round, now) for round in rounds.due(tx, now)]
    return [reply.show(round) for round in due if rounds.close(tx, round)]
