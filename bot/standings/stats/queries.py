"""The figures of /stats: a player's rounds, wins and times in one chat or in all chats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Select,
    and_,
    bindparam,
    case,
    distinct,
    func,
    select,
    union_all,
)

from bot import zones
from bot.database import Tx
from bot.database.schema import BigInt, are_valid_times, awards, equals_any, practised, rounds, runs
from bot.levels import LEVELS
from bot.modes.daily import queries as daily
from bot.modes.duel import queries as duel
from bot.modes.practice.queries import load_played_hands
from bot.modes.practice.rules import MIN_PACE
from bot.rounds import ledger
from bot.rounds.queries import UNRECORDED_KINDS
from bot.rounds.registry import GAMES
from bot.rounds.rules import PLACE_PREFIX, State
from bot.standings import achievements
from bot.standings.leaderboard import queries as boards
from bot.standings.leaderboard.totals import ALL_TIME, make_period_key
from bot.standings.ratings import updates
from bot.standings.ratings.rules import Rating
from bot.standings.stats.pace import MonthPace, measure_pace

CHART_DAYS = 30
MAX_MONTH_HANDS = 1000  # Of each sort, of which the month's pace is measured
Parameters = Mapping[str, int | str]  # Of the statements: `player`, `chat` and `game`


@dataclass(frozen=True, slots=True)
class Score:
    rounds_answered: int  # With any answer, right or wrong
    wins: int  # Rounds with an award, not counting places in a contest
    points: int
    rank: int = 0  # In the chat, of all time; 0 before the first point, and for all chats


@dataclass(frozen=True, slots=True)
class Profile:
    """A player's figures in one game, as far as the reader may see them.

    Streaks, achievements, duels and the rating are of all games.
    """

    in_chat: Score | None  # None if the player never answered in this chat
    in_all_chats: Score | None  # None if the reader may not see it
    win_streak: int = 0  # Rounds won in a row until now
    longest_win_streak: int = 0
    best_seconds: Mapping[str, float] = field(default_factory=dict)  # By level, the easiest first
    solved_days: Sequence[str] = ()  # Dates of solved daily hands
    points_by_day: Sequence[int] = ()  # Of the last `CHART_DAYS` days, today's last
    achievements: Sequence[str] = ()  # The latest first
    duels: tuple[int, int] = (0, 0)  # Won and lost
    rating: Rating | None = None  # None before the first hand
    pace: MonthPace | None = None  # Of this month, in all modes and chats; None while it is noise
    has_played_alone: bool = False  # Whether a hand of practice, a storm or a streak was dealt to the player

    @property
    def is_empty(self) -> bool:
        has_answered = self.in_chat or (self.in_all_chats and self.in_all_chats.rounds_answered)
        return not (has_answered or self.solved_days or self.has_played_alone)


def load_profile(
    tx: Tx,
    chat_id: int,
    player_id: int,
    now: float,
    game: str,
    *,
    all_chats: bool,
    zone: ZoneInfo = zones.UTC,
) -> Profile:
    """Load a player's figures in a game, for a chat with that time zone.

    `all_chats` adds the figures of all chats together; without it everything is about this chat.
    """
    in_chat_only = not all_chats
    parameters: Parameters = {"player": player_id, "chat": chat_id, "game": game}
    in_chat, in_all = _load_scores(tx, parameters, in_chat_only=in_chat_only)
    daily_game = "" if game == GAMES.default.key else game  # Their rows hold no key of the default game
    statement = WIN_STREAK_IN_CHAT if in_chat_only else WIN_STREAKS
    streaks = [streak or 0 for streak in tx.scalars(statement, {"player": player_id, "chat": chat_id})]
    shown_chat_id = chat_id if in_chat_only else None
    return Profile(
        in_chat=in_chat if in_chat.rounds_answered else None,
        in_all_chats=in_all if all_chats else None,
        best_seconds=_load_best_seconds(tx, parameters, in_chat_only=in_chat_only),
        solved_days=daily.load_solved_dates(tx, player_id, daily_game),
        points_by_day=_load_points_by_day(tx, parameters, zone, now, in_chat_only=in_chat_only),
        win_streak=max(streaks, default=0),  # In the chat where the player now has the longest
        longest_win_streak=ledger.load_tally_sums(tx, player_id, shown_chat_id).longest_win_streak,
        achievements=achievements.load_achievements(tx, player_id, shown_chat_id),
        duels=duel.count_duels_won_and_lost(tx, player_id) if all_chats else (0, 0),
        rating=updates.load_rating(tx, player_id),
        pace=_load_pace(tx, player_id, now, zone) if all_chats and game == GAMES.default.key else None,
        has_played_alone=all_chats and bool(tx.scalar(PLAYED_ALONE, parameters)),
    )


def _load_pace(tx: Tx, player_id: int, now: float, zone: ZoneInfo) -> MonthPace | None:
    """Return the pace of the hands that the player solved this month, of those with a measured time."""
    today = zones.get_local_date(zone, now)
    since = zones.get_time_on_day(zone, today.replace(day=1))
    played = load_played_hands(tx, player_id, MAX_MONTH_HANDS)
    hands = [hand for hand in played if hand.at >= since and hand.is_measured]
    solved = [hand for hand in hands if hand.seconds is not None]
    return measure_pace(today.month, [max(hand.pace, MIN_PACE) for hand in solved])


PLAYER: BindParameter[int] = bindparam("player")
CHAT: BindParameter[int] = bindparam("chat", type_=BigInt)
IN_CHAT = awards.c.chat_id == CHAT
PLAYED_ALONE = union_all(
    select(practised.c.round_id).where(practised.c.player_id == PLAYER),
    select(runs.c.id).where(runs.c.player_id == PLAYER),
).limit(1)


def _make_conditions(*, in_chat_only: bool) -> list[ColumnElement[bool]]:
    """Make the conditions for a player's awards in a game, in one chat or all."""
    conditions = [awards.c.player_id == PLAYER, awards.c.game == bindparam("game")]
    return [*conditions, IN_CHAT] if in_chat_only else conditions


