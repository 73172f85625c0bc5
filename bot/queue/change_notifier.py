"""Wakes whoever shows a chat's table or a person's card elsewhere, once something of it has changed.

It says that something may have changed and not what: whoever is woken looks at the database. Many changes
before the next look wake once. As long as nobody subscribes, a change costs a look into an empty dictionary.
Of what another bot on the same database does this one hears by a hint, which may get lost: so `run` wakes
everybody once in a while beside it.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable

EVERY = 1.0  # Seconds after which a subscriber looks in any case where several bots share a database


def ignore_change(*_: int) -> None:
    """Nobody else is to hear of a change."""


class Subscription:
    """Somebody who is woken; `close` it at the end."""

    def __init__(self, leave: Callable[["Subscription"], None]) -> None:
        self._leave = leave
        self._changed = asyncio.Event()

    async def wait(self) -> None:
        """Return once something has changed since the last time; at once where it has already."""
        await self._changed.wait()
        self._changed.clear()

    def wake(self) -> None:
        """Something has changed."""
        self._changed.set()

    def close(self) -> None:
        """Wake no more."""
        self._leave(self)


class ChangeNotifier:
    """Who is woken by what. All of it belongs to one event loop; only `later` may be called on any thread."""

    def __init__(self) -> None:
        self.forward_change: Callable[[int], None] = ignore_change
        """Lets other bots on the database know of a change here, by its chat or its person."""
        self.on_departure: Callable[[int, int], None] = ignore_change
        """Hears that somebody, who comes second, is no more in a chat."""
        self.forward_departure: Callable[[int, int], None] = ignore_change
        """Lets other bots on the database know of that."""
        self._lanes: dict[int, set[Subscription]] = {}
        self._people: dict[int, set[Subscription]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def subscribe(self, lanes: Collection[int], player_id: int | None) -> Subscription:
        """Be woken by what changes in these chats or on that person's card, and by what they are told."""
        self._loop = asyncio.get_running_loop()
        mine = {*lanes, *([] if player_id is None else [player_id])}
        subscription = Subscription(lambda own: self._left(own, mine, player_id))
        for lane in mine:
            self._lanes.setdefault(lane, set()).add(subscription)
        if player_id is not None:
            self._people.setdefault(player_id, set()).add(subscription)
        return subscription

    def notify_chat(self, lane: int) -> None:
        """A table or a card of that chat is drawn anew."""
        _wake(self._lanes.get(lane, ()))
        self.forward_change(lane)

    def notify_person(self, player_id: int) -> None:
        """Something was said to that person alone."""
        _wake(self._people.get(player_id, ()))
        self.forward_change(player_id)

    def report_departure(self, chat_id: int, player_id: int) -> None:
        """Telegram told this bot that somebody is no more in a chat."""
        self.on_departure(chat_id, player_id)
        self.forward_departure(chat_id, player_id)

    def notify_chat_threadsafe(self, lane: int) -> None:
        """As `shown`, on whatever thread."""
        if self._loop is not None and lane in self._lanes:
            self._loop.call_soon_threadsafe(self.notify_chat, lane)

    def wake_lanes(self, lanes: Iterable[int]) -> None:
        """Another bot has changed something there."""
        for lane in lanes:
            _wake(self._lanes.get(lane, ()))

    def wake_all(self) -> None:
        """Another bot may have changed anything."""
        for subscriptions in self._lanes.values():
            _wake(subscriptions)

    async def run(self) -> None:
        """Wake everybody every second, for as long as that isn't cancelled: hints may be lost."""
        while True:
            await asyncio.sleep(EVERY)
            self.wake_all()

    def _left(self, own: Subscription, lanes: Iterable[int], player_id: int | None) -> None:
        for lane in lanes:
            _drop(self._lanes, lane, own)
        if player_id is not None:
            _drop(self._people, player_id, own)


def _wake(subscriptions: Iterable[Subscription]) -> None:
    for subscription in subscriptions:
        subscription.wake()


def _drop(held: dict[int, set[Subscription]], key: int, own: Subscription) -> None:
    left = held.get(key, set()) - {own}
    if left:
        held[key] = left
    else:
        held.pop(key, None)
