"""Deadlines: rounds that nobody answered close by themselves. The database is the only memory of them.

An answer counts by when it was sent. So a round closes only when everything that was sent before its
deadline has arrived and has been handled, however long that takes: the bot may have been down, the network
may be, or a slow update may stand before the answer in its chat's lane.

Nothing here makes a new message: a round that is over, the next hand of a race and the time left are shown
in messages that are there already. So a chat where nobody speaks is left in peace.
"""

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace

from bot import logs
from bot.database import Store, Tx, cause, storage_trouble
from bot.delivery import queries as mail
from bot.delivery.arrivals import GRACE
from bot.delivery.inbox import Inbox
from bot.games.daily import commands as hands
from bot.games.daily import queries as daily
from bot.games.daily.rules import LIFE, day_of
from bot.games.race import queries as races
from bot.games.race.commands import follow
from bot.games.rounds import clocks, reveals
from bot.games.rounds import queries as rounds
from bot.games.rounds.rules import Round, State, expire, time_left
from bot.people import queries as people
from bot.people.leaderboard import queries as boards
from bot.people.privacy import commands as farewell
from bot.people.privacy import farewells
from bot.people.privacy import queries as privacy
from bot.telegram import messages
from bot.telegram.context import Effect
from bot.telegram.messages import Request

log = logging.getLogger(__name__)

LOOK = 1.0
"""Seconds between two looks at what is due."""
SWEEP = 3600.0
STRANGERS = "strangers gone"
"""The fact that the database holds nobody who never played."""
TOGETHER = 200
"""Rounds that are closed in one transaction."""
BUSY = 20
"""Updates a minute from which a chat is spared the time left: its edits would be one more stir."""


Heard = Callable[[int, float], int]
"""How many updates came out of a chat since then."""


