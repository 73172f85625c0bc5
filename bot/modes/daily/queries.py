"""The daily hand: what was dealt on which day, and who tried it."""

import logging
import secrets
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from sqlalchemy import BigInteger, Row, Text, bindparam, delete, exists, func, select, tuple_, update

from bot.database import Tx, build_insert, build_insert_for, build_insert_if_new, delete_batch
from bot.database.schema import attempts, board_offline, dailies, daily_tables, meta, seats
from bot.durations import DAY
from bot.modes.daily.rules import (
    ATTEMPT_SECONDS,
    Attempt,
    AttemptState,
    DailyHand,
    filter_dates_of_game,
    format_utc_date,
    get_day_game,
    get_day_start,
    make_day_key,
)
from bot.modes.daily.rules import count_streak as row_of
from bot.players.privacy import aliases
from bot.queue.scheduled_posts import BEFORE_ALL_CHATS
from bot.rounds.puzzle import includes_hand
from bot.rounds.registry import DAILY_GAMES, pack_puzzle, unpack_puzzle

log = logging.getLogger(__name__)

KEY_FACT = "daily key"  # The fact that nobody may learn
MAX_OPEN_DATES = 3  # Dates on which an attempt may have been opened that still runs, whatever the hour
DATE = "2026-11-21"  # How the names of hands begin

# Built once, since every deal asks for some of them and building takes longer than the database does

HAND = select(dailies).where(dailies.c.day == bindparam("of_day"))
HANDS = select(dailies).where(dailies.c.day.in_(bindparam("days", expanding=True)))
FACT = select(meta.c.value).where(meta.c.key == bindparam("fact"))
OF_DAY, DAY_FIRST = attempts.c.day == bindparam("of_day"), func.substr(attempts.c.day, 1, len(DATE))
OWN = attempts.c.player_id == bindparam("player")
OWNS = attempts.c.player_id.in_(bindparam("ids", expanding=True))
RUNS, SOLVED = attempts.c.state == AttemptState.OPEN.value, attempts.c.state == AttemptState.SOLVED.value
SINCE = attempts.c.opened >= bindparam("since")
IS_OFFLINE = (board_offline.c.day == attempts.c.day) & (board_offline.c.player_id == attempts.c.player_id)
WITH_OFFLINE = attempts.outerjoin(board_offline, IS_OFFLINE)
TRIED = select(attempts, board_offline.c.answer.label("offline")).select_from(WITH_OFFLINE)
ATTEMPT = TRIED.where(OF_DAY, OWNS)
ATTEMPTS = TRIED.where(OF_DAY).order_by(attempts.c.player_id)
RUNNING = update(attempts).where(OF_DAY, OWN, RUNS)
LEAVING = RUNNING.where(attempts.c.shown.is_(None))
OPEN_ATTEMPTS = (
    TRIED.where(OWNS, SINCE, RUNS)
    .order_by(DAY_FIRST.desc(), attempts.c.opened.desc(), attempts.c.day)
    .limit(MAX_OPEN_DATES * len(DAILY_GAMES))
)
SOLVED_DAYS = select(attempts.c.day).where(OWN, SOLVED).order_by(attempts.c.day.desc())
COMES_BACK = update(attempts).where(OWNS)
OLD = delete(attempts).where(
    attempts.c.player_id < aliases.MAX_ALIAS, attempts.c.opened < bindparam("before")
)


def load_hand(tx: Tx, day: str) -> DailyHand | None:
    """The hand of a day, if somebody has opened it."""
    row = tx.execute(HAND, {"of_day": day}).first()
    return None if row is None else _hand(row)


def load_hands(tx: Tx, days: Sequence[str]) -> dict[str, DailyHand]:
    """The hands of those days that somebody has opened and that can be read, by day."""
    found = map(_hand, tx.execute(HANDS, {"days": days}))
    return {dealt.day: dealt for dealt in found if dealt is not None}


