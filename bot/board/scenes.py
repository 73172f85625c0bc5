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
from bot.board.chats import Titles
from bot.board.rules import Place
from bot.board.view import Shown
from bot.database import Store, Tx, cause
from bot.queue.changes import Changes

log = logging.getLogger(__name__)


def encode(state: dict[str, Any]) -> tuple[bytes, bytes]:
    """Return a state as JSON, whole and without the time: the second tells whether it is another one."""
    rest = json.dumps({key: value for key, value in state.items() if key != "now"}, ensure_ascii=False)
    now = json.dumps(state.get("now"))
    return f'{{"now": {now}, {rest[1:]}'.encode(), rest.encode()


def add_title(state: dict[str, Any], title: str) -> dict[str, Any]:
    """Return the state with the group's title."""
    return {**state, "place": {**state["place"], "title": title}}


Player = int | None


class Seat:
    """One reader, who is woken by `wake` once there is a new state to `take`."""

    def __init__(self, scene: "Scene", player: Player, wake: Callable[[], None]) -> None:
        self._scene, self._wake = scene, wake
        self.player = player
        self.due = True  # whether what it sees must be read
        self._seen = b""
        self._next: bytes | None = None

    def take(self) -> bytes | None:
        """Return the newest state as JSON; None if it was taken already."""
        newest, self._next = self._next, None
        return newest

    def look(self) -> None:
        """Read again what this reader alone sees."""
        self.due = True
        self._scene.look()

    def show(self, whole: bytes, rest: bytes) -> bool:
        """Keep a state for the reader; whether it is new."""
        if rest == self._seen:
            return False
        self._seen, self._next = rest, whole
        self._wake()
        return True

    def leave(self) -> None:
        """Leave the scene."""
        self._scene.leave(self)


PAUSE = 0.002  # seconds from then on in which nobody is
AT_ONCE = 10  # readers who are woken in one go, of whatever scenes


class Pace:
    """Gives the event loop back again and again while readers of any scene are woken."""

    def __init__(self) -> None:
        self._lock, self._woken = asyncio.Lock(), 0

    async def step(self) -> None:
        """Count a reader that was woken; return once the next one may be."""
        async with self._lock:
            self._woken = (self._woken + 1) % AT_ONCE
            if not self._woken:
                await asyncio.sleep(PAUSE)


