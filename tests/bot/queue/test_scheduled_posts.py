"""Posts that the bot sends by itself are claimed and sent once."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from sqlalchemy import select

from bot.database import Tx
from bot.database.schema import scheduled_posts as table
from bot.durations import DAY
from bot.queue import scheduled_posts
from bot.queue.outgoing import Outgoing
from bot.queue.scheduled_posts import RETENTION, ScheduledPost
from bot.queue.timers import TimerContext
from tests.bot.databases import Database

NOW = 1_795_428_000.25


def load_claimed(tx: Tx, kind: str, *periods: str) -> set[tuple[int, str]]:
    """Return chat and period of the claimed posts of a kind."""
    rows = tx.execute(select(table.c.chat_id, table.c.period, table.c.what))
    return {(row.chat_id, row.period) for row in rows if row.what == kind and row.period in periods}


def is_waiting(tx: Tx, post: ScheduledPost) -> bool:
    return tx.execute(scheduled_posts.SELECT_UNSENT, scheduled_posts._make_key(post)).first() is not None


def release_post(tx: Tx, post: ScheduledPost) -> None:
    tx.execute(scheduled_posts.DELETE_UNSENT, scheduled_posts._make_key(post))


async def test_post_is_claimed_once_for_each_chat_kind_and_period(db: Database) -> None:
    def check(tx: Tx) -> None:
        assert scheduled_posts.claim_post(tx, -1, "week", "2026-W47", NOW) == ScheduledPost(
            -1, "week", "2026-W47", NOW
        )
        assert scheduled_posts.claim_post(tx, -1, "week", "2026-W47", NOW + 60) is None
        others = ((-2, "week", "2026-W47"), (-1, "table", "2026-W47"), (-1, "week", "2026-W48"))
        assert all(scheduled_posts.claim_post(tx, *other, NOW) for other in others)
        assert load_claimed(tx, "week", "2026-W47") == {(-1, "2026-W47"), (-2, "2026-W47")}
        assert [scheduled_posts.count_later_posts(tx, -1, "week", f"2026-W{n}") for n in (46, 47, 48)] == [
            2,
            1,
            0,
        ]

    await db(check)


async def test_released_post_is_claimed_again(db: Database) -> None:
    def check(tx: Tx) -> None:
        old = scheduled_posts.claim_post(tx, -1, "week", "2026-W47", NOW)
        assert old is not None
        release_post(tx, old)
        new = scheduled_posts.claim_post(tx, -1, "week", "2026-W47", NOW + 60)
        assert new is not None
        assert (is_waiting(tx, old), is_waiting(tx, new)) == (False, True)
        release_post(tx, old)
        assert is_waiting(tx, new)

    await db(check)


async def test_sent_post_waits_again_only_if_undelivered(db: Database) -> None:
    def check(tx: Tx) -> None:
        post = scheduled_posts.claim_post(tx, -1, "week", "2026-W47", NOW)
        assert post is not None
        assert scheduled_posts.parse_about(post.about) == post
        assert [scheduled_posts.mark_sent(tx, post.about, NOW + n) for n in (1, 2)] == [True, False]
        assert not is_waiting(tx, post)
        release_post(tx, post)
        assert scheduled_posts.claim_post(tx, -1, "week", "2026-W47", NOW + 60) is None
        scheduled_posts.mark_unsent(tx, post.about)
        assert is_waiting(tx, post)

    await db(check)


async def test_posts_migrate_with_their_chat(db: Database) -> None:
    def check(tx: Tx) -> None:
        for chat in (-1, -2):
            assert scheduled_posts.claim_post(tx, chat, "week", "2026-W47", NOW + chat)
        post = scheduled_posts.claim_post(tx, -1, "week", "2026-W48", NOW)
        assert post is not None
        for _ in range(2):
            scheduled_posts.move_posts(tx, -1, -2)
        assert load_claimed(tx, "week", "2026-W47", "2026-W48") == {
            (-2, "2026-W47"),
            (-2, "2026-W48"),
        }

    await db(check)


async def test_old_posts_are_deleted(db: Database) -> None:
    def check(tx: Tx) -> None:
        assert scheduled_posts.claim_post(tx, -1, "week", "2026-W30", NOW - RETENTION - 1)
        assert scheduled_posts.claim_post(tx, -1, "week", "2026-W31", NOW - RETENTION)
        assert scheduled_posts.claim_post(tx, -1, "week", "2026-W47", NOW - DAY)
        scheduled_posts.delete_old_posts(tx, NOW)
        weeks = ("2026-W30", "2026-W31", "2026-W47")
        assert load_claimed(tx, "week", *weeks) == {(-1, week) for week in weeks[1:]}

    await db(check)


async def test_last_post_of_each_kind_is_kept(db: Database) -> None:
    def check(tx: Tx) -> None:
        for chat, kind in ((-1, "week"), (-1, "day"), (-2, "week")):
            assert scheduled_posts.claim_post(tx, chat, kind, f"of {kind}", NOW)
        scheduled_posts.delete_old_posts(tx, NOW + RETENTION + DAY)
        assert load_claimed(tx, "week", "of week") == {(-1, "of week"), (-2, "of week")}
        assert load_claimed(tx, "day", "of day") == {(-1, "of day")}

    await db(check)


async def test_capacity_depends_on_unsent_posts_of_the_last_minute(db: Database) -> None:
    store: Any = SimpleNamespace(read=db)
    running = TimerContext(store, _fail, store)

    async def has_capacity(now: float = NOW) -> bool:
        return await scheduled_posts.has_capacity(running, now)

    def claim(tx: Tx, first: int, many: int, at: float) -> list[ScheduledPost | None]:
        return [scheduled_posts.claim_post(tx, -first - n, "week", "2026-W47", at) for n in range(many)]

    assert await has_capacity()
    await db(lambda tx: claim(tx, 1000, 500, NOW - scheduled_posts.UNSENT_WINDOW - 1))  # blocked chats
    await db(lambda tx: claim(tx, 2000, 500, NOW + 3600))  # claimed by a wrong clock
    assert await has_capacity()
    one, *_ = await db(lambda tx: claim(tx, 1, scheduled_posts.MAX_UNSENT, NOW))
    assert not await has_capacity()
    assert await has_capacity(NOW + scheduled_posts.UNSENT_WINDOW + 1)
    assert one
    await db(lambda tx: scheduled_posts.mark_sent(tx, one.about, NOW))
    assert await has_capacity()


async def test_due_posts_are_claimed_in_batches(db: Database) -> None:
    claimed_chats, due_chats = list[int](), list(range(-19, 0))

    async def act(effect: Callable[[Tx], list[Outgoing]]) -> None:
        await db(effect)

    def load_due(_: Tx, limit: int, now: float) -> list[int]:
        return due_chats[:limit]

    def find_period(_: Tx, chat_id: int, now: float) -> None:
        due_chats.remove(chat_id)
        claimed_chats.append(chat_id)

    store: Any = SimpleNamespace(read=db, now=lambda: NOW)
    running = TimerContext(store, act, store)

    async def claim_next() -> bool:
        return await scheduled_posts.claim_batch(running, "week", "post", load_due, find_period)

    assert [(await claim_next(), len(claimed_chats)) for _ in range(3)] == [
        (False, 8),
        (False, 16),
        (True, 19),
    ]
    due_chats += range(-8, 0)
    assert [(await claim_next(), len(claimed_chats)) for _ in range(2)] == [(False, 27), (True, 27)]
    due_chats += range(-3, 0)
    await db(
        lambda tx: [
            scheduled_posts.claim_post(tx, n, "week", "2026-W47", NOW)
            for n in range(scheduled_posts.MAX_UNSENT)
        ]
    )
    assert not await claim_next()
    assert len(claimed_chats) == 27


async def _fail(_: Any) -> None:
    raise AssertionError
