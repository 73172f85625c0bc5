"""Load what went wrong for a player: the hands of a race, a run or a sitting, or a daily hand.

A hand went wrong if the player did not find a solution, found it slowly, or sent a wrong answer in a run. A
hand that the end of a run cut short went wrong only with a wrong answer. The key of any hand, as in
`Round.hand_key`, names the race, run or sitting that it belongs to.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import dropwhile
from math import inf
from typing import Any

from sqlalchemy import Table, select

from bot.database import Tx, parse_number
from bot.database.schema import awards, entries, run_hands, tries, votes
from bot.database.schema import rounds as rounds_table
from bot.modes.daily import queries as daily
from bot.modes.daily.rules import Attempt
from bot.modes.duel import queries as duels
from bot.rounds import attempts
from bot.rounds import queries as rounds
from bot.rounds.puzzle import RUN_KINDS, Kind
from bot.rounds.rules import Round, State, expire_if_due, is_slow

TABLES_OF_ACTIONS = (awards, tries, entries, votes)
MAX_OCCASIONS = 3  # In which /review looks for hands that went wrong
MAX_ROUNDS = 150  # Latest rounds, of each sort, among which it looks for the occasions


@dataclass(frozen=True, slots=True)
class ReviewedHand:
    """A hand that has ended, and what the player did in it."""

    round: Round
    wrong_answers: Sequence[str]  # As the player sent them
    entry: str = ""  # That did not win, where entries count
    answer: str = ""  # The right answer; empty if the player found none, or too late
    seconds: float | None = None  # That it took
    has_cost: bool = False  # Whether a wrong answer cost time, or ended the run

    @property
    def went_wrong(self) -> bool:
        is_miss = not self._was_cut_short if self.seconds is None else is_slow(self.round, self.seconds)
        return self.has_cost or is_miss

    @property
    def _was_cut_short(self) -> bool:
        """Whether the hand was open when its run ended, and for less than its expected time."""
        round = self.round
        is_cut = round.kind in RUN_KINDS and round.state is State.EXPIRED
        # A hand is closed some seconds after its deadline
        return is_cut and min(round.closed or inf, round.deadline or inf) - round.opened < round.expected


def load_hand(tx: Tx, player_id: int, hand_key: str) -> Round | None:
    """Load the round with that id, or the player's attempt at the hand of that day; None if there is none."""
    round_id = parse_number(hand_key)
    if round_id is None:
        return daily.load_attempt(tx, hand_key, player_id)
    return rounds.load_round(tx, round_id)


def load_review(tx: Tx, player_id: int, hand_key: str, now: float) -> list[ReviewedHand] | None:
    """Load the hands that went wrong for the player, in the order of play.

    None if there is no such hand or the player took no part.
    """
    named = load_hand(tx, player_id, hand_key)
    occasion = _load_occasion(tx, player_id, named) if named else []
    if not occasion:
        return None
    ended = [hand for hand in (expire_if_due(each, now) for each in occasion) if hand.state is not State.OPEN]
    keys = [hand.hand_key for hand in ended]
    wrong_answers = attempts.load_wrong_answers(tx, player_id, keys)
    solutions = _load_own_solutions(tx, player_id, ended)
    wrong_rounds = {row.round_id for row in _load_actions(tx, player_id, ended, tries) if row.wrong}
    own_entries = {row.round_id: row.answer for row in _load_actions(tx, player_id, ended, entries)}
    hands = list[ReviewedHand]()
    for key, hand in zip(keys, ended, strict=True):
        answer, seconds = solutions.get(key, ("", None))
        entry = own_entries.get(hand.id, "") if seconds is None else ""
        has_cost = hand.kind in RUN_KINDS and hand.id in wrong_rounds
        hands.append(ReviewedHand(hand, wrong_answers.get(key, ()), entry, answer, seconds, has_cost))
    return [hand for hand in hands if hand.went_wrong]


