"""Serialises posts, so that a kill repeats one at most, and lets none keep the next waiting for long."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

STORED = 2.0
"""Seconds for which a post that Telegram has answered keeps the next one, until it is marked as delivered."""


@dataclass(slots=True)
class Turn:
    """A post's time in which the next one waits.

    It is up `overlap` seconds after it began, and as long after the request was `asked`: Telegram may be
    slow, and nobody waits for that. What was `answered` has arrived: the next one waits until it is marked.
    One that is up before it is `ready` to ask has to wait for another.
    """

    overlap: float
    free: asyncio.Lock | None
    """Held by whoever has their turn; None where nobody waits."""
    _has: bool = False
    _timer: asyncio.TimerHandle | None = None

    def __post_init__(self) -> None:
        self._has = self.free is not None
        self._last(self.overlap)

    async def ready(self) -> None:
        """From here on it waits for nothing but the database until it asks."""
        if self.free is not None and not self._has:
            await self.free.acquire()
            self._has = True
        self._last(STORED)

    def asked(self) -> None:
        """The request is sent now."""
        self._last(self.overlap)

    def answered(self) -> None:
        """Telegram has answered."""
        self._last(STORED)

    def over(self) -> None:
        """It is marked, or came to nothing: the next one may go, if it didn't already."""
        has, self._has = self._has, False
        if self.free is not None and has:
            self.free.release()

    def _last(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._has:
            self._timer = asyncio.get_running_loop().call_later(seconds, self.over)


class Gate:
    """One post at a time, as long as each has its `Turn`."""

    def __init__(self, overlap: float) -> None:
        self._overlap = overlap
        self._free = asyncio.Lock()

    @asynccontextmanager
    async def turn(self, posts: bool) -> AsyncIterator[Turn]:
        """Wait until the post before is marked as delivered, or has had its time; only posts wait."""
        if not posts:
            yield Turn(self._overlap, None)
            return
        await self._free.acquire()
        turn = Turn(self._overlap, self._free)
        try:
            yield turn
        finally:
            turn.over()
