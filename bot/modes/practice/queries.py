"""A player's practised and played hands in the database, and what a practice message reports."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Row, bindparam, func, select

from bot.database import Tx, build_insert_if_new
from bot.database.schema import BigInt, awards, entries, practised, rounds, tries
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

# Statements are built once: building one takes longer than running it.
PLAYER, ROUND = bindparam("player", type_=BigInt), bindparam("round", type_=BigInt)
SELECT_WRONG_COUNT = select(tries.c.wrong).where(tries.c.round_id == ROUND, tries.c.player_id == PLAYER)


def insert_practised_hand(tx: Tx, over: Round) -> None:
    """Store how a practice round went, unless it expired without any action of the player."""
    wrong = int(tx.scalar(SELECT_WRONG_COUNT, {"round": over.id, "player": over.dealer_id}) or 0)
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


SELECT_PRACTISED = (
    select(practised)
    .where(practised.c.player_id == PLAYER)
    .order_by(practised.c.round_id.desc())
    .limit(MAX_HANDS)
)


def load_practised_hands(tx: Tx, player_id: int) -> list[PractisedHand]:
    """Load the player's latest practised hands, the earliest first."""
    rows = tx.execute(SELECT_PRACTISED, {"player": player_id}).all()
    return [
        PractisedHand(row.round_id, row.skill, row.level, row.seconds, row.expected, row.wrong, row.hints)
        for row in reversed(rows)
        if row.level in LEVELS
    ]


LATEST_AWARD = func.max(awards.c.id)
SELECT_WON = (
    select(awards.c.round_id, func.min(awards.c.seconds).label("seconds"), LATEST_AWARD)
    .where(awards.c.player_id == PLAYER)
    .group_by(awards.c.round_id)
    .order_by(LATEST_AWARD.desc())
    .limit(MAX_HANDS)
)
SELECT_WRONG_COUNTS = (
    select(tries.c.round_id, tries.c.wrong)
    .where(tries.c.player_id == PLAYER, tries.c.wrong > 0)
    .order_by(tries.c.round_id.desc())
    .limit(MAX_HANDS)
)
SELECT_ENTERED = (
    select(entries.c.round_id)
    .where(entries.c.player_id == PLAYER)
    .order_by(entries.c.round_id.desc())
    .limit(MAX_HANDS)
)
SELECT_ENDED = select(rounds).where(
    rounds.c.id.in_(bindparam("ids", expanding=True)), ~is_in_state(State.OPEN)
)


def load_played_hands(tx: Tx, player_id: int) -> list[PlayedHand]:
    """Load the player's latest played and practised hands, the latest first; skip unreadable rounds."""
    player = {"player": player_id}
    seconds = {row.round_id: row.seconds for row in tx.execute(SELECT_WON, player)}
    wrong = {row.round_id: row.wrong for row in tx.execute(SELECT_WRONG_COUNTS, player)}
    own = {hand.round_id: hand for hand in load_practised_hands(tx, player_id)}
    played = {
        round_id: PlayedHand({hand.skill}, hand.seconds, hand.expected, hand.wrong, hand.hints)
        for round_id, hand in own.items()  # the round itself may have been deleted
    }
    ids = {*seconds, *wrong, *own, *tx.scalars(SELECT_ENTERED, player)}
    for row in tx.execute(SELECT_ENDED, {"ids": list(ids)}):
        skills = _find_skills(row)
        if row.id in played:
            played[row.id] = replace(played[row.id], skills={*skills, own[row.id].skill})
        elif skills and row.kind in PLAYED_KINDS:
            played[row.id] = PlayedHand(skills, seconds.get(row.id), row.expected, wrong.get(row.id, 0))
    return [played[round_id] for round_id in sorted(played, reverse=True)]


def _find_skills(row: Row[Any]) -> Sequence[str]:
    """Return the skills that a round's hand needs; none if the round can't be read."""
    try:
        puzzle = unpack_puzzle(row.game, row.puzzle, row.level, row.expected)
    except (ValueError, TypeError):
        return ()
    return tuple(GAMES[row.game].get_skills(puzzle))


SELECT_LATEST_LINES = (
    select(rounds.c.line)
    .where(
        rounds.c.chat_id == PLAYER,
        rounds.c.kind == Kind.PRACTICE.value,
        rounds.c.game == bindparam("game"),
    )
    .order_by(rounds.c.id.desc())
    .limit(2 * HALF)
)


def load_latest_numbers(tx: Tx, player_id: int, game: str) -> set[tuple[int, ...]]:
    """Load the numbers of the hands of a game that the player practised last."""
    lines = tx.scalars(SELECT_LATEST_LINES, {"player": player_id, "game": game})
    return set(map(parse_hand_numbers, lines))


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


SELECT_ENTRY = select(entries.c.answer).where(entries.c.round_id == ROUND, entries.c.player_id == PLAYER)


def _load_entry(tx: Tx, round: Round) -> str:
    return str(tx.scalar(SELECT_ENTRY, {"round": round.id, "player": round.dealer_id}) or "")
