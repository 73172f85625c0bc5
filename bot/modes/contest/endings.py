"""How a contest ends: by itself, by its button, or by /stop.

By whom is said in `rules`. Above the chat the button tells who has a card what their vote means, and counts
it when they press again; whoever has none votes by /stop.
"""

import logging
import math
from dataclasses import dataclass, replace
from functools import partial

from bot import logs
from bot.database import Tx, storage_trouble
from bot.durations import HOUR
from bot.i18n import words
from bot.modes.contest import own, view
from bot.modes.contest import queries as contests
from bot.modes.contest.rules import SURE, Sheet, Standing, awards, is_done, still_playing, totals
from bot.queue.arrivals import GRACE
from bot.queue.timers import Running, TimedWork
from bot.rounds import queries as rounds
from bot.rounds import tries
from bot.rounds.commands import aside, out_of_date, pressed_round, react
from bot.rounds.known import CONTESTS
from bot.rounds.rules import VOTES_TO_SKIP, Round, State
from bot.standings.leaderboard import queries as boards
from bot.standings.ratings import played as ratings
from bot.telegram import messages
from bot.telegram.context import Context, Effect, saying
from bot.telegram.messages import Request
from bot.telegram.routes import Button, Routes

log = logging.getLogger(__name__)

COUNTED = "👌"


def redraw(tx: Tx, round: Round, now: float) -> list[Request]:
    """Show in the group how everybody stands; nothing alone with the bot, where the card is all there is."""
    if round.chat_id > 0:
        return []
    if round.message_id is not None:
        rounds.shown(tx, round.id, now)
    return [messages.show(round, new=round.message_id is None)]


def end(tx: Tx, round: Round, now: float) -> list[Request]:
    """End a contest, unless another transaction did: points, the result, a word to who was still playing."""
    over = contests.close(tx, round, now)
    if over is None:
        return []
    sheets = contests.sheets(tx, over)
    standings = [contests.standing(over, each) for each in sheets]
    worth = {who: CONTESTS[over.game].points(total) for who, total in totals(standings).items()}
    for award in awards(standings, worth):
        boards.award(tx, over, award, over.message_id or 0, now)
    ratings.round_over(tx, over)
    contests.drop_forgotten(tx, over)
    playing = {each.player_id for each in standings if each.total is None}
    told = [own.show(over, each.player_id) for each in sheets if each.player_id in playing]
    return [*told, *_result(tx, over, standings)]


def _result(tx: Tx, over: Round, standings: list[Standing]) -> list[Request]:
    """A new message in the group, unless nobody has finished: then the old one says so."""
    if over.chat_id > 0:
        return []
    if over.message_id is None or not totals(standings):
        return [messages.show(over, new=over.message_id is None)]
    pointer = messages.edit(over.chat_id, over.message_id, view.ended_below(words(over.language)))
    return [pointer, messages.show(contests.move_message(tx, over), new=True)]


# By itself


async def _look(running: Running, _: float) -> None:
    """End what is over by Telegram's clock, once all sent before that has arrived; show who came further."""
    now, arrivals = running.inbox.now(), running.inbox.arrivals
    due, stale = await running.store.read(lambda tx: (contests.due(tx, now - GRACE), contests.stale(tx, now)))
    latest = max((each.deadline or 0.0 for each in due), default=-math.inf)
    if latest + GRACE > arrivals.through:
        arrivals.want(latest + GRACE)
    for each in due:
        until = each.deadline or 0.0
        if until + GRACE <= arrivals.through and not await _is_awaited(running, each, until):
            await running.act(partial(close_due, round=each, now=now))
    for number in stale:
        await running.act(partial(_refreshed, number=number, now=now))


async def _is_awaited(running: Running, round: Round, until: float) -> bool:
    """Whether something that was sent in time still waits: in the group, or where somebody has a card, or,
    once all who began have finished, where anybody may have asked for one.
    """
    try:
        sheets = await running.store.read(lambda tx: contests.sheets(tx, round))
        done = is_done([contests.standing(round, each) for each in sheets])
    except Exception as error:
        if storage_trouble(error):
            raise
        logs.unforeseen(log, f"nobody is waited for in contest {round.id}", error)
        return False
    people = None if done else [own.place(each.player_id) for each in sheets]
    return await running.inbox.waits_for(round.chat_id, people, until)


def close_due(tx: Tx, round: Round, now: float) -> list[Request]:
    """End one, unless somebody has begun since. Whatever is wrong with it costs that one only: it is over."""
    try:
        with tx.begin_nested():
            contests.settle(tx, round)
            still = [each for each in contests.due(tx, now - GRACE) if each.id == round.id]
            return [outgoing for each in still for outgoing in end(tx, each, now)]
    except Exception as error:
        if any(map(storage_trouble, (error, error.__context__ or error))):
            raise
        logs.unforeseen(log, f"contest {round.id} is closed, and nothing follows it", error)
    contests.close(tx, round, now)
    return []


