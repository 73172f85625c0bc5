"""Read the state of each place once for all who view it in one language.

A change is read in one go for all viewers, and what differs between viewers in a few reads more, so the
number of viewers hardly matters to the database. Viewers are woken a few at a time, between which the rest of
the bot has its turn. Changes that happen during a read count as one.
"""

import asyncio
import json
import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from contextlib import nullcontext
from functools import partial
from itertools import chain
from typing import Any

from bot.board import queries as boards
from bot.board import view
from bot.board.chat_cache import TitleCache
from bot.board.rules import Place
from bot.board.view import SharedView
from bot.database import Store, Tx, describe_error
from bot.queue.change_notifier import ChangeNotifier, Subscription

log = logging.getLogger(__name__)

PlayerId = int | None  # None for spectators


class Viewer:
    """One reader of a live view; `wake` is called once there is a new state to take."""

    def __init__(self, live_view: "LiveView", player_id: PlayerId, wake: Callable[[], None]) -> None:
        self._live_view = live_view
        self._wake = wake
        self.player_id = player_id
        self.is_due = True  # whether the viewer's state must be read
        self._version: object = None
        self._new_state: bytes | None = None

    def take_new_state(self) -> bytes | None:
        """Return the newest state as JSON; None if it was taken before."""
        state = self._new_state
        self._new_state = None
        return state

    def request_read(self) -> None:
        """Have this viewer's state read again."""
        self.is_due = True
        self._live_view.request_read()

    def offer_state(self, state: bytes, version: object) -> bool:
        """Keep a new version for `take_new_state` and wake the viewer; return whether it is a new one."""
        if version == self._version:
            return False
        self._version = version
        self._new_state = state
        self._wake()
        return True

    def leave(self) -> None:
        """Leave the live view, which is closed after the last viewer."""
        self._live_view.viewers.discard(self)
        if not self._live_view.viewers:
            self._live_view.close()


MIN_READ_INTERVAL = 0.02  # seconds between two reads; as many as the last read took, if that is more
RETRY_DELAY = 1.0  # seconds after a failed read
TITLE_INTERVAL = 60.0  # seconds between two requests for a group's title
VIEWERS_PER_READ = 25
VIEWERS_PER_PAUSE = 10  # viewers to wake between two pauses
WAKE_PAUSE = 0.002  # seconds of such a pause


