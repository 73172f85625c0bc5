"""How a contest ends: by itself, by its button, or by /stop.

By whom is said in `rules`. Above the chat the button tells who has a card what their vote means, and counts
it when they press again; whoever has none votes by /stop.
"""

import logging
import math
from dataclasses import dataclass, replace
from functools import partial

from bot import logs
from bot.database import Tx, is_database_failure
from bot.durations import HOUR
from bot.i18n import get_words
from bot.modes.contest import card_messages, view
from bot.modes.contest import queries as contests
from bot.modes.contest.rules import (
    CONFIRMATION_SECONDS,
    CardProgress,
    PlayerCard,
    collect_totals,
    compute_awards,
    count_still_playing,
    have_all_finished,
)
from bot.queue.timers import TimedTask, TimerContext
from bot.queue.watermark import TRANSIT_GRACE
from bot.rounds import attempts
from bot.rounds import queries as rounds
from bot.rounds.commands import load_pressed_round, make_notice, react, refuse_old_button
from bot.rounds.registry import CONTEST_GAMES
from bot.rounds.rules import VOTES_NEEDED, Round, State
from bot.standings.leaderboard import queries as boards
from bot.standings.ratings import updates as ratings
from bot.telegram import messages
from bot.telegram.context import Context, Effect, send_only
from bot.telegram.messages import Request
from bot.telegram.routes import ButtonRoute, Routes

log = logging.getLogger(__name__)

COUNTED = "👌"


def redraw_contest(tx: Tx, round: Round, now: float) -> list[Request]:
    """Show in the group how everybody stands; nothing alone with the bot, where the card is all there is."""
    if round.chat_id > 0:
        return []
    if round.message_id is not None:
        rounds.record_redraw(tx, round.id, now)
    return [messages.show_round(round, new=round.message_id is None)]


def end_contest(tx: Tx, round: Round, now: float) -> list[Request]:
    """End a contest, unless another transaction did: points, the result, a word to who was still playing."""
    over = contests.close_contest(tx, round, now)
    if over is None:
        return []
    sheets = contests.load_cards(tx, over)
    standings = [contests.compute_progress(over, each) for each in sheets]
    worth = {
        who: CONTEST_GAMES[over.game].compute_points(total)
        for who, total in collect_totals(standings).items()
    }
    for award in compute_awards(standings, worth):
        boards.insert_award(tx, over, award, over.message_id or 0, now)
    ratings.rate_round(tx, over)
    contests.delete_alias_cards(tx, over)
    playing = {each.player_id for each in standings if each.total is None}
    told = [
        card_messages.build_card_request(over, each.player_id) for each in sheets if each.player_id in playing
    ]
    return [*told, *_result(tx, over, standings)]


def _result(tx: Tx, over: Round, standings: list[CardProgress]) -> list[Request]:
    """A new message in the group, unless nobody has finished: then the old one says so."""
    if over.chat_id > 0:
        return []
    if over.message_id is None or not collect_totals(standings):
        return [messages.show_round(over, new=over.message_id is None)]
    pointer = messages.edit_message(
        over.chat_id, over.message_id, view.render_ended_below(get_words(over.language))
    )
    return [pointer, messages.show_round(contests.clear_message(tx, over), new=True)]


# By itself


async def _look(running: TimerContext, _: float) -> None:
    """End what is over by Telegram's clock, once all sent before that has arrived; show who came further."""
    now, arrivals = running.inbox.now(), running.inbox.watermark
    due, stale = await running.store.read(
        lambda tx: (
            contests.load_due_contests(tx, now - TRANSIT_GRACE),
            contests.load_stale_contest_ids(tx, now),
        )
    )
    latest = max((each.deadline or 0.0 for each in due), default=-math.inf)
    if latest + TRANSIT_GRACE > arrivals.received_until:
        arrivals.request(latest + TRANSIT_GRACE)
    for each in due:
        until = each.deadline or 0.0
        if until + TRANSIT_GRACE <= arrivals.received_until and not await _is_awaited(running, each, until):
            await running.run_effect(partial(end_due_contest, round=each, now=now))
    for number in stale:
        await running.run_effect(partial(_refreshed, number=number, now=now))


async def _is_awaited(running: TimerContext, round: Round, until: float) -> bool:
    """Whether something that was sent in time still waits: in the group, or where somebody has a card, or,
    once all who began have finished, where anybody may have asked for one.
    """
    try:
        sheets = await running.store.read(lambda tx: contests.load_cards(tx, round))
        done = have_all_finished([contests.compute_progress(round, each) for each in sheets])
    except Exception as error:
        if is_database_failure(error):
            raise
        logs.log_unexpected_error(log, f"nobody is waited for in contest {round.id}", error)
        return False
    people = None if done else [card_messages.get_card_chat(each.player_id) for each in sheets]
    return await running.inbox.has_waiting_answers(round.chat_id, people, until)


def end_due_contest(tx: Tx, round: Round, now: float) -> list[Request]:
    """End one, unless somebody has begun since. Whatever is wrong with it costs that one only: it is over."""
    try:
        with tx.begin_nested():
            contests.update_deadline(tx, round)
            still = [
                each for each in contests.load_due_contests(tx, now - TRANSIT_GRACE) if each.id == round.id
            ]
            return [outgoing for each in still for outgoing in end_contest(tx, each, now)]
    except Exception as error:
        if any(map(is_database_failure, (error, error.__context__ or error))):
            raise
        logs.log_unexpected_error(log, f"contest {round.id} is closed, and nothing follows it", error)
    contests.close_contest(tx, round, now)
    return []


