"""Posts that nobody asked for: each once for its chat and period, whatever happens to the process.

A post is *claimed* by the transaction that stores its request, so that no other look at the clock claims it
too. The request is drawn when its turn comes: what comes too late by then is let go, and what may not be said
just now is *released*, to be claimed anew. Before it goes out it is noted as *sent*, and from then on it is
not sent again: a process that ends there can't know whether it arrived, and twice is worse than not at all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, exists, select, update

from bot.database import Tx, build_insert_if_new, delete_batch
from bot.database.schema import scheduled_posts as posts
from bot.durations import DAY
from bot.queue.delivery_check import CHECK_KEY
from bot.queue.timers import TimerContext
from bot.telegram.messages import Request

RETENTION = 60 * DAY  # Seconds for which it is remembered that something was posted
BEFORE_ALL_CHATS = -(2**62)  # Less than any chat's number: where a walk through chats begins
# Posts of a kind that one look at the clock claims at most: a bot posts some 25 a second in all, those of
# games among them, which wait behind what was claimed before. Nor is anything else done by the clock
# meanwhile.
CLAIM_LIMIT = 8
# So much of what was claimed in the last so many seconds may not have gone out; else no look claims more. So
# games never wait behind more of them than go in two seconds. What has waited for longer hinders none: its
# chat may have to wait for an hour, or nothing goes at all just now.
MAX_UNSENT, UNSENT_WINDOW = 50, 60.0

# Built once, since building takes longer than the database does

HERE = (posts.c.chat_id == bindparam("chat"), posts.c.what == bindparam("kind"))
THIS = (*HERE, posts.c.period == bindparam("time"), posts.c.at == bindparam("since"))
UNSENT = (*THIS, posts.c.sent.is_(None))
WAITS, RELEASE = select(posts.c.at).where(*UNSENT), delete(posts).where(*UNSENT)
LEAVE, COME_BACK = update(posts).where(*UNSENT), update(posts).where(*THIS)
CLAIMED = select(posts.c.chat_id, posts.c.period).where(
    posts.c.what == bindparam("kind"), posts.c.period.in_(bindparam("periods", expanding=True))
)
WAITING = (
    select(posts.c.at)
    .where(posts.c.at > bindparam("since"), posts.c.at <= bindparam("now"), posts.c.sent.is_(None))
    .limit(MAX_UNSENT)
)
LATER = select(posts.c.period).where(*HERE, posts.c.period > bindparam("time"))


@cache
def _claiming(dialect: str) -> Any:
    """An INSERT of a post that tells when it was claimed, and nothing where it was before."""
    return build_insert_if_new(dialect, posts).returning(posts.c.at)


@dataclass(frozen=True, slots=True)
class ScheduledPost:
    """One such post."""

    chat_id: int
    kind: str  # Its kind of receipt
    period: str  # The week or the day that it is for
    claimed_at: float  # When it was claimed: that tells it from one that was released

    @property
    def about(self) -> str:
        """By which it is known once it goes out."""
        return f"{self.kind}:{self.period}:{self.chat_id}:{self.claimed_at!r}"

    def make_request(self, method: str, **more: Any) -> Request:
        """The request that is drawn when its turn comes; `more` is for whoever draws it."""
        params = {"chat_id": self.chat_id, "period": self.period, "at": self.claimed_at, **more}
        return Request(self.chat_id, {"method": method, "params": params})


def parse_about(about: str) -> ScheduledPost:
    """The post that goes out."""
    what, period, chat_id, at = about.split(":")
    return ScheduledPost(int(chat_id), what, period, float(at))


def read_post(what: str, body: dict[str, Any]) -> ScheduledPost:
    """The post that a stored request stands for."""
    params = body["params"]
    return ScheduledPost(params["chat_id"], what, params["period"], params["at"])


async def has_capacity(running: TimerContext, now: float) -> bool:
    """Whether some more may be claimed: else the games would be kept waiting by these."""
    since = {"since": now - UNSENT_WINDOW, "now": now}
    return await running.store.read(lambda tx: len(tx.scalars(WAITING, since).all())) < MAX_UNSENT


async def claim_for_chats(
    running: TimerContext, chats: Sequence[int], claims: Callable[..., list[Request]]
) -> None:
    """Claim what these chats are due, each in a transaction of its own."""
    for chat_id in chats:
        await running.run_effect(partial(claims, chat_id=chat_id))


async def claim_batch(
    running: TimerContext,
    now: float,
    due: Callable[[Tx, int], list[int]],
    claims: Callable[..., list[Request]],
) -> bool:
    """Claim what a few chats are due, of those that are `due` it by its limit; False where more may be."""
    if not await has_capacity(running, now):
        return False
    chats = await running.store.read(lambda tx: due(tx, CLAIM_LIMIT))
    await claim_for_chats(running, chats, claims)
    return len(chats) < CLAIM_LIMIT


def claim_post(tx: Tx, chat_id: int, what: str, period: str, now: float) -> ScheduledPost | None:
    """Take a post upon this transaction; None when it was before."""
    row = {"chat_id": chat_id, "what": what, "period": period, "at": now}
    new = tx.scalar(_claiming(tx.dialect.name), row)
    return None if new is None else ScheduledPost(chat_id, what, period, now)


def load_claimed(tx: Tx, what: str, *periods: str) -> set[tuple[int, str]]:
    """Chat and period of the posts of that kind that were claimed."""
    found = tx.execute(CLAIMED, {"kind": what, "periods": periods})
    return {(row.chat_id, row.period) for row in found}


def build_claimed_condition(chat_id: ColumnElement[int], what: str, period: str) -> ColumnElement[bool]:
    """The condition that the post of that kind was claimed for a chat and period."""
    return exists().where(posts.c.chat_id == chat_id, posts.c.what == what, posts.c.period == period)


def is_waiting(tx: Tx, due: ScheduledPost) -> bool:
    """Whether it is claimed and has not gone out."""
    return tx.execute(WAITS, _this(due)).first() is not None


def is_being_checked(body: dict[str, Any]) -> bool:
    """Whether a stored request's post is still to be looked for: it went out, and may stand in its chat."""
    return bool(body.get(CHECK_KEY)) and not body[CHECK_KEY]["over"]


