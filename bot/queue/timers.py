"""Timed work: pieces that are done again and again, each at its own pace, whatever they are."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from bot import logs, trace
from bot.database import Store, Tx, describe_error, is_database_failure
from bot.durations import HOUR
from bot.queue import queries
from bot.queue.inbox import Inbox
from bot.queue.leases import LaneLostError
from bot.telegram.messages import Request

log = logging.getLogger(__name__)

CHECK_INTERVAL = 1.0  # Seconds between two looks at what is due
AGAIN = 60.0  # Seconds after which a piece that failed is tried again, if its own period is not over sooner


@dataclass(frozen=True, slots=True)
class TimerContext:
    """What timed work may call on."""

    store: Store
    # Runs an effect and sends the requests that it caused.
    run_effect: Callable[[Callable[[Tx], list[Request]]], Awaitable[None]]
    inbox: Inbox
    username: str = ""  # The bot's own
    secret: str = ""  # What only this bot knows, to sign with
    keep_seconds: float = 0.0  # Seconds for which rounds that are over are kept; 0: for ever
    # How far pieces have come that go on with the next look.
    progress: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TimedTask:
    """One piece of timed work."""

    name: str  # For the log
    interval: float  # Seconds from one time to the next; 0 for each look
    # Does it, at a time by Telegram's clock. Returns False where that does not count, since there was nothing
    # to do or more is left: the next look asks again.
    run: Callable[[TimerContext, float], Awaitable[object]]


class Timers:
    """Does the work whenever it is due by `clock`, in its order, for as long as `run` is not cancelled.

    Nothing is done while `agrees` says no, that is, while this machine's clock is wrong or nobody knows.
    """

    def __init__(
        self,
        work: Iterable[TimedTask],
        running: TimerContext,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        agrees: Callable[[], bool] = lambda: True,
    ) -> None:
        self._work = list(work)
        self._running = running
        self._clock = clock
        self._agrees = agrees
        self._sleep = sleep
        self._rests: dict[str, tuple[float, float]] = {}
        """By name: from when to when a piece is not due. A clock that is set back leaves this span."""

    async def run(self) -> None:
        """Look again and again."""
        while True:
            await self.run_due()
            await self._sleep(CHECK_INTERVAL)

    async def run_due(self) -> None:
        """Do all that is due by now; what fails of it leaves the rest alone."""
        now = self._clock()
        if not self._agrees():
            return
        for work in self._work:
            begin, end = self._rests.get(work.name, (now, now))
            if not begin <= now < end:
                await self._do(work, now)

    async def _do(self, work: TimedTask, now: float) -> None:
        rest = work.interval
        try:
            with trace.use_trace(trace.make_work_trace()):
                if await work.run(self._running, now) is False:
                    rest = 0.0
        except LaneLostError:
            log.info("%s is another bot's by now", work.name)
        except Exception as error:  # noqa: BLE001 - what one piece gets wrong must not end the others
            rest = min(work.interval, AGAIN)
            if is_database_failure(error):
                log.warning("%s must wait for the database: %s", work.name, describe_error(error))
            else:
                logs.log_unexpected_error(log, f"the timer for {work.name} failed", error)
        self._rests[work.name] = now, now + rest


def make_hourly_cleanup(name: str, sweep: Callable[[Tx, float], bool | None]) -> TimedTask:
    """Timed work that lets go, every hour, of what is over; sooner where it says that there is more."""

    async def do(running: TimerContext, now: float) -> bool:
        return not await running.store.write(lambda tx: sweep(tx, now))

    return TimedTask(name, HOUR, do)


async def _forget(running: TimerContext, now: float) -> bool:
    if await running.store.write(lambda tx: queries.delete_expired_rows(tx, now)):
        return False
    await running.store.truncate_wal()
    return True


QUEUE_CLEANUP = TimedTask("updates and requests that are over", HOUR, _forget)