def _refreshed(tx: Tx, number: int, now: float) -> list[Request]:
    found = rounds.by_id(tx, number)
    return redraw(tx, found, now) if found and found.state is State.RUNNING else []


async def _settle(running: Running, _: float) -> None:
    now = running.inbox.now()
    await running.store.write(lambda tx: contests.resettle(tx, now))
    await running.store.write(lambda tx: contests.set_aside(tx, now))


# By somebody


@dataclass(frozen=True, slots=True)
class Ending:
    """Somebody wants a contest to end."""

    round: Round
    others: int  # How many are still playing beside those who want the end
    votes: int  # For the end, so far
    finished: bool  # Whether who asks has
    card: Sheet | None  # Theirs


def _ending(context: Context, tx: Tx, number: int) -> Ending | None:
    """How things stand for who asks; None where it is over."""
    present = rounds.by_id(tx, number)
    if present is None or present.state is not State.RUNNING:
        return None
    who, voters = context.player.id if context.player else 0, tries.voters(tx, number)
    standings = [contests.standing(present, each) for each in contests.sheets(tx, present)]
    others = still_playing(standings, {*voters, who})
    card = contests.sheet(tx, present, who)
    return Ending(present, others, len(voters), who in totals(standings), card)


async def end_pressed(context: Context) -> Effect:
    """The button: end the contest above it."""
    pressed = await pressed_round(context, contest=True)
    if pressed is None or context.player is None or not context.offered:
        return out_of_date(context)
    may = context.player.id == pressed.dealer_id or await context.is_admin()
    return lambda tx: _end_pressed(context, tx, pressed.id, may=may)


def _end_pressed(context: Context, tx: Tx, number: int, *, may: bool) -> list[Request]:
    """At once where nobody else is still playing; a vote by who has a card and presses twice."""
    asked = _ending(context, tx, number)
    if asked is None or context.player is None:
        return context.answer(context.words.plain("That game is over."))
    if not asked.others and (may or asked.finished):
        return [*_end_by(context, tx, asked), *context.answer()]
    if context.player.id in tries.voters(tx, number):
        return context.answer(view.votes_cast(context.words, asked.votes))
    if asked.card is None and not asked.others:
        return context.answer(context.words.plain("Finish your card first, or vote by /stop."))
    if asked.card is None:
        return context.answer(view.by_stop(context.words, asked.others), alert=True)
    if context.now - asked.card.warned <= SURE:
        return _vote(context, tx, asked)
    contests.keep(tx, asked.round, replace(asked.card, warned=context.now))
    return context.answer(view.sure(context.words, asked.others, asked.votes), alert=True)


async def stopped(context: Context) -> Effect | None:
    """/stop: end the contest that runs here, or vote for that; None where none does."""
    here = context.chat.id, context.topic
    live = await context.services.store.read(lambda tx: contests.running_here(tx, *here))
    if live is None:
        return None
    dealt = context.player is not None and context.player.id == live.dealer_id
    admin = await context.is_admin()
    if context.player is None and not admin:
        return saying(*context.answer())
    return lambda tx: _stopped(context, tx, live.id, dealt=dealt, admin=admin)


def _stopped(context: Context, tx: Tx, number: int, *, dealt: bool, admin: bool) -> list[Request]:
    asked = _ending(context, tx, number)
    if asked is None:
        return aside(context, tx, context.words.say("That game is over."), quiet=True)
    alone = not asked.others and (dealt or asked.finished)
    if admin or alone or context.player is None:
        return [*_end_by(context, tx, asked), *react(context, COUNTED)]
    return _vote(context, tx, asked)


def _vote(context: Context, tx: Tx, asked: Ending) -> list[Request]:
    votes = tries.vote(tx, asked.round.id, context.player.id if context.player else 0)
    if votes >= VOTES_TO_SKIP:
        return [*_end_by(context, tx, asked), *(context.answer() or react(context, COUNTED))]
    shown = redraw(tx, asked.round, context.now)
    if context.query:
        return [*shown, *context.answer(view.votes_cast(context.words, votes))]
    if not asked.others:
        return [*shown, *react(context, COUNTED)]
    return [*shown, *aside(context, tx, view.voted(context.words, asked.others, votes), quiet=True)]


def _end_by(context: Context, tx: Tx, asked: Ending) -> list[Request]:
    """End it by whoever asks and all who voted: they give their cards up, but for full ones where nobody else
    is still playing.
    """
    ending = [*tries.voters(tx, asked.round.id), *([context.player.id] if context.player else [])]
    contests.give_up(tx, asked.round, ending, full=asked.others > 0)
    return end(tx, asked.round, context.now)


ROUTES = Routes(
    buttons=[Button(view.END, end_pressed)],
    timed=[TimedWork("contests", 0.0, _look), TimedWork("when contests end", HOUR, _settle)],
)
