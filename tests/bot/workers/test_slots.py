"""A slot is released while its holder waits for the solver."""

import asyncio

from bot.workers.pool import hold_slot, release_slot


async def test_slot_is_released_while_its_holder_waits() -> None:
    slots = asyncio.Semaphore(1)
    async with hold_slot(slots):
        assert slots.locked()
        async with release_slot():
            assert not slots.locked()
        assert slots.locked()
    assert not slots.locked()


async def test_release_without_a_slot_does_nothing() -> None:
    slots = asyncio.Semaphore(1)
    async with hold_slot(slots):
        pass
    async with release_slot():
        assert not slots.locked()
    await slots.acquire()
    async with release_slot():
        assert slots.locked()


async def test_holder_waits_for_a_slot_after_release() -> None:
    slots, order = asyncio.Semaphore(1), list[str]()

    async def other() -> None:
        async with hold_slot(slots):
            order.append("other")
            back.set()
            await asyncio.sleep(0)
            order.append("over")

    back = asyncio.Event()
    async with hold_slot(slots):
        task = asyncio.create_task(other())
        async with release_slot():
            await back.wait()
        order.append("back")
    await task
    assert order == ["other", "over", "back"]


async def test_task_started_by_the_holder_releases_nothing() -> None:
    """Such as the drawing of a picture that the holder sends."""
    slots, go = asyncio.Semaphore(1), asyncio.Event()

    async def draw() -> None:
        async with release_slot():
            assert slots.locked()
            await go.wait()

    async with hold_slot(slots):
        task = asyncio.create_task(draw())
        await asyncio.sleep(0)
    await slots.acquire()
    go.set()
    await task
    assert slots.locked()


async def test_cancelled_waiter_leaves_the_slot_free() -> None:
    slots = asyncio.Semaphore(1)

    async def wait() -> None:
        async with hold_slot(slots), release_slot():
            await asyncio.Event().wait()

    task = asyncio.create_task(wait())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await slots.acquire()
    assert slots.locked()
