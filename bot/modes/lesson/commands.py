"""The lesson is offered, begun or declined, and a wrong answer in it brings the next hint."""

from dataclasses import replace

from bot.database import Tx
from bot.i18n import Html
from bot.modes.lesson import queries as lessons
from bot.modes.lesson import view
from bot.modes.lesson.rules import DRAWS, SECONDS
from bot.rounds import queries as rounds
from bot.rounds import secrecy
from bot.rounds.commands import hindered, new_round, open_hand, out_of_date, react, reply, sorry
from bot.rounds.known import GAMES, USUAL
from bot.rounds.puzzle import Kind, Options, Puzzle, Verdict, numbers_of
from bot.rounds.rules import Round, buy_hint
from bot.telegram import messages
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Request
from bot.workers.pool import SolvingError

WRONG = "👎"


def offered(context: Context, tx: Tx) -> list[Request]:
    """The offer, to somebody who may take the lesson and was never told of it."""
    if context.player is None or not lessons.offer(tx, context.player.id):
        return []
    text, keyboard = view.offer(context.words)
    return [context.say(text, keyboard=keyboard)]


async def begin(context: Context) -> Effect:
    """The button that offers it: the first hand takes the offer's place, unless it is needed no more."""
    player, message = context.player, context.message
    if player is None or message is None or not context.chat.private:
        return out_of_date(context)
    if (instead := await hindered(context)) is not None:
        return instead
    try:
        puzzle = await _deal(context)
    except SolvingError:
        return sorry(context)

    def effect(tx: Tx) -> list[Request]:
        if not lessons.is_open(tx, player.id):
            return out_of_date(context)(tx)
        if secret := secrecy.find_secret(context, tx, numbers_of(puzzle.line)):
            return secrecy.refuse(context, secret)
        lessons.settle(tx, player.id)
        new = new_round(context, USUAL, puzzle, Options(kind=Kind.LESSON), SECONDS)
        return open_hand(context, tx, replace(new, message_id=message.message_id))

    return effect


async def decline(context: Context) -> Effect:
    """The other button: the lesson is not wanted, and not offered again."""
    player, message = context.player, context.message
    if player is None or message is None or not context.chat.private:
        return out_of_date(context)

    def effect(tx: Tx) -> list[Request]:
        lessons.settle(tx, player.id)
        return [messages.edit(context.chat.id, message.message_id, view.declined(context.words))]

    return effect


async def _deal(context: Context) -> Puzzle:
    """One of the easy hands that is on no table of the player's, if there is one. Raises SolvingError."""
    services = context.services
    seed = services.seed()
    for number in range(DRAWS):
        puzzle: Puzzle = await USUAL.lesson(services.solving, seed + number)
        numbers = numbers_of(puzzle.line)
        if not await services.store.read(lambda tx, n=numbers: secrecy.find_secret(context, tx, n)):  # type: ignore[misc]
            break
    return puzzle


def nudged(context: Context, tx: Tx, round: Round, verdict: Verdict) -> list[Request]:
    """Why it is wrong, and one hint more as long as there is one; nothing is counted."""
    reason = verdict.why(context.words) if verdict.why else Html("")
    told = [*react(context, WRONG), reply(context, reason)]
    bought = buy_hint(round, GAMES[round.game].hints(round.puzzle))
    if bought == round or context.player is None:
        return told
    rounds.show_hints(tx, bought)
    return [*told, messages.show(bought)]
