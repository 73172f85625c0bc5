"""The ledger of awards, from which all standings are made, and the tallies of what each player did.

The tallies count each answer at once, so that old rounds can be deleted.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import and_, bindparam, case, delete, exists, func, literal, or_, select, update

from bot import zones
from bot.database import Tx, build_insert_for, build_insert_if_new
from bot.database.schema import (
    FORGOTTEN_PLAYER,
    BigInt,
    achievements,
    awards,
    best_days,
    entries,
    equals_any,
    last_wins,
    rounds,
    tallies,
    tries,
)
from bot.rounds.puzzle import RUN_KINDS, Kind
from bot.rounds.rules import Award, Round

# Called with each new award and its time, in the transaction that stores it; `bot.features` fills the list
AWARD_HANDLERS: list[Callable[[Tx, Round, Award, float], None]] = []


@cache
def _build_insert_award(dialect: str) -> Any:
    """Build the INSERT that returns the id of a new award; nothing if the round already gave it."""
    return build_insert_if_new(dialect, awards).returning(awards.c.id)


def insert_award(tx: Tx, round: Round, award: Award, message_id: int, at: float) -> bool:
    """Count the round as answered, and store an award, and if it is a win the player's last win; count it in
    the tally, then call `AWARD_HANDLERS`. Return False, and only count the round, if the round already gave
    an award for this part.
    """
    row = {
        "round_id": round.id,
        "idea": award.part,
        "chat_id": round.chat_id,
        "player_id": award.player_id,
        "points": award.points,
        "seconds": award.seconds,
        "level": round.level,
        "expected": round.expected,
        "expression": award.answer,
        "message_id": message_id,
        "at": at,
        "game": round.game,
        "kind": round.kind.value,
    }
    # Before the award is stored, since it counts only a player's first answer in the round
    count_answered_round(tx, round.id, award.player_id)
    if tx.scalar(_build_insert_award(tx.dialect.name), row) is None:
        return False
    if award.is_win:
        store_last_win(tx, round.chat_id, award.player_id, at)
    count_award(tx, round, award, at)
    for handle_award in AWARD_HANDLERS:
        handle_award(tx, round, award, at)
    return True


@cache
def _build_store_last_win(dialect: str) -> Any:
    """Build the INSERT of a player's last win in a chat; a stored one changes only if it is earlier."""
    insert = build_insert_for(dialect, last_wins)
    new = insert.excluded
    return insert.on_conflict_do_update(
        index_elements=["chat_id", "player_id"], set_={"at": new.at}, where=last_wins.c.at < new.at
    )


def store_last_win(tx: Tx, chat_id: int, player_id: int, at: float) -> None:
    """Store when a player won in a chat, unless a later win is stored."""
    tx.execute(_build_store_last_win(tx.dialect.name), {"chat_id": chat_id, "player_id": player_id, "at": at})


IN_CHAT_SINCE = (awards.c.chat_id == bindparam("chat_id"), awards.c.at >= bindparam("since"))
ANY_AWARD_SINCE = select(awards.c.id).where(*IN_CHAT_SINCE).limit(1)


def is_first_win_of_day(tx: Tx, chat_id: int, zone: ZoneInfo, now: float) -> bool:
    """Whether a win at `now` is the first of its day in the chat: nobody has scored since midnight there."""
    midnight = zones.find_period_start(zone, "d", now)
    parameters = {"chat_id": chat_id, "since": midnight}
    return tx.scalar(ANY_AWARD_SINCE, parameters) is None


BEST_SECONDS = select(func.min(awards.c.seconds)).where(
    *(awards.c.player_id == bindparam("player"), awards.c.chat_id == bindparam("chat_id")),
    *(awards.c.round_id < bindparam("before"), awards.c.level == bindparam("level")),
    *(awards.c.game == bindparam("game"), awards.c.kind == bindparam("kind")),
    *(awards.c.idea == "", awards.c.seconds > 0),
)


def load_best_seconds(tx: Tx, round: Round, player_id: int) -> float | None:
    """Return a player's best time of wins in earlier rounds of the chat, level, game and kind, or None."""
    alike = {"chat_id": round.chat_id, "level": round.level, "game": round.game, "kind": round.kind.value}
    best = tx.scalar(BEST_SECONDS, {"player": player_id, "before": round.id, **alike})
    return None if best is None else float(best)


ROUND_POINTS = (
    select(awards.c.player_id, func.sum(awards.c.points).label("total"))
    .where(awards.c.round_id == bindparam("round"))
    .group_by(awards.c.player_id)
)


def load_round_points(tx: Tx, round_id: int) -> dict[int, int]:
    """Return the points that a round gave, by player."""
    return {row.player_id: int(row.total) for row in tx.execute(ROUND_POINTS, {"round": round_id})}


# Tallies

# Statements are built once: building one takes longer than running it, and each answer needs them
ROUND, PLAYER, CHAT = (bindparam(name, type_=BigInt) for name in ("round", "player", "chat"))
TALLY_KEY = ["chat_id", "player_id", "game"]


UNCOUNTED_KINDS = (Kind.PRACTICE.value, *RUN_KINDS)


@cache
def _build_count_round(dialect: str) -> Any:
    """Build the INSERT that adds 1 to the player's rounds in the chat and game of a round; it does nothing if
    an answer of the player in the round is stored, or the round is for practice or of a run.
    """
    answers = (
        exists().where(table.c.round_id == ROUND, table.c.player_id == PLAYER)
        for table in (tries, entries, awards)
    )
    is_counted = (rounds.c.id == ROUND, ~equals_any(rounds.c.kind, *UNCOUNTED_KINDS), ~or_(*answers))
    first_tally = select(rounds.c.chat_id, PLAYER, rounds.c.game, literal(1)).where(*is_counted)
    insert = build_insert_for(dialect, tallies).from_select([*TALLY_KEY, "rounds"], first_tally)
    return insert.on_conflict_do_update(index_elements=TALLY_KEY, set_={"rounds": tallies.c.rounds + 1})