class Turns:
    """Lets those who only watch read a third of the time at most, one scene after the other.

    There may be any number of scenes, of old rounds as well: a link to each may be given to anybody.
    """

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until the scene before has read, and for twice as long as it took."""
        async with self._lock:
            began = asyncio.get_running_loop().time()
            yield
            await asyncio.sleep(2 * (asyncio.get_running_loop().time() - began))


NAMED = 60.0  # seconds between two looks at what a group is called
AGAIN = 1.0  # seconds after which a look that failed is tried again
GAP = 0.02  # seconds between two looks at least; they are as far apart as reading took for the last one, too
TOGETHER = 25  # people whose own parts are read in one go


class Scene:
    """One place in one language."""

    def __init__(self, place: Place, language: str, needs: "Needs") -> None:
        self._place, self._language, self._needs = place, language, needs
        self._subscription = needs.changes.subscribe([place.chat_id], None)
        self.seats = set[Seat]()
        self.empty: Callable[[], None] = lambda: None  # called once nobody looks any more
        self._due, self._changed = asyncio.Event(), True
        self._shown: Shown | None = None
        self._title = needs.titles.find_known(place)
        self._reading = asyncio.create_task(self._run())
        self._listening = asyncio.create_task(self._listen())
        self._naming = asyncio.create_task(self._name())

    def sit(self, player: Player, wake: Callable[[], None]) -> Seat:
        """Add a reader."""
        seat = Seat(self, player, wake)
        self.seats.add(seat)
        self._due.set()
        return seat

    def look(self) -> None:
        """Read what is due."""
        self._due.set()

    def leave(self, seat: Seat) -> None:
        """Remove a reader; the scene ends with the last one."""
        self.seats.discard(seat)
        if not self.seats:
            self.close()

    def close(self) -> None:
        """Stop reading."""
        self._subscription.close()
        self._reading.cancel()
        self._listening.cancel()
        self._naming.cancel()
        self.empty()

    async def _name(self) -> None:
        """Ask for the group's title again and again; no hand waits for it."""
        while True:
            title = await self._needs.titles.find(self._place)
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
                async with self._needs.onlookers.turn() if self._place.watches else nullcontext():
                    took = await self._read()
            except Exception as error:  # noqa: BLE001 - whatever it is, those who look on wait
                log.warning("what a board shows can't be read, trying again: %s", cause(error))
                await asyncio.sleep(AGAIN)
                self._due.set()
            await asyncio.sleep(max(GAP, took))

    async def _read(self) -> float:
        """Read what all see, if that has changed, and what readers see who are due; return the seconds."""
        clock, took = asyncio.get_running_loop(), 0.0
        changed, self._changed = self._changed, False
        if changed:
            self._shown = None
        due = defaultdict[Player, list[Seat]](list)
        for seat in self.seats:
            if changed or seat.due:
                due[seat.player].append(seat)
                seat.due = False  # before the look: what changes meanwhile is due again
        try:
            for number, some in enumerate(_slices(due, TOGETHER)):
                began = clock.time()
                look = partial(self._look, players=some, first=number == 0)
                found = await self._needs.store.read(look)
                took += clock.time() - began
                self._follow()
                for seat in chain.from_iterable(due[player] for player in some):
                    if seat.show(*found[seat.player]):
                        await self._needs.pace.step()
        except BaseException:
            self._changed |= changed
            for seat in chain.from_iterable(due.values()):
                seat.due = True
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

    def _look(self, tx: Tx, players: Collection[Player], *, first: bool) -> dict[Player, tuple[bytes, bytes]]:
        """Read the states of some players, in a thread of the store; `first` for the first ones of a look."""
        shown = self._shown
        if shown is None:
            place = boards.whereabouts(tx, self._place)
            shown = self._shown = view.shown(tx, place, self._language, self._needs.now())
        elif first:  # of the day's hand that somebody was dealt in private this place does not hear
            shown = self._shown = view.of_today(tx, shown, self._needs.now())
        title = self._title
        states = [
            (alike, encode(add_title(state, title))) for alike, state in view.states(tx, shown, players)
        ]
        return {player: written for alike, written in states for player in alike}


def _slices(players: Iterable[Player], size: int) -> Iterator[list[Player]]:
    """Yield slices of that size."""
    left = iter(players)
    while some := list(islice(left, size)):
        yield some


@dataclass(frozen=True, slots=True)
class Needs:
    """Everything that scenes share."""

    store: Store
    changes: Changes
    now: Callable[[], float]
    titles: Titles
    pace: Pace
    onlookers: Turns


class Scenes:
    """All scenes that somebody looks at."""

    def __init__(self, store: Store, changes: Changes, now: Callable[[], float], titles: Titles) -> None:
        self._needs = Needs(store, changes, now, titles, Pace(), Turns())
        self._open = dict[tuple[Place, str], Scene]()

    def sit(self, place: Place, language: str, player: Player, wake: Callable[[], None]) -> Seat:
        """Look at a place from now on; `wake` is called once there is something to see."""
        key = place, language
        scene = self._open.get(key)
        if scene is None:
            scene = Scene(place, language, self._needs)
            scene.empty = partial(self._over, key)
            self._open[key] = scene
        return scene.sit(player, wake)

    def _over(self, key: tuple[Place, str]) -> None:
        self._open.pop(key, None)

    def __len__(self) -> int:
        return len(self._open)

    async def now(self, place: Place, language: str, player: Player) -> dict[str, Any]:
        """Return the state at this moment for one person."""

        def look(tx: Tx) -> dict[str, Any]:
            state = view.state(tx, view.shown(tx, place, language, self._needs.now()), player)
            return add_title(state, self._needs.titles.find_known(place))

        return await self._needs.store.read(look)

    def close(self) -> None:
        """End all scenes."""
        for scene in list(self._open.values()):
            scene.close()
