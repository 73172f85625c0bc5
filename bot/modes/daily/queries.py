"""Daily hands, the attempts at them, and the groups' tables of the day in the database."""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    Row,
    Update,
    bindparam,
    delete,
    func,
    literal,
    select,
    tuple_,
    union,
    update,
)

from bot.database import Tx, build_insert_if_new, build_upsert, delete_batch
from bot.database.schema import attempts, awards, board_offline, dailies, daily_tables, rounds, seats, tries
from bot.durations import DAY
from bot.modes.daily import rules
from bot.modes.daily.rules import ATTEMPT_SECONDS, Attempt, DailyHand, format_utc_date, make_attempt
from bot.players import aliases
from bot.rounds.puzzle import includes_hand
from bot.rounds.registry import DAILY_GAMES, pack_puzzle, unpack_puzzle
from bot.rounds.rules import State

log = logging.getLogger(__name__)

TABLE_SECONDS = 3 * DAY  # How long tables and seats are kept; until then offline solutions are accepted
MEMBER_SECONDS = 30 * DAY  # How long ago players answered whom a group's table lists without its link
MAX_OPEN_DATES = 3  # Dates on which an attempt that is still open may have been opened


def load_hand(tx: Tx, day: str) -> DailyHand | None:
    """Load the hand of a day; None if nobody has opened it or it can't be read."""
    return load_hands(tx, [day]).get(day)


def load_hands(tx: Tx, days: Collection[str]) -> dict[str, DailyHand]:
    """Load the hands of those days that have been opened and can be read, by day."""
    hands = {}
    for row in tx.execute(select(dailies).where(dailies.c.day.in_(days))):
        try:
            puzzle = unpack_puzzle(row.game, row.puzzle, row.level, row.expected)
            hands[row.day] = DailyHand(row.day, row.game, puzzle)
        except (ValueError, TypeError) as error:
            log.warning("the hand of %s can't be read: %s", row.day, error)
    return hands


def insert_hand(tx: Tx, dealt: DailyHand) -> DailyHand:
    """Store the hand of a day unless there is one; return the stored one, or `dealt` if it can't be read."""
    row = {"day": dealt.day, **pack_puzzle(dealt.game, dealt.puzzle)}
    tx.execute(build_insert_if_new(tx.dialect.name, dailies), row)
    return load_hand(tx, dealt.day) or dealt  # None if the stored one is of a game that has changed or gone


IS_OFFLINE = (board_offline.c.day == attempts.c.day) & (board_offline.c.player_id == attempts.c.player_id)
SELECT_ATTEMPTS = select(attempts, board_offline.c.answer.label("offline")).select_from(
    attempts.outerjoin(board_offline, IS_OFFLINE)
)
STATES = {"open": State.OPEN, "solved": State.WON, "given up": State.SKIPPED}  # By what the column holds
STATE_NAMES = {state: name for name, state in STATES.items()}
IS_OPEN = attempts.c.state == STATE_NAMES[State.OPEN]


def load_attempt(tx: Tx, day: str, player_id: int) -> Attempt | None:
    """Load the player's attempt at the hand of a day; None if it was not opened or the hand can't be read."""
    return load_attempts_by_player(tx, day, [player_id]).get(player_id)


def load_attempts_by_player(tx: Tx, day: str, players: Collection[int]) -> dict[int, Attempt]:
    """Load these players' attempts at the hand of a day, by player, also those stored under their aliases."""
    players_by_id = aliases.load_owners(tx, players)  # also by their aliases
    query = SELECT_ATTEMPTS.where(attempts.c.day == day, attempts.c.player_id.in_(players_by_id))
    found = _read_attempts(tx, tx.execute(query).all(), players_by_id)
    return {attempt.player_id: attempt for attempt in found}


