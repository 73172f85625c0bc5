"""Wakes the pages that show a chat's table or a person's card, once something of it may have changed.

It does not say what has changed: a subscriber that is woken reads the database. Several changes before that
wake it once. Other bots on the database forward their changes; since a forwarded one may get lost, `run`
wakes all subscribers regularly.
"""

import asyncio
from collections.abc import Callable, Collection

WAKE_INTERVAL = 1.0  # Seconds after which all subscribers are woken, if there are several bots


def ignore_change(*_: int) -> None:
    """Do nothing: there is no other bot."""


class Subscription:
    """One subscriber to `lanes`, which adds itself to `subscriptions`. Call `close` at the end."""

    def __init__(self, subscriptions: dict[int, set["Subscription"]], lanes: Collection[int]) -> None:
        self._subscriptions = subscriptions
        self._lanes = lanes
        self._changed = asyncio.Event()
        for lane in lanes:
            subscriptions.setdefault(lane, set()).add(self)

    async def wait(self) -> None:
        """Wait until something has changed since the last call."""
        await self._changed.wait()
        self._changed.clear()

    def wake(self) -> None:
        self._changed.set()

    def close(self) -> None:
        """Unsubscribe; a chat without any other subscriber is forgotten."""
        for lane in self._lanes:
            remaining = self._subscriptions.pop(lane, set()) - {self}
            if remaining:
                self._subscriptions[lane] = remaining


class ChangeNotifier:
    """Wakes subscribers. It belongs to one event loop; only `notify_chat_threadsafe` is for any thread."""

    def __init__(self) -> None:
        self.forward_change: Callable[[int], None] = ignore_change  # Tells other bots of a change in a lane
        self.on_departure: Callable[[int, int], None] = ignore_change  # Gets a chat and who has left it
        self.forward_departure: Callable[[int, int], None] = ignore_change  # Tells other bots of a departure
        self.is_watched = False  # Whether a page was ever opened here or may be open at other bots
        self._by_lane: dict[int, set[Subscription]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def subscribe(self, lanes: Collection[int]) -> Subscription:
        """Subscribe to changes in these chats; a person's id stands for their card and replies to them."""
        self._loop = asyncio.get_running_loop()
        self.is_watched = True
        return Subscription(self._by_lane, lanes)

    def notify_chat(self, lane: int) -> None:
        """Wake those who show a table of this chat or the card of this person, here and at other bots."""
        self.wake_chat(lane)
        self.forward_change(lane)

    def notify_chat_threadsafe(self, lane: int) -> None:
        """Do as `notify_chat`, from any thread; nothing if nobody here has subscribed to the chat."""
        if self._loop is not None and lane in self._by_lane:
            self._loop.call_soon_threadsafe(self.notify_chat, lane)

    def report_departure(self, chat_id: int, player_id: int) -> None:
        """Call `on_departure` with a person who has left a chat, and tell other bots."""
        self.on_departure(chat_id, player_id)
        self.forward_departure(chat_id, player_id)

    def wake_chat(self, lane: int) -> None:
        """Wake those who show this chat, here alone."""
        for subscription in self._by_lane.get(lane, ()):
            subscription.wake()

    async def run(self) -> None:
        """Wake all subscribers regularly, until cancelled."""
        while True:
            await asyncio.sleep(WAKE_INTERVAL)
            for lane in self._by_lane:
                self.wake_chat(lane)
