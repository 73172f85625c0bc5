"""Referee an answer: find the hand that it is for, judge it, apply the verdict, and return the outcome.

`bot.rounds.answer_view` makes answers of messages, and says in the chat what became of them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.database import Tx
from bot.players import preferences
from bot.players import private_replies as private
from bot.players.guests import is_guest
from bot.players.queries import Chat
from bot.rounds import attempts, ledger, rules, secrecy, secret_answers
from bot.rounds import queries as rounds
from bot.rounds.game import require
from bot.rounds.mode import MODES, find_mode, is_long_over
from bot.rounds.puzzle import RUN_KINDS, Entry, Find, Kind, Verdict, VerdictKind
from bot.rounds.registry import GAMES, is_answer, looks_like_answer
from bot.rounds.round_end import RoundEnd, end_round, record_round_end
from bot.rounds.rules import Round, State, is_in_time
from bot.telegram.incoming import RepliedMessage


@dataclass(frozen=True, slots=True)
class Answer:
    """A text that may answer a hand, with its author, place and time."""

    text: str
    player_id: int
    chat: Chat
    topic: int
    sent_at: float  # By which it counts
    handled_at: float
    next_hand_at: float  # When the time of a race's next hand starts, if the answer ends the present one
    message_id: int = 0
    is_command: bool = False  # Whether it stood behind /a
    is_hidden: bool = False  # Whether its author alone sees it in the group
    replied: RepliedMessage | None = None  # The bot's message that it replies to
    page_round_id: int = 0  # The round of the board page where it was tapped; 0 elsewhere
    page_day: str = ""  # The day of the daily hand on that page; empty elsewhere

    def is_hidden_from_group(self, round: Round) -> bool:
        """Whether nobody else in the round's group can have read the answer."""
        return self.is_hidden or self.chat.id != round.chat_id

    def get_group_message_id(self, round: Round) -> int:
        """Return the id of the answer's message in the round's chat; 0 if it has none there."""
        return 0 if self.is_hidden_from_group(round) else self.message_id


# Outcomes


@dataclass(frozen=True, slots=True)
class Won:
    """A right answer that earned points or ended its round."""

    round: Round
    end: RoundEnd | None  # None while there is more to find


@dataclass(frozen=True, slots=True)
class EntryStored:
    """A right answer that stands until its author sends another one.

    It counts at the end of a round of the kind *best*; in practice the round stays open for a better one.
    """

    round: Round
    answer: str


@dataclass(frozen=True, slots=True)
class FoundBefore:
    """A right answer with an idea that was found before in its round."""

    round: Round
    answer: str
    earlier: Find


@dataclass(frozen=True, slots=True)
class NotCounted:
    """A right answer without points: its author is a spectator, or was shown a solution."""

    round: Round
    is_spectator: bool
    end: RoundEnd | None  # None if the round goes on


@dataclass(frozen=True, slots=True)
class TooLate:
    """A right answer to a round that was over."""

    round: Round
    answer: str
    is_explained: bool  # Not in a race, for an answer known before the end, or twice to the same author


@dataclass(frozen=True, slots=True)
class Wrong:
    """An answer that was not right and was counted."""

    round: Round
    verdict: Verdict
    is_secret: bool  # Whether its author alone may learn more


@dataclass(frozen=True, slots=True)
class WrongInRun:
    """An answer that was not right, in a storm or streak, where it may cost time or end the run."""

    round: Round
    verdict: Verdict
    end: RoundEnd | None = None  # None if the run goes on
    cost: float = 0.0  # Seconds


@dataclass(frozen=True, slots=True)
class WrongInTutorial:
    """A wrong answer in the tutorial, which is not counted."""

    hinted: Round | None  # The round with one more hint; None if none is left
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class WrongAndLate:
    """A wrong answer to a round that was over."""

    round: Round
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class NoOpenHand:
    """No hand is open that the answer could be for."""

    over: Round | None  # The round of long ago that it belongs to, if any


@dataclass(frozen=True, slots=True)
class OpenElsewhere:
    """A hint or solution was refused: it would help with an open hand elsewhere."""

    chat_id: int  # Of that hand


@dataclass(frozen=True, slots=True)
class Talk:
    """A private message that is no answer."""

    round: Round  # The hand there


@dataclass(frozen=True, slots=True)
class Ignored:
    """A group's talk, or what a spectator tries."""


