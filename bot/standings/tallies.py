"""What each player has done in a chat, kept up with each answer, so that old rounds can be deleted."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from sqlalchemy import (
    Integer,
    Row,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    literal,
    or_,
    select,
    update,
)

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

# Built once, since each answer needs them and building takes longer than the database does

ROUND, PLAYER, CHAT = (bindparam(name, type_=BigInt) for name in ("round", "player", "chat"))
KEY = ["chat_id", "player_id", "game"]


def _first_answer() -> Any:
    before = (
        exists().where(t.c.round_id == ROUND, t.c.player_id == PLAYER) for t in (tries, entries, awards)
    )
    counted = (rounds.c.id == ROUND, rounds.c.kind != Kind.PRACTICE.value)
    return select(rounds.c.chat_id, PLAYER, rounds.c.game, literal(1)).where(*counted, ~or_(*before))


@cache
def _counting_round(dialect: str) -> Any:
    new = build_insert_for(dialect, tallies).from_select([*KEY, "rounds"], _first_answer())
    return new.on_conflict_do_update(index_elements=KEY, set_={"rounds": tallies.c.rounds + 1})


def count_answered_round(tx: Tx, round_id: int, player_id: int) -> None:
    """Count a round for a player who is about to answer in it for the first time; nothing later on.

    Call it before the answer is written.
    """
    if player_id > FORGOTTEN_PLAYER:
        tx.execute(_counting_round(tx.dialect.name), {"round": round_id, "player": player_id})


@cache
def _adding(dialect: str) -> Any:
    """An INSERT that adds to a tally; of rows of wins that are as long the first one stays."""
    new = build_insert_for(dialect, tallies)
    row, kept = new.excluded, tallies.c
    longer = or_(row.streak > kept.streak, and_(row.streak == kept.streak, row.streak_at < kept.streak_at))
    added = {
        "rounds": kept.rounds + row.rounds,
        "mornings": kept.mornings + row.mornings,
        "streak": case((longer, row.streak), else_=kept.streak),
        "streak_at": case((longer, row.streak_at), else_=kept.streak_at),
    }
    return new.on_conflict_do_update(index_elements=KEY, set_=added)


@cache
def _scoring_day(dialect: str) -> Any:
    """An INSERT of points that are added to a player's last day, which may be the best one by then."""
    new = build_insert_for(dialect, best_days)
    row, known = new.excluded, best_days.c
    today = case((known.last_day == row.last_day, known.last_points), else_=0) + row.last_points
    better = today > known.points
    changed = {
        "last_points": today,
        "last_day": row.last_day,
        "points": case((better, today), else_=known.points),
        "day": case((better, row.last_day), else_=known.day),
    }
    return new.on_conflict_do_update(index_elements=["chat_id", "player_id"], set_=changed)


def count_award(tx: Tx, round: Round, award: Award, at: float, day: str) -> None:
    """Count what an award is besides its points in the ledger; `day` is its date by UTC."""
    who = {"chat_id": round.chat_id, "player_id": award.player_id}
    if round.winner_id == award.player_id:
        won = {"rounds": 0, "mornings": int(round.day_first), "streak": round.streak, "streak_at": at}
        tx.execute(_adding(tx.dialect.name), who | {"game": round.game} | won)
    scored = {"points": award.points, "day": day, "last_points": award.points, "last_day": day}
    tx.execute(_scoring_day(tx.dialect.name), who | scored)


MINE = tallies.c.player_id == PLAYER


@cache
def _counted_rounds(here: bool, of_game: bool) -> Any:
    there = (tallies.c.chat_id == CHAT,) if here else ()
    same = (tallies.c.game == bindparam("game"),) if of_game else ()
    return select(func.sum(tallies.c.rounds)).where(MINE, *there, *same)


def load_answered_round_count(tx: Tx, player_id: int, chat_id: int | None, game: str | None) -> int:
    """Return in how many rounds the player answered: in a chat or in all, in a game or in all."""
    asked = _counted_rounds(chat_id is not None, game is not None)
    return int(tx.scalar(asked, {"player": player_id, "chat": chat_id, "game": game}) or 0)


LONGEST = select(func.max(tallies.c.streak, type_=Integer)).where(MINE)
LONGEST_HERE = LONGEST.where(tallies.c.chat_id == CHAT)


def load_longest_win_streak(tx: Tx, player_id: int, chat_id: int | None = None) -> int:
    """Return the most rounds that the player won in a row, in a chat or in any."""
    asked = LONGEST if chat_id is None else LONGEST_HERE
    return int(tx.scalar(asked, {"player": player_id, "chat": chat_id}) or 0)


MORNINGS = select(func.sum(tallies.c.mornings)).where(MINE)


def load_first_wins_of_day(tx: Tx, player_id: int) -> int:
    """Return how many wins of the player were the first of a day in their chat."""
    return int(tx.scalar(MORNINGS, {"player": player_id}) or 0)


ROW_RECORD = (
    select(tallies)
    .where(tallies.c.chat_id == CHAT, tallies.c.streak > 1)
    .order_by(tallies.c.streak.desc(), tallies.c.streak_at)
    .limit(1)
)


def load_win_streak_record(tx: Tx, chat_id: int) -> Row[Any] | None:
    """Return who first won the most rounds in a row in a chat: `player_id`, `streak`, `streak_at`."""
    return tx.execute(ROW_RECORD, {"chat": chat_id}).first()


DAY_RECORD = (
    select(best_days)
    .where(best_days.c.chat_id == CHAT)
    .order_by(best_days.c.points.desc(), best_days.c.day)
    .limit(1)
)


def load_best_day_record(tx: Tx, chat_id: int) -> Row[Any] | None:
    """Return who first had the most points on one day in a chat: `player_id`, `points`, `day`."""
    return tx.execute(DAY_RECORD, {"chat": chat_id}).first()


@cache
def _better_day(dialect: str) -> Any:
    """An INSERT of a best day, in the place of one that was not as good."""
    new = build_insert_for(dialect, best_days)
    changed = {"points": new.excluded.points, "day": new.excluded.day}
    better = new.excluded.points > best_days.c.points
    return new.on_conflict_do_update(index_elements=["chat_id", "player_id"], set_=changed, where=better)


def move_tallies(tx: Tx, old: int, new: int) -> None:
    """Let what was played in chat `old` be played in `new`."""
    tx.execute(update(achievements).where(achievements.c.chat_id == old).values(chat_id=new))
    for table, adding in ((tallies, _adding), (best_days, _better_day)):
        here: Iterable[Any] = tx.execute(select(table).where(table.c.chat_id == old)).all()
        if rows := [{**row._asdict(), "chat_id": new} for row in here]:
            tx.execute(adding(tx.dialect.name), rows)
        tx.execute(delete(table).where(table.c.chat_id == old))
