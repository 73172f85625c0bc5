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
from bot.database import Tx, is_database_failure
from bot.modes.race import queries as races
from bot.queue.timers import TimedTask, TimerContext
from bot.queue.watermark import TRANSIT_GRACE
from bot.rounds import answer_links, queries, secrecy
from bot.rounds import queries as rounds
from bot.rounds.puzzle import parse_hand_numbers
from bot.rounds.round_end import show_end_and_deal_next
from bot.rounds.rules import Round, State, expire_if_due, get_displayed_time_left
from bot.telegram import messages
from bot.telegram.messages import Request

log = logging.getLogger(__name__)

# Messages that are drawn anew in a transaction: an answer may wait for that. Rounds close one by one.
TOGETHER = 8
BUSY = 20  # Updates a minute from which a chat is spared the time left: its edits would be one more stir

Heard = Callable[[int, float], int]  # How many updates came out of a chat since then


async def _look(running: TimerContext, _: float) -> None:
    """Close every round whose deadline is over by Telegram's clock; if none is, show others' time left."""
    now, heard = running.inbox.now(), running.inbox.count_updates_since
    if await _close_what_is_due(running, now):
        return
    late = await running.store.read(lambda tx: load_outdated_clocks(tx, now, heard))
    for first in range(0, len(late), TOGETHER):
        some = {clock.round_id for clock in late[first : first + TOGETHER]}
        await running.run_effect(lambda tx, some=some: redraw_clocks(tx, some, now, heard))  # type: ignore[misc]


async def _close_what_is_due(running: TimerContext, now: float) -> bool:
    """Close the rounds to which nothing sent in time can come any more; whether there were any."""
    arrivals = running.inbox.watermark
    passed = now - TRANSIT_GRACE
    due, at = await running.store.read(
        lambda tx: (queries.load_due_clocks(tx, passed), queries.load_next_deadline(tx, passed))
    )
    arrived = [d for d in due if d.deadline + TRANSIT_GRACE <= arrivals.received_until]
    if len(arrived) < len(due):
        arrivals.request(max(d.deadline for d in due) + TRANSIT_GRACE)
    arrivals.next_deadline = math.inf if at is None else at + TRANSIT_GRACE
    over = [d.round_id for d in arrived if not await _is_held(running, d)]
    for number in over:
        await running.run_effect(lambda tx, number=number: close_due_round(tx, number, now))  # type: ignore[misc]
    return bool(over)


async def _is_held(running: TimerContext, due: queries.RoundClock) -> bool:
    """Whether an answer that was sent in time still waits: in the group, or in the chat of somebody who may
    answer from there.
    """
    people = await running.store.read(lambda tx: answer_links.load_players_with_links(tx, due.chat_id))
    return await running.inbox.has_waiting_answers(due.chat_id, people, due.deadline)


def close_due_round(tx: Tx, number: int, now: float) -> list[Request]:
    """End the round if its time is over; its message then shows the solutions. Whatever is wrong with it, its
    game or its race, it ends all the same.
    """
    rounds.close_if_unreadable(tx, number, now)
    try:
        with tx.begin_nested():
            return _expired(tx, number, now)
    except Exception as error:
        if any(map(is_database_failure, (error, error.__context__ or error))):
            raise
        logs.log_unexpected_error(log, f"round {number} is closed, and nothing follows it", error)
    ended = queries.force_expire(tx, number, now)
    if ended is None:
        return []
    if ended.race_id is not None:
        races.end_race(tx, ended.race_id)
    return [messages.show_round_by_id(ended.chat_id, number)] if ended.message_id is not None else []


def _expired(tx: Tx, number: int, now: float) -> list[Request]:
    """End the round if its time is over, and do what follows."""
    round = rounds.load_round(tx, number)
    over = expire_if_due(round, now) if round is not None else None
    if over is None or over.state is not State.EXPIRED or not rounds.close_round(tx, over):
        return []
    if over.chat_id > 0:
        secrecy.record_solution_shown(tx, over.chat_id, parse_hand_numbers(over.line), now)
    return _shown(tx, over, now)


def _shown(tx: Tx, over: Round, now: float) -> list[Request]:
    """What follows a round's end: nothing in a chat that its deal never reached."""
    if over.message_id is not None:
        return show_end_and_deal_next(tx, over, now)
    race = races.load_race(tx, over.race_id) if over.race_id is not None else None
    if race is not None:
        races.update_race(tx, replace(race, open=False))
    return []


def load_outdated_clocks(tx: Tx, now: float, heard: Heard) -> list[queries.RoundClock]:
    """The messages that show another time left than it is now, but for those in busy chats."""
    changed = [
        c
        for c in queries.load_running_clocks(tx, now)
        if get_displayed_time_left(c.deadline, now) != get_displayed_time_left(c.deadline, c.drawn_at)
    ]
    return [clock for clock in changed if heard(clock.chat_id, now - 60) < BUSY]


def redraw_clocks(tx: Tx, ids: Collection[int], now: float, heard: Heard) -> list[Request]:
    """Draw the messages of those of the rounds that show an old time left."""
    shown = []
    for clock in (clock for clock in load_outdated_clocks(tx, now, heard) if clock.round_id in ids):
        rounds.record_redraw(tx, clock.round_id, now)
        shown.append(messages.refresh_round(clock.chat_id, clock.round_id))
    return shown


DEADLINES = TimedTask("deadlines", 0.0, _look)
