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
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
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

from bot.store import Store, Tx, mail
from bot.store.mail import SHOW
from bot.wire import ask

log = logging.getLogger(__name__)

PARALLEL = 30
"""Requests under way at once; httpx slows down above that."""
PATIENT_TRIES = 12

Render = Callable[[int], Awaitable[dict[str, Any] | None]]
Receipt = Callable[[Tx, str, dict[str, Any]], None]
Moved = Callable[[int, int], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a chat may be written to."""

    posts_a_minute: int = 20
    """New messages in a group within any minute: Telegram's own limit."""
    redraw_gap: float = 1.0
    """Seconds between two edits of one message."""


@dataclass(slots=True)
class _Lane:
    waiting: list[mail.Letter] = field(default_factory=list)
    posted: deque[float] = field(default_factory=deque)
    """When the last posts went out, on the monotonic clock."""
    redrawn: dict[int, float] = field(default_factory=dict)
    blocked_until: float = 0.0
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None


class Outbox:
    """Delivers letters through `bot`. `render` draws a round; `receipt` stores what came back of a post."""

    def __init__(
        self, store: Store, bot: Bot, render: Render, receipt: Receipt, moved: Moved, pace: Pace
    ) -> None:
        self._pace = pace
        self._store = store
        self._bot = bot
        self._render = render
        self._receipt = receipt
        self._moved = moved
        self._lanes: dict[int, _Lane] = {}
        self._places = asyncio.Semaphore(PARALLEL)
        self._closing = False
        self._idle = asyncio.Event()
        self._idle.set()

    async def resume(self) -> None:
        """Take up what a former run did not see arrive."""
        self.send(await self._store.read(mail.waiting_letters))

    def send(self, letters: Iterable[mail.Letter]) -> None:
        """Queue stored letters."""
        for letter in letters:
            lane = self._lanes.setdefault(letter.lane, _Lane())
            lane.waiting.append(letter)
            lane.wake.set()
            self._idle.clear()
            if lane.task is None and not self._closing:
                lane.task = asyncio.create_task(self._run(letter.lane, lane))

    async def idle(self) -> None:
        """Wait until nothing is left to deliver."""
        await self._idle.wait()

    async def close(self, patience: float = 3.0) -> None:
        """Finish the requests under way; the rest stays stored for the next start."""
        self._closing = True
        tasks = [lane.task for lane in self._lanes.values() if lane.task]
        for lane in self._lanes.values():
            lane.wake.set()
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=patience)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _run(self, key: int, lane: _Lane) -> None:
        while lane.waiting and not self._closing:
            letter, delay = self._pick(key, lane)
            if delay > 0:
                lane.wake.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(lane.wake.wait(), delay)
                continue
            async with self._places:
                if self._closing:
                    break
                try:
                    await self._deliver(key, lane, letter)
                except Exception:
                    log.exception("a request stays stored: %s", letter.body.get("method"))
                    lane.blocked_until = time.monotonic() + 1.0
        lane.task = None
        if not lane.waiting and time.monotonic() - max(lane.posted, default=0.0) > 60:
            self._lanes.pop(key, None)
        if not any(other.waiting for other in self._lanes.values()):
            self._idle.set()

    def _pick(self, key: int, lane: _Lane) -> tuple[mail.Letter, float]:
        """The first letter whose time has come, or the seconds until one's has."""
        now = time.monotonic()
        best, delay = lane.waiting[0], float("inf")
        posts_wait = False
        for letter in lane.waiting:
            if posts_wait and _posts(letter):
                continue
            ready = self._ready(key, lane, letter, now)
            if ready <= now:
                return letter, 0.0
            posts_wait |= _posts(letter)
            if ready - now < delay:
                best, delay = letter, ready - now
        return best, delay

    def _ready(self, key: int, lane: _Lane, letter: mail.Letter, now: float) -> float:
        if letter.body["method"] == SHOW and not _posts(letter):
            return max(
                lane.blocked_until, lane.redrawn.get(letter.body["round"], 0.0) + self._pace.redraw_gap
            )
        if not _posts(letter) or key > 0:
            return lane.blocked_until
        most = self._pace.posts_a_minute
        while lane.posted and now - lane.posted[0] >= 60.0:
            lane.posted.popleft()
        room = lane.posted[-most] + 60.0 if len(lane.posted) >= most else 0.0
        return max(lane.blocked_until, room)

    async def _deliver(self, key: int, lane: _Lane, letter: mail.Letter) -> None:
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
        if body["method"].startswith("send"):
            lane.posted.append(time.monotonic())
        try:
            result = await ask(self._bot, body["method"], _parameters(body))
        except TelegramError as error:
            await self._refused(key, lane, struck, body, error)
        else:
            await self._strike(
                lane, struck, body.get("about", ""), result if isinstance(result, dict) else {}
            )

    async def _strike(
        self, lane: _Lane, letters: list[mail.Letter], about: str = "", result: dict[str, Any] | None = None
    ) -> None:
        def arrived(tx: Tx) -> None:
            for letter in letters:
                mail.delivered(tx, letter)
            if about and result:
                self._receipt(tx, about, result)

        await self._store.write(arrived)
        self._drop(lane, letters)

    def _drop(self, lane: _Lane, letters: list[mail.Letter]) -> None:
        gone = {letter.id for letter in letters}
        lane.waiting = [letter for letter in lane.waiting if letter.id not in gone]

    async def _refused(
        self, key: int, lane: _Lane, letters: list[mail.Letter], body: dict[str, Any], error: TelegramError
    ) -> None:
        """Wait, let go or set aside, as the error has it."""
        match error:
            case RetryAfter():
                seconds = error.retry_after
                wait = seconds if isinstance(seconds, (int, float)) else seconds.total_seconds()
                lane.blocked_until = time.monotonic() + wait + 0.1
            case ChatMigrated():
                await self._moved(key, error.new_chat_id)
                await self._strike(lane, letters)
                again = [
                    {**w.body, "params": {**w.body.get("params", {}), "chat_id": error.new_chat_id}}
                    for w in letters
                ]
                self.send(
                    await self._store.write(
                        lambda tx: [mail.post(tx, error.new_chat_id, b, time.time()) for b in again]
                    )
                )
            case BadRequest() if "not modified" in error.message.lower():
                await self._strike(lane, letters)
            case BadRequest() | Forbidden() | InvalidToken():
                log.warning("%s to chat %s was refused: %s", body["method"], key, error.message)
                await self._set_aside(lane, letters, error.message)
            case NetworkError() if body["method"].startswith("send") and not _unsent(error):
                log.warning(
                    "%s to chat %s may have arrived; it is not repeated: %s",
                    body["method"],
                    key,
                    error.message,
                )
                await self._set_aside(lane, letters, f"may have arrived: {error.message}")
            case _:
                lane.blocked_until = time.monotonic() + 1.0

    async def _set_aside(self, lane: _Lane, letters: list[mail.Letter], trouble: str) -> None:
        def aside(tx: Tx) -> None:
            for letter in letters:
                mail.undeliverable(tx, letter, trouble)

        await self._store.write(aside)
        self._drop(lane, letters)


def _posts(letter: mail.Letter) -> bool:
    """Whether the letter makes a new message."""
    method = str(letter.body["method"])
    return method.startswith("send") or (method == SHOW and bool(letter.body.get("new")))


def _unsent(error: NetworkError) -> bool:
    """Whether the request can't have reached Telegram."""
    cause = error.__cause__
    if isinstance(cause, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)):
        return True
    return any(
        sign in error.message for sign in ("Bad Gateway", "ConnectError", "Pool timeout", "502", "503")
    )


def _parameters(body: dict[str, Any]) -> dict[str, Any]:
    """What goes into the request: a document's text travels as a file."""
    parameters = dict(body["params"])
    document = parameters.get("document")
    if isinstance(document, dict):
        parameters["document"] = InputFile(document["text"].encode(), filename=document["name"])
    return parameters
