"""Which groups follow the hand of a day: who sits at their tables, and which messages show these."""

from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from sqlalchemy import BigInteger, Row, Text, bindparam, delete, exists, select, tuple_

from bot.database import Tx, delete_batch, build_insert_for, build_insert_if_new, build_insert
from bot.database.schema import attempts, daily_tables, meta, seats
from bot.durations import DAY
from bot.modes.daily.queries import FACT, RUNS, TRIED, read_attempt
from bot.modes.daily.rules import ATTEMPT_SECONDS, Attempt, get_day_start, format_utc_date
from bot.queue.scheduled import BEFORE_ALL_CHATS

ENDED_FACT = "daily tables ended"  # The fact that names the last day whose tables were drawn a last time
MAX_ENDED_DAYS = 7  # Days before that one whose tables are still looked at, where no such fact is kept
TABLE_SECONDS = 60 * DAY  # Seconds for which it is kept which message a group followed a day in, and who sat there

# Built once: building takes longer than the database does

IN_SEAT = (seats.c.day == attempts.c.day) & (seats.c.player_id == attempts.c.player_id)
IN_TABLE = (seats.c.day == daily_tables.c.day) & (seats.c.chat_id == daily_tables.c.chat_id)
SAT = seats.c.day == bindparam("of_day")
SEATED = TRIED.join(seats, IN_SEAT).where(SAT, seats.c.chat_id == bindparam("chat"))
FOLLOWERS = select(daily_tables).join(seats, IN_TABLE).where(SAT, seats.c.player_id == bindparam("player"))
BEHIND = tuple_(bindparam("day", type_=Text), bindparam("chat", type_=BigInteger))
ENDED_TABLES = (
    select(daily_tables)
    .where(tuple_(daily_tables.c.day, daily_tables.c.chat_id) > BEHIND)
    .where(daily_tables.c.day < bindparam("end"), exists().where(IN_TABLE, IN_SEAT, RUNS))
    .order_by(daily_tables.c.day, daily_tables.c.chat_id)
    .limit(bindparam("most", type_=BigInteger))
)


@cache
def _following(dialect: str) -> Any:
    """An INSERT of the message in which a group follows a day, in the place of the one before."""
    statement = build_insert_for(dialect, daily_tables)
    latest = {name: statement.excluded[name] for name in ("message_id", "language")}
    return statement.on_conflict_do_update(index_elements=["day", "chat_id"], set_=latest)


@dataclass(frozen=True, slots=True)
class TableMessage:
    """A message in which a group follows the hand of a day."""

    day: str
    chat_id: int
    message_id: int
    language: str


def insert_seat(tx: Tx, day: str, chat_id: int, player_id: int) -> None:
    """List the player in that group's table of the day."""
    row = {"day": day, "chat_id": chat_id, "player_id": player_id}
    tx.execute(build_insert_if_new(tx.dialect.name, seats), row)


def load_seated_attempts(tx: Tx, day: str, chat_id: int) -> list[Attempt]:
    """The attempts that a group's table of the day lists."""
    return [read_attempt(row) for row in tx.execute(SEATED, {"of_day": day, "chat": chat_id})]


def store_table_message(tx: Tx, shown: TableMessage) -> None:
    """The group follows the day in that message from now on."""
    tx.execute(_following(tx.dialect.name), asdict(shown))


def delete_table_message(tx: Tx, chat_id: int, message_id: int) -> None:
    """The group has no such message any more."""
    here = (daily_tables.c.chat_id == chat_id, daily_tables.c.message_id == message_id)
    tx.execute(delete(daily_tables).where(*here))


def load_table_messages(tx: Tx, day: str, player_id: int) -> list[TableMessage]:
    """The messages that show the player's result of a day."""
    rows = tx.execute(FOLLOWERS, {"of_day": day, "player": player_id})
    return [_followed(row) for row in rows]


def load_ended_tables(tx: Tx, now: float, behind: tuple[str, int], most: int) -> list[TableMessage]:
    """The messages that wait for somebody, of days whose hand nobody can solve any more: some of those that
    come after that day and chat. Each is found only until all have been.
    """
    span = _ended(tx, now)
    if span is None:
        return []
    day, chat = max(behind, (_next(span[0]), BEFORE_ALL_CHATS))
    rows = tx.execute(ENDED_TABLES, {"day": day, "chat": chat, "end": _next(span[1]), "most": most})
    return [_followed(row) for row in rows]


def mark_ended_tables_drawn(tx: Tx, now: float) -> None:
    """All those have been found."""
    span = _ended(tx, now)
    if span is not None:
        statement = build_insert(tx, meta).values(key=ENDED_FACT, value=span[1])
        tx.execute(statement.on_conflict_do_update(index_elements=["key"], set_={"value": span[1]}))


def _ended(tx: Tx, now: float) -> tuple[str, str] | None:
    """The last day of which all have been found, and the last that has ended; None where these are one."""
    last, week = format_utc_date(now - 2 * ATTEMPT_SECONDS), format_utc_date(now - MAX_ENDED_DAYS * ATTEMPT_SECONDS)
    before = str(tx.scalar(FACT, {"fact": ENDED_FACT}) or week)
    if before == last:
        return None
    return min(before, week) if before > last else before, last  # a later one comes of a clock that was wrong


def _next(day: str) -> str:
    """The day after that."""
    return format_utc_date(get_day_start(day) + ATTEMPT_SECONDS)


def move_seats(tx: Tx, old: int, new: int) -> None:
    """Who sat in chat `old` sits in `new`. Its messages stay behind: they keep their numbers only there."""
    for row in tx.execute(select(seats).where(seats.c.chat_id == old)).all():
        insert_seat(tx, row.day, new, row.player_id)
    for table in (seats, daily_tables):
        tx.execute(delete(table).where(table.c.chat_id == old))


def delete_old_tables(tx: Tx, now: float) -> bool:
    """Let go of the tables of long ago, which show nothing new; whether there may be more."""
    before = format_utc_date(now - TABLE_SECONDS)
    more = [delete_batch(tx, table, table.c.day < before) for table in (seats, daily_tables)]
    return any(more)


def _followed(row: Row[Any]) -> TableMessage:
    return TableMessage(row.day, row.chat_id, row.message_id, row.language)
