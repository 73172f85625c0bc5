"""Leaderboards of one game, which are read from the ledger of awards and from the totals beside it.

A chat's day, week and month follow its time zone and are summed up from the ledger each time, so a chat that
changes its zone sees them as if it had always had the new one. All other leaderboards are in `totals`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar
from zoneinfo import ZoneInfo

from sqlalchemy import Integer, Select, and_, bindparam, delete, func, or_, select, update

from bot import zones
from bot.database import Tx
from bot.database.schema import FORGOTTEN_PLAYER, awards, histogram, last_wins, players, tallies, totals
from bot.rounds.ledger import store_last_win
from bot.rounds.registry import GAMES
from bot.standings.leaderboard import totals as board_totals
from bot.standings.leaderboard.totals import ALL_CHATS, ALL_CHATS_LITERAL, make_period_key

# Statements are built once: building one takes longer than running it


def move_awards(tx: Tx, old: int, new: int) -> None:
    """Move awards, totals and last wins of chat `old` to chat `new`, and update whether `new` counts."""
    last_win = select(func.max(last_wins.c.at)).where(last_wins.c.chat_id.in_((old, new)))
    latest = tx.scalar(last_win) or 0.0
    # Take both off the leaderboards of all chats first: only what was added as a whole can be taken off
    for chat_id in (old, new):
        board_totals.set_chat_counted(tx, chat_id, latest, is_counted=False)
    tx.execute(update(awards).where(awards.c.chat_id == old).values(chat_id=new))
    board_totals.move_totals(tx, old, new)
    for row in tx.execute(select(last_wins).where(last_wins.c.chat_id == old)).all():
        store_last_win(tx, new, row.player_id, row.at)
    tx.execute(delete(last_wins).where(last_wins.c.chat_id == old))
    board_totals.update_chat_counted(tx, new, latest)


ROUNDS_BY_GAME = select(tallies.c.game, func.sum(tallies.c.rounds).label("rounds")).group_by(tallies.c.game)


def load_usual_game(tx: Tx, chat_id: int, player_id: int | None = None) -> str:
    """Return the key of the game that is played most in a chat, with `player_id` by that player there.

    In a private chat: by `player_id`, or else its player, in all chats.
    """
    is_private = chat_id > 0  # Its id is the player's
    statement = ROUNDS_BY_GAME
    if not is_private:
        statement = statement.where(tallies.c.chat_id == chat_id)
    if is_private or player_id is not None:
        statement = statement.where(tallies.c.player_id == (player_id or chat_id))
    rounds = {row.game: int(row.rounds) for row in tx.execute(statement)}
    default_first = sorted(GAMES, key=lambda game: game != GAMES.default.key)
    return max(default_first, key=lambda game: rounds.get(game, 0))


MAX_LINES, WHOLE_LINES = 10, 100  # Lines of a leaderboard, and of one with everybody: more fit no message


Score = TypeVar("Score")  # Points, or a rating


@dataclass(frozen=True, slots=True)
class Standing(Generic[Score]):
    """One line of a leaderboard."""

    rank: int  # From 1; equal scores share a rank
    player_id: int
    name: str
    score: Score
    masked: bool = True  # Whether other chats may not see the name


@dataclass(frozen=True, slots=True)
class Leaderboard(Generic[Score]):
    """A leaderboard as one reader sees it."""

    leaders: list[Standing[Score]]
    own: Standing[Score] | None  # The reader's own line, wherever it ranks; None without a score
    is_cut: bool = False  # Whether somebody ranks below the leaders; of all chats that is not looked up
    equal_below: int = 0  # Others who have as much as the last leader


def _make_standing(row: Any, rank: int) -> Standing[int]:
    is_masked = row.masked != 0  # NULL for a player of whom no name is stored
    return Standing(rank, row.player_id, row.name or "", row.points, is_masked)


TOTAL_LINES = (
    select(totals.c.player_id, totals.c.points, players.c.name, players.c.masked)
    .join_from(totals, players, players.c.id == totals.c.player_id, isouter=True)
    .where(totals.c.period == bindparam("period"))
)
# All chats together have a statement of their own: see `ALL_CHATS_LITERAL`
IN_CHAT, IN_ALL_CHATS = totals.c.chat_id == bindparam("chat_id"), totals.c.chat_id == ALL_CHATS_LITERAL
MOST_POINTS_FIRST = totals.c.points.desc()
NAME = func.lower(players.c.name)  # The order of equal points
LEADERS = (
    TOTAL_LINES.where(IN_CHAT)
    .order_by(MOST_POINTS_FIRST, NAME, totals.c.player_id)
    .limit(bindparam("limit", type_=Integer))
)
# By id, since names are masked there and an index has that order
LEADERS_OF_ALL_CHATS = (
    TOTAL_LINES.where(IN_ALL_CHATS).order_by(MOST_POINTS_FIRST, totals.c.player_id).limit(MAX_LINES)
)
# n points in all are at most √(2n) different totals, so this sum is short
PLAYERS_ABOVE = select(func.sum(histogram.c.players)).where(
    *(histogram.c.chat_id == totals.c.chat_id, histogram.c.period == totals.c.period),
    histogram.c.points > totals.c.points,
)
OWN_LINE, OWN_LINE_OF_ALL_CHATS = (
    TOTAL_LINES.where(condition, totals.c.player_id == bindparam("player")).add_columns(
        PLAYERS_ABOVE.scalar_subquery().label("above")
    )
    for condition in (IN_CHAT, IN_ALL_CHATS)
)


def load_leaderboard(
    tx: Tx, chat_id: int, period: str, reader: int | None, limit: int = MAX_LINES
) -> Leaderboard[int]:
    """Return the leaderboard of a chat, or of `ALL_CHATS`, in a game's period, as `reader` sees it."""
    own = None if reader is None else load_standing(tx, chat_id, reader, period)
    leaders = load_leaders(tx, chat_id, period, limit + 1)
    shown = leaders[:limit]
    equal_below = _count_equal(tx, chat_id, period, shown) if len(shown) == limit else 0
    return Leaderboard(shown, own, is_cut=len(leaders) > limit, equal_below=equal_below)


