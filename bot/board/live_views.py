"""Read the state of each place once for all who view it in one language.

A change is read in one go for all viewers, and what differs between viewers in a few reads more, so the
number of viewers hardly matters to the database. Viewers are woken a few at a time, between which the rest of
the bot has its turn. Changes that happen during a read count as one.
"""

import asyncio
import json
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from itertools import chain
from typing import Any

from bot.board import queries as boards
from bot.board import view
from bot.board.chat_cache import TitleCache
from bot.board.rules import Place
from bot.board.view import SharedView
from bot.database import Store, Tx, describe_error
from bot.queue.change_notifier import ChangeNotifier

log = logging.getLogger(__name__)

PlayerId = int | None  # None for spectators


class Viewer:
    """One reader of a live view; `wake` is called once there is a new state to take."""

    def __init__(self, live_view: "LiveView", player_id: PlayerId, wake: Callable[[], None]) -> None:
        self._live_view, self._wake = live_view, wake
        self.player_id = player_id
        self.is_due = True  # whether the viewer's state must be read
        self._last_content = b""
        self._new_state: bytes | None = None

    def take_new_state(self) -> bytes | None:
        """Return the newest state as JSON; None if it was taken before."""
        state, self._new_state = self._new_state, None
        return state

    def request_read(self) -> None:
        """Have this viewer's state read again."""
        self.is_due = True
        self._live_view.request_read()

    def offer_state(self, state: bytes, content: bytes) -> bool:
        """Wake the viewer if `content`, the state without its time, is new; return whether it is."""
        if content == self._last_content:
            return False
        self._last_content, self._new_state = content, state
        self._wake()
        return True

    def leave(self) -> None:
        """Leave the live view."""
        self._live_view.remove_viewer(self)


MIN_READ_INTERVAL = 0.02  # seconds between two reads; as many as the last read took, if that is more
RETRY_DELAY = 1.0  # seconds after a failed read
TITLE_INTERVAL = 60.0  # seconds between two requests for a group's title
VIEWERS_PER_READ = 25
VIEWERS_PER_PAUSE, WAKE_PAUSE = 10, 0.002  # seconds of a pause after so many viewers were woken


class LiveView:
    """The state of one place in one language, read again after each change."""

    def __init__(self, place: Place, language: str, views: "LiveViews") -> None:
        self._place, self._language, self._views = place, language, views
        self.viewers = set[Viewer]()
        self.on_empty: Callable[[], None] = lambda: None  # called when the last viewer has left
        self._is_read_due, self._has_changed = asyncio.Event(), True
        self._shared: SharedView | None = None
        self._title = views.titles.get_cached_title(place)
        self._reader = asyncio.create_task(self._read_when_due())
        self._subscribe()

    def add_viewer(self, player_id: PlayerId, wake: Callable[[], None]) -> Viewer:
        viewer = Viewer(self, player_id, wake)
        self.viewers.add(viewer)
        self.request_read()
        return viewer

    def request_read(self) -> None:
        """Have everything read that is due."""
        self._is_read_due.set()

    def remove_viewer(self, viewer: Viewer) -> None:
        """Remove a viewer; close the view after the last one."""
        self.viewers.discard(viewer)
        if not self.viewers:
            self.close()

    def close(self) -> None:
        """Stop reading."""
        self._reader.cancel()
        self._unsubscribe()
        self.on_empty()

    def _subscribe(self) -> None:
        self._subscription = self._views.changes.subscribe([self._place.chat_id], None)
        self._followers = [
            asyncio.create_task(self._follow_changes()),
            asyncio.create_task(self._follow_title()),
        ]

    def _unsubscribe(self) -> None:
        self._subscription.close()
        for task in self._followers:
            task.cancel()

    async def _follow_changes(self) -> None:
        while True:
            await self._subscription.wait()
            self._request_read_for_all()

    async def _follow_title(self) -> None:
        """Ask Telegram for the group's title from time to time; no read waits for it."""
        while True:
            title = await self._views.titles.fetch_title(self._place)
            if title != self._title:
                self._title = title
                self._request_read_for_all()
            await asyncio.sleep(TITLE_INTERVAL)

    def _request_read_for_all(self) -> None:
        self._has_changed = True
        self.request_read()

    async def _read_when_due(self) -> None:
        while True:
            await self._is_read_due.wait()
            self._is_read_due.clear()
            seconds = 0.0
            try:
                async with self._views.wait_for_turn() if self._place.watch_only else nullcontext():
                    seconds = await self._read()
            except Exception as error:  # noqa: BLE001 - viewers wait for the next try, whatever failed
                log.warning("what a board shows can't be read, trying again: %s", describe_error(error))
                await asyncio.sleep(RETRY_DELAY)
                self.request_read()
            await asyncio.sleep(max(MIN_READ_INTERVAL, seconds))

    async def _read(self) -> float:
        """Read the states that are due and offer them to their viewers; return the seconds spent reading."""
        clock, seconds, woken = asyncio.get_running_loop(), 0.0, 0
        has_changed, self._has_changed = self._has_changed, False
        if has_changed:
            self._shared = None
        due = defaultdict[PlayerId, list[Viewer]](list)
        for viewer in self.viewers:
            if has_changed or viewer.is_due:
                due[viewer.player_id].append(viewer)
                viewer.is_due = False  # before the read: a change during it makes the viewer due again
        player_ids = list(due)
        try:
            for start in range(0, len(player_ids), VIEWERS_PER_READ):
                some, began = player_ids[start : start + VIEWERS_PER_READ], clock.time()
                load = partial(self._load_states, player_ids=some, refreshes=start == 0)
                states = await self._views.store.read(load)
                seconds += clock.time() - began
                self._follow_migration()
                for viewer in chain.from_iterable(due[player_id] for player_id in some):
                    woken += viewer.offer_state(*states[viewer.player_id])
                    if woken == VIEWERS_PER_PAUSE:
                        woken = 0
                        await asyncio.sleep(WAKE_PAUSE)
        except BaseException:
            self._has_changed |= has_changed
            for viewer in chain.from_iterable(due.values()):
                viewer.is_due = True
            raise
        return seconds

    def _load_states(
        self, tx: Tx, player_ids: Collection[PlayerId], *, refreshes: bool
    ) -> dict[PlayerId, tuple[bytes, bytes]]:
        """Return each player's state as `encode_state` does; runs in a thread of the store.

        `refreshes` loads the daily hand anew: it may have been dealt in private, which is no change here.
        """
        shared, now = self._shared, self._views.now()
        if shared is None:
            place = boards.resolve_migrated_place(tx, self._place)
            shared = view.load_shared_view(tx, place, self._language, now)
        elif refreshes:
            shared = view.refresh_shared_view(tx, shared, now)
        self._shared, title = shared, self._title
        return {
            player_id: encoded
            for group, state in view.build_states(tx, shared, player_ids)
            for encoded in [encode_state(add_title(state, title))]
            for player_id in group
        }

    def _follow_migration(self) -> None:
        """Subscribe to the present chat of the place: a group that becomes a supergroup gets another id."""
        if self._shared is None or self._shared.place == self._place:
            return
        self._unsubscribe()
        self._place = self._shared.place
        self._subscribe()
        self._subscription.wake()  # something may have changed in between


