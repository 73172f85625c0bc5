"""Reads the state of each table once for all who look at it in one language.

A *scene* is a place in a language; it lives for as long as somebody has a *seat* there. Once something there
changes, what all see is read in one go, and what each seat sees beside it in a few: however many look on, a
change costs the database a handful of reads, and what looks the same to many is made once. They are told a
few at a time, and between those the rest of the bot has its turn: nobody sees some hundredths of a second on
a page, and whoever waits for an answer in a chat would wait for all pages. Changes that come meanwhile wait
and count as one.
"""

import asyncio
import json
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import Any

from bot.board import queries as boards
from bot.board import view
from bot.board.chat_cache import TitleCache
from bot.board.rules import Place
from bot.board.view import SharedView
from bot.database import Store, Tx, describe_error
from bot.queue.change_notifier import ChangeNotifier

log = logging.getLogger(__name__)


def encode_state(state: dict[str, Any]) -> tuple[bytes, bytes]:
    """Return a state as JSON, whole and without the time: the second tells whether it is another one."""
    rest = json.dumps({key: value for key, value in state.items() if key != "now"}, ensure_ascii=False)
    now = json.dumps(state.get("now"))
    return f'{{"now": {now}, {rest[1:]}'.encode(), rest.encode()


def add_title(state: dict[str, Any], title: str) -> dict[str, Any]:
    """Return the state with the group's title."""
    return {**state, "place": {**state["place"], "title": title}}


PlayerId = int | None


class Viewer:
    """One reader, who is woken by `wake` once there is a new state to `take`."""

    def __init__(self, scene: "LiveView", player: PlayerId, wake: Callable[[], None]) -> None:
        self._scene, self._wake = scene, wake
        self.player_id = player
        self.is_due = True  # whether what it sees must be read
        self._seen = b""
        self._next: bytes | None = None

    def take_new_state(self) -> bytes | None:
        """Return the newest state as JSON; None if it was taken already."""
        newest, self._next = self._next, None
        return newest

    def request_read(self) -> None:
        """Read again what this reader alone sees."""
        self.is_due = True
        self._scene.request_read()

    def offer_state(self, whole: bytes, rest: bytes) -> bool:
        """Keep a state for the reader; whether it is new."""
        if rest == self._seen:
            return False
        self._seen, self._next = rest, whole
        self._wake()
        return True

    def leave(self) -> None:
        """Leave the scene."""
        self._scene.remove_viewer(self)


WAKE_PAUSE = 0.002  # seconds from then on in which nobody is
VIEWERS_PER_PAUSE = 10  # readers who are woken in one go, of whatever scenes


class WakePacer:
    """Gives the event loop back again and again while readers of any scene are woken."""

    def __init__(self) -> None:
        self._lock, self._woken = asyncio.Lock(), 0

    async def pause_if_due(self) -> None:
        """Count a reader that was woken; return once the next one may be."""
        async with self._lock:
            self._woken = (self._woken + 1) % VIEWERS_PER_PAUSE
            if not self._woken:
                await asyncio.sleep(WAKE_PAUSE)


class SpectatorTurns:
    """Lets those who only watch read a third of the time at most, one scene after the other.

    There may be any number of scenes, of old rounds as well: a link to each may be given to anybody.
    """

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def wait_for_turn(self) -> AsyncIterator[None]:
        """Wait until the scene before has read, and for twice as long as it took."""
        async with self._lock:
            began = asyncio.get_running_loop().time()
            yield
            await asyncio.sleep(2 * (asyncio.get_running_loop().time() - began))


NAMED = 60.0  # seconds between two looks at what a group is called
RETRY_DELAY = 1.0  # seconds after which a look that failed is tried again
MIN_READ_INTERVAL = (
    0.02  # seconds between two looks at least; they are as far apart as reading took for the last one, too
)
VIEWERS_PER_READ = 25  # people whose own parts are read in one go


