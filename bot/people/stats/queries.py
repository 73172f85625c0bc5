"""What one player has done, in one chat or in all of them: the figures behind /stats."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, Integer, Select, Table, case, distinct, exists, func, or_, select, union

from bot.database import Tx
from bot.database.columns import sound
from bot.database.schema import awards, entries, players, practised, rounds, tries
from bot.games.daily import queries as daily
from bot.games.duel import queries as duel
from bot.games.known import DAILY, USUAL
from bot.games.puzzle import LEVELS, Kind
from bot.games.rounds.queries import RIGHT
from bot.games.rounds.rules import PLACED, State
from bot.people.achievements import queries as achievements
from bot.people.leaderboard import queries as boards
from bot.people.past import queries as past
from bot.people.queries import Player
from bot.people.ratings import queries as ratings
from bot.people.ratings.rules import Rating
from bot.people.stats.rules import DAYS
from bot.spans import DAY

ASIDE = [Kind.PRACTICE.value, Kind.CONTEST.value]
"""The kinds of rounds that stand in no row of rounds won: they lie beside the table, or earn nothing."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What somebody scored."""

    rounds: int
    """Rounds in which they answered, right or wrong, or handed something in."""
    wins: int
    """Rounds in which they scored, but for mere places in a contest."""
    points: int
    rank: int = 0
    """In the chat, all time; 0 before the first point, and in all chats together."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What a player has done."""

    here: Tally | None
    """In the chat where it is asked; None where they never answered there."""
    across: Tally | None
    """In all chats together; None where that is not the reader's to know."""
    streak: int
    """Rounds won in a row up to now."""
    longest: int
    """… and the most ever."""
    best: dict[str, float]
    """Seconds of the quickest right answer by level, the easiest first."""
    days: Sequence[str]
    """Dates whose daily hand was solved, in the usual game or in the one whose figures these are."""
    points: Sequence[int]
    """Of each of the last days, today's last."""
    earned: Sequence[str]
    """Achievements, the latest first."""
    duels: tuple[int, int] = (0, 0)
    """Won and lost."""
    rating: Rating | None = None
    """How strong they play, by all hands anywhere; None before the first."""
    other_days: Sequence[str] = ()
    """Dates of the daily hands that were solved in other games: those have rows of their own."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show."""
        return not (self.here or self.days or self.other_days or (self.across and self.across.rounds))


def profile(tx: Tx, chat_id: int, player_id: int, now: float, *, across: bool) -> Profile:
    """What a player has done, as it is shown in a chat; `across` counts all other chats too."""
    where = None if across else chat_id
    now_in_a_row, longest = _streaks(tx, where, player_id)
    return replace(
        in_game(tx, chat_id, player_id, None, now, across=across),
        streak=now_in_a_row,
        longest=longest,
        days=daily.solved_days(tx, player_id),
        other_days=[d for game in DAILY if game for d in daily.solved_days(tx, player_id, game)],
        earned=achievements.held(tx, player_id, where),
        duels=duel.duels(tx, player_id) if across else (0, 0),
        rating=ratings.own(tx, player_id),
    )


def in_game(tx: Tx, chat_id: int, player_id: int, game: str | None, now: float, *, across: bool) -> Profile:
    """What a player has done in one game, or for None in all: what every game has figures of."""
    where = None if across else chat_id
    mine = _mine(where, player_id, game)
    here = _tally(tx, chat_id, player_id, game)
    return Profile(
        here=here if here.rounds else None,
        across=_tally(tx, None, player_id, game) if across else None,
        streak=0,
        longest=0,
        best=_best(tx, mine if game else (*mine, RIGHT)),
        days=_days(tx, player_id, game),
        points=_points(tx, mine, now),
        earned=(),
    )


def _days(tx: Tx, player_id: int, game: str | None) -> Sequence[str]:
    """The dates whose daily hand was solved in that game; none for all games."""
    return daily.solved_days(tx, player_id, "" if game == USUAL.key else game) if game else ()


def by_username(tx: Tx, username: str) -> Player | None:
    """The player who was last seen under that name."""
    found = select(players).where(func.lower(players.c.username) == username.lower())
    row = tx.execute(found.limit(1)).first()
    return None if row is None else Player(row.id, row.name, row.username, bool(row.masked))


