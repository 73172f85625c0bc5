"""Requests to Telegram, delivered in each chat's own time.

A request was stored by the transaction that caused it and is struck when it has arrived, so a crash loses
none. Each chat has a lane: posts keep their order in it, a limit that Telegram sets for one chat makes that
chat wait and no other, and a message that changes often is redrawn from its present state at most once a
second instead of once for each change. A post that may have arrived (it was written, the answer never
came) is not sent again: a second copy could not be taken back. Everything else may be repeated safely.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import httpx
from telegram import Bot, InputFile
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
)

from bot.reply import Outgoing
from bot.store import Store, Tx, cause, mail, storage_trouble
from bot.store.mail import SHOW
from bot.wire import ask

log = logging.getLogger(__name__)

PARALLEL = 30
"""Requests under way at once; httpx slows down above that."""
TRIES = 5
"""Failures of our own after which a request is set aside; Telegram's are waited out."""
LONGEST_PAUSE = 15.0
MANY_LANES = 500
"""Lanes after which those that are over are looked for and forgotten."""
HARMLESS = ("not modified", "query is too old", "query id is invalid")
"""Refusals that need no operator: what was wanted is so already, or can't be any more."""

Render = Callable[[int], Awaitable[dict[str, Any] | None]]
Receipt = Callable[[Tx, str, dict[str, Any]], None]
Moved = Callable[[Tx, int, int], None]


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a chat may be written to."""

    posts_a_minute: int = 19
    """New messages in a group within any minute: one under Telegram's limit, since a kill can hide one."""
    redraw_gap: float = 1.0
    """Seconds between two edits of one message."""
    overlap: float = 0.1
    """Seconds after which a post no longer keeps the next one, in whatever chat, waiting.

    A post that has arrived but is not struck yet when the process is killed is made again; as long as
    Telegram answers in less time than this, that is one post at most. Edits and reactions don't wait: they
    can be repeated without anybody noticing.
    """


@dataclass(slots=True)
class _Lane:
    key: int
    waiting: list[mail.Letter] = field(default_factory=list)
    posted: deque[float] = field(default_factory=deque)
    """When the posts of the last minute went out, on the monotonic clock."""
    redrawn: dict[int, float] = field(default_factory=dict)
    blocked_until: float = 0.0
    pause: float = 1.0
    """Seconds to wait after the next failure of the network."""
    failures: dict[int, int] = field(default_factory=dict)
    """By letter: how often delivering it failed for a reason of our own."""
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    def room_at(self, most: int, now: float) -> float:
        """When the next post may go to this group."""
        while self.posted and now - self.posted[0] >= mail.MINUTE:
            self.posted.popleft()
        return self.posted[-most] + mail.MINUTE if len(self.posted) >= most else 0.0

    def over(self, now: float) -> bool:
        """Whether nothing of it needs remembering."""
        quiet = not self.posted or now - self.posted[-1] >= mail.MINUTE
        return not self.waiting and self.task is None and quiet and self.blocked_until <= now


class _Gate:
    """One post at a time, unless it takes long."""

    def __init__(self, overlap: float) -> None:
        self._overlap = overlap
        self._free = asyncio.Lock()

    @asynccontextmanager
    async def turn(self, posts: bool) -> AsyncIterator[None]:
        """Wait until the post before has been struck, or has had its time."""
        if not posts:
            yield
            return
        await self._free.acquire()
        mine = [self._free]

        def free() -> None:
            for lock in mine:
                lock.release()
            mine.clear()

        timer = asyncio.get_running_loop().call_later(self._overlap, free)
        try:
            yield
        finally:
            timer.cancel()
            free()


