"""Joining the bots on a database, which takes a moment where some are just going."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from secrets import token_hex

from bot.database import Postgresql, StoreError, behind
from bot.queue.replicas import queries
from bot.queue.replicas.alike import Alike

log = logging.getLogger(__name__)

# Seconds to wait for bots to go beside which this one can't run: a lease, or as long as a stop may take.
PATIENCE = 8.0
AGAIN = 0.25  # Seconds until it is tried again


async def joined(
    server: Postgresql, mine: Alike, lease: float, since_boot: Callable[[], float], *, again: bool
) -> tuple[str, float]:
    """Be there for `lease` seconds; returns the name that it has there, and when that began by the clock
    since boot. `again`: it was there, and was taken for dead. Raises StoreError where bots stay beside which
    it can't run.
    """
    until, told = since_boot() + PATIENCE, False
    while True:
        name, began, tag = token_hex(8), since_boot(), server.tag
        why = await server.aside(lambda tx: queries.join(tx, name, mine, tag, lease, again=again))  # noqa: B023 - at once
        if not why:
            return name, began
        if began > until:
            raise StoreError(why)
        if not told:
            log.warning("%s (waiting %.0f s for them to go)", why, PATIENCE)
        told = True
        await asyncio.sleep(AGAIN)


async def older(server: Postgresql) -> str:
    """That the tables are an older version's, in one line; empty where they are not, or it does not say."""
    with suppress(Exception):
        return await server.aside(behind)
    return ""
