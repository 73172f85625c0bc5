"""Which hand a text is meant for, as far as its numbers and the place where it was said tell."""

from bot.database import Tx
from bot.rounds import queries as rounds
from bot.rounds.puzzle import Kind, VerdictKind
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State
from bot.telegram.context import Context

AFTERMATH = 120.0  # Seconds after a round's end in which a right answer still gets a kind word


def get_chat_and_topic(context: Context) -> tuple[int, int]:
    """The chat and topic: where a table is."""
    return context.chat.id, context.topic


def find_table_round(context: Context, tx: Tx) -> Round | None:
    """The hand on the table here, or the last one that was; for a tap the one that its page showed."""
    if (tapped := find_board_round(context, tx)) is not None:
        return tapped
    return rounds.load_open_round(tx, *get_chat_and_topic(context)) or rounds.load_latest_round(
        tx, *get_chat_and_topic(context)
    )


def find_board_round(context: Context, tx: Tx) -> Round | None:
    """The hand that the page showed on which an answer was tapped, if that is one of this table."""
    found = rounds.load_round(tx, context.board_round_id) if context.board_round_id else None
    if (
        found is None
        or found.kind is Kind.CONTEST
        or (found.chat_id, found.topic) != get_chat_and_topic(context)
    ):
        return None
    return found


def fits_round(round: Round, text: str) -> bool:
    """Whether the text is made of what was dealt there."""
    return GAMES[round.game].check(round.puzzle, text).kind in (VerdictKind.RIGHT, VerdictKind.WRONG)


def is_long_over(round: Round, now: float) -> bool:
    """Whether it was over long before."""
    return round.state is not State.OPEN and now - (round.closed or 0) > AFTERMATH


def find_quoted_round(context: Context, tx: Tx, message_id: int, text: str) -> Round | None:
    """The hand that one of the bot's messages, with that text, shows or names.

    One that names it may be the deal itself, unrecorded because of a crash.
    """
    if (shown := rounds.load_round_of_message(tx, context.chat.id, message_id)) is not None:
        return shown
    last = find_table_round(context, tx)
    return last if last is not None and last.line in text.splitlines() else None


def find_solved_previous_round(context: Context, tx: Tx, round: Round, *, addressed: bool) -> Round | None:
    """The hand before this one, if the text solves that.

    It was in the same race, or it was over a moment ago and the text is meant for the bot.
    """
    before = rounds.load_previous_round(tx, round)
    if before is None:
        return None
    raced = round.race_id is not None and before.race_id == round.race_id
    lately = addressed and context.sent_at - (before.closed or 0) <= AFTERMATH
    if not (raced or lately):
        return None
    verdict = GAMES[before.game].check(before.puzzle, context.argument)
    return before if verdict.kind is VerdictKind.RIGHT else None


def find_just_ended_round(context: Context, tx: Tx, live: Round | None) -> Round | None:
    """The hand by which a text is judged that fits the one here that was over a moment ago."""
    if live is not None:
        return live if find_solved_previous_round(context, tx, live, addressed=True) else None
    over = rounds.load_latest_round(tx, *get_chat_and_topic(context))
    if over is None or is_long_over(over, context.sent_at):
        return None
    return over if fits_round(over, context.argument) else None
