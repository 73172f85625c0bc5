"""Serialises posts for at most `overlap` seconds each, so that a kill repeats one at most."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Gate:
    """One post at a time, but none keeps the next waiting for longer than `overlap` seconds."""

    def __init__(self, overlap: float) -> None:
        self._overlap = overlap
        self._free = asyncio.Lock()

    @asynccontextmanager
    async def turn(self, posts: bool) -> AsyncIterator[None]:
        """Wait until the post before is marked as delivered, or has had its time; only posts wait."""
        if not posts:
            yield
            return
        await self._free.acquire()
        mine = [self._free]

        def free() -> None:
            for lock in mine:
                lock.release()
            mine.clear()

        timer = asyncio.get_running_loop().call_later(self._overlap, free)
        try:
            yield
        finally:
            timer.cancel()
            free()
