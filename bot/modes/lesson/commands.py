"""The lesson is offered, begun or declined, and a wrong answer in it brings the next hint."""

from dataclasses import replace

from bot.database import Tx
from bot.i18n import Html
from bot.modes.lesson import queries as lessons
from bot.modes.lesson import view
from bot.modes.lesson.queries import LESSON_SECONDS, MAX_DRAWS
from bot.rounds import queries as rounds
from bot.rounds import secrecy
from bot.rounds.commands import (
    apologize_for_timeout,
    load_deal_refusal,
    make_round,
    open_and_show_round,
    react,
    refuse_old_button,
    reply,
)
from bot.rounds.puzzle import Kind, Options, Puzzle, Verdict, parse_hand_numbers
from bot.rounds.registry import DEFAULT_GAME, GAMES
from bot.rounds.rules import Round, add_hint
from bot.telegram import messages
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Request
from bot.workers.pool import SolvingError

WRONG = "👎"


def offer_lesson(context: Context, tx: Tx) -> list[Request]:
    """The offer, to somebody who may take the lesson and was never told of it."""
    if context.player is None or not lessons.insert_offer(tx, context.player.id):
        return []
    text, keyboard = view.render_offer(context.words)
    return [context.reply(text, keyboard=keyboard)]


async def begin_lesson(context: Context) -> Effect:
    """The button that offers it: the first hand takes the offer's place, unless it is needed no more."""
    player, message = context.player, context.message
    if player is None or message is None or not context.chat.private:
        return refuse_old_button(context)
    if (instead := await load_deal_refusal(context)) is not None:
        return instead
    try:
        puzzle = await _deal(context)
    except SolvingError:
        return apologize_for_timeout(context)

    def effect(tx: Tx) -> list[Request]:
        if not lessons.can_take_lesson(tx, player.id):
            return refuse_old_button(context)(tx)
        if secret := secrecy.find_secret(context, tx, parse_hand_numbers(puzzle.line)):
            return secrecy.refuse_solution(context, secret)
        lessons.close_offer(tx, player.id)
        new = make_round(context, DEFAULT_GAME, puzzle, Options(kind=Kind.LESSON), LESSON_SECONDS)
        return open_and_show_round(context, tx, replace(new, message_id=message.message_id))

    return effect


async def decline_lesson(context: Context) -> Effect:
    """The other button: the lesson is not wanted, and not offered again."""
    player, message = context.player, context.message
    if player is None or message is None or not context.chat.private:
        return refuse_old_button(context)

    def effect(tx: Tx) -> list[Request]:
        lessons.close_offer(tx, player.id)
        return [
            messages.edit_message(context.chat.id, message.message_id, view.render_declined(context.words))
        ]

    return effect


async def _deal(context: Context) -> Puzzle:
    """One of the easy hands that is on no table of the player's, if there is one. Raises SolvingError."""
    services = context.services
    seed = services.make_seed()
    for number in range(MAX_DRAWS):
        puzzle: Puzzle = await DEFAULT_GAME.deal_lesson(services.solver_pool, seed + number)
        numbers = parse_hand_numbers(puzzle.line)
        if not await services.store.read(lambda tx, n=numbers: secrecy.find_secret(context, tx, n)):  # type: ignore[misc]
            break
    return puzzle


def explain_and_show_hint(context: Context, tx: Tx, round: Round, verdict: Verdict) -> list[Request]:
    """Why it is wrong, and one hint more as long as there is one; nothing is counted."""
    reason = verdict.render_reason(context.words) if verdict.render_reason else Html("")
    told = [*react(context, WRONG), reply(context, reason)]
    bought = add_hint(round, GAMES[round.game].count_hints(round.puzzle))
    if bought == round or context.player is None:
        return told
    rounds.update_hints(tx, bought)
    return [*told, messages.show_round(bought)]
