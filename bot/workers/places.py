"""Who is served at once: so many hold a place, and nobody holds one while only waiting for the solver."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar


class Place:
    """One of so many places. The tasks that its holder starts share it."""

    def __init__(self, places: asyncio.Semaphore) -> None:
        self._places = places
        self._held = False
        self._away = 0
        """Tasks that wait for something else at the moment."""
        self._over = False
        """Whether the block has ended; tasks that it started may go on, without a place."""

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Run the block with the place, which `away` finds."""
        await self._take()
        token = _HELD.set(self)
        try:
            yield
        finally:
            _HELD.reset(token)
            self._over = True
            self._give()

    @asynccontextmanager
    async def left(self) -> AsyncIterator[None]:
        """Give the place back while the block runs, and take one again before what follows."""
        self._away += 1
        self._give()
        try:
            yield
        finally:
            self._away -= 1
            if not (self._away or self._over):
                await self._take()

    async def _take(self) -> None:
        await self._places.acquire()
        self._give()  # another task of the holder may have taken one meanwhile
        self._held = True
        if self._over:  # the block ended while this waited
            self._give()

    def _give(self) -> None:
        if self._held:
            self._held = False
            self._places.release()


_HELD: ContextVar[Place | None] = ContextVar("place", default=None)
"""The place that the present task was given."""


@asynccontextmanager
async def away() -> AsyncIterator[None]:
    """Run the block without the place that the present task holds, if it holds one."""
    place = _HELD.get()
    if place is None:
        yield
        return
    async with place.left():
        yield
