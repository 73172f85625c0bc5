"""What comes while a batch is processed forms the next one."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from bot.queue.batcher import Batcher
from bot.queue.inbox import InboxFullError


class Slow:
    """Stores nothing before it is let."""

    def __init__(self) -> None:
        self.batches: list[list[Any]] = []
        self.go = asyncio.Semaphore(0)
        self.trouble: Exception | None = None

    async def accept(self, updates: Sequence[Any]) -> None:
        self.batches.append(list(updates))
        await self.go.acquire()
        if self.trouble is not None:
            raise self.trouble


async def coming(batcher: Batcher[Any, None], *updates: Any) -> list[asyncio.Task[None]]:
    """Updates that have come in, each at its own door."""
    tasks = [asyncio.create_task(batcher.submit(update)) for update in updates]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


async def test_what_comes_meanwhile_is_stored_together() -> None:
    slow = Slow()
    batcher = Batcher[Any, None](slow.accept, 100)
    (first,) = await coming(batcher, 1)
    others = await coming(batcher, 2, 3)
    assert slow.batches == [[1]]
    slow.go.release()
    await first
    assert [task.done() for task in others] == [False, False]
    slow.go.release()
    await asyncio.gather(*others)
    assert slow.batches == [[1], [2, 3]]


async def test_a_transaction_takes_a_hundred() -> None:
    slow = Slow()
    batcher = Batcher[Any, None](slow.accept, 100)
    tasks = await coming(batcher, *range(250))
    for _ in range(3):
        slow.go.release()
    await asyncio.gather(*tasks)
    assert [len(batch) for batch in slow.batches] == [100, 100, 50]
    assert [update for batch in slow.batches for update in batch] == list(range(250))


async def test_each_is_told_that_there_is_no_room_and_the_next_may_have_some() -> None:
    slow = Slow()
    batcher = Batcher[Any, None](slow.accept, 100)
    slow.trouble = InboxFullError("20000 updates wait")
    tasks = await coming(batcher, 1, 2)
    slow.go.release()
    for task in tasks:
        with pytest.raises(InboxFullError, match="20000 updates wait"):
            await task
    slow.trouble = None
    (later,) = await coming(batcher, 3)
    slow.go.release()
    await later
    assert slow.batches == [[1, 2], [3]]


async def test_who_hangs_up_takes_nothing_with_it() -> None:
    slow = Slow()
    batcher = Batcher[Any, None](slow.accept, 100)
    gone, stays = await coming(batcher, 1, 2)
    gone.cancel()
    slow.go.release()
    await stays
    assert slow.batches == [[1, 2]]
    assert gone.cancelled()
