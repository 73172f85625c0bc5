"""Requests to Telegram, delivered in each chat's own time.

A request was stored by the transaction that caused it and is struck when it has arrived, so a crash loses
A request was stored by the transaction that caused it and is struck when it has arrived, so a crash loses
none. Each chat has a lane, in which `pacing` says what goes first; a limit that Telegram sets for one chat
makes that chat wait and no other, and a message that changes often is redrawn from its present state at most
once a second instead of once for each change. A post that may have arrived (it was written, and no answer
came, or a gateway's error) is looked for in the chat first, as `doubt` says. Where it can't be found, one
without any answer is not sent again: a second copy could not be taken back. Everything else may be repeated.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from telegram import Bot
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
)

from bot import logs
from bot.database import Store, Tx, cause, storage_trouble
from bot.delivery import pacing
from bot.delivery import queries as mail
from bot.delivery.doubt import LOOKS, Doubt, Fate, Latest, came_to_nothing, fate, find
from bot.delivery.gate import Gate
from bot.delivery.lane import Lane
from bot.delivery.pacing import Pace as Pace
from bot.delivery.pacing import Room, is_post
from bot.delivery.queries import HAND_OVER, SHOW
from bot.delivery.refusals import Gone, gone, harmless, too_large
from bot.people import queries as people
from bot.telegram import messages
from bot.telegram.api import ask, parameters
from bot.telegram.messages import Request

log = logging.getLogger(__name__)

PARALLEL = 30
"""Requests under way at once; httpx slows down above that."""
TRIES = 5
"""Failures of our own after which a request is set aside; Telegram's are waited out."""
LONGEST_PAUSE = 15.0
MANY_LANES = 500  # after which those that are over are looked for and forgotten

Render = Callable[[int], Awaitable[dict[str, Any] | None]]
Copy = Callable[[dict[str, Any]], Awaitable[dict[str, Any] | None]]
Leaving = Callable[[Tx, str], bool]
Receipt = Callable[[Tx, str, dict[str, Any]], None]
Moved = Callable[[Tx, int, int], None]


