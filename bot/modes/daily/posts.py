"""Scheduled posts about today's hand: a group's table, and a player's reminder."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from sqlalchemy import ColumnElement, TextClause, bindparam, exists, select, text

from bot import zones
from bot.database import Tx
from bot.database.schema import HAS_CHOSEN_POSTS, HAS_CHOSEN_REMINDER, attempts, chats, daily_tables
from bot.durations import HOUR
from bot.modes.daily.rules import format_utc_date
from bot.players.choices import StoredChoices
from bot.players.post_hours import read_post_preferences, read_reminder_minute
from bot.players.preferences import Preferences, get_quiet_end, read_group_preferences
from bot.queue import scheduled_posts
from bot.queue.outgoing import DRAWN_POST_PREFIX, Outgoing
from bot.queue.rendering import RenderedRequest
from bot.queue.scheduled_posts import ScheduledPost
from bot.queue.timers import TimerContext
from bot.telegram.routes import RenderContext, Renderer

MAX_POST_DELAY = 6 * HOUR  # After it a table or a reminder that is due is no longer posted


def is_post_due(chosen: Preferences, minute: int | None, now: float) -> bool:
    """Whether a post about today's hand for that minute of the chat's day is due at `now`; never for None.

    A post that falls into the quiet hours is due at their end. It may be late by `MAX_POST_DELAY`, but not
    sent on another UTC date, which has another hand.
    """
    if minute is None:
        return False
    wanted_at = zones.find_last_time(chosen.zone, minute, now)
    due_at = get_quiet_end(chosen, wanted_at) or wanted_at
    if now - due_at > MAX_POST_DELAY or format_utc_date(due_at) != format_utc_date(now):
        return False
    return get_quiet_end(chosen, now) is None  # not in quiet hours


@dataclass(frozen=True, slots=True)
class DailyPost:
    name: str
    method: str  # Of its request, which is rendered when it is sent
    wants_post: Sequence[ColumnElement[bool] | TextClause]  # Conditions of chats that may want it
    is_needless: ColumnElement[bool]  # The chat has the table of `:day`, or the player opened its hand
    read_minute: Callable[[Preferences], int | None]  # Of the day for which a chat wants it; None: it doesn't


def _read_table_minute(chosen: Preferences) -> int | None:
    wanted = read_post_preferences(chosen)
    return wanted.minute if wanted.wants_daily else None


TABLE = DailyPost(
    "table",
    f"{DRAWN_POST_PREFIX}daily table",
    (chats.c.kind != "private", chats.c.gone == 0, text(HAS_CHOSEN_POSTS)),
    exists().where(daily_tables.c.day == bindparam("day"), daily_tables.c.chat_id == chats.c.id),
    _read_table_minute,
)
REMINDER = DailyPost(
    "reminder",
    f"{DRAWN_POST_PREFIX}daily reminder",
    (chats.c.kind == "private", chats.c.gone == 0, text(HAS_CHOSEN_REMINDER)),
    exists().where(attempts.c.day == bindparam("day"), attempts.c.player_id == chats.c.id),
    read_reminder_minute,
)


async def claim_due_posts(
    timer: TimerContext, kind: DailyPost, make_params: Callable[[int], dict[str, str]] = lambda _: {}
) -> bool:
    """Claim the posts of some chats that are due them; False if there may be more. See `claim_batch`."""
    find_due, find_date = partial(find_due_chats, kind=kind), partial(_load_due_date, kind=kind)
    return await scheduled_posts.claim_batch(timer, kind.name, kind.method, find_due, find_date, make_params)


def find_due_chats(tx: Tx, limit: int, kind: DailyPost, now: float) -> list[int]:
    """Return up to `limit` chats that are due the post of today and have not been claimed for it.

    Many chats have the same settings, so each distinct value of them is judged once.
    """
    day = format_utc_date(now)
    due_chats = list[int]()
    was_claimed = scheduled_posts.build_claimed_condition(chats.c.id, kind.name, day)
    query = select(chats.c.id).where(*kind.wants_post, ~was_claimed, ~kind.is_needless).order_by(chats.c.id)
    for settings in tx.scalars(select(chats.c.settings).where(*kind.wants_post).distinct()).all():
        if len(due_chats) < limit and _is_due(kind, settings, now):
            having_these = query.where(chats.c.settings == settings).limit(limit - len(due_chats))
            due_chats += tx.scalars(having_these, {"day": day})  # `is_needless` needs the day
    return due_chats


def _load_due_date(tx: Tx, chat_id: int, kind: DailyPost, now: float) -> str | None:
    """Return today's date if the chat is due the post, claimed or not, else None."""
    day = format_utc_date(now)
    query = select(chats.c.settings).where(chats.c.id == chat_id, ~kind.is_needless)
    settings = tx.scalar(query, {"day": day})  # `is_needless` needs the day
    return day if _is_due(kind, settings, now) else None


def _is_due(kind: DailyPost, settings: str | None, now: float) -> bool:
    """Whether a chat with these stored settings is due the post; never for None, the default settings."""
    chosen = read_group_preferences(StoredChoices.parse(settings))
    return is_post_due(chosen, kind.read_minute(chosen), now)


def make_renderer(
    kind: DailyPost, render: Callable[[Tx, ScheduledPost, Outgoing, float], Outgoing]
) -> Renderer:
    """Make the renderer of claimed posts, which releases the claim of one that is no longer due."""

    async def render_if_due(context: RenderContext, request: Outgoing) -> RenderedRequest | None:
        def render_due(tx: Tx, post: ScheduledPost) -> Outgoing | None:
            is_still_due = _load_due_date(tx, post.chat_id, kind, context.now) == post.period
            return render(tx, post, request, context.now) if is_still_due else None

        return await scheduled_posts.render_or_release(context.store, kind.name, request, render_due)

    return render_if_due
