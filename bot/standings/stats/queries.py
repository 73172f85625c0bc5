"""What one player has done, in one chat or in all of them: the figures behind /stats."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Result,
    Select,
    and_,
    bindparam,
    case,
    distinct,
    func,
    select,
)

from bot import zones
from bot.database import Tx
from bot.database.schema import BigInt, are_valid_times, awards, equals_any, players, rounds
from bot.modes.daily import queries as daily
from bot.modes.daily.rules import filter_dates_of_game
from bot.modes.duel import queries as duel
from bot.players.queries import Player
from bot.rounds.puzzle import LEVELS
from bot.rounds.queries import IN_DEFAULT_GAME, IS_RIGHT_ANSWER, UNRECORDED_KINDS
from bot.rounds.registry import DAILY_GAMES, DEFAULT_GAME
from bot.rounds.rules import PLACE_PREFIX, State
from bot.standings import tallies
from bot.standings.achievements import queries as achievements
from bot.standings.leaderboard import queries as boards
from bot.standings.leaderboard.totals import ALL_TIME, make_period_key
from bot.standings.ratings import queries as ratings
from bot.standings.ratings.rules import Rating
from bot.standings.stats.rules import CHART_DAYS


@dataclass(frozen=True, slots=True)
class Score:
    """What somebody scored."""

    rounds_answered: int  # Rounds in which they answered, right or wrong, or handed something in
    wins: int  # Rounds in which they scored, but for mere places in a contest
    points: int
    rank: int = 0  # In the chat, all time; 0 before the first point, and in all chats together


@dataclass(frozen=True, slots=True)
class Profile:
    """What a player has done."""

    here: Score | None  # In the chat where it is asked; None where they never answered there
    across: Score | None  # In all chats together; None where that is not the reader's to know
    streak: int  # Rounds won in a row up to now
    longest: int  # … and the most ever
    # Seconds of the quickest right answer by level, the easiest first; of all games, the usual one's.
    best: dict[str, float]
    # Dates whose daily hand was solved, in the usual game or in the one whose figures these are.
    days: Sequence[str]
    points: Sequence[int]  # Of each of the last days, today's last
    earned: Sequence[str]  # Achievements, the latest first
    duels: tuple[int, int] = (0, 0)  # Won and lost
    rating: Rating | None = None  # How strong they play, by all hands anywhere; None before the first
    # Dates of the daily hands that were solved in other games: those have rows of their own.
    other_days: Sequence[str] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not (
            self.here or self.days or self.other_days or (self.across and self.across.rounds_answered)
        )


def load_profile(
    tx: Tx, chat_id: int, player_id: int, now: float, *, across: bool, zone: ZoneInfo = zones.UTC
) -> Profile:
    """What a player has done, as it is shown in a chat with that time zone; `across` counts all chats."""
    where = None if across else chat_id
    now_in_a_row, longest = _streaks(tx, where, player_id)
    solved = daily.load_solved_days(tx, player_id)
    return replace(
        load_game_profile(tx, chat_id, player_id, None, now, across=across, zone=zone),
        streak=now_in_a_row,
        longest=longest,
        days=filter_dates_of_game(solved),
        other_days=[day for game in DAILY_GAMES if game for day in filter_dates_of_game(solved, game)],
        earned=achievements.load_achievements(tx, player_id, where),
        duels=duel.count_duels_won_and_lost(tx, player_id) if across else (0, 0),
        rating=ratings.load_rating(tx, player_id),
    )


def load_game_profile(
    tx: Tx,
    chat_id: int,
    player_id: int,
    game: str | None,
    now: float,
    *,
    across: bool,
    zone: ZoneInfo = zones.UTC,
) -> Profile:
    """What a player has done in one game, or for None in all: what every game has figures of."""
    where = None if across else chat_id
    here, everywhere = _tallies(tx, chat_id, player_id, game, across=across)
    return Profile(
        here=here if here.rounds_answered else None,
        across=everywhere if across else None,
        streak=0,
        longest=0,
        best=_best(tx, where, player_id, game),
        days=_days(tx, player_id, game),
        points=_points(tx, where, player_id, game, zone, now),
        earned=(),
    )


def _days(tx: Tx, player_id: int, game: str | None) -> Sequence[str]:
    """The dates whose daily hand was solved in that game; none for all games."""
    return daily.load_solved_dates(tx, player_id, "" if game == DEFAULT_GAME.key else game) if game else ()


def find_player_by_username(tx: Tx, username: str) -> Player | None:
    """The player who was last seen under that name."""
    row = tx.execute(BY_USERNAME, {"name": username.lower()}).first()
    return None if row is None else Player(row.id, row.name, row.username, bool(row.masked))


def _tallies(tx: Tx, chat_id: int, player_id: int, game: str | None, *, across: bool) -> tuple[Score, Score]:
    """What somebody scored in a chat, and with `across` in all of them together."""
    where = None if across else chat_id
    asked = {"player": player_id, "chat": chat_id, "game": game}
    shape = where is not None, game is not None
    scored = tx.execute(_scored_twice(*shape), asked).one()
    own = boards.load_standing(tx, chat_id, player_id, make_period_key(ALL_TIME, game))
    here, everywhere = (
        tallies.load_answered_round_count(tx, player_id, chat, game) for chat in (chat_id, where)
    )
    return (
        Score(here, scored.wins_here, int(scored.points_here or 0), own.rank if own else 0),
        Score(everywhere, scored.wins, int(scored.points or 0)),
    )


def _best(tx: Tx, chat_id: int | None, player_id: int, game: str | None) -> dict[str, float]:
    there = [row._mapping for row in _ask(tx, _quickest, chat_id, player_id, game)]
    times = {level: [row[level] for row in there if row[level] is not None] for level in LEVELS}
    return {level: float(min(seconds)) for level, seconds in times.items() if seconds}


def _points(
    tx: Tx, chat_id: int | None, player_id: int, game: str | None, zone: ZoneInfo, now: float
) -> list[int]:
    """The points of each of the last days in the zone."""
    first = zones.get_local_date(zone, now) - timedelta(days=CHART_DAYS - 1)
    days = [0] * CHART_DAYS
    for at, points in _ask(tx, _scored, chat_id, player_id, game, zones.get_time_on_day(zone, first)):
        days[min(CHART_DAYS - 1, (zones.get_local_date(zone, at) - first).days)] += points
    return days


def _streaks(tx: Tx, chat_id: int | None, player_id: int) -> tuple[int, int]:
    """Rounds won in a row in a chat, or the most in any: up to now, and the most ever."""
    asked = ROWS_ANYWHERE if chat_id is None else ROWS_HERE
    found = tx.execute(asked, {"player": player_id, "chat": chat_id})
    now_in_a_row = max((streak or 0 for streak in found.scalars()), default=0)
    return now_in_a_row, tallies.load_longest_win_streak(tx, player_id, chat_id)


def _ask(
    tx: Tx,
    shaped: Callable[[bool, bool], Select[*tuple[Any, ...]]],
    chat_id: int | None,
    player_id: int,
    game: str | None,
    since: float = 0.0,
) -> Result[*tuple[Any, ...]]:
    """What is found of a player, in a chat or in all, in a game or in all."""
    asked = {"player": player_id, "chat": chat_id, "game": game, "since": since}
    return tx.execute(shaped(chat_id is not None, game is not None), asked)


# Built once for each shape of what is asked, of a chat or of all and of a game or of all: building takes
# longer than the database does

WHOSE: BindParameter[int] = bindparam("player")
CHAT: BindParameter[int] = bindparam("chat", type_=BigInt)
GAME: BindParameter[str] = bindparam("game")


SCORED_IN = select(awards.c.chat_id).where(awards.c.player_id == WHOSE).distinct().subquery()
# What was in the chat where it is asked: one look counts that, and all there is.
HERE = awards.c.chat_id == CHAT


@cache
def _scored_twice(here: bool, of_game: bool) -> Select[*tuple[Any, ...]]:
    """Rounds won and points, there and anywhere."""
    # where one answer wins a round none is counted twice: looking for that takes longer than all else
    whole, part = awards.c.idea == "", and_(awards.c.idea != "", ~awards.c.idea.startswith(PLACE_PREFIX))
    points = func.sum(case((HERE, awards.c.points))).label("points_here")
    won = (_rounds(and_(whole, HERE), and_(part, HERE)), _rounds(whole, part))
    labelled = (each.label(name) for each, name in zip(won, ("wins_here", "wins"), strict=True))
    return select(*labelled, points, func.sum(awards.c.points).label("points")).where(*_mine(here, of_game))


def _rounds(whole: ColumnElement[bool], part: ColumnElement[bool]) -> ColumnElement[int]:
    """Counts awards of whole rounds, and the rounds of those that are parts of one."""
    return func.count(case((whole, 1))) + func.count(distinct(case((part, awards.c.round_id))))


@cache
def _quickest(here: bool, of_game: bool) -> Select[*tuple[Any, ...]]:
    """A row for each chat: the least seconds by level.

    The index has them in that order, so hardly more than these are looked at, whatever else was won.
    """
    chat = CHAT if here else SCORED_IN.c.chat_id
    right = (are_valid_times(awards.c.seconds), *(() if of_game else (IS_RIGHT_ANSWER, IN_DEFAULT_GAME)))
    found = select(awards.c.seconds).where(*_mine(False, of_game), awards.c.chat_id == chat, *right)
    first = found.order_by(awards.c.seconds).limit(1)
    of_levels = ((level, first.where(awards.c.level == level)) for level in LEVELS)
    least = (asked.scalar_subquery().label(level) for level, asked in of_levels)
    return select(*least) if here else select(*least).select_from(SCORED_IN)


@cache
def _scored(here: bool, of_game: bool) -> Select[*tuple[Any, ...]]:
    found = select(awards.c.at, awards.c.points).where(*_mine(here, of_game))
    at = awards.c.at + 0.0  # the sum keeps SQLite from going through what others won there meanwhile
    return found.where(at >= bindparam("since"), are_valid_times(at))


def _mine(here: bool, of_game: bool) -> tuple[ColumnElement[bool], ...]:
    """The awards of a player, in a chat or in all, in a game or in all."""
    there = (awards.c.chat_id == CHAT,) if here else ()
    same = (awards.c.game == GAME,) if of_game else ()
    return (awards.c.player_id == WHOSE, *there, *same)


def _row_of_wins(chat: ColumnElement[int]) -> Select[*tuple[Any, ...]]:
    """Rounds won in a row in a chat, up to now."""
    ended = rounds.c.state != State.OPEN.value
    there = (rounds.c.chat_id == chat, ended, ~equals_any(rounds.c.kind, *UNRECORDED_KINDS))
    streak = case((rounds.c.winner_id == WHOSE, rounds.c.streak), else_=0)
    last = select(streak).where(*there).order_by(rounds.c.id.desc()).limit(1)
    return select(last.scalar_subquery())


ROWS_HERE, ROWS_ANYWHERE = _row_of_wins(CHAT), _row_of_wins(SCORED_IN.c.chat_id).select_from(SCORED_IN)
BY_USERNAME = select(players).where(func.lower(players.c.username) == bindparam("name")).limit(1)
