"""Scheduled posts about today's hand: a group's table, and a player's reminder."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, TextClause, bindparam, exists, select, text

from bot import zones
from bot.admin.settings.post_hours import read_post_preferences, read_reminder_minute
from bot.admin.settings.preferences import Preferences, get_quiet_end, read_group_preferences
from bot.database import Store, Tx, parse_object
from bot.database.schema import HAS_CHOSEN_POSTS, HAS_CHOSEN_REMINDER, attempts, chats, daily_tables
from bot.durations import HOUR
from bot.modes.daily.rules import format_utc_date
from bot.queue import scheduled_posts
from bot.queue.queries import DRAWN_POST_PREFIX
from bot.queue.scheduled_posts import ScheduledPost
from bot.queue.timers import TimerContext
from bot.telegram.messages import Request

MAX_POST_DELAY = 6 * HOUR  # After it a table or a reminder that is due is no longer posted


def is_table_due(chosen: Preferences, now: float) -> bool:
    """Whether a group with these settings is due the table of today's hand at `now`."""
    wanted = read_post_preferences(chosen)
    return wanted.wants_daily and is_post_due(chosen, wanted.minute, now)


def is_reminder_due(chosen: Preferences, now: float) -> bool:
    """Whether a player with these settings is due a reminder of today's hand at `now`."""
    minute = read_reminder_minute(chosen)
    return minute is not None and is_post_due(chosen, minute, now)


def is_post_due(chosen: Preferences, minute: int, now: float) -> bool:
    """Whether a post about today's hand for that minute of the chat's day is due at `now`.

    A post that falls into the quiet hours is due at their end. It may be late by `MAX_POST_DELAY`, but not
    sent on another UTC date, which has another hand.
    """
    wanted_at = zones.find_last_time(chosen.zone, minute, now)
    due_at = get_quiet_end(chosen, wanted_at) or wanted_at
    if now - due_at > MAX_POST_DELAY or format_utc_date(due_at) != format_utc_date(now):
        return False
    return get_quiet_end(chosen, now) is None  # not in quiet hours


@dataclass(frozen=True, slots=True)
class DailyPost:
    """A kind of scheduled post about today's hand."""

    name: str
    method: str  # The pseudo-method of its request, which is rendered when it is sent
    wants_post: Sequence[ColumnElement[bool] | TextClause]  # Conditions of chats that may want it
    is_needless: ColumnElement[bool]  # The chat has the table of `:day`, or the player opened its hand
    is_due: Callable[[Preferences, float], bool]


TABLE = DailyPost(
    "table",
    f"{DRAWN_POST_PREFIX}daily table",
    (chats.c.kind != "private", chats.c.gone == 0, text(HAS_CHOSEN_POSTS)),
    exists().where(daily_tables.c.day == bindparam("day"), daily_tables.c.chat_id == chats.c.id),
    is_table_due,
)
REMINDER = DailyPost(
    "reminder",
    f"{DRAWN_POST_PREFIX}daily reminder",
    (chats.c.kind == "private", chats.c.gone == 0, text(HAS_CHOSEN_REMINDER)),
    exists().where(attempts.c.day == bindparam("day"), attempts.c.player_id == chats.c.id),
    is_reminder_due,
)


async def claim_due_posts(
    timer: TimerContext, kind: DailyPost, make_params: Callable[[int], dict[str, str]] = lambda _: {}
) -> bool:
    """Claim the posts of a batch of chats that are due them; False if there may be more.

    `make_params` returns what else to store in the request of a chat.
    """
    now = timer.inbox.now()

    def claim(tx: Tx, chat_id: int) -> list[Request]:
        """Claim the chat's post and make its request; return [] if it is not due or claimed already."""
        day = _load_due_date(tx, kind, chat_id, now)
        if day is None:
            return []
        post = scheduled_posts.claim_post(tx, chat_id, kind.name, day, now)
        return [post.make_request(kind.method, **make_params(chat_id))] if post else []

    return await scheduled_posts.claim_batch(timer, now, partial(find_due_chats, kind=kind, now=now), claim)


def find_due_chats(tx: Tx, limit: int, kind: DailyPost, now: float) -> list[int]:
    """Return up to `limit` chats that are due the post of today and have not been claimed for it.

    Many chats have the same settings, so each distinct value of them is judged once.
    """
    day = format_utc_date(now)
    due_chats = list[int]()
    was_claimed = scheduled_posts.build_claimed_condition(chats.c.id, kind.name, day)
    query = select(chats.c.id).where(*kind.wants_post, ~was_claimed, ~kind.is_needless).order_by(chats.c.id)
    for settings in tx.scalars(select(chats.c.settings).where(*kind.wants_post).distinct()).all():
        if len(due_chats) < limit and kind.is_due(read_group_preferences(parse_object(settings)), now):
            having_these = query.where(chats.c.settings == settings).limit(limit - len(due_chats))
            due_chats += tx.scalars(having_these, {"day": day})  # `is_needless` needs the day
    return due_chats


def _load_due_date(tx: Tx, kind: DailyPost, chat_id: int, now: float) -> str | None:
    """Return today's date if the chat is due the post, claimed or not, else None."""
    day = format_utc_date(now)
    query = select(chats.c.settings).where(chats.c.id == chat_id, ~kind.is_needless)
    settings = tx.scalar(query, {"day": day})  # `is_needless` needs the day
    # Without a row these are the default preferences, by which no post is due
    chosen = read_group_preferences(parse_object(settings))
    return day if kind.is_due(chosen, now) else None


async def render_if_due(
    store: Store,
    kind: DailyPost,
    body: dict[str, Any],
    now: float,
    render: Callable[[Tx, ScheduledPost], Request],
) -> dict[str, Any] | None:
    """Render a claimed post when it is sent; release the claim and return None if it is no longer due.

    A post that may have arrived is rendered too: if it is found in the chat, that message is stored.
    """

    def render_due(tx: Tx, post: ScheduledPost) -> Request | None:
        is_still_due = _load_due_date(tx, kind, post.chat_id, now) == post.period
        return render(tx, post) if is_still_due else None

    return await scheduled_posts.render_or_release(store, kind.name, body, render_due, seeks_lost=True)
