"""/stop: a race or a duel ends, whatever is left of it; where none is on, a contest (`bot.modes.contest`).

Who started a race ends it at once, and so do admins; anybody else has a vote, and two are enough. Of a duel
either player gives up, so that the other has won it; an admin or two votes end it without a winner.
Where nothing is on, a challenge is taken back by whoever made it.
"""

from dataclasses import replace

from bot.database import Tx
from bot.modes.contest import endings as contests
from bot.modes.duel import queries as duels
from bot.modes.duel import rules as duel_rules
from bot.modes.duel.acceptance import take_back
from bot.modes.duel.rules import Duel
from bot.modes.race import queries as races
from bot.modes.race.rules import Race
from bot.queue.intake import Work
from bot.rounds import queries as rounds
from bot.rounds import secrecy, tries
from bot.rounds.commands import aside, pressed_round, react
from bot.rounds.endings import COUNTED, follow, give_up
from bot.rounds.puzzle import numbers_of
from bot.rounds.rules import VOTES_TO_SKIP, Round, State, ended, in_time
from bot.telegram import messages
from bot.telegram.context import Context, Effect, saying
from bot.telegram.messages import Request
from bot.telegram.routes import Button, Command, Routes


async def stop(context: Context) -> Effect:
    """/stop: the race or the duel that is live here."""
    live = await context.services.store.read(lambda tx: rounds.live(tx, context.chat.id, context.topic))
    return await _stop(context, live)


async def stop_pressed(context: Context) -> Effect:
    """The button that shows a vote: the race or the duel above it."""
    return await _stop(context, await pressed_round(context))


async def _stop(context: Context, round: Round | None) -> Effect:
    race, duel = await context.services.store.read(lambda tx: _running(tx, round))
    if round is None or race is None:
        if not context.query and (contest := await contests.stopped(context)) is not None:
            return lambda tx: _taken_back(context, tx) or contest(tx)
        return lambda tx: _taken_back(context, tx) or _nothing(context, tx)
    starters = duel.players if duel else (race.starter_id,)
    own = context.player is not None and context.player.id in starters
    at_once = own or await context.is_admin()
    if context.player is None and not at_once:
        return saying(*context.answer())
    return lambda tx: _end_or_vote(context, tx, round.id, at_once=at_once)


def _running(tx: Tx, round: Round | None) -> tuple[Race | None, Duel | None]:
    """The race that the live round is a hand of, and the duel that the race is."""
    if round is None or round.race_id is None or round.state is not State.OPEN:
        return None, None
    race = races.by_id(tx, round.race_id)
    return (race, duels.of_race(tx, race.id)) if race is not None and race.open else (None, None)


def _taken_back(context: Context, tx: Tx) -> list[Request]:
    """Where nothing is on, /stop means the challenge that waits for somebody to accept it."""
    player = context.player
    offered = None if player is None or context.query else duels.waiting(tx, context.chat.id, player.id)
    return [*take_back(tx, offered), *react(context, COUNTED)] if offered else []


def _nothing(context: Context, tx: Tx) -> list[Request]:
    if context.query:
        return context.answer(context.words.plain("That is over already."))
    line = context.words.say("No race or duel is on here. /skip gives up a hand.")
    return aside(context, tx, line, quiet=True)


def _end_or_vote(context: Context, tx: Tx, round_id: int, *, at_once: bool) -> list[Request]:
    present = rounds.by_id(tx, round_id)
    race, duel = _running(tx, present)
    if present is None or race is None:
        return _nothing(context, tx)
    if at_once or context.player is None:
        return [*_ended(context, tx, present, race, duel), *context.answer()]
    votes = tries.vote_to_stop(tx, race.id, context.player.id)
    votes_cast = context.words.plain("Stop {votes}/{needed}", votes=votes, needed=VOTES_TO_SKIP)
    if votes >= VOTES_TO_SKIP:
        return [*_ended(context, tx, present, race, duel), *context.answer(votes_cast)]
    answered = context.answer(votes_cast) if context.query else react(context, COUNTED)
    return [messages.show(present), *answered]


def _ended(context: Context, tx: Tx, present: Round, race: Race, duel: Duel | None) -> list[Request]:
    """End it all: the hand on the table too, unless its time is over, and answers may be on their way."""
    who = context.player.id if context.player else None
    if duel is not None:
        given_up = who is not None and who in duel.players
        duels.close(tx, duel_rules.given_up(duel, who or 0) if given_up else duel_rules.stopped(duel))
    races.advance(tx, replace(race, played=race.played + 1, open=False))
    if not in_time(present, context.now):
        return [messages.show(present)]
    give_up(tx, present, tries.who_stops(tx, race.id), who)
    skipped = ended(present, State.SKIPPED, context.now)
    if not rounds.close(tx, skipped):
        return [messages.show(present)]
    if who is not None:
        secrecy.remember(tx, who, numbers_of(present.line), context.now)
    return follow(tx, skipped, context.begins)


ROUTES = Routes(
    commands=[
        Command("stop", stop, Work.COMMAND, lambda speech: speech.plain("end a race or a duel")),
    ],
    buttons=[Button("x", stop_pressed, Work.DEALING)],
)