def _load_scores(tx: Tx, parameters: Parameters, *, in_chat_only: bool) -> tuple[Score, Score]:
    """Return a player's scores in the chat and in all chats; with `in_chat_only` both are of it."""
    player_id, chat_id, game = int(parameters["player"]), int(parameters["chat"]), str(parameters["game"])
    sums = tx.execute(build_scores(in_chat_only=in_chat_only), parameters).one()
    standing = boards.load_standing(tx, chat_id, player_id, make_period_key(ALL_TIME, game))
    rank = standing.rank if standing else 0
    chat_tally = ledger.load_tally_sums(tx, player_id, chat_id, game)
    all_tally = chat_tally if in_chat_only else ledger.load_tally_sums(tx, player_id, game=game)
    # Tallies count neither wins nor points. Without an award the sums of points are NULL
    chat_points, all_points = int(sums.chat_points or 0), int(sums.points or 0)
    return (
        Score(chat_tally.rounds_answered, wins=sums.chat_wins, points=chat_points, rank=rank),
        Score(all_tally.rounds_answered, wins=sums.wins, points=all_points),
    )


@cache
def build_scores(*, in_chat_only: bool) -> Select[*tuple[Any, ...]]:
    """Build the SELECT of wins and points in the chat, and in one chat or all, in one pass."""
    return select(
        _build_count_wins(IN_CHAT).label("chat_wins"),
        _build_count_wins().label("wins"),
        func.sum(case((IN_CHAT, awards.c.points))).label("chat_points"),
        func.sum(awards.c.points).label("points"),
    ).where(*_make_conditions(in_chat_only=in_chat_only))


