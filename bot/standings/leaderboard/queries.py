"""The ledger of points, and the boards that are kept beside it in the same transaction.

A chat's own day, week and month go by its time zone, and are summed up from the ledger each time. A chat that
changes its zone sees these as if it had always had the new one; no total changes. All else is in `totals`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, Select, bindparam, delete, func, or_, select, update

from bot import zones
from bot.database import Tx, build_insert_for, build_insert_if_new
from bot.database.schema import FORGOTTEN_PLAYER, awards, histogram, last_wins, players, totals
from bot.rounds.rules import Award, Round
from bot.standings import tallies
from bot.standings.achievements import queries as achievements
from bot.standings.leaderboard import totals as board_totals
from bot.standings.leaderboard.totals import (
    ALL_CHATS,
    ALL_TIME,
    TotalChange,
    get_days_of_week,
    get_periods,
    make_global_period_keys,
    make_period_key,
)

MAX_LINES = 10  # Lines of a leaderboard


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of a leaderboard."""

    rank: int  # From 1; equal points share a rank
    player_id: int
    name: str
    points: int
    wins: int
    masked: bool = True  # Whether the name may not be shown outside the chats where it was earned


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """What one reader sees of a leaderboard."""

    leaders: list[Standing]
    own: Standing | None  # The reader's own line, wherever it ranks; None before the first point


def insert_award(tx: Tx, round: Round, earned: Award, message_id: int, at: float) -> bool:
    """Write points into the ledger and the boards, and what else the answer has earned.

    False when the round already gave them away.
    """
    row = {
        "round_id": round.id,
        "idea": earned.part,
        "chat_id": round.chat_id,
        "player_id": earned.player_id,
        "points": earned.points,
        "seconds": earned.seconds,
        "level": round.level,
        "expected": round.expected,
        "expression": earned.answer,
        "message_id": message_id,
        "at": at,
        "game": round.game,
        "kind": round.kind.value,
    }
    tallies.count_answered_round(tx, round.id, earned.player_id)
    if tx.scalar(_awarding(tx.dialect.name), row) is None:
        return False
    if earned.is_win:
        _keep_last_win(tx, round.chat_id, earned.player_id, at)
    boards = [(round.chat_id, make_period_key(ALL_TIME, of)) for of in (None, round.game)]
    counted, until = board_totals.update_counted_until(tx, round.chat_id)
    if counted:
        boards += [(ALL_CHATS, board) for board in make_global_period_keys(round.game, at)]
    board_totals.add_to_totals(
        tx, [TotalChange(*board, earned.player_id, earned.points, 1) for board in boards]
    )
    if counted != (until >= at):
        board_totals.set_chat_counted(tx, round.chat_id, not counted, at)
    tallies.count_award(tx, round, earned, at, get_periods(at)[-1])
    achievements.insert_win_achievements(tx, round, earned, at)
    return True


def is_first_win_of_day(tx: Tx, chat_id: int, zone: ZoneInfo, now: float) -> bool:
    """Whether nobody has scored in the chat on the day of `now` in its time zone."""
    return tx.scalar(SCORED, {"board": chat_id, "since": zones.find_period_start(zone, "d", now)}) is None


def load_best_seconds(tx: Tx, round: Round, player_id: int) -> float | None:
    """Seconds of the player's quickest right answer at the level of `round` in its chat, before that one.

    Only hands count that the first right answer ends; None before there was another.
    """
    alike = {"board": round.chat_id, "level": round.level, "game": round.game, "kind": round.kind.value}
    best = tx.scalar(BEST_TIME, {"player": player_id, "before": round.id, **alike})
    return None if best is None else float(best)


# Built once, since each win needs them and building takes longer than the database does


@cache
def _awarding(dialect: str) -> Any:
    """An INSERT of points that tells whether they are new."""
    return build_insert_if_new(dialect, awards).returning(awards.c.id)


@cache
def _last_win(dialect: str) -> Any:
    """An INSERT that keeps a person's last win in a chat."""
    statement = build_insert_for(dialect, last_wins)
    row = statement.excluded
    return statement.on_conflict_do_update(
        index_elements=["chat_id", "player_id"], set_={"at": row.at}, where=last_wins.c.at < row.at
    )


