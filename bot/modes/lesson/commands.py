"""The lesson: one easy hand of 20 seconds in private, for players who have never scored.

It is offered once, and the offer stays valid until it is taken or declined. It is a round of its own kind:
nothing counts, and each wrong answer shows the next hint.
"""

from dataclasses import replace
from functools import partial

from bot.database import Tx
from bot.i18n import Html
from bot.modes.lesson import queries as lessons
from bot.rounds import commands as play
from bot.rounds import queries as rounds
from bot.rounds import secrecy
from bot.rounds.puzzle import Kind, Options, Puzzle, Verdict, parse_hand_numbers
from bot.rounds.registry import DEFAULT_GAME, GAMES
from bot.rounds.rules import Round, add_hint
from bot.telegram import messages
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Request
from bot.workers.pool import SolvingError

LESSON_SECONDS = 20.0
WRONG_REACTION = "👎"


def offer_lesson(context: Context, tx: Tx) -> list[Request]:
    """Post the offer and store it, unless the player has been offered the lesson or can't take it."""
    if context.player is None or not lessons.insert_offer(tx, context.player.id):
        return []
    words = context.words
    # `admin.welcome` passes these presses on
    begin = (f"🎓 {words.translate_plain('Try it: 20 seconds')}", "st:learn")
    decline = (words.translate_plain("No, thanks"), "st:no")
    text = words.translate("First time here? Try an easy hand.")
    return [context.reply(text, keyboard=[[begin, decline]])]


async def begin_lesson(context: Context) -> Effect:
    """Deal the lesson's hand in the offer's message; refuse if the player can no longer take the lesson."""
    message = context.message
    if message is None or not context.chat.private:
        return play.refuse_old_button(context)
    refusal = await play.load_deal_refusal(context)
    if refusal is not None:
        return refusal
    services = context.services
    try:
        puzzle = await play.draw_puzzle(
            context,
            lambda: DEFAULT_GAME.deal_lesson(services.solver_pool, services.make_seed()),
            partial(secrecy.explain_secret, context),
        )
    except SolvingError:
        return play.apologize_for_timeout(context)

    return lambda tx: _open_lesson(context, tx, puzzle, message.message_id)


def _open_lesson(context: Context, tx: Tx, puzzle: Puzzle, message_id: int) -> list[Request]:
    """Close the offer and open the round in its message; refuse if the offer is closed or the hand secret."""
    if not lessons.can_take_lesson(tx, context.chat.id):
        return play.refuse_old_button(context)(tx)
    secret = secrecy.explain_secret(context, tx, parse_hand_numbers(puzzle.line))
    if secret is not None:
        return secrecy.refuse_solution(context, secret)
    lessons.close_offer(tx, context.chat.id)
    new = play.make_round(context, DEFAULT_GAME, puzzle, Options(kind=Kind.LESSON), LESSON_SECONDS)
    return play.open_and_show_round(context, tx, replace(new, message_id=message_id))


async def decline_lesson(context: Context) -> Effect:
    """Close the offer and say so in its message."""
    message = context.message
    if message is None or not context.chat.private:
        return play.refuse_old_button(context)

    def effect(tx: Tx) -> list[Request]:
        lessons.close_offer(tx, context.chat.id)
        text = context.words.translate("All right. /play deals a hand any time.")
        return [messages.edit_message(context.chat.id, message.message_id, text)]

    return effect


def explain_and_show_hint(context: Context, tx: Tx, round: Round, verdict: Verdict) -> list[Request]:
    """Reply why the answer is wrong, and show the next hint in the hand's message if there is one."""
    reason = verdict.render_reason(context.words) if verdict.render_reason else Html("")
    requests = [*play.react(context, WRONG_REACTION), play.reply(context, reason)]
    hinted = add_hint(round, GAMES[round.game].count_hints(round.puzzle))
    if hinted == round:  # no hint is left
        return requests
    rounds.update_game_state(tx, hinted)
    return [*requests, messages.show_round(hinted)]
