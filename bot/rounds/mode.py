"""The interface of a mode: a way to play rounds or to string them together, such as a race or practice.

Rounds know modes only through the list `MODES`, which `bot.features` fills.
"""

from collections.abc import Callable, Collection, Sequence
from typing import ClassVar

from bot.database import Tx
from bot.i18n import Html, Words
from bot.queue.outgoing import Outgoing
from bot.rounds.puzzle import Kind, Verdict
from bot.rounds.registry import GAMES
from bot.rounds.rules import VOTES_NEEDED, Round, State
from bot.rounds.view import NO_FRAME, Frame
from bot.rounds.votes import count_votes_needed, do_admins_alone_give_up
from bot.telegram.context import Context, Response
from bot.telegram.incoming import RepliedMessage


class Mode:
    """A mode. What it leaves as it is here changes nothing in its rounds."""

    kind: ClassVar[Kind | None] = None  # Of its rounds, where all of that kind are its own
    has_races: ClassVar[bool] = False  # Whether its rounds are the hands of races
    # Whether a right answer that can be bettered is stored as an entry and leaves the hand open
    awaits_best_answer: ClassVar[bool] = False
    # Whether a wrong answer shows the next hint; such an answer is not counted
    hints_at_errors: ClassVar[bool] = False
    # Whether answers in the chat are deleted once judged, so that the one message of the mode stays in sight
    deletes_answers: ClassVar[bool] = False
    late_answer_seconds: ClassVar[float] = 120.0  # After the end, in which late answers get a reply

    def check(self, round: Round, text: str) -> Verdict:
        """Judge a text as an answer to a round."""
        return GAMES[round.game].check(round.puzzle, text)

    # What players may do

    def is_spectator(self, tx: Tx, round: Round, player_id: int) -> bool:
        """Whether the player watches: their right answer earns nothing, others get no reply."""
        return False

    def explain_no_points(self, tx: Tx, round: Round, player_id: int, words: Words) -> Html | None:
        """Explain to a spectator why a right answer earns nothing; None for anybody else."""
        return None

    def refuse_hint(self, tx: Tx, round: Round) -> Callable[[Words], Html] | None:
        """Return the reason why the hand is played without hints; None if hints are allowed."""
        return None

    def refuse_skip(self, tx: Tx, round: Round, player_id: int | None) -> Callable[[Words], Html] | None:
        """Return the reason why the player has no say in giving the hand up; None for a player who has."""
        return None

    def ask_to_give_up(self, context: Context, tx: Tx, round: Round) -> Sequence[Response]:
        """Ask whether the player is sure to give the hand up; empty where no question is needed."""
        return []

    def is_skipped_by_votes_alone(self, tx: Tx, round: Round) -> bool:
        """Whether nobody, not even an admin, may give the hand up without a second vote."""
        return False

    def count_votes_needed(self, tx: Tx, round: Round, voters: Collection[int]) -> int:
        """Return how many votes give the hand up or end its race, as `votes.count_votes_needed` does."""
        if self.is_skipped_by_votes_alone(tx, round):
            return VOTES_NEEDED
        return count_votes_needed(tx, round, voters)

    def may_vote(self, tx: Tx, round: Round, *, is_admin: bool) -> bool:
        """Whether the person has a say in giving the hand up, as both players of a duel always have."""
        if is_admin or round.is_private or self.is_skipped_by_votes_alone(tx, round):
            return True
        return not do_admins_alone_give_up(tx, round.chat_id)

    # The end of a round

    def end_due_round(self, tx: Tx, round: Round, now: float) -> list[Outgoing]:
        """End and show a round in the state *running* whose deadline has passed; nothing by default."""
        return []

    def record_end(self, tx: Tx, over: Round) -> None:
        """Store what the mode keeps of an ended round; nothing by default."""

    def open_next_hand(self, tx: Tx, over: Round, now: float, *, in_new_message: bool) -> Round | None:
        """Store and return the hand after an ended one, in its message or a new one; None without one."""
        return None

    def render_pointer(self, tx: Tx, over: Round, words: Words) -> Html:
        """Return the text of a former message once the next hand is shown in a new one below."""
        return Html("⬇️")

    def end_race(self, tx: Tx, race_id: int) -> None:
        """End the race with that id, if it is one of this mode, before its last hand."""

    # Rounds that the mode stores in a table of its own, such as daily hands

    def load_private_rounds(self, tx: Tx, player_id: int, now: float) -> Sequence[Round]:
        """Load those that the player may answer in private beside the chat's round, the latest first.

        Some may be over: a right answer to one gets the reply that says so.
        """
        return []

    def load_page_round(self, tx: Tx, player_id: int, day: str, now: float) -> Round | None:
        """Load the one that the player's board page shows for that day; None if it shows none."""
        return None

    def load_replied_round(self, tx: Tx, player_id: int, message: RepliedMessage, now: float) -> Round | None:
        """Load the one that a message in the player's private chat shows; None if it shows none."""
        return None

    def update_round(self, tx: Tx, changed: Round) -> bool | None:
        """Store a changed one, return whether it was open still; None for a round of the table `rounds`."""
        return None

    def count_wrong_answer(self, tx: Tx, round: Round, text: str, verdict: Verdict, sent_at: float) -> bool:
        """Count an answer that is not right in a table of the mode; False where it has none."""
        return False

    def charge_wrong_answer(self, tx: Tx, round: Round, verdict: Verdict, sent_at: float) -> Round | None:
        """Return the round with less time, or ended, as an answer costs that is not right; not stored yet.

        None if it costs nothing.
        """
        return None

    def load_present_hand(self, tx: Tx, round: Round) -> Round:
        """Return the hand that has followed this one if a page answers ahead of the bot; else this one."""
        return round

    def show_in_chat(self, context: Context, tx: Tx, round: Round) -> Sequence[Response]:
        """Show a changed one; empty for a round of the table `rounds`, which has a renderer."""
        return []

    # The message of a round

    def explain_end(self, round: Round, words: Words) -> Html | None:
        """Explain why an ended round takes no answer and gives no hint; None for the usual texts."""
        return None

    def describe_win(self, tx: Tx, round: Round, words: Words) -> Html:
        """Return what the winner is told on the board; "" for nothing."""
        return Html("")

    def describe_progress(self, tx: Tx, round: Round, player_id: int, words: Words) -> Html | None:
        """Say how far the race of an open hand is, and how the player may end it; None outside races."""
        return None

    def load_frame(self, tx: Tx, round: Round) -> Frame:
        """Load what the message of the round shows of the mode."""
        return NO_FRAME

    # All rounds of a chat

    def count_hands_to_come(self, tx: Tx, chat_id: int) -> int:
        """Count the hands that the mode has yet to deal in the chat."""
        return 0

    def is_solution_secret(self, tx: Tx, player_id: int | None, numbers: Collection[int], now: float) -> bool:
        """Whether the mode hides the solutions of these numbers from the player."""
        return False


MODES: list[Mode] = []  # In the order of `bot.features`, which fills the list
SINGLE_HAND = Mode()  # Of rounds that are played in no mode


def find_mode(round: Round) -> Mode:
    """Return the mode in which the round is played; `SINGLE_HAND` if there is none."""
    if round.race_id is not None:
        return next((mode for mode in MODES if mode.has_races), SINGLE_HAND)
    return next((mode for mode in MODES if mode.kind is round.kind), SINGLE_HAND)


def end_race(tx: Tx, race_id: int) -> None:
    """End the race with that id, whichever mode it belongs to, before its last hand."""
    for mode in MODES:
        mode.end_race(tx, race_id)


def is_solution_secret(tx: Tx, player_id: int | None, numbers: Collection[int], now: float) -> bool:
    """Whether any mode hides the solutions of these numbers from the player; None: from everybody."""
    return any(mode.is_solution_secret(tx, player_id, numbers, now) for mode in MODES)


def is_long_over(round: Round, now: float) -> bool:
    """Whether the round ended so long ago that late answers get no reply, and refusals no note."""
    closed = round.closed or 0.0  # every ended round has a time
    return round.state is not State.OPEN and now - closed >= find_mode(round).late_answer_seconds
