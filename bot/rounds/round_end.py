"""End a round: record what follows and show it.

Nothing here posts a message, so that a chat where nobody speaks stays silent: ended rounds and the next hand
of a race appear in messages that exist. Only a race's message far above is posted anew.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bot.database import Tx
from bot.i18n import get_words
from bot.queue.outgoing import Outgoing
from bot.queue.rendering import convert_to_caption
from bot.rounds import attempts, ledger
from bot.rounds import queries as rounds
from bot.rounds.game import require
from bot.rounds.mode import find_mode
from bot.rounds.puzzle import Kind
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round
from bot.telegram import messages
from bot.telegram.context import Context, Response

MAX_MESSAGES_BELOW = 20  # With more below the race's message the next hand is posted anew, to spare scrolling

# Called in this order with each ended round, in the transaction that ends it; `bot.features` fills the list
ROUND_END: list[Callable[[Tx, Round], None]] = []


@dataclass(frozen=True, slots=True)
class RoundEnd:
    """A round that has just ended, and the hand of its race that follows."""

    over: Round
    next_round: Round | None  # None outside races and after the last hand
    in_new_message: bool = False  # Whether the next hand leaves the race's message, which is far above


def end_round(tx: Tx, over: Round, now: float, ending_message_id: int = 0) -> RoundEnd | None:
    """Store the end of a round and call `record_round_end`; None if it was closed before."""
    return record_round_end(tx, over, now, ending_message_id) if rounds.close_round(tx, over) else None


def record_round_end(tx: Tx, over: Round, now: float, ending_message_id: int = 0) -> RoundEnd:
    """Award the entries of a closed round, tell its mode and `ROUND_END`, and open the next hand at `now`.

    `ending_message_id` is the message that ended the round, 0 if none here did. If it is far below the race's
    message, the next hand is shown in a new one.
    """
    if over.kind is Kind.BEST:
        award_entries(tx, over)
    mode = find_mode(over)
    mode.record_end(tx, over)
    for handle_end in ROUND_END:
        handle_end(tx, over)
    messages_below = 0 if over.message_id is None else ending_message_id - over.message_id
    is_far = messages_below > MAX_MESSAGES_BELOW
    opened = mode.open_next_hand(tx, over, now, in_new_message=is_far)
    return RoundEnd(over, opened, in_new_message=is_far and opened is not None)


def show_round_end(tx: Tx, end: RoundEnd) -> list[Outgoing]:
    """Show the round that has ended, or the next hand of its race, whose message shows the end too."""
    over, opened = end.over, end.next_round
    if opened is None:
        return [messages.show_round(over.chat_id, over.id)]
    shown = messages.show_round(opened.chat_id, opened.id, new=opened.message_id is None)
    return [_point_to_next_message(tx, over), shown] if end.in_new_message else [shown]


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


def _point_to_next_message(tx: Tx, over: Round) -> Outgoing:
    """Return the edit that makes the race's former message, a text or a photo, point to the new one below."""
    message_id = over.message_id or 0
    text = find_mode(over).render_pointer(tx, over, get_words(over.language))
    edit = messages.edit_message(over.chat_id, message_id, text)
    if rounds.load_shown_picture(tx, over.chat_id, message_id):
        return convert_to_caption(edit, photo=None)
    return edit
