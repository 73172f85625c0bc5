"""The ledger of points and the totals that leaderboards read, kept in one transaction."""

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import func, insert, select
from sqlalchemy.exc import IntegrityError

from bot.round import Award, Round
from bot.schema import awards, players, totals
from bot.store import Tx
from bot.store.mail import upsert

ALL_TIME = "all"


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of a leaderboard."""

    rank: int
    """From 1; equal points share a rank."""
    player_id: int
    name: str
    points: int
    wins: int


@dataclass(frozen=True, slots=True)
class Record:
    """What a player has done in one chat."""

    wins: int
    points: int
    mean_seconds: float
    best_seconds: float
    rank: int
    """In the chat, all time; 0 before the first point."""


def periods(at: float) -> tuple[str, str, str, str]:
    """The boards that points earned at `at` count in: all time, and the month, week and day in UTC."""
    day = datetime.fromtimestamp(at, UTC).date()
    week = day.isocalendar()
    return ALL_TIME, f"{day:%Y-%m}", f"{week.year}-W{week.week:02}", f"{day:%Y-%m-%d}"


def award(tx: Tx, round: Round, earned: Award, message_id: int, at: float) -> bool:
    """Write points into the ledger and the totals; False when the round already gave them away."""
    row = {
        "round_id": round.id,
        "idea": earned.idea,
        "chat_id": round.chat_id,
        "player_id": earned.player_id,
        "points": earned.points,
        "seconds": earned.seconds,
        "level": round.level,
        "expected": round.expected,
        "expression": earned.expression,
        "message_id": message_id,
        "at": at,
    }
    try:
        with tx.begin_nested():
            tx.execute(insert(awards).values(row))
    except IntegrityError:
        return False
    for period in periods(at):
        _add(tx, round.chat_id, period, earned)
    return True


def _add(tx: Tx, chat_id: int, period: str, earned: Award) -> None:
    key = {"chat_id": chat_id, "period": period, "player_id": earned.player_id}
    statement = upsert(tx, totals).values(**key, points=earned.points, wins=1)
    more = {"points": totals.c.points + earned.points, "wins": totals.c.wins + 1}
    tx.execute(statement.on_conflict_do_update(index_elements=list(key), set_=more))


def top(tx: Tx, chat_id: int, period: str = ALL_TIME, limit: int = 10) -> list[Standing]:
    """The leaders of a chat, most points first."""
    found = (
        select(totals.c.player_id, totals.c.points, totals.c.wins, players.c.name)
        .join_from(totals, players, players.c.id == totals.c.player_id, isouter=True)
        .where(totals.c.chat_id == chat_id, totals.c.period == period)
        .order_by(totals.c.points.desc(), totals.c.player_id)
        .limit(limit)
    )
    standings: list[Standing] = []
    for place, row in enumerate(tx.execute(found), start=1):
        tied = standings and standings[-1].points == row.points
        rank = standings[-1].rank if tied else place
        standings.append(Standing(rank, row.player_id, row.name or "", row.points, row.wins))
    return standings


def standing(tx: Tx, chat_id: int, player_id: int, period: str = ALL_TIME) -> Standing | None:
    """A player's own line in a chat, wherever it ranks."""
    board = (totals.c.chat_id == chat_id, totals.c.period == period)
    found = select(totals.c.points, totals.c.wins, players.c.name).join_from(
        totals, players, players.c.id == totals.c.player_id, isouter=True
    )
    row = tx.execute(found.where(*board, totals.c.player_id == player_id)).first()
    if row is None:
        return None
    better = tx.scalar(select(func.count()).where(*board, totals.c.points > row.points))
    return Standing(int(better or 0) + 1, player_id, row.name or "", row.points, row.wins)


def record(tx: Tx, chat_id: int, player_id: int) -> Record | None:
    """What a player has done in a chat; None before the first win."""
    own = standing(tx, chat_id, player_id)
    if own is None:
        return None
    times = select(func.avg(awards.c.seconds), func.min(awards.c.seconds))
    mean, best = tx.execute(times.where(awards.c.chat_id == chat_id, awards.c.player_id == player_id)).one()
    return Record(own.wins, own.points, float(mean or 0), float(best or 0), own.rank)


def points_of(tx: Tx, round_id: int) -> int:
    """Points that a round gave in all."""
    return int(tx.scalar(select(func.sum(awards.c.points)).where(awards.c.round_id == round_id)) or 0)