# Built once, since every private message runs it, and building it takes longer than running it.
IS_OWN = attempts.c.player_id.in_(bindparam("ids", expanding=True))
IS_RUNNING = attempts.c.opened >= bindparam("since")
LATEST_FIRST = (func.substr(attempts.c.day, 1, len("2026-11-21")).desc(), attempts.c.opened.desc())
SELECT_OPEN_ATTEMPTS = SELECT_ATTEMPTS.where(IS_OWN, IS_RUNNING, IS_OPEN).order_by(*LATEST_FIRST)


def load_open_attempts(tx: Tx, player_id: int, now: float) -> list[Attempt]:
    """Load the player's open attempts, the latest date first, then the latest opened.

    Attempts that the player solved offline are included.
    """
    ids = aliases.load_ids(tx, player_id)
    rows = tx.execute(SELECT_OPEN_ATTEMPTS, {"ids": ids, "since": now - ATTEMPT_SECONDS}).all()
    return _read_attempts(tx, rows, dict.fromkeys(ids, player_id))


def load_ended_attempts(tx: Tx, player_id: int, limit: int) -> list[Attempt]:
    """Load the player's latest attempts that were solved or given up."""
    is_ended = (attempts.c.player_id == player_id, attempts.c.closed.is_not(None))
    rows = tx.execute(SELECT_ATTEMPTS.where(*is_ended).order_by(*LATEST_FIRST).limit(limit)).all()
    return _read_attempts(tx, rows, {})


def _read_attempts(tx: Tx, rows: Sequence[Row[Any]], owners: Mapping[int, int]) -> list[Attempt]:
    """Return the attempts in these rows whose hands can be read; `owners` are the players by alias."""
    hands = load_hands(tx, {row.day for row in rows})
    return [
        _read_attempt(row, hands[row.day], owners.get(row.player_id, row.player_id))
        for row in rows
        if row.day in hands
    ]


def _read_attempt(row: Row[Any], hand: DailyHand, player_id: int) -> Attempt:
    state = STATES[row.state]
    return make_attempt(
        hand,
        player_id,
        row.opened,
        state=State.VOID if row.offline and state is State.OPEN else state,  # a row stays open then
        closed=row.closed,
        wrong_answers=row.wrong,
        answer=row.expression or row.offline,
        shown_at=row.shown,
        hints_shown=row.hints,
        message_id=row.message_id,
        photo=row.picture or "",
    )


def open_attempt(tx: Tx, hand: DailyHand, player_id: int, now: float) -> Attempt:
    """Open the player's attempt at a hand unless it exists, also under an alias; return it."""
    restore_attempts_from_alias(tx, player_id)
    row = {"day": hand.day, "player_id": player_id, "state": STATE_NAMES[State.OPEN], "opened": now}
    tx.execute(build_insert_if_new(tx.dialect.name, attempts), row)
    return load_attempt(tx, hand.day, player_id) or make_attempt(hand, player_id, now)


def update_open_attempt(tx: Tx, changed: Attempt) -> bool:
    """Store the changed attempt, also one under an alias; False if another transaction ended it first."""
    restore_attempts_from_alias(tx, changed.player_id)
    values = {
        "state": STATE_NAMES[changed.state],
        "closed": changed.closed,
        "wrong": changed.wrong_answers,
        "expression": changed.answer,
        "hints": changed.hints_shown,
    }
    return tx.execute(_build_open_update(changed.day, changed.player_id).values(values)).rowcount == 1


def _build_open_update(day: str, player_id: int) -> Update:
    """Build the update of an attempt; it changes nothing if the attempt has ended."""
    return update(attempts).where(attempts.c.day == day, attempts.c.player_id == player_id, IS_OPEN)


def start_clock_before_sending(tx: Tx, day: str, player_id: int, now: float) -> bool:
    """Start the attempt's clock before the hand is sent; False if the clock has been started before.

    If the process crashes after that, the hand is sent once more, but its clock does not start again.
    """
    update_unshown = _build_open_update(day, player_id).where(attempts.c.shown.is_(None))
    return tx.execute(update_unshown.values(shown=now)).rowcount == 1


def update_shown_hand(tx: Tx, day: str, player_id: int, **columns: float | str | None) -> None:
    """Update in an open attempt when its hand was shown, by which message, or the key of its picture."""
    tx.execute(_build_open_update(day, player_id).values(columns))


