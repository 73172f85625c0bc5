"""Joining the bots on a database, which takes a moment where some are just going."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from secrets import token_hex

from bot.database import Postgresql, StoreError, describe_outdated_tables
from bot.queue.replicas import queries
from bot.queue.replicas.alike import SharedSettings

join_log = logging.getLogger(__name__)

# Seconds to wait for bots to go beside which this one can't run: a lease, or as long as a stop may take.
JOIN_TIMEOUT = 8.0
JOIN_INTERVAL = 0.25  # Seconds until it is tried again


async def join_replicas(
    server: Postgresql, mine: SharedSettings, lease: float, since_boot: Callable[[], float], *, rejoining: bool
) -> tuple[str, float]:
    """Be there for `lease` seconds; returns the name that it has there, and when that began by the clock
    since boot. `again`: it was there, and was taken for dead. Raises StoreError where bots stay beside which
    it can't run.
    """
    until, told = since_boot() + JOIN_TIMEOUT, False
    while True:
        name, began, tag = token_hex(8), since_boot(), server.application_name
        why = await server.run_beside_writer(lambda tx: queries.insert_replica(tx, name, mine, tag, lease, rejoining=rejoining))  # noqa: B023 - at once
        if not why:
            return name, began
        if began > until:
            raise StoreError(why)
        if not told:
            join_log.warning("%s (waiting %.0f s for them to go)", why, JOIN_TIMEOUT)
        told = True
        await asyncio.sleep(JOIN_INTERVAL)


async def describe_old_schema(server: Postgresql) -> str:
    """That the tables are an older version's, in one line; empty where they are not, or it does not say."""
    with suppress(Exception):
        return await server.run_beside_writer(describe_outdated_tables)
    return ""