def _hand(row: Row[Any]) -> DailyHand | None:
    try:
        return DailyHand(row.day, row.game, unpack_puzzle(row.game, row.puzzle, row.level, row.expected))
    except (ValueError, TypeError) as error:
        log.warning("the hand of %s can't be read: %s", row.day, error)
        return None


def insert_hand(tx: Tx, dealt: DailyHand) -> DailyHand:
    """Store the hand of a day unless there is one; returns the one that holds."""
    row = {"day": dealt.day, **pack_puzzle(dealt.game, dealt.puzzle)}
    tx.execute(build_insert_if_new(tx.dialect.name, dailies), row)
    return load_hand(tx, dealt.day) or dealt


def load_or_create_key(tx: Tx) -> str:
    """The secret from which the hands of all days follow, made once for this database."""
    row = {"key": KEY_FACT, "value": secrets.token_hex(32)}
    tx.execute(build_insert_if_new(tx.dialect.name, meta), row)
    return str(tx.scalar(FACT, {"fact": KEY_FACT}))


def load_attempt(tx: Tx, day: str, player_id: int) -> Attempt | None:
    """A player's attempt at the hand of a day."""
    row = tx.execute(ATTEMPT, {"of_day": day, "ids": aliases.load_ids(tx, player_id)}).first()
    return None if row is None else read_attempt(row)


def load_attempts_by_player(tx: Tx, day: str, players: Collection[int]) -> dict[int, Attempt]:
    """The attempts of these players at the hand of a day, by player."""
    owners = aliases.load_owners(tx, players)
    found = tx.execute(ATTEMPT, {"of_day": day, "ids": list(owners)}) if owners else ()
    return {owners[row.player_id]: read_attempt(row) for row in found}


def load_all_attempts(tx: Tx, day: str) -> list[Attempt]:
    """Everybody's attempts at the hand of a day."""
    return [read_attempt(row) for row in tx.execute(ATTEMPTS, {"of_day": day})]


def open_attempt(tx: Tx, day: str, player_id: int, now: float) -> Attempt:
    """The player's attempt at a day's hand, opened now if it wasn't before."""
    restore_attempts_from_alias(tx, player_id)
    row = {"day": day, "player_id": player_id, "state": AttemptState.OPEN.value, "opened": now}
    tx.execute(build_insert_if_new(tx.dialect.name, attempts), row)
    return load_attempt(tx, day, player_id) or Attempt(day, player_id, now)


def start_clock_before_sending(tx: Tx, day: str, player_id: int, now: float) -> bool:
    """The hand is about to be sent to the player; False if it was before, and may have been seen.

    A crash leaves this behind, so that a hand that is sent once more then has no new clock.
    """
    return tx.execute(LEAVING, {"of_day": day, "player": player_id, "shown": now}).rowcount == 1


def update_clock(tx: Tx, day: str, player_id: int, at: float | None) -> None:
    """The hand that was leaving has arrived at `at`; None: it did not, and no clock runs."""
    tx.execute(RUNNING, {"of_day": day, "player": player_id, "shown": at})


def update_hand_message(tx: Tx, day: str, player_id: int, message_id: int, photo: str = "") -> None:
    """That message shows the hand to the player from now on, with the picture of that name or with none."""
    values = {"message_id": message_id, "picture": photo or None}
    tx.execute(RUNNING, {"of_day": day, "player": player_id} | values)


def load_open_attempts(tx: Tx, player_id: int, now: float) -> list[tuple[DailyHand, Attempt]]:
    """The hands that a player has before them, the latest date first, and of each the one opened last.

    Those that they solved offline are among them.
    """
    asked = {"ids": aliases.load_ids(tx, player_id), "since": now - ATTEMPT_SECONDS}
    rows = tx.execute(OPEN_ATTEMPTS, asked).all()
    dealt = load_hands(tx, [row.day for row in rows])
    return [(dealt[row.day], read_attempt(row)) for row in rows if row.day in dealt]


