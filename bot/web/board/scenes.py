"""What is shown at each table, read once for all who look at it in one language.

A *scene* is a place in a language; it lives for as long as somebody has a *seat* there. Once something there
changes, what all see is read in one go, and what each seat sees beside it in a few: however many look on, a
change costs the database a handful of reads. Changes that come meanwhile wait and count as one.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import islice
from typing import Any

from bot.database import Store, Tx, cause
from bot.delivery.changes import Changes
from bot.games.board import view
from bot.games.board.rules import Place
from bot.games.board.view import Shown

log = logging.getLogger(__name__)

TOGETHER = 25
"""People whose own parts are read in one go."""
GAP = 0.02
"""Seconds between two looks at least; they are as far apart as the last one was long, too."""
AGAIN = 1.0
"""Seconds after which a look that failed is tried again."""
Player = int | None


def told(state: dict[str, Any]) -> tuple[bytes, bytes]:
    """A state as JSON: whole, and what of it tells it from another, which is all but the time."""
    rest = json.dumps({key: value for key, value in state.items() if key != "now"}, ensure_ascii=False)
    now = json.dumps(state.get("now"))
    return f'{{"now": {now}, {rest[1:]}'.encode(), rest.encode()


class Seat:
    """One reader, who is woken by `wake` once there is something new to `take`."""

    def __init__(self, scene: "Scene", player: Player, wake: Callable[[], None]) -> None:
        self._scene, self._wake = scene, wake
        self.player = player
        self.due = True
        """Whether what it sees must be read."""
        self._seen = b""
        self._next: bytes | None = None

    def take(self) -> bytes | None:
        """The newest state, as JSON; None where it was taken already."""
        newest, self._next = self._next, None
        return newest

    def look(self) -> None:
        """What this reader alone sees may have changed."""
        self.due = True
        self._scene.look()

    def show(self, whole: bytes, rest: bytes) -> None:
        """This is how it looks now."""
        if rest != self._seen:
            self._seen, self._next = rest, whole
            self._wake()

    def leave(self) -> None:
        """Look no more."""
        self._scene.leave(self)


class Scene:
    """One place in one language."""

    def __init__(
        self, place: Place, language: str, store: Store, changes: Changes, now: Callable[[], float]
    ) -> None:
        self._place, self._language, self._store, self._now = place, language, store, now
        self._subscription = changes.subscribe([place.chat_id], None)
        self.seats = set[Seat]()
        self.empty: Callable[[], None] = lambda: None
        """Called once nobody looks any more."""
        self._due, self._changed = asyncio.Event(), True
        self._shown: Shown | None = None
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._run())]

    def sit(self, player: Player, wake: Callable[[], None]) -> Seat:
        """One more reader."""
        seat = Seat(self, player, wake)
        self.seats.add(seat)
        self._due.set()
        return seat

    def look(self) -> None:
        """Read what is due."""
        self._due.set()

    def leave(self, seat: Seat) -> None:
        """One reader fewer; with the last one it ends."""
        self.seats.discard(seat)
        if not self.seats:
            self.close()

    def close(self) -> None:
        """Read no more."""
        self._subscription.close()
        for task in self._tasks:
            task.cancel()
        self.empty()

    async def _listen(self) -> None:
        while True:
            await self._subscription.wait()
            self._changed = True
            self._due.set()

    async def _run(self) -> None:
        clock = asyncio.get_running_loop()
        while True:
            await self._due.wait()
            self._due.clear()
            began = clock.time()
            try:
                await self._read()
            except Exception as error:  # noqa: BLE001 - whatever it is, those who look on wait
                log.warning("what a board shows can't be read, trying again: %s", cause(error))
                await asyncio.sleep(AGAIN)
                self._due.set()
            await asyncio.sleep(max(GAP, clock.time() - began))

    async def _read(self) -> None:
        """What all see, if that has changed, and what each reader sees who is due."""
        changed, self._changed = self._changed, False
        if changed:
            self._shown = None
        due = [seat for seat in self.seats if changed or seat.due]
        for seat in due:
            seat.due = False  # before the look: what changes meanwhile is due again
        try:
            for some in _some({seat.player for seat in due}):
                found = await self._store.read(partial(self._look, players=some))
                for seat in due:
                    if seat.player in found:
                        seat.show(*found[seat.player])
        except BaseException:
            self._changed |= changed
            for seat in due:
                seat.due = True
            raise

    def _look(self, tx: Tx, players: Collection[Player]) -> dict[Player, tuple[bytes, bytes]]:
        """In one of the store's threads."""
        shown = self._shown or view.shown(tx, self._place, self._language, self._now())
        self._shown = shown
        return {player: told(view.state(tx, shown, player)) for player in players}


def _some(players: Collection[Player]) -> Iterator[list[Player]]:
    """So many at a time."""
    left = iter(players)
    while some := list(islice(left, TOGETHER)):
        yield some


class Scenes:
    """All that somebody looks at."""

    def __init__(self, store: Store, changes: Changes, now: Callable[[], float]) -> None:
        self._store, self._changes, self._now = store, changes, now
        self._open = dict[tuple[Place, str], Scene]()

    def sit(self, place: Place, language: str, player: Player, wake: Callable[[], None]) -> Seat:
        """Look at a place from now on; `wake` is called once there is something to see."""
        key = place, language
        scene = self._open.get(key)
        if scene is None:
            scene = Scene(place, language, self._store, self._changes, self._now)
            scene.empty = partial(self._over, key)
            self._open[key] = scene
        return scene.sit(player, wake)

    def _over(self, key: tuple[Place, str]) -> None:
        self._open.pop(key, None)

    def __len__(self) -> int:
        return len(self._open)

    async def now(self, place: Place, language: str, player: Player) -> dict[str, Any]:
        """How it looks at this moment to one person."""

        def look(tx: Tx) -> dict[str, Any]:
            return view.state(tx, view.shown(tx, place, language, self._now()), player)

        return await self._store.read(look)

    def close(self) -> None:
        """Nobody looks any more."""
        for scene in list(self._open.values()):
            scene.close()
