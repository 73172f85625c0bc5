"""Stores updates before they are acknowledged, then has them handled in each chat's order.

`accept` returns once the updates are committed; only then may Telegram be told that they arrived. A group's
own talk is not stored at all. `intake` drops what comes from senders beyond their share, `lines` keeps the
order, `attempts` tries again what fails. When `FULL` updates or `FULL_BYTES` wait, `accept` raises
InboxFullError and Telegram keeps the rest.
"""

import asyncio
import json
import logging
import math
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Collection, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot import logs
from bot.database import Store, Tx, WritesRefusedError, describe_error, is_database_failure
from bot.durations import MINUTE
from bot.queue import queries
from bot.queue.admission import Admission
from bot.queue.lane_dispatcher import LaneDispatcher
from bot.queue.leases import SINGLE_BOT, Leases
from bot.queue.queries import QueuedUpdate
from bot.queue.retry import FailureReporter, RetryingHandler, UpdateHandler
from bot.queue.updates import (
    decode_update,
    find_lane,
    find_message_date,
    find_sent_time,
    make_queued_update,
    strip_board_marks,
)
from bot.queue.watermark import Watermark

log = logging.getLogger(__name__)

FULL = 20_000  # Updates that may wait in all
FULL_BYTES = 64 * 2**20  # Bytes that they may hold in all
# Updates of one group that are remembered, by their time alone, to tell whether it is a busy one …
COUNTED = 100
# … and groups of which they are, at least, before one that was quiet for a minute is let go.
MANY_GROUPS = 1000
# Seconds for which a group waits at a deadline for what one person has sent in private, where a line may be
# as long as they like: from the deadline on, or from when that came in where this was later, after the bot
# had been down.
PATIENCE = 10.0
# Seconds between one look and the next of a lane that waits for another: time for a bot to take over.
LANE_CHECK_PAUSES = (*(0.05,) * 4, *(0.2,) * 4, *(0.5,) * 18)
READABLE = 2000  # Characters that are kept of an update that can't be stored as it is


class InboxFullError(Exception):
    """No more updates are taken until some are handled."""


@dataclass(frozen=True, slots=True)
class InboxHooks:
    """What becomes of updates before they are stored, and what is known from before the start."""

    # Whether one is a group's own talk, which is not stored.
    is_talk: Callable[[Any], bool] = lambda raw: False
    # What talk changes in the database all the same.
    note_talk: Callable[[Tx, Any], None] = lambda tx, raw: None
    # The key by which a press is hashed, so that one that comes twice is known without what it says.
    press_key: bytes = b""


