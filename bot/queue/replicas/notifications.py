"""Notify other bots on the database of stored work and changed tables.

Any notification may get lost: every bot also looks by itself.
"""

import asyncio
from contextlib import suppress
from functools import partial

from bot.database import DedicatedConnection, Postgresql
from bot.queue.change_notifier import ChangeNotifier
from bot.queue.replicas import queries

WORK_CHANNEL, CHANGED_CHANNEL, LEFT_CHANNEL = "twentyfour", "twentyfour_boards", "twentyfour_left"
# Seconds for which a notification waits for others, and between two looks for work.
MIN_PAUSE = 0.01
MAX_NAMED = 200  # Chats, or people with their chats, that one notification names: it has 8000 bytes at most


class Notifications:
    """Sends notifications on `server`, many at once as one, and receives those of other bots."""

    def __init__(self, server: Postgresql) -> None:
        self._server = server
        self._changes: ChangeNotifier | None = None
        self._work_is_waiting = asyncio.Event()
        # By channel, what others must still be told: the keys of a dict, as a set in order
        self._pending: dict[str, dict[str, None]] = {}
        self._sending: asyncio.Task[None] | None = None

    def forward(self, changes: ChangeNotifier) -> None:
        """Notify other bots of this bot's changes from now on, and wake subscribers here after theirs."""
        self._changes = changes
        changes.forward_change = lambda lane: self._notify(CHANGED_CHANNEL, str(lane))
        changes.forward_departure = lambda chat, player: self._notify(LEFT_CHANNEL, f"{chat}:{player}")

    async def listen(self, connection: DedicatedConnection) -> None:
        """Receive notifications as long as the connection lasts."""
        await connection.listen(WORK_CHANNEL, lambda _: self.wake())
        if self._changes is not None:
            await connection.listen(CHANGED_CHANNEL, self._receive_changes)
            await connection.listen(LEFT_CHANNEL, self._receive_departures)

    def wake(self) -> None:
        """End `wait_for_work` at once, now or when it is called next."""
        self._work_is_waiting.set()

    async def wait_for_work(self, timeout: float) -> bool:  # noqa: ASYNC109 - its end is no error
        """Wait until `wake` was called since the last time, or for so many seconds; return whether it was."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._work_is_waiting.wait()
        is_waiting = self._work_is_waiting.is_set()
        self._work_is_waiting.clear()
        return is_waiting

    def notify_work(self) -> None:
        """Wake this bot, and soon after the others: something was stored."""
        self.wake()
        self._notify(WORK_CHANNEL, "")

    def _notify(self, channel: str, item: str) -> None:
        """Queue a chat or a departure for a channel, and start to send what is queued."""
        self._pending.setdefault(channel, {})[item] = None  # a dict as an ordered set
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())

    def stop(self) -> None:
        if self._sending is not None:
            self._sending.cancel()

    def _receive_changes(self, payload: str) -> None:
        """Wake the subscribers of the chats, whose ids are separated by commas."""
        for lane in filter(None, payload.split(",")):
            if self._changes is not None:
                self._changes.wake_chat(int(lane))

    def _receive_departures(self, payload: str) -> None:
        """Report each departure, `chat:player`, of those separated by commas."""
        for pair in payload.split(","):
            chat_id, _, player_id = pair.partition(":")
            if self._changes is not None:
                self._changes.on_departure(int(chat_id), int(player_id))

    async def _send(self) -> None:
        """Send what is queued after a short pause, together; ignore errors, and go on if more was queued."""
        await asyncio.sleep(MIN_PAUSE)
        pending = self._pending
        self._pending = {}
        payloads = [
            (channel, ",".join(list(items)[first : first + MAX_NAMED]))
            for channel, items in pending.items()
            for first in range(0, len(items), MAX_NAMED)
        ]
        with suppress(Exception):  # other bots look for work all the same
            await self._server.run_beside_writer(partial(queries.notify_all, payloads=payloads))
        if self._pending:
            self._sending = asyncio.create_task(self._send())