def load_latest_days(tx: Tx, player_id: int) -> list[str]:
    """Load the day keys of the hands of the latest days that the player opened."""
    ids = aliases.load_ids(tx, player_id)
    latest = select(attempts.c.day).where(attempts.c.player_id.in_(ids)).order_by(attempts.c.day.desc())
    return list(tx.scalars(latest.limit(MAX_OPEN_DATES * len(DAILY_GAMES))))


def load_last_opened_date(tx: Tx, player_id: int) -> str:
    """Load the date of the hand that the player opened last; empty if there is none."""
    last_day = tx.scalar(select(func.max(attempts.c.day)).where(attempts.c.player_id == player_id))
    return rules.get_day_date(last_day or "")


def load_solved_dates(tx: Tx, player_id: int, game: str = "") -> list[str]:
    """Load the dates whose hand the player solved in a game ("": the default one), the latest first."""
    return rules.filter_dates_of_game(load_solved_days(tx, player_id), game)


def load_solved_days(tx: Tx, player_id: int) -> list[str]:
    """Load the day keys of the hands that the player solved in any game, the latest first."""
    solved = (attempts.c.player_id == player_id, attempts.c.state == STATE_NAMES[State.WON])
    return list(tx.scalars(select(attempts.c.day).where(*solved).order_by(attempts.c.day.desc())))


def load_streak(tx: Tx, player_id: int, day: str) -> int:
    """Count the player's streak in the day's game, up to that day."""
    return rules.count_streak(load_solved_dates(tx, player_id, rules.get_day_game(day)), day)


def is_solution_secret(tx: Tx, player_id: int | None, numbers: Collection[int], now: float) -> bool:
    """Whether the numbers include those of a hand, of today or open, that the player has not finished.

    With `player_id` None, whether they include those of any hand of today.
    """
    hands = load_hands(tx, [rules.make_day_key(format_utc_date(now), game) for game in DAILY_GAMES])
    if player_id is not None:
        hands |= load_hands(tx, [attempt.day for attempt in load_open_attempts(tx, player_id, now)])
    for hand in hands.values():
        if includes_hand(numbers, hand.puzzle.line):
            attempt = load_attempt(tx, hand.day, player_id) if player_id is not None else None
            if attempt is None or attempt.state is State.OPEN:
                return True
    return False


def move_attempts_to_alias(tx: Tx, player_id: int) -> None:
    """Move the latest attempts of a player who is about to be forgotten to the player's alias.

    A player who comes back on the same day gets no fresh attempt at the same hand: the latest three are those
    of today at least, one for each daily game.
    """
    is_own = attempts.c.player_id == player_id
    latest = select(attempts.c.day).where(is_own).order_by(attempts.c.day.desc()).limit(3)
    update_latest = update(attempts).where(is_own, attempts.c.day.in_(tx.scalars(latest).all()))
    tx.execute(update_latest.values(player_id=aliases.make_alias(tx, player_id)))


def restore_attempts_from_alias(tx: Tx, player_id: int) -> None:
    """Give the attempts under the player's alias back to the player."""
    alias = aliases.load_alias(tx, player_id)
    if alias is not None:
        tx.execute(update(attempts).where(attempts.c.player_id == alias).values(player_id=player_id))


def delete_old_alias_attempts(tx: Tx, now: float) -> None:
    """Delete the attempts of forgotten players that can't be solved any more."""
    is_old = attempts.c.opened < now - MAX_OPEN_DATES * ATTEMPT_SECONDS
    tx.execute(delete(attempts).where(attempts.c.player_id < aliases.MAX_ALIAS, is_old))


IN_SEAT = (seats.c.day == attempts.c.day) & (seats.c.player_id == attempts.c.player_id)
IN_TABLE = (seats.c.day == daily_tables.c.day) & (seats.c.chat_id == daily_tables.c.chat_id)


@dataclass(frozen=True, slots=True)
class TableMessage:
    day: str
    chat_id: int
    message_id: int
    language: str


