"""Records deliveries: deletes requests that have arrived, all that arrive during one commit in the next one.

A request counts as not sent until its delivery is recorded. A post makes the next one wait until then, see
`send_mutex`; so deliveries of posts are urgent, and are recorded apart from the others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from bot.database import Store, Tx
from bot.queue import photos, queries
from bot.queue.batcher import Batcher
from bot.queue.pacing import Lane, is_post
from bot.queue.photos import Upload
from bot.queue.queries import QueuedRequest

DeliveryHook = Callable[[Tx, str, dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Delivery:
    """Requests that have arrived in one message, or that are no longer needed."""

    requests: Sequence[QueuedRequest]
    about: str = ""  # What the hook is told the result is about; it is not called if this is empty
    result: Any = None
    message_id: int = 0  # Of a post in a group, which is kept for a while
    upload: Upload | None = None  # A picture that Telegram has from now on


class DeliveryRecorder:
    """Records deliveries. `on_delivered` stores what features remember of a result."""

    def __init__(self, store: Store, on_delivered: DeliveryHook, wall: Callable[[], float]) -> None:
        self._store = store
        self._on_delivered = on_delivered
        self._wall = wall
        self._batchers = {  # by whether a delivery has a post
            has_post: Batcher[Delivery, None](partial(self._record_batch, is_urgent=has_post))
            for has_post in (True, False)
        }

    async def record_delivery(self, lane: Lane, delivery: Delivery) -> None:
        """Commit a delivery and remove its requests from the lane. Raises what `on_delivered` raises."""
        await self._batchers[_has_post(delivery.requests)].submit(delivery)
        lane.remove(delivery.requests)

    async def dead_letter(self, lane: Lane, requests: Sequence[QueuedRequest], reason: str) -> None:
        """Dead-letter requests, and remove them from the lane."""

        def mark_dead(tx: Tx) -> None:
            for request in requests:
                queries.dead_letter_request(tx, request, reason)

        await self._store.write_with_retries(mark_dead, urgent=_has_post(requests))
        lane.remove(requests)

    async def close(self) -> None:
        """Cancel what is being recorded: the next start sends those requests again."""
        for batcher in self._batchers.values():
            await batcher.close()

    async def _record_batch(
        self, deliveries: Sequence[Delivery], *, is_urgent: bool
    ) -> Sequence[Exception | None]:
        """Record a batch in one transaction, or one by one if that fails. Return each one's error or None."""
        now = self._wall()
        try:
            await self._store.write_with_retries(
                lambda tx: self._store_deliveries(tx, deliveries, now), urgent=is_urgent
            )
        except Exception as error:  # noqa: BLE001 - it is raised where the delivery came in
            if len(deliveries) == 1:
                return [error]
            errors = list[Exception | None]()
            for delivery in deliveries:
                errors += await self._record_batch([delivery], is_urgent=is_urgent)
            return errors
        return [None] * len(deliveries)

    def _store_deliveries(self, tx: Tx, deliveries: Sequence[Delivery], now: float) -> None:
        """Store uploads, call `on_delivered`, keep posts in groups as sent, and delete all other requests."""
        posts = list[tuple[QueuedRequest, int]]()
        finished = list[QueuedRequest]()
        for delivery in deliveries:
            if delivery.upload:
                photos.save_upload(tx, delivery.upload, now)
            if delivery.about:
                self._on_delivered(tx, delivery.about, delivery.result)
            if delivery.message_id:  # the first request's row is kept for the post
                posts.append((delivery.requests[0], delivery.message_id))
                finished += delivery.requests[1:]
            else:
                finished += delivery.requests
        queries.mark_posted(tx, posts, now)
        queries.delete_requests(tx, finished)


def _has_post(requests: Sequence[QueuedRequest]) -> bool:
    return any(map(is_post, requests))