def _tally(tx: Tx, chat_id: int | None, player_id: int, game: str | None) -> Tally:
    """What somebody scored in a chat, or for None in all."""
    won = case((~awards.c.idea.startswith(PLACED), awards.c.round_id))
    figures = select(func.count(distinct(won)), func.sum(awards.c.points))
    wins, points = tx.execute(figures.where(*_mine(chat_id, player_id, game))).one()
    period = boards.within(boards.ALL_TIME, game)
    own = None if chat_id is None else boards.standing(tx, chat_id, player_id, period)
    played = _rounds_played(tx, chat_id, player_id, game)
    return Tally(played, int(wins or 0), int(points or 0), own.rank if own else 0)


def _mine(chat_id: int | None, player_id: int, game: str | None) -> tuple[ColumnElement[bool], ...]:
    """The awards of a player, in a chat or in all, in a game or in all."""
    here = () if chat_id is None else (awards.c.chat_id == chat_id,)
    return (awards.c.player_id == player_id, *here, *_of_game(awards, game))


def _of_game(table: Table, game: str | None) -> tuple[ColumnElement[bool], ...]:
    """The condition that a row's round was of that game; none for all of them."""
    if game is None:
        return ()
    of_round = exists().where(rounds.c.id == table.c.round_id, rounds.c.game == game)
    return (or_(awards.c.game == game, of_round) if table is awards else of_round,)


def _rounds_played(tx: Tx, chat_id: int | None, player_id: int, game: str | None) -> int:
    right = select(awards.c.round_id).where(*_mine(chat_id, player_id, game))
    wrong, handed_in = (
        _rounds_in(table, chat_id, player_id).where(*_of_game(table, game)) for table in (tries, entries)
    )
    known = tx.scalar(select(func.count()).select_from(union(right, wrong, handed_in).subquery()))
    return int(known or 0) + past.unpaid(tx, player_id, chat_id, game)


def _rounds_in(table: Table, chat_id: int | None, player_id: int) -> Select[tuple[int]]:
    """The rounds for which the table has a row of the player, but for those that they practised."""
    alone = exists().where(practised.c.round_id == table.c.round_id)
    theirs = select(table.c.round_id).where(table.c.player_id == player_id, ~alone)
    if chat_id is None:
        return theirs
    # the sum keeps SQLite from going through all rounds of the chat: those that the person tried are few
    here = (rounds.c.id == table.c.round_id, rounds.c.chat_id + 0 == chat_id)
    return theirs.where(exists().where(*here))


def _best(tx: Tx, mine: tuple[ColumnElement[bool], ...]) -> dict[str, float]:
    found = select(awards.c.level, func.min(awards.c.seconds)).where(*mine, sound(awards.c.seconds))
    quickest = {level: float(seconds) for level, seconds in tx.execute(found.group_by(awards.c.level))}
    return {level: quickest[level] for level in LEVELS if level in quickest}


def _points(tx: Tx, mine: tuple[ColumnElement[bool], ...], now: float) -> list[int]:
    """The points of each of the last days, by UTC."""
    since = now - now % DAY - (DAYS - 1) * DAY
    recent = (*mine, awards.c.at >= since, sound(awards.c.at))
    days = [0] * DAYS
    for at, points in tx.execute(select(awards.c.at, awards.c.points).where(*recent)):
        days[min(DAYS - 1, int((at - since) // DAY))] += points
    return days


def _streaks(tx: Tx, chat_id: int | None, player_id: int) -> tuple[int, int]:
    """Rounds won in a row in a chat, or the most in any: up to now, and the most ever."""
    if chat_id is not None:
        return _streaks_in(tx, chat_id, player_id)
    won = select(awards.c.chat_id).where(awards.c.player_id == player_id).distinct()
    found = [_streaks_in(tx, chat, player_id) for chat in tx.scalars(won).all()]
    return max((now for now, _ in found), default=0), max((longest for _, longest in found), default=0)


def _streaks_in(tx: Tx, chat_id: int, player_id: int) -> tuple[int, int]:
    ended = rounds.c.state.not_in([State.OPEN.value, State.GIVEN_AWAY.value])
    here = (rounds.c.chat_id == chat_id, ended, rounds.c.kind.not_in(ASIDE))
    won = func.max(rounds.c.streak, type_=Integer)
    longest = tx.scalar(select(won).where(*here, rounds.c.winner_id == player_id))
    last = tx.execute(
        select(rounds.c.winner_id, rounds.c.streak).where(*here).order_by(rounds.c.id.desc()).limit(1)
    ).first()
    before = past.longest_row(tx, player_id, chat_id)
    return (last.streak if last and last.winner_id == player_id else 0), max(int(longest or 0), before)