SCORED = (
    select(awards.c.id)
    .where(awards.c.chat_id == bindparam("board"), awards.c.at >= bindparam("since"))
    .limit(1)
)
BEST_TIME = select(func.min(awards.c.seconds)).where(
    *(awards.c.player_id == bindparam("player"), awards.c.chat_id == bindparam("board")),
    *(awards.c.round_id < bindparam("before"), awards.c.level == bindparam("level")),
    *(awards.c.game == bindparam("game"), awards.c.kind == bindparam("kind")),
    *(awards.c.idea == "", awards.c.seconds > 0),
)


def _keep_last_win(tx: Tx, chat_id: int, player_id: int, at: float) -> None:
    tx.execute(_last_win(tx.dialect.name), {"chat_id": chat_id, "player_id": player_id, "at": at})


def move_awards(tx: Tx, old: int, new: int) -> None:
    """Everything that was scored in chat `old` was scored in `new`."""
    wins = select(func.max(last_wins.c.at)).where(last_wins.c.chat_id.in_((old, new)))
    latest = tx.scalar(wins) or 0.0
    for chat_id in (old, new):
        board_totals.set_chat_counted(tx, chat_id, False, latest)
    tx.execute(update(awards).where(awards.c.chat_id == old).values(chat_id=new))
    board_totals.move_totals(tx, old, new)
    for row in tx.execute(select(last_wins).where(last_wins.c.chat_id == old)).all():
        _keep_last_win(tx, new, row.player_id, row.at)
    tx.execute(delete(last_wins).where(last_wins.c.chat_id == old))
    board_totals.update_chat_counted(tx, new, latest)


LINES = (
    select(totals.c.player_id, totals.c.points, totals.c.wins, players.c.name, players.c.masked)
    .join_from(totals, players, players.c.id == totals.c.player_id, isouter=True)
    .where(totals.c.period == bindparam("period"))
)
# Of lines: those of one chat, and those of all. PostgreSQL would go through these as if they were few.
OF_ONE, OF_ALL = totals.c.chat_id == bindparam("board"), totals.c.chat_id == board_totals.ALL_CHATS_LITERAL
TOP, TOP_OF_ALL = (
    LINES.where(here).order_by(totals.c.points.desc(), totals.c.player_id).limit(bindparam("most"))
    for here in (OF_ONE, OF_ALL)
)
# How many have more points. n points in all make at most √(2n) different scores to add up.
ABOVE = select(func.sum(histogram.c.players)).where(
    *(histogram.c.chat_id == totals.c.chat_id, histogram.c.period == totals.c.period),
    histogram.c.points > totals.c.points,
)
OWN, OWN_OF_ALL = (
    LINES.where(here, totals.c.player_id == bindparam("player")).add_columns(
        ABOVE.scalar_subquery().label("above")
    )
    for here in (OF_ONE, OF_ALL)
)
ON_DAYS = select(totals).where(
    *(totals.c.chat_id == bindparam("board"), totals.c.period.in_(bindparam("days"))),
    totals.c.player_id.in_(bindparam("players")),
)
EARNED = (
    select(awards.c.player_id, func.sum(awards.c.points).label("total"))
    .where(awards.c.round_id == bindparam("round"))
    .group_by(awards.c.player_id)
)


def make_scored_since_conditions(chat: str, of_game: bool) -> tuple[ColumnElement[bool], ...]:
    """The conditions that points were earned in a chat since an instant, in one game or in all, by somebody
    who was not forgotten. The parameters are `since`, `game` and the one called `chat`.
    """
    here = (awards.c.chat_id == bindparam(chat), awards.c.at >= bindparam("since"))
    game = (awards.c.game == bindparam("game"),) if of_game else ()
    return (*here, awards.c.player_id != FORGOTTEN_PLAYER, *game)


@cache
def _lines_since(of_game: bool) -> Select[Any]:
    """The leaders since then, and the line of one player, wherever it ranks."""
    points, who = func.sum(awards.c.points), awards.c.player_id
    best_first = points.desc()
    summed = (who, points.label("points"), func.count().label("wins"))
    placed = (func.rank().over(order_by=best_first), func.row_number().over(order_by=(best_first, who)))
    ranked = (each.label(name) for each, name in zip(placed, ("rank", "place"), strict=True))
    each = (
        select(*summed, *ranked)
        .where(*make_scored_since_conditions("board", of_game))
        .group_by(who)
        .subquery()
    )
    lines = select(each, players.c.name, players.c.masked)
    named = lines.join_from(each, players, players.c.id == each.c.player_id, isouter=True)
    shown = or_(each.c.place <= MAX_LINES, each.c.player_id == bindparam("player"))
    return named.where(shown).order_by(each.c.place)