RightOutcome = Won | EntryStored | FoundBefore | NotCounted | TooLate
Outcome = RightOutcome | Wrong | WrongInRun | WrongInTutorial | WrongAndLate | NoOpenHand | Talk | Ignored


def referee_answer(tx: Tx, answer: Answer) -> Outcome:
    """Find the hand that the answer is for, judge it, apply the verdict, and return the outcome."""
    hand, is_addressed = find_hand(tx, answer)
    if hand is None or is_long_over(hand, answer.sent_at):
        return NoOpenHand(hand) if is_addressed else Ignored()
    round, verdict = judge(tx, answer, hand, is_addressed=is_addressed)
    if answer.chat.private and _is_talk(answer, verdict):
        return Talk(round)
    if _is_ignored(tx, answer, round, verdict, is_addressed=is_addressed):
        return Ignored()
    return apply_verdict(tx, answer, round, verdict)


# Find the hand

ON_ITS_NUMBERS = (VerdictKind.RIGHT, VerdictKind.WRONG)  # Verdicts on answers made of the dealt numbers


def find_hand(tx: Tx, answer: Answer) -> tuple[Round | None, bool]:
    """Return the hand that the answer is for, None if there is none, and whether it is addressed to the bot.

    A message in a group that is not addressed gets a reply only if it is right or has a wrong value.
    """
    if answer.chat.private:
        return _find_private_hand(tx, answer), True
    if answer.is_command or answer.is_hidden:
        return find_table_round(tx, answer), True
    replied_round = _find_replied_round(tx, answer)
    if replied_round is None:
        return find_table_round(tx, answer), False
    open_round = rounds.load_open_round(tx, answer.chat.id, answer.topic)
    if open_round is None or fits(replied_round, answer.text):
        return replied_round, True
    # The reply may be to the wrong deal: the numbers say more
    is_for_open = fits(open_round, answer.text) or _fits_previous_round(tx, answer, open_round)
    return (open_round if is_for_open else replied_round), True


def _find_private_hand(tx: Tx, answer: Answer) -> Round | None:
    """Return the round that an answer in a private chat is for.

    That is the one of its board page; else the one with its numbers; else the one that it replies to, the
    open one here, an unfinished one that its mode stores, or the last one here. An answer that replies to
    none of the chat's own rounds may also be for a round of a group, see `find_linked_round`.
    """
    on_page = _load_page_round(tx, answer)
    if on_page is not None:
        return on_page
    replied_round = _load_replied_round(tx, answer)
    replied_mode_round = load_replied_mode_round(tx, answer.player_id, answer.replied, answer.sent_at)
    open_round = rounds.load_open_round(tx, answer.chat.id, answer.topic)
    mode_rounds = load_private_rounds(tx, answer.player_id, answer.sent_at)
    unfinished = next((round for round in mode_rounds if round.state is State.OPEN), None)
    linked = find_linked_round(tx, answer) if replied_round is None else None
    may_be_for_here = open_round or replied_mode_round or unfinished
    if linked is not None and (fits(linked, answer.text) or not may_be_for_here):
        return linked
    for round in (replied_mode_round, replied_round, open_round, *mode_rounds):
        if round is not None and fits(round, answer.text):
            return round
    if open_round is not None and _fits_previous_round(tx, answer, open_round):
        return open_round
    just_ended = None if open_round else _find_just_ended_round(tx, answer)
    replied = replied_mode_round or replied_round
    return just_ended or replied or open_round or unfinished or find_table_round(tx, answer)


def load_private_rounds(tx: Tx, player_id: int, now: float) -> list[Round]:
    """Load the rounds that modes store and that the player may answer in private, the latest first."""
    return [round for mode in MODES for round in mode.load_private_rounds(tx, player_id, now)]


def load_replied_mode_round(
    tx: Tx, player_id: int, message: RepliedMessage | None, now: float
) -> Round | None:
    """Load the round that a message in the private chat shows, of those that modes store; else None."""
    if message is None:
        return None
    found = (mode.load_replied_round(tx, player_id, message, now) for mode in MODES)
    return next(filter(None, found), None)