class Outbox:
    """Delivers letters through `bot`.

    `render` draws a round, `receipt` stores what came back of a post, and `moved` what Telegram says of a
    chat that has another id now.
    """

    def __init__(
        self,
        store: Store,
        bot: Bot,
        render: Render,
        receipt: Receipt,
        moved: Moved,
        pace: Pace,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._pace = pace
        self._store = store
        self._bot = bot
        self._render = render
        self._receipt = receipt
        self._moved = moved
        self._wall = wall
        self._lanes: dict[int, _Lane] = {}
        self._places = asyncio.Semaphore(PARALLEL)
        self._gate = _Gate(pace.overlap)
        self._closing = False
        self._busy = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._told: set[asyncio.Task[None]] = set()

    async def resume(self) -> None:
        """Take up what a former run did not see arrive, and what it posted within the last minute."""
        now, wall = time.monotonic(), self._wall()
        recent = await self._store.read(lambda tx: mail.posts_since(tx, wall - mail.MINUTE))
        waiting = await self._store.read(mail.waiting_letters)
        for key, at in recent:
            self._lane(key).posted.append(now - min(max(wall - at, 0.0), mail.MINUTE))
        for key in {letter.lane for letter in waiting if letter.lane < 0 and _posts(letter)}:
            self._lane(key).posted.append(now)  # the first of them may have gone out before the end came
        self.send(waiting)

    def send(self, letters: Iterable[mail.Letter]) -> None:
        """Queue stored letters."""
        for letter in letters:
            lane = self._lane(letter.lane)
            lane.waiting.append(letter)
            lane.wake.set()
            if lane.task is None and not self._closing:
                self._busy += 1
                self._idle.clear()
                lane.task = asyncio.create_task(self._run(lane))

    def tell(self, outgoing: Outgoing) -> None:
        """Send something that could not be stored, once and without promises."""
        if not self._closing:
            task = asyncio.create_task(self._say(outgoing))
            self._told.add(task)
            task.add_done_callback(self._told.discard)

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

    def _lane(self, key: int) -> _Lane:
        if key not in self._lanes:
            if len(self._lanes) % MANY_LANES == MANY_LANES - 1:
                now = time.monotonic()
                self._lanes = {k: lane for k, lane in self._lanes.items() if not lane.over(now)}
            self._lanes[key] = _Lane(key)
        return self._lanes[key]

    async def _run(self, lane: _Lane) -> None:
        try:
            while lane.waiting and not self._closing:
                letter, delay = self._pick(lane)
                if delay > 0:
                    lane.wake.clear()
                    with suppress(TimeoutError):
                        await asyncio.wait_for(lane.wake.wait(), delay)
                    continue
                async with self._gate.turn(_posts(letter)), self._places:
                    if not self._closing:
                        await self._try(lane, letter)
        finally:
            lane.task = None
            self._busy -= 1
            if not self._busy:
                self._idle.set()

    def _pick(self, lane: _Lane) -> tuple[mail.Letter, float]:
        """The first letter whose time has come, or the seconds until one's has."""
        now = time.monotonic()
        best, delay = lane.waiting[0], float("inf")
        posts_wait = False
        for letter in lane.waiting:
            if posts_wait and _posts(letter):
                continue
            ready = self._ready(lane, letter, now)
            if ready <= now:
                return letter, 0.0
            posts_wait |= _posts(letter)
            if ready - now < delay:
                best, delay = letter, ready - now
        return best, delay

    def _ready(self, lane: _Lane, letter: mail.Letter, now: float) -> float:
        """When the letter may go, on the monotonic clock."""
        if _posts(letter):
            room = lane.room_at(self._pace.posts_a_minute, now) if lane.key < 0 else 0.0
            return max(lane.blocked_until, room)
        if letter.body.get("method") == SHOW:
            drawn = lane.redrawn.get(letter.body["round"])
            return max(lane.blocked_until, 0.0 if drawn is None else drawn + self._pace.redraw_gap)
        return lane.blocked_until

    async def _try(self, lane: _Lane, letter: mail.Letter) -> None:
        """Deliver a letter; one that fails for reasons of its own gives way in the end."""
        try:
            await self._deliver(lane, letter)
        except Exception as error:
            failures = lane.failures.get(letter.id, 0) + (not storage_trouble(error))
            lane.blocked_until = time.monotonic() + 1.0
            if failures < TRIES:
                lane.failures[letter.id] = failures
                log.warning("a request stays stored: %s", cause(error), exc_info=error)
                return
            log.exception("a request is set aside: %s", letter.body.get("method"))
            await self._set_aside(lane, [letter], cause(error))

    async def _deliver(self, lane: _Lane, letter: mail.Letter) -> None:
        struck = [letter]
        body: dict[str, Any] | None = letter.body
        if letter.body["method"] == SHOW:
            number = letter.body["round"]
            struck = [w for w in lane.waiting if w.body.get("round") == number and w.body["method"] == SHOW]
            body = await self._render(number)
            lane.redrawn = {number: time.monotonic()}
        if body is None:
            await self._strike(lane, struck)
            return
        posts = body["method"].startswith("send")
        if posts and not _posts(letter):
            letter.body["new"] = True  # the post that it wanted to redraw never arrived: it waits like one
            return
        if posts and lane.key < 0:
            lane.posted.append(time.monotonic())
        try:
            result = await ask(self._bot, body["method"], _parameters(body))
        except TelegramError as error:
            await self._refused(lane, struck, body, error)
        else:
            lane.pause = 1.0
            about = body.get("about", "") if isinstance(result, dict) else ""
            await self._strike(lane, struck, about, result, posted=posts and lane.key < 0)

    async def _strike(
        self,
        lane: _Lane,
        letters: list[mail.Letter],
        about: str = "",
        result: Any = None,
        *,
        posted: bool = False,
    ) -> None:
        """Write down that these arrived, however long that takes: until then they count as not sent."""
        at = self._wall()

        def arrived(tx: Tx) -> None:
            first, *others = letters
            (mail.posted(tx, first, at) if posted else mail.delivered(tx, first))
            for letter in others:
                mail.delivered(tx, letter)
            if about:
                self._receipt(tx, about, result)

        await self._store.insist(arrived)
        self._drop(lane, letters)

    def _drop(self, lane: _Lane, letters: list[mail.Letter]) -> None:
        gone = {letter.id for letter in letters}
        lane.waiting = [letter for letter in lane.waiting if letter.id not in gone]
        for number in gone:
            lane.failures.pop(number, None)

    async def _refused(
        self, lane: _Lane, letters: list[mail.Letter], body: dict[str, Any], error: TelegramError
    ) -> None:
        """Wait, let go or set aside, as the error has it."""
        method = body["method"]
        match error:
            case RetryAfter():
                seconds = error.retry_after
                wait = seconds if isinstance(seconds, int | float) else seconds.total_seconds()
                lane.blocked_until = time.monotonic() + wait + 0.1
            case ChatMigrated():
                await self._forward(lane, letters, error.new_chat_id)
            case BadRequest() if any(sign in error.message.lower() for sign in HARMLESS):
                await self._strike(lane, letters)
            case BadRequest() | Forbidden() | InvalidToken():
                log.warning("%s to %s was refused: %s", method, _place(lane.key), error.message)
                await self._set_aside(lane, letters, error.message)
            case NetworkError() if method.startswith("send") and not _unsent(error):
                log.warning("%s to %s may have arrived, so it is not repeated", method, _place(lane.key))
                await self._set_aside(lane, letters, f"may have arrived: {error.message}")
            case _:
                lane.blocked_until = time.monotonic() + lane.pause
                lane.pause = min(LONGEST_PAUSE, lane.pause * 2)

    async def _forward(self, lane: _Lane, letters: list[mail.Letter], new: int) -> None:
        """The chat is `new` now, and all of it goes there; so do these, but for edits of old messages."""
        now = self._wall()

        def follow(tx: Tx) -> list[mail.Letter]:
            self._moved(tx, lane.key, new)
            for letter in letters:
                mail.delivered(tx, letter)
            posts = (letter.body for letter in letters if letter.body["method"] == SHOW or _posts(letter))
            return [mail.post(tx, new, _readdressed(body, new), now) for body in posts]

        again = await self._store.insist(follow)
        self._drop(lane, letters)
        self.send(again)

    async def _set_aside(self, lane: _Lane, letters: list[mail.Letter], trouble: str) -> None:
        def aside(tx: Tx) -> None:
            for letter in letters:
                mail.undeliverable(tx, letter, trouble)

        await self._store.insist(aside)
        self._drop(lane, letters)

    async def _say(self, outgoing: Outgoing) -> None:
        lane, now = self._lane(outgoing.lane), time.monotonic()
        if lane.key < 0 and max(lane.blocked_until, lane.room_at(self._pace.posts_a_minute, now)) > now:
            return
        lane.posted.append(now)
        with suppress(TelegramError):
            await ask(self._bot, outgoing.body["method"], _parameters(outgoing.body))


def _posts(letter: mail.Letter) -> bool:
    """Whether the letter makes a new message."""
    method = str(letter.body.get("method"))
    return method.startswith("send") or (method == SHOW and bool(letter.body.get("new")))


def _readdressed(body: dict[str, Any], chat_id: int) -> dict[str, Any]:
    if "params" not in body:
        return body
    params = {key: value for key, value in body["params"].items() if key != "reply_parameters"}
    return {**body, "params": {**params, "chat_id": chat_id}}


def _place(key: int) -> str:
    """A lane as a log may name it: a private chat's id is the person's."""
    return "a private chat" if key > 0 else f"chat {key}"


def _unsent(error: NetworkError) -> bool:
    """Whether the request can't have reached Telegram, or Telegram itself said that it came to nothing."""
    unwritten = (
        httpx.ConnectError,
        httpx.ConnectTimeout,
        httpx.PoolTimeout,
        httpx.WriteError,
        httpx.WriteTimeout,
    )
    if isinstance(error.__cause__, unwritten):
        return True
    signs = ("Bad Gateway", "Internal Server Error", "Service Unavailable", "(500)", "(503)", "Pool timeout")
    return any(sign in error.message for sign in signs)


def _parameters(body: dict[str, Any]) -> dict[str, Any]:
    """What goes into the request: a document's text travels as a file."""
    parameters = dict(body["params"])
    document = parameters.get("document")
    if isinstance(document, dict):
        parameters["document"] = InputFile(document["text"].encode(), filename=document["name"])
    return parameters
