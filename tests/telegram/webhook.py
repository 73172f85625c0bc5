"""How updates get to the bot's webhook: in parallel, again until taken, twice if a test wants that."""

import asyncio
import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field

from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.simple_httpclient import SimpleAsyncHTTPClient

from tests.telegram.updates import Update, Webhook
from tests.telegram.world import World


@dataclass(slots=True)
class Delivery:
    """The habits of delivery; Telegram's own are the defaults, but for shorter waits."""

    ordered: bool = True
    """One update of a lane at a time, in order; otherwise all at once."""
    copies: int = 1
    """How often each update is posted even if it was taken."""
    first_wait: float = 0.05
    """Seconds before the second try; doubled each time."""
    longest_wait: float = 1
    timeout: float = 10
    """Seconds for one post."""
    statuses: list[int] = field(default_factory=list)
    """What the bot answered to each post, 599 when it couldn't be reached."""

    async def run(self, world: World) -> None:
        """Post whatever waits while a webhook is set; ends when cancelled."""
        busy: dict[int, asyncio.Task[None]] = {}
        client: AsyncHTTPClient = SimpleAsyncHTTPClient(force_instance=True, max_clients=100)
        try:
            while True:
                await world.signal.until(lambda: self._next(world, busy) is not None, 24 * 3600)
                update = self._next(world, busy)
                webhook = world.updates.webhook
                if update is not None and webhook is not None:
                    busy[update.id] = asyncio.create_task(self._deliver(world, client, update))
                    busy[update.id].add_done_callback(_forget(world, busy, update.id))
        finally:
            for task in list(busy.values()):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
            client.close()

    def _next(self, world: World, busy: dict[int, "asyncio.Task[None]"]) -> Update | None:
        webhook = world.updates.webhook
        if webhook is None or len(busy) >= webhook.max_connections:
            return None
        pending = world.updates.pending
        lanes = {pending[number].lane for number in busy if number in pending} if self.ordered else set()
        for update in pending.values():
            if update.id not in busy and update.lane not in lanes:
                return update
            lanes |= {update.lane} if self.ordered else set()
        return None

    async def _deliver(self, world: World, client: AsyncHTTPClient, update: Update) -> None:
        wait = self.first_wait
        for _ in range(self.copies):
            while not await self._post(world, client, update):
                await asyncio.sleep(wait)
                wait = min(wait * 2, self.longest_wait)
                if world.updates.webhook is None:
                    return
        world.updates.drop(update)

    async def _post(self, world: World, client: AsyncHTTPClient, update: Update) -> bool:
        webhook = world.updates.webhook
        if webhook is None:
            return False
        world.updates.deliveries[update.id] += 1
        status = await self._send(client, webhook, update)
        self.statuses.append(status)
        if 200 <= status < 300:
            return True
        world.updates.last_error = (world.now, f"Wrong response from the webhook: {status}")
        world.signal.notify()
        return False

    async def _send(self, client: AsyncHTTPClient, webhook: Webhook, update: Update) -> int:
        headers = {"Content-Type": "application/json"}
        if webhook.secret is not None:
            headers["X-Telegram-Bot-Api-Secret-Token"] = webhook.secret
        body = json.dumps(update.body)
        request = HTTPRequest(webhook.url, "POST", headers, body, request_timeout=self.timeout)
        try:
            return (await client.fetch(request, raise_error=False)).code
        except OSError:
            return 599


def _forget(
    world: World, busy: dict[int, "asyncio.Task[None]"], number: int
) -> Callable[["asyncio.Task[None]"], None]:
    def done(_: "asyncio.Task[None]") -> None:
        busy.pop(number, None)
        world.signal.notify()

    return done
