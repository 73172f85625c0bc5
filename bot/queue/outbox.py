"""Delivers stored requests to Telegram, each chat's in its own order and pace.

A request was stored by the transaction that caused it and is marked as delivered once it has arrived, so a
crash loses none. Each chat has a lane, in which `pacing` says what goes first; a limit that Telegram sets for
one chat makes that chat wait and no other, and a message that changes often is redrawn from its present state
at most once a second instead of once for each change. `sending` sends one request, `troubles` says what
follows when it did not arrive.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterable
from contextlib import suppress
from functools import partial

from telegram.error import TelegramError

from bot.database import Store, read_server_time
from bot.durations import MINUTE
from bot.queue import pacing, queries
from bot.queue.bot_permissions import BotPermissionCache
from bot.queue.deliveries import DeliveryRecorder
from bot.queue.delivery_check import LatestMessages
from bot.queue.error_policy import ErrorPolicy
from bot.queue.hooks import ApiCall, Clocks, OutboxHooks, assume_token_known
from bot.queue.leases import SINGLE_BOT, Leases
from bot.queue.pacing import Lane, Room, is_post
from bot.queue.pacing import Pace as Pace
from bot.queue.photos import Painter, Photos
from bot.queue.queries import QueuedRequest
from bot.queue.send_mutex import SendMutex
from bot.queue.sender import EphemeralSender, Sender
from bot.telegram.api import make_parameters
from bot.telegram.messages import Request

MAX_PARALLEL = 30  # Requests under way at once: about as many a second as Telegram takes from a bot
UNSURE = 0.1  # Seconds after which a bot looks again whether a chat is still its own, where it can't be sure
MANY_LANES = 500  # Each time that so many more are known, those that are over are forgotten


class Outbox:
    """Delivers requests through `ask`; `hooks` draw them and are told what became of them."""

    def __init__(
        self,
        store: Store,
        ask: ApiCall,
        hooks: OutboxHooks,
        pace: Pace,
        wall: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        standings: BotPermissionCache | None = None,
        paint: Painter | None = None,
        claims: Leases = SINGLE_BOT,
        token_known: Callable[[], Awaitable[bool]] = assume_token_known,
    ) -> None:
        self._store = store
        self._ask = ask
        self._pace = pace
        self._wall = wall
        self._monotonic = monotonic
        self._claims = claims
        self._taken: dict[int, float] = {}
        """Where chats are claimed: when each request was queued, by its id; for a while after it has left."""
        self._behind: Collection[int] = ()
        """Chats in which older requests wait that aren't queued yet."""
        self._lanes: dict[int, Lane] = {}
        self._places = asyncio.Semaphore(MAX_PARALLEL)
        self._gate = SendMutex(pace.overlap, pace.patience)
        self._closing = False
        self._busy = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._told: set[asyncio.Task[None]] = set()
        self._latest = LatestMessages()
        self._unheard = 0
        clock = Clocks(lambda: self._wall(), monotonic)
        self._receipts = DeliveryRecorder(store, hooks.on_delivered, clock.wall)
        troubles = ErrorPolicy(store, hooks, self._receipts, self.enqueue, clock, claims, token_known)
        standings = standings or BotPermissionCache(ask, 0, "", monotonic)
        ephemerals = EphemeralSender(
            store, ask, standings, self._receipts, troubles, self._latest, clock, pace
        )
        self.photos = Photos(store, ask, monotonic, paint)
        self._sending = Sender(
            *(store, ask, hooks, self._receipts, troubles, self._latest, clock, ephemerals, self.photos),
            claims,
        )

    @property
    def dropped_count(self) -> int:
        """Asides that came too late for anybody to want them, or that the chat had no room for."""
        return self._sending.dropped_count + self._unheard

    def count_unanswered(self) -> None:
        """A question was not answered, since the chat has no room for an answer."""
        self._unheard += 1

    def get_room(self, key: int, person: int) -> Room:
        """What the chat has room for beside its rounds when `person` asks."""
        lane = self._lanes.get(key)
        if key >= 0 or lane is None or not lane.waiting:
            return Room()
        held = pacing.find_limited_people(self._pace, lane.posts, lane.waiting, self._monotonic())
        return pacing.compute_room(person, lane.waiting, self._wall(), held)

    async def resume(self) -> None:
        """Queue what a former run did not see arrive, and count what it posted within the last minute.

        Where chats are claimed, that follows for each once this bot serves it.
        """
        await self._store.write(queries.dead_letter_unreadable_requests)
        if self._claims.shared:
            return
        waiting = await self._store.read(queries.load_waiting_requests)
        posts, now = await self._store.read(
            lambda tx: (queries.load_recent_posts(tx), read_server_time(tx, self._wall()))
        )
        self.restore_recent_posts(posts, waiting, now)
        self.enqueue(waiting)

    def restore_recent_posts(
        self, posts: Iterable[tuple[int, int, float]], waiting: Iterable[QueuedRequest], here: float
    ) -> None:
        """Count what was posted before in chats that this bot serves from now on, and what may have been.

        It is `here` by the clock by which the times of the posts are.
        """
        now = self._monotonic()
        for key, number, at in posts:
            if number:
                self._latest.record(key, number, own=True)
            if abs(here - at) < MINUTE:  # a later time is that of a clock that was wrong
                self._lane(key).posts.add(now - max(here - at, 0.0))
        for key in {request.lane for request in waiting if request.lane < 0 and is_post(request)}:
            self._lane(key).posts.add(now)  # the first of them may have gone out before the end came

    def enqueue(self, requests: Iterable[QueuedRequest]) -> None:
        """Queue stored requests; those of other bots' chats are left to them."""
        for request in requests:
            if self._claims.shared and not self._takes(request):
                continue
            lane = self._lane(request.lane)
            lane.waiting.append(request)
            lane.wake.set()
            if lane.task is None and not self._closing:
                self._busy += 1
                self._idle.clear()
                lane.task = asyncio.create_task(self._run(lane))

    def enqueue_backlog(self, stored: Iterable[QueuedRequest], behind: Collection[int] = ()) -> None:
        """Queue what waits in this bot's chats, oldest first. In those that are `behind` more of it is still
        to be taken up, and until then nothing else is queued there: it would overtake that.
        """
        self._behind = ()
        self.enqueue(stored)
        self._behind = behind

    def _takes(self, request: QueuedRequest) -> bool:
        """Whether the request is this bot's, was not queued before and overtakes none."""
        if not self._claims.owns(request.lane):
            self._claims.notify_others()
            return False
        if request.lane in self._behind:
            return False
        new = request.id not in self._taken
        self._taken.setdefault(request.id, self._monotonic())
        return new

    def has_request(self, number: int) -> bool:
        """Whether the request is queued here, or was a moment ago."""
        return number in self._taken

    def forget_request_ids(self, before: float) -> None:
        """Forget the ids of requests that were queued `before`, on the monotonic clock, and are gone."""
        waiting = {request.id for lane in self._lanes.values() for request in lane.waiting}
        self._taken = {n: at for n, at in self._taken.items() if at >= before or n in waiting}

    def abandon(self, chats: Collection[int] | None = None) -> None:
        """Let go of what waits, in these chats or in all: other bots go on with it, or went on with it before
        these chats became this bot's again.
        """
        if chats is None:
            self._behind = ()
        for lane in self._lanes.values():
            if chats is None or lane.key in chats:
                self._leave(lane)

    def is_lane_over(self, lane: int) -> bool:
        """Whether nothing of the chat needs remembering."""
        return lane not in self._lanes or self._lanes[lane].is_over(self._monotonic())

    def send_unstored(self, outgoing: Request) -> None:
        """Send something that could not be stored, once and without promises."""
        if not self._closing:
            task = asyncio.create_task(self._tell(outgoing))
            self._told.add(task)
            task.add_done_callback(self._told.discard)

    def record_message(self, chat_id: int, message_id: int) -> None:
        """A message stands in a chat: whatever is posted after it has a higher number."""
        if message_id > 0:  # every ephemeral one has 0
            self._latest.record(chat_id, message_id)

    async def wait_until_idle(self) -> None:
        """Wait until nothing is left to deliver."""
        await self._idle.wait()

    async def close(self, patience: float = 2.0) -> None:
        """Finish what is under way within `patience` seconds; the rest stays stored for the next start."""
        self._closing = True
        tasks = [*self._told, *(lane.task for lane in self._lanes.values() if lane.task)]
        for lane in self._lanes.values():
            lane.wake.set()
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=patience)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        with suppress(Exception):  # else they are sent again, as after a kill
            for request in self._sending.interrupted:
                await self._store.write(partial(queries.update_request, request=request))
        await self.photos.close()
        await self._receipts.close()

    def _lane(self, key: int) -> Lane:
        if key not in self._lanes:
            if len(self._lanes) % MANY_LANES == MANY_LANES - 1:
                now = self._monotonic()
                self._lanes = {k: lane for k, lane in self._lanes.items() if not lane.is_over(now)}
            self._lanes[key] = Lane(key)
        return self._lanes[key]

    async def _run(self, lane: Lane) -> None:
        try:
            while lane.waiting and not self._closing:
                if not self._claims.owns(lane.key):
                    self._leave(lane)
                    break
                request, delay = lane.choose_next(self._pace, self._monotonic(), self._wall())
                if not self._claims.surely_owns(lane.key):
                    delay = max(delay, UNSURE)
                if delay > 0:
                    lane.wake.clear()
                    with suppress(TimeoutError):
                        await asyncio.wait_for(lane.wake.wait(), delay)
                    continue
                wants = None
                async with self._gate.take_turn(is_post(request)) as turn, self._places:
                    if lane.is_waiting(request) and not self._closing:
                        wants = await self._sending.send(lane, request, turn)
                if wants is not None:  # beside the gate: no other post waits for a picture
                    await self.photos.wait_for_picture(lane.key, wants)
        finally:
            self.photos.release_picture(lane.key)
            lane.task = None
            self._busy -= 1
            if not self._busy:
                self._idle.set()

    def _leave(self, lane: Lane) -> None:
        """Whoever serves the chat now goes on with what waits there."""
        for request in lane.waiting:
            self._taken.pop(request.id, None)
        lane.waiting = []

    async def _tell(self, outgoing: Request) -> None:
        lane, now = self._lane(outgoing.lane), self._monotonic()
        room = lane.posts.find_free_time(self._pace.asides_a_minute, now)
        if lane.key < 0 and max(lane.blocked_until, room) > now:
            return
        lane.posts.add(now)
        with suppress(TelegramError):
            result = await self._ask(outgoing.body["method"], make_parameters(outgoing.body))
            if isinstance(result, dict) and type(number := result.get("message_id")) is int:
                self._latest.record(lane.key, number, own=True)  # no look for another post may change it
