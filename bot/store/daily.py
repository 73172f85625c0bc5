"""The daily hand: what was dealt on which day, who tried it, and which groups follow it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, delete, select, update

from bot.daily import LIFE, Attempt, Daily, Progress, day_of
from bot.schema import attempts, dailies, daily_tables, seats
from bot.store import Tx
from bot.store.mail import upsert


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
    numbers = tuple(map(int, row.numbers.split()))
    return Daily(row.day, numbers, row.target, row.level, row.expected, tuple(json.loads(row.ideas)))


def keep_hand(tx: Tx, dealt: Daily) -> Daily:
    """Store the hand of a day unless there is one; returns the one that holds."""
    row = {
        "day": dealt.day,
        "numbers": " ".join(map(str, dealt.numbers)),
        "target": dealt.target,
        "level": dealt.level,
        "expected": dealt.expected,
        "ideas": json.dumps(dealt.ideas),
    }
    tx.execute(upsert(tx, dailies).values(row).on_conflict_do_nothing())
    return hand(tx, dealt.day) or dealt


def attempt(tx: Tx, day: str, player_id: int) -> Attempt | None:
    """A player's attempt at the hand of a day."""
    here = (attempts.c.day == day, attempts.c.player_id == player_id)
    row = tx.execute(select(attempts).where(*here)).first()
    return None if row is None else _attempt(row)


def begin(tx: Tx, day: str, player_id: int, now: float) -> Attempt:
    """The player's attempt at a day's hand, opened now if it wasn't before."""
    row = {"day": day, "player_id": player_id, "state": Progress.OPEN.value, "opened": now}
    tx.execute(upsert(tx, attempts).values(row).on_conflict_do_nothing())
    return attempt(tx, day, player_id) or Attempt(day, player_id, now)


def open_attempt(tx: Tx, player_id: int, now: float) -> tuple[Daily, Attempt] | None:
    """The hand that a player has before them: the latest one opened, if it isn't over."""
    mine = (attempts.c.player_id == player_id, attempts.c.opened >= now - LIFE)
    row = tx.execute(select(attempts).where(*mine).order_by(attempts.c.day.desc()).limit(1)).first()
    dealt = hand(tx, row.day) if row and row.state == Progress.OPEN.value else None
    return None if row is None or dealt is None else (dealt, _attempt(row))


def keep(tx: Tx, changed: Attempt) -> bool:
    """Write what became of an open attempt; False when another transaction ended it first."""
    this = (attempts.c.day == changed.day, attempts.c.player_id == changed.player_id)
    values = {
        "state": changed.state.value,
        "closed": changed.closed,
        "wrong": changed.wrong,
        "expression": changed.expression,
    }
    claim = update(attempts).where(*this, attempts.c.state == Progress.OPEN.value)
    return tx.execute(claim.values(values)).rowcount == 1


def solved_days(tx: Tx, player_id: int) -> list[str]:
    """The dates whose hand a player solved, the latest first."""
    mine = (attempts.c.player_id == player_id, attempts.c.state == Progress.SOLVED.value)
    return list(tx.scalars(select(attempts.c.day).where(*mine).order_by(attempts.c.day.desc())))


def sealed(tx: Tx, player_id: int | None, numbers: Sequence[int], target: int, now: float) -> bool:
    """Whether showing how this hand is done would spoil the daily one.

    It would for whoever may still solve it: the player has it open, or it is today's and the player has
    neither solved it nor given it up. `player_id` is None where more than one person reads the answer.
    """

    def same(daily: Daily | None) -> bool:
        return daily is not None and daily.target == target and sorted(daily.numbers) == sorted(numbers)

    before = open_attempt(tx, player_id, now) if player_id is not None else None
    if before and same(before[0]):
        return True
    mine = attempt(tx, day_of(now), player_id) if player_id is not None else None
    over = mine is not None and mine.state is not Progress.OPEN
    return not over and same(hand(tx, day_of(now)))


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
    row = {
        "day": shown.day,
        "chat_id": shown.chat_id,
        "message_id": shown.message_id,
        "language": shown.language,
    }
    statement = upsert(tx, daily_tables).values(row)
    tx.execute(statement.on_conflict_do_update(index_elements=["day", "chat_id"], set_=row))


def followers(tx: Tx, day: str, player_id: int) -> list[Followed]:
    """The messages that show the player's result of a day."""
    joined = (seats.c.day == daily_tables.c.day) & (seats.c.chat_id == daily_tables.c.chat_id)
    found = select(daily_tables).join(seats, joined)
    rows = tx.execute(found.where(seats.c.day == day, seats.c.player_id == player_id))
    return [Followed(r.day, r.chat_id, r.message_id, r.language) for r in rows]


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
        state=Progress(row.state),
        closed=row.closed,
        wrong=row.wrong,
        expression=row.expression,
    )
