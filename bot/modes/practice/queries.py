"""What a person played, by which they practise, and what they practised."""

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

LATEST = 150  # Hands of a person that are looked at, of each sort
# Kinds of rounds in which who played learns something of themselves; a practised hand has its own table.
PLAYED = (Kind.FIRST, Kind.BEST)

# Built once, since building takes longer than the database does

PLAYER, ROUND = bindparam("player", type_=BigInt), bindparam("round", type_=BigInt)
WRONG = select(tries.c.wrong).where(tries.c.round_id == ROUND, tries.c.player_id == PLAYER)
ENTRY = select(entries.c.answer).where(entries.c.round_id == ROUND, entries.c.player_id == PLAYER)
PRACTISED = (
    select(practised)
    .where(practised.c.player_id == PLAYER)
    .order_by(practised.c.round_id.desc())
    .limit(LATEST)
)
ENDED = select(rounds).where(rounds.c.id.in_(bindparam("ids", expanding=True)), ~is_in_state(State.OPEN))
LAST_WON = func.max(awards.c.id)
WON = (
    select(awards.c.round_id, func.min(awards.c.seconds).label("seconds"), LAST_WON)
    .where(awards.c.player_id == PLAYER)
    .group_by(awards.c.round_id)
    .order_by(LAST_WON.desc())
    .limit(LATEST)
)
ERRED = (
    select(tries.c.round_id, tries.c.wrong)
    .where(tries.c.player_id == PLAYER, tries.c.wrong > 0)
    .order_by(tries.c.round_id.desc())
    .limit(LATEST)
)
ENTERED = (
    select(entries.c.round_id)
    .where(entries.c.player_id == PLAYER)
    .order_by(entries.c.round_id.desc())
    .limit(LATEST)
)
LATELY = (
    select(rounds.c.line)
    .where(
        rounds.c.chat_id == PLAYER,
        rounds.c.kind == Kind.PRACTICE.value,
        rounds.c.game == bindparam("game"),
    )
    .order_by(rounds.c.id.desc())
    .limit(2 * HALF)
)


def insert_practised_hand(tx: Tx, over: Round) -> None:
    """How a hand went that somebody practised. One that was left untouched says nothing of them."""
    wrong = int(tx.scalar(WRONG, {"round": over.id, "player": over.dealer_id}) or 0)
    if over.state is State.EXPIRED and not (wrong or over.hints_shown or _entry(tx, over)):
        return
    won = over.state is State.WON and over.closed is not None
    row = {
        "round_id": over.id,
        "player_id": over.dealer_id,
        "skill": str(over.options.get("skill", "")),
        "level": str(over.options.get("level", "")),
        "at": over.closed or over.opened,
        "seconds": max(0.0, (over.closed or 0.0) - over.opened) if won else None,
        "expected": over.expected,
        "wrong": wrong,
        "hints": over.hints_shown,
    }
    tx.execute(build_insert_if_new(tx.dialect.name, practised), row)


def load_practised_hands(tx: Tx, player_id: int) -> list[PractisedHand]:
    """What the person practised, the earliest first."""
    rows = tx.execute(PRACTISED, {"player": player_id}).all()
    return [_practised(row) for row in reversed(rows) if row.level in LEVELS]


def _practised(row: Row[Any]) -> PractisedHand:
    return PractisedHand(row.round_id, row.skill, row.level, row.seconds, row.expected, row.wrong, row.hints)


def load_played_hands(tx: Tx, player_id: int) -> list[PlayedHand]:
    """What the person played and practised, the latest first; what nobody can read any more is left out."""
    times = _won(tx, player_id)
    wrong = _wrong(tx, player_id)
    own = {one.round_id: one for one in load_practised_hands(tx, player_id)}
    ids = {*times, *wrong, *own, *_entered(tx, player_id)}
    read = {
        number: PlayedHand({one.skill}, one.seconds, one.expected, one.wrong, one.hints)
        for number, one in own.items()  # also where the round itself is gone
    }
    for row in tx.execute(ENDED, {"ids": list(ids)}):
        skills = _skills(row)
        if row.id in read:
            read[row.id] = replace(read[row.id], skills={*skills, own[row.id].skill})
        elif skills and row.kind in PLAYED:
            read[row.id] = PlayedHand(skills, times.get(row.id), row.expected, wrong.get(row.id, 0))
    return [read[number] for number in sorted(read, reverse=True)]


def _won(tx: Tx, player_id: int) -> dict[int, float]:
    """Seconds of the right answers, by round."""
    return {row.round_id: row.seconds for row in tx.execute(WON, {"player": player_id})}


def _wrong(tx: Tx, player_id: int) -> dict[int, int]:
    """How many wrong answers, by round."""
    return {row.round_id: row.wrong for row in tx.execute(ERRED, {"player": player_id})}


def _entered(tx: Tx, player_id: int) -> list[int]:
    """The rounds in which they handed something in."""
    return list(tx.scalars(ENTERED, {"player": player_id}))


def _skills(row: Row[Any]) -> Sequence[str]:
    try:
        puzzle = unpack_puzzle(row.game, row.puzzle, row.level, row.expected)
    except (ValueError, TypeError):
        return ()
    return tuple(GAMES[row.game].get_skills(puzzle))


def load_latest_numbers(tx: Tx, player_id: int, game: str) -> set[tuple[int, ...]]:
    """Return the numbers of the puzzles of a game that the person practised last."""
    return set(map(parse_hand_numbers, tx.scalars(LATELY, {"player": player_id, "game": game})))


def load_report(tx: Tx, round: Round) -> PracticeReport:
    """What the message of a practised hand tells: the same whenever it is drawn."""
    over, skill = round.state is not State.OPEN, str(round.options.get("skill", ""))
    known = [one for one in load_practised_hands(tx, round.dealer_id) if one.round_id < round.id + over]
    here = [one for one in known if one.skill == skill]
    asked = bool(round.options.get("asked")) and not over
    told = dict.fromkeys(one.skill for one in reversed(known)) if asked else {skill: None}
    due = is_report_due(here) and here[-1].round_id == round.id if over else asked and len(here) >= HALF
    if not due and not asked:
        return PracticeReport(skill, entry=_entry(tx, round))
    found = [compute_trend([one for one in known if one.skill == each]) for each in told]
    better = [each for each in found if each is not None and each.has_visible_gain]
    return PracticeReport(skill, better, gives_advice=due and not better, entry=_entry(tx, round))


def _entry(tx: Tx, round: Round) -> str:
    return str(tx.scalar(ENTRY, {"round": round.id, "player": round.dealer_id}) or "")