def _load_own_solutions(tx: Tx, player_id: int, hands: Sequence[Round]) -> dict[str, tuple[str, float]]:
    """Return the player's first right answer to each solved hand, by hand, and the seconds that it took.

    0 seconds where the time is not known: the answer came too late, or was given offline.
    """
    late = [row for row in _load_actions(tx, player_id, hands, tries) if row.late]
    solutions = {str(row.round_id): ("", 0.0) for row in late}
    finds = sorted(_load_actions(tx, player_id, hands, awards), key=lambda find: find.seconds, reverse=True)
    # Of several finds in a round the first one stays
    solutions |= {str(find.round_id): (find.expression, find.seconds) for find in finds}
    for hand in hands:
        if isinstance(hand, Attempt) and hand.state in (State.WON, State.VOID):
            solutions[hand.hand_key] = (hand.answer or "", hand.seconds)
        elif hand.winner_id == player_id:  # in a round without awards, too
            solutions[hand.hand_key] = (hand.answer or "", (hand.closed or 0.0) - hand.opened)
    return solutions


def _load_occasion(tx: Tx, player_id: int, hand: Round) -> list[Round]:
    """Load the race, run or sitting of a hand, or the daily hand alone; empty if the player took no part.

    A sitting begins with the first hand in which the player did something.
    """
    if hand.kind is Kind.DAILY:
        return [hand]
    if hand.kind in RUN_KINDS:
        return _load_run(tx, hand) if hand.chat_id == player_id else []
    if hand.race_id is None:
        sitting = rounds.load_sitting(tx, hand)
        acted = _find_rounds_with_actions(tx, player_id, sitting)
        return list(dropwhile(lambda each: each.id not in acted, sitting))
    race = rounds.load_race_rounds(tx, hand.race_id)
    duel = duels.load_duel_of_race(tx, hand.race_id)
    if duel is not None:
        return race if player_id in duel.player_ids else []
    return race if _find_rounds_with_actions(tx, player_id, race) else []


def _load_run(tx: Tx, hand: Round) -> list[Round]:
    run_id = select(run_hands.c.run_id).where(run_hands.c.round_id == hand.id).scalar_subquery()
    of_run = select(rounds_table).join(run_hands, run_hands.c.round_id == rounds_table.c.id)
    return rounds.load_rounds(tx, of_run.where(run_hands.c.run_id == run_id).order_by(run_hands.c.number))


def _find_rounds_with_actions(tx: Tx, player_id: int, hands: Sequence[Round]) -> set[int]:
    """Return the ids of the rounds that the player dealt, answered or wanted to give up."""
    acted = {hand.id for hand in hands if hand.dealer_id == player_id}
    for table in TABLES_OF_ACTIONS:
        acted.update(row.round_id for row in _load_actions(tx, player_id, hands, table))
    return acted


def _load_actions(tx: Tx, player_id: int, hands: Sequence[Round], table: Table) -> Sequence[Any]:
    """Return the player's rows about these rounds in a table."""
    is_own = (table.c.player_id == player_id, table.c.round_id.in_([hand.id for hand in hands]))
    return tx.execute(select(table).where(*is_own)).all()


def load_latest_hands(tx: Tx, player_id: int) -> list[str]:
    """Load the key of a hand of each of the player's latest occasions, the latest first."""
    own = [(table.c.round_id, table.c.player_id) for table in TABLES_OF_ACTIONS]
    ids = set[int]()
    for round_id, player in [*own, (rounds_table.c.id, rounds_table.c.dealer_id)]:
        latest = select(round_id).where(player == player_id).order_by(round_id.desc())
        ids.update(tx.scalars(latest.limit(MAX_ROUNDS)))
    days = [daily.load_attempt(tx, day, player_id) for day in daily.load_latest_days(tx, player_id)[:1]]
    hands = list[Round](filter(None, days))
    seen = set[int]()
    latest_first = select(rounds_table).where(rounds_table.c.id.in_(ids)).order_by(rounds_table.c.id.desc())
    for hand in rounds.load_rounds(tx, latest_first):
        if hand.id not in seen and len(hands) < MAX_OCCASIONS + len(days):
            hands.append(hand)
            seen.update(each.id for each in _load_occasion(tx, player_id, hand))
    hands.sort(key=lambda hand: hand.closed or hand.opened, reverse=True)
    return [hand.hand_key for hand in hands]
