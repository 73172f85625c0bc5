"""A player's practised and played hands in the database, and what a practice message reports."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Column, ColumnElement, func, select

from bot.database import Tx, build_insert_if_new
from bot.database.schema import awards, entries, equals_any, practised, rounds, tries
from bot.modes.daily import queries as daily
from bot.modes.practice.rules import HALF_LENGTH, PlayedHand, PracticeOptions, PracticeReport, find_gain
from bot.rounds.capabilities import Practice
from bot.rounds.game import require
from bot.rounds.puzzle import RUN_KINDS, Kind, Puzzle, is_time_measured, parse_hand_numbers
from bot.rounds.queries import is_in_state, load_rounds
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State

MAX_HANDS = 150  # Latest hands of a player that are considered, of each sort
PLAYED_KINDS = (Kind.FIRST, Kind.BEST, Kind.PRACTICE, *RUN_KINDS)  # Rounds from which skills are learned


def insert_practised_hand(tx: Tx, over: Round) -> None:
    """Store how a practice round went, unless it expired without any action of the player."""
    own_tries = (tries.c.round_id == over.id, tries.c.player_id == over.dealer_id)
    wrong = int(tx.scalar(select(tries.c.wrong).where(*own_tries)) or 0)
    if over.state is State.EXPIRED and not (wrong or over.hints_shown or _load_entry(tx, over)):
        return
    options = PracticeOptions.parse(over.options)
    seconds = None  # not solved
    if over.state is State.WON:
        seconds = max(0.0, (over.closed or 0.0) - over.opened)
    row = {
        "round_id": over.id,
        "player_id": over.dealer_id,
        "skill": options.skill,
        "level": over.level,
        "at": over.closed or over.opened,
        "seconds": seconds,
        "expected": over.expected,
        "wrong": wrong,
        "hints": over.hints_shown,
    }
    tx.execute(build_insert_if_new(tx.dialect.name, practised), row)


def load_practised_hands(tx: Tx, player_id: int, limit: int = MAX_HANDS) -> list[PlayedHand]:
    """Load the player's latest practised hands, the earliest first."""
    own = select(practised).where(practised.c.player_id == player_id)
    rows = tx.execute(own.order_by(practised.c.round_id.desc()).limit(limit)).all()
    return [
        PlayedHand({row.skill}, row.seconds, row.expected, row.hints, row.round_id, row.skill, row.at)
        for row in reversed(rows)
    ]


def load_played_hands(tx: Tx, player_id: int, limit: int = MAX_HANDS) -> list[PlayedHand]:
    """Load the latest hands, up to `limit` of each sort, that the player practised, won or tried elsewhere.

    The latest come first.
    """
    played = {hand.round_id: hand for hand in load_practised_hands(tx, player_id, limit)}
    seconds = _load_least_by_round(tx, awards.c.seconds, limit, awards.c.player_id == player_id)
    is_wrong = (tries.c.player_id == player_id, tries.c.wrong > 0)
    tried = _load_least_by_round(tx, tries.c.wrong, limit, *is_wrong)
    entered = _load_least_by_round(tx, entries.c.round_id, limit, entries.c.player_id == player_id)
    ids = {*played, *seconds, *tried, *entered, *_load_run_rounds(tx, player_id, limit)}
    for round in load_rounds(tx, select(rounds).where(rounds.c.id.in_(ids), ~is_in_state(State.OPEN))):
        practice = GAMES[round.game].practice
        if practice is None or round.kind not in PLAYED_KINDS:
            continue
        closed = round.closed or round.opened
        took = seconds.get(round.id)
        if round.kind in RUN_KINDS and round.state is State.WON:
            took = closed - round.opened
        hand = played.get(round.id) or PlayedHand((), took, round.expected, round_id=round.id, at=closed)
        played[round.id] = _add_puzzle(hand, practice, round.puzzle)
    hands = [*played.values(), *_load_daily_hands(tx, player_id, limit)]
    return sorted(hands, key=lambda hand: (hand.at, hand.round_id), reverse=True)


def _add_puzzle(hand: PlayedHand, practice: Practice[Any], puzzle: Puzzle) -> PlayedHand:
    return replace(
        hand,
        skills={*hand.skills, *practice.find_skills(puzzle)},
        numbers=parse_hand_numbers(puzzle.line),
        is_measured=is_time_measured(puzzle),
    )