PLAYERS_WITH_POINTS = select(histogram.c.players).where(
    *(histogram.c.chat_id == bindparam("chat_id"), histogram.c.period == bindparam("period")),
    histogram.c.points == bindparam("points"),
)


def _count_equal(tx: Tx, chat_id: int, period: str, leaders: Sequence[Standing[int]]) -> int:
    """Return how many players have the points of the last leader without being among the leaders."""
    points = leaders[-1].score
    count = tx.scalar(PLAYERS_WITH_POINTS, {"chat_id": chat_id, "period": period, "points": points}) or 0
    return int(count) - sum(leader.score == points for leader in leaders)


def load_leaders(tx: Tx, chat_id: int, period: str, limit: int = MAX_LINES) -> list[Standing[int]]:
    """Return the first lines of a leaderboard, most points first; equal points share a rank.

    Of all chats the limit is ten.
    """
    statement = LEADERS_OF_ALL_CHATS if chat_id == ALL_CHATS else LEADERS
    standings: list[Standing[int]] = []
    rank = 0
    rows = tx.execute(statement, {"chat_id": chat_id, "period": period, "limit": limit})
    for place, row in enumerate(rows, start=1):
        has_equal_before = bool(standings) and standings[-1].score == row.points
        if not has_equal_before:
            rank = place
        standings.append(_make_standing(row, rank))
    return standings


def load_standing(tx: Tx, chat_id: int, player_id: int, period: str) -> Standing[int] | None:
    """Return a player's line of a leaderboard, wherever it ranks; None if the player has no points."""
    statement = OWN_LINE_OF_ALL_CHATS if chat_id == ALL_CHATS else OWN_LINE
    row = tx.execute(statement, {"chat_id": chat_id, "period": period, "player": player_id}).first()
    if row is None:
        return None
    players_above = int(row.above or 0)  # NULL if nobody is above
    return _make_standing(row, 1 + players_above)


# The awards of known players in a chat since an instant
SCORED_SINCE = and_(
    *(awards.c.chat_id == bindparam("chat_id"), awards.c.at >= bindparam("since")),
    awards.c.player_id != FORGOTTEN_PLAYER,
)
SCORED_IN_GAME_SINCE = and_(SCORED_SINCE, awards.c.game == bindparam("game"))