def fits_private_hand(tx: Tx, answer: Answer) -> bool:
    """Whether the text has the numbers of a hand that its author may answer in this private chat now."""
    replied = load_replied_mode_round(tx, answer.player_id, answer.replied, answer.sent_at)
    mode_rounds = load_private_rounds(tx, answer.player_id, answer.sent_at)
    open_round = rounds.load_open_round(tx, answer.chat.id, answer.topic)
    hands = (open_round, find_linked_round(tx, answer), replied, *mode_rounds)
    return any(hand is not None and fits(hand, answer.text) for hand in hands)


def fits(round: Round, text: str) -> bool:
    """Whether the text is an answer, right or wrong, made of the numbers of the round."""
    return check(round, text).kind in ON_ITS_NUMBERS


def find_table_round(tx: Tx, answer: Answer) -> Round | None:
    """Return the round of the board page that was used, else the open or last round here; None if none."""
    chat_id, topic = answer.chat.id, answer.topic
    found = _load_page_round(tx, answer) or rounds.load_open_round(tx, chat_id, topic)
    return found or rounds.load_latest_round(tx, chat_id, topic)


def _load_page_round(tx: Tx, answer: Answer) -> Round | None:
    """Return the round, or the daily hand, of the board page where the answer was tapped.

    None elsewhere, for a contest, and for a round of another chat or topic.
    """
    if answer.page_day:
        player_id, day, now = answer.player_id, answer.page_day, answer.sent_at
        found = (mode.load_page_round(tx, player_id, day, now) for mode in MODES)
        return next(filter(None, found), None)
    round = rounds.load_round(tx, answer.page_round_id) if answer.page_round_id else None
    if round is None or round.kind is Kind.CONTEST:
        return None
    if (round.chat_id, round.topic) != (answer.chat.id, answer.topic):
        return None
    return find_mode(round).load_present_hand(tx, round)


def _load_replied_round(tx: Tx, answer: Answer) -> Round | None:
    """Return the round of the message that the answer replies to; None without such a reply."""
    if answer.replied is None:
        return None
    return rounds.load_round_of_message(tx, answer.chat.id, answer.replied.id)


def _find_replied_round(tx: Tx, answer: Answer) -> Round | None:
    """Return the round that the answer replies to: by the message's id, or of the table by its line."""
    found = _load_replied_round(tx, answer)
    if found is not None or answer.replied is None:
        return found
    table_round = find_table_round(tx, answer)  # after a crash its message may be unrecorded
    if table_round is None or table_round.line not in answer.replied.text.splitlines():
        return None
    return table_round


def find_linked_round(tx: Tx, answer: Answer) -> Round | None:
    """Return the linked round that a private answer fits best; None without links.

    Prefers a round with the answer's numbers, then the one that it replies to, then an open one, then one
    that it solves, then the latest link.
    """
    lines = answer.replied.text.splitlines() if answer.replied else []

    def rank(round: Round) -> tuple[bool, ...]:
        """Return a key that sorts the best round first: True for each reason against it, by weight."""
        kind = check(round, answer.text).kind
        is_late = not is_in_time(round, answer.sent_at)
        return kind not in ON_ITS_NUMBERS, round.line not in lines, is_late, kind is not VerdictKind.RIGHT

    linked = secret_answers.load_linked_rounds(tx, answer.player_id)
    recent = [round for round in linked if not is_long_over(round, answer.sent_at)]
    return min(recent, key=rank, default=None)


def _find_fitting_previous_round(tx: Tx, answer: Answer, round: Round, *, is_addressed: bool) -> Round | None:
    """Return the round before this one if the answer is made of its numbers, else None.

    It must be of the same race, or must have just ended while the answer is addressed to the bot.
    """
    previous = rounds.load_previous_round(tx, round)
    if previous is None:
        return None
    is_same_race = round.race_id is not None and previous.race_id == round.race_id
    has_just_ended = not is_long_over(previous, answer.sent_at)
    if not is_same_race and not (is_addressed and has_just_ended):
        return None
    return previous if fits(previous, answer.text) else None


def _fits_previous_round(tx: Tx, answer: Answer, open_round: Round) -> bool:
    """Whether `judge` finds an addressed answer to be for the hand before the open one."""
    return _find_fitting_previous_round(tx, answer, open_round, is_addressed=True) is not None


def _find_just_ended_round(tx: Tx, answer: Answer) -> Round | None:
    """Return the hand that has just ended here if the answer has its numbers, else None. No hand is open."""
    ended = rounds.load_latest_round(tx, answer.chat.id, answer.topic)
    if ended is None or is_long_over(ended, answer.sent_at):
        return None
    return ended if fits(ended, answer.text) else None


