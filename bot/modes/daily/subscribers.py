"""Whom the daily hand is posted to unasked: groups that want its table, people who want to be reminded."""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from sqlalchemy import ColumnElement, TextClause, bindparam, exists, func, select, text, update

from bot.admin.settings import preferences as preferences
from bot.admin.settings.post_hours import REMINDER_KEY, read_reminder_minute
from bot.database import Tx, parse_object
from bot.database.schema import HAS_CHOSEN_POSTS, HAS_CHOSEN_REMINDER, attempts, chats, daily_tables
from bot.modes.daily.queries import load_attempt
from bot.modes.daily.rules import format_utc_date, get_day_date, get_day_if_due, get_day_if_table_due
from bot.players.privacy import aliases
from bot.queue import scheduled_posts
from bot.queue.scheduled_posts import BEFORE_ALL_CHATS

# The kinds of the posts that are claimed: groups' tables, and reminders.
TABLE_KIND, REMINDER_KIND = "table", "reminder"


@dataclass(frozen=True, slots=True)
class Subscription:
    """Who wants something each day, and when."""

    kind: str
    who: Sequence[ColumnElement[bool] | TextClause]
    day: Callable[[preferences.Preferences, float], str | None]  # Today, where it is due to whoever chose so
    due: Callable[[Tx, int, float], str | None]  # The same of one chat, by all that is known of it


def find_groups_due_a_table(tx: Tx, most: int, now: float) -> list[int]:
    """Groups whose table of today is to be posted now, as they chose, and which have none; `most` at most."""
    here = (daily_tables.c.day == bindparam("day"), daily_tables.c.chat_id == chats.c.id)
    return list(islice(_due(tx, GROUPS_THAT_WANT, ~exists().where(*here), now, most), most))


def _due(tx: Tx, wants: Subscription, new: ColumnElement[bool], now: float, page: int) -> Iterator[int]:
    """The chats that chose so that it is due now, that have not been told today, and to which it is new.

    Many choose alike: what is due is found by what can be chosen, and no chat is looked at before its time.
    They are read a `page` at a time, so that whoever needs a few does not wait for all.
    """
    told = scheduled_posts.build_claimed_condition(chats.c.id, wants.kind, format_utc_date(now))
    chosen = tx.scalars(select(chats.c.settings).where(*wants.who).distinct()).all()
    alike = (chats.c.settings == bindparam("chosen"), chats.c.id > bindparam("behind"))
    here = select(chats.c.id).where(*wants.who, *alike, ~told, new).order_by(chats.c.id).limit(page)
    for settings in chosen:
        day = wants.day(preferences.read_group_preferences(parse_object(settings)), now)
        behind = BEFORE_ALL_CHATS
        while day and (some := tx.scalars(here, {"chosen": settings, "day": day, "behind": behind}).all()):
            yield from (number for number in some if wants.due(tx, number, now))
            behind = some[-1]


def get_due_table_day(tx: Tx, chat_id: int, now: float) -> str | None:
    """Today, if the group's table is to be posted now and there is none; else None."""
    row = tx.execute(select(chats.c.settings).where(chats.c.id == chat_id)).first()
    day = (
        get_day_if_table_due(preferences.read_group_preferences(parse_object(row.settings)), now)
        if row
        else None
    )
    here = (daily_tables.c.day == day, daily_tables.c.chat_id == chat_id)
    return None if day is None or tx.execute(select(daily_tables.c.day).where(*here)).first() else day


def find_players_due_a_reminder(tx: Tx, most: int, now: float) -> list[int]:
    """People who are to be reminded of today's hand now, as they chose, and have not opened it; `most` at
    most.
    """
    here = (attempts.c.day == bindparam("day"), attempts.c.player_id == chats.c.id)
    return list(islice(_due(tx, PEOPLE_WHO_WANT, ~exists().where(*here), now, most), most))


def get_due_reminder_day(tx: Tx, player_id: int, now: float) -> str | None:
    """Today, if the person is to be reminded of its hand now; else None."""
    row = tx.execute(select(chats.c.settings).where(chats.c.id == player_id)).first()
    day = _reminded(preferences.read_group_preferences(parse_object(row.settings)), now) if row else None
    return None if day is None or load_attempt(tx, day, player_id) else day


def _reminded(chosen: preferences.Preferences, now: float) -> str | None:
    """Today, if who chose so is to be reminded now; else None."""
    minute = read_reminder_minute(chosen)
    return None if minute is None else get_day_if_due(chosen, minute, now)


GROUPS_THAT_WANT = Subscription(
    TABLE_KIND,
    (chats.c.kind != "private", chats.c.gone == 0, text(HAS_CHOSEN_POSTS)),  # who chose nothing wants none
    get_day_if_table_due,
    get_due_table_day,
)
PEOPLE_WHO_WANT = Subscription(
    REMINDER_KIND,
    (chats.c.kind == "private", chats.c.gone == 0, text(HAS_CHOSEN_REMINDER)),
    _reminded,
    get_due_reminder_day,
)


def load_last_opened_date(tx: Tx, player_id: int) -> str:
    """The date of the hand that the person opened last; empty before the first."""
    mine = attempts.c.player_id.in_(aliases.load_ids(tx, player_id))
    return get_day_date(str(tx.scalar(select(func.max(attempts.c.day)).where(mine)) or ""))


def find_unreachable_players(tx: Tx) -> list[int]:
    """Those who want reminders and can't be written to."""
    wants = (chats.c.kind == "private", text(HAS_CHOSEN_REMINDER), chats.c.gone == 1)
    return list(tx.scalars(select(chats.c.id).where(*wants)))


def delete_reminder_settings(tx: Tx, players: Collection[int]) -> None:
    """Remind them no more."""
    for row in tx.execute(select(chats.c.id, chats.c.settings).where(chats.c.id.in_(players))).all():
        kept = {key: value for key, value in parse_object(row.settings).items() if key != REMINDER_KEY}
        tx.execute(update(chats).where(chats.c.id == row.id).values(settings=json.dumps(kept)))
