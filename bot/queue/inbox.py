"""Stores updates before they are acknowledged, then has them handled in the order of each chat.

`accept` returns once the updates are committed; only then may Telegram be told that they have arrived. Talk
in a group that is not meant for the bot is not stored at all. `admission` drops what is beyond a share.
"""

import asyncio
import itertools
import json
import logging
import math
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Collection, Container, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from bot import logs, metrics
from bot.database import RETRY_SECONDS, Store, Tx, describe_error, is_database_failure
from bot.logs import remove_error_text
from bot.queue import queries
from bot.queue.admission import Admission, LaneKey, PersonLane, find_lane_key, is_overdue
from bot.queue.queries import SINGLE_BOT, LaneLostError, Leases, QueuedUpdate
from bot.queue.updates import (
    Submission,
    Watermark,
    decode_update,
    find_lane,
    find_message_date,
    find_sent_time,
    make_queued_update,
)
from bot.supervision import raise_if_cancelled
from bot.workers.pool import hold_slot

log = logging.getLogger(__name__)


# Lanes

MAX_PARALLEL = 32  # Lanes that are served at once; those that wait for the solver don't count
MAX_PARALLEL_SEARCHES = 8  # Search lanes that are served beside them; the solver has a queue of its own


class LaneDispatcher:
    """Has updates handled: one at a time in each lane, and several lanes at once.

    The updates of a chat form a lane. Updates that may take long wait in lanes of their own, see `admission`;
    such an update still waits for what the same person sent to the chat before. `handle` must not raise;
    `release` is called with each handled update.
    """

    def __init__(
        self,
        handle: Callable[[QueuedUpdate], Awaitable[None]],
        release: Callable[[QueuedUpdate], None],
        monotonic: Callable[[], float],
    ) -> None:
        self._handle = handle
        self._release = release
        self._monotonic = monotonic
        self._lanes: dict[LaneKey, deque[QueuedUpdate]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._slots = asyncio.Semaphore(MAX_PARALLEL)
        self._search_slots = asyncio.Semaphore(MAX_PARALLEL_SEARCHES)
        self._tokens: dict[int, int] = {}  # The lease tokens of the updates that wait, by update id
        self._handled: dict[int, asyncio.Event] = {}  # By update id, set once it is handled
        self._idle = asyncio.Event()
        self._idle.set()
        self.closing = False
        self.waiting_count = 0
        self.waiting_size = 0  # Characters of the updates that wait

    def add(self, update: QueuedUpdate, token: int = 0) -> None:
        """Append an update to its lane; `token` is that of its chat's lease."""
        update = replace(update, queued_at=self._monotonic(), lease_token=token)
        self.waiting_count += 1
        self.waiting_size += len(update.body)
        self._tokens[update.update_id] = token
        self._idle.clear()
        key = find_lane_key(update)
        if key in self._lanes:
            self._lanes[key].append(update)
            return
        self._lanes[key] = deque([update])
        task = asyncio.create_task(self._serve_lane(key))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def has_update(self, update_id: int) -> bool:
        """Whether the update waits or is being handled, unless it was abandoned."""
        return update_id in self._tokens

    def has_lane(self, lane: int) -> bool:
        """Whether an update of this chat waits or is being handled, in its lane or in a lane beside it."""
        if lane in self._lanes:
            return True
        waiting = itertools.chain.from_iterable(self._lanes.values())
        return any(update.lane == lane for update in waiting)

    def abandon(self) -> None:
        """Drop the updates that wait, since other bots serve them now; those being handled go on.

        `has_update` forgets them all, so that they may be added again.
        """
        self._tokens.clear()
        for lane in self._lanes.values():
            while len(lane) > 1:  # the first one is being handled
                self._finish(lane.pop())

    async def wait_until_idle(self) -> None:
        await self._idle.wait()

    async def close(self, patience: float) -> None:
        """Let updates that are being handled finish within `patience` seconds, and drop the rest."""
        self.closing = True
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=patience)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _serve_lane(self, key: LaneKey) -> None:
        """Handle the updates of a lane one by one until none waits or the bot closes; delete the lane."""
        lane = self._lanes[key]
        try:
            while lane and not self.closing:
                await self._handle_first(key, lane)
        finally:
            for update in list(lane):  # those left, as the bot closes or `_handle` was cancelled
                if self.closing:  # it stays counted, as it waits for the next start
                    self._mark_handled(update)
                else:
                    self._finish(update)
            del self._lanes[key]
            if not self.waiting_count:
                self._idle.set()

    async def _handle_first(self, key: LaneKey, lane: deque[QueuedUpdate]) -> None:
        """Handle the first update of a lane and remove it, once what its sender sent to the chat before is
        handled. An overdue one is handled as refused. Nothing happens if the bot closes meanwhile.
        """
        first = lane[0]
        is_search = False
        if isinstance(key, PersonLane):
            is_search = key.is_for_searches
            await self._wait_for_earlier(first)  # it may wait in the lane of the chat
        slot = self._search_slots if is_search else hold_slot(self._slots)
        async with slot:
            if self.closing:
                return
            if is_overdue(first, lane, self._monotonic()):
                await self._handle(first.as_refused())
            else:
                await self._handle(first)
            self._finish(lane.popleft())  # not as refused: it is released as it was counted

    async def _wait_for_earlier(self, update: QueuedUpdate) -> None:
        """Wait until what the same person sent to the chat before is handled."""
        in_chat = self._lanes.get(update.lane, ())
        same_person = [other for other in in_chat if other.person_id == update.person_id]
        earlier = [other for other in same_person if other.queued_at <= update.queued_at]
        if earlier:
            latest = earlier[-1]  # a lane keeps its order, so it is handled after the others
            handled = self._handled.setdefault(latest.update_id, asyncio.Event())
            await handled.wait()

    def _finish(self, update: QueuedUpdate) -> None:
        """Count an update no longer, release it, and let those that wait for it go on."""
        self.waiting_count -= 1
        self.waiting_size -= len(update.body)
        if self._tokens.get(update.update_id) == update.lease_token:  # else it was queued again meanwhile
            del self._tokens[update.update_id]
        self._release(update)
        self._mark_handled(update)

    def _mark_handled(self, update: QueuedUpdate) -> None:
        """Let updates in other lanes that wait for this one go on."""
        handled = self._handled.pop(update.update_id, None)
        if handled is not None:
            handled.set()


