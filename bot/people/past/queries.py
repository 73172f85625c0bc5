"""What people did in rounds and on days of long ago, which are summed up (see `ageing`)."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Integer, Row, and_, bindparam, case, delete, func, or_, select, update

from bot.database import Tx, inserting
from bot.database.schema import NOBODY, achievements, best_days, past

WHOSE = ["chat_id", "player_id", "game"]

# Built once: building takes longer than the database does

MINE = past.c.player_id == bindparam("player")
LONGEST_ROW = select(func.max(past.c.streak, type_=Integer)).where(MINE)
LONGEST_ROW_THERE = LONGEST_ROW.where(past.c.chat_id == bindparam("chat"))
MORNINGS = select(func.sum(past.c.mornings)).where(MINE)
ROW_RECORD = (
    select(past)
    .where(past.c.chat_id == bindparam("chat"), past.c.streak > 1, past.c.player_id != NOBODY)
    .order_by(past.c.streak.desc(), past.c.streak_at)
    .limit(1)
)
DAY_RECORD = (
    select(best_days)
    .where(best_days.c.chat_id == bindparam("chat"), best_days.c.player_id != NOBODY)
    .order_by(best_days.c.points.desc(), best_days.c.day)
    .limit(1)
)


@cache
def _unpaid(here: bool, of_game: bool) -> Any:
    there = (past.c.chat_id == bindparam("chat"),) if here else ()
    same = (past.c.game == bindparam("game"),) if of_game else ()
    return select(func.sum(past.c.unpaid)).where(MINE, *there, *same)


@cache
def _adding(dialect: str) -> Any:
    """An INSERT that adds to what is summed up; of rows of wins that are as long the first one stays."""
    new = inserting(dialect, past)
    row, later = new.excluded, past.c
    first = or_(row.streak > later.streak, and_(row.streak == later.streak, row.streak_at < later.streak_at))
    summed = {
        "unpaid": later.unpaid + row.unpaid,
        "mornings": later.mornings + row.mornings,
        "streak": case((first, row.streak), else_=later.streak),
        "streak_at": case((first, row.streak_at), else_=later.streak_at),
    }
    return new.on_conflict_do_update(index_elements=WHOSE, set_=summed)


@cache
def _better_days(dialect: str) -> Any:
    """An INSERT of days that are better than what is kept, or as good and earlier."""
    new = inserting(dialect, best_days)
    row, known = new.excluded, best_days.c
    better = or_(row.points > known.points, and_(row.points == known.points, row.day < known.day))
    changed = {"points": row.points, "day": row.day}
    return new.on_conflict_do_update(index_elements=["chat_id", "player_id"], set_=changed, where=better)


def unpaid(tx: Tx, player_id: int, chat_id: int | None, game: str | None) -> int:
    """Rounds in which the player answered and got no points: in a chat or in all, in a game or in all."""
    asked = _unpaid(chat_id is not None, game is not None)
    return int(tx.scalar(asked, {"player": player_id, "chat": chat_id, "game": game}) or 0)


def longest_row(tx: Tx, player_id: int, chat_id: int | None = None) -> int:
    """The most rounds that the player won in a row, in a chat or in any."""
    asked = LONGEST_ROW if chat_id is None else LONGEST_ROW_THERE
    return int(tx.scalar(asked, {"player": player_id, "chat": chat_id}) or 0)


def mornings(tx: Tx, player_id: int) -> int:
    """The player's wins that were the first of a day in their chat."""
    return int(tx.scalar(MORNINGS, {"player": player_id}) or 0)


def row_record(tx: Tx, chat_id: int) -> Row[Any] | None:
    """Who first won the most rounds in a row in a chat, and when: `player_id`, `streak`, `streak_at`."""
    return tx.execute(ROW_RECORD, {"chat": chat_id}).first()


def day_record(tx: Tx, chat_id: int) -> Row[Any] | None:
    """Who first had the most points on one day in a chat: `player_id`, `points`, `day`."""
    return tx.execute(DAY_RECORD, {"chat": chat_id}).first()


def add(tx: Tx, rows: Sequence[dict[str, Any]]) -> None:
    """Add to what is summed up; each row has all columns of `past`, and no two are of the same three."""
    if rows:
        tx.execute(_adding(tx.dialect.name), list(rows))


def keep_days(tx: Tx, rows: Iterable[dict[str, Any]]) -> None:
    """Keep of what was scored on single days each player's best in a chat; each row is of `best_days`."""
    best: dict[tuple[int, int], dict[str, Any]] = {}
    for each in rows:
        held = best.setdefault((each["chat_id"], each["player_id"]), each)
        if (each["points"], held["day"]) > (held["points"], each["day"]):
            best[each["chat_id"], each["player_id"]] = each
    if best:
        tx.execute(_better_days(tx.dialect.name), list(best.values()))


def move(tx: Tx, old: int, new: int) -> None:
    """What was played in chat `old` was played in `new`."""
    here = tx.execute(select(past).where(past.c.chat_id == old)).all()
    days = tx.execute(select(best_days).where(best_days.c.chat_id == old)).all()
    tx.execute(update(achievements).where(achievements.c.chat_id == old).values(chat_id=new))
    add(tx, [{**row._asdict(), "chat_id": new} for row in here])
    keep_days(tx, [{**row._asdict(), "chat_id": new} for row in days])
    for table in (past, best_days):
        tx.execute(delete(table).where(table.c.chat_id == old))
