"""Find the round that a text may answer, by its numbers and the place where it was sent."""

from bot.database import Tx
from bot.rounds import queries as rounds
from bot.rounds.puzzle import Kind, VerdictKind
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State
from bot.telegram.context import Context

AFTERMATH = 120.0  # Seconds after the end of a round in which late answers to it get a reply


def load_open_round_here(context: Context, tx: Tx) -> Round | None:
    """Return the open round of the chat and topic of the message; None if there is none."""
    return rounds.load_open_round(tx, context.chat.id, context.topic)


def find_table_round(context: Context, tx: Tx) -> Round | None:
    """Return the open or last round here, for a board answer that of its page; None if none was dealt."""
    board_round = find_board_round(context, tx)
    if board_round is not None:
        return board_round
    open_round = load_open_round_here(context, tx)
    return open_round or rounds.load_latest_round(tx, context.chat.id, context.topic)


def find_board_round(context: Context, tx: Tx) -> Round | None:
    """Return the round of the board page where an answer was tapped; None elsewhere and for a contest."""
    if not context.board_round_id:
        return None
    found = rounds.load_round(tx, context.board_round_id)
    if found is None or found.kind is Kind.CONTEST:
        return None
    is_here = found.chat_id == context.chat.id and found.topic == context.topic
    return found if is_here else None


def fits_round(round: Round, text: str) -> bool:
    """Whether the text is an answer, right or wrong, made of the numbers dealt in the round."""
    return GAMES[round.game].check(round.puzzle, text).kind in (VerdictKind.RIGHT, VerdictKind.WRONG)


def is_long_over(round: Round, now: float) -> bool:
    """Whether the round ended more than `AFTERMATH` ago."""
    return round.state is not State.OPEN and now - (round.closed or 0) > AFTERMATH


def find_quoted_round(context: Context, tx: Tx, message_id: int, text: str) -> Round | None:
    """Return the round that the bot's message shows, by its id, else by its text; None if it shows none."""
    shown = rounds.load_round_of_message(tx, context.chat.id, message_id)
    if shown is not None:
        return shown
    last = find_table_round(context, tx)  # its deal may be unrecorded after a crash
    return last if last is not None and last.line in text.splitlines() else None


def find_solved_previous_round(context: Context, tx: Tx, round: Round, *, addressed: bool) -> Round | None:
    """Return the round before this one if the message is a right answer to that, else None.

    Only in the same race, or if it has just ended and the message is `addressed` to the bot.
    """
    before = rounds.load_previous_round(tx, round)
    if before is None:
        return None
    same_race = round.race_id is not None and before.race_id == round.race_id
    just_ended = addressed and context.sent_at - (before.closed or 0) <= AFTERMATH
    if not (same_race or just_ended):
        return None
    verdict = GAMES[before.game].check(before.puzzle, context.argument)
    return before if verdict.kind is VerdictKind.RIGHT else None


def find_just_ended_round(context: Context, tx: Tx, live: Round | None) -> Round | None:
    """Return the round by which to judge a late answer to the hand that has just ended here.

    If a hand is open (`live`), that is the open one: judged by it, a right answer to the one before is found
    too. None if the message is no such answer; beside an open hand only a right one counts.
    """
    if live is not None:
        is_late_answer = find_solved_previous_round(context, tx, live, addressed=True) is not None
        return live if is_late_answer else None
    over = rounds.load_latest_round(tx, context.chat.id, context.topic)
    if over is None or is_long_over(over, context.sent_at):
        return None
    return over if fits_round(over, context.argument) else None