class Timers:
    """Closes what is due. `act` runs a move and sends what it answers."""

    def __init__(
        self,
        store: Store,
        act: Callable[[Effect], Awaitable[None]],
        inbox: Inbox,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._act = act
        self._inbox = inbox
        self._wall = wall
        self._swept = 0.0
        self._forgot = 0.0
        self._scrubbed = 0.0
        self._ended = ""
        """The last day whose tables were drawn a last time."""

    async def run(self) -> None:
        """Look again and again, for as long as it is not cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK)

    async def look(self) -> None:
        """Do all that is due by now; what fails of it leaves the rest alone."""
        now = self._wall()
        for part in (self._deadlines, self._tidy, self._tables, self._farewells, self._scrub):
            try:
                await part(now)
            except Exception as error:  # noqa: BLE001 - what one part gets wrong must not end the others
                if not storage_trouble(error):
                    logs.unforeseen(log, f"the timer {part.__name__} failed", error)
                else:
                    log.warning("deadlines wait for the database: %s", cause(error))

    async def _deadlines(self, _: float) -> None:
        """Close every round whose deadline is over by Telegram's clock, and show others' time left."""
        now = self._inbox.now()
        if not await self._close_what_is_due(now) and await self._shows_an_old_time(now):
            await self._act(lambda tx: show_time(tx, now, self._inbox.heard))

    async def _tidy(self, now: float) -> None:
        if _is_due(self._swept, SWEEP, now):
            self._swept = now
            await self._store.write(lambda tx: tidy(tx, now))
            await self._store.settle()

    async def _tables(self, now: float) -> None:
        """Let no group's table wait for somebody whose time is over."""
        last = day_of(now - 2 * LIFE)
        if last != self._ended:
            await self._act(lambda tx: hands.ended(tx, now))
            self._ended = last

    async def _farewells(self, now: float) -> None:
        """See to those who asked to be forgotten and whose copy did not arrive."""
        if _is_due(self._forgot, mail.MINUTE, now):
            self._forgot = now
            if await self._store.read(lambda tx: bool(farewells.failed(tx))):
                await self._act(lambda tx: farewell.sweep(tx, now))

    async def _scrub(self, now: float) -> None:
        if _is_due(self._scrubbed, SWEEP, now) and await self._store.read(privacy.traces):
            self._scrubbed = now
            if await self._store.scrub():
                await self._store.write(privacy.scrubbed)

    async def _shows_an_old_time(self, now: float) -> bool:
        return bool(await self._store.read(lambda tx: stale(tx, now, self._inbox.heard)))

    async def _close_what_is_due(self, now: float) -> bool:
        """Close the rounds to which nothing sent in time can come any more; whether there were any."""
        arrivals = self._inbox.arrivals
        passed = now - GRACE
        due, at = await self._store.read(
            lambda tx: (clocks.due(tx, passed), clocks.next_deadline(tx, passed))
        )
        missing = [end for d in due if (end := d.deadline + GRACE) > arrivals.through]
        if missing:
            arrivals.want(max(missing))
        arrivals.expected = math.inf if at is None else at + GRACE
        over = [d.round_id for d in due if self._is_over(d)]
        for first in range(0, len(over), TOGETHER):
            some = over[first : first + TOGETHER]
            await self._act(lambda tx, some=some: close_due(tx, some, now))  # type: ignore[misc]
        return bool(over)

    def _is_over(self, due: clocks.Due) -> bool:
        """Whether all that was sent before the deadline has arrived and is handled."""
        arrived = due.deadline + GRACE <= self._inbox.arrivals.through
        return arrived and not self._inbox.holds(due.chat_id, due.deadline)


def tidy(tx: Tx, now: float) -> None:
    """Let go of what is over: old mail, old reveals, chats that no longer count, people who never played."""
    farewells.own(tx)
    mail.forget_old(tx, now)
    boards.sweep(tx, now)
    reveals.sweep(tx, now)
    daily.sweep(tx, now)
    if people.fact(tx, STRANGERS) is None:  # versions before kept them
        people.let_strangers_go(tx)
        people.remember(tx, STRANGERS, "1")


def close_due(tx: Tx, ids: Collection[int], now: float) -> list[Request]:
    """End those of the rounds whose time is over; their messages then show the solutions."""
    rounds.set_aside_these(tx, ids, now)
    due = [reveals.kept_back(tx, expire(round, now)) for number in ids if (round := rounds.by_id(tx, number))]
    return [outgoing for over in due if over.state is State.EXPIRED for outgoing in _closed(tx, over, now)]


def _closed(tx: Tx, over: Round, now: float) -> list[Request]:
    """Close one round. Whatever is wrong with it or its race costs that one only: it closes all the same."""
    try:
        with tx.begin_nested():
            return _shown(tx, over, now) if rounds.close(tx, over) else []
    except Exception as error:
        if any(map(storage_trouble, (error, error.__context__ or error))):
            raise
        logs.unforeseen(log, f"round {over.id} is closed, and nothing follows it", error)
    rounds.close(tx, over)
    if over.race_id is not None:
        races.stop(tx, over.race_id)
    return [messages.show(over)] if over.message_id is not None else []


def _shown(tx: Tx, over: Round, now: float) -> list[Request]:
    """What follows a round's end: nothing in a chat that its deal never reached."""
    if over.message_id is not None:
        return follow(tx, over, now)
    race = races.by_id(tx, over.race_id) if over.race_id is not None else None
    if race is not None:
        races.advance(tx, replace(race, open=False))
    return []


def _is_due(last: float, every: float, now: float) -> bool:
    """Whether so many seconds have gone since it was done, or the clock was set back since then."""
    return not 0 <= now - last <= every


def stale(tx: Tx, now: float, heard: Heard) -> list[clocks.Clock]:
    """The messages that show another time left than it is now, but for those in busy chats."""
    changed = [
        c for c in clocks.clocks(tx, now) if time_left(c.deadline, now) != time_left(c.deadline, c.shown)
    ]
    return [clock for clock in changed if heard(clock.chat_id, now - 60) < BUSY]


def show_time(tx: Tx, now: float, heard: Heard) -> list[Request]:
    """Draw the messages that show an old time left."""
    shown = []
    for clock in stale(tx, now, heard):
        rounds.shown(tx, clock.round_id, now)
        shown.append(messages.redraw(clock.chat_id, clock.round_id))
    return shown
