"""Hints that something was stored for another bot to see to. Whoever misses one looks all the same."""

import asyncio
from contextlib import suppress

from bot.database import Postgresql, DedicatedConnection
from bot.queue.replicas import queries
from bot.queue.replicas.boards import BoardNotifications

WORK_CHANNEL = "twentyfour"
# Seconds between two looks, however many hints come; a hint of our own waits as long for others.
MIN_PAUSE = 0.01


class WorkNotifications:
    """What one bot tells the others on `server`, and hears of them; many at once count as one."""

    def __init__(self, server: Postgresql) -> None:
        self._server = server
        self.boards = BoardNotifications(server)
        """What others are told of chats that they may show elsewhere."""
        self._heard = asyncio.Event()
        self._telling: asyncio.Task[None] | None = None

    async def listen(self, watch: DedicatedConnection) -> None:
        """Hear of them as long as that connection lasts."""
        await watch.listen(WORK_CHANNEL, self._heard.set)
        await self.boards.listen(watch)

    def wake(self) -> None:
        """The next look follows at once."""
        self._heard.set()

    async def wait(self, within: float) -> bool:
        """Wait for one, for so many seconds at most; whether it came."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._heard.wait()
        heard = self._heard.is_set()
        self._heard.clear()
        return heard

    def notify_all(self) -> None:
        """Something was stored: this bot looks, and soon after so do the others."""
        self.wake()
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell())

    def stop(self) -> None:
        """Tell the others nothing more."""
        self.boards.stop()
        if self._telling is not None:
            self._telling.cancel()

    async def _tell(self) -> None:
        await asyncio.sleep(MIN_PAUSE)
        with suppress(Exception):  # it is a hint: others look all the same
            await self._server.run_beside_writer(lambda tx: queries.notify(tx, WORK_CHANNEL))