def add_to_table(tx: Tx, day: str, chat_id: int, player_id: int) -> None:
    row = {"day": day, "chat_id": chat_id, "player_id": player_id}
    tx.execute(build_insert_if_new(tx.dialect.name, seats), row)


def add_to_tables_of_groups(tx: Tx, attempt: Attempt, now: float) -> None:
    """List a solved attempt in the tables of the groups where its player took part in `MEMBER_SECONDS`.

    That is to answer there, or to be listed in a table that is not deleted yet.
    """
    player_id, since = attempt.player_id, now - MEMBER_SECONDS
    scored = select(awards.c.chat_id).where(awards.c.player_id == player_id, awards.c.at >= since)
    tried = select(rounds.c.chat_id).join(tries, tries.c.round_id == rounds.c.id)
    tried = tried.where(tries.c.player_id == player_id, rounds.c.opened >= since)
    listed = select(seats.c.chat_id).where(seats.c.player_id == player_id)
    groups = [chat_id for chat_id in tx.scalars(union(scored, tried, listed)) if chat_id < 0]
    for chat_id in groups:
        add_to_table(tx, attempt.day, chat_id, attempt.player_id)


def load_table_attempts(tx: Tx, day: str, chat_id: int) -> list[Attempt]:
    query = SELECT_ATTEMPTS.join(seats, IN_SEAT).where(seats.c.day == day, seats.c.chat_id == chat_id)
    return _read_attempts(tx, tx.execute(query).all(), owners={})


def store_table_message(tx: Tx, message: TableMessage) -> None:
    """Store which message shows the group's table of the day, instead of any earlier message."""
    upsert = build_upsert(tx.dialect.name, daily_tables, updated=("message_id", "language"))
    tx.execute(upsert, asdict(message))


def delete_table_message(tx: Tx, chat_id: int, message_id: int) -> None:
    here = (daily_tables.c.chat_id == chat_id, daily_tables.c.message_id == message_id)
    tx.execute(delete(daily_tables).where(*here))


def load_table_messages(tx: Tx, day: str, player_id: int) -> list[TableMessage]:
    """Load the messages of all groups whose table of the day lists the player."""
    lists_player = (seats.c.day == day, seats.c.player_id == player_id)
    rows = tx.execute(select(daily_tables).join(seats, IN_TABLE).where(*lists_player))
    return [TableMessage(*row) for row in rows]


def load_expired_tables(tx: Tx, now: float, after: tuple[str, int], limit: int) -> list[TableMessage]:
    """Load up to `limit` tables of expired days, in the order of day and chat, behind the key `after`."""
    key = (daily_tables.c.day, daily_tables.c.chat_id)
    after_day, after_chat_id = after
    is_next = tuple_(*key) > tuple_(literal(after_day), literal(after_chat_id, BigInteger))
    # A hand opened late on its day can be solved all through the next one
    is_expired = daily_tables.c.day < format_utc_date(now - ATTEMPT_SECONDS)
    next_expired = select(daily_tables).where(is_next, is_expired).order_by(*key).limit(limit)
    return [TableMessage(*row) for row in tx.execute(next_expired)]


def move_seats(tx: Tx, old: int, new: int) -> None:
    """List the players of chat `old` in the tables of chat `new`, and forget all tables of chat `old`."""
    for row in tx.execute(select(seats).where(seats.c.chat_id == old)).all():
        add_to_table(tx, row.day, new, row.player_id)
    for table in (seats, daily_tables):
        tx.execute(delete(table).where(table.c.chat_id == old))


def delete_old_tables(tx: Tx, now: float) -> bool:
    """Delete a batch of old seats, or of table messages if few seats are left; True if there may be more.

    A seat lists one player in a table.
    """
    first_kept_day = format_utc_date(now - TABLE_SECONDS)
    if delete_batch(tx, seats, seats.c.day < first_kept_day):
        return True
    return delete_batch(tx, daily_tables, daily_tables.c.day < first_kept_day)
