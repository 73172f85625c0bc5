"""End a round: record what follows and show it.

Nothing here posts a message, so that a chat where nobody speaks stays silent: ended rounds and the next hand
of a race appear in messages that exist. Only if these are out of sight, the win or the next hand is posted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bot.database import Tx
from bot.i18n import get_words
from bot.players import queries as people
from bot.queue.outgoing import Outgoing
from bot.queue.rendering import convert_to_caption
from bot.rounds import attempts, ledger
from bot.rounds import queries as rounds
from bot.rounds.game import require
from bot.rounds.mode import find_mode
from bot.rounds.puzzle import Kind
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, is_out_of_sight
from bot.rounds.view import NEXT_BUTTON, render_win
from bot.telegram import messages
from bot.telegram.context import Context, Response
from bot.telegram.messages import format_player_name

# Called in this order with each ended round, in the transaction that ends it; `bot.features` fills the list
ROUND_END: list[Callable[[Tx, Round], None]] = []


@dataclass(frozen=True, slots=True)
class RoundEnd:
    """A round that has just ended, and the hand of its race that follows."""

    over: Round
    next_round: Round | None  # None outside races and after the last hand
    is_out_of_sight: bool = False  # Whether the message of the round is too far up: a new one follows


def end_round(tx: Tx, over: Round, now: float, ending_message_id: int = 0) -> RoundEnd | None:
    """Store the end of a round and call `record_round_end`; None if it was closed before."""
    return record_round_end(tx, over, now, ending_message_id) if rounds.close_round(tx, over) else None


def record_round_end(tx: Tx, over: Round, now: float, ending_message_id: int = 0) -> RoundEnd:
    """Award the entries of a closed round, delete its notes, tell its mode and `ROUND_END`, and open the
    next hand at `now`.

    `ending_message_id` is the message that ended the round, 0 if none here did. If the round's message is out
    of sight from there, the win or the next hand is shown in a new one.
    """
    if over.kind is Kind.BEST:
        award_entries(tx, over)
    attempts.delete_notes(tx, over.id)
    mode = find_mode(over)
    mode.record_end(tx, over)
    for handle_end in ROUND_END:
        handle_end(tx, over)
    is_far = is_out_of_sight(over.message_id, ending_message_id)
    opened = mode.open_next_hand(tx, over, now, in_new_message=is_far)
    return RoundEnd(over, opened, is_far)


def show_round_end(tx: Tx, end: RoundEnd) -> list[Outgoing]:
    """Show the round that has ended, or the next hand of its race, whose message shows the end too."""
    over, opened = end.over, end.next_round
    if opened is None:
        is_win = over.kind is Kind.FIRST and over.race_id is None and over.winner_id is not None
        win = [_post_win(tx, over)] if is_win and end.is_out_of_sight else []
        return [messages.show_round(over.chat_id, over.id), *win]
    shown = messages.show_round(opened.chat_id, opened.id, new=opened.message_id is None)
    return [point_to_next_message(tx, over), shown] if end.is_out_of_sight else [shown]


def _post_win(tx: Tx, over: Round) -> Outgoing:
    """Return the post of a win, with the button for the next hand, below a deal that is out of sight."""
    words, winner_id = get_words(over.language), over.winner_id or 0
    name = format_player_name(people.load_names(tx, [winner_id]), winner_id)
    text = "\n".join(render_win(over, words, name, sum(ledger.load_round_points(tx, over.id).values())))
    button = (words.translate_plain("Next hand"), f"{NEXT_BUTTON}:{over.id}")
    return messages.post_message(over.chat_id, text, topic=over.topic, keyboard=[[button]])


def show_end_in_chat(context: Context, tx: Tx, end: RoundEnd) -> Sequence[Response]:
    """Show a round that a player has just ended, as its mode or as `show_round_end` does."""
    return find_mode(end.over).show_in_chat(context, tx, end.over) or show_round_end(tx, end)


def award_entries(tx: Tx, over: Round) -> None:
    """Store the awards for the entries that were sent in time."""
    # A later one may have been handled while the round waited for earlier messages.
    entries = [
        entry
        for entry in attempts.load_entries(tx, over)
        if over.deadline is None or entry.sent_at <= over.deadline
    ]
    message_id = over.message_id or 0
    closed = over.closed or 0.0  # a round that is over has a time
    for number, award in enumerate(require(GAMES[over.game].entries).award(over, entries)):
        # The number keeps awards apart: a round gives one award for each part.
        ledger.insert_award(tx, over, replace(award, part=str(number)), message_id, closed)


def point_to_next_message(tx: Tx, over: Round) -> Outgoing:
    """Return the edit that makes the round's former message, a text or a photo, point to a new one below."""
    message_id = over.message_id or 0
    text = find_mode(over).render_pointer(tx, over, get_words(over.language))
    edit = messages.edit_message(over.chat_id, message_id, text)
    if rounds.load_shown_picture(tx, over.chat_id, message_id):
        return convert_to_caption(edit, photo=None)
    return edit
