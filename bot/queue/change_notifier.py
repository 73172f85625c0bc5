"""Wakes the pages that show a chat's table or a person's card, once something of it may have changed.

It does not say what has changed: a subscriber that is woken reads the database. Several changes before that
wake it once. Other bots on the database forward their changes; since a forwarded one may get lost, `run`
wakes all subscribers regularly.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable

WAKE_INTERVAL = 1.0  # Seconds after which all subscribers are woken, if there are several bots


def ignore_change(*_: int) -> None:
    """Do nothing: there is no other bot."""


class Subscription:
    """One subscriber. Call `close` at the end."""

    def __init__(self, unsubscribe: Callable[["Subscription"], None]) -> None:
        self._unsubscribe = unsubscribe
        self._changed = asyncio.Event()

    async def wait(self) -> None:
        """Return once something has changed since the last call."""
        await self._changed.wait()
        self._changed.clear()

    def wake(self) -> None:
        self._changed.set()

    def close(self) -> None:
        self._unsubscribe(self)


class ChangeNotifier:
    """Wakes subscribers. It belongs to one event loop; only `notify_chat_threadsafe` is for any thread."""

    def __init__(self) -> None:
        self.forward_change: Callable[[int], None] = ignore_change
        """Tells other bots of a change in a chat, or on a person's card."""
        self.on_departure: Callable[[int, int], None] = ignore_change
        """Called with a chat and a person who has left it."""
        self.forward_departure: Callable[[int, int], None] = ignore_change
        """Tells other bots of a departure."""
        self._by_lane: dict[int, set[Subscription]] = {}
        self._by_person: dict[int, set[Subscription]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def subscribe(self, lanes: Collection[int], player_id: int | None) -> Subscription:
        """Subscribe to changes in these chats, on this person's card, and to replies to the person."""
        self._loop = asyncio.get_running_loop()
        lanes = {*lanes, *([] if player_id is None else [player_id])}
        people = () if player_id is None else (player_id,)

        def unsubscribe(subscription: Subscription) -> None:
            for subscribers, keys in ((self._by_lane, lanes), (self._by_person, people)):
                for key in keys:
                    left = subscribers.pop(key, set()) - {subscription}
                    if left:
                        subscribers[key] = left

        subscription = Subscription(unsubscribe)
        for lane in lanes:
            self._by_lane.setdefault(lane, set()).add(subscription)
        for person in people:
            self._by_person.setdefault(person, set()).add(subscription)
        return subscription

    def notify_chat(self, lane: int) -> None:
        """Wake those who show a table or card of this chat, here and at other bots."""
        _wake(self._by_lane.get(lane, ()))
        self.forward_change(lane)

    def notify_chat_threadsafe(self, lane: int) -> None:
        """As `notify_chat`, from any thread."""
        if self._loop is not None and lane in self._by_lane:
            self._loop.call_soon_threadsafe(self.notify_chat, lane)

    def notify_person(self, player_id: int) -> None:
        """Wake the pages of a person who got a reply, here and at other bots."""
        _wake(self._by_person.get(player_id, ()))
        self.forward_change(player_id)

    def report_departure(self, chat_id: int, player_id: int) -> None:
        """Report that a person has left a chat, here and to other bots."""
        self.on_departure(chat_id, player_id)
        self.forward_departure(chat_id, player_id)

    def wake_lanes(self, lanes: Iterable[int]) -> None:
        """Wake those who show these chats, after a change that another bot has forwarded."""
        for lane in lanes:
            _wake(self._by_lane.get(lane, ()))

    def wake_all(self) -> None:
        for subscriptions in self._by_lane.values():
            _wake(subscriptions)

    async def run(self) -> None:
        """Wake all subscribers regularly, until cancelled."""
        while True:
            await asyncio.sleep(WAKE_INTERVAL)
            self.wake_all()


def _wake(subscriptions: Iterable[Subscription]) -> None:
    for subscription in subscriptions:
        subscription.wake()
