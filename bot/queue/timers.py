"""Runs tasks again and again, each at its own interval."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any

from bot import logs
from bot.database import Store, Tx, describe_error, is_database_failure
from bot.durations import HOUR, MINUTE
from bot.queue import queries
from bot.queue.inbox import Inbox
from bot.queue.outgoing import Outgoing
from bot.queue.queries import LaneLostError

log = logging.getLogger(__name__)

CHECK_INTERVAL = 1.0  # Seconds between checks for tasks that are due
RETRY_PAUSE = MINUTE  # Until a task that failed is run again, unless its interval is shorter


@dataclass(frozen=True, slots=True)
class TimerContext:
    """The parts of the bot that timed tasks may use."""

    store: Store
    # Runs an effect and sends the requests that it returns
    run_effect: Callable[[Callable[[Tx], list[Outgoing]]], Awaitable[None]]
    inbox: Inbox
    username: str = ""  # The bot's own
    secret: str = ""  # Known only to this bot, to sign with
    keep_seconds: float = 0.0  # For which rounds that are over are kept; 0: for ever
    progress: dict[str, Any] = field(default_factory=dict)  # Of tasks that do their work in several runs


@dataclass(frozen=True, slots=True)
class TimedTask:
    name: str  # For the log
    interval: float  # Seconds between two runs; 0: at each check
    # Gets the time by Telegram's clock. Returns False if more is left to do: then it runs at the next check.
    run: Callable[[TimerContext, float], Awaitable[object]]


class Timers:
    """Runs the tasks that are due, in their order. None is run unless `is_clock_right`."""

    def __init__(
        self,
        tasks: Iterable[TimedTask],
        context: TimerContext,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        is_clock_right: Callable[[], bool] = lambda: True,
    ) -> None:
        self._tasks = list(tasks)
        self._context = context
        self._clock = clock
        self._is_clock_right = is_clock_right
        self._sleep = sleep
        # By name: the span in which a task is not due, unless the clock was set back before its beginning
        self._rests: dict[str, tuple[float, float]] = {}

    async def run(self) -> None:
        """Run the tasks that are due, again and again, until cancelled."""
        while True:
            await self.run_due()
            await self._sleep(CHECK_INTERVAL)

    async def run_due(self) -> None:
        """Run the tasks that are due now, one after the other; none while the clock is wrong."""
        now = self._clock()
        if not self._is_clock_right():
            return
        for task in self._tasks:
            rest_begin, rest_end = self._rests.get(task.name, (now, now))  # no rest before its first run
            if not rest_begin <= now < rest_end:  # before it began: the clock was set back
                await self._run_task(task, now)

    async def _run_task(self, task: TimedTask, now: float) -> None:
        """Run a task, and let it rest for its interval; less if more is left to do, or if it fails."""
        rest = task.interval
        try:
            logs.current_trace.set(f"t{token_hex(4)}")
            if await task.run(self._context, now) is False:
                rest = 0.0
        except LaneLostError:
            log.info("%s is now handled by another bot", task.name)
        except Exception as error:  # noqa: BLE001 - what one task gets wrong must not end the others
            rest = min(task.interval, RETRY_PAUSE)
            if is_database_failure(error):
                log.warning("%s must wait for the database: %s", task.name, describe_error(error))
            else:
                logs.log_unexpected_error(log, f"the timer for {task.name} failed", error)
        self._rests[task.name] = now, now + rest


def make_hourly_cleanup(name: str, delete_expired: Callable[[Tx, float], bool | None]) -> TimedTask:
    """Make a task that deletes expired rows every hour, or sooner if there are more."""

    async def run(context: TimerContext, now: float) -> bool:
        has_more = await context.store.write(lambda tx: delete_expired(tx, now))
        return not has_more  # False: it runs again at the next check

    return TimedTask(name, HOUR, run)


async def _clean_up_queues(context: TimerContext, now: float) -> bool:
    """Delete a batch of expired rows. If there may be more return False, else truncate the database's log."""
    if await context.store.write(lambda tx: queries.delete_expired_rows(tx, now)):
        return False
    await context.store.truncate_wal()
    return True


QUEUE_CLEANUP = TimedTask("updates and requests that are over", HOUR, _clean_up_queues)
