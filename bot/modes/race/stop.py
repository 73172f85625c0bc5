"""/stop: a race or a duel ends, whatever is left of it; where none is on, a contest (`bot.modes.contest`).

Who started a race ends it at once, and so do admins; anybody else has a vote, and two are enough. Of a duel
either player gives up, so that the other has won it; an admin or two votes end it without a winner.
Where nothing is on, a challenge is taken back by whoever made it.
"""

from dataclasses import replace

from bot.database import Tx
from bot.modes.contest import ending as contests
from bot.modes.duel import queries as duels
from bot.modes.duel import rules as duel_rules
from bot.modes.duel.commands import withdraw_challenge
from bot.modes.duel.rules import Duel
from bot.modes.race import queries as races
from bot.modes.race.rules import Race
from bot.queue.admission import UpdateKind
from bot.rounds import attempts, secrecy
from bot.rounds import queries as rounds
from bot.rounds.commands import load_pressed_round, make_notice, react
from bot.rounds.puzzle import parse_hand_numbers
from bot.rounds.round_end import VOTE_REACTION, show_end_and_deal_next, withdraw_entries_on_give_up
from bot.rounds.rules import VOTES_NEEDED, Round, State, is_in_time, mark_ended
from bot.telegram import messages
from bot.telegram.context import Context, Effect, send_only
from bot.telegram.messages import Request
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes


async def stop(context: Context) -> Effect:
    """/stop: the race or the duel that is live here."""
    live = await context.services.store.read(
        lambda tx: rounds.load_open_round(tx, context.chat.id, context.topic)
    )
    return await _stop(context, live)


async def stop_pressed(context: Context) -> Effect:
    """The button that shows a vote: the race or the duel above it."""
    return await _stop(context, await load_pressed_round(context))


async def _stop(context: Context, round: Round | None) -> Effect:
    race, duel = await context.services.store.read(lambda tx: _running(tx, round))
    if round is None or race is None:
        if not context.query and (contest := await contests.stop_contest(context)) is not None:
            return lambda tx: _taken_back(context, tx) or contest(tx)
        return lambda tx: _taken_back(context, tx) or _nothing(context, tx)
    starters = duel.player_ids if duel else (race.starter_id,)
    own = context.player is not None and context.player.id in starters
    at_once = own or await context.is_admin()
    if context.player is None and not at_once:
        return send_only(*context.answer_press())
    return lambda tx: _end_or_vote(context, tx, round.id, at_once=at_once)


def _running(tx: Tx, round: Round | None) -> tuple[Race | None, Duel | None]:
    """The race that the live round is a hand of, and the duel that the race is."""
    if round is None or round.race_id is None or round.state is not State.OPEN:
        return None, None
    race = races.load_race(tx, round.race_id)
    return (race, duels.load_duel_of_race(tx, race.id)) if race is not None and race.open else (None, None)


def _taken_back(context: Context, tx: Tx) -> list[Request]:
    """Where nothing is on, /stop means the challenge that waits for somebody to accept it."""
    player = context.player
    offered = (
        None if player is None or context.query else duels.load_open_challenge(tx, context.chat.id, player.id)
    )
    return [*withdraw_challenge(tx, offered), *react(context, VOTE_REACTION)] if offered else []


def _nothing(context: Context, tx: Tx) -> list[Request]:
    if context.query:
        return context.answer_press(context.words.translate_plain("That is over already."))
    line = context.words.translate("No race or duel is on here. /skip gives up a hand.")
    return make_notice(context, tx, line, quiet=True)


def _end_or_vote(context: Context, tx: Tx, round_id: int, *, at_once: bool) -> list[Request]:
    present = rounds.load_round(tx, round_id)
    race, duel = _running(tx, present)
    if present is None or race is None:
        return _nothing(context, tx)
    if at_once or context.player is None:
        return [*_ended(context, tx, present, race, duel), *context.answer_press()]
    votes = attempts.vote_to_stop(tx, race.id, context.player.id)
    votes_cast = context.words.translate_plain("Stop {votes}/{needed}", votes=votes, needed=VOTES_NEEDED)
    if votes >= VOTES_NEEDED:
        return [*_ended(context, tx, present, race, duel), *context.answer_press(votes_cast)]
    answered = context.answer_press(votes_cast) if context.query else react(context, VOTE_REACTION)
    return [messages.show_round(present), *answered]


def _ended(context: Context, tx: Tx, present: Round, race: Race, duel: Duel | None) -> list[Request]:
    """End it all: the hand on the table too, unless its time is over, and answers may be on their way."""
    who = context.player.id if context.player else None
    if duel is not None:
        given_up = who is not None and who in duel.player_ids
        duels.close_duel(
            tx, duel_rules.mark_given_up(duel, who or 0) if given_up else duel_rules.mark_stopped(duel)
        )
    races.update_race(tx, replace(race, hands_played=race.hands_played + 1, open=False))
    if not is_in_time(present, context.sent_at):
        return [messages.show_round(present)]
    withdraw_entries_on_give_up(tx, present, attempts.load_stop_voters(tx, race.id), who)
    skipped = mark_ended(present, State.SKIPPED, context.sent_at)
    if not rounds.close_round(tx, skipped):
        return [messages.show_round(present)]
    if who is not None:
        secrecy.record_solution_shown(tx, who, parse_hand_numbers(present.line), context.sent_at)
    return show_end_and_deal_next(tx, skipped, context.clock_start)


ROUTES = Routes(
    commands=[
        CommandRoute(
            "stop", stop, UpdateKind.COMMAND, lambda speech: speech.translate_plain("end a race or a duel")
        ),
    ],
    buttons=[ButtonRoute("x", stop_pressed, UpdateKind.DEAL_PRESS)],
)
