"""Updates, kept before they are acknowledged and handled one at a time in each chat.

`accept` returns once the updates are committed; only then may Telegram be told that they arrived. Each chat
has a lane, so its updates keep their order while other chats go on beside it; an update without a chat
runs in its person's lane. An update that fails three times is set aside and the chat goes on. A chat that
sends faster than it can be served loses what is over `LANE_LIMIT`, so it can't fill memory or delay others;
when all lanes together hold `FULL` updates or `FULL_BYTES`, `accept` raises InboxFullError and Telegram
keeps the rest.
"""

import asyncio
import json
import logging
import time
import zlib
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Protocol

from bot.store import AGAIN, Store, Tx, cause, mail, storage_trouble

log = logging.getLogger(__name__)

Handle = Callable[[mail.Incoming], Awaitable[None]]
PARALLEL = 32
"""Chats that are served at once."""
TRIES = 3
LANE_LIMIT = 500
"""Updates of one chat that may wait; what comes on top is noise."""
FULL = 20_000
"""Updates that may wait in all."""
FULL_BYTES = 64 * 2**20
"""Bytes that they may hold in all."""
LARGEST = 2**63 - 1
CHATTED = (
    "message",
    "edited_message",
    "channel_post",
    "edited_channel_post",
    "my_chat_member",
    "chat_member",
    "chat_join_request",
    "message_reaction",
)


class InboxFullError(Exception):
    """No more updates are taken until some are handled."""


class Apologies(Protocol):
    """What players are told when the bot can't do its work."""

    async def give_up(self, incoming: mail.Incoming) -> None:
        """Set the update aside for good, and say so to whoever sent it."""

    def delay(self, updates: Iterable[mail.Incoming]) -> None:
        """Say that these wait, because nothing can be written at the moment."""

    def relieve(self) -> None:
        """Writing works again."""