class LiveView:
    """The state of one place in one language, read again after each change until the view is closed."""

    def __init__(self, place: Place, language: str, views: "LiveViews") -> None:
        self.key = place, language
        self._place, self._language, self._views = place, language, views
        self.viewers = set[Viewer]()
        self._is_read_due = asyncio.Event()
        self._has_changed = True  # whether all viewers' states must be read
        self._shared: SharedView | None = None
        self._title = views.titles.get_cached_title(place)
        self._reader = asyncio.create_task(self._read_when_due())
        self._subscribe()

    def request_read(self) -> None:
        """Have the states of all viewers that are due read soon."""
        self._is_read_due.set()

    def close(self) -> None:
        """Stop reading; a later viewer of the place gets a new live view."""
        self._reader.cancel()
        self._unsubscribe()
        self._views.forget_view(self)

    def _subscribe(self) -> None:
        """Start to follow the changes and the title of the place's chat."""
        self._subscription = self._views.changes.subscribe([self._place.chat_id])
        self._followers = [
            asyncio.create_task(self._follow_changes(self._subscription)),
            asyncio.create_task(self._follow_title()),
        ]

    def _unsubscribe(self) -> None:
        self._subscription.close()
        for task in self._followers:
            task.cancel()

    async def _follow_changes(self, subscription: Subscription) -> None:
        while True:
            await subscription.wait()
            self._request_read_for_all()

    async def _follow_title(self) -> None:
        """Ask for the group's title from time to time, and have all states read if it is new; never end."""
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
        """Read after each request, and again after a failure; only one view of spectators reads at a time."""
        get_time = asyncio.get_running_loop().time
        # Anybody may have any number of links to old rounds, and players must not wait for them.
        turn_or_nothing = self._views.spectators_turn if self._place.watch_only else nullcontext()
        while True:
            await self._is_read_due.wait()
            self._is_read_due.clear()
            try:
                async with turn_or_nothing:
                    began = get_time()
                    await self._read_due_states()
            except Exception as error:  # noqa: BLE001 - viewers wait for the next try, whatever failed
                log.warning("what a board shows can't be read, trying again: %s", describe_error(error))
                await asyncio.sleep(RETRY_DELAY)
                self.request_read()
            else:
                read_seconds = get_time() - began
                await asyncio.sleep(max(MIN_READ_INTERVAL, read_seconds))  # a pause as long as the read

    async def _read_due_states(self) -> None:
        """Read the states that are due and offer them to their viewers, who stay due if that fails."""
        has_changed = self._has_changed
        self._has_changed = False  # before the read: a change during it makes viewers due again
        if has_changed:
            self._shared = None
        due_viewers = defaultdict[PlayerId, list[Viewer]](list)
        for viewer in self.viewers:
            if has_changed or viewer.is_due:
                due_viewers[viewer.player_id].append(viewer)
                viewer.is_due = False
        try:
            await self._offer_new_states(due_viewers)
        except Exception:
            if has_changed:
                self._has_changed = True
            for viewer in chain.from_iterable(due_viewers.values()):
                viewer.is_due = True
            raise

    async def _offer_new_states(self, viewers: Mapping[PlayerId, Collection[Viewer]]) -> None:
        """Read the state of each player and offer it to the player's viewers, with pauses in between."""
        all_ids = list(viewers)
        woken_count = 0  # since the last pause
        for start in range(0, len(all_ids), VIEWERS_PER_READ):
            player_ids = all_ids[start : start + VIEWERS_PER_READ]
            states = await self._views.store.read(partial(self._load_states, player_ids=player_ids))
            self._follow_migration()
            for viewer in chain.from_iterable(viewers[player_id] for player_id in player_ids):
                state, version = states[viewer.player_id]
                if viewer.offer_state(state, version):
                    woken_count += 1
                if woken_count == VIEWERS_PER_PAUSE:
                    woken_count = 0
                    await asyncio.sleep(WAKE_PAUSE)

    def _load_states(self, tx: Tx, player_ids: Collection[PlayerId]) -> dict[PlayerId, tuple[bytes, object]]:
        """Return each player's state as JSON, and its version; keep the shared part for later reads."""
        now = self._views.now()
        title = self._title
        if self._shared is None:  # at the start, and after each change
            place = boards.resolve_migrated_place(tx, self._place)
            self._shared = view.load_shared_view(tx, place, self._language, now)
        else:
            self._shared = view.refresh_shared_view(tx, self._shared, now)
        states = dict[PlayerId, tuple[bytes, object]]()
        for readers, state in view.build_states(tx, self._shared, player_ids):
            state["place"]["title"] = title
            encoded = json.dumps(state, ensure_ascii=False).encode()
            version = state["version"], title  # the state's own version leaves the title out
            for player_id in readers:
                states[player_id] = encoded, version
        return states

    def _follow_migration(self) -> None:
        """Follow the group's new id if the last read found one: it is now a supergroup."""
        if self._shared is None or self._shared.place == self._place:
            return
        self._unsubscribe()
        self._place = self._shared.place
        self._subscribe()
        self._subscription.wake()  # something may have changed in between


class LiveViews:
    def __init__(
        self, store: Store, changes: ChangeNotifier, now: Callable[[], float], titles: TitleCache
    ) -> None:
        self.store, self.changes, self.now, self.titles = store, changes, now, titles
        self._open_views = dict[tuple[Place, str], LiveView]()
        self.spectators_turn = asyncio.Lock()  # held by the one view of spectators that is read

    def join(self, place: Place, language: str, player_id: PlayerId, wake: Callable[[], None]) -> Viewer:
        """Return a new viewer of the place; `wake` is called whenever it has a new state."""
        live_view = self._open_views.get((place, language))
        if live_view is None:
            live_view = LiveView(place, language, self)
            self._open_views[live_view.key] = live_view
        viewer = Viewer(live_view, player_id, wake)
        live_view.viewers.add(viewer)
        live_view.request_read()
        return viewer

    def forget_view(self, live_view: LiveView) -> None:
        self._open_views.pop(live_view.key, None)

    def __len__(self) -> int:
        return len(self._open_views)

    async def load_state(self, place: Place, language: str, player_id: PlayerId) -> dict[str, Any]:
        """Return the state of one player's page, read now."""

        def load(tx: Tx) -> dict[str, Any]:
            shared = view.load_shared_view(tx, place, language, self.now())
            state = view.build_state(tx, shared, player_id)
            state["place"]["title"] = self.titles.get_cached_title(place)
            return state

        return await self.store.read(load)

    def close(self) -> None:
        for live_view in list(self._open_views.values()):
            live_view.close()
