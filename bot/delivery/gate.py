"""Posts leave one at a time, so that a kill repeats one at most."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Gate:
    """One post at a time, unless it takes long."""

    def __init__(self, overlap: float) -> None:
        self._overlap = overlap
        self._free = asyncio.Lock()

    @asynccontextmanager
    async def turn(self, posts: bool) -> AsyncIterator[None]:
        """Wait until the post before has been struck, or has had its time."""
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
