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
# Chats that one notification names, since it has 8000 bytes at most; if it names none, all may have changed.
MAX_NAMED_LANES = 300


class Notifications:
    """Sends notifications on `server`, many at once as one, and receives those of other bots."""

    def __init__(self, server: Postgresql) -> None:
        self._server = server
        self._changes: ChangeNotifier | None = None
        self._work_is_waiting = asyncio.Event()
        self._has_work = False  # whether others must still be notified of work
        self._lanes: set[int] = set()  # of changes that others must be notified of
        self._departures: list[tuple[int, int]] = []  # the same of chats and people
        self._sending: asyncio.Task[None] | None = None

    def forward(self, changes: ChangeNotifier) -> None:
        """Notify others of these changes from now on, and pass on those of others."""
        self._changes = changes
        changes.forward_change, changes.forward_departure = self._notify_change, self._notify_departure

    async def listen(self, connection: DedicatedConnection) -> None:
        """Receive notifications as long as the connection lasts."""
        await connection.listen(WORK_CHANNEL, lambda _: self.wake())
        if self._changes is not None:
            await connection.listen(CHANGED_CHANNEL, self._receive_changes)
            await connection.listen(LEFT_CHANNEL, self._receive_departures)

    def wake(self) -> None:
        """Let the next look for work follow at once."""
        self._work_is_waiting.set()

    async def wait(self, timeout: float) -> bool:  # noqa: ASYNC109 - its end is no error
        """Wait for work for so many seconds at most. Return whether there is some."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._work_is_waiting.wait()
        is_waiting = self._work_is_waiting.is_set()
        self._work_is_waiting.clear()
        return is_waiting

    def notify_work(self) -> None:
        """Wake this bot, and soon after the others: something was stored."""
        self.wake()
        self._has_work = True
        self._start_sending()

    def _notify_change(self, lane: int) -> None:
        self._lanes.add(lane)
        self._start_sending()

    def _notify_departure(self, chat_id: int, player_id: int) -> None:
        self._departures.append((chat_id, player_id))
        self._start_sending()

    def stop(self) -> None:
        """Send nothing more."""
        if self._sending is not None:
            self._sending.cancel()

    def _receive_changes(self, payload: str) -> None:
        if self._changes is not None and payload:
            self._changes.wake_lanes(map(int, payload.split(",")))
        elif self._changes is not None:
            self._changes.wake_all()

    def _receive_departures(self, payload: str) -> None:
        for pair in payload.split(","):
            chat_id, _, player_id = pair.partition(":")
            if self._changes is not None:
                self._changes.on_departure(int(chat_id), int(player_id))

    def _start_sending(self) -> None:
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())

    async def _send(self) -> None:
        await asyncio.sleep(MIN_PAUSE)
        payloads = dict[str, str]()
        if self._has_work:
            payloads[WORK_CHANNEL] = ""
        if self._lanes:
            names_all = len(self._lanes) <= MAX_NAMED_LANES
            payloads[CHANGED_CHANNEL] = ",".join(map(str, self._lanes)) if names_all else ""
        if self._departures:
            pairs = self._departures[:MAX_NAMED_LANES]
            payloads[LEFT_CHANNEL] = ",".join(f"{chat_id}:{player_id}" for chat_id, player_id in pairs)
        self._has_work, self._lanes = False, set()
        self._departures = self._departures[MAX_NAMED_LANES:]
        with suppress(Exception):  # others look all the same
            await self._server.run_beside_writer(partial(queries.notify_all, payloads=payloads))
        if self._has_work or self._lanes or self._departures:
            self._sending = asyncio.create_task(self._send())
