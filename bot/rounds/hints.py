"""/hint and its button: show one more hint in the message of a round."""

from bot.admin.settings import preferences
from bot.database import Tx
from bot.modes.daily import commands as daily
from bot.modes.duel import queries as duels
from bot.queue.admission import UpdateKind
from bot.rounds import queries as rounds
from bot.rounds import secrecy
from bot.rounds.commands import load_pressed_round, make_notice, refuse_late_request
from bot.rounds.message_lines import HINT_BUTTON
from bot.rounds.puzzle import parse_hand_numbers
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State, add_hint, is_in_time
from bot.rounds.secret_answers import explain_no_open_hand
from bot.telegram import messages
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Request
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes


async def show_hint(context: Context) -> Effect:
    """Handle /hint for the daily hand that it replies to, else the open round, else the last daily hand."""

    def effect(tx: Tx) -> list[Request]:
        """Show the hint of a daily hand if it is meant, else of the open round."""
        live = rounds.load_open_round(tx, context.chat.id, context.topic)
        daily_hint = daily.show_hint(context, tx, use_latest=live is None)
        if daily_hint is not None:
            return daily_hint
        return _show_round_hint(context, tx, live)

    return effect


async def press_hint(context: Context) -> Effect:
    """Handle the button: show one more hint for the round above it."""
    pressed = await load_pressed_round(context)

    def effect(tx: Tx) -> list[Request]:
        current = rounds.load_round(tx, pressed.id) if pressed else None  # it may have changed since
        return _show_round_hint(context, tx, current)

    return effect


def _show_round_hint(context: Context, tx: Tx, round: Round | None) -> list[Request]:
    """Count and show one more hint, or say why not: too late, none left or allowed, hand open elsewhere."""
    words = context.words
    if round is None or round.state is not State.OPEN:
        return explain_no_open_hand(context, tx)
    if not is_in_time(round, context.sent_at):
        return refuse_late_request(context, tx)
    if context.player is None:
        return context.answer_press()
    if not preferences.read_preferences(context.chat).hints:
        return make_notice(context, tx, words.translate("This chat plays without hints."))
    if duels.load_duel_of_race(tx, round.race_id) is not None:
        return make_notice(context, tx, words.translate("A duel is played without hints."), quiet=True)
    available = GAMES[round.game].count_hints(round.puzzle)
    hinted = add_hint(round, available)
    if hinted == round:  # none is left
        text = words.translate("No more hints for this hand.")
        if not available:
            text = words.translate("There are no hints for this one.")
        return make_notice(context, tx, text, quiet=True)
    numbers = parse_hand_numbers(round.line)
    refusal = secrecy.refuse_open_hand(context, tx, numbers, except_round_id=round.id)
    if refusal is not None:
        return refusal
    rounds.update_game_state(tx, hinted)
    return [messages.show_round(hinted), *context.answer_press()]


ROUTES = Routes(
    commands=[
        CommandRoute(
            "hint", show_hint, UpdateKind.COMMAND, lambda words: words.translate_plain("a hint for this hand")
        )
    ],
    buttons=[ButtonRoute(HINT_BUTTON, press_hint)],
)
