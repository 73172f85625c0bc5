"""Posts are sent one at a time, and none delays the next for long."""

import asyncio
from itertools import pairwise

import pytest

from bot.queue.pacing import SendMutex
from tests.fake_time import START, advance_time, now, with_fake_time


class Posts:
    def __init__(self) -> None:
        self.mutex = SendMutex(0.5, 0.5)
        self.times: list[tuple[str, float]] = []

    async def take(self, name: str, seconds: float, posts: bool = True) -> None:
        async with self.mutex.take_turn(posts):
            self.times.append((name, now() - START))
            await asyncio.sleep(seconds)


@with_fake_time
async def test_post_waits_for_the_one_before() -> None:
    posts = Posts()
    await asyncio.gather(*(posts.take(name, 0.25) for name in "abc"))
    assert posts.times == [("a", 0.0), ("b", 0.25), ("c", 0.5)]


@with_fake_time
async def test_slow_post_delays_the_next_for_a_limited_time() -> None:
    posts = Posts()
    await asyncio.gather(*(posts.take(name, 10.0) for name in "abc"))
    assert posts.times == [("a", 0.0), ("b", 0.5), ("c", 1.0)]


@with_fake_time
async def test_waiting_posts_share_their_patience() -> None:
    """One waits a second, four wait a quarter each, rounded up to tenths of a second."""
    mutex, times = SendMutex(0.1, 1.0), list[tuple[str, float]]()

    async def post(name: str, seconds: float) -> None:
        async with mutex.take_turn(True) as turn:
            await turn.prepare()
            turn.mark_sent()
            times.append((name, round(now() - START, 3)))
            await asyncio.sleep(seconds)

    await asyncio.gather(*(post(name, 10.0) for name in "abcde"))
    assert times == [("a", 0.0), ("b", 0.3), ("c", 0.7), ("d", 1.2), ("e", 2.2)]
    times.clear()
    began = now() - START
    await asyncio.gather(post("alone", 0.9), post("next", 0.0))
    assert [(name, round(at - began, 3)) for name, at in times] == [("alone", 0.0), ("next", 0.9)]


@with_fake_time
async def test_answered_post_delays_the_next_until_it_is_recorded() -> None:
    posts, order = Posts(), list[tuple[str, float]]()

    async def post(name: str, *phases: float) -> None:
        async with posts.mutex.take_turn(True) as turn:
            prepare_seconds, call_seconds, record_seconds = phases
            await asyncio.sleep(prepare_seconds)
            await turn.prepare()
            turn.mark_sent()
            order.append((name, now() - START))
            await asyncio.sleep(call_seconds)
            turn.mark_answered()
            await asyncio.sleep(record_seconds)

    await asyncio.gather(
        post("recorded late", 0.4, 0.4, 1.5),
        post("answered late", 0.0, 0.75, 0.0),
        post("barely recorded", 0.0, 0.0, 10.0),
        post("last", 0.0, 0.0, 0.0),
    )
    assert [name for name, _ in order] == ["recorded late", "answered late", "barely recorded", "last"]
    # 0.4 + 0.4 + 1.5; half a second for the answer; and no longer than that for the mark
    assert [at for _, at in order] == pytest.approx([0.4, 2.3, 2.8, 6.8])


@with_fake_time
async def test_post_waits_again_after_a_long_preparation() -> None:
    """While the database is slow, others may have sent posts that must be recorded first."""
    mutex, order = SendMutex(0.5, 0.5), list[tuple[str, float]]()

    async def post(name: str, prepare_seconds: float, record_seconds: float, since: float = 0.0) -> None:
        await asyncio.sleep(since)
        async with mutex.take_turn(True) as turn:
            await asyncio.sleep(prepare_seconds)
            await turn.prepare()
            turn.mark_sent()
            order.append((name, now() - START))
            turn.mark_answered()
            await asyncio.sleep(record_seconds)
            order.append((f"{name} is recorded", now() - START))

    await asyncio.gather(post("slow", 0.75, 0.5), post("quick", 0.0, 1.0), post("last", 0.0, 0.0, since=1.0))
    assert order == [
        ("quick", 0.5),
        ("quick is recorded", 1.5),
        ("slow", 1.5),
        ("slow is recorded", 2.0),
        ("last", 2.0),
        ("last is recorded", 2.0),
    ]


@with_fake_time
async def test_post_that_had_a_turn_comes_before_new_ones() -> None:
    """Each keeps its slot until it is sent."""
    mutex, slots, order = SendMutex(0.1, 0.1), asyncio.Semaphore(3), list[tuple[int, float]]()

    async def post(number: int) -> None:
        async with mutex.take_turn(True) as turn, slots:
            await asyncio.sleep(0.15)  # the shared pace
            await turn.prepare()
            turn.mark_sent()
            order.append((number, round(now() - START, 2)))
            turn.mark_answered()

    await asyncio.gather(*map(post, range(40)))
    assert [number for number, _ in order] == list(range(40))
    gaps = [later - prepare_seconds for (_, prepare_seconds), (_, later) in pairwise(order)]
    assert max(gaps) <= 0.15


@with_fake_time
async def test_cancelled_waiter_is_skipped() -> None:
    mutex, order = SendMutex(0.5, 0.5), list[str]()

    async def post(name: str) -> None:
        async with mutex.take_turn(True):
            order.append(name)
            await asyncio.sleep(0.25)

    tasks = {name: asyncio.create_task(post(name)) for name in "abcd"}
    await advance_time(0.1)
    tasks["b"].cancel()
    await advance_time(0.1)
    tasks["a"].cancel()  # c gets the turn, and is cancelled as well
    await asyncio.sleep(0)
    tasks["c"].cancel()
    await asyncio.gather(*tasks.values(), return_exceptions=True)
    assert order == ["a", "d"]
    async with asyncio.timeout(60.0):
        await post("e")


@with_fake_time
async def test_prepared_post_has_time_for_a_commit() -> None:
    posts, times = Posts(), list[float]()

    async def send_prepared() -> None:
        async with posts.mutex.take_turn(True) as turn:
            await turn.prepare()
            await asyncio.sleep(1.0)
            turn.mark_sent()
            times.append(now() - START)
            await asyncio.sleep(0.25)

    await asyncio.gather(send_prepared(), posts.take("next", 0.0))
    assert (times, posts.times) == ([1.0], [("next", 1.25)])


@with_fake_time
async def test_edit_does_not_wait() -> None:
    posts = Posts()
    await asyncio.gather(posts.take("a", 1.0), posts.take("edit", 1.0, posts=False))
    assert posts.times == [("a", 0.0), ("edit", 0.0)]


@with_fake_time
async def test_cancelled_post_releases_its_turn() -> None:
    posts = Posts()
    first = asyncio.create_task(posts.take("a", 10.0))
    await advance_time(0.25)
    first.cancel()
    await posts.take("b", 0.0)
    assert posts.times == [("a", 0.0), ("b", 0.25)]
    await advance_time(1.0)
    await posts.take("c", 0.0)


async def test_turn_is_free_after_all_posts_are_cancelled() -> None:
    """The holder is cancelled before those who wait."""
    mutex, acquired = SendMutex(5.0, 5.0), asyncio.Event()

    async def take() -> None:
        async with mutex.take_turn(is_post=True):
            acquired.set()
            await asyncio.sleep(3600)

    tasks = [asyncio.create_task(take()) for _ in range(3)]
    await acquired.wait()
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(end) for end in ends] == [asyncio.CancelledError] * 3
    async with asyncio.timeout(60):
        await mutex.acquire()
