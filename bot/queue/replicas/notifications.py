"""Hints that something was stored for another bot to see to. Whoever misses one looks all the same."""

import asyncio
from contextlib import suppress

from bot.database import DedicatedConnection, Postgresql
from bot.queue.change_notifier import ChangeNotifier
from bot.queue.replicas import queries

CHANGED_CHANNEL, LEFT_CHANNEL = "twentyfour_boards", "twentyfour_left"
BATCH_PAUSE = 0.01  # Seconds for which a hint waits for others
# Chats that one hint names, since it has 8000 bytes at most; where it names none, all may have changed.
MAX_NAMED_LANES = 300


class BoardNotifications:
    """What one bot tells the others on `server` of changes, and hears of them, once it is to show any."""

    def __init__(self, server: Postgresql) -> None:
        self._server = server
        self._changes: ChangeNotifier | None = None
        self._lanes: set[int] = set()
        self._gone: list[tuple[int, int]] = []
        self._telling: asyncio.Task[None] | None = None

    def start(self, changes: ChangeNotifier) -> None:
        """Tell what changes here from now on, and wake by what others tell."""
        self._changes = changes
        changes.forward_change, changes.forward_departure = self.notify_change, self.notify_departure

    async def listen(self, watch: DedicatedConnection) -> None:
        """Hear of them as long as that connection lasts."""
        if self._changes is not None:
            await watch.listen_with_payload(CHANGED_CHANNEL, self._heard)
            await watch.listen_with_payload(LEFT_CHANNEL, self._heard_left)

    def notify_change(self, lane: int) -> None:
        """Something has changed in that chat."""
        self._lanes.add(lane)
        self._begin()

    def notify_departure(self, chat_id: int, player_id: int) -> None:
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
            self._changes.wake_lanes(map(int, told.split(",")))
        else:
            self._changes.wake_all()

    def _heard_left(self, told: str) -> None:
        if self._changes is None:
            return
        for one in told.split(","):
            chat_id, _, player_id = one.partition(":")
            self._changes.on_departure(int(chat_id), int(player_id))

    async def _tell(self) -> None:
        await asyncio.sleep(BATCH_PAUSE)
        lanes, self._lanes = self._lanes, set()
        gone, self._gone = self._gone[:MAX_NAMED_LANES], self._gone[MAX_NAMED_LANES:]
        with suppress(Exception):  # it is a hint: others look all the same
            if lanes:
                told = ",".join(map(str, lanes)) if len(lanes) <= MAX_NAMED_LANES else ""
                await self._server.run_beside_writer(lambda tx: queries.notify(tx, CHANGED_CHANNEL, told))
            if gone:
                left = ",".join(f"{chat_id}:{player_id}" for chat_id, player_id in gone)
                await self._server.run_beside_writer(lambda tx: queries.notify(tx, LEFT_CHANNEL, left))
        if self._lanes or self._gone:
            self._telling = asyncio.create_task(self._tell())


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
