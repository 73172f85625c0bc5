"""Hints of chats in which something has changed, for bots that show them elsewhere. Any may get lost."""

import asyncio
from contextlib import suppress

from bot.database import Postgresql, Watch
from bot.delivery.changes import Changes
from bot.replicas import queries

CHANNEL = "twentyfour_boards"
BETWEEN = 0.01
"""Seconds for which a hint waits for others."""
MOST = 300
"""Chats that one hint names, since it has 8000 bytes at most; where it names none, all may have changed."""


class BoardHints:
    """What one bot tells the others on `server` of changes, and hears of them, once it is to show any."""

    def __init__(self, server: Postgresql) -> None:
        self._server = server
        self._changes: Changes | None = None
        self._lanes: set[int] = set()
        self._telling: asyncio.Task[None] | None = None

    def serve(self, changes: Changes) -> None:
        """Tell what changes here from now on, and wake by what others tell."""
        self._changes = changes
        changes.hint = self.give

    async def listen(self, watch: Watch) -> None:
        """Hear of them as long as that connection lasts."""
        if self._changes is not None:
            await watch.hear(CHANNEL, self._heard)

    def give(self, lane: int) -> None:
        """Something has changed in that chat."""
        self._lanes.add(lane)
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell())

    def stop(self) -> None:
        """Tell the others nothing more."""
        if self._telling is not None:
            self._telling.cancel()

    def _heard(self, told: str) -> None:
        if self._changes is None:
            return
        if told:
            self._changes.heard(map(int, told.split(",")))
        else:
            self._changes.all()

    async def _tell(self) -> None:
        await asyncio.sleep(BETWEEN)
        lanes, self._lanes = self._lanes, set()
        told = ",".join(map(str, lanes)) if len(lanes) <= MOST else ""
        with suppress(Exception):  # it is a hint: others look all the same
            await self._server.aside(lambda tx: queries.notify(tx, CHANNEL, told))
        if self._lanes:
            self._telling = asyncio.create_task(self._tell())
