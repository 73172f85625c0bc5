"""Updates, kept before they are acknowledged and handled one at a time in each chat.

`accept` returns once the updates are committed; only then may Telegram be told that they arrived. Each chat
has a lane, so its updates keep their order while other chats go on beside it; an update without a chat
runs in its person's lane. A group's own talk is not stored at all. An update that fails three times is set
aside and the chat goes on. `intake` says what waits beside the chat's lane, and what is dropped of those who
send more than their share; when all lanes together hold `FULL` updates or `FULL_BYTES`, `accept` raises
InboxFullError and Telegram keeps the rest.
"""

import asyncio
import hmac
import json
import logging
import time
import zlib
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from bot import logs
from bot.database import AGAIN, Store, Tx, cause, storage_trouble
from bot.delivery import queries as mail
from bot.delivery.arrivals import Arrivals, believed, when
from bot.delivery.intake import Intake, Line, line_of, overdue, searches
from bot.logs import bare
from bot.people import queries as people
from bot.workers.places import Place

log = logging.getLogger(__name__)

Handle = Callable[[mail.Incoming], Awaitable[None]]
PARALLEL = 32
"""Chats that are served at once; those that wait for the solver don't count."""
PARALLEL_SEARCHES = 8
"""Searches beside them; the solver's own line is behind that."""
TRIES = 3
FULL = 20_000
"""Updates that may wait in all."""
FULL_BYTES = 64 * 2**20
"""Bytes that they may hold in all."""
COUNTED = 100
"""Updates of one group that are remembered, by their time alone, to tell whether it is a busy one …"""
MANY_GROUPS = 1000
"""… and groups of which they are before those that were quiet for a minute are let go."""
LARGEST = 2**63 - 1
AHEAD = "clock ahead"
"""The fact by how many seconds this machine's clock was ahead of Telegram's when that was last seen."""
CHATTED = (
    "message",
    "edited_message",
    "channel_post",
    "edited_channel_post",
    "my_chat_member",
    "chat_member",
    "chat_join_request",
    "message_reaction",
)


class InboxFullError(Exception):
    """No more updates are taken until some are handled."""


class Apologies(Protocol):
    """What players are told when the bot can't do its work."""

    async def give_up(self, incoming: mail.Incoming) -> None:
        """Set the update aside for good, and say so to whoever sent it."""

    def delay(self, updates: Iterable[mail.Incoming]) -> None:
        """Say that these wait, because nothing can be written at the moment."""

    def relieve(self) -> None:
        """Writing works again."""


@dataclass(frozen=True, slots=True)
class Hearing:
    """What becomes of updates before they are stored."""

    is_talk: Callable[[Any], bool] = lambda raw: False
    """Whether one is a group's own talk, which is not stored."""
    overheard: Callable[[Tx, Any], None] = lambda tx, raw: None
    """What talk changes in the database all the same."""
    key: bytes = b""
    """Hashes what tells a press."""