class Inbox:
    """The queue between Telegram and the handlers."""

    # A clock that nobody sets, which shows when somebody sets this machine's; None for no such look.
    read_uptime: Callable[[], float] | None = None

    def __init__(
        self,
        store: Store,
        handle: UpdateHandler,
        apologies: FailureReporter,
        wall: Callable[[], float] = time.time,
        intake: Admission | None = None,
        hearing: InboxHooks | None = None,
        claims: Leases = SINGLE_BOT,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._apologies = apologies
        self._hearing = hearing or InboxHooks()
        self._intake = intake or Admission()
        self._claims = claims
        self._attempts = RetryingHandler(store, handle, apologies, self.now, claims)
        self._lines = LaneDispatcher(self._attempts.handle, self._intake.release, monotonic)
        self._heard = OrderedDict[int, deque[float]]()
        """When each group was heard; the one that was quiet for longest comes first."""
        self.wall = wall
        """Seconds since 1970, by this machine's clock."""
        self.watermark = Watermark()
        """Up to when everything that was sent is in here."""
        self.last_accepted_at = wall()
        """When updates of Telegram's were last stored, or the start. Taps on the board don't count: they come
        in also where Telegram can't post.
        """
        self.dropped_count = 0
        """Updates that were not even stored, because their sender or their chat was over its share."""

    @property
    def waiting_count(self) -> int:
        """How many updates wait."""
        return self._lines.waiting_count

    async def accept(self, updates: Sequence[Any], *, from_board: bool = False) -> None:
        """Commit `updates` (JSON objects as Telegram sent them), then queue those that are new.

        `own`: they come from a page of the bot's own, and alone may say that they are taps there.
        Raises InboxFullError, or whatever the database raises; then none of them was taken.
        """
        updates = updates if from_board else [strip_board_marks(raw) for raw in updates]
        waiting = max(self._lines.waiting_count, self._claims.backlog)
        if waiting >= FULL or self._lines.waiting_size >= FULL_BYTES:
            raise InboxFullError(f"{waiting} updates wait")
        if updates:
            await self._accept(updates, now := self.now())
            self.last_accepted_at = self.last_accepted_at if from_board else now

    async def _accept(self, updates: Sequence[Any], now: float) -> None:
        self._note(updates, now)
        talk, odd, good, admitted = self._sorted(updates, now)

        def keep(tx: Tx) -> tuple[list[QueuedUpdate], list[QueuedUpdate]]:
            for incoming in odd:
                queries.insert_dead_update(tx, incoming, "no usable update_id", now)
            for raw in talk:
                self._hearing.note_talk(tx, raw)
            fresh = queries.insert_updates(tx, good, now)
            return fresh, self._claims.load_waiting_updates(tx, {incoming.lane for incoming in fresh})

        fresh, beside = list[QueuedUpdate](), list[QueuedUpdate]()
        try:
            fresh, beside = await self._store.write(keep)
        except Exception as error:
            if is_database_failure(error):
                self._apologies.report_delay(good)
                raise
            await self._one_by_one(updates, error)
            return
        finally:
            self._uncount(admitted, fresh)
        self._apologies.end_outage()
        if self._claims.shared:
            await self._queue(fresh, admitted, beside)
            return
        for incoming in fresh:
            self._add(incoming)

    async def _queue(
        self, fresh: Sequence[QueuedUpdate], admitted: Sequence[QueuedUpdate], beside: Sequence[QueuedUpdate]
    ) -> None:
        """Queue what is new in this bot's chats behind what others have stored there before."""
        kept = {id(incoming) for incoming in fresh}  # repeats are counted no more
        counted = {incoming.update_id: incoming for incoming in admitted if id(incoming) in kept}
        ours = {incoming.update_id for incoming in beside}
        for number, incoming in counted.items():
            if number not in ours or self.has_update(number):  # let go meanwhile, or a look was sooner
                self._intake.release(incoming)
        await self.enqueue_backlog(
            [counted.get(incoming.update_id, incoming) for incoming in beside], counted
        )
        if any(incoming.update_id not in ours for incoming in fresh):
            self._claims.notify_others()

    def _sorted(
        self, updates: Sequence[Any], now: float
    ) -> tuple[list[Any], list[QueuedUpdate], list[QueuedUpdate], list[QueuedUpdate]]:
        """Talk as it came; updates without a usable id; of the others, those that are stored; and of these,
        those that were admitted here, since their chat is this bot's. For the rest its own bot decides.
        """
        talk = [raw for raw in updates if self._hearing.is_talk(raw)]
        apart = {id(raw) for raw in talk}
        read = [
            (make_queued_update(raw, now, self._hearing.press_key), raw)
            for raw in updates
            if id(raw) not in apart
        ]
        odd = [incoming for incoming, _ in read if incoming.update_id < 0]
        good = [self._intake.classify(incoming, raw) for incoming, raw in read if incoming.update_id >= 0]
        ours = [incoming for incoming in good if self._claims.owns(incoming.lane)]
        theirs = [incoming for incoming in good if not self._claims.owns(incoming.lane)]
        admitted = self._admitted(ours, now)
        stored = sorted([*admitted, *theirs], key=lambda i: i.update_id) if theirs else admitted
        return talk, odd, stored, admitted

    def enqueue(self, stored: Iterable[QueuedUpdate]) -> None:
        """Queue updates that are stored already; those of other bots' chats are left to them."""
        for incoming in stored:
            if not self._claims.owns(incoming.lane):
                self._claims.notify_others()
                continue
            known = self._intake.classify(incoming, decode_update(incoming))
            self._intake.count(known)
            self._add(known)

    async def enqueue_backlog(self, stored: Iterable[QueuedUpdate], counted: Container[int] = ()) -> None:
        """Queue updates of this bot's chats that others have stored, but for what is over a share; those that
        are `counted` were admitted before.
        """
        now, late = self.now(), list[QueuedUpdate]()
        for incoming in stored:
            if self.has_update(incoming.update_id):
                continue
            if incoming.update_id in counted:
                self._add(incoming)
            elif admitted := self._admitted([self._intake.classify(incoming, decode_update(incoming))], now):
                self._add(admitted[0])
            else:
                late.append(replace(incoming, lease_token=self._claims.get_token(incoming.lane)))
        if late:
            await self._attempts.discard(late, now)

    def _add(self, incoming: QueuedUpdate) -> None:
        self._lines.add(incoming, self._claims.get_token(incoming.lane))

    def abandon(self) -> None:
        """Let go of all that waits: other bots go on with it."""
        self._lines.abandon()

    def has_update(self, update_id: int) -> bool:
        """Whether the update is queued here, or left for the next start."""
        return self._lines.has_update(update_id) or update_id in self._attempts.postponed

    def has_lane(self, lane: int) -> bool:
        """Whether anything of this chat is queued here."""
        return self._lines.has_lane(lane)

    async def resume(self) -> None:
        """Queue what a former run accepted and did not finish; where chats are claimed, claims do that."""
        if not self._claims.shared:
            self.enqueue(await self._store.read(queries.load_waiting_updates))

    def read_local_time(self) -> float:
        """The time by this machine's clock; whether that was set since the last look is seen by the way."""
        wall = self.wall()
        if self.read_uptime is not None:
            self.watermark.observe_uptime(wall, self.read_uptime())
        return wall

    def now(self) -> float:
        """The time by Telegram's clock, as far as it is known, in seconds since 1970."""
        return self.read_local_time() - self.watermark.clock_ahead

    def count_updates_since(self, chat_id: int, since: float) -> int:
        """How many updates came out of a group after `since`, up to `COUNTED`; talk counts as well."""
        return sum(at > since for at in self._heard.get(chat_id, ()))

    async def has_waiting(self, lane: int, until: float) -> bool:
        """Whether an update of this lane that was sent no later than `until` is still to be handled."""
        if self._claims.shared:
            return await self._stored([lane], until)
        return self._lines.has_waiting(lane, until)

    async def wait_until_handled(self, lane: int, until: float) -> None:
        """Wait until all is that was sent no later than `until` in a lane, such as that of a group before it
        became this one: what was said there finds its round by the old chat.
        """
        for pause in LANE_CHECK_PAUSES:
            if not await self.has_waiting(lane, until):
                return
            await asyncio.sleep(pause)

    async def _stored(self, lanes: Collection[int] | None, until: float, patience: float = math.inf) -> bool:
        """The same of all that any bot has stored, and not for longer than `patience`; None: in private."""
        found = await self._store.read(lambda tx: queries.load_waiting_updates(tx, lanes))
        since = self.now() - patience
        late = [one for one in found if lanes is not None or one.lane > 0]
        return any(one.accepted_at >= since and find_sent_time(one) <= until for one in late)

    async def has_waiting_answers(self, group: int, people: Iterable[int] | None, until: float) -> bool:
        """Whether something is still to be handled that was sent no later than `until`, a group's deadline.

        Either in the group, or in a private chat of these people (None: of anybody) as long as there is
        `PATIENCE` for it.
        """
        if await self.has_waiting(group, until):
            return True
        patience = PATIENCE if self.now() - until > PATIENCE else math.inf
        if self._claims.shared:
            return await self._stored(None if people is None else list(people), until, patience)
        lanes = self._lines.private_lanes if people is None else people
        return any(self._lines.has_waiting(lane, until, patience) for lane in lanes)

    async def wait_until_idle(self) -> None:
        """Wait until nothing is left to handle."""
        await self._lines.wait_until_idle()

    async def close(self, patience: float = 3.0) -> None:
        """Finish the updates being handled; the rest stays stored for the next start."""
        self._attempts.closing = True
        await self._lines.close(patience)

    async def _one_by_one(self, updates: Sequence[Any], error: Exception) -> None:
        """Store updates one by one, since the database refuses one of them: only that one is set aside."""
        if len(updates) == 1:
            await self._set_aside(updates[0], error)
            return
        for raw in updates:
            await self.accept([raw], from_board=True)  # what says that it is a tap was taken away before

    async def _set_aside(self, raw: Any, refusal: Exception) -> None:
        """Keep of an update that can't be stored what an operator may read; Telegram does not repeat it.

        Raises what is no fault of its own: Telegram keeps it then.
        """
        logs.log_unexpected_error(log, "an update can't be stored as it is, it is set aside", refusal)
        now = self.now()
        incoming = make_queued_update(raw, now, self._hearing.press_key)
        told = replace(incoming, body=json.dumps({"unreadable": incoming.body[:READABLE]}), press_hash=None)
        try:
            await self._store.write(
                lambda tx: queries.insert_dead_update(tx, told, describe_error(refusal), now)
            )
        except Exception as error:
            if is_database_failure(error):
                raise
            raise WritesRefusedError(
                describe_error(error)
            ) from None  # so it is not the update that is at fault

    def _note(self, updates: Sequence[Any], now: float) -> None:
        """Remember when each group was heard, and what dates tell of the clocks."""
        for date in filter(None, map(find_message_date, updates)):
            self.watermark.observe_message(date, now + self.watermark.clock_ahead)
        for lane in (find_lane(raw) for raw in updates if isinstance(raw, dict)):
            if lane < 0:
                self._heard.setdefault(lane, deque(maxlen=COUNTED)).append(now)
                self._heard.move_to_end(lane)
        while len(self._heard) > MANY_GROUPS and next(iter(self._heard.values()))[-1] <= now - MINUTE:
            self._heard.popitem(last=False)

    def _admitted(self, updates: Sequence[QueuedUpdate], now: float) -> list[QueuedUpdate]:
        asked = [self._intake.admit(incoming, now) for incoming in updates]
        admitted = [incoming for incoming in asked if incoming is not None]
        self.dropped_count += len(asked) - len(admitted)
        return admitted

    def _uncount(self, admitted: Iterable[QueuedUpdate], fresh: Iterable[QueuedUpdate]) -> None:
        """Those that were admitted and not stored, such as repeats, wait for nothing."""
        kept = {id(incoming) for incoming in fresh}
        for incoming in admitted:
            if id(incoming) not in kept:
                self._intake.release(incoming)


MOST = 100  # Updates of one transaction: as many as Telegram hands over at once to whoever asks for them


class UpdateBatcher:
    """The way into the inbox for updates that come by themselves, many at the same time."""

    def __init__(self, accept: Callable[[Sequence[Any]], Awaitable[None]]) -> None:
        self._accept = accept
        self._waiting: list[tuple[Any, asyncio.Future[None]]] = []
        self._storing: asyncio.Task[None] | None = None

    async def accept(self, update: Any) -> None:
        """Return once the update is committed. Raises what storing it and those beside it raised."""
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((update, stored))
        if self._storing is None:
            self._storing = asyncio.create_task(self._store())
        await stored

    async def _store(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
                outcome = await self._outcome([update for update, _ in batch])
                for stored in (stored for _, stored in batch if not stored.done()):
                    if outcome is None:
                        stored.set_result(None)
                    else:
                        stored.set_exception(outcome)
        finally:
            self._storing = None

    async def _outcome(self, updates: Sequence[Any]) -> Exception | None:
        try:
            await self._accept(updates)
        except Exception as error:  # noqa: BLE001 - it is raised where each of the updates came in
            return error
        return None
