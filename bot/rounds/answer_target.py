"""Find the round that a text may answer, by its numbers and the place where it was sent."""

from bot.database import Tx
from bot.rounds import queries as rounds
from bot.rounds.puzzle import Kind, VerdictKind
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State
from bot.telegram.context import Context

LATE_REPLY_SECONDS = 120.0  # Seconds after the end of a round in which late answers to it get a reply


def load_open_round_here(context: Context, tx: Tx) -> Round | None:
    """Return the open round of the chat and topic of the message; None if there is none."""
    return rounds.load_open_round(tx, context.chat.id, context.topic)


def find_table_round(context: Context, tx: Tx) -> Round | None:
    """Return the round of the board page that was used, else the open or last round here; None if none."""
    board_round = find_board_round(context, tx)
    if board_round is not None:
        return board_round
    open_round = load_open_round_here(context, tx)
    return open_round or rounds.load_latest_round(tx, context.chat.id, context.topic)


def find_board_round(context: Context, tx: Tx) -> Round | None:
    """Return the round of the board page where an answer was tapped; None elsewhere and for a contest."""
    if not context.board_round_id:
        return None
    board_round = rounds.load_round(tx, context.board_round_id)
    if board_round is None or board_round.kind is Kind.CONTEST:
        return None
    if board_round.chat_id != context.chat.id or board_round.topic != context.topic:
        return None
    return board_round


def fits_round(round: Round, text: str) -> bool:
    """Whether the text is an answer, right or wrong, made of the numbers dealt in the round."""
    verdict = GAMES[round.game].check(round.puzzle, text)
    return verdict.kind in (VerdictKind.RIGHT, VerdictKind.WRONG)


def is_long_over(round: Round, now: float) -> bool:
    """Whether the round ended more than `LATE_REPLY_SECONDS` seconds ago."""
    if round.state is State.OPEN:
        return False
    closed = round.closed or 0.0  # every ended round has a time
    return now - closed > LATE_REPLY_SECONDS


def find_quoted_round(context: Context, tx: Tx, message_id: int, message_text: str) -> Round | None:
    """Return the round that a message of the bot shows; None if it shows none.

    The round is found by the message's id, or if the text contains the line of the open or last round here.
    """
    shown_round = rounds.load_round_of_message(tx, context.chat.id, message_id)
    if shown_round is not None:
        return shown_round
    table_round = find_table_round(context, tx)  # after a crash its message may be unrecorded
    if table_round is None or table_round.line not in message_text.splitlines():
        return None
    return table_round


def find_solved_previous_round(context: Context, tx: Tx, round: Round, *, addressed: bool) -> Round | None:
    """Return the round before this one if the message is a right answer to it, else None.

    It must be of the same race, or must have just ended while the message is `addressed` to the bot.
    """
    previous = rounds.load_previous_round(tx, round)
    if previous is None:
        return None
    is_same_race = round.race_id is not None and previous.race_id == round.race_id
    has_just_ended = not is_long_over(previous, context.sent_at)
    if not is_same_race and not (addressed and has_just_ended):
        return None
    verdict = GAMES[previous.game].check(previous.puzzle, context.argument)
    return previous if verdict.kind is VerdictKind.RIGHT else None


def find_just_ended_round(context: Context, tx: Tx, live: Round | None) -> Round | None:
    """Return the round by which to judge a late answer to the hand that has just ended here.

    Beside an open hand (`live`) only a right answer counts, and the open hand is returned: `_judge` of
    `bot.rounds.answers` looks for the hand before it. None if the message is no late answer.
    """
    if live is not None:
        solved = find_solved_previous_round(context, tx, live, addressed=True)
        return live if solved is not None else None
    ended = rounds.load_latest_round(tx, context.chat.id, context.topic)
    if ended is None or is_long_over(ended, context.sent_at):
        return None
    return ended if fits_round(ended, context.argument) else None
