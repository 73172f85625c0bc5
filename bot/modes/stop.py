"""`/stop`: end the open race, duel or run; without one, withdraw the player's challenge or stop a contest.

Admins and the starter of a race end it at once, others by as many votes as give a hand up. A player of a duel
who stops it is asked first: to give up makes the other player win. Admins and voters end a duel without a
winner.
"""

from collections.abc import Sequence
from dataclasses import replace

from bot.database import Tx
from bot.i18n import format_name, strip_tags, translate_later
from bot.modes.contest import ending as contests
from bot.modes.duel import queries as duels
from bot.modes.duel import rules as duel_rules
from bot.modes.duel.commands import withdraw_challenge
from bot.modes.duel.rules import Duel, DuelState
from bot.modes.race import queries as races
from bot.modes.race.rules import Race
from bot.players import queries as people
from bot.queue.admission import UpdateKind
from bot.rounds import attempts
from bot.rounds import queries as rounds
from bot.rounds.commands import (
    SEEN,
    load_just_ended_round,
    load_pressed_round,
    make_notice,
    refuse_old_button,
)
from bot.rounds.give_up import end_given_up_round, make_wish
from bot.rounds.mode import find_mode
from bot.rounds.puzzle import RUN_KINDS
from bot.rounds.round_end import end_round, show_end_in_chat
from bot.rounds.rules import Round, State, is_in_time, mark_ended
from bot.rounds.votes import render_counted_vote, render_only_admins
from bot.telegram import messages
from bot.telegram.context import Context, Effect, Response, send_only
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes


async def stop(context: Context) -> Effect:
    """End the race or duel here or above the button, or vote for its end.

    Where none is on, a command withdraws the player's challenge, else ends a contest or votes for its end.
    """
    store = context.services.store
    if context.is_press:
        round = await load_pressed_round(context)
    else:
        round = await store.read(lambda tx: rounds.load_open_round(tx, context.chat.id, context.topic))
    if round is not None and round.kind in RUN_KINDS:
        return lambda tx: _end_run(context, tx, round)
    race, duel = await store.read(lambda tx: _load_race_and_duel(tx, round))
    if round is None or race is None:
        if context.is_press:
            return lambda tx: _reply_nothing_to_stop(context, tx)
        stop_contest = await contests.stop_contest(context)
        return lambda tx: _withdraw_challenge_or_stop_contest(context, tx, stop_contest)
    player_id = context.player.id if context.player else 0  # 0 is nobody
    if duel is not None and player_id in duel.player_ids and not context.submission:  # a page can't ask
        return lambda tx: _ask_to_give_up(context, tx, duel, player_id)
    starters = duel.player_ids if duel else (race.starter_id,)
    may_end = player_id in starters or await context.is_admin()
    if context.player is None and not may_end:  # nobody's vote
        return send_only(*context.answer_press())
    return lambda tx: _end_or_vote(context, tx, round.id, may_end=may_end)


def _end_run(context: Context, tx: Tx, round: Round) -> Sequence[Response]:
    """End a storm or streak with its open hand."""
    end = end_round(tx, mark_ended(round, State.EXPIRED, context.sent_at), context.clock_start)
    return show_end_in_chat(context, tx, end) if end else _reply_nothing_to_stop(context, tx)


GIVE_UP_BUTTON, KEEP_BUTTON = "xy", "xn"  # Beginnings of the data of buttons, before duel and player


def _ask_to_give_up(context: Context, tx: Tx, duel: Duel, player_id: int) -> Sequence[Response]:
    """Ask a player of the duel to confirm that the other one wins."""
    words, other = context.words, duel_rules.get_other_player(duel, player_id)
    names = people.load_names(tx, [player_id, other])
    question = words.translate(
        "{name}, do you give up the duel? {other} wins then.",
        name=messages.format_player_name(names, player_id),
        other=messages.format_player_name(names, other),
    )
    yes = (words.translate_plain("Yes, give up"), f"{GIVE_UP_BUTTON}:{duel.id}:{player_id}")
    no = (words.translate_plain("No, thanks"), f"{KEEP_BUTTON}:{duel.id}:{player_id}")
    return [context.reply(question, keyboard=[[yes, no]]), *context.answer_press()]


async def answer_give_up(context: Context) -> Effect:
    """Delete the question whether a player gives up the duel, and end the duel if that player agrees."""
    if context.player is None or not context.is_genuine_press:
        return refuse_old_button(context)
    duel_id, player_id = (int(part) for part in context.button_argument.split(":"))
    if context.player.id != player_id:
        return lambda tx: _refuse_other_player(context, tx, player_id)
    gives_up = context.button_data.startswith(GIVE_UP_BUTTON)
    question = messages.delete_message(context.chat.id, context.message_id)

    def effect(tx: Tx) -> Sequence[Response]:
        round = rounds.load_open_round(tx, context.chat.id, context.topic)
        race, duel = _load_race_and_duel(tx, round)
        if round is None or race is None or duel is None or duel.id != duel_id:
            return [question, *_reply_nothing_to_stop(context, tx)]
        ended = _end_race(context, tx, round, race, duel) if gives_up else []
        return [question, *ended, *context.answer_press()]

    return effect


