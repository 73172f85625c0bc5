"""Stores updates before they are acknowledged, then has them handled in the order of each chat.

`accept` returns once the updates are committed; only then may Telegram be told that they have arrived. Talk
in a group that is not meant for the bot is not stored at all. `admission` drops what is beyond a share,
`lane_dispatcher` keeps the order, `retry` tries again what fails.
"""

import asyncio
import json
import logging
import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bot import logs
from bot.database import Store, Tx, describe_error, is_database_failure
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

MAX_WAITING = 20_000  # Updates
MAX_WAITING_BYTES = 64 * 2**20
MAX_COUNTED = 100  # Updates of one group whose times are remembered, to tell whether it is busy
MAX_GROUPS = 10_000  # Groups of which they are remembered
# Seconds after a deadline for which a group waits for what a person has sent in private, where a lane may be
# as long as they like. They count from when it came in if that was later, after the bot had been down.
PATIENCE = 10.0
# Seconds between checks of a lane that another lane waits for. Their sum, 10, is as long as another bot may
# need to take over.
LANE_CHECK_PAUSES = (*(0.05,) * 4, *(0.2,) * 4, *(0.5,) * 18)
DEAD_BODY_LENGTH = 2000  # Characters that are kept of an update that can't be stored as it is


class InboxFullError(Exception):
    """Too many updates wait; no more are accepted until some are handled."""


@dataclass(frozen=True, slots=True)
class InboxHooks:
    """What the inbox needs to know about updates before they are stored."""

    is_talk: Callable[[Any], bool] = lambda raw: False  # Whether it is not meant for the bot, and not stored
    note_talk: Callable[[Tx, Any], None] = lambda tx, raw: None  # Stores what talk changes all the same
    press_key: bytes = b""  # Hashes the ids of presses, by which repeats are recognised


@dataclass(frozen=True, slots=True)
class SortedUpdates:
    """Updates that came together, by what becomes of them."""

    talk: list[Any] = field(default_factory=list)  # As they came: they are not stored
    unusable: list[QueuedUpdate] = field(default_factory=list)  # Without a usable id
    admitted: list[QueuedUpdate] = field(default_factory=list)  # In chats that this bot owns
    others: list[QueuedUpdate] = field(
        default_factory=list
    )  # In other chats: the bot that owns one admits it


