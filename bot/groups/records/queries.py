"""The best that was ever done in one chat, by whom and when."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import func, select, text

from bot.database import Tx
from bot.database.columns import NOBODY, sound
from bot.database.schema import IN_A_ROW, PART, awards, rounds, totals
from bot.games.daily.rules import day_of
from bot.games.puzzle import LEVELS
from bot.games.rounds.queries import RIGHT
from bot.people.past import queries as past


@dataclass(frozen=True, slots=True)
class Mark:
    """A record."""

    player_id: int
    amount: float
    """Seconds, rounds, points or right answers."""
    day: str
    """When it was set, by UTC."""


@dataclass(frozen=True, slots=True)
class Records:
    """What a chat holds; None where nobody ever did such a thing."""

    fastest: Mapping[str, Mark] = field(default_factory=dict)
    """By level, the easiest first."""
    row: Mark | None = None
    """Rounds won in a row."""
    day: Mark | None = None
    """Points on one day."""
    finds: Mark | None = None
    """Answers that one person found in one round, where all are to be found."""


def records(tx: Tx, chat_id: int) -> Records:
    """The records of a chat. Who set one first holds it."""
    return Records(_fastest(tx, chat_id), _row(tx, chat_id), _day(tx, chat_id), _finds(tx, chat_id))


def _fastest(tx: Tx, chat_id: int) -> dict[str, Mark]:
    held = {level: _fastest_of(tx, chat_id, level) for level in LEVELS}
    return {level: mark for level, mark in held.items() if mark}


def _fastest_of(tx: Tx, chat_id: int, level: str) -> Mark | None:
    here = (awards.c.chat_id == chat_id, awards.c.level == level, awards.c.player_id != NOBODY)
    known = sound(awards.c.seconds, awards.c.at)
    found = select(awards.c.player_id, awards.c.seconds, awards.c.at).where(*here, known, RIGHT)
    row = tx.execute(found.order_by(awards.c.seconds, awards.c.id).limit(1)).first()
    return None if row is None else Mark(row.player_id, row.seconds, day_of(row.at))


def _row(tx: Tx, chat_id: int) -> Mark | None:
    won = (rounds.c.chat_id == chat_id, text(IN_A_ROW))
    found = select(rounds.c.winner_id, rounds.c.streak, rounds.c.closed).where(*won)
    known = found.where(rounds.c.winner_id != NOBODY, sound(rounds.c.closed))
    row = tx.execute(known.order_by(rounds.c.streak.desc(), rounds.c.id).limit(1)).first()
    before = past.row_record(tx, chat_id)
    if before is not None and (row is None or before.streak >= row.streak):
        return Mark(before.player_id, before.streak, day_of(before.streak_at))
    return None if row is None else Mark(row.winner_id, row.streak, day_of(row.closed))


def _day(tx: Tx, chat_id: int) -> Mark | None:
    days = (totals.c.chat_id == chat_id, totals.c.period.like("____-__-__"))
    found = select(totals.c.player_id, totals.c.points, totals.c.period).where(*days)
    row = tx.execute(found.order_by(totals.c.points.desc(), totals.c.period).limit(1)).first()
    before = past.day_record(tx, chat_id)
    if before is not None and (row is None or before.points >= row.points):
        return Mark(before.player_id, before.points, before.day)
    return None if row is None else Mark(row.player_id, row.points, row.period)


def _finds(tx: Tx, chat_id: int) -> Mark | None:
    mine = (awards.c.chat_id == chat_id, awards.c.player_id != NOBODY)
    here = (*mine, text(PART), sound(awards.c.at), RIGHT)
    n, at = func.count().label("n"), func.max(awards.c.at).label("last")
    found = select(awards.c.player_id, n, at).where(*here).group_by(awards.c.round_id, awards.c.player_id)
    row = tx.execute(found.order_by(n.desc(), at).limit(1)).first()
    return None if row is None else Mark(row.player_id, row.n, day_of(row.last))
