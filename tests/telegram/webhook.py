"""Delivery of updates to the bot's webhook: in parallel, repeated until accepted."""

import asyncio
import json
from collections import defaultdict, deque
from dataclasses import dataclass, field

from tornado.httpclient import AsyncHTTPClient, HTTPError, HTTPRequest
from tornado.simple_httpclient import SimpleAsyncHTTPClient

from tests.telegram.clock import Clock
from tests.telegram.signal import Signal
from tests.telegram.updates import Update, Updates, Webhook
from tests.telegram.world import World

FOREVER = 24 * 3600  # Seconds; longer than any test
UNREACHABLE = 599


@dataclass(slots=True)
class Delivery:
    """Settings of the delivery; the defaults are Telegram's, with shorter waits."""

    ordered: bool = True  # One update of a lane at a time, in order; otherwise all at once
    copies: int = 1  # How often each update is posted, even if accepted
    first_wait: float = 0.05  # Seconds before the second try; doubled each time
    longest_wait: float = 1
    timeout: float = 10  # Seconds for one post
    # The bot's status for each post; 599 if it can't be reached.
    statuses: list[int] = field(default_factory=list)

    async def run(self, world: World) -> None:
        """Post waiting updates while a webhook is set, until cancelled."""
        client = SimpleAsyncHTTPClient(force_instance=True, max_clients=100)
        courier = _Courier(self, world.clock, world.signal, world.updates, client)
        try:
            while True:
                await world.signal.wait_until(courier.is_ready, FOREVER)
                courier.start_delivery()
        finally:
            await courier.stop()
            client.close()


class _Courier:
    """Delivers updates from a queue for each lane."""

    def __init__(
        self, settings: Delivery, clock: Clock, signal: Signal, updates: Updates, client: AsyncHTTPClient
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._signal = signal
        self._updates = updates
        self._client = client
        self._queues: dict[int, deque[Update]] = defaultdict(deque)
        self._turns: deque[int] = deque()
        self._busy: dict[int, asyncio.Task[None]] = {}
        self._webhook: Webhook | None = None  # A new webhook gets all pending updates, in order

    def is_ready(self) -> bool:
        """Whether an update may be posted now."""
        fresh, webhook = self._updates.fresh, self._updates.webhook
        if webhook is None:
            return False
        if webhook is not self._webhook:
            self._webhook = webhook
            self._queues.clear()
            self._turns.clear()
        while fresh:
            self._enqueue(fresh.popleft())
        return bool(self._turns) and len(self._busy) < webhook.max_connections

    def _enqueue(self, update: Update) -> None:
        lane = update.lane if self._settings.ordered else update.id
        self._queues[lane].append(update)
        if lane not in self._busy and len(self._queues[lane]) == 1:
            self._turns.append(lane)

    def start_delivery(self) -> None:
        """Start to deliver the next update."""
        lane = self._turns.popleft()
        update = self._queues[lane].popleft()
        self._busy[lane] = asyncio.create_task(self._deliver(lane, update))

    async def stop(self) -> None:
        """Cancel all deliveries."""
        tasks = list(self._busy.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _deliver(self, lane: int, update: Update) -> None:
        try:
            # All copies go out before the update counts as taken.
            taken = [await self._post_until_accepted(update) for _ in range(self._settings.copies)]
            if all(taken):
                self._updates.drop(update)
        finally:
            del self._busy[lane]
            if self._queues.get(lane):
                self._turns.append(lane)
            else:
                self._queues.pop(lane, None)
            self._signal.notify()

    async def _post_until_accepted(self, update: Update) -> bool:
        """Post an update until the bot accepts it; False if the webhook changed or the update was dropped."""
        wait = self._settings.first_wait
        updates = self._updates
        hook = updates.webhook
        while hook is not None and updates.webhook is hook and update.id in updates.pending:
            updates.deliveries[update.id] += 1
            status = await self._post(hook, update)
            self._settings.statuses.append(status)
            if 200 <= status < 300:
                return True
            updates.last_error = (self._clock.now, f"Wrong response from the webhook: {status}")
            self._signal.notify()
            await asyncio.sleep(wait)
            wait = min(wait * 2, self._settings.longest_wait)
        return False

    async def _post(self, webhook: Webhook, update: Update) -> int:
        headers = {"Content-Type": "application/json"}
        if webhook.secret is not None:
            headers["X-Telegram-Bot-Api-Secret-Token"] = webhook.secret
        body = json.dumps(update.body)
        request = HTTPRequest(webhook.url, "POST", headers, body, request_timeout=self._settings.timeout)
        try:
            return (await self._client.fetch(request, raise_error=False)).code
        except (OSError, HTTPError):  # refused, or closed before an answer came
            return UNREACHABLE
