"""Whom the daily hand is posted to unasked: groups that want its table, people who want to be reminded."""

import json
from collections.abc import Callable, Collection, Sequence

from sqlalchemy import ColumnElement, TextClause, bindparam, delete, func, select, text, update

from bot.database import Tx, read_object
from bot.database.schema import CHOSE_POSTS, CHOSE_REMINDER, attempts, chats, daily_tables, outbox
from bot.delivery import scheduled
from bot.games.daily.queries import attempt
from bot.games.daily.rules import date_of, day_of, due, post_due
from bot.groups.settings import rules as preferences
from bot.groups.settings.hours import ALONE, reminder
from bot.people.privacy import aliases

TABLE, REMINDER = "table", "reminder"
"""The kinds of the posts that are claimed: groups' tables, and reminders."""


def tables_due(tx: Tx, now: float) -> list[int]:
    """The groups whose table of today is to be posted now, as they chose, and which have none."""
    wanted = (chats.c.kind != "private", chats.c.gone == 0, text(CHOSE_POSTS))  # who chose nothing wants none
    found = _untold(tx, wanted, TABLE, now, lambda chosen: post_due(chosen, now))
    return [number for number in found if table_due(tx, number, now)]


def _untold(
    tx: Tx,
    wanted: Sequence[ColumnElement[bool] | TextClause],
    kind: str,
    now: float,
    due: Callable[[preferences.Preferences], str | None],
) -> list[int]:
    """The chats that chose so that it is due now, and have not been told today.

    Many choose alike: what is due is found by what can be chosen, and no chat is looked at before its time.
    """
    told = scheduled.was_claimed(chats.c.id, kind, day_of(now))
    chosen = tx.scalars(select(chats.c.settings).where(*wanted).distinct()).all()
    timely = [settings for settings in chosen if due(preferences.of_stored(read_object(settings)))]
    here = select(chats.c.id).where(*wanted, chats.c.settings == bindparam("chosen"), ~told)
    return [number for settings in timely for number in tx.scalars(here, {"chosen": settings})]


def table_due(tx: Tx, chat_id: int, now: float) -> str | None:
    """Today, if the group's table is to be posted now and there is none; else None."""
    row = tx.execute(select(chats.c.settings).where(chats.c.id == chat_id)).first()
    day = post_due(preferences.of_stored(read_object(row.settings)), now) if row else None
    here = (daily_tables.c.day == day, daily_tables.c.chat_id == chat_id)
    return None if day is None or tx.execute(select(daily_tables.c.day).where(*here)).first() else day


def reminders_due(tx: Tx, now: float) -> list[int]:
    """Those who are to be reminded of today's hand now, as they chose, and have not opened it."""
    wants = (chats.c.kind == "private", chats.c.gone == 0, text(CHOSE_REMINDER))
    found = _untold(tx, wants, REMINDER, now, lambda chosen: _reminded(chosen, now))
    return [number for number in found if reminder_due(tx, number, now)]


def reminder_due(tx: Tx, player_id: int, now: float) -> str | None:
    """Today, if the person is to be reminded of its hand now; else None."""
    row = tx.execute(select(chats.c.settings).where(chats.c.id == player_id)).first()
    day = _reminded(preferences.of_stored(read_object(row.settings)), now) if row else None
    return None if day is None or attempt(tx, day, player_id) else day


def _reminded(chosen: preferences.Preferences, now: float) -> str | None:
    """Today, if who chose so is to be reminded now; else None."""
    hour = reminder(chosen)
    return due(chosen, hour, now) if hour else None


def last_day(tx: Tx, player_id: int) -> str:
    """The date of the hand that the person opened last; empty before the first."""
    mine = attempts.c.player_id.in_(aliases.ids(tx, player_id))
    return date_of(str(tx.scalar(select(func.max(attempts.c.day)).where(mine)) or ""))


def unreachable(tx: Tx, method: str, signs: Sequence[str]) -> list[int]:
    """Those who want reminders and can't be written to: they blocked the bot, or Telegram said so."""
    refused = select(outbox.c.lane, outbox.c.trouble).where(outbox.c.state == "dead", _of(method))
    lanes = {r.lane for r in tx.execute(refused) if any(s in (r.trouble or "").lower() for s in signs)}
    wants = (chats.c.kind == "private", text(CHOSE_REMINDER))
    blocked = select(chats.c.id).where(*wants, chats.c.gone == 1)
    return sorted(lanes | set(tx.scalars(blocked)))


def stop_reminders(tx: Tx, players: Collection[int], method: str) -> None:
    """Remind them no more, and let go of reminders that were refused."""
    for row in tx.execute(select(chats.c.id, chats.c.settings).where(chats.c.id.in_(players))).all():
        kept = {key: value for key, value in read_object(row.settings).items() if key != ALONE}
        tx.execute(update(chats).where(chats.c.id == row.id).values(settings=json.dumps(kept)))
    tx.execute(delete(outbox).where(outbox.c.state == "dead", outbox.c.lane.in_(players), _of(method)))


def _of(method: str) -> ColumnElement[bool]:
    return outbox.c.body.contains(f'"{method}"')
