"""Counts of what each player did in a chat, updated with each answer so that old rounds can be deleted."""

from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import and_, bindparam, case, delete, exists, func, literal, or_, select, update

from bot.database import Tx, build_insert_for
from bot.database.schema import (
    FORGOTTEN_PLAYER,
    BigInt,
    achievements,
    awards,
    best_days,
    entries,
    rounds,
    tallies,
    tries,
)
from bot.rounds.puzzle import Kind
from bot.rounds.rules import Award, Round

# Statements are built once: building one takes longer than running it, and each answer needs them
ROUND, PLAYER, CHAT = (bindparam(name, type_=BigInt) for name in ("round", "player", "chat"))
TALLY_KEY = ["chat_id", "player_id", "game"]
BEST_DAY_KEY = ["chat_id", "player_id"]


@cache
def _build_count_round(dialect: str) -> Any:
    """Build the INSERT that counts a round unless the player has answered in it, or it is for practice."""
    has_answered = or_(
        *(
            exists().where(table.c.round_id == ROUND, table.c.player_id == PLAYER)
            for table in (tries, entries, awards)
        )
    )
    is_counted = (rounds.c.id == ROUND, rounds.c.kind != Kind.PRACTICE.value, ~has_answered)
    counted = select(rounds.c.chat_id, PLAYER, rounds.c.game, literal(1)).where(*is_counted)
    insert = build_insert_for(dialect, tallies).from_select([*TALLY_KEY, "rounds"], counted)
    return insert.on_conflict_do_update(index_elements=TALLY_KEY, set_={"rounds": tallies.c.rounds + 1})


def count_answered_round(tx: Tx, round_id: int, player_id: int) -> None:
    """Count a round, unless for practice, for a known player's first answer; call before storing that."""
    if player_id > FORGOTTEN_PLAYER:
        tx.execute(_build_count_round(tx.dialect.name), {"round": round_id, "player": player_id})


@cache
def _build_add_tally(dialect: str) -> Any:
    """Build the INSERT that adds to a tally and keeps the longer streak, of equal ones the earlier."""
    insert = build_insert_for(dialect, tallies)
    new, old = insert.excluded, tallies.c
    is_longer = or_(new.streak > old.streak, and_(new.streak == old.streak, new.streak_at < old.streak_at))
    sums = {
        "rounds": old.rounds + new.rounds,
        "mornings": old.mornings + new.mornings,
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
    return insert.on_conflict_do_update(index_elements=BEST_DAY_KEY, set_=changes)


def count_award(tx: Tx, round: Round, award: Award, at: float, day: str) -> None:
    """Add an award's points to its `day` in UTC; if its player won the round, also store the win streak."""
    key = {"chat_id": round.chat_id, "player_id": award.player_id}
    if round.winner_id == award.player_id:
        tally = {
            **key,
            "game": round.game,
            "rounds": 0,  # The round was counted at the player's first answer
            "mornings": 1 if round.day_first else 0,  # Wins that were the first of a day in their chat
            "streak": round.streak,
            "streak_at": at,
        }
        tx.execute(_build_add_tally(tx.dialect.name), tally)
    # Of a new row: its only day is the best one and the last one
    points = {"points": award.points, "day": day, "last_points": award.points, "last_day": day}
    tx.execute(_build_add_day_points(tx.dialect.name), key | points)


@cache
def _build_sums(in_chat: bool, in_game: bool) -> Any:
    """Build the SELECT of the sums over a player's tallies in one chat or all, and in one game or all."""
    chat = (tallies.c.chat_id == CHAT,) if in_chat else ()
    game = (tallies.c.game == bindparam("game"),) if in_game else ()
    # In the order of `TallySums`
    sums = (func.sum(tallies.c.rounds), func.max(tallies.c.streak), func.sum(tallies.c.mornings))
    return select(*sums).where(tallies.c.player_id == PLAYER, *chat, *game)


class TallySums(NamedTuple):
    """What a player did in one chat or in all."""

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
        index_elements=BEST_DAY_KEY,
        set_={"points": new.points, "day": new.day},
        where=new.points > best_days.c.points,
    )


def move_tallies(tx: Tx, old: int, new: int) -> None:
    """Add the tallies, best days and achievements of chat `old` to those of chat `new`."""
    tx.execute(update(achievements).where(achievements.c.chat_id == old).values(chat_id=new))
    for table, build_insert in ((tallies, _build_add_tally), (best_days, _build_keep_better_day)):
        old_rows: Any = tx.execute(select(table).where(table.c.chat_id == old)).all()
        new_rows = [{**row._asdict(), "chat_id": new} for row in old_rows]
        if new_rows:
            tx.execute(build_insert(tx.dialect.name), new_rows)
        tx.execute(delete(table).where(table.c.chat_id == old))