def _build_count_wins(*conditions: ColumnElement[bool]) -> ColumnElement[int]:
    """Build the number of rounds with an award under these conditions, not counting places in a contest."""
    # A whole round has one award, and a round of parts several: only these need DISTINCT, which takes longer
    whole = and_(*conditions, awards.c.idea == "")
    part = and_(*conditions, awards.c.idea != "", ~awards.c.idea.startswith(PLACE_PREFIX))
    return func.count(case((whole, 1))) + func.count(distinct(case((part, awards.c.round_id))))


def _load_best_seconds(tx: Tx, parameters: Parameters, *, in_chat_only: bool) -> dict[str, float]:
    """Return a player's best time of each level that has one, the easiest level first."""
    rows = tx.execute(build_best_seconds(in_chat_only=in_chat_only), parameters)
    chat_rows = [row._mapping for row in rows]
    best = dict[str, float]()
    for level in LEVELS:
        seconds = [row[level] for row in chat_rows if row[level] is not None]
        if seconds:
            best[level] = float(min(seconds))
    return best


CHATS_OF_PLAYER = select(awards.c.chat_id).where(awards.c.player_id == PLAYER).distinct().subquery()


@cache
def build_best_seconds(*, in_chat_only: bool) -> Select[*tuple[Any, ...]]:
    """Build the SELECT of a row for each chat with the best time of each level, each read from an index."""
    chat = CHAT if in_chat_only else CHATS_OF_PLAYER.c.chat_id
    conditions = _make_conditions(in_chat_only=False)  # The chat is compared below
    is_timed = are_valid_times(awards.c.seconds)
    seconds = select(awards.c.seconds).where(*conditions, awards.c.chat_id == chat, is_timed)
    fastest = seconds.order_by(awards.c.seconds).limit(1)
    by_level = {level: fastest.where(awards.c.level == level).scalar_subquery() for level in LEVELS}
    best_of_levels = select(*(best.label(level) for level, best in by_level.items()))
    return best_of_levels if in_chat_only else best_of_levels.select_from(CHATS_OF_PLAYER)


def _load_points_by_day(
    tx: Tx, parameters: Parameters, zone: ZoneInfo, now: float, *, in_chat_only: bool
) -> list[int]:
    """Return a player's points on each of the last `CHART_DAYS` days in a time zone, today's last."""
    first_day = zones.get_local_date(zone, now) - timedelta(days=CHART_DAYS - 1)
    since = zones.get_time_on_day(zone, first_day)
    points_by_day = [0] * CHART_DAYS
    statement = build_points(in_chat_only=in_chat_only)
    for at, points in tx.execute(statement, {**parameters, "since": since}):
        day = (zones.get_local_date(zone, at) - first_day).days
        # This message may be handled late: points of days after its own count as today's
        points_by_day[min(day, CHART_DAYS - 1)] += points
    return points_by_day


@cache
def build_points(*, in_chat_only: bool) -> Select[*tuple[Any, ...]]:
    """Build the SELECT of a player's awards since an instant, with time and points."""
    at = awards.c.at + 0.0  # The sum keeps SQLite from reading what others won in the chat meanwhile
    rows = select(awards.c.at, awards.c.points).where(*_make_conditions(in_chat_only=in_chat_only))
    return rows.where(at >= bindparam("since"), are_valid_times(at))


def _build_win_streak(chat: ColumnElement[int]) -> Select[*tuple[Any, ...]]:
    """Build the SELECT of a player's present win streak in a chat: 0 unless they won its last round."""
    recorded = (rounds.c.state != State.OPEN.value, ~equals_any(rounds.c.kind, *UNRECORDED_KINDS))
    streak = case((rounds.c.winner_id == PLAYER, rounds.c.streak), else_=0)
    last = select(streak).where(rounds.c.chat_id == chat, *recorded).order_by(rounds.c.id.desc()).limit(1)
    return select(last.scalar_subquery())


WIN_STREAK_IN_CHAT = _build_win_streak(CHAT)
WIN_STREAKS = _build_win_streak(CHATS_OF_PLAYER.c.chat_id).select_from(CHATS_OF_PLAYER)  # One row a chat