class Inbox:
    """The queue between Telegram and the handlers."""

    uptime: Callable[[], float] | None = None
    """A clock that nobody sets, which shows when somebody sets this machine's; None for no such look."""

    def __init__(
        self,
        store: Store,
        handle: Handle,
        apologies: Apologies,
        wall: Callable[[], float] = time.time,
        intake: Intake | None = None,
        hearing: Hearing | None = None,
    ) -> None:
        self._hearing = hearing or Hearing()
        self._heard: dict[int, deque[float]] = {}
        self._store = store
        self._handle = handle
        self._apologies = apologies
        self.wall = wall
        """Seconds since 1970, by this machine's clock."""
        self.arrivals = Arrivals()
        """Up to when everything that was sent is in here."""
        self._intake = intake or Intake()
        self._lanes: dict[Line, deque[mail.Incoming]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._places = asyncio.Semaphore(PARALLEL)
        self._search_places = asyncio.Semaphore(PARALLEL_SEARCHES)
        self._awaited: dict[int, asyncio.Event] = {}
        """By update: set once it is handled, for those of its person that have another line."""
        self._closing = False
        self._waiting = 0
        self._bytes = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self.accepted = wall()
        """When updates were last stored, or the start."""
        self.dropped = 0
        """Updates that were not even stored, because their sender or their chat was over its share."""

    @property
    def waiting(self) -> int:
        """How many updates wait."""
        return self._waiting

    async def accept(self, updates: Sequence[Any]) -> None:
        """Commit `updates` (JSON objects as Telegram sent them), then queue those that are new.

        Raises InboxFullError, or whatever the database raises; then none of them was taken.
        """
        if self._waiting >= FULL or self._bytes >= FULL_BYTES:
            raise InboxFullError(f"{self._waiting} updates wait")
        now = self.here()
        self._listen(updates, now)
        talk, meant = list[Any](), list[Any]()
        for raw in updates:
            (talk if self._hearing.is_talk(raw) else meant).append(raw)
        read = [self._read(raw, now) for raw in meant]
        odd = [incoming for incoming in read if incoming.update_id < 0]
        good = self._admitted((incoming for incoming in read if incoming.update_id >= 0), now)

        def keep(tx: Tx) -> list[mail.Incoming]:
            for incoming in odd:
                mail.set_aside(tx, incoming, "no usable update_id", now)
            for raw in talk:
                self._hearing.overheard(tx, raw)
            return mail.accept(tx, good, now)

        if not read and not talk:
            return
        fresh: list[mail.Incoming] = []
        try:
            fresh = await self._store.write(keep)
        except Exception as error:
            if storage_trouble(error):
                self._apologies.delay(good)
                raise
            await self._apart(updates, error)
            return
        finally:
            kept = {id(incoming) for incoming in fresh}
            for incoming in good:
                if id(incoming) not in kept:
                    self._intake.done(incoming)
        self._apologies.relieve()
        self.accepted = now
        for incoming in fresh:
            self._queue(incoming)

    async def _apart(self, updates: Sequence[Any], error: Exception) -> None:
        """Keep updates one by one, since the database refuses one of them; that one is lost, and no other."""
        if len(updates) == 1:
            logs.unforeseen(log, "an update can't be stored, it is left out", error)
            return
        for raw in updates:
            await self.accept([raw])

    def take(self, stored: Iterable[mail.Incoming]) -> None:
        """Queue updates that are stored already."""
        for incoming in stored:
            known = self._intake.sort(incoming, _raw(incoming))
            self._intake.hold(known)
            self._queue(known)

    def here(self) -> float:
        """The time by this machine's clock; whether that was set since the last look is seen by the way."""
        wall = self.wall()
        if self.uptime is not None:
            self.arrivals.looked(wall, self.uptime())
        return wall

    def now(self) -> float:
        """The time by Telegram's clock, as far as it is known, in seconds since 1970."""
        return self.here() - self.arrivals.ahead

    async def resume(self) -> None:
        """Take up what a former run accepted and did not finish."""
        known = await self._store.read(lambda tx: people.fact(tx, AHEAD))
        self.arrivals.ahead = kept_ahead(known)
        self.take(await self._store.read(mail.waiting_updates))

    def heard(self, chat_id: int, since: float) -> int:
        """How many updates came out of a group after `since`, up to `COUNTED`; talk counts as well.

        Times are Telegram's.
        """
        since += self.arrivals.ahead  # what was heard is noted by this machine's clock
        return sum(at > since for at in self._heard.get(chat_id, ()))

    def _listen(self, updates: Sequence[Any], now: float) -> None:
        for date in filter(None, map(dated, updates)):
            self.arrivals.met(date, now)
        for lane in (lane_of(raw) for raw in updates if isinstance(raw, dict)):
            if lane < 0:
                self._heard.setdefault(lane, deque(maxlen=COUNTED)).append(now)
        if len(self._heard) > MANY_GROUPS:
            self._heard = {lane: at for lane, at in self._heard.items() if at[-1] > now - mail.MINUTE}

    def holds(self, lane: int, until: float) -> bool:
        """Whether an update of this lane that was sent no later than `until` is still to be handled."""
        ahead = self.arrivals.ahead
        return any(_sent(incoming, ahead) <= until for incoming in self._lanes.get(lane, ()))

    async def idle(self) -> None:
        """Wait until nothing is left to handle."""
        await self._idle.wait()

    async def close(self, patience: float = 3.0) -> None:
        """Finish the updates being handled; the rest stays stored for the next start."""
        self._closing = True
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=patience)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _read(self, raw: Any, now: float) -> mail.Incoming:
        incoming = _incoming(raw, now, self._hearing.key)
        return self._intake.sort(incoming, raw) if incoming.update_id >= 0 else incoming

    def _admitted(self, updates: Iterable[mail.Incoming], now: float) -> list[mail.Incoming]:
        asked = [self._intake.admit(incoming, now) for incoming in updates]
        admitted = [incoming for incoming in asked if incoming is not None]
        self.dropped += len(asked) - len(admitted)
        return admitted

    def _queue(self, incoming: mail.Incoming) -> None:
        incoming = replace(incoming, since=time.monotonic())
        self._waiting += 1
        self._bytes += len(incoming.body)
        self._idle.clear()
        key = line_of(incoming)
        lane = self._lanes.get(key)
        if lane is not None:
            lane.append(incoming)
            return
        self._lanes[key] = deque([incoming])
        task = asyncio.create_task(self._run(key))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, key: Line) -> None:
        lane = self._lanes[key]
        apart = searches(key)
        while lane and not self._closing:
            if key != lane[0].lane:
                await self._said_before(lane[0])
            async with self._search_places if apart else Place(self._places).held():
                late = overdue(lane[0], lane, time.monotonic())
                if not self._closing:
                    await self._serve(lane[0].turned_away() if late else lane[0])
                    self._done(lane.popleft())
        for left in lane:
            self._release(left)
        del self._lanes[key]
        if not self._waiting:
            self._idle.set()

    def _done(self, incoming: mail.Incoming) -> None:
        self._intake.done(incoming)
        self._waiting -= 1
        self._bytes -= len(incoming.body)
        self._release(incoming)

    def _release(self, incoming: mail.Incoming) -> None:
        if (awaited := self._awaited.pop(incoming.update_id, None)) is not None:
            awaited.set()

    async def _said_before(self, incoming: mail.Incoming) -> None:
        """Wait for what the same person said in the chat before something that has a line of its own."""
        others = self._lanes.get(incoming.lane, ())
        mine = [i for i in others if i.person == incoming.person and i.since <= incoming.since]
        if mine:
            await self._awaited.setdefault(mine[-1].update_id, asyncio.Event()).wait()

    async def _serve(self, incoming: mail.Incoming) -> None:
        """Handle one update; whatever goes wrong with it, its lane goes on."""
        try:
            await self._attempt(incoming)
        except Exception as error:  # noqa: BLE001 - it stays stored, so the next start tries it again
            logs.unforeseen(log, f"update {incoming.update_id} is left for the next start", error)

    async def _attempt(self, incoming: mail.Incoming) -> None:
        """Handle one update, again after a pause if it fails, until it is done or set aside."""
        tries, delays = incoming.tries, 0
        while not self._closing:
            try:
                await self._handle(incoming)
                return
            except Exception as error:  # noqa: BLE001 - counted, and in the end set aside
                if storage_trouble(error):
                    log.warning("the database can't be written; trying again: %s", cause(error))
                    delays += 1
                    self._apologies.delay([incoming] if delays > 1 else [])
                else:
                    logs.unforeseen(log, f"update {incoming.update_id} failed", error)
                    tries = await self._count(incoming, error)
            if tries >= TRIES:
                await self._give_up(incoming)
                return
            await asyncio.sleep(AGAIN if delays else 0.1 * 2**tries)

    async def _count(self, incoming: mail.Incoming, error: Exception) -> int:
        trouble = cause(error).encode("utf-8", "replace").decode().replace("\x00", "")
        return await self._store.write_with_retries(lambda tx: mail.failed(tx, incoming.update_id, trouble))

    async def _give_up(self, incoming: mail.Incoming) -> None:
        try:
            await self._apologies.give_up(incoming)
        except Exception as error:
            log.warning("nobody was told of update %s", incoming.update_id, exc_info=bare(error))
            await self._store.write_with_retries(
                lambda tx: mail.dead_letter(tx, incoming.update_id, self.wall())
            )