def _build_lines_since() -> Select[Any]:
    """Build the SELECT of the lines of the leaders since an instant, and of one player wherever they rank."""
    scored = (
        select(awards.c.player_id, func.sum(awards.c.points).label("points"))
        .where(SCORED_IN_GAME_SINCE)
        .group_by(awards.c.player_id)
        .subquery()
    )
    best_first = scored.c.points.desc()
    ranked = (
        select(
            *(scored, players.c.name, players.c.masked),
            func.rank().over(order_by=best_first).label("rank"),
            # Unlike the rank, never shared: so it tells who is within the limit
            func.row_number().over(order_by=(best_first, NAME, scored.c.player_id)).label("place"),
            func.count().over(partition_by=scored.c.points).label("equal"),
        )
        .join_from(scored, players, players.c.id == scored.c.player_id, isouter=True)
        .subquery()
    )
    return (
        select(ranked)
        .where(or_(ranked.c.place <= bindparam("limit"), ranked.c.player_id == bindparam("player")))
        .order_by(ranked.c.place)
    )


LINES_SINCE = _build_lines_since()


def load_leaderboard_since(
    tx: Tx, chat_id: int, since: float, game: str, reader: int | None = None, limit: int = MAX_LINES
) -> Leaderboard[int]:
    """Return the leaderboard of a chat in a game since an instant."""
    parameters = {"chat_id": chat_id, "since": since, "game": game, "player": reader, "limit": limit + 1}
    rows = tx.execute(LINES_SINCE, parameters).all()
    lines = [_make_standing(row, row.rank) for row in rows]
    equal_below = 0
    if len(rows) >= limit:
        last = rows[limit - 1]
        equal_below = last.equal - sum(row.points == last.points for row in rows[:limit])
    own = next((line for line in lines if line.player_id == reader), None)
    # A reader who ranks lower has the last line
    return Leaderboard(lines[:limit], own, is_cut=len(lines) > limit, equal_below=equal_below)


POINTS_ELSEWHERE = select(func.sum(awards.c.points)).where(
    *(awards.c.player_id == bindparam("player"), awards.c.game == bindparam("game")),
    *(awards.c.at >= bindparam("since"), awards.c.chat_id != bindparam("chat_id")),
)


def load_points_elsewhere(tx: Tx, player_id: int, since: float, game: str) -> int:
    """Return a player's points in a game since an instant, without those of the private chat."""
    parameters = {"player": player_id, "game": game, "since": since, "chat_id": player_id}
    return int(tx.scalar(POINTS_ELSEWHERE, parameters) or 0)


POINTS_SINCE = select(awards.c.player_id, awards.c.at, awards.c.points).where(
    SCORED_IN_GAME_SINCE, awards.c.player_id.in_(bindparam("players"))
)


def load_points_by_day(
    tx: Tx, chat_id: int, zone: ZoneInfo, leaders: Sequence[Standing[int]], now: float, game: str
) -> dict[int, list[int]]:
    """Return each leader's points by day of this week until today, Monday first, in the chat's time zone."""
    monday = zones.find_period_start(zone, "w", now)
    today = zones.get_local_date(zone, now).weekday()
    points = {leader.player_id: [0] * (today + 1) for leader in leaders}
    parameters = {"chat_id": chat_id, "since": monday, "game": game, "players": list(points)}
    for row in tx.execute(POINTS_SINCE, parameters):
        if row.at <= now:  # Later days are not in the lists
            weekday = zones.get_local_date(zone, row.at).weekday()
            points[row.player_id][weekday] += row.points
    return points


DAY_TOTALS = select(totals).where(
    *(IN_ALL_CHATS, totals.c.period.in_(bindparam("days"))), totals.c.player_id.in_(bindparam("players"))
)


def load_points_by_day_of_all_chats(
    tx: Tx, leaders: Sequence[Standing[int]], now: float, game: str
) -> dict[int, list[int]]:
    """Return each leader's points in all chats on each day of this week up to today in UTC, Monday first."""
    today = datetime.fromtimestamp(now, UTC).weekday()
    days = [make_period_key(day, game) for day in board_totals.get_days_of_week(now)[: today + 1]]
    points = {leader.player_id: [0] * len(days) for leader in leaders}
    for row in tx.execute(DAY_TOTALS, {"days": days, "players": list(points)}):
        points[row.player_id][days.index(row.period)] = row.points
    return points
