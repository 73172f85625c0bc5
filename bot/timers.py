"""Deadlines: rounds that nobody answered close by themselves. The database is the only memory of them.

Nothing here makes a new message: a round that is over, the next hand of a race and the time left are shown
in messages that are there already. So a chat where nobody speaks is left in peace.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

from sqlalchemy.exc import DBAPIError

from bot import reply
from bot.handlers.race import follow
from bot.reply import Outgoing
from bot.round import Round, expire, time_left
from bot.store import Store, Tx, boards, mail, privacy, races, rounds
from bot.turn import Move

log = logging.getLogger(__name__)

LOOK = 1.0
"""Seconds between two looks at what is due."""
SWEEP = 3600.0
GRACE = 2.0
"""Seconds that an answer sent in time may need to arrive."""
BUSY = 20
"""Updates a minute from which a chat is spared the time left: its edits would be one more stir."""


class Timers:
    """Closes what is due. `act` runs a move and sends what it answers."""

    def __init__(
        self, store: Store, act: Callable[[Move], Awaitable[None]], wall: Callable[[], float] = time.time
    ) -> None:
        self._store = store
        self._act = act
        self._wall = wall
        self._swept = 0.0
        self._scrubbed = 0.0

    async def run(self) -> None:
        """Look again and again, for as long as it is not cancelled."""
        while True:
            try:
                await self.look()
            except DBAPIError as error:
                log.warning("deadlines wait for the database: %s", error.orig)
            await asyncio.sleep(LOOK)

    async def look(self) -> None:
        """Close every round whose deadline is over by now, and show the time left of the others."""
        now = self._wall()
        at = await self._store.read(rounds.next_deadline)
        if at is None:
            pass
        elif at + GRACE < now:
            await self._act(lambda tx: close_due(tx, now))
        elif await self._store.read(lambda tx: stale(tx, now)):
            await self._act(lambda tx: show_time(tx, now))
        if now - self._swept > SWEEP:
            self._swept = now
            await self._store.write(lambda tx: tidy(tx, now))
        if now - self._scrubbed > SWEEP and await self._store.read(privacy.traces):
            self._scrubbed = now
            if await self._store.scrub():
                await self._store.write(privacy.scrubbed)


def tidy(tx: Tx, now: float) -> None:
    """Let go of what is over: old mail, chats that no longer count, people who asked to be forgotten."""
    mail.forget_old(tx, now)
    boards.sweep(tx, now)
    privacy.sweep(tx)


def close_due(tx: Tx, now: float) -> list[Outgoing]:
    """End the rounds whose time is over for good; their messages then show the solutions."""
    due = [expire(round, now - GRACE) for round in rounds.due(tx, now - GRACE)]
    return [outgoing for over in due if rounds.close(tx, over) for outgoing in _shown(tx, over, now)]


def _shown(tx: Tx, over: Round, now: float) -> list[Outgoing]:
    """What follows a round's end: nothing in a chat that its deal never reached."""
    if over.message_id is not None:
        return follow(tx, over, now)
    race = races.by_id(tx, over.race_id) if over.race_id is not None else None
    if race is not None:
        races.advance(tx, replace(race, open=False))
    return []


def stale(tx: Tx, now: float) -> list[rounds.Clock]:
    """The messages that show another time left than it is now, but for those in busy chats."""
    changed = [
        c for c in rounds.clocks(tx, now) if time_left(c.deadline, now) != time_left(c.deadline, c.shown)
    ]
    return [clock for clock in changed if rounds.heard(tx, clock.chat_id, now - 60) < BUSY]


def show_time(tx: Tx, now: float) -> list[Outgoing]:
    """Draw the messages that show an old time left."""
    shown = []
    for clock in stale(tx, now):
        rounds.shown(tx, clock.round_id, now)
        shown.append(reply.redraw(clock.chat_id, clock.round_id))
    return shown