def kept_ahead(fact: str | None) -> float:
    """Seconds by which the clock was ahead when that was last stored; 0 for what nobody can believe."""
    try:
        return believed(float(fact or 0))
    except ValueError:
        return 0.0


def lane_of(raw: dict[str, Any]) -> int:
    """The chat whose order the update keeps, else the person, else 0."""
    for key, value in raw.items():
        if not isinstance(value, dict):
            continue
        if key in CHATTED:
            return _id(value.get("chat"))
        if key == "callback_query" and isinstance(value.get("message"), dict):
            return _id(value["message"].get("chat"))
        if isinstance(value.get("from"), dict):
            return _id(value["from"])
    return 0


def _id(value: Any) -> int:
    number = value.get("id") if isinstance(value, dict) else None
    return number if isinstance(number, int) and abs(number) <= LARGEST else 0


def _sent(incoming: mail.Incoming, ahead: float) -> float:
    """When the update was sent: a message says it, everything else counts from when it was accepted.

    That was noted by this machine's clock, which is `ahead` of Telegram's by so many seconds.
    """
    date, at = dated(_raw(incoming)), incoming.at - ahead
    return at if date is None else when(date, at)


def dated(raw: Any) -> float | None:
    """The date of the message that an update is, in seconds since 1970; None for everything else."""
    message = raw.get("message") if isinstance(raw, dict) else None
    date = message.get("date") if isinstance(message, dict) else None
    return float(date) if type(date) is int and abs(date) <= LARGEST else None


def _raw(incoming: mail.Incoming) -> dict[str, Any]:
    """The update as it came; empty for a row that can't be read, which its handling then sets aside."""
    try:
        raw = json.loads(incoming.body)
    except (ValueError, RecursionError):
        return {}
    return raw if isinstance(raw, dict) else {}


def _incoming(raw: Any, now: float, key: bytes) -> mail.Incoming:
    """The update as a row; a negative id, made of its content, where its own can't be used."""
    try:
        body = json.dumps(raw)
    except (ValueError, RecursionError):
        body = json.dumps({"unreadable": type(raw).__name__})
    number = raw.get("update_id") if isinstance(raw, dict) else None
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= LARGEST:
        return mail.Incoming(-1 - zlib.crc32(body.encode()), 0, body, at=now)
    return mail.Incoming(number, lane_of(raw), body, press=_press(raw, key), at=now)


def _press(raw: dict[str, Any], key: bytes) -> str | None:
    """What tells a press. Its id holds the id of whoever pressed, so it is hashed with the bot's own key."""
    query = raw.get("callback_query")
    number = query.get("id") if isinstance(query, dict) else None
    if not isinstance(number, str) or not number.isascii():
        return None
    return hmac.digest(key, number.encode(), "sha256").hex()[:32]