# Judge


def check(round: Round, text: str) -> Verdict:
    return find_mode(round).check(round, text)


def judge(tx: Tx, answer: Answer, round: Round, *, is_addressed: bool) -> tuple[Round, Verdict]:
    """Return the round with the answer's numbers, this one or the one before it, and the verdict by it."""
    verdict = check(round, answer.text)
    if verdict.kind in (VerdictKind.WRONG_NUMBERS, VerdictKind.TALK):
        # A reply to a message without a round is not addressed, but may be for the hand before.
        is_to_bot = is_addressed or answer.replied is not None
        previous = _find_fitting_previous_round(tx, answer, round, is_addressed=is_to_bot)
        if previous is not None:
            return previous, check(previous, answer.text)
    has_reason = verdict.kind is VerdictKind.TALK and verdict.render_reason is not None
    if has_reason and is_addressed and _is_plain_expression(answer.text):
        return round, replace(verdict, kind=VerdictKind.WRONG_NUMBERS)
    return round, verdict


PLAIN_SIGNS = re.compile(r"[\dAJQK\s()+*/xX×÷−–=.!?-]+")  # No colon of a time, no sign of money


def _is_plain_expression(text: str) -> bool:
    """Whether a text is an expression and nothing else, such as `12/5`: no date, where it is for the bot."""
    return PLAIN_SIGNS.fullmatch(text) is not None and is_answer(text)


def _is_ignored(tx: Tx, answer: Answer, round: Round, verdict: Verdict, *, is_addressed: bool) -> bool:
    """Whether an answer gets no reply: talk, or not right and by a spectator or not clearly for the bot."""
    if verdict.kind is VerdictKind.RIGHT:
        return False
    is_in_race = round.race_id is not None  # whose next hand may have been dealt a moment ago
    is_clear = verdict.kind is VerdictKind.WRONG and (is_in_race or is_in_time(round, answer.sent_at))
    if not is_addressed and not is_clear:
        return True
    return _is_talk(answer, verdict) or find_mode(round).is_spectator(tx, round, answer.player_id)


def _is_talk(answer: Answer, verdict: Verdict) -> bool:
    """Whether a message other than a command is talk, or so unreadable that it may be talk."""
    if answer.is_command:
        return False
    if verdict.kind is VerdictKind.UNREADABLE:
        return not looks_like_answer(answer.text)
    return verdict.kind is VerdictKind.TALK


# Apply the verdict

SCORING_KINDS = (Kind.FIRST, Kind.ALL, Kind.BEST)


def apply_verdict(tx: Tx, answer: Answer, round: Round, verdict: Verdict) -> Outcome:
    """Store what the verdict changes, and return the outcome."""
    is_right = verdict.kind is VerdictKind.RIGHT
    if not is_in_time(round, answer.sent_at):
        if not is_right:
            return WrongAndLate(round, verdict)
        return _count_late_answer(tx, answer, round, verdict.answer)
    if not is_right:
        return _apply_wrong_answer(tx, answer, round, verdict)
    if round.kind in SCORING_KINDS:
        is_spectator = find_mode(round).is_spectator(tx, round, answer.player_id)
        if is_spectator or secrecy.find_players_shown_solution(tx, round, [answer.player_id], answer.sent_at):
            return _apply_without_points(tx, answer, round, verdict.answer, is_spectator=is_spectator)
    by_kind = {Kind.FIRST: _win, Kind.ALL: _award_find, Kind.BEST: _store_entry}
    apply = by_kind.get(round.kind, _end_unscored)
    return apply(tx, answer, round, verdict.answer)


def _apply_without_points(tx: Tx, answer: Answer, round: Round, text: str, *, is_spectator: bool) -> Outcome:
    """End the round without points, in a race with the next hand.

    A round of the kind *best* goes on: nobody else knows the answer. So does a duel if nobody else has read
    the spectator's answer.
    """
    if round.kind is Kind.BEST or (is_spectator and answer.is_hidden_from_group(round)):
        return NotCounted(round, is_spectator, end=None)
    if is_spectator:
        attempts.count_answer(tx, round.id, answer.player_id, "late")  # so that the table can name them
    else:
        ledger.count_answered_round(tx, round.id, answer.player_id)
    void = rules.mark_ended(round, State.VOID, answer.sent_at)
    end = end_round(tx, void, answer.next_hand_at, answer.get_group_message_id(round))
    return NotCounted(round, is_spectator, end) if end else _count_late_answer(tx, answer, round, text)