@cache
def _points_since(of_game: bool) -> Select[Any]:
    told = (awards.c.player_id, awards.c.at, awards.c.points)
    return select(*told).where(
        *make_scored_since_conditions("board", of_game), awards.c.player_id.in_(bindparam("players"))
    )


def load_leaderboard(
    tx: Tx, chat_id: int, period: str, reader: int | None, limit: int = MAX_LINES
) -> Leaderboard:
    """A leaderboard as `reader` sees it; `chat_id` is `ALL_CHATS` for the one of all chats."""
    own = None if reader is None else load_standing(tx, chat_id, reader, period)
    return Leaderboard(load_leaders(tx, chat_id, period, limit), own)


def load_leaderboard_since(
    tx: Tx, chat_id: int, since: float, game: str, reader: int | None = None
) -> Leaderboard:
    """A leaderboard of what a chat scored since an instant, as `reader` sees it; `game` is empty for all."""
    asked = {"board": chat_id, "since": since, "game": game, "player": reader}
    rows = tx.execute(_lines_since(bool(game)), asked).all()
    found = [Standing(r.rank, r.player_id, r.name or "", r.points, r.wins, r.masked != 0) for r in rows]
    return Leaderboard(found[:MAX_LINES], next((line for line in found if line.player_id == reader), None))


def load_leaders(tx: Tx, chat_id: int, period: str = ALL_TIME, limit: int = MAX_LINES) -> list[Standing]:
    """The leaders of a chat, most points first."""
    asked = TOP_OF_ALL if chat_id == ALL_CHATS else TOP
    found = tx.execute(asked, {"board": chat_id, "period": period, "most": limit})
    standings: list[Standing] = []
    for place, row in enumerate(found, start=1):
        tied = standings and standings[-1].points == row.points
        rank = standings[-1].rank if tied else place
        masked = row.masked != 0
        standings.append(Standing(rank, row.player_id, row.name or "", row.points, row.wins, masked))
    return standings


def load_standing(tx: Tx, chat_id: int, player_id: int, period: str = ALL_TIME) -> Standing | None:
    """A player's own line in a chat, wherever it ranks."""
    asked = OWN_OF_ALL if chat_id == ALL_CHATS else OWN
    row = tx.execute(asked, {"board": chat_id, "period": period, "player": player_id}).first()
    if row is None:
        return None
    rank = 1 + int(row.above or 0)
    return Standing(rank, player_id, row.name or "", row.points, row.wins, row.masked != 0)


def load_points_by_day(
    tx: Tx, chat_id: int, zone: ZoneInfo, leaders: Sequence[Standing], now: float, game: str = ""
) -> dict[int, list[int]]:
    """The points of each leader on each day of the week of `now` up to today, in a chat's time zone, Monday's
    first; `game` is empty for all.
    """
    today = zones.get_local_date(zone, now).weekday()
    points = {leader.player_id: [0] * (today + 1) for leader in leaders}
    asked = {
        "board": chat_id,
        "since": zones.find_period_start(zone, "w", now),
        "game": game,
        "players": list(points),
    }
    for row in tx.execute(_points_since(bool(game)), asked):
        if row.at <= now:
            points[row.player_id][zones.get_local_date(zone, row.at).weekday()] += row.points
    return points


def load_points_by_day_of_all_chats(
    tx: Tx, leaders: Sequence[Standing], now: float, game: str | None = None
) -> dict[int, list[int]]:
    """The same of all chats together, in UTC."""
    today = datetime.fromtimestamp(now, UTC).weekday()
    days = [make_period_key(day, game) for day in get_days_of_week(now)[: today + 1]]
    points = {leader.player_id: [0] * len(days) for leader in leaders}
    for row in tx.execute(ON_DAYS, {"board": ALL_CHATS, "days": days, "players": list(points)}):
        points[row.player_id][days.index(row.period)] = row.points
    return points


def load_round_points(tx: Tx, round_id: int) -> dict[int, int]:
    """Points by player in a round."""
    return {row.player_id: int(row.total) for row in tx.execute(EARNED, {"round": round_id})}
