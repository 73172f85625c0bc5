"""What people did in rounds and on days of long ago, which are summed up (see `ageing`)."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Integer, Row, and_, case, delete, func, or_, select, update

from bot.database import Tx, upsert
from bot.database.columns import NOBODY
from bot.database.schema import achievements, best_days, past

WHOSE = ["chat_id", "player_id", "game"]


def unpaid(tx: Tx, player_id: int, chat_id: int | None, game: str | None) -> int:
    """Rounds in which the player answered and got no points: in a chat or in all, in a game or in all."""
    return int(tx.scalar(select(func.sum(past.c.unpaid)).where(*_mine(player_id, chat_id, game))) or 0)


def longest_row(tx: Tx, player_id: int, chat_id: int | None = None) -> int:
    """The most rounds that the player won in a row, in a chat or in any."""
    longest = func.max(past.c.streak, type_=Integer)
    return int(tx.scalar(select(longest).where(*_mine(player_id, chat_id, None))) or 0)


def mornings(tx: Tx, player_id: int) -> int:
    """The player's wins that were the first of a day in their chat."""
    return int(tx.scalar(select(func.sum(past.c.mornings)).where(past.c.player_id == player_id)) or 0)


def _mine(player_id: int, chat_id: int | None, game: str | None) -> tuple[ColumnElement[bool], ...]:
    here = () if chat_id is None else (past.c.chat_id == chat_id,)
    of_game = () if game is None else (past.c.game == game,)
    return (past.c.player_id == player_id, *here, *of_game)


def row_record(tx: Tx, chat_id: int) -> Row[Any] | None:
    """Who first won the most rounds in a row in a chat, and when: `player_id`, `streak`, `streak_at`."""
    here = (past.c.chat_id == chat_id, past.c.streak > 1, past.c.player_id != NOBODY)
    return tx.execute(
        select(past).where(*here).order_by(past.c.streak.desc(), past.c.streak_at).limit(1)
    ).first()


def day_record(tx: Tx, chat_id: int) -> Row[Any] | None:
    """Who first had the most points on one day in a chat: `player_id`, `points`, `day`."""
    here = (best_days.c.chat_id == chat_id, best_days.c.player_id != NOBODY)
    return tx.execute(
        select(best_days).where(*here).order_by(best_days.c.points.desc(), best_days.c.day).limit(1)
    ).first()


def add(tx: Tx, rows: Sequence[dict[str, Any]]) -> None:
    """Add to what is summed up; each row has all columns of `past`, and no two are of the same three."""
    if not rows:
        return
    new = upsert(tx, past)
    row, later = new.excluded, past.c
    first = or_(row.streak > later.streak, and_(row.streak == later.streak, row.streak_at < later.streak_at))
    summed = {
        "unpaid": later.unpaid + row.unpaid,
        "mornings": later.mornings + row.mornings,
        "streak": case((first, row.streak), else_=later.streak),
        "streak_at": case((first, row.streak_at), else_=later.streak_at),
    }
    tx.execute(new.on_conflict_do_update(index_elements=WHOSE, set_=summed), list(rows))


def keep_days(tx: Tx, rows: Iterable[dict[str, Any]]) -> None:
    """Keep of what was scored on single days each player's best in a chat; each row is of `best_days`."""
    best: dict[tuple[int, int], dict[str, Any]] = {}
    for each in rows:
        held = best.setdefault((each["chat_id"], each["player_id"]), each)
        if (each["points"], held["day"]) > (held["points"], each["day"]):
            best[each["chat_id"], each["player_id"]] = each
    if not best:
        return
    new = upsert(tx, best_days)
    row, known = new.excluded, best_days.c
    better = or_(row.points > known.points, and_(row.points == known.points, row.day < known.day))
    changed = {"points": row.points, "day": row.day}
    whose = ["chat_id", "player_id"]
    tx.execute(
        new.on_conflict_do_update(index_elements=whose, set_=changed, where=better), list(best.values())
    )


def move(tx: Tx, old: int, new: int) -> None:
    """What was played in chat `old` was played in `new`."""
    here = tx.execute(select(past).where(past.c.chat_id == old)).all()
    days = tx.execute(select(best_days).where(best_days.c.chat_id == old)).all()
    tx.execute(update(achievements).where(achievements.c.chat_id == old).values(chat_id=new))
    add(tx, [{**row._asdict(), "chat_id": new} for row in here])
    keep_days(tx, [{**row._asdict(), "chat_id": new} for row in days])
    for table in (past, best_days):
        tx.execute(delete(table).where(table.c.chat_id == old))
