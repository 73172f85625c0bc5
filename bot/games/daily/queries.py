"""The daily hand: what was dealt on which day, who tried it, and which groups follow it."""

import logging
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, bindparam, delete, func, select, update

from bot.database import Tx, upsert
from bot.database.schema import attempts, dailies, daily_tables, meta, seats
from bot.games.daily.rules import (
    LIFE,
    Attempt,
    Daily,
    Progress,
    dates,
    day_of,
    game_of,
    named,
)
from bot.games.daily.rules import streak as row_of
from bot.games.known import DAILY, GAMES, packed, unpack
from bot.games.puzzle import Query
from bot.people.privacy import aliases

log = logging.getLogger(__name__)

HIDDEN = "daily key"
"""The fact that nobody may learn."""
ENDED = "daily tables ended"
"""The fact that names the last day whose tables were drawn a last time."""
LATEST = 7
"""Days before that one whose tables are still looked at, where no such fact is kept."""
DAYS_OPEN = 3
"""Dates on which an attempt may have been opened that still runs, whatever the hour."""
DATE = "2026-11-21"
"""How the names of hands begin."""


@dataclass(frozen=True, slots=True)
class Followed:
    """A message in which a group follows the hand of a day."""

    day: str
    chat_id: int
    message_id: int
    language: str


def hand(tx: Tx, day: str) -> Daily | None:
    """The hand of a day, if somebody has opened it."""
    row = tx.execute(select(dailies).where(dailies.c.day == day)).first()
    if row is None:
        return None
    try:
        return Daily(row.day, row.game, unpack(row.game, row.puzzle, row.level, row.expected))
    except (ValueError, TypeError) as error:
        log.warning("the hand of %s can't be read: %s", row.day, error)
        return None


def keep_hand(tx: Tx, dealt: Daily) -> Daily:
    """Store the hand of a day unless there is one; returns the one that holds."""
    row = {"day": dealt.day, **packed(dealt.game, dealt.puzzle)}
    tx.execute(upsert(tx, dailies).values(row).on_conflict_do_nothing())
    return hand(tx, dealt.day) or dealt


def key(tx: Tx) -> str:
    """The secret from which the hands of all days follow, made once for this database."""
    row = {"key": HIDDEN, "value": secrets.token_hex(32)}
    tx.execute(upsert(tx, meta).values(row).on_conflict_do_nothing())
    return str(tx.scalar(select(meta.c.value).where(meta.c.key == HIDDEN)))


def attempt(tx: Tx, day: str, player_id: int) -> Attempt | None:
    """A player's attempt at the hand of a day."""
    here = (attempts.c.day == day, attempts.c.player_id.in_(aliases.ids(tx, player_id)))
    row = tx.execute(select(attempts).where(*here)).first()
    return None if row is None else _attempt(row)


def attempts_of(tx: Tx, day: str) -> list[Attempt]:
    """Everybody's attempts at the hand of a day."""
    found = select(attempts).where(attempts.c.day == day).order_by(attempts.c.player_id)
    return [_attempt(row) for row in tx.execute(found)]


def begin(tx: Tx, day: str, player_id: int, now: float) -> Attempt:
    """The player's attempt at a day's hand, opened now if it wasn't before."""
    come_back(tx, player_id)
    row = {"day": day, "player_id": player_id, "state": Progress.OPEN.value, "opened": now}
    tx.execute(upsert(tx, attempts).values(row).on_conflict_do_nothing())
    return attempt(tx, day, player_id) or Attempt(day, player_id, now)


def leaving(tx: Tx, day: str, player_id: int, now: float) -> bool:
    """The hand is about to be sent to the player; False if it was before, and may have been seen.

    A crash leaves this behind, so that a hand that is sent once more then has no new clock.
    """
    first = update(attempts).where(*_running(day, player_id), attempts.c.shown.is_(None))
    return tx.execute(first.values(shown=now)).rowcount == 1


def shown(tx: Tx, day: str, player_id: int, at: float | None) -> None:
    """The hand that was leaving has arrived at `at`; None: it did not, and no clock runs."""
    tx.execute(update(attempts).where(*_running(day, player_id)).values(shown=at))


def placed(tx: Tx, day: str, player_id: int, message_id: int, photo: str = "") -> None:
    """That message shows the hand to the player from now on, with the picture of that name or with none."""
    values = {"message_id": message_id, "picture": photo or None}
    tx.execute(update(attempts).where(*_running(day, player_id)).values(values))


