"""/hint: a hand shows more of itself."""

from bot.admin.settings import rules as preferences
from bot.database import Tx
from bot.modes.daily import hints as daily
from bot.modes.duel import queries as duels
from bot.queue.intake import Work
from bot.rounds import queries as rounds
from bot.rounds import secrecy
from bot.rounds.commands import aside, out_of_time, pressed_round
from bot.rounds.kept import nothing_open
from bot.rounds.known import GAMES
from bot.rounds.puzzle import numbers_of
from bot.rounds.rules import Round, State, buy_hint, in_time
from bot.telegram import messages
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Request
from bot.telegram.routes import Button, Command, Routes


async def hint(context: Context) -> Effect:
    """/hint: for the round that is live here, or the hand of a day that is before the person in private."""

    def effect(tx: Tx) -> list[Request]:
        live = rounds.live(tx, context.chat.id, context.topic)
        told = daily.asked(context, tx, instead=live is None)
        return _hint(context, tx, live) if told is None else told

    return effect


async def hint_pressed(context: Context) -> Effect:
    """The button: for the round above it."""
    pressed = await pressed_round(context)
    return lambda tx: _hint(context, tx, rounds.by_id(tx, pressed.id) if pressed else None)


def _hint(context: Context, tx: Tx, round: Round | None) -> list[Request]:
    if round is None or round.state is not State.OPEN:
        return nothing_open(context, tx)
    if not in_time(round, context.now):
        return out_of_time(context, tx)
    if context.player is None:
        return context.answer()
    if not preferences.of(context.chat).hints:
        return aside(context, tx, context.words.say("This chat plays without hints."))
    if duels.of_race(tx, round.race_id) is not None:
        return aside(context, tx, context.words.say("A duel is played without hints."), quiet=True)
    if not GAMES[round.game].hints(round.puzzle):
        return aside(context, tx, context.words.say("There are no hints for this one."), quiet=True)
    bought = buy_hint(round, GAMES[round.game].hints(round.puzzle))
    if bought == round:
        return aside(context, tx, context.words.say("No more hints for this hand."), quiet=True)
    if (refused := secrecy.refuse_open_hand(context, tx, numbers_of(round.line), but=round.id)) is not None:
        return refused
    rounds.show_hints(tx, bought)
    return [messages.show(bought), *context.answer()]


ROUTES = Routes(
    commands=[Command("hint", hint, Work.COMMAND, lambda speech: speech.plain("a hint for this hand"))],
    buttons=[Button("h", hint_pressed)],
)
