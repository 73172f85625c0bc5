"""Items that are submitted while a batch is processed form the next batch."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from bot.database.store import Batcher
from bot.queue.inbox import InboxFullError


class SlowInbox:
    """An inbox that stores a batch once the test releases `go`."""

    def __init__(self) -> None:
        self.batches: list[list[Any]] = []
        self.go = asyncio.Semaphore(0)
        self.error: Exception | None = None

    async def accept(self, updates: Sequence[Any]) -> None:
        self.batches.append(list(updates))
        await self.go.acquire()
        if self.error is not None:
            raise self.error


async def submit_each(batcher: Batcher[Any], *updates: Any) -> list[asyncio.Task[None]]:
    """Submit each update in a task of its own."""
    tasks = [asyncio.create_task(batcher.submit(update)) for update in updates]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


async def test_items_submitted_meanwhile_are_stored_together() -> None:
    inbox = SlowInbox()
    batcher = Batcher[Any](inbox.accept, 100)
    (first,) = await submit_each(batcher, 1)
    others = await submit_each(batcher, 2, 3)
    assert inbox.batches == [[1]]
    inbox.go.release()
    await first
    assert [task.done() for task in others] == [False, False]
    inbox.go.release()
    await asyncio.gather(*others)
    assert inbox.batches == [[1], [2, 3]]


async def test_batch_has_a_hundred_items_at_most() -> None:
    inbox = SlowInbox()
    batcher = Batcher[Any](inbox.accept, 100)
    tasks = await submit_each(batcher, *range(250))
    for _ in range(3):
        inbox.go.release()
    await asyncio.gather(*tasks)
    assert [len(batch) for batch in inbox.batches] == [100, 100, 50]
    assert [update for batch in inbox.batches for update in batch] == list(range(250))


async def test_error_of_a_batch_is_raised_in_each_caller_of_it_alone() -> None:
    inbox = SlowInbox()
    batcher = Batcher[Any](inbox.accept, 100)
    inbox.error = InboxFullError("20000 updates wait")
    tasks = await submit_each(batcher, 1, 2)
    inbox.go.release()
    for task in tasks:
        with pytest.raises(InboxFullError, match="20000 updates wait"):
            await task
    inbox.error = None
    (later,) = await submit_each(batcher, 3)
    inbox.go.release()
    await later
    assert inbox.batches == [[1, 2], [3]]


async def test_cancelled_caller_does_not_cancel_its_batch() -> None:
    inbox = SlowInbox()
    batcher = Batcher[Any](inbox.accept, 100)
    cancelled, stays = await submit_each(batcher, 1, 2)
    cancelled.cancel()
    inbox.go.release()
    await stays
    assert inbox.batches == [[1, 2]]
    assert cancelled.cancelled()
