"""Run the parts of the bot together, each restarted if it fails, until the bot is told to stop."""

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, TypeVar

from bot import logs

log = logging.getLogger(__name__)

T = TypeVar("T")


class PartEndedError(Exception):
    """A part of the bot returned; the message is one line."""


def raise_if_cancelled(error: BaseException) -> None:
    """Raise a CancelledError again if this task is cancelled, and not merely what it waited for."""
    task = asyncio.current_task()
    is_task_cancelled = task is None or task.cancelling() > 0
    if is_task_cancelled and isinstance(error, asyncio.CancelledError):
        raise error


Part = Callable[[], Awaitable[None]]
FatalErrors = tuple[type[Exception], ...]  # errors that end the bot; after any other a part is restarted


async def run_parts(
    parts: Mapping[str, Part], once: Mapping[str, Part], stop: asyncio.Event, fatal_errors: FatalErrors
) -> None:
    """Run all `parts` together until `stop` is set, and beside them those in `once`, which may end.

    A part that fails is restarted. Raises the first fatal error, or PartEndedError when one of `parts`
    returns; all others are cancelled. After `stop` is set, nothing is raised.
    """

    async def run_without_end(name: str, part: Part) -> None:
        await keep_running(name, part, fatal_errors)
        raise PartEndedError(f"{name} ended by itself")

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(run_without_end(name, part)) for name, part in parts.items()]
            tasks += [group.create_task(keep_running(name, part)) for name, part in once.items()]
            await stop.wait()
            for task in tasks:
                task.cancel()
    except BaseExceptionGroup as failures:
        if not stop.is_set():
            raise failures.exceptions[0] from None


# Seconds before a failed part is restarted; each failure doubles them, until it has run for longer than that.
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0


async def keep_running(name: str, part: Part, fatal_errors: FatalErrors = ()) -> None:
    """Run a part until it returns or raises a fatal error; log any other error, pause, and run it again."""
    clock = asyncio.get_running_loop().time
    pause = FIRST_PAUSE
    while True:
        began = clock()
        try:
            return await part()
        except fatal_errors:
            raise
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001
            raise_if_cancelled(error)
            logs.log_unexpected_error(log, f"{name} failed and starts anew", error)
        if clock() - began > LONGEST_PAUSE:  # it ran well for a while
            pause = FIRST_PAUSE
        await asyncio.sleep(pause)
        pause = min(LONGEST_PAUSE, pause * 2)


async def run_unless_stopped(stop: asyncio.Event, work: Coroutine[Any, Any, T]) -> T | None:
    """Return the result of `work`; cancel it and return None once `stop` is set."""
    task = asyncio.create_task(work)
    stopped = asyncio.create_task(stop.wait())
    await asyncio.wait([task, stopped], return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if not task.done():
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return None
    return task.result()


def log_lost_task(_: asyncio.AbstractEventLoop, context: Mapping[str, object]) -> None:
    """Log an error in a task that nobody awaits: the exception handler of the event loop."""
    error = context.get("exception")
    if isinstance(error, BaseException):
        logs.log_unexpected_error(log, str(context.get("message", "a task failed")), error)
    else:
        log.error("%s", context.get("message", "something went wrong in the event loop"))


class StopSignal:
    """An event that SIGTERM and SIGINT set. Needs a running event loop."""

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._first_signal: tuple[str, float] | None = None  # its name and time
        for number in (signal.SIGTERM, signal.SIGINT):
            self._loop.add_signal_handler(number, self._handle_signal, number)

    def _handle_signal(self, received: signal.Signals) -> None:
        """Set the event, and end the process if stopping takes longer than `LONGEST_STOP`."""
        if self._first_signal is None:
            self._first_signal = received.name, self._loop.time()
        self.event.set()
        schedule_forced_exit(0)

    def log_stop(self) -> None:
        """Log which signal stopped the bot, and how long stopping took; nothing if there was none."""
        if self._first_signal is not None:
            name, at = self._first_signal
            log.info("stopped by %s, in order and in %.1f s", name, self._loop.time() - at)


def schedule_failure_exit(stop: asyncio.Event) -> None:
    """Exit with code 1 after `LONGEST_STOP`, unless `stop` is set: then a signal has scheduled the exit."""
    if not stop.is_set():
        schedule_forced_exit(1)


LONGEST_STOP = 7.0  # seconds after which stopping no longer waits for anything


def schedule_forced_exit(code: int) -> None:
    """Exit with `code` after `LONGEST_STOP`, whatever hangs: everything that counts is stored."""
    timer = threading.Timer(LONGEST_STOP, os._exit, [code])
    timer.daemon = True
    timer.start()