def _load_run_rounds(tx: Tx, player_id: int, limit: int) -> Iterable[int]:
    """Load the latest hands of storms and streaks that the player solved or gave up."""
    is_done = equals_any(rounds.c.state, State.WON.value, State.SKIPPED.value)
    own = (rounds.c.dealer_id == player_id, equals_any(rounds.c.kind, *RUN_KINDS), is_done)
    return tx.scalars(select(rounds.c.id).where(*own).order_by(rounds.c.id.desc()).limit(limit))


def _load_daily_hands(tx: Tx, player_id: int, limit: int) -> Iterator[PlayedHand]:
    """Yield the latest hands of the day that the player solved or gave up."""
    for attempt in daily.load_ended_attempts(tx, player_id, limit):
        practice = GAMES[attempt.game].practice
        if practice is not None:
            took = attempt.seconds if attempt.state is State.WON else None
            hand = PlayedHand((), took, attempt.puzzle.expected, at=attempt.closed or attempt.opened)
            yield _add_puzzle(hand, practice, attempt.puzzle)


def _load_least_by_round(
    tx: Tx, column: Column[Any], limit: int, *conditions: ColumnElement[bool]
) -> dict[int, Any]:
    """Load the column's least value by round, for the latest rounds with rows that meet the conditions."""
    round_id = column.table.c.round_id
    query = select(round_id, func.min(column).label("least")).where(*conditions).group_by(round_id)
    rows = tx.execute(query.order_by(round_id.desc()).limit(limit))
    return {row.round_id: row.least for row in rows}


def load_latest_skills(tx: Tx, player_id: int) -> frozenset[str]:
    """Load the skills that the player's latest practice hand needs, however it ended."""
    own = (rounds.c.chat_id == player_id, rounds.c.kind == Kind.PRACTICE.value)
    latest = load_rounds(tx, select(rounds).where(*own).order_by(rounds.c.id.desc()).limit(1))
    practised_rounds = [(require(GAMES[round.game].practice), round.puzzle) for round in latest]
    return frozenset(skill for practice, puzzle in practised_rounds for skill in practice.find_skills(puzzle))


def load_report(tx: Tx, round: Round) -> PracticeReport:
    """Load what the message of a practice round reports: gains, else advice if it is due, and the entry.

    A round that `/practice` opened reports on all skills. Any round reports on its own skill when it ends,
    after every five hands in that skill. Later hands are left out, so that the report never changes.
    """
    options = PracticeOptions.parse(round.options)
    is_over = round.state is not State.OPEN
    latest_id = round.id if is_over else round.id - 1  # An open hand is not in the record yet
    hands = [hand for hand in load_practised_hands(tx, round.dealer_id) if hand.round_id <= latest_id]
    in_skill = _select_skill(hands, options.skill)
    if options.reports_all_skills and not is_over:
        is_due = len(in_skill) >= HALF_LENGTH
        reported_skills = [skill for hand in reversed(hands) for skill in hand.skills]  # The latest first
    else:
        is_recorded = bool(in_skill) and in_skill[-1].round_id == round.id  # Not a hand that nobody tried
        is_due = is_recorded and len(in_skill) % HALF_LENGTH == 0
        reported_skills = [options.skill] if is_due else []
    possible_gains = (
        find_gain(skill, _select_skill(hands, skill)) for skill in dict.fromkeys(reported_skills)
    )
    gains = [gain for gain in possible_gains if gain is not None]
    is_named = is_over or options.is_chosen
    gives_advice = is_due and not gains and is_named
    return PracticeReport(options.skill, is_named, gains, gives_advice, _load_entry(tx, round))


def _select_skill(hands: Sequence[PlayedHand], skill: str) -> list[PlayedHand]:
    return [hand for hand in hands if skill in hand.skills]


def _load_entry(tx: Tx, round: Round) -> str:
    """Load the player's entry in a practice round; empty if there is none."""
    own_entry = (entries.c.round_id == round.id, entries.c.player_id == round.dealer_id)
    return str(tx.scalar(select(entries.c.answer).where(*own_entry)) or "")