# Failures

UpdateHandler = Callable[[QueuedUpdate], Awaitable[None]]
MAX_ATTEMPTS = 3
FIRST_PAUSE = 0.2  # Seconds; doubled by each further failure


class FailureReporter(Protocol):
    """Tells users of failures."""

    outage_began: float | None  # Since when the database can't be written; set to None once it can again

    async def report_failure(self, update: QueuedUpdate) -> None:
        """Dead-letter the update and tell its sender. Raises LaneLostError if the chat is another bot's."""

    def report_delay(self, updates: Iterable[QueuedUpdate]) -> None:
        """Tell the senders that their updates wait because the database can't be written."""


class RetryingHandler:
    """Calls a handler until it succeeds, the update is dead-lettered, or `closing` is set.

    An update is dead-lettered after `MAX_ATTEMPTS` failures. While the database can't be written, it is tried
    again without counting failures.
    """

    def __init__(
        self,
        store: Store,
        handler: UpdateHandler,
        reporter: FailureReporter,
        wall: Callable[[], float],
        leases: Leases = SINGLE_BOT,
    ) -> None:
        self._store = store
        self._handler = handler
        self._reporter = reporter
        self._wall = wall
        self._leases = leases
        self.closing = False
        self.postponed = set[int]()  # Ids of updates left for the next start: no failure could be counted

    async def handle(self, update: QueuedUpdate) -> None:
        """Handle one update and log its errors. Skip it if another bot has taken over its chat."""
        has_lease = self._leases.owns(update.lane)
        if not has_lease or self._leases.get_token(update.lane) != update.lease_token:
            return
        kind = update.kind or "other"
        outcome = "left"  # as metrics name an update that is not finished here
        metrics.UPDATE_WAIT_TIME.observe(max(0.0, self._wall() - update.accepted_at))
        logs.current_trace.set(f"u{update.update_id}")
        try:
            with metrics.measure_time(metrics.HANDLING_TIME.labels(kind)):
                outcome = await self._try_until_done(update)
        except LaneLostError:
            log.info("update %s is now handled by another bot", update.update_id)
        except Exception as error:  # noqa: BLE001 - it stays stored, so the next start tries it again
            logs.log_unexpected_error(log, f"update {update.update_id} is left for the next start", error)
            if not self._leases.shared:  # else it is soon taken up again from the database
                self.postponed.add(update.update_id)
        finally:
            metrics.UPDATES_HANDLED.labels(kind, outcome).inc()
            log.debug("%s: %s", kind, outcome)

    async def discard(self, updates: Iterable[QueuedUpdate], now: float) -> None:
        """Mark updates as done without handling them, except those whose chats other bots serve by now."""

        def mark_all_done(tx: Tx) -> None:
            for update in updates:
                with suppress(LaneLostError):
                    self._leases.mark_done(tx, update, now)

        await self._store.write(mark_all_done)

    async def _try_until_done(self, update: QueuedUpdate) -> str:
        """Handle an update with retries; return the outcome, as for metrics: done, refused, dead or left."""
        failures = update.attempts
        is_delayed = False  # by the database
        while not self.closing:
            try:
                await self._handler(update)
                if is_delayed:
                    self._reporter.outage_began = None
                return "refused" if update.is_refused else "done"
            except LaneLostError:
                raise
            except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - counted, and in the end dead-lettered
                raise_if_cancelled(error)
                if is_database_failure(error):
                    is_delayed = True
                    log.warning("the database can't be written; trying again: %s", describe_error(error))
                    self._reporter.report_delay([update])
                else:
                    failures = await self._count_failure(update, error)
            if failures >= MAX_ATTEMPTS:
                await self._dead_letter(update)
                return "dead"
            await asyncio.sleep(RETRY_SECONDS if is_delayed else FIRST_PAUSE * 2 ** (failures - 1))
        return "left"

    async def _count_failure(self, update: QueuedUpdate, error: BaseException) -> int:
        """Log and store a failure, and return the number of failures. Raises LaneLostError."""
        logs.log_unexpected_error(log, f"update {update.update_id} failed", error)
        # Databases store neither lone surrogates nor zero characters.
        reason = describe_error(error).replace("\x00", "")
        reason = reason.encode("utf-8", "replace").decode()

        def count(tx: Tx) -> int:
            self._leases.check_token(tx, update.lane, update.lease_token)
            return queries.count_failure(tx, update.update_id, reason)

        return await self._store.write_with_retries(count)

    async def _dead_letter(self, update: QueuedUpdate) -> None:
        """Dead-letter an update and tell its sender, who is left out if that fails. Raises LaneLostError."""

        def mark_dead(tx: Tx) -> None:
            self._leases.check_token(tx, update.lane, update.lease_token)
            queries.dead_letter_update(tx, update.update_id, self._wall())

        try:
            await self._reporter.report_failure(update)
        except LaneLostError:
            raise
        except Exception as error:
            log.warning("nobody was told of update %s", update.update_id, exc_info=remove_error_text(error))
            await self._store.write_with_retries(mark_dead)


