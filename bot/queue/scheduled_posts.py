"""Scheduled posts, such as the week's winners: each is sent once for its chat and period.

A post is *claimed* by the transaction that stores its request, so that it is not claimed again. The request
is drawn when its turn comes: a post that is too late by then is dropped, and one that may not be sent then is
*released*, to be claimed anew. Before it is sent it is marked as *sent* and never sent again: after a crash
nobody knows whether it has arrived, and none is better than two.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, exists, select, update

from bot.database import Store, Tx, build_insert_if_new, delete_batch
from bot.database.schema import scheduled_posts as posts
from bot.durations import DAY
from bot.queue.outgoing import Outgoing
from bot.queue.rendering import RenderedRequest
from bot.queue.timers import TimerContext

RETENTION = 60 * DAY
# Posts of a kind that are claimed at one check. The bot sends some 25 posts a second, and those that
# people wait for stand behind what was claimed before.
CLAIM_LIMIT = 8
# Nothing is claimed while so many posts that were claimed within so many seconds are unsent: so people
# wait for two seconds at most. Older ones don't count, since their chats may have to wait for an hour.
MAX_UNSENT = 50
UNSENT_WINDOW = 60.0


@dataclass(frozen=True, slots=True)
class ScheduledPost:
    """A post that was claimed."""

    chat_id: int
    kind: str  # Also the kind of its `about`
    period: str  # The week or the day that it is for
    claimed_at: float  # Tells it from an earlier claim that was released

    @property
    def about(self) -> str:
        return f"{self.kind}:{self.period}:{self.chat_id}:{self.claimed_at!r}"

    def make_request(self, method: str, **more: Any) -> Outgoing:
        """Make the request to draw the post when its turn comes; `more` is for the function that draws it."""
        params = {"chat_id": self.chat_id, "period": self.period, "at": self.claimed_at, **more}
        return Outgoing(self.chat_id, method, params)


def parse_about(about: str) -> ScheduledPost:
    kind, period, chat_id, at = about.split(":")
    return ScheduledPost(int(chat_id), kind, period, float(at))


SELECT_RECENT_UNSENT = (
    select(posts.c.at)
    .where(posts.c.at > bindparam("since"), posts.c.at <= bindparam("now"), posts.c.sent.is_(None))
    .limit(MAX_UNSENT)
)


async def has_capacity(context: TimerContext, now: float) -> bool:
    """Whether fewer than `MAX_UNSENT` recent posts are unsent, so that more may be claimed."""
    span = {"since": now - UNSENT_WINDOW, "now": now}
    unsent = await context.store.read(lambda tx: tx.scalars(SELECT_RECENT_UNSENT, span).all())
    return len(unsent) < MAX_UNSENT


async def claim_batch(
    context: TimerContext,
    kind: str,
    method: str,
    find_due: Callable[..., list[int]],
    find_period: Callable[..., str | None],
    make_params: Callable[[int], dict[str, str]] = lambda _: {},
) -> bool:
    """Claim the posts of some due chats, and request each by `method`; return False if more may be due.

    `find_period` tells for which period a chat is due a post, claimed or not. `make_params` returns what else
    to store in the request of a chat.
    """
    now = context.inbox.now()

    def claim(tx: Tx, chat_id: int) -> list[Outgoing]:
        period = find_period(tx, chat_id=chat_id, now=now)
        if not period:
            return []
        post = claim_post(tx, chat_id, kind, period, now)
        return [post.make_request(method, **make_params(chat_id))] if post else []

    if not await has_capacity(context, now):
        return False
    chats = await context.store.read(lambda tx: find_due(tx, limit=CLAIM_LIMIT, now=now))
    for chat_id in chats:
        await context.run_effect(partial(claim, chat_id=chat_id))
    return len(chats) < CLAIM_LIMIT


@cache
def _build_claim(dialect: str) -> Any:
    return build_insert_if_new(dialect, posts).returning(posts.c.at)


def claim_post(tx: Tx, chat_id: int, kind: str, period: str, now: float) -> ScheduledPost | None:
    """Claim a post; None if it is claimed already."""
    row = {"chat_id": chat_id, "what": kind, "period": period, "at": now}
    claimed_at = tx.scalar(_build_claim(tx.dialect.name), row)
    if claimed_at is None:  # the row is there already
        return None
    return ScheduledPost(chat_id, kind, period, now)


def build_claimed_condition(chat_id: ColumnElement[int], kind: str, period: str) -> ColumnElement[bool]:
    """Build the condition that a chat's post of this kind and period is claimed."""
    return exists().where(posts.c.chat_id == chat_id, posts.c.what == kind, posts.c.period == period)


