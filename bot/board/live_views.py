"""Read the state of each place once for all who view it in one language.

A change is read in one go for all viewers, so their number hardly matters to the database. Changes that
happen during a read count as one.
"""

import asyncio
import logging
from collections.abc import Callable, Collection
from contextlib import nullcontext
from functools import partial

from bot.board import queries as boards
from bot.board import view
from bot.board.chat_cache import TitleCache
from bot.board.page_state import PageState, encode_state
from bot.board.rules import Place
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
        self._state: PageState | None = None  # the newest one
        self._was_taken = True

    def take_new_state(self) -> bytes | None:
        """Return the newest state as JSON; None if it was taken before."""
        if self._state is None or self._was_taken:
            return None
        self._was_taken = True
        return encode_state(self._state)

    def request_read(self) -> None:
        """Have the states of all viewers of the place read again."""
        self._live_view.request_read()

    def offer_state(self, state: PageState) -> None:
        """Keep a new state for `take_new_state` and wake the viewer; ignore one like the last."""
        if state != self._state:
            self._state = state
            self._was_taken = False
            self._wake()

    def leave(self) -> None:
        """Leave the live view, which is closed after the last viewer."""
        self._live_view.remove_viewer(self)


MIN_READ_INTERVAL = 0.02  # seconds between two reads; as many as the last read took, if that is more
RETRY_DELAY = 1.0  # seconds after a failed read


class LiveView:
    """The state of one place in one language, read again after each change until the view is closed."""

    def __init__(self, place: Place, language: str, views: "LiveViews") -> None:
        self.key = place, language
        self.place = place
        self._language = language
        self._views = views
        self.viewers = set[Viewer]()
        self._is_read_due = asyncio.Event()
        self._reader = asyncio.create_task(self._read_when_due())
        self._subscribe()

    def request_read(self) -> None:
        """Have the states of all viewers read soon."""
        self._is_read_due.set()

    def remove_viewer(self, viewer: Viewer) -> None:
        """Remove a viewer, and close the view after the last one."""
        self.viewers.discard(viewer)
        if not self.viewers:
            self.close()
        self._views.request_reads(self.place)

    def close(self) -> None:
        """Stop reading; a later viewer of the place gets a new live view."""
        self._reader.cancel()
        self._unsubscribe()
        self._views.forget_view(self)

    def _subscribe(self) -> None:
        """Start to follow the changes of the place's chat."""
        self._subscription = self._views.changes.subscribe([self.place.chat_id])
        self._follower = asyncio.create_task(self._follow_changes(self._subscription))

    def _unsubscribe(self) -> None:
        self._subscription.close()
        self._follower.cancel()

    async def _follow_changes(self, subscription: Subscription) -> None:
        while True:
            await subscription.wait()
            self.request_read()

    async def _read_when_due(self) -> None:
        """Read after each request, and again after a failure; only one view of spectators reads at a time."""
        get_time = asyncio.get_running_loop().time
        # Anybody may have any number of links to old rounds, and players must not wait for them.
        turn_or_nothing = self._views.spectators_turn if self.place.watch_only else nullcontext()
        while True:
            await self._is_read_due.wait()
            self._is_read_due.clear()
            try:
                title = await self._views.titles.fetch_title(self.place)
                async with turn_or_nothing:
                    began = get_time()
                    await self._offer_new_states(title)
            except Exception as error:  # noqa: BLE001 - viewers wait for the next try, whatever failed
                log.warning("what a board shows can't be read, trying again: %s", describe_error(error))
                await asyncio.sleep(RETRY_DELAY)
                self.request_read()
            else:
                read_seconds = get_time() - began
                await asyncio.sleep(max(MIN_READ_INTERVAL, read_seconds))  # a pause as long as the read

    async def _offer_new_states(self, title: str) -> None:
        """Read the state of each viewer, and offer it; follow the group's new id once it is a supergroup."""
        player_ids = {viewer.player_id for viewer in self.viewers}
        present_ids = self._views.list_present_players(self.place)
        load = partial(self._load_states, title=title, player_ids=player_ids, present_ids=present_ids)
        place, states = await self._views.store.read(load)
        for viewer in list(self.viewers):
            if viewer.player_id in states:  # else the viewer came during the read
                viewer.offer_state(states[viewer.player_id])
        if place != self.place:
            self._unsubscribe()
            self.place = place
            self._subscribe()
            self.request_read()  # something may have changed in between

    def _load_states(
        self, tx: Tx, title: str, player_ids: Collection[PlayerId], present_ids: Collection[int]
    ) -> tuple[Place, dict[PlayerId, PageState]]:
        """Return the place, with its group's present id, and each player's state."""
        place = boards.resolve_migrated_place(tx, self.place)
        shared = view.load_shared_view(tx, place, self._language, self._views.now(), title, present_ids)
        return place, view.build_states(tx, shared, player_ids)


class LiveViews:
    def __init__(
        self, store: Store, changes: ChangeNotifier, now: Callable[[], float], titles: TitleCache
    ) -> None:
        self.store = store
        self.changes = changes
        self.now = now
        self.titles = titles
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
        self.request_reads(place)
        return viewer

    def request_reads(self, place: Place) -> None:
        """Have all views of the place's table read again, which list who is present."""
        for live_view in self._list_views_of_table(place):
            live_view.request_read()

    def list_present_players(self, place: Place) -> list[int]:
        """Return the players who have a page of the place's table open, in ascending order."""
        player_ids = set[int]()
        for live_view in self._list_views_of_table(place):
            for viewer in live_view.viewers:
                if viewer.player_id is not None:
                    player_ids.add(viewer.player_id)
        return sorted(player_ids)

    def _list_views_of_table(self, place: Place) -> list[LiveView]:
        in_chat = [each for each in self._open_views.values() if each.place.chat_id == place.chat_id]
        return [live_view for live_view in in_chat if live_view.place.topic == place.topic]

    def forget_view(self, live_view: LiveView) -> None:
        self._open_views.pop(live_view.key, None)

    def __len__(self) -> int:
        return len(self._open_views)

    async def load_state(self, place: Place, language: str, player_id: PlayerId) -> PageState:
        """Return the state of one player's page, read now."""
        title = await self.titles.fetch_title(place)

        def load(tx: Tx) -> PageState:
            shared = view.load_shared_view(tx, place, language, self.now(), title)
            return view.build_state(tx, shared, player_id)

        return await self.store.read(load)

    def close(self) -> None:
        for live_view in list(self._open_views.values()):
            live_view.close()