def _refuse_other_player(context: Context, tx: Tx, player_id: int) -> list[Response]:
    name = format_name(people.load_names(tx, [player_id]).get(player_id))
    return context.answer_press(
        strip_tags(context.words.translate("Only {name} can answer that.", name=name))
    )


def _load_race_and_duel(tx: Tx, round: Round | None) -> tuple[Race | None, Duel | None]:
    """Load the open race of an open round, and its duel; None for what there is not."""
    if round is None or round.race_id is None or round.state is not State.OPEN:
        return None, None
    race = races.load_race(tx, round.race_id)
    if race is None or not race.is_open:
        return None, None
    return race, duels.load_duel_of_race(tx, race.id)


def _withdraw_challenge_or_stop_contest(
    context: Context, tx: Tx, stop_contest: Effect | None
) -> Sequence[Response]:
    """Withdraw the player's open challenge to a duel; without one, stop the contest if there is one."""
    player_id = context.player.id if context.player else 0  # 0 is nobody
    challenge = duels.load_open_challenge(tx, context.chat.id, player_id)
    if challenge is not None:
        return [*withdraw_challenge(tx, challenge), *context.react(SEEN)]
    return stop_contest(tx) if stop_contest else _reply_nothing_to_stop(context, tx)


def _reply_nothing_to_stop(context: Context, tx: Tx) -> list[Response]:
    words = context.words
    ended = load_just_ended_round(context, tx)
    text = words.translate("No race, duel or run is on here.")
    if context.is_press or (ended is not None and ended.race_id is not None):
        text = words.translate("That is over already.")
    elif rounds.load_open_round(tx, context.chat.id, context.topic) is not None:
        text = words.translate("No race, duel or run is on here. /giveup gives up a hand.")
    return make_notice(context, tx, text)


def _end_or_vote(context: Context, tx: Tx, round_id: int, *, may_end: bool) -> list[Response]:
    """End the race if the player may or has the last vote needed; else store the vote and show the number."""
    round = rounds.load_round(tx, round_id)
    race, duel = _load_race_and_duel(tx, round)
    if round is None or race is None:
        return _reply_nothing_to_stop(context, tx)
    if may_end or context.player is None:  # an anonymous admin may end it
        return [*_end_race(context, tx, round, race, duel), *context.answer_press()]
    if not find_mode(round).may_vote(tx, round, is_admin=False):
        return make_notice(context, tx, render_only_admins(context.words))
    voters = attempts.vote_to_stop(tx, race.id, context.player.id)
    count_needed = find_mode(round).count_votes_needed
    needed = round.stop_votes_needed or count_needed(tx, round, voters)
    if len(voters) >= needed:
        return [*_end_race(context, tx, round, race, duel), *context.answer_press()]
    rounds.update_game_state(tx, replace(round, stop_votes_needed=needed))
    counted = render_counted_vote(context.words, len(voters), needed)
    confirmation = context.answer_press(counted) if context.is_press else context.react(SEEN)
    return [messages.show_round(round.chat_id, round.id), *confirmation]


def _end_race(context: Context, tx: Tx, round: Round, race: Race, duel: Duel | None) -> Sequence[Response]:
    """End the race, its open hand and its duel, which a player of the duel gives up.

    A hand whose time is over stays open, since answers that were sent in time may still arrive.
    """
    player_id = context.player.id if context.player else None
    if duel is not None and player_id in duel.player_ids:
        duels.close_duel(tx, duel_rules.mark_given_up(duel, player_id))
    elif duel is not None:
        duels.close_duel(tx, replace(duel, state=DuelState.STOPPED))
    # The open hand counts as played
    races.update_race(tx, replace(race, hands_played=race.hands_played + 1, is_open=False))
    if is_in_time(round, context.sent_at):
        end = end_given_up_round(tx, round, make_wish(context), attempts.load_stop_voters(tx, race.id))
        return show_end_in_chat(context, tx, end) if end else []
    return [messages.show_round(round.chat_id, round.id)]


ROUTES = Routes(
    commands=[CommandRoute("stop", stop, UpdateKind.COMMAND, translate_later("end a race, a duel or a run"))],
    buttons=[
        ButtonRoute("x", stop, UpdateKind.DEAL_PRESS),
        ButtonRoute(GIVE_UP_BUTTON, answer_give_up, UpdateKind.DEAL_PRESS),
        ButtonRoute(KEEP_BUTTON, answer_give_up),
    ],
)
