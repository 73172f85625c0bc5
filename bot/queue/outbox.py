"""Delivers stored requests to Telegram, those of each chat in its own order and pace.

A request is stored by the transaction that caused it, and deleted once it has arrived: a crash loses none.
Each chat has a lane, in which `pacing` says what goes first. If Telegram limits one chat, no other chat
waits. A message that changes often is redrawn in its present state once a second at most. `sender` sends one
request, and decides what follows if it did not arrive.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterable
from contextlib import suppress
from functools import partial

from telegram.error import TelegramError

from bot.database import Store, Tx, read_server_time
from bot.durations import MINUTE
from bot.queue import pacing, queries
from bot.queue.bot_permissions import BotPermissionCache
from bot.queue.outgoing import Outgoing
from bot.queue.pacing import Lane, LatestMessages, Pace, Room, SendMutex
from bot.queue.photos import Painter, Photos
from bot.queue.queries import SINGLE_BOT, Leases, QueuedRequest, SentPost
from bot.queue.rendering import ApiCall, Clocks, OutboxHooks, assume_token_known
from bot.queue.sender import DeliveryRecorder, Sender

MAX_PARALLEL = 30  # Requests under way at once: about as many a second as Telegram takes from a bot
UNSURE_PAUSE = 0.1  # Seconds until the lease of a chat is checked again if it may have ended
LANES_PER_CLEANUP = 500  # New lanes after which those that are over are forgotten


class Outbox:
    """Holds the requests that wait, and has them sent by `call`. Features take part by the `hooks`."""

    def __init__(
        self,
        store: Store,
        call: ApiCall,
        hooks: OutboxHooks,
        pace: Pace,
        wall: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        permissions: BotPermissionCache | None = None,
        painter: Painter | None = None,
        leases: Leases = SINGLE_BOT,
        is_token_known: Callable[[], Awaitable[bool]] = assume_token_known,
    ) -> None:
        self._store = store
        self._call = call
        self._pace = pace
        self._wall = wall
        self._monotonic = monotonic
        self._leases = leases
        self._queued_at: dict[int, float] = {}  # By request id, for several bots; kept for a while
        self._lanes: dict[int, Lane] = {}
        self._parallel_calls = asyncio.Semaphore(MAX_PARALLEL)
        self._mutex = SendMutex(pace.overlap, pace.patience)
        self._closing = False
        self._running_lanes = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._unstored_tasks: set[asyncio.Task[None]] = set()
        self._latest = LatestMessages()
        self._unanswered_count = 0
        clocks = Clocks(lambda: self._wall(), monotonic)
        self._deliveries = DeliveryRecorder(store, hooks.on_delivered, clocks.wall)
        permissions = permissions or BotPermissionCache(call, 0, "", monotonic)
        self.photos = Photos(store, call, monotonic, painter)
        self._sender = Sender(
            store,
            call,
            hooks,
            deliveries=self._deliveries,
            latest=self._latest,
            clocks=clocks,
            permissions=permissions,
            pace=pace,
            photos=self.photos,
            enqueue=self.enqueue,
            leases=leases,
            is_token_known=is_token_known,
        )

    @property
    def dropped_count(self) -> int:
        """Replies that were dropped: they were too late, or the chat had no room for them."""
        return self._sender.dropped_count + self._unanswered_count

    def count_unanswered(self) -> None:
        """Count a question that is not answered because the chat has no room for an answer."""
        self._unanswered_count += 1

    def get_room(self, key: int, person: int) -> Room:
        """Return what still fits into a group's queue when `person` asks; everything in a private chat."""
        lane = self._lanes.get(key)
        is_private = key >= 0
        if is_private or lane is None or not lane.waiting:
            return Room()
        limited = pacing.find_limited_people(self._pace, lane.posts, lane.waiting, self._monotonic())
        return pacing.compute_room(person, lane.waiting, self._wall(), limited)

    async def resume(self) -> None:
        """Dead-letter unreadable requests; without other bots, queue and count what a former run left."""
        await self._store.write(queries.dead_letter_unreadable_requests)
        if self._leases.shared:
            return

        def load(tx: Tx) -> tuple[list[QueuedRequest], list[SentPost], float]:
            server_time = read_server_time(tx, self._wall())
            return queries.load_waiting_requests(tx), queries.load_recent_posts(tx), server_time

        waiting, posts, server_time = await self._store.read(load)
        self.restore_recent_posts(posts, waiting, server_time)
        self.enqueue(waiting)

    def restore_recent_posts(
        self, posts: Iterable[SentPost], waiting: Iterable[QueuedRequest], server_time: float
    ) -> None:
        """Count another run's or bot's posts in chats served from now on; `server_time` is now, by the clock
        of their times.
        """
        now = self._monotonic()
        for post in posts:
            if post.message_id:
                self._latest.record(post.lane, post.message_id, own=True)
            age = server_time - post.at
            if abs(age) < MINUTE:  # a time far ahead comes from a clock that was wrong
                posted_at = now - max(age, 0.0)  # not in the future
                self._get_or_add_lane(post.lane).posts.add(posted_at)
        waiting_posts = [request for request in waiting if request.outgoing.is_post]
        groups_with_posts = {post.lane for post in waiting_posts if post.lane < 0}
        for key in groups_with_posts:
            # The first post that waits in the group may have been sent before a crash.
            self._get_or_add_lane(key).posts.add(now)

    def enqueue(self, requests: Iterable[QueuedRequest]) -> None:
        """Queue stored requests of this bot's chats once each, and notify other bots of the others."""
        for request in requests:
            if self._leases.shared:
                if not self._leases.owns(request.lane):
                    self._leases.notify_others()
                    continue
                if request.id in self._queued_at:  # already queued, or sent a moment ago
                    continue
                self._queued_at[request.id] = self._monotonic()
            lane = self._get_or_add_lane(request.lane)
            lane.waiting.append(request)
            lane.wake.set()
            if lane.task is None and not self._closing:
                self._running_lanes += 1
                self._idle.clear()
                lane.task = asyncio.create_task(self._serve_lane(lane))

    def has_request(self, request_id: int) -> bool:
        """Whether the request is queued here, or was not long ago."""
        return request_id in self._queued_at

    def forget_request_ids(self, before: float) -> None:
        """Forget requests that were queued `before`, on the monotonic clock, and no longer wait."""
        waiting = {request.id for lane in self._lanes.values() for request in lane.waiting}
        for request_id, queued_at in list(self._queued_at.items()):
            if queued_at < before and request_id not in waiting:
                del self._queued_at[request_id]

    def abandon(self, chats: Collection[int] | None = None) -> None:
        """Drop what waits in these chats, or in all: other bots send it, or have sent it."""
        for lane in self._lanes.values():
            if chats is None or lane.key in chats:
                self._abandon_lane(lane)

    def _abandon_lane(self, lane: Lane) -> None:
        """Drop what waits in the lane, so that it can be queued again."""
        for request in lane.waiting:
            self._queued_at.pop(request.id, None)
        lane.waiting = []

    def _get_or_add_lane(self, key: int) -> Lane:
        """Return the lane, a new one if there is none; sometimes, before that, forget lanes that are over."""
        if key not in self._lanes:
            count = len(self._lanes) + 1  # with the new one
            if count % LANES_PER_CLEANUP == 0:
                now = self._monotonic()
                remaining = [lane for lane in self._lanes.values() if not lane.is_over(now)]
                self._lanes = {lane.key: lane for lane in remaining}
            self._lanes[key] = Lane(key)
        return self._lanes[key]

    def is_lane_over(self, lane: int) -> bool:
        """Whether nothing of the chat has to be remembered, see `Lane.is_over`."""
        return lane not in self._lanes or self._lanes[lane].is_over(self._monotonic())

    async def _serve_lane(self, lane: Lane) -> None:
        """Send what waits in a lane, until nothing does, the bot closes, or another bot serves the chat."""
        try:
            while lane.waiting and not self._closing:
                if not self._leases.owns(lane.key):
                    self._abandon_lane(lane)
                    break
                request, delay = lane.choose_next(self._pace, self._monotonic(), self._wall())
                if not self._leases.surely_owns(lane.key):
                    delay = max(delay, UNSURE_PAUSE)
                if delay > 0:
                    lane.wake.clear()
                    with suppress(TimeoutError):
                        await asyncio.wait_for(lane.wake.wait(), delay)
                    continue  # what has come meanwhile may go first
                await self._send_in_turn(lane, request)
        finally:
            lane.task = None
            self._running_lanes -= 1
            if not self._running_lanes:
                self._idle.set()

    async def _send_in_turn(self, lane: Lane, request: QueuedRequest) -> None:
        """Try to send a request in its turn; if it needs a picture, wait for that after the turn instead."""
        missing_photo = None
        async with self._mutex.take_turn(request.outgoing.is_post) as turn, self._parallel_calls:
            if lane.is_waiting(request) and not self._closing:
                missing_photo = await self._sender.send(lane, request, turn)
        if missing_photo is not None:
            await self.photos.wait_for_picture(lane.key, missing_photo)

    def send_unstored(self, request: Outgoing) -> None:
        """Try once to send a request that could not be stored, if its chat has room."""
        if not self._closing:
            task = asyncio.create_task(self._send_unstored(request))
            self._unstored_tasks.add(task)
            task.add_done_callback(self._unstored_tasks.discard)

    async def _send_unstored(self, request: Outgoing) -> None:
        """Send a request and ignore Telegram's refusal; do nothing in a group that has too many posts."""
        lane = self._get_or_add_lane(request.lane)
        now = self._monotonic()
        free_time = lane.posts.find_free_time(self._pace.asides_a_minute, now)
        is_group = lane.key < 0
        if is_group and max(lane.blocked_until, free_time) > now:
            return
        lane.posts.add(now)
        with suppress(TelegramError):
            result = await self._call(request.method, request.params)
            message_id = result.get("message_id") if isinstance(result, dict) else None
            if type(message_id) is int:
                self._latest.record(lane.key, message_id, own=True)

    def record_message(self, chat_id: int, message_id: int) -> None:
        """Remember that a message is in a chat: later posts have higher ids."""
        if message_id > 0:  # ephemeral messages have 0
            self._latest.record(chat_id, message_id)

    async def wait_until_idle(self) -> None:
        await self._idle.wait()

    async def close(self, patience: float = 2.0) -> None:
        """Finish what is under way within `patience` seconds, and store checks of interrupted posts."""
        self._closing = True
        tasks = list(self._unstored_tasks)
        for lane in self._lanes.values():
            lane.wake.set()
            if lane.task:
                tasks.append(lane.task)
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=patience)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        with suppress(Exception):  # else they are sent again, as after a crash
            for request in self._sender.interrupted:
                await self._store.write(partial(queries.update_request, request=request))
        await self.photos.close()
        await self._deliveries.close()