def update_open_attempt(tx: Tx, changed: Attempt) -> bool:
    """Write what became of an open attempt; False when another transaction ended it first."""
    values = {
        "state": changed.state.value,
        "closed": changed.closed,
        "wrong": changed.wrong_answers,
        "expression": changed.answer,
        "hints": changed.hints,
    }
    this = {"of_day": changed.day, "player": changed.player_id}
    return tx.execute(RUNNING, this | values).rowcount == 1


def load_solved_dates(tx: Tx, player_id: int, game: str = "") -> list[str]:
    """The dates whose hand a player solved in a game (see `rules.game_of`), the latest first."""
    return filter_dates_of_game(load_solved_days(tx, player_id), game)


def load_solved_days(tx: Tx, player_id: int) -> list[str]:
    """The hands that a player solved in any game, the latest first."""
    return list(tx.scalars(SOLVED_DAYS, {"player": player_id}))


def load_streak(tx: Tx, player_id: int, day: str) -> int:
    """How many dates in a row, up to that hand's, the player has solved in its game."""
    return row_of(load_solved_dates(tx, player_id, get_day_game(day)), day)


def is_solution_secret(tx: Tx, player_id: int | None, numbers: Collection[int], now: float) -> bool:
    """Whether these numbers include all of a hand of the day that the person has not finished.

    Nobody has finished today's where `player_id` is None.
    """
    today = load_hands(tx, [make_day_key(format_utc_date(now), game) for game in DAILY_GAMES])
    begun = load_open_attempts(tx, player_id, now) if player_id is not None else []
    dealt = today | {hand.day: hand for hand, _ in begun}
    secret = [day for day, hand in dealt.items() if includes_hand(numbers, hand.line)]
    return any(not _is_finished(tx, day, player_id) for day in secret)


def _is_finished(tx: Tx, day: str, player_id: int | None) -> bool:
    mine = load_attempt(tx, day, player_id) if player_id is not None else None
    return mine is not None and mine.is_over


def move_attempts_to_alias(tx: Tx, player_id: int) -> None:
    """The player is about to be forgotten: their latest attempts stay as an alias: no clock is reset."""
    mine = attempts.c.player_id == player_id
    latest = tx.scalars(
        select(attempts.c.day).where(mine).order_by(attempts.c.day.desc()).limit(MAX_OPEN_DATES)
    )
    kept = update(attempts).where(mine, attempts.c.day.in_(latest.all()))
    tx.execute(kept.values(player_id=aliases.load_or_create_alias(tx, player_id)))


def restore_attempts_from_alias(tx: Tx, player_id: int) -> None:
    """Attempts that stayed behind are the player's again."""
    other = [number for number in aliases.load_ids(tx, player_id) if number != player_id]
    if other:
        tx.execute(COMES_BACK, {"ids": other, "player_id": player_id})


def delete_old_alias_attempts(tx: Tx, now: float) -> None:
    """Let go of what stayed of forgotten people, once nobody can solve those hands any more."""
    tx.execute(OLD, {"before": now - MAX_OPEN_DATES * ATTEMPT_SECONDS})


def read_attempt(row: Row[Any]) -> Attempt:
    """The attempt of a row of `TRIED`."""
    return Attempt(
        day=row.day,
        player_id=row.player_id,
        opened=row.opened,
        state=AttemptState(row.state) if row.state in set(AttemptState) else AttemptState.GIVEN_UP,
        closed=row.closed,
        wrong_answers=row.wrong,
        answer=row.expression,
        shown_at=row.shown,
        hints=row.hints,
        offline_answer=row.offline or "",
        message_id=row.message_id,
        photo=row.picture or "",
    )


ENDED_FACT = "daily tables ended"  # The fact that names the last day whose tables were drawn a last time
MAX_ENDED_DAYS = 7  # Days before that one whose tables are still looked at, where no such fact is kept
TABLE_SECONDS = (
    60 * DAY
)  # Seconds for which it is kept which message a group followed a day in, and who sat there

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
    last, week = (
        format_utc_date(now - 2 * ATTEMPT_SECONDS),
        format_utc_date(now - MAX_ENDED_DAYS * ATTEMPT_SECONDS),
    )
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
