"""Serves stored updates one at a time in each line, and the lines beside each other.

A chat's updates form a line; what may take long has lines beside it (see `intake`). An update in such a line
still waits for what the same person sent to the chat before.
"""

import asyncio
import math
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import replace

from bot.queue.admission import LaneKey, find_lane_key, is_overdue, is_search_lane
from bot.queue.queries import QueuedUpdate
from bot.queue.updates import find_sent_time
from bot.workers.slots import hold_slot

PARALLEL = 32  # Chats that are served at once; those that wait for the solver don't count
PARALLEL_SEARCHES = 8  # Searches beside them; the solver's own line is behind that


class LaneDispatcher:
    """Updates that wait. `serve` handles one and never raises; `done` is told of each that was served."""

    def __init__(
        self,
        serve: Callable[[QueuedUpdate], Awaitable[None]],
        done: Callable[[QueuedUpdate], None],
        monotonic: Callable[[], float],
    ) -> None:
        self._serve = serve
        self._done = done
        self._monotonic = monotonic
        self._lines: dict[LaneKey, deque[QueuedUpdate]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._slots = asyncio.Semaphore(PARALLEL)
        self._search_slots = asyncio.Semaphore(PARALLEL_SEARCHES)
        self._ids: dict[int, int] = {}
        """The updates that wait, and under which token."""
        self._awaited: dict[int, asyncio.Event] = {}
        """By update id: set once it is handled, for updates of its person that have another line."""
        self._idle = asyncio.Event()
        self._idle.set()
        self.closing = False
        self.waiting_count = 0
        """How many updates wait."""
        self.waiting_size = 0
        """Characters that they hold."""

    def add(self, incoming: QueuedUpdate, token: int = 0) -> None:
        """Queue an update behind those of its line; `token` is the token of its chat's claim."""
        incoming = replace(incoming, queued_at=self._monotonic(), lease_token=token)
        self.waiting_count += 1
        self.waiting_size += len(incoming.body)
        self._ids[incoming.update_id] = incoming.lease_token
        self._idle.clear()
        key = find_lane_key(incoming)
        line = self._lines.get(key)
        if line is not None:
            line.append(incoming)
            return
        self._lines[key] = deque([incoming])
        task = asyncio.create_task(self._run(key))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def has_waiting(self, lane: int, until: float, patience: float = math.inf) -> bool:
        """Whether an update of this chat that was sent no later than `until` is still to be handled.

        What has stood here for longer than `patience` doesn't count.
        """
        line, since = self._lines.get(lane, ()), self._monotonic() - patience
        return any(one.queued_at >= since and find_sent_time(one) <= until for one in line)

    def has_update(self, update_id: int) -> bool:
        """Whether the update waits here."""
        return update_id in self._ids

    def has_lane(self, lane: int) -> bool:
        """Whether an update of this chat waits here, in its line or in one beside it."""
        if lane in self._lines:
            return True
        return any(
            one.lane == lane for key in self._lines if isinstance(key, tuple) for one in self._lines[key]
        )

    @property
    def private_lanes(self) -> list[int]:
        """The private chats in which something is still to be handled."""
        return [line for line in self._lines if isinstance(line, int) and line > 0]

    def abandon(self) -> None:
        """Let go of all that waits and is not being handled: it is others' now."""
        self._ids.clear()
        for line in self._lines.values():
            while len(line) > 1:
                self._leave(line.pop())

    async def wait_until_idle(self) -> None:
        """Wait until nothing is left to handle."""
        await self._idle.wait()

    async def close(self, patience: float) -> None:
        """Let updates that are being handled finish within `patience` seconds; the rest is let go."""
        self.closing = True
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=patience)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _run(self, key: LaneKey) -> None:
        line = self._lines[key]
        try:
            while line and not self.closing:
                await self._serve_first(key, line)
        finally:
            for left in list(line):
                (self._release if self.closing else self._leave)(left)
            del self._lines[key]
            if not self.waiting_count:
                self._idle.set()

    async def _serve_first(self, key: LaneKey, line: deque[QueuedUpdate]) -> None:
        if key != line[0].lane:
            await self._until_earlier_ones_are_handled(line[0])
        async with self._search_slots if is_search_lane(key) else hold_slot(self._slots):
            if self.closing:
                return
            late = is_overdue(line[0], line, self._monotonic())
            await self._serve(line[0].as_refused() if late else line[0])
            self._leave(line.popleft())

    def _leave(self, incoming: QueuedUpdate) -> None:
        self.waiting_count -= 1
        self.waiting_size -= len(incoming.body)
        if self._ids.get(incoming.update_id) == incoming.lease_token:
            del self._ids[incoming.update_id]
        self._done(incoming)
        self._release(incoming)

    def _release(self, incoming: QueuedUpdate) -> None:
        if (awaited := self._awaited.pop(incoming.update_id, None)) is not None:
            awaited.set()

    async def _until_earlier_ones_are_handled(self, incoming: QueuedUpdate) -> None:
        """Wait for what the same person sent to the chat before."""
        others = self._lines.get(incoming.lane, ())
        mine = [i for i in others if i.person_id == incoming.person_id and i.queued_at <= incoming.queued_at]
        if mine:
            await self._awaited.setdefault(mine[-1].update_id, asyncio.Event()).wait()