def _running(day: str, player_id: int) -> tuple[ColumnElement[bool], ...]:
    mine = (attempts.c.day == day, attempts.c.player_id == player_id)
    return (*mine, attempts.c.state == Progress.OPEN.value)


def open_attempts(tx: Tx, player_id: int, now: float) -> list[tuple[Daily, Attempt]]:
    """The hands that a player has before them, the latest date first, and of each the one opened last."""
    mine = (attempts.c.player_id.in_(aliases.ids(tx, player_id)), attempts.c.opened >= now - LIFE)
    running = select(attempts).where(*mine, attempts.c.state == Progress.OPEN.value)
    latest = (func.substr(attempts.c.day, 1, len(DATE)).desc(), attempts.c.opened.desc(), attempts.c.day)
    rows = tx.execute(running.order_by(*latest).limit(DAYS_OPEN * len(DAILY))).all()
    return [(dealt, _attempt(row)) for row in rows if (dealt := hand(tx, row.day)) is not None]


def keep(tx: Tx, changed: Attempt) -> bool:
    """Write what became of an open attempt; False when another transaction ended it first."""
    values = {
        "state": changed.state.value,
        "closed": changed.closed,
        "wrong": changed.wrong,
        "expression": changed.answer,
        "hints": changed.hints,
    }
    claim = update(attempts).where(*_running(changed.day, changed.player_id))
    return tx.execute(claim.values(values)).rowcount == 1


def solved_days(tx: Tx, player_id: int, game: str = "") -> list[str]:
    """The dates whose hand a player solved in a game (see `rules.game_of`), the latest first."""
    return dates(solved(tx, player_id), game)


SOLVED = (
    select(attempts.c.day)
    .where(attempts.c.player_id == bindparam("player"), attempts.c.state == Progress.SOLVED.value)
    .order_by(attempts.c.day.desc())
)


def solved(tx: Tx, player_id: int) -> list[str]:
    """The hands that a player solved in any game, the latest first."""
    return list(tx.scalars(SOLVED, {"player": player_id}))


def streak(tx: Tx, player_id: int, day: str) -> int:
    """How many dates in a row, up to that hand's, the player has solved in its game."""
    return row_of(solved_days(tx, player_id, game_of(day)), day)


def sealed(tx: Tx, player_id: int | None, asked: Sequence[Query], now: float) -> bool:
    """Whether an answer would give away a daily hand that somebody may still solve.

    That is today's, and one of the days before for as long as anybody's attempt at it runs. Only whose own
    attempt is over may see it. `player_id` is None where more than one person reads the answer.
    """
    for back, dealt in _solvable(tx, now):
        if not GAMES[dealt.game].covers(dealt.line, asked):
            continue
        mine = attempt(tx, dealt.day, player_id) if player_id is not None else None
        if (mine is None or mine.state is Progress.OPEN) and (not back or _tried_yet(tx, dealt.day, now)):
            return True
    return False


def covered(tx: Tx, asked: Sequence[Query], now: float) -> list[Daily]:
    """The hands of these days that an answer gives away or leads to."""
    return [d for _, d in _solvable(tx, now) if GAMES[d.game].covers(d.line, asked)]


def _solvable(tx: Tx, now: float) -> list[tuple[int, Daily]]:
    """The hands of the days whose attempts may run, with how many days ago that was."""
    days = {day_of(now - back * LIFE): back for back in range(DAYS_OPEN)}
    names = [(back, named(day, game)) for day, back in days.items() for game in DAILY]
    return [(back, dealt) for back, name in names if (dealt := hand(tx, name)) is not None]


def _tried_yet(tx: Tx, day: str, now: float) -> bool:
    """Whether anybody's attempt at the hand of a day runs."""
    runs = (attempts.c.state == Progress.OPEN.value, attempts.c.opened >= now - LIFE)
    return tx.execute(select(attempts.c.day).where(attempts.c.day == day, *runs).limit(1)).first() is not None


def leave(tx: Tx, player_id: int) -> None:
    """The player is about to be forgotten: their latest attempts stay as an alias: no clock is reset."""
    mine = attempts.c.player_id == player_id
    latest = tx.scalars(select(attempts.c.day).where(mine).order_by(attempts.c.day.desc()).limit(DAYS_OPEN))
    kept = update(attempts).where(mine, attempts.c.day.in_(latest.all()))
    tx.execute(kept.values(player_id=aliases.alias(tx, player_id)))


