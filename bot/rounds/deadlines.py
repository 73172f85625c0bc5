"""Rounds that nobody answered close by themselves. The database is the only memory of their deadlines.

An answer counts by when it was sent. So a round closes only when everything that was sent before its
deadline has arrived and has been handled, however long that takes: the bot may have been down, the network
may be, or a slow update may stand before the answer in its chat's lane. Only for what stands in somebody's
private chat it waits no longer than `PATIENCE` (`bot.queue.inbox`): what fills that one is their own.

Nothing here makes a new message: a round that is over, the next hand of a race and the time left are shown
in messages that are there already. So a chat where nobody speaks is left in peace.
"""

import logging
import math
from collections.abc import Callable, Collection
from dataclasses import replace

from bot import logs
from bot.database import Tx, storage_trouble
from bot.modes.race import queries as races
from bot.queue.arrivals import GRACE
from bot.queue.timers import Running, TimedWork
from bot.rounds import clocks, doors, secrecy
from bot.rounds import queries as rounds
from bot.rounds.endings import follow
from bot.rounds.puzzle import numbers_of
from bot.rounds.rules import Round, State, expire, time_left
from bot.telegram import messages
from bot.telegram.messages import Request

log = logging.getLogger(__name__)

# Messages that are drawn anew in a transaction: an answer may wait for that. Rounds close one by one.
TOGETHER = 8
BUSY = 20  # Updates a minute from which a chat is spared the time left: its edits would be one more stir

Heard = Callable[[int, float], int]  # How many updates came out of a chat since then


async def _look(running: Running, _: float) -> None:
    """Close every round whose deadline is over by Telegram's clock; if none is, show others' time left."""
    now, heard = running.inbox.now(), running.inbox.heard
    if await _close_what_is_due(running, now):
        return
    late = await running.store.read(lambda tx: stale(tx, now, heard))
    for first in range(0, len(late), TOGETHER):
        some = {clock.round_id for clock in late[first : first + TOGETHER]}
        await running.act(lambda tx, some=some: show_time(tx, some, now, heard))  # type: ignore[misc]


async def _close_what_is_due(running: Running, now: float) -> bool:
    """Close the rounds to which nothing sent in time can come any more; whether there were any."""
    arrivals = running.inbox.arrivals
    passed = now - GRACE
    due, at = await running.store.read(lambda tx: (clocks.due(tx, passed), clocks.next_deadline(tx, passed)))
    arrived = [d for d in due if d.deadline + GRACE <= arrivals.through]
    if len(arrived) < len(due):
        arrivals.want(max(d.deadline for d in due) + GRACE)
    arrivals.expected = math.inf if at is None else at + GRACE
    over = [d.round_id for d in arrived if not await _is_held(running, d)]
    for number in over:
        await running.act(lambda tx, number=number: close_due(tx, number, now))  # type: ignore[misc]
    return bool(over)


async def _is_held(running: Running, due: clocks.Clock) -> bool:
    """Whether an answer that was sent in time still waits: in the group, or in the chat of somebody who may
    answer from there.
    """
    people = await running.store.read(lambda tx: doors.players(tx, due.chat_id))
    return await running.inbox.waits_for(due.chat_id, people, due.deadline)


def close_due(tx: Tx, number: int, now: float) -> list[Request]:
    """End the round if its time is over; its message then shows the solutions. Whatever is wrong with it, its
    game or its race, it ends all the same.
    """
    rounds.set_aside_if_broken(tx, number, now)
    try:
        with tx.begin_nested():
            return _expired(tx, number, now)
    except Exception as error:
        if any(map(storage_trouble, (error, error.__context__ or error))):
            raise
        logs.unforeseen(log, f"round {number} is closed, and nothing follows it", error)
    ended = clocks.expire_plainly(tx, number, now)
    if ended is None:
        return []
    if ended.race_id is not None:
        races.stop(tx, ended.race_id)
    return [messages.show_again(ended.chat_id, number)] if ended.message_id is not None else []


def _expired(tx: Tx, number: int, now: float) -> list[Request]:
    """End the round if its time is over, and do what follows."""
    round = rounds.by_id(tx, number)
    over = expire(round, now) if round is not None else None
    if over is None or over.state is not State.EXPIRED or not rounds.close(tx, over):
        return []
    if over.chat_id > 0:
        secrecy.remember(tx, over.chat_id, numbers_of(over.line), now)
    return _shown(tx, over, now)


def _shown(tx: Tx, over: Round, now: float) -> list[Request]:
    """What follows a round's end: nothing in a chat that its deal never reached."""
    if over.message_id is not None:
        return follow(tx, over, now)
    race = races.by_id(tx, over.race_id) if over.race_id is not None else None
    if race is not None:
        races.advance(tx, replace(race, open=False))
    return []


def stale(tx: Tx, now: float, heard: Heard) -> list[clocks.Clock]:
    """The messages that show another time left than it is now, but for those in busy chats."""
    changed = [
        c for c in clocks.clocks(tx, now) if time_left(c.deadline, now) != time_left(c.deadline, c.shown)
    ]
    return [clock for clock in changed if heard(clock.chat_id, now - 60) < BUSY]


def show_time(tx: Tx, ids: Collection[int], now: float, heard: Heard) -> list[Request]:
    """Draw the messages of those of the rounds that show an old time left."""
    shown = []
    for clock in (clock for clock in stale(tx, now, heard) if clock.round_id in ids):
        rounds.shown(tx, clock.round_id, now)
        shown.append(messages.redraw(clock.chat_id, clock.round_id))
    return shown


DEADLINES = TimedWork("deadlines", 0.0, _look)
