"""What runs for as long as the bot does: one that fails for a reason nobody foresaw is started anew."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from bot import logs

log = logging.getLogger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Seconds before a failed task is started anew; each failure doubles them."""


async def kept_up(
    name: str, work: Callable[[], Awaitable[None]], ends: tuple[type[Exception], ...] = ()
) -> None:
    """Run `work` until it returns or raises one of `ends`; after anything else, say so and run it again."""
    pause = FIRST_PAUSE
    while True:
        try:
            return await work()
        except ends:
            raise
        except Exception as error:  # noqa: BLE001 - what one task gets wrong must not end the others
            logs.unforeseen(log, f"{name} failed and starts anew", error)
        await asyncio.sleep(pause)
        pause = min(LONGEST_PAUSE, pause * 2)


def lost_task(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What the event loop does with an error that nobody waits for: one line."""
    error = context.get("exception")
    if isinstance(error, BaseException):
        logs.unforeseen(log, str(context.get("message", "a task failed")), error)
    else:
        log.error("%s", context.get("message", "something went wrong in the event loop"))
