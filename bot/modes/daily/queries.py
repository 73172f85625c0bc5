"""The daily hand: what was dealt on which day, and who tried it."""

import logging
import secrets
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Row, bindparam, delete, func, select, update

from bot.database import Tx, build_insert_if_new
from bot.database.schema import attempts, board_offline, dailies, meta
from bot.modes.daily.rules import ATTEMPT_SECONDS, Attempt, DailyHand, AttemptState, filter_dates_of_game, format_utc_date, get_day_game, make_day_key
from bot.modes.daily.rules import count_streak as row_of
from bot.players.privacy import aliases
from bot.rounds.known import DAILY_GAMES, pack_puzzle, unpack_puzzle
from bot.rounds.puzzle import includes_hand

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
OLD = delete(attempts).where(attempts.c.player_id < aliases.MAX_ALIAS, attempts.c.opened < bindparam("before"))


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
    latest = tx.scalars(select(attempts.c.day).where(mine).order_by(attempts.c.day.desc()).limit(MAX_OPEN_DATES))
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