def _refreshed(tx: Tx, number: int, now: float) -> list[Request]:
    found = rounds.load_round(tx, number)
    return redraw_contest(tx, found, now) if found and found.state is State.RUNNING else []


async def _settle(running: TimerContext, _: float) -> None:
    now = running.inbox.now()
    await running.store.write(lambda tx: contests.update_deadlines(tx, now))
    await running.store.write(lambda tx: contests.close_unreadable_contests(tx, now))


# By somebody


@dataclass(frozen=True, slots=True)
class Ending:
    """Somebody wants a contest to end."""

    round: Round
    others: int  # How many are still playing beside those who want the end
    votes: int  # For the end, so far
    finished: bool  # Whether who asks has
    card: PlayerCard | None  # Theirs


def _ending(context: Context, tx: Tx, number: int) -> Ending | None:
    """How things stand for who asks; None where it is over."""
    present = rounds.load_round(tx, number)
    if present is None or present.state is not State.RUNNING:
        return None
    who, voters = context.player.id if context.player else 0, attempts.load_skip_voters(tx, number)
    standings = [contests.compute_progress(present, each) for each in contests.load_cards(tx, present)]
    others = count_still_playing(standings, {*voters, who})
    card = contests.load_card(tx, present, who)
    return Ending(present, others, len(voters), who in collect_totals(standings), card)


async def end_pressed(context: Context) -> Effect:
    """The button: end the contest above it."""
    pressed = await load_pressed_round(context, contest=True)
    if pressed is None or context.player is None or not context.is_genuine_press:
        return refuse_old_button(context)
    may = context.player.id == pressed.dealer_id or await context.is_admin()
    return lambda tx: _end_pressed(context, tx, pressed.id, may=may)


def _end_pressed(context: Context, tx: Tx, number: int, *, may: bool) -> list[Request]:
    """At once where nobody else is still playing; a vote by who has a card and presses twice."""
    asked = _ending(context, tx, number)
    if asked is None or context.player is None:
        return context.answer_press(context.words.translate_plain("That game is over."))
    if not asked.others and (may or asked.finished):
        return [*_end_by(context, tx, asked), *context.answer_press()]
    if context.player.id in attempts.load_skip_voters(tx, number):
        return context.answer_press(view.render_vote_count(context.words, asked.votes))
    if asked.card is None and not asked.others:
        return context.answer_press(
            context.words.translate_plain("Finish your card first, or vote by /stop.")
        )
    if asked.card is None:
        return context.answer_press(view.render_stop_hint(context.words, asked.others), alert=True)
    if context.sent_at - asked.card.warned_at <= CONFIRMATION_SECONDS:
        return _vote(context, tx, asked)
    contests.store_card(tx, asked.round, replace(asked.card, warned_at=context.sent_at))
    return context.answer_press(
        view.render_end_confirmation(context.words, asked.others, asked.votes), alert=True
    )


async def stop_contest(context: Context) -> Effect | None:
    """/stop: end the contest that runs here, or vote for that; None where none does."""
    here = context.chat.id, context.topic
    live = await context.services.store.read(lambda tx: contests.load_running_contest(tx, *here))
    if live is None:
        return None
    dealt = context.player is not None and context.player.id == live.dealer_id
    admin = await context.is_admin()
    if context.player is None and not admin:
        return send_only(*context.answer_press())
    return lambda tx: _stopped(context, tx, live.id, dealt=dealt, admin=admin)


def _stopped(context: Context, tx: Tx, number: int, *, dealt: bool, admin: bool) -> list[Request]:
    asked = _ending(context, tx, number)
    if asked is None:
        return make_notice(context, tx, context.words.translate("That game is over."), quiet=True)
    alone = not asked.others and (dealt or asked.finished)
    if admin or alone or context.player is None:
        return [*_end_by(context, tx, asked), *react(context, COUNTED)]
    return _vote(context, tx, asked)


def _vote(context: Context, tx: Tx, asked: Ending) -> list[Request]:
    votes = attempts.vote_to_skip(tx, asked.round.id, context.player.id if context.player else 0)
    if votes >= VOTES_NEEDED:
        return [*_end_by(context, tx, asked), *(context.answer_press() or react(context, COUNTED))]
    shown = redraw_contest(tx, asked.round, context.sent_at)
    if context.query:
        return [*shown, *context.answer_press(view.render_vote_count(context.words, votes))]
    if not asked.others:
        return [*shown, *react(context, COUNTED)]
    return [
        *shown,
        *make_notice(context, tx, view.render_vote(context.words, asked.others, votes), quiet=True),
    ]


def _end_by(context: Context, tx: Tx, asked: Ending) -> list[Request]:
    """End it by whoever asks and all who voted: they give their cards up, but for full ones where nobody else
    is still playing.
    """
    ending = [
        *attempts.load_skip_voters(tx, asked.round.id),
        *([context.player.id] if context.player else []),
    ]
    contests.mark_given_up(tx, asked.round, ending, full=asked.others > 0)
    return end_contest(tx, asked.round, context.sent_at)


ROUTES = Routes(
    buttons=[ButtonRoute(view.END_BUTTON, end_pressed)],
    timed_tasks=[TimedTask("contests", 0.0, _look), TimedTask("when contests end", HOUR, _settle)],
)