class Outbox:
    """Delivers letters through `bot`.

    `render` draws a round, `copy` makes the file that a letter promises, `receipt` stores what came back of a
    post or of drawing a round, `gone` that a message was deleted, and `moved` what Telegram says of a chat
    that has another id now. `leaving` is told of a post from which somebody's time runs, before it is sent:
    the process may end before it knows whether the post arrived. Where `leaving` says that this is the first
    time, the receipt follows, an empty one when the post did not arrive.
    """

    def __init__(
        self,
        store: Store,
        bot: Bot,
        render: Render,
        leaving: Leaving,
        receipt: Receipt,
        gone: Gone,
        moved: Moved,
        pace: Pace,
        wall: Callable[[], float] = time.time,
        *,
        copy: Copy,
    ) -> None:
        self._copy = copy
        self._pace = pace
        self._store = store
        self._bot = bot
        self._render = render
        self._leaving = leaving
        self._receipt = receipt
        self._gone = gone
        self._moved = moved
        self._wall = wall
        self._lanes: dict[int, Lane] = {}
        self._places = asyncio.Semaphore(PARALLEL)
        self._gate = Gate(pace.overlap)
        self._closing = False
        self._busy = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._told: set[asyncio.Task[None]] = set()
        self._latest = Latest()
        self.dropped = 0
        """Asides that came too late for anybody to want them, or that the chat had no room for."""

    def room(self, key: int, person: int) -> Room:
        """What the chat has room for beside its rounds when `person` asks."""
        lane = self._lanes.get(key)
        if key >= 0 or lane is None or not lane.waiting:
            return Room()
        held = pacing.held(self._pace, lane.posts, lane.waiting, time.monotonic())
        return pacing.room_for(person, lane.waiting, self._wall(), held)

    async def resume(self) -> None:
        """Take up what a former run did not see arrive, and what it posted within the last minute."""
        now, wall = time.monotonic(), self._wall()
        recent = await self._store.read(lambda tx: mail.posts_since(tx, wall - mail.MINUTE))
        await self._store.write(mail.dead_letter_unreadable)
        waiting = await self._store.read(mail.waiting_requests)
        for key, at in recent:
            self._lane(key).posts.add(now - min(max(wall - at, 0.0), mail.MINUTE))
        for key in {request.lane for request in waiting if request.lane < 0 and is_post(request)}:
            self._lane(key).posts.add(now)  # the first of them may have gone out before the end came
        self.send(waiting)

    def send(self, requests: Iterable[mail.QueuedRequest]) -> None:
        """Queue stored letters."""
        for request in requests:
            lane = self._lane(request.lane)
            lane.waiting.append(request)
            lane.wake.set()
            if lane.task is None and not self._closing:
                self._busy += 1
                self._idle.clear()
                lane.task = asyncio.create_task(self._run(lane))

    def tell(self, outgoing: Request) -> None:
        """Send something that could not be stored, once and without promises."""
        if not self._closing:
            task = asyncio.create_task(self._say(outgoing))
            self._told.add(task)
            task.add_done_callback(self._told.discard)

    def heard(self, chat_id: int, message_id: int) -> None:
        """A message stands in a chat: whatever is posted after it has a higher number."""
        self._latest.saw(chat_id, message_id)

    async def idle(self) -> None:
        """Wait until nothing is left to deliver."""
        await self._idle.wait()

    async def close(self, patience: float = 2.0) -> None:
        """Finish the requests under way; the rest stays stored for the next start."""
        self._closing = True
        tasks = [*self._told, *(lane.task for lane in self._lanes.values() if lane.task)]
        for lane in self._lanes.values():
            lane.wake.set()
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=patience)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _lane(self, key: int) -> Lane:
        if key not in self._lanes:
            if len(self._lanes) % MANY_LANES == MANY_LANES - 1:
                now = time.monotonic()
                self._lanes = {k: lane for k, lane in self._lanes.items() if not lane.over(now)}
            self._lanes[key] = Lane(key)
        return self._lanes[key]

    async def _run(self, lane: Lane) -> None:
        try:
            while lane.waiting and not self._closing:
                request, delay = self._pick(lane)
                if delay > 0:
                    lane.wake.clear()
                    with suppress(TimeoutError):
                        await asyncio.wait_for(lane.wake.wait(), delay)
                    continue
                async with self._gate.turn(is_post(request)), self._places:
                    if not self._closing:
                        await self._try(lane, request)
        finally:
            lane.task = None
            self._busy -= 1
            if not self._busy:
                self._idle.set()

    def _pick(self, lane: Lane) -> tuple[mail.QueuedRequest, float]:
        """The first letter whose time has come, or the seconds until one's has."""
        now = time.monotonic()
        best, delay = lane.waiting[0], float("inf")
        posts_wait = False
        for request in sorted(lane.waiting, key=pacing.rank):
            if posts_wait and is_post(request):
                continue
            ready = self._ready(lane, request, now)
            if ready <= now:
                return request, 0.0
            posts_wait |= is_post(request) and not request.body.get("aside")
            if ready - now < delay:
                best, delay = request, ready - now
        return best, delay

    def _ready(self, lane: Lane, request: mail.QueuedRequest, now: float) -> float:
        """When the letter may go, on the monotonic clock."""
        if pacing.late(request, self._wall()):
            return 0.0
        if is_post(request):
            room = pacing.room(self._pace, lane.posts, request, now) if lane.key < 0 else 0.0
            return max(lane.blocked_until, room)
        if request.body.get("method") == SHOW:
            drawn = lane.redrawn.get(request.body["round"])
            return max(lane.blocked_until, 0.0 if drawn is None else drawn + self._pace.redraw_gap)
        return lane.blocked_until

    async def _try(self, lane: Lane, request: mail.QueuedRequest) -> None:
        """Deliver a letter; one that fails for reasons of its own gives way in the end."""
        try:
            await self._deliver(lane, request)
        except Exception as error:  # noqa: BLE001 - counted, and in the end set aside
            failures = lane.failures.get(request.id, 0) + (not storage_trouble(error))
            lane.failures[request.id], lane.blocked_until = failures, time.monotonic() + 1.0
            what = "stays stored" if failures < TRIES else "is set aside"
            logs.unforeseen(log, f"a request ({request.body.get('method')}) {what}", error)
            if failures < TRIES:
                return
            with suppress(Exception):  # else it stays stored for the next start; the lane goes on in any case
                await self._set_aside(lane, [request], cause(error))
            self._drop(lane, [request])

    async def _deliver(self, lane: Lane, request: mail.QueuedRequest) -> None:
        struck = [request]
        if request.body["method"] == SHOW:
            number = request.body["round"]
            struck = [w for w in lane.waiting if w.body.get("round") == number and w.body["method"] == SHOW]
        body = await self._drawn(lane, request)
        if body is None:
            await self._strike(lane, struck)
            return
        posts = body["method"].startswith("send")
        if posts and not is_post(request):
            request.body["new"] = True  # the post that it wanted to redraw never arrived: it waits like one
            return
        doubt = lane.doubts.get(request.id)
        if doubt and not doubt.over and await self._looked_for(lane, struck, body, doubt):
            return
        if posts and lane.key < 0:
            lane.posts.add(time.monotonic(), request.by if request.body.get("aside") else 0)
        if body.get("timed"):
            body["began"] = await self._store.write_with_retries(lambda tx: self._leaving(tx, body["about"]))
        try:
            result = await ask(self._bot, body["method"], parameters(body))
        except TelegramError as error:
            await self._refused(lane, struck, body, error)
            if body.get("began") and came_to_nothing(error):
                await self._store.write_with_retries(lambda tx: self._receipt(tx, body["about"], {}))
        else:
            lane.pause = 1.0
            await self._arrived(lane, struck, body, result)

    async def _drawn(self, lane: Lane, request: mail.QueuedRequest) -> dict[str, Any] | None:
        """The request as it is sent now, with names; None if it isn't wanted any more."""
        body: dict[str, Any] | None = request.body
        if pacing.late(request, self._wall()):
            self.dropped += 1
            return None
        if request.body["method"] == SHOW:
            body = await self._render(request.body["round"])
            lane.redrawn = {request.body["round"]: time.monotonic()}
        if request.body["method"] == HAND_OVER:
            body = await self._copy(request.body)
        wanted = list(messages.wanted(body)) if body else []
        if body is None or not wanted:
            return body
        return messages.with_names(body, await self._store.read(lambda tx: people.names(tx, wanted)))

    async def _arrived(
        self, lane: Lane, requests: list[mail.QueuedRequest], body: dict[str, Any], result: Any
    ) -> None:
        """Write down what came back."""
        if posts := body["method"].startswith("send") and isinstance(result, dict):
            self.heard(lane.key, int(result["message_id"]))
            if doubt := lane.doubts.get(requests[0].id):
                result = {**result, "since": doubt.at}
        known = body.get("timed") and not body.get("began")
        about = body.get("about", "") if isinstance(result, dict) and not known else ""
        await self._strike(lane, requests, about, result, posted=posts and lane.key < 0)

    async def _looked_for(
        self, lane: Lane, requests: list[mail.QueuedRequest], body: dict[str, Any], doubt: Doubt
    ) -> bool:
        """Look whether a post in doubt has arrived; False when it has not and may be sent again."""
        try:
            number = await find(self._bot, body["params"], doubt)
        except TelegramError:
            self._pause(lane)
            lane.doubts[requests[0].id] = replace(doubt, looks=doubt.looks + 1)
            if doubt.looks < LOOKS:
                return True
            number = None
        if number is not None:
            await self._arrived(lane, requests, body, {"message_id": number})
        elif doubt.fate is Fate.UNKNOWN:
            await self._set_aside(lane, requests, "may have arrived")
        else:
            lane.doubts[requests[0].id] = replace(doubt, over=True)
        return requests[0] not in lane.waiting

    async def _strike(
        self,
        lane: Lane,
        requests: list[mail.QueuedRequest],
        about: str = "",
        result: Any = None,
        *,
        posted: bool = False,
    ) -> None:
        """Write down that these arrived, however long that takes: until then they count as not sent."""
        at = self._wall()

        def arrived(tx: Tx) -> None:
            if about:
                self._receipt(tx, about, result)
            first, *others = requests
            (mail.posted(tx, first, at) if posted else mail.delivered(tx, first))
            for request in others:
                mail.delivered(tx, request)

        await self._store.write_with_retries(arrived)
        self._drop(lane, requests)

    def _drop(self, lane: Lane, requests: list[mail.QueuedRequest]) -> None:
        gone = {request.id for request in requests}
        lane.waiting = [request for request in lane.waiting if request.id not in gone]
        for number in gone:
            lane.failures.pop(number, None)
            lane.doubts.pop(number, None)

    async def _refused(
        self, lane: Lane, requests: list[mail.QueuedRequest], body: dict[str, Any], error: TelegramError
    ) -> None:
        """Wait, let go or set aside, as the error has it."""
        method = body["method"]
        match error:
            case RetryAfter():
                seconds = error.retry_after
                wait = seconds if isinstance(seconds, int | float) else seconds.total_seconds()
                lane.blocked_until = time.monotonic() + wait + 0.1
            case ChatMigrated():
                await self._forward(lane, requests, error.new_chat_id)
            case BadRequest() if harmless(method, error):
                await self._strike(lane, requests)
            case BadRequest() if gone(method, error):
                await self._replace(lane, requests, body)
            case BadRequest() | Forbidden() | InvalidToken():
                log.warning("%s to %s was refused: %s", method, _place(lane.key), error.message)
                await self._set_aside(lane, requests, error.message)
            case NetworkError() if too_large(error):
                await self._set_aside(lane, requests, error.message)
            case NetworkError() if method.startswith("send"):
                await self._failed(lane, requests, method, error)
            case _:
                self._pause(lane)

    async def _failed(
        self, lane: Lane, requests: list[mail.QueuedRequest], method: str, error: NetworkError
    ) -> None:
        """A post failed on its way: look for it, send it again or set it aside, by what the error tells."""
        known, after = fate(error), self._latest.of(lane.key) or requests[0].body.get("after")
        if known is Fate.ARRIVED:
            await self._strike(lane, requests)
        elif known is not Fate.UNSENT and after is not None and method == "sendMessage":
            before = lane.doubts.get(requests[0].id)
            lane.doubts[requests[0].id] = Doubt(known, after, before.at if before else self._wall())
            self._pause(lane)
        elif known is Fate.UNKNOWN:
            log.warning("%s to %s may have arrived, so it is not repeated", method, _place(lane.key))
            await self._set_aside(lane, requests, f"may have arrived: {error.message}")
        else:
            self._pause(lane)

    def _pause(self, lane: Lane) -> None:
        lane.blocked_until = time.monotonic() + lane.pause
        lane.pause = min(LONGEST_PAUSE, lane.pause * 2)

    async def _replace(self, lane: Lane, requests: list[mail.QueuedRequest], body: dict[str, Any]) -> None:
        """The message is gone. Where it is to be posted anew, the letters wait like a post; else let go."""
        unasked = all(request.body.get("unasked") for request in requests)
        if not await self._store.write_with_retries(lambda tx: self._gone(tx, body, unasked=unasked)):
            await self._strike(lane, requests)
            return
        for request in requests:
            request.body["new"] = True

    async def _forward(self, lane: Lane, requests: list[mail.QueuedRequest], new: int) -> None:
        """The chat is `new` now, and all of it goes there; so do these, but for edits of old messages."""
        now = self._wall()

        def follow(tx: Tx) -> list[mail.QueuedRequest]:
            self._moved(tx, lane.key, new)
            for request in requests:
                mail.delivered(tx, request)
            posts = (
                request.body for request in requests if request.body["method"] == SHOW or is_post(request)
            )
            return [mail.post(tx, new, _readdressed(body, new), now) for body in posts]

        again = await self._store.write_with_retries(follow)
        self._drop(lane, requests)
        self.send(again)

    async def _set_aside(self, lane: Lane, requests: list[mail.QueuedRequest], trouble: str) -> None:
        def aside(tx: Tx) -> None:
            for request in requests:
                mail.undeliverable(tx, request, trouble)

        await self._store.write_with_retries(aside)
        self._drop(lane, requests)

    async def _say(self, outgoing: Request) -> None:
        lane, now = self._lane(outgoing.lane), time.monotonic()
        room = lane.posts.room_at(self._pace.asides_a_minute, now)
        if lane.key < 0 and max(lane.blocked_until, room) > now:
            return
        lane.posts.add(now)
        with suppress(TelegramError):
            await ask(self._bot, outgoing.body["method"], parameters(outgoing.body))


def _readdressed(body: dict[str, Any], chat_id: int) -> dict[str, Any]:
    if "params" not in body:
        return body
    params = {key: value for key, value in body["params"].items() if key != "reply_parameters"}
    return {**body, "params": {**params, "chat_id": chat_id}}


def _place(key: int) -> str:
    """A lane as a log may name it: a private chat's id is the person's."""
    return "a private chat" if key > 0 else f"chat {key}"