def _win(tx: Tx, answer: Answer, round: Round, text: str) -> Outcome:
    """End a round of the kind *first* with an award, and go on with its race; or count a late answer."""
    streak = rules.count_streak(rounds.load_previous_scored_round(tx, round), answer.player_id)
    day_first = _is_first_win_of_day(tx, answer, round)
    result = rules.win_round(
        round, answer.player_id, text, answer.sent_at, streak=streak, day_first=day_first
    )
    if result is None:
        return _count_late_answer(tx, answer, round, text)
    won, award = result
    message_id = answer.get_group_message_id(round)
    # Another transaction may have closed the round meanwhile.
    is_closed = rounds.close_round(tx, won)
    if not is_closed or not ledger.insert_award(tx, won, award, message_id, answer.sent_at):
        over = rounds.load_round(tx, round.id) or round  # now with its winner
        return _count_late_answer(tx, answer, over, text)
    _discard_waiting_reply(tx, answer, round)
    return Won(won, record_round_end(tx, won, answer.next_hand_at, message_id))


def _is_first_win_of_day(tx: Tx, answer: Answer, round: Round) -> bool:
    zone = preferences.read_preferences(answer.chat).zone
    return ledger.is_first_win_of_day(tx, round.chat_id, zone, answer.sent_at)


def _discard_waiting_reply(tx: Tx, answer: Answer, round: Round) -> None:
    """Delete a reply to an earlier answer, which is of no use any more."""
    private.discard_waiting_reply(tx, round.chat_id, answer.player_id, private.make_round_key(round.id))


def _award_find(tx: Tx, answer: Answer, round: Round, text: str) -> Outcome:
    """Award a find in a round of the kind *all*, and end it if all is found."""
    game_finds = require(GAMES[round.game].finds)
    found = rounds.load_finds(tx, round.id)
    new = Find(answer.player_id, text, game_finds.identify(round.puzzle, text, found))
    earlier = next((find for find in found if find.part == new.part), None)
    if earlier is not None:
        return FoundBefore(round, text, earlier)
    day_first = _is_first_win_of_day(tx, answer, round)
    award = rules.make_award(
        round, answer.player_id, text, answer.sent_at, part=new.part, day_first=day_first
    )
    message_id = answer.get_group_message_id(round)
    if not ledger.insert_award(tx, round, award, message_id, answer.sent_at):
        return Ignored()  # another transaction has awarded this part meanwhile
    attempts.delete_notes(tx, round.id, answer.player_id)
    if not game_finds.is_complete(round, [*found, new]):
        _take_back_hints(tx, round, found, new)
        return Won(round, end=None)
    over = rules.mark_ended(round, State.WON, answer.sent_at)
    return Won(over, end_round(tx, over, answer.next_hand_at, message_id))


def _take_back_hints(tx: Tx, round: Round, found: Sequence[Find], new: Find) -> None:
    """Hide the shown hints, and end their cost, if the new find is what they were for."""
    hints = GAMES[round.game].hints
    is_hinted = hints.find_hinted(round.puzzle, [*found, new]) != hints.find_hinted(round.puzzle, found)
    if round.hints_shown and is_hinted:
        rounds.update_game_state(tx, replace(round, hints_shown=0))


def _store_entry(tx: Tx, answer: Answer, round: Round, text: str) -> Outcome:
    """Store an entry in a round of the kind *best*; the game may bring the deadline forward."""
    attempts.store_entry(tx, round.id, Entry(answer.player_id, text, answer.sent_at))
    attempts.delete_notes(tx, round.id, answer.player_id)
    _discard_waiting_reply(tx, answer, round)
    entries = attempts.load_entries(tx, round)
    deadline = require(GAMES[round.game].entries).get_early_deadline(round, entries, answer.handled_at)
    shortened = rules.shorten_deadline(round, deadline)
    if shortened != round:
        rounds.update_game_state(tx, shortened)
    return EntryStored(shortened, text)


