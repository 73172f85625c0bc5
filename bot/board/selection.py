"""Selects the rounds that a page shows: the hand on the table, and the contest that goes on beside it."""

from math import inf

from bot.board.rules import Place
from bot.database import Tx
from bot.modes.contest import queries as contests
from bot.rounds import queries as rounds
from bot.rounds.puzzle import Kind
from bot.rounds.rules import Round, State


def find_linked_round(tx: Tx, place: Place) -> Round | None:
    """Return the round whose link led there, if it is of that chat."""
    found = rounds.load_round(tx, place.round_id)
    return found if found is not None and found.chat_id == place.chat_id else None


def select_rounds(tx: Tx, place: Place, now: float) -> tuple[Round | None, Round | None]:
    """Return the round to show first, and the other one of hand and contest if both went on at a time.

    First comes a contest whose message led here while it runs, then the hand on the table, then any contest
    that runs, and else what was there last.
    """
    hand, contest = _hand(tx, place), _contest(tx, place, now)
    if hand is None or contest is None:
        return hand or contest, None
    runs, led = contest.state is State.RUNNING, contest.id == place.round_id
    first = runs and led if hand.state is State.OPEN else runs or _end_of(contest) > _end_of(hand)
    pair = (contest, hand) if first else (hand, contest)
    together = _end_of(hand) > contest.opened and _end_of(contest) > hand.opened
    return pair if together else (pair[0], None)


def _hand(tx: Tx, place: Place) -> Round | None:
    """Return the hand on the table, or what was there last."""
    return rounds.load_open_round(tx, place.chat_id, place.topic) or rounds.load_latest_round(tx, place.chat_id, place.topic)


# Seconds for which a contest that is over stands on a table to which no message of it led.
ENDED = 24 * 3600.0


def _contest(tx: Tx, place: Place, now: float) -> Round | None:
    """Return the contest that led here while it runs, any that runs, or the last one that ended."""
    linked = find_linked_round(tx, place) if place.round_id else None
    led = linked if linked is not None and linked.kind is Kind.CONTEST else None
    if led is not None and led.state is State.RUNNING:
        return led
    if running := contests.load_running_contest(tx, place.chat_id, place.topic):
        return running
    ended = contests.load_ended_contest(tx, place.chat_id, place.topic, now - ENDED)
    return max((each for each in (led, ended) if each), key=_end_of, default=None)


def _end_of(round: Round) -> float:
    """Return the time at which it ended; infinite while it goes on."""
    return inf if round.state in (State.OPEN, State.RUNNING) else round.closed or 0.0
