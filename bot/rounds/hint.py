"""Show a hint for the open hand, asked for by /hint or its button."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.database import Tx
from bot.i18n import Html, Words, translate_later
from bot.players import preferences
from bot.players.queries import Chat
from bot.queue.admission import UpdateKind
from bot.rounds import queries as rounds
from bot.rounds import secrecy
from bot.rounds.answer import Ignored, NoOpenHand, OpenElsewhere
from bot.rounds.commands import explain_no_open_hand, find_meant_round, load_pressed_round, make_notice
from bot.rounds.mode import find_mode
from bot.rounds.puzzle import Kind, parse_hand_numbers
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, add_hint, is_in_time
from bot.rounds.view import HINT_BUTTON
from bot.telegram import messages
from bot.telegram.context import Context, Effect, Response
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes

# Give a hint


@dataclass(frozen=True, slots=True)
class HintGiven:
    round: Round  # With one more hint


@dataclass(frozen=True, slots=True)
class NoHintLeft:
    has_hints: bool  # Whether the game has any for this hand


@dataclass(frozen=True, slots=True)
class HintsForbidden:
    """The chat or the round's mode plays without hints."""

    render_reason: Callable[[Words], Html]


Outcome = HintGiven | NoHintLeft | HintsForbidden | OpenElsewhere | NoOpenHand | Ignored


def give_hint(tx: Tx, round: Round | None, player_id: int | None, chat: Chat, sent_at: float) -> Outcome:
    """Count one more hint for the round, and return the outcome.

    None is given where hints are forbidden, none is left, or the player has an open hand with these numbers
    in another chat. In private the hint counts as a solution that the player was shown.
    """
    if round is None or not is_in_time(round, sent_at):
        return NoOpenHand(round)
    if player_id is None:
        return Ignored()
    if not preferences.read_preferences(chat).hints:
        return HintsForbidden(lambda words: words.translate("This chat plays without hints."))
    reason = find_mode(round).refuse_hint(tx, round)
    if reason is not None:
        return HintsForbidden(reason)
    finds = rounds.load_finds(tx, round.id) if round.kind is Kind.ALL else []
    game_hints = GAMES[round.game].hints
    available = game_hints.count(game_hints.find_hinted(round.puzzle, finds))
    hinted = add_hint(round, available)
    if hinted == round:  # none is left
        return NoHintLeft(has_hints=available > 0)
    numbers = parse_hand_numbers(round.line)
    # The hint would help with an open hand of these numbers elsewhere, too
    other_chat_id = secrecy.find_open_hand(tx, player_id, chat.id, numbers, except_round_id=round.id)
    if other_chat_id is not None:
        return OpenElsewhere(other_chat_id)
    if round.is_private:  # a group may deal the same numbers before this hand is over
        secrecy.record_solution_shown(tx, player_id, numbers, sent_at)
    rounds.update_game_state(tx, hinted)
    return HintGiven(hinted)


# Say what happened


def render_outcome(context: Context, tx: Tx, outcome: Outcome) -> Sequence[Response]:
    """Return the redrawn message, or the reply that says why there is no hint."""
    words = context.words
    match outcome:
        case HintGiven(round):
            shown = find_mode(round).show_in_chat(context, tx, round)
            edit = messages.show_round(round.chat_id, round.id)
            return [*(shown or [edit]), *context.answer_press()]
        case NoOpenHand(over):
            return explain_no_open_hand(context, tx, over)
        case Ignored():
            return context.answer_press()
        case OpenElsewhere(chat_id):
            return secrecy.refuse_solution(context, secrecy.render_open_hand(context, chat_id))
        case HintsForbidden(render_reason):
            text = render_reason(words)
        case NoHintLeft(has_hints=True):
            text = words.translate("No more hints for this hand.")
        case NoHintLeft():
            text = words.translate("There are no hints for this one.")
    return make_notice(context, tx, text)


# Handlers


def show_hint(context: Context, tx: Tx, round: Round | None) -> Sequence[Response]:
    """Give the sender a hint for the round, and show it."""
    player_id = context.player.id if context.player else None
    return render_outcome(context, tx, give_hint(tx, round, player_id, context.chat, context.sent_at))


async def hint_command(context: Context) -> Effect:
    return lambda tx: show_hint(context, tx, find_meant_round(context, tx))


async def press_hint(context: Context) -> Effect:
    pressed = await load_pressed_round(context)
    # Loaded again, since it may have changed
    return lambda tx: show_hint(context, tx, rounds.load_round(tx, pressed.id) if pressed else None)


ROUTES = Routes(
    commands=[
        CommandRoute("hint", hint_command, UpdateKind.COMMAND, translate_later("a hint for this hand"))
    ],
    buttons=[ButtonRoute(HINT_BUTTON, press_hint)],
)
