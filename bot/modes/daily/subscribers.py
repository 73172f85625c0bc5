"""Find the groups that are due a table of the day, and the players who are due a reminder."""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice

from sqlalchemy import ColumnElement, TextClause, bindparam, exists, func, select, text, update

from bot.admin.settings.post_hours import REMINDER_KEY, read_reminder_minute
from bot.admin.settings.preferences import Preferences, read_group_preferences
from bot.database import Tx, parse_object
from bot.database.schema import HAS_CHOSEN_POSTS, HAS_CHOSEN_REMINDER, attempts, chats, daily_tables
from bot.modes.daily.queries import load_attempt
from bot.modes.daily.rules import format_utc_date, get_day_date, get_day_if_due, get_day_if_table_due
from bot.players.privacy import aliases
from bot.queue import scheduled_posts
from bot.queue.scheduled_posts import BEFORE_ALL_CHATS

TABLE_KIND, REMINDER_KIND = "table", "reminder"  # Kinds of scheduled posts

Conditions = Sequence[ColumnElement[bool] | TextClause]

WANTS_TABLE: Conditions = (chats.c.kind != "private", chats.c.gone == 0, text(HAS_CHOSEN_POSTS))
HAS_TABLE = exists().where(daily_tables.c.day == bindparam("day"), daily_tables.c.chat_id == chats.c.id)


def find_groups_due_a_table(tx: Tx, limit: int, now: float) -> list[int]:
    """Return up to `limit` groups that are due today's table and have none."""
    found = _find_due_chats(tx, TABLE_KIND, WANTS_TABLE, HAS_TABLE, get_day_if_table_due, now, limit)
    return list(islice(found, limit))


def get_due_table_day(tx: Tx, chat_id: int, now: float) -> str | None:
    """Return today's date if the group is due today's table and has none, else None."""
    chosen = _load_preferences(tx, chat_id)
    day = get_day_if_table_due(chosen, now) if chosen else None
    here = (daily_tables.c.day == day, daily_tables.c.chat_id == chat_id)
    return None if day is None or tx.execute(select(daily_tables.c.day).where(*here)).first() else day


WANTS_REMINDER: Conditions = (chats.c.kind == "private", chats.c.gone == 0, text(HAS_CHOSEN_REMINDER))
HAS_OPENED = exists().where(attempts.c.day == bindparam("day"), attempts.c.player_id == chats.c.id)


def find_players_due_a_reminder(tx: Tx, limit: int, now: float) -> list[int]:
    """Return up to `limit` players who are due today's reminder and have not opened today's hand."""
    get_due_day = _get_day_if_reminder_due
    found = _find_due_chats(tx, REMINDER_KIND, WANTS_REMINDER, HAS_OPENED, get_due_day, now, limit)
    # `HAS_OPENED` misses attempts under the alias of a player who came back.
    return list(islice((player for player in found if get_due_reminder_day(tx, player, now)), limit))


def get_due_reminder_day(tx: Tx, player_id: int, now: float) -> str | None:
    """Return today's date if the player is due a reminder and has not opened today's hand, else None."""
    chosen = _load_preferences(tx, player_id)
    day = _get_day_if_reminder_due(chosen, now) if chosen else None
    return None if day is None or load_attempt(tx, day, player_id) else day


def _get_day_if_reminder_due(chosen: Preferences, now: float) -> str | None:
    minute = read_reminder_minute(chosen)
    return None if minute is None else get_day_if_due(chosen, minute, now)


def _find_due_chats(
    tx: Tx,
    kind: str,
    wants_post: Conditions,
    is_done: ColumnElement[bool],
    get_due_day: Callable[[Preferences, float], str | None],
    now: float,
    page: int,
) -> Iterator[int]:
    """Yield the chats that want the post, are due it now, are not done, and were not claimed today.

    Many chats have the same settings, so the due day is computed once for each distinct value of them. Chats
    are read a `page` at a time.
    """
    was_claimed = scheduled_posts.build_claimed_condition(chats.c.id, kind, format_utc_date(now))
    distinct = tx.scalars(select(chats.c.settings).where(*wants_post).distinct()).all()
    query = (
        select(chats.c.id)
        .where(*wants_post, ~was_claimed, ~is_done)
        .where(chats.c.settings == bindparam("settings"), chats.c.id > bindparam("after"))
        .order_by(chats.c.id)
        .limit(page)
    )
    for settings in distinct:
        day = get_due_day(read_group_preferences(parse_object(settings)), now)
        after = BEFORE_ALL_CHATS
        while day and (found := tx.scalars(query, {"settings": settings, "day": day, "after": after}).all()):
            yield from found
            after = found[-1]


def _load_preferences(tx: Tx, chat_id: int) -> Preferences | None:
    row = tx.execute(select(chats.c.settings).where(chats.c.id == chat_id)).first()
    return read_group_preferences(parse_object(row.settings)) if row else None


def load_last_opened_date(tx: Tx, player_id: int) -> str:
    """Load the date of the hand that the player opened last; empty if there is none."""
    own = attempts.c.player_id.in_(aliases.load_ids(tx, player_id))
    return get_day_date(str(tx.scalar(select(func.max(attempts.c.day)).where(own)) or ""))


def find_unreachable_players(tx: Tx) -> list[int]:
    """Return the players who want reminders but have blocked the bot."""
    wants_reminder = (chats.c.kind == "private", text(HAS_CHOSEN_REMINDER))
    return list(tx.scalars(select(chats.c.id).where(*wants_reminder, chats.c.gone == 1)))


def delete_reminder_settings(tx: Tx, players: Collection[int]) -> None:
    """Turn the reminders of these players off."""
    for row in tx.execute(select(chats.c.id, chats.c.settings).where(chats.c.id.in_(players))).all():
        others = {key: value for key, value in parse_object(row.settings).items() if key != REMINDER_KEY}
        tx.execute(update(chats).where(chats.c.id == row.id).values(settings=json.dumps(others)))