def encode_state(state: dict[str, Any]) -> tuple[bytes, bytes]:
    """Return a state as JSON, with and without its time; the second form shows whether it differs."""
    content = json.dumps({key: value for key, value in state.items() if key != "now"}, ensure_ascii=False)
    now = json.dumps(state.get("now"))
    return f'{{"now": {now}, {content[1:]}'.encode(), content.encode()


def add_title(state: dict[str, Any], title: str) -> dict[str, Any]:
    """Return the state with the group's title."""
    return {**state, "place": {**state["place"], "title": title}}


class LiveViews:
    """All live views that have viewers."""

    def __init__(
        self, store: Store, changes: ChangeNotifier, now: Callable[[], float], titles: TitleCache
    ) -> None:
        self.store, self.changes, self.now, self.titles = store, changes, now, titles
        self._open = dict[tuple[Place, str], LiveView]()
        self._spectators_turn = asyncio.Lock()

    def join(self, place: Place, language: str, player_id: PlayerId, wake: Callable[[], None]) -> Viewer:
        """Return a viewer of the place; `wake` is called whenever it has a new state."""
        key = place, language
        live_view = self._open.get(key)
        if live_view is None:
            live_view = self._open[key] = LiveView(place, language, self)
            live_view.on_empty = lambda: self._forget(key)
        return live_view.add_viewer(player_id, wake)

    def _forget(self, key: tuple[Place, str]) -> None:
        self._open.pop(key, None)

    def __len__(self) -> int:
        return len(self._open)

    async def load_state(self, place: Place, language: str, player_id: PlayerId) -> dict[str, Any]:
        """Return the present state of one player's page."""

        def load(tx: Tx) -> dict[str, Any]:
            shared = view.load_shared_view(tx, place, language, self.now())
            state = view.build_state(tx, shared, player_id)
            return add_title(state, self.titles.get_cached_title(place))

        return await self.store.read(load)

    @asynccontextmanager
    async def wait_for_turn(self) -> AsyncIterator[None]:
        """Let spectators' views read one after the other, and a third of the time at most.

        Anybody may have any number of links to old rounds, and players must not wait for them.
        """
        async with self._spectators_turn:
            began = asyncio.get_running_loop().time()
            yield
            await asyncio.sleep(2 * (asyncio.get_running_loop().time() - began))

    def close(self) -> None:
        """Close all live views."""
        for live_view in list(self._open.values()):
            live_view.close()
