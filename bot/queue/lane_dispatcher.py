"""Has stored updates handled: one at a time in each lane, and several lanes at once.

The updates of a chat form a lane. Updates that may take long wait in lanes of their own, see `admission`;
such an update still waits for what the same person sent to the chat before.
"""

import asyncio
import itertools
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import replace

from bot.queue.admission import LaneKey, find_lane_key, is_overdue
from bot.queue.queries import QueuedUpdate
from bot.workers.slots import hold_slot

MAX_PARALLEL = 32  # Lanes that are served at once; those that wait for the solver don't count
MAX_PARALLEL_SEARCHES = 8  # Search lanes that are served beside them; the solver has a queue of its own


class LaneDispatcher:
    """Holds the updates that wait. `handle` must not raise; `release` is called with each handled update."""

    def __init__(
        self,
        handle: Callable[[QueuedUpdate], Awaitable[None]],
        release: Callable[[QueuedUpdate], None],
        monotonic: Callable[[], float],
    ) -> None:
        self._handle = handle
        self._release = release
        self._monotonic = monotonic
        self._lanes: dict[LaneKey, deque[QueuedUpdate]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._slots = asyncio.Semaphore(MAX_PARALLEL)
        self._search_slots = asyncio.Semaphore(MAX_PARALLEL_SEARCHES)
        self._tokens: dict[int, int] = {}  # The lease tokens of the updates that wait, by update id
        self._handled: dict[int, asyncio.Event] = {}  # By update id, set once it is handled
        self._idle = asyncio.Event()
        self._idle.set()
        self.closing = False
        self.waiting_count = 0
        self.waiting_size = 0  # Characters of the updates that wait

    def add(self, update: QueuedUpdate, token: int = 0) -> None:
        """Append an update to its lane; `token` is that of its chat's lease."""
        update = replace(update, queued_at=self._monotonic(), lease_token=token)
        self.waiting_count += 1
        self.waiting_size += len(update.body)
        self._tokens[update.update_id] = token
        self._idle.clear()
        key = find_lane_key(update)
        if key in self._lanes:
            self._lanes[key].append(update)
            return
        self._lanes[key] = deque([update])
        task = asyncio.create_task(self._serve_lane(key))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def has_update(self, update_id: int) -> bool:
        """Whether the update waits or is being handled, unless it was abandoned."""
        return update_id in self._tokens

    def has_lane(self, lane: int) -> bool:
        """Whether an update of this chat waits or is being handled, in its lane or in a lane beside it."""
        waiting = itertools.chain.from_iterable(self._lanes.values())
        return lane in self._lanes or any(update.lane == lane for update in waiting)

    def abandon(self) -> None:
        """Drop all that waits and is not being handled: other bots serve it now."""
        self._tokens.clear()
        for lane in self._lanes.values():
            while len(lane) > 1:  # the first one is being handled
                self._finish(lane.pop())

    async def wait_until_idle(self) -> None:
        await self._idle.wait()

    async def close(self, patience: float) -> None:
        """Let updates that are being handled finish within `patience` seconds, and drop the rest."""
        self.closing = True
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=patience)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _serve_lane(self, key: LaneKey) -> None:
        """Handle the updates of a lane one by one until none waits or the bot closes; delete the lane."""
        lane = self._lanes[key]
        try:
            while lane and not self.closing:
                await self._handle_first(key, lane)
        finally:
            for update in list(lane):
                if self.closing:  # it stays counted, as it waits for the next start
                    self._mark_handled(update)
                else:
                    self._finish(update)
            del self._lanes[key]
            if not self.waiting_count:
                self._idle.set()

    async def _handle_first(self, key: LaneKey, lane: deque[QueuedUpdate]) -> None:
        """Handle the first update after what its sender sent to the chat before; as refused if overdue."""
        first = lane[0]
        if key != first.lane:  # it waits in a lane beside that of its chat
            await self._wait_for_earlier(first)
        is_search = isinstance(key, tuple) and key[0] == "search"  # a chat's own lane is a mere number
        slot = self._search_slots if is_search else hold_slot(self._slots)
        async with slot:
            if self.closing:
                return
            overdue = is_overdue(first, lane, self._monotonic())
            await self._handle(first.as_refused() if overdue else first)
            self._finish(lane.popleft())  # not as refused: it is released as it was counted

    async def _wait_for_earlier(self, update: QueuedUpdate) -> None:
        """Wait until what the same person sent to the chat before is handled."""
        same_person = [one for one in self._lanes.get(update.lane, ()) if one.person_id == update.person_id]
        earlier = [one for one in same_person if one.queued_at <= update.queued_at]
        if earlier:
            handled = self._handled.setdefault(earlier[-1].update_id, asyncio.Event())
            await handled.wait()

    def _finish(self, update: QueuedUpdate) -> None:
        """Count an update no longer, release it, and let those that wait for it go on."""
        self.waiting_count -= 1
        self.waiting_size -= len(update.body)
        if self._tokens.get(update.update_id) == update.lease_token:  # else it was queued again meanwhile
            del self._tokens[update.update_id]
        self._release(update)
        self._mark_handled(update)

    def _mark_handled(self, update: QueuedUpdate) -> None:
        """Let updates in other lanes that wait for this one go on."""
        handled = self._handled.pop(update.update_id, None)
        if handled is not None:
            handled.set()
