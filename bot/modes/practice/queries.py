"""A player's practised and played hands in the database, and what a practice message reports."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Row, func, select

from bot.database import Tx, build_insert_if_new
from bot.database.schema import awards, entries, practised, rounds, tries
from bot.modes.practice.rules import (
    HALF,
    PlayedHand,
    PracticeReport,
    PractisedHand,
    compute_trend,
    is_report_due,
)
from bot.rounds.puzzle import LEVELS, Kind, parse_hand_numbers
from bot.rounds.registry import GAMES, unpack_puzzle
from bot.rounds.rows import is_in_state
from bot.rounds.rules import Round, State

MAX_HANDS = 150  # Latest hands of a player that are considered, of each sort
PLAYED_KINDS = (Kind.FIRST, Kind.BEST)  # Kinds of rounds from which skills are learned, apart from practice


def insert_practised_hand(tx: Tx, over: Round) -> None:
    """Store how a practice round went, unless it expired without any action of the player."""
    own_tries = (tries.c.round_id == over.id, tries.c.player_id == over.dealer_id)
    wrong = int(tx.scalar(select(tries.c.wrong).where(*own_tries)) or 0)
    if over.state is State.EXPIRED and not (wrong or over.hints_shown or _load_entry(tx, over)):
        return
    is_won = over.state is State.WON and over.closed is not None
    row = {
        "round_id": over.id,
        "player_id": over.dealer_id,
        "skill": str(over.options.get("skill", "")),
        "level": str(over.options.get("level", "")),
        "at": over.closed or over.opened,
        "seconds": max(0.0, (over.closed or 0.0) - over.opened) if is_won else None,
        "expected": over.expected,
        "wrong": wrong,
        "hints": over.hints_shown,
    }
    tx.execute(build_insert_if_new(tx.dialect.name, practised), row)


def load_practised_hands(tx: Tx, player_id: int) -> list[PractisedHand]:
    """Load the player's latest practised hands, the earliest first."""
    own = select(practised).where(practised.c.player_id == player_id)
    rows = tx.execute(own.order_by(practised.c.round_id.desc()).limit(MAX_HANDS)).all()
    return [
        PractisedHand(row.round_id, row.skill, row.level, row.seconds, row.expected, row.wrong, row.hints)
        for row in reversed(rows)
        if row.level in LEVELS
    ]


def load_played_hands(tx: Tx, player_id: int) -> list[PlayedHand]:
    """Load the player's latest played and practised hands, the latest first; skip unreadable rounds."""
    seconds, wrong = _load_seconds(tx, player_id), _load_wrong_counts(tx, player_id)
    own = {hand.round_id: hand for hand in load_practised_hands(tx, player_id)}
    played = {
        round_id: PlayedHand({hand.skill}, hand.seconds, hand.expected, hand.wrong, hand.hints)
        for round_id, hand in own.items()  # the round itself may have been deleted
    }
    ids = {*seconds, *wrong, *own, *_load_entered_rounds(tx, player_id)}
    for row in tx.execute(select(rounds).where(rounds.c.id.in_(ids), ~is_in_state(State.OPEN))):
        skills = _find_skills(row)
        if row.id in played:
            played[row.id] = replace(played[row.id], skills={*skills, own[row.id].skill})
        elif skills and row.kind in PLAYED_KINDS:
            played[row.id] = PlayedHand(skills, seconds.get(row.id), row.expected, wrong.get(row.id, 0))
    return [played[round_id] for round_id in sorted(played, reverse=True)]


def _load_seconds(tx: Tx, player_id: int) -> dict[int, float]:
    """Load the times of the player's latest right answers, by round."""
    latest = func.max(awards.c.id)
    query = (
        select(awards.c.round_id, func.min(awards.c.seconds).label("seconds"), latest)
        .where(awards.c.player_id == player_id)
        .group_by(awards.c.round_id)
        .order_by(latest.desc())
        .limit(MAX_HANDS)
    )
    return {row.round_id: row.seconds for row in tx.execute(query)}


def _load_wrong_counts(tx: Tx, player_id: int) -> dict[int, int]:
    """Load the numbers of the player's latest wrong answers, by round."""
    wrong = select(tries.c.round_id, tries.c.wrong).where(tries.c.player_id == player_id, tries.c.wrong > 0)
    rows = tx.execute(wrong.order_by(tries.c.round_id.desc()).limit(MAX_HANDS))
    return {row.round_id: row.wrong for row in rows}


def _load_entered_rounds(tx: Tx, player_id: int) -> list[int]:
    entered = select(entries.c.round_id).where(entries.c.player_id == player_id)
    return list(tx.scalars(entered.order_by(entries.c.round_id.desc()).limit(MAX_HANDS)))


def _find_skills(row: Row[Any]) -> Sequence[str]:
    """Return the skills that a round's hand needs; none if the round can't be read."""
    try:
        puzzle = unpack_puzzle(row.game, row.puzzle, row.level, row.expected)
    except (ValueError, TypeError):
        return ()
    return tuple(GAMES[row.game].get_skills(puzzle))


def load_latest_numbers(tx: Tx, player_id: int, game: str) -> set[tuple[int, ...]]:
    """Load the numbers of the hands of a game that the player practised last."""
    is_own = (rounds.c.chat_id == player_id, rounds.c.kind == Kind.PRACTICE.value, rounds.c.game == game)
    latest = select(rounds.c.line).where(*is_own).order_by(rounds.c.id.desc()).limit(2 * HALF)
    return set(map(parse_hand_numbers, tx.scalars(latest)))


def load_report(tx: Tx, round: Round) -> PracticeReport:
    """Load what the message of a practice round reports; it stays the same whenever it is rendered.

    A round that `/practice` opened reports on all skills. Any round reports on its own skill when it ends,
    after every five hands in that skill.
    """
    skill, is_over = str(round.options.get("skill", "")), round.state is not State.OPEN
    entry = _load_entry(tx, round)
    hands = [
        hand
        for hand in load_practised_hands(tx, round.dealer_id)
        if hand.round_id < round.id or (is_over and hand.round_id == round.id)
    ]
    in_skill = [hand for hand in hands if hand.skill == skill]
    reports_all = bool(round.options.get("asked")) and not is_over
    if is_over:
        is_due = is_report_due(in_skill) and in_skill[-1].round_id == round.id
    else:
        is_due = reports_all and len(in_skill) >= HALF
    if not is_due and not reports_all:
        return PracticeReport(skill, entry=entry)
    skills = dict.fromkeys(hand.skill for hand in reversed(hands)) if reports_all else {skill: None}
    trends = [compute_trend([hand for hand in hands if hand.skill == each]) for each in skills]
    gains = [trend for trend in trends if trend is not None and trend.has_visible_gain]
    return PracticeReport(skill, gains, gives_advice=is_due and not gains, entry=entry)


def _load_entry(tx: Tx, round: Round) -> str:
    own_entry = (entries.c.round_id == round.id, entries.c.player_id == round.dealer_id)
    return str(tx.scalar(select(entries.c.answer).where(*own_entry)) or "")
