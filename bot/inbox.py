"""Updates, kept before they are acknowledged and handled one at a time in each chat.

`accept` returns once the updates are committed; only then may Telegram be told that they arrived. Each chat
has a lane, so its updates keep their order while other chats go on beside it; an update without a chat
runs in its person's lane. An update that fails three times is set aside and the chat goes on. A chat that
sends faster than it can be served loses what is over `LANE_LIMIT`, so it can't fill memory or delay others;
when all lanes together hold `FULL`, `accept` raises InboxFullError and Telegram keeps the rest.
"""

import asyncio
import json
import logging
import time
import zlib
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from sqlalchemy.exc import DBAPIError

from bot.store import Store, Tx, mail

log = logging.getLogger(__name__)

Handle = Callable[[mail.Incoming], Awaitable[None]]
PARALLEL = 32
"""Chats that are served at once."""
TRIES = 3
LANE_LIMIT = 500
"""Updates of one chat that may wait; what comes on top is noise."""
FULL = 20_000
"""Updates that may wait in all."""
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


class Inbox:
    """The queue between Telegram and the handlers."""

    def __init__(self, store: Store, handle: Handle, wall: Callable[[], float] = time.time) -> None:
        self._store = store
        self._handle = handle
        self._wall = wall
        self._lanes: dict[int, deque[mail.Incoming]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._places = asyncio.Semaphore(PARALLEL)
        self._closing = False
        self._waiting = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self.dropped = 0
        """Updates refused because their chat was over its limit."""

    @property
    def waiting(self) -> int:
        """How many updates wait."""
        return self._waiting

    async def accept(self, updates: Sequence[Any]) -> None:
        """Commit `updates` (JSON objects as Telegram sent them), then queue those that are new."""
        if self._waiting >= FULL:
            raise InboxFullError(f"{self._waiting} updates wait")
        room: dict[int, int] = {}
        good, odd = [], []
        for raw in updates:
            incoming = _incoming(raw)
            if not incoming.update_id >= 0:
                odd.append(incoming)
                continue
            room.setdefault(incoming.lane, LANE_LIMIT - len(self._lanes.get(incoming.lane, ())))
            if room[incoming.lane] <= 0:
                self.dropped += 1
                continue
            room[incoming.lane] -= 1
            good.append(incoming)
        now = self._wall()

        def keep(tx: Tx) -> list[mail.Incoming]:
            for incoming in odd:
                mail.set_aside(tx, incoming, "no usable update_id", now)
            return mail.accept(tx, good, now)

        for incoming in await self._store.write(keep):
            self._queue(incoming)

    async def resume(self) -> None:
        """Take up what a former run accepted and did not finish."""
        for incoming in await self._store.read(mail.waiting_updates):
            self._queue(incoming)

    async def idle(self) -> None:
        """Wait until nothing is left to handle."""
        await self._idle.wait()

    async def close(self, patience: float = 4.0) -> None:
        """Finish the updates being handled; the rest stays stored for the next start."""
        self._closing = True
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=patience)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _queue(self, incoming: mail.Incoming) -> None:
        self._waiting += 1
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
                    lane.popleft()
                    self._waiting -= 1
        del self._lanes[key]
        if not self._waiting:
            self._idle.set()

    async def _attempt(self, incoming: mail.Incoming) -> None:
        """Handle one update, again after a pause if it fails, until it is done or set aside."""
        tries = incoming.tries
        pause = 0.1
        while not self._closing:
            try:
                await self._handle(incoming)
                return
            except DBAPIError as error:
                if not _storage_trouble(error):
                    tries = await self._count(incoming, error)
                else:
                    log.warning("the database can't be written; trying again: %s", _line(error.orig))
            except Exception as error:  # noqa: BLE001 - whatever it is, it is counted and kept
                tries = await self._count(incoming, error)
            if tries >= TRIES:
                await self._persist(lambda tx: mail.bury(tx, incoming.update_id, self._wall()))
                return
            await asyncio.sleep(pause)
            pause = min(2.0, pause * 2)

    async def _count(self, incoming: mail.Incoming, error: Exception) -> int:
        log.warning("update %s failed: %s", incoming.update_id, type(error).__name__, exc_info=error)
        return int(await self._persist(lambda tx: mail.failed(tx, incoming.update_id, _line(error))))

    async def _persist(self, move: Callable[[Tx], Any]) -> Any:
        """Write for as long as it takes: the disk may be full now and not in a while."""
        while True:
            try:
                return await self._store.write(move)
            except DBAPIError as error:
                if self._closing:
                    raise
                log.warning("the database can't be written; trying again: %s", _line(error.orig))
                await asyncio.sleep(0.5)


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
    body = json.dumps(raw)
    number = raw.get("update_id") if isinstance(raw, dict) else None
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= LARGEST:
        return mail.Incoming(-1 - zlib.crc32(body.encode()), 0, body)
    return mail.Incoming(number, lane_of(raw), body)


def _storage_trouble(error: DBAPIError) -> bool:
    """Whether the database as a whole is in trouble, and not this update's own content."""
    signs = ("locked", "busy", "full", "disk", "i/o", "readonly", "unable to open", "connection", "closed")
    return error.connection_invalidated or any(sign in str(error.orig).lower() for sign in signs)


def _line(error: object) -> str:
    text = f"{type(error).__name__}: {error}"
    return next(iter(text.splitlines()), "")[:500].encode("utf-8", "replace").decode()
