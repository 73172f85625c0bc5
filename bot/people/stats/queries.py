"""What one player has done in one chat: the figures behind /stats."""

from dataclasses import dataclass

from sqlalchemy import Integer, Select, Table, distinct, exists, func, select, union

from bot.database import Tx
from bot.database.schema import awards, entries, players, rounds, tries
from bot.games.puzzle import LEVELS
from bot.games.rounds.rules import State
from bot.people.leaderboard import queries as boards
from bot.people.queries import Player


@dataclass(frozen=True, slots=True)
class Times:
    """How long right answers took."""

    answers: int
    mean: float
    """Seconds."""
    best: float
    """Seconds."""
    expected: float
    """Seconds that people usually need for the same hands, on average."""


@dataclass(frozen=True, slots=True)
class Record:
    """What a player has done in one chat."""

    rounds: int
    """Rounds in which the player answered, right or wrong, or handed something in."""
    wins: int
    """Rounds in which the player scored."""
    points: int
    rank: int
    """In the chat, all time; 0 before the first point."""
    streak: int
    """Rounds won in a row up to now."""
    longest_streak: int
    times: Times | None
    """None before the first right answer."""
    levels: dict[str, Times]
    """By level, the easiest first; those with a right answer."""


def record(tx: Tx, chat_id: int, player_id: int) -> Record | None:
    """What a player has done in a chat; None for one who never answered there."""
    played = _rounds_played(tx, chat_id, player_id)
    if not played:
        return None
    own = boards.standing(tx, chat_id, player_id)
    mine = (awards.c.chat_id == chat_id, awards.c.player_id == player_id)
    wins = tx.scalar(select(func.count(distinct(awards.c.round_id))).where(*mine))
    now, longest = _streaks(tx, chat_id, player_id)
    return Record(
        rounds=played,
        wins=int(wins or 0),
        points=own.points if own else 0,
        rank=own.rank if own else 0,
        streak=now,
        longest_streak=longest,
        times=_times(tx, chat_id, player_id).get(""),
        levels=_by_level(tx, chat_id, player_id),
    )


def by_username(tx: Tx, username: str) -> Player | None:
    """The player who was last seen under that name."""
    found = select(players).where(func.lower(players.c.username) == username.lower())
    row = tx.execute(found.limit(1)).first()
    return None if row is None else Player(row.id, row.name, row.username, bool(row.masked))


def _rounds_played(tx: Tx, chat_id: int, player_id: int) -> int:
    right = select(awards.c.round_id).where(awards.c.chat_id == chat_id, awards.c.player_id == player_id)
    wrong, handed_in = (_rounds_in(table, chat_id, player_id) for table in (tries, entries))
    return int(tx.scalar(select(func.count()).select_from(union(right, wrong, handed_in).subquery())) or 0)


def _rounds_in(table: Table, chat_id: int, player_id: int) -> Select[tuple[int]]:
    """The chat's rounds for which the table has a row of the player."""
    # the sum keeps SQLite from going through all rounds of the chat: those that the person tried are few
    here = (rounds.c.id == table.c.round_id, rounds.c.chat_id + 0 == chat_id)
    return select(table.c.round_id).where(table.c.player_id == player_id, exists().where(*here))


def _by_level(tx: Tx, chat_id: int, player_id: int) -> dict[str, Times]:
    found = _times(tx, chat_id, player_id, by_level=True)
    return {level: found[level] for level in LEVELS if level in found}


def _times(tx: Tx, chat_id: int, player_id: int, *, by_level: bool = False) -> dict[str, Times]:
    """Times of right answers, by level or, under an empty name, all together."""
    figures = [func.count(), func.avg(awards.c.seconds), func.min(awards.c.seconds)]
    figures.append(func.avg(awards.c.expected))
    mine = (awards.c.chat_id == chat_id, awards.c.player_id == player_id)
    if by_level:
        rows = tx.execute(select(awards.c.level, *figures).where(*mine).group_by(awards.c.level))
        return {level: Times(*times) for level, *times in rows}
    times = tx.execute(select(*figures).where(*mine)).one()
    return {"": Times(*times)} if times[0] else {}


def _streaks(tx: Tx, chat_id: int, player_id: int) -> tuple[int, int]:
    """Rounds won in a row in the chat: up to now, and the most ever."""
    ended = rounds.c.state.not_in([State.OPEN.value, State.GIVEN_AWAY.value])
    here = (rounds.c.chat_id == chat_id, ended)
    won = func.max(rounds.c.streak, type_=Integer)
    longest = tx.scalar(select(won).where(*here, rounds.c.winner_id == player_id))
    last = tx.execute(
        select(rounds.c.winner_id, rounds.c.streak).where(*here).order_by(rounds.c.id.desc()).limit(1)
    ).first()
    return (last.streak if last and last.winner_id == player_id else 0), int(longest or 0)