def come_back(tx: Tx, player_id: int) -> None:
    """Attempts that stayed behind are the player's again."""
    other = [number for number in aliases.ids(tx, player_id) if number != player_id]
    tx.execute(update(attempts).where(attempts.c.player_id.in_(other)).values(player_id=player_id))


def sweep(tx: Tx, now: float) -> None:
    """Let go of what stayed of forgotten people, once nobody can solve those hands any more."""
    old = attempts.c.opened < now - DAYS_OPEN * LIFE
    tx.execute(delete(attempts).where(attempts.c.player_id < aliases.HIGHEST, old))


def take_seat(tx: Tx, day: str, chat_id: int, player_id: int) -> None:
    """List the player in that group's table of the day."""
    row = {"day": day, "chat_id": chat_id, "player_id": player_id}
    tx.execute(upsert(tx, seats).values(row).on_conflict_do_nothing())


def seated(tx: Tx, day: str, chat_id: int) -> list[Attempt]:
    """The attempts that a group's table of the day lists."""
    joined = (seats.c.day == attempts.c.day) & (seats.c.player_id == attempts.c.player_id)
    found = select(attempts).join(seats, joined).where(seats.c.day == day, seats.c.chat_id == chat_id)
    return [_attempt(row) for row in tx.execute(found)]


def follow(tx: Tx, shown: Followed) -> None:
    """The group follows the day in that message from now on."""
    row = asdict(shown)
    statement = upsert(tx, daily_tables).values(row)
    tx.execute(statement.on_conflict_do_update(index_elements=["day", "chat_id"], set_=row))


def unfollow(tx: Tx, chat_id: int, message_id: int) -> None:
    """The group has no such message any more."""
    here = (daily_tables.c.chat_id == chat_id, daily_tables.c.message_id == message_id)
    tx.execute(delete(daily_tables).where(*here))


def followers(tx: Tx, day: str, player_id: int) -> list[Followed]:
    """The messages that show the player's result of a day."""
    joined = (seats.c.day == daily_tables.c.day) & (seats.c.chat_id == daily_tables.c.chat_id)
    found = select(daily_tables).join(seats, joined)
    rows = tx.execute(found.where(seats.c.day == day, seats.c.player_id == player_id))
    return [Followed(r.day, r.chat_id, r.message_id, r.language) for r in rows]


def ended(tx: Tx, now: float) -> list[Followed]:
    """The messages that wait for somebody, of days whose hand nobody can solve any more; each only once."""
    last = day_of(now - 2 * LIFE)
    week = day_of(now - LATEST * LIFE)
    before = str(tx.scalar(select(meta.c.value).where(meta.c.key == ENDED)) or week)
    if before == last:
        return []
    before = min(before, week) if before > last else before  # a later one comes of a clock that was wrong
    statement = upsert(tx, meta).values(key=ENDED, value=last)
    tx.execute(statement.on_conflict_do_update(index_elements=["key"], set_={"value": last}))
    sat = (seats.c.day == daily_tables.c.day) & (seats.c.chat_id == daily_tables.c.chat_id)
    tried = (seats.c.day == attempts.c.day) & (seats.c.player_id == attempts.c.player_id)
    date = func.substr(daily_tables.c.day, 1, len(DATE))
    open_ = (attempts.c.state == Progress.OPEN.value, date > before, date <= last)
    found = select(daily_tables).join(seats, sat).join(attempts, tried).where(*open_).distinct()
    return [Followed(r.day, r.chat_id, r.message_id, r.language) for r in tx.execute(found)]


def move(tx: Tx, old: int, new: int) -> None:
    """Who sat in chat `old` sits in `new`. Its messages stay behind: they keep their numbers only there."""
    for row in tx.execute(select(seats).where(seats.c.chat_id == old)).all():
        take_seat(tx, row.day, new, row.player_id)
    for table in (seats, daily_tables):
        tx.execute(delete(table).where(table.c.chat_id == old))


def _attempt(row: Row[Any]) -> Attempt:
    return Attempt(
        day=row.day,
        player_id=row.player_id,
        opened=row.opened,
        state=Progress(row.state) if row.state in set(Progress) else Progress.GIVEN_UP,
        closed=row.closed,
        wrong=row.wrong,
        answer=row.expression,
        shown=row.shown,
        hints=row.hints,
        message_id=row.message_id,
        photo=row.picture or "",
    )