class Inbox:
    """The queue between Telegram and the handlers."""

    def __init__(
        self, store: Store, handle: Handle, apologies: Apologies, wall: Callable[[], float] = time.time
    ) -> None:
        self._store = store
        self._handle = handle
        self._apologies = apologies
        self._wall = wall
        self._lanes: dict[int, deque[mail.Incoming]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._places = asyncio.Semaphore(PARALLEL)
        self._closing = False
        self._waiting = 0
        self._bytes = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self.dropped = 0
        """Updates refused because their chat was over its limit."""

    @property
    def waiting(self) -> int:
        """How many updates wait."""
        return self._waiting

    async def accept(self, updates: Sequence[Any]) -> None:
        """Commit `updates` (JSON objects as Telegram sent them), then queue those that are new.

        Raises InboxFullError, or whatever the database raises; then none of them was taken.
        """
        if self._waiting >= FULL or self._bytes >= FULL_BYTES:
            raise InboxFullError(f"{self._waiting} updates wait")
        read = [_incoming(raw) for raw in updates]
        odd = [incoming for incoming in read if incoming.update_id < 0]
        good = self._within_limits(incoming for incoming in read if incoming.update_id >= 0)
        now = self._wall()

        def keep(tx: Tx) -> list[mail.Incoming]:
            for incoming in odd:
                mail.set_aside(tx, incoming, "no usable update_id", now)
            return mail.accept(tx, good, now)

        if not read:
            return
        try:
            fresh = await self._store.write(keep)
        except Exception as error:
            if storage_trouble(error):
                self._apologies.delay(good)
            raise
        self._apologies.relieve()
        self.take(fresh)

    def take(self, stored: Iterable[mail.Incoming]) -> None:
        """Queue updates that are stored already."""
        for incoming in stored:
            self._queue(incoming)

    async def resume(self) -> None:
        """Take up what a former run accepted and did not finish."""
        self.take(await self._store.read(mail.waiting_updates))

    async def idle(self) -> None:
        """Wait until nothing is left to handle."""
        await self._idle.wait()

    async def close(self, patience: float = 3.0) -> None:
        """Finish the updates being handled; the rest stays stored for the next start."""
        self._closing = True
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=patience)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _within_limits(self, updates: Iterable[mail.Incoming]) -> list[mail.Incoming]:
        room: dict[int, int] = {}
        within = []
        for incoming in updates:
            left = room.setdefault(incoming.lane, LANE_LIMIT - len(self._lanes.get(incoming.lane, ())))
            room[incoming.lane] = left - 1
            if left > 0:
                within.append(incoming)
        self.dropped += sum(-left for left in room.values() if left < 0)
        return within

    def _queue(self, incoming: mail.Incoming) -> None:
        self._waiting += 1
        self._bytes += len(incoming.body)
        self._idle.clear()
        lane = self._lanes.get(incoming.lane)
        if lane is not None:
            lane.append(incoming)
            return
        self._lanes[incoming.lane] = deque([incoming])
        task = asyncio.create_task(self._run(incoming.lane))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, key: int) -> None:
        lane = self._lanes[key]
        while lane and not self._closing:
            async with self._places:
                if not self._closing:
                    await self._attempt(lane[0])
                    done = lane.popleft()
                    self._waiting -= 1
                    self._bytes -= len(done.body)
        del self._lanes[key]
        if not self._waiting:
            self._idle.set()

    async def _attempt(self, incoming: mail.Incoming) -> None:
        """Handle one update, again after a pause if it fails, until it is done or set aside."""
        tries, delays = incoming.tries, 0
        while not self._closing:
            try:
                await self._handle(incoming)
                return
            except Exception as error:
                if storage_trouble(error):
                    log.warning("the database can't be written; trying again: %s", cause(error))
                    delays += 1
                    self._apologies.delay([incoming] if delays > 1 else [])
                else:
                    log.warning("update %s failed: %s", incoming.update_id, cause(error), exc_info=error)
                    tries = await self._count(incoming, error)
            if tries >= TRIES:
                await self._give_up(incoming)
                return
            await asyncio.sleep(AGAIN if delays else 0.1 * 2**tries)

    async def _count(self, incoming: mail.Incoming, error: Exception) -> int:
        trouble = cause(error).encode("utf-8", "replace").decode().replace("\x00", "")
        return await self._store.insist(lambda tx: mail.failed(tx, incoming.update_id, trouble))

    async def _give_up(self, incoming: mail.Incoming) -> None:
        try:
            await self._apologies.give_up(incoming)
        except Exception as error:  # noqa: BLE001 - the lane goes on, with or without an apology
            log.warning("nobody was told of update %s: %s", incoming.update_id, cause(error))
            await self._store.insist(lambda tx: mail.bury(tx, incoming.update_id, self._wall()))


def lane_of(raw: dict[str, Any]) -> int:
    """The chat whose order the update keeps, else the person, else 0."""
    for key, value in raw.items():
        if not isinstance(value, dict):
            continue
        if key in CHATTED:
            return _id(value.get("chat"))
        if key == "callback_query" and isinstance(value.get("message"), dict):
            return _id(value["message"].get("chat"))
        if isinstance(value.get("from"), dict):
            return _id(value["from"])
    return 0


def _id(value: Any) -> int:
    number = value.get("id") if isinstance(value, dict) else None
    return number if isinstance(number, int) and abs(number) <= LARGEST else 0


def _incoming(raw: Any) -> mail.Incoming:
    """The update as a row; a negative id, made of its content, where its own can't be used."""
    try:
        body = json.dumps(raw)
    except (ValueError, RecursionError):
        body = json.dumps({"unreadable": type(raw).__name__})
    number = raw.get("update_id") if isinstance(raw, dict) else None
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= LARGEST:
        return mail.Incoming(-1 - zlib.crc32(body.encode()), 0, body)
    return mail.Incoming(number, lane_of(raw), body, press=_press(raw))


def _press(raw: dict[str, Any]) -> str | None:
    query = raw.get("callback_query")
    number = query.get("id") if isinstance(query, dict) else None
    return number if isinstance(number, str) and number.isascii() else None