def release_post(tx: Tx, due: ScheduledPost) -> None:
    """Let it be claimed anew."""
    tx.execute(RELEASE, _this(due))


def mark_sent(tx: Tx, about: str, now: float) -> bool:
    """It is about to be sent; whether for the first time."""
    return tx.execute(LEAVE, _this(parse_about(about)) | {"sent": now}).rowcount == 1


def mark_unsent(tx: Tx, about: str) -> None:
    """It did not arrive, and may be sent again."""
    tx.execute(COME_BACK, _this(parse_about(about)) | {"sent": None})


def count_later_posts(tx: Tx, chat_id: int, what: str, period: str) -> int:
    """How many of that kind were claimed for a chat, for later periods than that."""
    return len(tx.execute(LATER, {"chat": chat_id, "kind": what, "time": period}).all())


def delete_old_posts(tx: Tx, now: float) -> bool:
    """Let go of what was posted long ago, but for the last of each kind: a clock may be set back.

    Whether there may be more.
    """
    later = posts.alias()
    same = (later.c.chat_id == posts.c.chat_id, later.c.what == posts.c.what)
    followed = exists().where(*same, later.c.period > posts.c.period)
    return delete_batch(tx, posts, posts.c.at < now - RETENTION, followed)


def move_posts(tx: Tx, old: int, new: int) -> None:
    """What was posted in chat `old` was posted in `new`."""
    here = select(posts).where(posts.c.chat_id == old)
    rows = [{**row, "chat_id": new} for row in tx.execute(here).mappings()]
    if rows:
        tx.execute(build_insert_if_new(tx.dialect.name, posts), rows)
    tx.execute(delete(posts).where(posts.c.chat_id == old))


def _this(due: ScheduledPost) -> dict[str, Any]:
    return {"chat": due.chat_id, "kind": due.kind, "time": due.period, "since": due.claimed_at}
