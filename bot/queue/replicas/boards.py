"""Hints of chats in which something has changed, for bots that show them elsewhere, and of people who have
left one. Any may get lost.
"""

import asyncio
from contextlib import suppress

from bot.database import Postgresql, Watch
from bot.queue.changes import Changes
from bot.queue.replicas import queries

CHANNEL, LEFT = "twentyfour_boards", "twentyfour_left"
BETWEEN = 0.01  # Seconds for which a hint waits for others
# Chats that one hint names, since it has 8000 bytes at most; where it names none, all may have changed.
MOST = 300


class BoardHints:
    """What one bot tells the others on `server` of changes, and hears of them, once it is to show any."""

    def __init__(self, server: Postgresql) -> None:
        self._server = server
        self._changes: Changes | None = None
        self._lanes: set[int] = set()
        self._gone: list[tuple[int, int]] = []
        self._telling: asyncio.Task[None] | None = None

    def serve(self, changes: Changes) -> None:
        """Tell what changes here from now on, and wake by what others tell."""
        self._changes = changes
        changes.hint, changes.hint_left = self.give, self.give_left

    async def listen(self, watch: Watch) -> None:
        """Hear of them as long as that connection lasts."""
        if self._changes is not None:
            await watch.hear(CHANNEL, self._heard)
            await watch.hear(LEFT, self._heard_left)

    def give(self, lane: int) -> None:
        """Something has changed in that chat."""
        self._lanes.add(lane)
        self._begin()

    def give_left(self, chat_id: int, player_id: int) -> None:
        """Somebody is no more in that chat."""
        self._gone.append((chat_id, player_id))
        self._begin()

    def _begin(self) -> None:
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

    def _heard_left(self, told: str) -> None:
        if self._changes is None:
            return
        for one in told.split(","):
            chat_id, _, player_id = one.partition(":")
            self._changes.left(int(chat_id), int(player_id))

    async def _tell(self) -> None:
        await asyncio.sleep(BETWEEN)
        lanes, self._lanes = self._lanes, set()
        gone, self._gone = self._gone[:MOST], self._gone[MOST:]
        with suppress(Exception):  # it is a hint: others look all the same
            if lanes:
                told = ",".join(map(str, lanes)) if len(lanes) <= MOST else ""
                await self._server.aside(lambda tx: queries.notify(tx, CHANNEL, told))
            if gone:
                left = ",".join(f"{chat_id}:{player_id}" for chat_id, player_id in gone)
                await self._server.aside(lambda tx: queries.notify(tx, LEFT, left))
        if self._lanes or self._gone:
            self._telling = asyncio.create_task(self._tell())
