"""What a person played, by which they practise, and what they practised."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from sqlalchemy import Row, func, select

from bot.database import Tx, upsert
from bot.database.schema import awards, entries, practised, rounds, tries
from bot.games.known import GAMES, unpack
from bot.games.practice.rules import HALF, Played, Practised, Session, is_due, progress
from bot.games.puzzle import LEVELS, Kind
from bot.games.rounds.rules import Round, State

LATEST = 150
"""Hands of a person that are looked at, of each sort."""
PLAYED = (Kind.FIRST, Kind.BEST)
"""Kinds of rounds in which who played learns something of themselves; a practised hand has its own table."""


def keep(tx: Tx, over: Round) -> None:
    """How a hand went that somebody practised. One that was left untouched says nothing of them."""
    here = (tries.c.round_id == over.id, tries.c.player_id == over.dealer_id)
    wrong = int(tx.scalar(select(tries.c.wrong).where(*here)) or 0)
    if over.state is State.EXPIRED and not (wrong or over.hints or _entry(tx, over)):
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
        "hints": over.hints,
    }
    tx.execute(upsert(tx, practised).values(row).on_conflict_do_nothing())


def of_player(tx: Tx, player_id: int) -> list[Practised]:
    """What the person practised, the earliest first."""
    mine = select(practised).where(practised.c.player_id == player_id)
    rows = tx.execute(mine.order_by(practised.c.round_id.desc()).limit(LATEST)).all()
    return [_practised(row) for row in reversed(rows) if row.level in LEVELS]


def _practised(row: Row[Any]) -> Practised:
    return Practised(row.round_id, row.skill, row.level, row.seconds, row.expected, row.wrong, row.hints)


def played(tx: Tx, player_id: int) -> list[Played]:
    """What the person played and practised, the latest first; what nobody can read any more is left out."""
    times = _won(tx, player_id)
    wrong = _wrong(tx, player_id)
    own = {one.round_id: one for one in of_player(tx, player_id)}
    ids = {*times, *wrong, *own, *_entered(tx, player_id)}
    found = select(rounds).where(rounds.c.id.in_(ids), rounds.c.state != State.OPEN.value)
    read = {
        number: Played({one.skill}, one.seconds, one.expected, one.wrong, one.hints)
        for number, one in own.items()  # also where the round itself is gone
    }
    for row in tx.execute(found):
        skills = _skills(row)
        if row.id in read:
            read[row.id] = replace(read[row.id], skills={*skills, own[row.id].skill})
        elif skills and row.kind in PLAYED:
            read[row.id] = Played(skills, times.get(row.id), row.expected, wrong.get(row.id, 0))
    return [read[number] for number in sorted(read, reverse=True)]


def _won(tx: Tx, player_id: int) -> dict[int, float]:
    """Seconds of the right answers, by round."""
    mine = select(awards.c.round_id, func.min(awards.c.seconds).label("seconds"), func.max(awards.c.id))
    mine = mine.where(awards.c.player_id == player_id).group_by(awards.c.round_id)
    latest = mine.order_by(func.max(awards.c.id).desc()).limit(LATEST)
    return {row.round_id: row.seconds for row in tx.execute(latest)}


def _wrong(tx: Tx, player_id: int) -> dict[int, int]:
    """How many wrong answers, by round."""
    mine = select(tries.c.round_id, tries.c.wrong).where(tries.c.player_id == player_id, tries.c.wrong > 0)
    return {
        row.round_id: row.wrong for row in tx.execute(mine.order_by(tries.c.round_id.desc()).limit(LATEST))
    }


def _entered(tx: Tx, player_id: int) -> list[int]:
    """The rounds in which they handed something in."""
    mine = select(entries.c.round_id).where(entries.c.player_id == player_id)
    return list(tx.scalars(mine.order_by(entries.c.round_id.desc()).limit(LATEST)))


def _skills(row: Row[Any]) -> Sequence[str]:
    try:
        puzzle = unpack(row.game, row.puzzle, row.level, row.expected)
    except (ValueError, TypeError):
        return ()
    return tuple(GAMES[row.game].skills_of(puzzle))


def lately(tx: Tx, player_id: int, game: str) -> set[str]:
    """What names the puzzles of a game that the person practised last."""
    mine = select(rounds.c.line).where(
        rounds.c.chat_id == player_id, rounds.c.kind == Kind.PRACTICE.value, rounds.c.game == game
    )
    lines = tx.scalars(mine.order_by(rounds.c.id.desc()).limit(2 * HALF)).all()
    known = set[str]()
    for line in lines:
        with suppress(ValueError):  # a broken row costs only itself
            known.add(GAMES[game].identity(line))
    return known


def session(tx: Tx, round: Round) -> Session:
    """What the message of a practised hand tells: the same whenever it is drawn."""
    over, skill = round.state is not State.OPEN, str(round.options.get("skill", ""))
    known = [one for one in of_player(tx, round.dealer_id) if one.round_id < round.id + over]
    here = [one for one in known if one.skill == skill]
    asked = bool(round.options.get("asked")) and not over
    told = dict.fromkeys(one.skill for one in reversed(known)) if asked else {skill: None}
    due = is_due(here) and here[-1].round_id == round.id if over else asked and len(here) >= HALF
    if not due and not asked:
        return Session(skill, entry=_entry(tx, round))
    found = [progress([one for one in known if one.skill == each]) for each in told]
    better = [each for each in found if each is not None and each.told]
    return Session(skill, better, advised=due and not better, entry=_entry(tx, round))


def _entry(tx: Tx, round: Round) -> str:
    here = (entries.c.round_id == round.id, entries.c.player_id == round.dealer_id)
    return str(tx.scalar(select(entries.c.answer).where(*here)) or "")