def _end_unscored(tx: Tx, answer: Answer, round: Round, text: str) -> Outcome:
    """End a round without points; where its mode wants the best answer, store one that can be bettered."""
    game_entries = GAMES[round.game].entries if find_mode(round).awaits_best_answer else None
    if game_entries is not None and not game_entries.is_best(round.puzzle, text):
        attempts.store_entry(tx, round.id, Entry(answer.player_id, text, answer.sent_at))
        return EntryStored(round, text)
    result = rules.win_round(round, answer.player_id, text, answer.sent_at, streak=0)
    if result is not None:
        won, _unused_award = result
        end = end_round(tx, won, answer.next_hand_at)
        if end is not None:
            return Won(won, end)
    return _count_late_answer(tx, answer, round, text)


def _count_late_answer(tx: Tx, answer: Answer, round: Round, text: str) -> TooLate:
    """Count a right answer that came too late, unless in a race, hidden, or known before the end."""
    if answer.is_hidden:
        return TooLate(round, text, is_explained=True)
    is_known = round.state is State.SKIPPED or _has_answered(tx, round, answer.player_id, text)
    if round.race_id is not None or is_known:
        return TooLate(round, text, is_explained=False)
    count = attempts.count_answer(tx, round.id, answer.player_id, "late")
    return TooLate(round, text, is_explained=count == 1)


def _has_answered(tx: Tx, round: Round, player_id: int, text: str) -> bool:
    """Whether the player won the round, found this idea or handed this entry in."""
    if round.kind is Kind.ALL:
        finds = rounds.load_finds(tx, round.id)
        part = require(GAMES[round.game].finds).identify(round.puzzle, text, finds)
        return any(find.player_id == player_id and find.part == part for find in finds)
    entries = attempts.load_entries(tx, round) if round.kind is Kind.BEST else []
    is_entered = any(entry.player_id == player_id and entry.answer == text for entry in entries)
    return is_entered or round.winner_id == player_id


def _apply_wrong_answer(tx: Tx, answer: Answer, round: Round, verdict: Verdict) -> Outcome:
    """Count an answer that is not right, and keep a near miss; in the tutorial show the next hint instead."""
    mode = find_mode(round)
    if mode.hints_at_errors:
        hinted = rules.add_hint(round, GAMES[round.game].hints.count(round.puzzle))
        if hinted == round:  # no hint is left
            return WrongInTutorial(None, verdict)
        rounds.update_game_state(tx, hinted)
        return WrongInTutorial(hinted, verdict)
    is_wrong = verdict.kind in (VerdictKind.WRONG, VerdictKind.WRONG_NUMBERS)
    if is_wrong and not is_guest(answer.player_id):  # a guest's are stored with their class
        attempts.record_wrong_answer(tx, round, answer.player_id, answer.text, answer.sent_at)
    # A daily hand or a pupil's, counted in a table of its own
    if mode.count_wrong_answer(tx, round, answer.text, verdict, answer.sent_at):
        return Wrong(round, verdict, is_secret=False)
    if round.kind in RUN_KINDS:
        return _charge_wrong_answer(tx, answer, round, verdict)
    is_secret = answer.is_hidden or secret_answers.has_secret_answers(tx, round)
    is_unreadable = verdict.kind is VerdictKind.UNREADABLE
    attempts.count_answer(tx, round.id, answer.player_id, "misread" if is_unreadable else "wrong")
    if verdict.value is not None and not is_secret:
        miss = attempts.NearMiss(answer.player_id, verdict.answer, verdict.value)
        attempts.record_miss(tx, round, miss, verdict.distance)
    return Wrong(round, verdict, is_secret)


def _charge_wrong_answer(tx: Tx, answer: Answer, round: Round, verdict: Verdict) -> WrongInRun:
    """Store what an answer that is not right costs in a storm or streak."""
    if verdict.kind is VerdictKind.WRONG:
        attempts.count_answer(tx, round.id, answer.player_id, "wrong")
    changed = find_mode(round).charge_wrong_answer(tx, round, verdict, answer.sent_at)
    if changed is None:
        return WrongInRun(round, verdict)
    cost = (round.deadline or 0.0) - (changed.deadline or 0.0)
    if changed.state is not State.OPEN:
        return WrongInRun(changed, verdict, end_round(tx, changed, answer.next_hand_at), cost)
    rounds.update_game_state(tx, changed)
    return WrongInRun(changed, verdict, cost=cost)
