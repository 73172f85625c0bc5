"""Close the rounds whose time is up, and redraw the time left of the others.

An answer counts by when it was sent. So a round closes only after everything sent before its deadline has
been received and handled, however long that takes: the bot or the network may be down, or a slow update may
block the lane of the chat. Only for messages in players' private chats it waits no longer than `PATIENCE`
(`bot.queue.inbox`).
"""

import logging
import math
from collections.abc import Callable, Collection, Sequence
from functools import partial

from bot import logs
from bot.database import Tx, is_database_failure
from bot.durations import MINUTE
from bot.players.guests import is_guest
from bot.queue.outgoing import Outgoing
from bot.queue.timers import TimedTask, TimerContext
from bot.queue.updates import TRANSIT_GRACE
from bot.rounds import queries as rounds
from bot.rounds import secrecy, secret_answers
from bot.rounds.mode import end_race, find_mode
from bot.rounds.puzzle import parse_hand_numbers
from bot.rounds.round_end import RoundEnd, record_round_end, show_round_end
from bot.rounds.rules import Round, State, expire_if_due, get_displayed_time_left
from bot.telegram import messages
from bot.telegram.routes import Routes

log = logging.getLogger(__name__)

# Expire a round


def expire_round(tx: Tx, round: Round, now: float) -> RoundEnd | None:
    """End the round if its time is up, and return its end; None if it goes on or is over.

    If its deal has no message, only end its race, and return None, unless it is a guest's, which is shown on
    the board alone.
    """
    over = expire_if_due(round, now)
    if over.state is not State.EXPIRED or not rounds.close_round(tx, over):
        return None
    if over.is_private:  # its id is the player's
        secrecy.record_solution_shown(tx, over.chat_id, parse_hand_numbers(over.line), now)
    if over.message_id is not None or is_guest(over.chat_id):
        return record_round_end(tx, over, now)
    if over.race_id is not None:
        end_race(tx, over.race_id)
    return None


# Show it


def close_due_round(tx: Tx, round_id: int, now: float) -> list[Outgoing]:
    """End the round if its time is up, show its solutions, and deal the next hand of its race.

    A round that can't be read, or whose game or race raises an error, ends without awards and ends its race.
    Raises only errors of the database.
    """
    rounds.close_if_unreadable(tx, round_id, now)
    try:
        with tx.begin_nested():
            return _expire_and_show(tx, round_id, now)
    except Exception as error:
        # A rollback that fails raises an error of its own, with the first one as its context.
        if is_database_failure(error) or is_database_failure(error.__context__ or error):
            raise
        logs.log_unexpected_error(log, f"round {round_id} is closed, and nothing follows it", error)
    ended = rounds.force_expire(tx, round_id, now)
    if ended is None or ended.message_id is None:
        return []
    return [messages.show_round(ended.chat_id, round_id)]


def _expire_and_show(tx: Tx, round_id: int, now: float) -> list[Outgoing]:
    round = rounds.load_round(tx, round_id)
    if round is None:
        return []
    if round.state is State.RUNNING:
        return find_mode(round).end_due_round(tx, round, now)
    end = expire_round(tx, round, now)
    return show_round_end(tx, end) if end else []


# Redraw the time left

MIN_BUSY_UPDATES = 20  # Updates a minute from which a chat's messages are not edited for the time left


def load_outdated_clocks(
    tx: Tx, now: float, count_updates: Callable[[int, float], int]
) -> list[rounds.RoundClock]:
    """Return the rounds whose messages show an outdated time left, except in busy chats.

    `count_updates` counts the updates from a chat since some time.
    """
    outdated = []
    for clock in rounds.load_running_clocks(tx, now):
        displayed = get_displayed_time_left(clock.deadline, clock.drawn_at)
        is_outdated = get_displayed_time_left(clock.deadline, now) != displayed
        if is_outdated and count_updates(clock.chat_id, now - MINUTE) < MIN_BUSY_UPDATES:
            outdated.append(clock)
    return outdated


def redraw_clocks(tx: Tx, clocks: Collection[rounds.RoundClock], now: float) -> list[Outgoing]:
    """Record the redraw of those rounds' messages, and request it."""
    for clock in clocks:
        rounds.record_redraw(tx, clock.round_id, now)
    return [messages.show_round(clock.chat_id, clock.round_id, unasked=True) for clock in clocks]


# The timer

MAX_REDRAWS = 8  # Messages in one transaction: an answer may wait for it


async def _close_rounds_or_redraw_clocks(timer: TimerContext, _bot_time: float) -> None:
    """Close the rounds that are due by Telegram's clock; if there are none, redraw outdated clocks."""
    now = timer.inbox.now()  # by Telegram's clock
    if await _close_due_rounds(timer, now):
        return
    outdated = await timer.store.read(
        lambda tx: load_outdated_clocks(tx, now, timer.inbox.count_updates_since)
    )
    for first in range(0, len(outdated), MAX_REDRAWS):
        chunk = outdated[first : first + MAX_REDRAWS]
        await timer.run_effect(partial(redraw_clocks, clocks=chunk, now=now))


async def _close_due_rounds(timer: TimerContext, now: float) -> bool:
    """Close the rounds for which no answer sent in time is outstanding; return whether any was closed.

    Asks the watermark to fetch the answers to the other due rounds, and tells it the next deadline.
    """
    watermark = timer.inbox.watermark
    due_before = now - TRANSIT_GRACE  # an answer may be in transit for that long
    due, next_deadline = await timer.store.read(
        lambda tx: (rounds.load_due_clocks(tx, due_before), rounds.load_next_deadline(tx, due_before))
    )
    # All messages sent before the deadline have been received, though perhaps not handled yet
    closable = [clock for clock in due if clock.deadline + TRANSIT_GRACE <= watermark.received_until]
    if len(closable) < len(due):
        watermark.request_until(max(clock.deadline for clock in due) + TRANSIT_GRACE)
    watermark.next_deadline = math.inf if next_deadline is None else next_deadline + TRANSIT_GRACE
    # A list, not a generator in `any`, which would stop at the first closed round.
    has_closed = [await _close_unless_answer_waits(timer, clock, now) for clock in closable]
    return any(has_closed)


async def _close_unless_answer_waits(timer: TimerContext, clock: rounds.RoundClock, now: float) -> bool:
    """Close the round and return True, or return False if an answer that was sent in time is unhandled."""
    players: Sequence[int] | None = None  # Anybody may begin a card in private
    if not clock.is_contest:
        players = await timer.store.read(lambda tx: secret_answers.load_players_with_links(tx, clock.chat_id))
    if await timer.inbox.has_waiting_answers(clock.chat_id, players, clock.deadline):
        return False
    await timer.run_effect(lambda tx: close_due_round(tx, clock.round_id, now))
    return True


DEADLINES = TimedTask("deadlines", 0.0, _close_rounds_or_redraw_clocks)
ROUTES = Routes(timed_tasks=[DEADLINES])
