"""How updates get to the bot's webhook: in parallel, again until taken, twice if a test wants that."""

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
    """The habits of delivery; Telegram's own are the defaults, but for shorter waits."""

    ordered: bool = True  # One update of a lane at a time, in order; otherwise all at once
    copies: int = 1  # How often each update is posted even if it was taken
    first_wait: float = 0.05  # Seconds before the second try; doubled each time
    longest_wait: float = 1
    timeout: float = 10  # Seconds for one post
    # What the bot answered to each post, 599 when it couldn't be reached.
    statuses: list[int] = field(default_factory=list)

    async def run(self, world: World) -> None:
        """Post whatever waits while a webhook is set; ends when cancelled."""
        client = SimpleAsyncHTTPClient(force_instance=True, max_clients=100)
        courier = _Courier(self, world.clock, world.signal, world.updates, client)
        try:
            while True:
                await world.signal.wait_until(courier.ready, FOREVER)
                courier.send_one()
        finally:
            await courier.stop()
            client.close()


class _Courier:
    """Updates on their way: a queue for each lane, and the lanes whose turn it is."""

    def __init__(
        self, habits: Delivery, clock: Clock, signal: Signal, updates: Updates, client: AsyncHTTPClient
    ) -> None:
        self._habits = habits
        self._clock = clock
        self._signal = signal
        self._updates = updates
        self._client = client
        self._queues: dict[int, deque[Update]] = defaultdict(deque)
        self._turns: deque[int] = deque()
        self._busy: dict[int, asyncio.Task[None]] = {}
        self._webhook: Webhook | None = None
        """Where the queued ones go; a webhook that is set anew gets all that is pending, in its order."""

    def ready(self) -> bool:
        """Is there an update that may go now?"""
        fresh, webhook = self._updates.fresh, self._updates.webhook
        if webhook is None:
            return False
        if webhook is not self._webhook:
            self._webhook = webhook
            self._queues.clear()
            self._turns.clear()
        while fresh:
            self._sort(fresh.popleft())
        return bool(self._turns) and len(self._busy) < webhook.max_connections

    def _sort(self, update: Update) -> None:
        lane = update.lane if self._habits.ordered else update.id
        self._queues[lane].append(update)
        if lane not in self._busy and len(self._queues[lane]) == 1:
            self._turns.append(lane)

    def send_one(self) -> None:
        """Start the first update of the lane whose turn it is."""
        lane = self._turns.popleft()
        update = self._queues[lane].popleft()
        self._busy[lane] = asyncio.create_task(self._deliver(lane, update))

    async def stop(self) -> None:
        """Leave everything as it is."""
        tasks = list(self._busy.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _deliver(self, lane: int, update: Update) -> None:
        try:
            # All copies go out before the update counts as taken.
            taken = [await self._insist(update) for _ in range(self._habits.copies)]
            if all(taken):
                self._updates.drop(update)
        finally:
            del self._busy[lane]
            if self._queues.get(lane):
                self._turns.append(lane)
            else:
                self._queues.pop(lane, None)
            self._signal.notify()

    async def _insist(self, update: Update) -> bool:
        """Post until the bot takes it; False when it is wanted no more."""
        wait = self._habits.first_wait
        updates = self._updates
        hook = updates.webhook
        while hook is not None and updates.webhook is hook and update.id in updates.pending:
            updates.deliveries[update.id] += 1
            status = await self._post(hook, update)
            self._habits.statuses.append(status)
            if 200 <= status < 300:
                return True
            updates.last_error = (self._clock.now, f"Wrong response from the webhook: {status}")
            self._signal.notify()
            await asyncio.sleep(wait)
            wait = min(wait * 2, self._habits.longest_wait)
        return False

    async def _post(self, webhook: Webhook, update: Update) -> int:
        headers = {"Content-Type": "application/json"}
        if webhook.secret is not None:
            headers["X-Telegram-Bot-Api-Secret-Token"] = webhook.secret
        body = json.dumps(update.body)
        request = HTTPRequest(webhook.url, "POST", headers, body, request_timeout=self._habits.timeout)
        try:
            return (await self._client.fetch(request, raise_error=False)).code
        except (OSError, HTTPError):  # refused, or closed before an answer came
            return UNREACHABLE