def count_answered_round(tx: Tx, round_id: int, player_id: int) -> None:
    """Count a round, unless for practice, for a player whose first answer in it is about to be stored.

    Called again after an answer was stored, it does nothing; nor for anybody without an id.
    """
    if player_id > FORGOTTEN_PLAYER:  # 0 also stands for an anonymous admin or a channel
        tx.execute(_build_count_round(tx.dialect.name), {"round": round_id, "player": player_id})


@cache
def _build_add_tally(dialect: str) -> Any:
    """Build the INSERT that adds to a tally and keeps the longer streak, of equal ones the earlier."""
    insert = build_insert_for(dialect, tallies)
    new, old = insert.excluded, tallies.c
    is_longer = or_(new.streak > old.streak, and_(new.streak == old.streak, new.streak_at < old.streak_at))
    sums = {
        "rounds": old.rounds + new.rounds,
        "first_wins": old.first_wins + new.first_wins,
        "streak": case((is_longer, new.streak), else_=old.streak),
        "streak_at": case((is_longer, new.streak_at), else_=old.streak_at),
    }
    return insert.on_conflict_do_update(index_elements=TALLY_KEY, set_=sums)


@cache
def _build_add_day_points(dialect: str) -> Any:
    """Build the INSERT that adds points to a player's last day, and makes it the best day if it now is."""
    insert = build_insert_for(dialect, best_days)
    new, old = insert.excluded, best_days.c
    points = case((old.last_day == new.last_day, old.last_points), else_=0) + new.last_points
    is_better = points > old.points
    changes = {
        "last_points": points,
        "last_day": new.last_day,
        "points": case((is_better, points), else_=old.points),
        "day": case((is_better, new.last_day), else_=old.day),
    }
    return insert.on_conflict_do_update(index_elements=TALLY_KEY, set_=changes)


def count_award(tx: Tx, round: Round, award: Award, at: float) -> None:
    """Add an award's points to its day in UTC; if its player won the round, also store the win streak."""
    key = {"chat_id": round.chat_id, "player_id": award.player_id, "game": round.game}
    if round.winner_id == award.player_id:
        tally = {
            **key,
            "rounds": 0,  # The round was counted at the player's first answer
            "first_wins": 1 if round.day_first else 0,  # Wins that were the first of a day in their chat
            "streak": round.streak,
            "streak_at": at,
        }
        tx.execute(_build_add_tally(tx.dialect.name), tally)
    day = f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d}"
    # Of a new row: its only day is the best one and the last one
    points = {"points": award.points, "day": day, "last_points": award.points, "last_day": day}
    tx.execute(_build_add_day_points(tx.dialect.name), key | points)


@cache
def _build_sums(in_chat: bool, in_game: bool) -> Any:
    """Build the SELECT of the sums over a player's tallies in one chat or all, and in one game or all."""
    chat = (tallies.c.chat_id == CHAT,) if in_chat else ()
    game = (tallies.c.game == bindparam("game"),) if in_game else ()
    # In the order of `TallySums`
    sums = (func.sum(tallies.c.rounds), func.max(tallies.c.streak), func.sum(tallies.c.first_wins))
    return select(*sums).where(tallies.c.player_id == PLAYER, *chat, *game)


class TallySums(NamedTuple):
    """A player's sums in one chat or in all."""

    rounds_answered: int
    longest_win_streak: int
    first_wins_of_day: int  # Wins that were the first of a day in their chat


def load_tally_sums(tx: Tx, player_id: int, chat_id: int | None = None, game: str = "") -> TallySums:
    """Return the sums over a player's tallies; None stands for all chats, and no `game` for all games."""
    statement = _build_sums(in_chat=chat_id is not None, in_game=bool(game))
    row = tx.execute(statement, {"player": player_id, "chat": chat_id, "game": game}).one()
    return TallySums(*(int(number or 0) for number in row))  # Without a tally each sum is NULL


@cache
def _build_keep_better_day(dialect: str) -> Any:
    """Build the INSERT of a best day that replaces one with fewer points."""
    insert = build_insert_for(dialect, best_days)
    new = insert.excluded
    return insert.on_conflict_do_update(
        index_elements=TALLY_KEY,
        set_={"points": new.points, "day": new.day},
        where=new.points > best_days.c.points,
    )


def has_answered_in_chat(tx: Tx, player_id: int, chat_id: int) -> bool:
    has_tally = exists().where(tallies.c.chat_id == chat_id, tallies.c.player_id == player_id)
    return bool(tx.scalar(select(has_tally)))


def move_tallies(tx: Tx, old: int, new: int) -> None:
    """Move the tallies, best days and achievements of chat `old` to chat `new`.

    Tallies of the same player and game are added up, and of two best days the one with more points stays.
    """
    # The chat is not in their key: a player earns each achievement once in all chats
    tx.execute(update(achievements).where(achievements.c.chat_id == old).values(chat_id=new))
    for table, build_insert in ((tallies, _build_add_tally), (best_days, _build_keep_better_day)):
        old_rows: Any = tx.execute(select(table).where(table.c.chat_id == old)).all()
        new_rows = [{**row._asdict(), "chat_id": new} for row in old_rows]
        if new_rows:
            tx.execute(build_insert(tx.dialect.name), new_rows)
        tx.execute(delete(table).where(table.c.chat_id == old))
