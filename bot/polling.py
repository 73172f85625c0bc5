"""Long polling that loses nothing: the offset moves on only after the inbox has committed the batch.

The library's own updater acknowledges updates before they are handled, stops at one that it can't parse,
and can end without a word; this loop is short enough to see that it does neither. Whatever goes wrong is
waited out, a little longer each time; it ends only with an error, and then so does the process.

Two bots on one token: Telegram lets the request that came last win and tells the other of a conflict.
The older bot asks again, so the newcomer meets a conflict within its first moments, and by its second one
it knows that it is not alone, and ends.
"""

import asyncio
import logging
import time
from dataclasses import dataclass
from typing import Any

from telegram import Bot
from telegram.error import Conflict, InvalidToken, RetryAfter, TimedOut

from bot.inbox import LARGEST, Inbox, InboxFullError
from bot.store import cause, storage_trouble
from bot.wire import ask

log = logging.getLogger(__name__)

WAIT = 25
"""Seconds for which Telegram may hold a request open when there is nothing new."""
STALLED = 50.0
"""Seconds without any answer after which the connection counts as dead."""
STUCK = 120.0
"""Seconds that one fetch and its commit may take before the process had better start anew."""
NEWCOMER = 0.9
"""A first conflict within so many seconds of the first request means that the other bot was here before."""
ALONE = 30.0
"""Seconds after which a single conflict is forgotten: the connection of a former run had lingered."""
FIRST_PAUSE, LONGEST_PAUSE, LONGEST_WAIT = 0.5, 15.0, 60.0
CONFLICT_PAUSE, NEWCOMERS_PAUSE = 0.5, 0.3


class PollingError(Exception):
    """Polling can't go on; the message is one line."""


async def poll(bot: Bot, inbox: Inbox, allowed: tuple[str, ...]) -> None:
    """Fetch updates for as long as it is not cancelled. Raises PollingError when that makes no sense."""
    poller = _Poller(bot, inbox, allowed, time.monotonic())
    while True:
        step = asyncio.create_task(poller.step())
        try:
            done, _ = await asyncio.wait([step], timeout=STUCK)
        finally:
            step.cancel()
        if not done:
            raise PollingError("polling stands still: the database or the network does not answer")
        await asyncio.sleep(step.result())


@dataclass(slots=True)
class _Poller:
    bot: Bot
    inbox: Inbox
    allowed: tuple[str, ...]
    started: float
    """When, on the monotonic clock."""
    offset: int | None = None
    conflicts: int = 0
    last_conflict: float = 0.0
    newcomer: bool = False
    pause: float = FIRST_PAUSE

    async def step(self) -> float:
        """Fetch and keep one batch; returns the seconds to wait before the next."""
        try:
            updates = await self._fetch()
        except RetryAfter as error:
            seconds = error.retry_after
            return min(LONGEST_WAIT, seconds if isinstance(seconds, int | float) else seconds.total_seconds())
        except Conflict as error:
            return self._conflict(error.message)
        except InvalidToken:
            raise PollingError("Telegram refuses BOT_TOKEN") from None
        except Exception as error:  # noqa: BLE001 - garbage can fail in any way; none may end the polling
            if not isinstance(error, TimedOut):
                log.warning("updates can't be fetched, trying again: %s", type(error).__name__)
            return self._longer()
        return await self._keep(updates)

    async def _fetch(self) -> list[Any]:
        """One batch, as raw JSON objects: an update that the library can't parse is the inbox's business."""
        asked: dict[str, Any] = {"timeout": WAIT, "allowed_updates": list(self.allowed)}
        if self.offset is not None:
            asked["offset"] = self.offset
        async with asyncio.timeout(STALLED):
            result = await ask(self.bot, "getUpdates", asked, read_timeout=WAIT + 10)
        if not isinstance(result, list):
            raise TypeError("getUpdates did not return a list")
        return result

    async def _keep(self, updates: list[Any]) -> float:
        try:
            await self.inbox.accept(updates)
        except InboxFullError:
            return 0.2
        except Exception as error:
            if not storage_trouble(error):
                raise
            log.warning("updates can't be stored, trying again: %s", cause(error))
            return min(2.0, self._longer())
        before = self.offset
        usable = [number for update in updates if (number := _number(update)) is not None]
        self.offset = max(usable) + 1 if usable else before
        if updates and self.offset == before:
            return self._longer()  # nothing in it moves the offset on: it will come again
        self.pause = FIRST_PAUSE
        return 0.0

    def _conflict(self, message: str) -> float:
        now = time.monotonic()
        if now - self.last_conflict > ALONE:
            self.conflicts = 0
        self.conflicts += 1
        self.last_conflict = now
        self.newcomer |= self.conflicts == 1 and now - self.started < NEWCOMER
        if self.conflicts >= 2 and "webhook" in message.lower():
            raise PollingError("a webhook was set for this token: another bot uses it")
        if self.conflicts >= 2 and self.newcomer:
            raise PollingError("another bot already polls with this token")
        log.warning("Telegram reports a conflict: %s", message)
        if self.newcomer:
            return NEWCOMERS_PAUSE
        return CONFLICT_PAUSE if self.conflicts <= 3 else self._longer()

    def _longer(self) -> float:
        pause, self.pause = self.pause, min(LONGEST_PAUSE, self.pause * 2)
        return pause


def _number(update: Any) -> int | None:
    number = update.get("update_id") if isinstance(update, dict) else None
    return number if type(number) is int and 0 <= number <= LARGEST else None
