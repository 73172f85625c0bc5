"""Slots that bound how many updates are handled at once; released while a task waits for the solver."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar

# The task that holds a slot, and the semaphore of the slots; a task started by the holder inherits them.
_held_slot: ContextVar[tuple[asyncio.Task[object] | None, asyncio.Semaphore] | None] = ContextVar(
    "slot", default=None
)


@asynccontextmanager
async def hold_slot(slots: asyncio.Semaphore) -> AsyncIterator[None]:
    """Run the block with one of the slots, which `release_slot` can give back."""
    async with slots:
        holder = asyncio.current_task()
        previous = _held_slot.set((holder, slots))
        try:
            yield
        finally:
            _held_slot.reset(previous)


@asynccontextmanager
async def release_slot() -> AsyncIterator[None]:
    """Run the block without the slot that this task holds, if any, and wait for one again afterwards.

    A task started by the holder releases nothing: it may outlive the holder.
    """
    holder, slots = _held_slot.get() or (None, None)
    if slots is None or holder is not asyncio.current_task():
        yield
        return
    slots.release()
    try:
        yield
    finally:
        await slots.acquire()