class Inbox:
    """The queue between Telegram and the handlers."""

    # Seconds by a clock that nobody can set, to notice that this machine's clock is set; None to do without
    read_uptime: Callable[[], float] | None = None

    def __init__(
        self,
        store: Store,
        handler: UpdateHandler,
        reporter: FailureReporter,
        wall: Callable[[], float] = time.time,
        admission: Admission | None = None,
        hooks: InboxHooks | None = None,
        leases: Leases = SINGLE_BOT,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._reporter = reporter
        self._hooks = hooks or InboxHooks()
        self._admission = admission or Admission()
        self._leases = leases
        self._handler = RetryingHandler(store, handler, reporter, self.now, leases)
        self._lanes = LaneDispatcher(self._handler.handle, self._admission.release, monotonic)
        self._times_by_group = OrderedDict[int, deque[float]]()  # When updates came; quietest group first
        self.wall = wall  # Seconds since 1970, by this machine's clock
        self.watermark = Watermark()
        self.last_accepted_at = wall()
        """When Telegram's updates were last stored, or the start. Board updates don't count: they also come
        while Telegram can't be reached.
        """
        self.dropped_count = 0  # Updates not stored: their sender or chat was over its share

    @property
    def waiting_count(self) -> int:
        return self._lanes.waiting_count

    async def accept(self, updates: Sequence[Any], *, from_board: bool = False) -> None:
        """Commit `updates` (JSON objects as Telegram sent them), then queue those that are new.

        Only with `from_board` may they be board updates. Raises InboxFullError if too many wait, or an error
        of the database; then none of them was stored.
        """
        if not from_board:
            updates = [strip_board_marks(raw) for raw in updates]
        waiting = max(self._lanes.waiting_count, self._leases.backlog)
        if waiting >= MAX_WAITING or self._lanes.waiting_size >= MAX_WAITING_BYTES:
            raise InboxFullError(f"{waiting} updates wait")
        if not updates:
            return
        now = self.now()
        await self._store_and_queue(updates, now)
        if not from_board:
            self.last_accepted_at = now

    async def _store_and_queue(self, updates: Sequence[Any], now: float) -> None:
        """Store updates and queue the new ones, one by one if they are refused; tell senders of an outage."""
        self._note_times(updates, now)
        batch = self._sort_updates(updates, now)
        to_store = sorted([*batch.admitted, *batch.others], key=lambda update: update.update_id)
        new = list[QueuedUpdate]()
        try:
            new, waiting = await self._store.write(
                lambda tx: self._insert_updates(tx, batch.talk, batch.unusable, to_store, now)
            )
        except Exception as error:
            if is_database_failure(error):
                self._reporter.report_delay(to_store)
                raise
            await self._accept_one_by_one(updates, error)
            return
        finally:
            newly_admitted = self._release_unless_new(batch.admitted, new)
        self._reporter.end_outage()
        if self._leases.shared:
            await self._queue_shared(new, newly_admitted, waiting)
        else:
            for update in new:
                self._add(update)

    def _release_unless_new(
        self, admitted: Sequence[QueuedUpdate], new: Sequence[QueuedUpdate]
    ) -> list[QueuedUpdate]:
        """Release the admitted updates that are repeats or could not be stored; return the others."""
        # Objects are compared: an update may come twice at once, with one update id.
        stored_objects = {id(update) for update in new}
        for update in admitted:
            if id(update) not in stored_objects:
                self._admission.release(update)
        return [update for update in admitted if id(update) in stored_objects]

    def _insert_updates(
        self, tx: Tx, talk: list[Any], unusable: list[QueuedUpdate], to_store: list[QueuedUpdate], now: float
    ) -> tuple[list[QueuedUpdate], list[QueuedUpdate]]:
        """Store updates; return the new ones of `to_store`, and all that wait in their chats if shared."""
        for update in unusable:
            queries.insert_dead_update(tx, update, "no usable update_id", now)
        for raw in talk:
            self._hooks.note_talk(tx, raw)
        new = queries.insert_updates(tx, to_store, now)
        return new, self._leases.load_waiting_updates(tx, {update.lane for update in new})

    async def _queue_shared(
        self,
        new: Sequence[QueuedUpdate],
        admitted: Sequence[QueuedUpdate],
        waiting_here: Sequence[QueuedUpdate],
    ) -> None:
        """Queue new updates of own chats behind those that other bots stored; notify other bots of others.

        `admitted` are the new ones that this bot has counted; `waiting_here` waits in chats that it owns.
        """
        admitted_by_id = {update.update_id: update for update in admitted}
        ids_here = {update.update_id for update in waiting_here}
        for update in admitted:
            # It won't be queued below: the lease has ended, or another task has queued and counted it sooner.
            if update.update_id not in ids_here or self.has_update(update.update_id):
                self._admission.release(update)
        backlog = [admitted_by_id.get(update.update_id, update) for update in waiting_here]
        await self.enqueue_backlog(backlog, admitted_by_id)
        if any(update.update_id not in ids_here for update in new):
            self._leases.notify_others()

    def _sort_updates(self, updates: Sequence[Any], now: float) -> SortedUpdates:
        """Admit updates of own chats, and return all but the dropped ones."""
        batch = SortedUpdates()
        for raw in updates:
            if self._hooks.is_talk(raw):
                batch.talk.append(raw)
                continue
            update = make_queued_update(raw, now, self._hooks.press_key)
            if update.update_id < 0:
                batch.unusable.append(update)
            elif not self._leases.owns(update.lane):
                batch.others.append(update)
            else:
                admitted = self._admit(update, raw, now)
                if admitted is not None:
                    batch.admitted.append(admitted)
        return batch

    def _admit(self, update: QueuedUpdate, raw: Any, now: float) -> QueuedUpdate | None:
        """Return the update as it is taken in; None, and add to `dropped_count`, if it is dropped."""
        classified = self._admission.classify(update, raw)
        admitted = self._admission.admit(classified, now)
        if admitted is None:
            self.dropped_count += 1
        return admitted

    async def _accept_one_by_one(self, updates: Sequence[Any], error: Exception) -> None:
        """Accept updates one by one; dead-letter a single one, which the database refused with this error."""
        if len(updates) > 1:
            for raw in updates:
                await self.accept([raw], from_board=True)  # marks of the board are stripped already
            return
        logs.log_unexpected_error(log, "an update can't be stored as it is, it is set aside", error)
        reason = describe_error(error)
        now = self.now()
        update = make_queued_update(updates[0], now, self._hooks.press_key)
        dead = replace(update, body=json.dumps({"unreadable": update.body[:DEAD_BODY_LENGTH]}))
        await self._store.write(lambda tx: queries.insert_dead_update(tx, dead, reason, now))

    async def resume(self) -> None:
        """Queue what a former run stored and did not finish. With other bots this is left to `Replica`."""
        if not self._leases.shared:
            self.enqueue(await self._store.read(queries.load_waiting_updates))

    def enqueue(self, updates: Iterable[QueuedUpdate]) -> None:
        """Queue stored updates of this bot's chats without any limit, and notify other bots of the others."""
        for update in updates:
            if not self._leases.owns(update.lane):
                self._leases.notify_others()
                continue
            classified = self._admission.classify(update, decode_update(update))
            self._admission.count(classified)
            self._add(classified)

    async def enqueue_backlog(self, updates: Iterable[QueuedUpdate], admitted: Container[int] = ()) -> None:
        """Queue updates stored by other bots; mark those beyond a share as done, unless in `admitted`."""
        now = self.now()
        dropped = list[QueuedUpdate]()
        for update in updates:
            if self.has_update(update.update_id):
                continue  # it is queued already
            if update.update_id in admitted:
                self._add(update)
                continue
            admitted_now = self._admit(update, decode_update(update), now)
            if admitted_now is not None:
                self._add(admitted_now)
            else:
                dropped.append(replace(update, lease_token=self._leases.get_token(update.lane)))
        if dropped:
            await self._handler.discard(dropped, now)

    def _add(self, update: QueuedUpdate) -> None:
        self._lanes.add(update, self._leases.get_token(update.lane))

    def abandon(self) -> None:
        """Drop all that waits and is not being handled: other bots go on with it."""
        self._lanes.abandon()

    def has_update(self, update_id: int) -> bool:
        """Whether the update waits here, is being handled, or is left for the next start."""
        return self._lanes.has_update(update_id) or update_id in self._handler.postponed

    def has_lane(self, lane: int) -> bool:
        return self._lanes.has_lane(lane)

    async def wait_until_idle(self) -> None:
        await self._lanes.wait_until_idle()

    async def close(self, patience: float = 3.0) -> None:
        """Finish the updates that are being handled; the rest stays stored for the next start."""
        self._handler.closing = True
        await self._lanes.close(patience)

    def read_local_time(self) -> float:
        """Return the time by this machine's clock, and notice whether the clock was set."""
        wall = self.wall()
        if self.read_uptime is not None:
            self.watermark.observe_uptime(wall, self.read_uptime())
        return wall

    def now(self) -> float:
        """Return the time by Telegram's clock, as far as it is known, in seconds since 1970."""
        return self.read_local_time() - self.watermark.clock_ahead

    def _note_times(self, updates: Sequence[Any], now: float) -> None:
        """Compare the clocks by the dates of messages, and remember `now` for each update of a group."""
        for raw in updates:
            date = find_message_date(raw)
            if date:
                local_time = now + self.watermark.clock_ahead
                self.watermark.observe_message(date, local_time)
            lane = find_lane(raw) if isinstance(raw, dict) else 0
            if lane < 0:  # a group
                self._times_by_group.setdefault(lane, deque(maxlen=MAX_COUNTED)).append(now)
                self._times_by_group.move_to_end(lane)
        while len(self._times_by_group) > MAX_GROUPS:
            self._times_by_group.popitem(last=False)

    def count_updates_since(self, chat_id: int, since: float) -> int:
        """Return how many updates of a group, talk included, came after `since`; `MAX_COUNTED` at most."""
        return sum(at > since for at in self._times_by_group.get(chat_id, ()))

    # Waiting for updates that were sent before a time

    async def has_waiting(self, lane: int, until: float) -> bool:
        """Whether an update of this lane that was sent no later than `until` is still to be handled."""
        return await self._has_waiting_in([lane], until)

    async def wait_until_handled(self, lane: int, until: float) -> None:
        """Wait until the updates of a lane that were sent up to `until` are handled, or for ten seconds."""
        for pause in LANE_CHECK_PAUSES:  # ten seconds in all
            if not await self.has_waiting(lane, until):
                return
            await asyncio.sleep(pause)

    async def has_waiting_answers(self, group: int, people: Iterable[int] | None, until: float) -> bool:
        """Whether updates sent until `until` wait in the group, or in these people's chats (None: anybody's).

        Once `until` is `PATIENCE` seconds past, people's updates count only if accepted within that time.
        """
        if await self.has_waiting(group, until):
            return True
        lanes = None if people is None else list(people)
        now = self.now()
        if now - until <= PATIENCE:
            return await self._has_waiting_in(lanes, until)
        return await self._has_waiting_in(lanes, until, accepted_since=now - PATIENCE)

    async def _has_waiting_in(
        self, lanes: Collection[int] | None, until: float, accepted_since: float = -math.inf
    ) -> bool:
        """Whether an update sent up to `until` and accepted since waits in these lanes (None: private)."""
        waiting = await self._store.read(lambda tx: queries.load_waiting_updates(tx, lanes))
        if lanes is None:
            waiting = [update for update in waiting if update.lane > 0]
        return any(
            update.accepted_at >= accepted_since
            and update.update_id not in self._handler.postponed
            and find_sent_time(update) <= until
            for update in waiting
        )