class LiveView:
    """One place in one language."""

    def __init__(self, place: Place, language: str, needs: "LiveViewDependencies") -> None:
        self._place, self._language, self._needs = place, language, needs
        self._subscription = needs.changes.subscribe([place.chat_id], None)
        self.viewers = set[Viewer]()
        self.on_empty: Callable[[], None] = lambda: None  # called once nobody looks any more
        self._due, self._changed = asyncio.Event(), True
        self._shown: SharedView | None = None
        self._title = needs.titles.get_cached_title(place)
        self._reading = asyncio.create_task(self._run())
        self._listening = asyncio.create_task(self._listen())
        self._naming = asyncio.create_task(self._name())

    def add_viewer(self, player: PlayerId, wake: Callable[[], None]) -> Viewer:
        """Add a reader."""
        seat = Viewer(self, player, wake)
        self.viewers.add(seat)
        self._due.set()
        return seat

    def request_read(self) -> None:
        """Read what is due."""
        self._due.set()

    def remove_viewer(self, seat: Viewer) -> None:
        """Remove a reader; the scene ends with the last one."""
        self.viewers.discard(seat)
        if not self.viewers:
            self.close()

    def close(self) -> None:
        """Stop reading."""
        self._subscription.close()
        self._reading.cancel()
        self._listening.cancel()
        self._naming.cancel()
        self.on_empty()

    async def _name(self) -> None:
        """Ask for the group's title again and again; no hand waits for it."""
        while True:
            title = await self._needs.titles.fetch_title(self._place)
            if title != self._title:
                self._title = title
                self._due_for_all()
            await asyncio.sleep(NAMED)

    async def _listen(self) -> None:
        while True:
            await self._subscription.wait()
            self._due_for_all()

    def _due_for_all(self) -> None:
        self._changed = True
        self._due.set()

    async def _run(self) -> None:
        while True:
            await self._due.wait()
            self._due.clear()
            took = 0.0
            try:
                async with self._needs.onlookers.wait_for_turn() if self._place.watch_only else nullcontext():
                    took = await self._read()
            except Exception as error:  # noqa: BLE001 - whatever it is, those who look on wait
                log.warning("what a board shows can't be read, trying again: %s", describe_error(error))
                await asyncio.sleep(RETRY_DELAY)
                self._due.set()
            await asyncio.sleep(max(MIN_READ_INTERVAL, took))

    async def _read(self) -> float:
        """Read what all see, if that has changed, and what readers see who are due; return the seconds."""
        clock, took = asyncio.get_running_loop(), 0.0
        changed, self._changed = self._changed, False
        if changed:
            self._shown = None
        due = defaultdict[PlayerId, list[Viewer]](list)
        for seat in self.viewers:
            if changed or seat.is_due:
                due[seat.player_id].append(seat)
                seat.is_due = False  # before the look: what changes meanwhile is due again
        try:
            for number, some in enumerate(_slices(due, VIEWERS_PER_READ)):
                began = clock.time()
                look = partial(self._look, players=some, first=number == 0)
                found = await self._needs.store.read(look)
                took += clock.time() - began
                self._follow()
                for seat in chain.from_iterable(due[player] for player in some):
                    if seat.offer_state(*found[seat.player_id]):
                        await self._needs.pace.pause_if_due()
        except BaseException:
            self._changed |= changed
            for seat in chain.from_iterable(due.values()):
                seat.is_due = True
            raise
        return took

    def _follow(self) -> None:
        """Listen to the chat where the place is now: a group that becomes a supergroup gets another id."""
        place = self._shown.place if self._shown else self._place
        if place == self._place:
            return
        self._place = place
        self._listening.cancel()
        self._subscription.close()
        self._subscription = self._needs.changes.subscribe([place.chat_id], None)
        self._subscription.wake()  # by what may have happened there meanwhile
        self._listening = asyncio.create_task(self._listen())
        self._naming.cancel()
        self._naming = asyncio.create_task(self._name())

    def _look(
        self, tx: Tx, players: Collection[PlayerId], *, first: bool
    ) -> dict[PlayerId, tuple[bytes, bytes]]:
        """Read the states of some players, in a thread of the store; `first` for the first ones of a look."""
        shown = self._shown
        if shown is None:
            place = boards.resolve_migrated_place(tx, self._place)
            shown = self._shown = view.load_shared_view(tx, place, self._language, self._needs.now())
        elif first:  # of the day's hand that somebody was dealt in private this place does not hear
            shown = self._shown = view.refresh_shared_view(tx, shown, self._needs.now())
        title = self._title
        states = [
            (alike, encode_state(add_title(state, title)))
            for alike, state in view.build_states(tx, shown, players)
        ]
        return {player: written for alike, written in states for player in alike}


def _slices(players: Iterable[PlayerId], size: int) -> Iterator[list[PlayerId]]:
    """Yield slices of that size."""
    left = iter(players)
    while some := list(islice(left, size)):
        yield some


@dataclass(frozen=True, slots=True)
class LiveViewDependencies:
    """Everything that scenes share."""

    store: Store
    changes: ChangeNotifier
    now: Callable[[], float]
    titles: TitleCache
    pace: WakePacer
    onlookers: SpectatorTurns


class LiveViews:
    """All scenes that somebody looks at."""

    def __init__(
        self, store: Store, changes: ChangeNotifier, now: Callable[[], float], titles: TitleCache
    ) -> None:
        self._needs = LiveViewDependencies(store, changes, now, titles, WakePacer(), SpectatorTurns())
        self._open = dict[tuple[Place, str], LiveView]()

    def join(self, place: Place, language: str, player: PlayerId, wake: Callable[[], None]) -> Viewer:
        """Look at a place from now on; `wake` is called once there is something to see."""
        key = place, language
        scene = self._open.get(key)
        if scene is None:
            scene = LiveView(place, language, self._needs)
            scene.on_empty = partial(self._over, key)
            self._open[key] = scene
        return scene.add_viewer(player, wake)

    def _over(self, key: tuple[Place, str]) -> None:
        self._open.pop(key, None)

    def __len__(self) -> int:
        return len(self._open)

    async def load_state(self, place: Place, language: str, player: PlayerId) -> dict[str, Any]:
        """Return the state at this moment for one person."""

        def look(tx: Tx) -> dict[str, Any]:
            state = view.build_state(
                tx, view.load_shared_view(tx, place, language, self._needs.now()), player
            )
            return add_title(state, self._needs.titles.get_cached_title(place))

        return await self._needs.store.read(look)

    def close(self) -> None:
        """End all scenes."""
        for scene in list(self._open.values()):
            scene.close()
