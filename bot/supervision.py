"""What runs for as long as the bot does: all parts in one group, each started anew if it fails."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, TypeVar

from bot import logs

log = logging.getLogger(__name__)

T = TypeVar("T")
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Seconds before a part that failed is started anew; each failure doubles them, until it has run for as long
as the longest of them.
"""


class EndedError(Exception):
    """A part of the bot ended by itself; the message is one line."""


def asked_to_stop() -> bool:
    """Whether somebody cancelled this task; else what it waited for was cancelled, which is its failure."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


Part = Callable[[], Awaitable[None]]
Ends = tuple[type[Exception], ...]
"""Errors that end a part for good. After any other it is started anew."""


async def together(
    parts: Mapping[str, Part], once: Mapping[str, Part], stop: asyncio.Event, ends: Ends
) -> None:
    """Run all parts side by side until `stop` is set, and beside them what is to be done once.

    Raises what ends a part for good, or EndedError when one returns; then all others are cancelled.
    """
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_lasting(name, part, ends), name=name) for name, part in parts.items()]
            tasks += [group.create_task(kept_up(name, part), name=name) for name, part in once.items()]
            await stop.wait()
            for task in tasks:
                task.cancel()
    except BaseExceptionGroup as ended:
        if not stop.is_set():
            raise ended.exceptions[0] from None


async def _lasting(name: str, part: Part, ends: Ends) -> None:
    await kept_up(name, part, ends)
    raise EndedError(f"{name} ended by itself")


async def kept_up(name: str, work: Part, ends: Ends = ()) -> None:
    """Run `work` until it returns or raises one of `ends`; after anything else, say so and run it again."""
    pause, now = FIRST_PAUSE, asyncio.get_running_loop().time
    while True:
        began = now()
        try:
            return await work()
        except ends:
            raise
        except (Exception, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError) and asked_to_stop():
                raise
            logs.unforeseen(log, f"{name} failed and starts anew", error)
        pause = FIRST_PAUSE if now() - began > LONGEST_PAUSE else pause
        await asyncio.sleep(pause)
        pause = min(LONGEST_PAUSE, pause * 2)


async def unless(stop: asyncio.Event, work: Coroutine[Any, Any, T]) -> T | None:
    """What `work` returns, or None once `stop` is set."""
    task, stopped = asyncio.create_task(work), asyncio.create_task(stop.wait())
    await asyncio.wait([task, stopped], return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if not task.done():
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return None
    return task.result()


def lost_task(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What the event loop does with an error that nobody waits for: one line."""
    error = context.get("exception")
    if isinstance(error, BaseException):
        logs.unforeseen(log, str(context.get("message", "a task failed")), error)
    else:
        log.error("%s", context.get("message", "something went wrong in the event loop"))