# Storing

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
    """Functions by which the inbox judges updates before they are stored."""

    is_talk: Callable[[Any], bool] = lambda raw: False  # Whether it is not meant for the bot, and not stored
    note_talk: Callable[[Tx, Any], None] = lambda tx, raw: None  # Stores what talk changes all the same
    press_key: bytes = b""  # Hashes the ids of presses, by which repeats are recognised


@dataclass(frozen=True, slots=True)
class SortedUpdates:
    """Updates that came together, by what becomes of them."""

    talk: list[Any] = field(default_factory=list)  # As they came: they are not stored
    unusable: list[QueuedUpdate] = field(default_factory=list)  # Without a usable id
    admitted: list[QueuedUpdate] = field(default_factory=list)  # In chats that this bot owns
    others: list[QueuedUpdate] = field(default_factory=list)  # In chats whose owners admit them

    @property
    def to_store(self) -> list[QueuedUpdate]:
        return sorted([*self.admitted, *self.others], key=lambda update: update.update_id)


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
        # When Telegram's updates were last stored, or the start; submissions come even if it can't be reached
        self.last_accepted_at = wall()
        self.dropped_count = 0  # Updates not stored: their sender or chat was over its share

    @property
    def waiting_count(self) -> int:
        return self._lanes.waiting_count

    async def accept(self, updates: Sequence[Any | Submission]) -> None:
        """Commit `updates` (submissions, or JSON as Telegram sent it), then queue those that are new.

        Raises InboxFullError if too many wait, or an error of the database; then none of them was stored,
        unless the database refused them together and they were stored one by one.
        """
        waiting_count = max(self._lanes.waiting_count, self._leases.backlog)
        if waiting_count >= MAX_WAITING or self._lanes.waiting_size >= MAX_WAITING_BYTES:
            raise InboxFullError(f"{waiting_count} updates wait")
        if not updates:
            return
        now = self.now()
        await self._store_and_queue(updates, now)
        if any(not isinstance(update, Submission) for update in updates):  # one of Telegram's
            self.last_accepted_at = now

    async def _store_and_queue(self, updates: Sequence[Any], now: float) -> None:
        """Store updates and queue the new ones, one by one if they are refused; tell senders of an outage."""
        self._note_times(updates, now)
        batch = self._sort_updates(updates, now)
        new = list[QueuedUpdate]()
        try:
            new, waiting = await self._store.write(lambda tx: self._insert_updates(tx, batch, now))
        except Exception as error:
            if is_database_failure(error):
                self._reporter.report_delay(batch.to_store)
                raise
            await self._accept_one_by_one(updates, error)
            return
        finally:  # also after an error, when none is new
            newly_admitted = self._release_unless_new(batch.admitted, new)
        self._reporter.outage_began = None
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
        self, tx: Tx, batch: SortedUpdates, now: float
    ) -> tuple[list[QueuedUpdate], list[QueuedUpdate]]:
        """Store updates; return the new ones of `to_store`, and all that wait in their chats if shared."""
        for update in batch.unusable:
            queries.insert_dead_update(tx, update, "no usable update_id", now)
        for raw in batch.talk:
            self._hooks.note_talk(tx, raw)
        new = queries.insert_updates(tx, batch.to_store, now)
        return new, self._leases.load_waiting_updates(tx, {update.lane for update in new})

    async def _queue_shared(
        self,
        new: Sequence[QueuedUpdate],
        admitted: Sequence[QueuedUpdate],
        waiting_here: Sequence[QueuedUpdate],
    ) -> None:
        """Queue new updates of own chats behind those that other bots stored; notify other bots of others.

        `admitted` are the new ones that this bot has counted; `waiting_here` are all that wait in chats that
        it owns by now, oldest first.
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
        admitted = self._admission.admit(self._admission.classify(update, raw), now)
        if admitted is None:
            self.dropped_count += 1
        return admitted

    async def _accept_one_by_one(self, updates: Sequence[Any], error: Exception) -> None:
        """Accept updates one by one; dead-letter a single one, which the database refused with this error."""
        if len(updates) > 1:
            for raw in updates:
                await self.accept([raw])
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
            if admitted_now is None:
                token = self._leases.get_token(update.lane)
                dropped.append(replace(update, lease_token=token))
            else:
                self._add(admitted_now)
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
                self.watermark.observe_message(date, here=now + self.watermark.clock_ahead)
            lane = find_lane(raw)
            if lane < 0:  # a group
                times = self._times_by_group.setdefault(lane, deque(maxlen=MAX_COUNTED))
                times.append(now)
                self._times_by_group.move_to_end(lane)
        while len(self._times_by_group) > MAX_GROUPS:
            self._times_by_group.popitem(last=False)

    def count_updates_since(self, chat_id: int, since: float) -> int:
        """Return how many updates of a group, talk included, came after `since`; `MAX_COUNTED` at most."""
        times = self._times_by_group.get(chat_id, ())
        return len([at for at in times if at > since])

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
        accepted_since = -math.inf
        if now - until > PATIENCE:
            accepted_since = now - PATIENCE
        return await self._has_waiting_in(lanes, until, accepted_since)

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
