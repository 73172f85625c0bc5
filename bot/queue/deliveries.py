"""Marks requests as delivered, all that arrive during one commit together in the next.

An arrival counts as not sent until it is written down, however long that takes. Until a post is, the next one
waits (see `gate`): so posts are marked urgently, and wait for no other arrivals.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bot.database import Store, Tx
from bot.queue import photos, queries
from bot.queue.pacing import Lane, is_post
from bot.queue.photos import Upload
from bot.queue.queries import QueuedRequest

DeliveryHook = Callable[[Tx, str, dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Delivery:
    """Requests that arrived in one message, or that no longer need to."""

    requests: Sequence[QueuedRequest]
    about: str = ""  # What the receipt is told; nothing is told where it is empty
    result: Any = None
    message_id: int = (
        0  # The message's, if it is a post in a group now: that and its time are kept for a while
    )
    upload: Upload | None = None  # The picture that Telegram has from now on


_Told = tuple[Delivery, "asyncio.Future[None]"]


class DeliveryRecorder:
    """Writes arrivals down; `receipt` stores what features remember of them."""

    def __init__(self, store: Store, receipt: DeliveryHook, wall: Callable[[], float]) -> None:
        self._store = store
        self._receipt = receipt
        self._wall = wall
        self._waiting: dict[bool, list[_Told]] = {True: [], False: []}
        """By whether they are urgent."""
        self._tasks: dict[bool, asyncio.Task[None]] = {}

    async def record_delivery(self, lane: Lane, arrival: Delivery) -> None:
        """Return once that is written down, and the requests are out of their lane. Raises as `receipt`."""
        future, urgent = asyncio.get_running_loop().create_future(), _urgent(arrival.requests)
        self._waiting[urgent].append((arrival, future))
        if urgent not in self._tasks:
            self._tasks[urgent] = asyncio.create_task(self._write_all(urgent))
        await future
        lane.remove(arrival.requests)

    async def dead_letter(self, lane: Lane, requests: Sequence[QueuedRequest], trouble: str) -> None:
        """Dead-letter requests that Telegram won't take, or that must not be repeated."""

        def aside(tx: Tx) -> None:
            for request in requests:
                queries.dead_letter_request(tx, request, trouble)

        await self._store.write_with_retries(aside, urgent=_urgent(requests))
        lane.remove(requests)

    async def close(self) -> None:
        """Let go of what can't be written down: it counts as not sent, and the next start sends it."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _write_all(self, urgent: bool) -> None:
        while batch := self._waiting[urgent]:
            self._waiting[urgent] = []
            if not await self._write(batch, urgent):
                for one in batch:
                    await self._write([one], urgent)
        del self._tasks[urgent]

    async def _write(self, batch: list[_Told], urgent: bool) -> bool:
        """Write these down in one transaction; False when one of several failed, and nothing is written."""
        arrivals, at = [arrival for arrival, _ in batch], self._wall()
        error: Exception | None = None
        try:
            await self._store.write_with_retries(lambda tx: self._mark(tx, arrivals, at), urgent=urgent)
        except Exception as problem:  # noqa: BLE001 - it is handed to whoever waits
            if len(batch) > 1:
                return False
            error = problem
        for _, future in batch:
            if not future.done():
                future.set_exception(error) if error else future.set_result(None)
        return True

    def _mark(self, tx: Tx, arrivals: Sequence[Delivery], at: float) -> None:
        for arrival in arrivals:
            if arrival.upload:
                photos.save_upload(tx, arrival.upload, at)
            if arrival.about:
                self._receipt(tx, arrival.about, arrival.result)
        queries.mark_posted(tx, [(a.requests[0], a.message_id) for a in arrivals if a.message_id], at)
        queries.delete_requests(
            tx, [r for a in arrivals for r in (a.requests[1:] if a.message_id else a.requests)]
        )


def _urgent(requests: Sequence[QueuedRequest]) -> bool:
    """Whether other posts wait for what becomes of these."""
    return any(map(is_post, requests))