OF_KIND = (posts.c.chat_id == bindparam("chat"), posts.c.what == bindparam("kind"))
SELECT_LATER = select(posts.c.period).where(*OF_KIND, posts.c.period > bindparam("time"))


def count_later_posts(tx: Tx, chat_id: int, kind: str, period: str) -> int:
    """Return how many posts of this kind were claimed for a chat and later periods."""
    later = tx.execute(SELECT_LATER, {"chat": chat_id, "kind": kind, "time": period})
    return len(later.all())


IS_POST = (*OF_KIND, posts.c.period == bindparam("time"), posts.c.at == bindparam("since"))
IS_UNSENT = (*IS_POST, posts.c.sent.is_(None))
SELECT_UNSENT = select(posts.c.at).where(*IS_UNSENT)
DELETE_UNSENT = delete(posts).where(*IS_UNSENT)
MARK_SENT = update(posts).where(*IS_UNSENT)
MARK_UNSENT = update(posts).where(*IS_POST)


def _make_key(post: ScheduledPost) -> dict[str, Any]:
    return {"chat": post.chat_id, "kind": post.kind, "time": post.period, "since": post.claimed_at}


async def render_or_release(
    store: Store, kind: str, request: Outgoing, render: Callable[[Tx, ScheduledPost], Outgoing | None]
) -> RenderedRequest | None:
    """Return what `render` makes of a claimed post that was not sent.

    If `render` returns None, or the post was sent before, return None and release an unsent post, to be
    claimed anew. A sent post that may have arrived is rendered too: if it is found, that message is stored.
    """
    params = request.params  # those of `ScheduledPost.make_request`
    post = ScheduledPost(params["chat_id"], kind, params["period"], claimed_at=params["at"])
    check = request.state.check
    is_sought = check is not None and not check.over

    def render_unsent(tx: Tx) -> Outgoing | None:
        is_unsent = tx.execute(SELECT_UNSENT, _make_key(post)).first() is not None
        if is_sought or is_unsent:
            return render(tx, post)
        return None

    message = await store.read(render_unsent)
    if message is None:
        await store.write(lambda tx: tx.execute(DELETE_UNSENT, _make_key(post)))
        return None
    return RenderedRequest(message, is_first_send=True)


def mark_sent(tx: Tx, about: str, now: float) -> bool:
    """Mark the post of this `about` as sent, just before it is; False if it was marked or released before."""
    key = _make_key(parse_about(about))
    return tx.execute(MARK_SENT, {**key, "sent": now}).rowcount == 1


def mark_unsent(tx: Tx, about: str) -> None:
    """Let a post that has not arrived be sent again."""
    key = _make_key(parse_about(about))
    tx.execute(MARK_UNSENT, {**key, "sent": None})


def delete_old_posts(tx: Tx, now: float) -> bool:
    """Delete a batch of old posts but the last of each kind; return whether there may be more."""
    later = posts.alias()
    same_kind = (later.c.chat_id == posts.c.chat_id, later.c.what == posts.c.what)
    # The last one is kept, so that it is not sent again after the clock was set back.
    has_later = exists().where(*same_kind, later.c.period > posts.c.period)
    return delete_batch(tx, posts, posts.c.at < now - RETENTION, has_later)


def move_posts(tx: Tx, old: int, new: int) -> None:
    """Give a chat's posts to its new id; delete those that the new id has already."""
    old_rows = tx.execute(select(posts).where(posts.c.chat_id == old)).mappings()
    new_rows = [{**row, "chat_id": new} for row in old_rows]
    if new_rows:
        tx.execute(build_insert_if_new(tx.dialect.name, posts), new_rows)
    tx.execute(delete(posts).where(posts.c.chat_id == old))
