"""Connections to PostgreSQL that last, and how any of them ends."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.database.tx import T, Work

LONGEST_ROLLBACK = 5.0
"""Seconds that a rollback may take, or the end of a connection."""
SOON_GONE = text(
    "SELECT set_config('tcp_keepalives_idle', '20', false),"
    " set_config('tcp_keepalives_interval', '5', false),"
    " set_config('tcp_keepalives_count', '3', false)"
)
"""Within a minute the server notices that the machine at the other end is gone, and ends its lock."""


class Watch:
    """A connection that lasts, for what is asked again and again, and for hints that others give."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    @classmethod
    async def on(cls, connection: AsyncConnection) -> "Watch":
        """Over this connection, on which nobody begins a transaction from now on."""
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        await connection.execute(SOON_GONE)
        return cls(connection)

    async def run(self, work: Work[T]) -> T:
        """Run `work`, each statement of it by itself."""
        return await self._connection.run_sync(work)

    async def listen(self, channel: str, heard: Callable[[], None]) -> None:
        """Call `heard` whenever somebody notifies the channel; a pooler in between may swallow that."""
        await self.hear(channel, lambda _: heard())

    async def hear(self, channel: str, heard: Callable[[str], None]) -> None:
        """As `listen`, with what the hint says."""
        await (await self.driver()).add_listener(channel, lambda *told: heard(str(told[-1])))

    async def driver(self) -> Any:
        """The driver's own connection."""
        return (await self._connection.get_raw_connection()).driver_connection

    async def close(self) -> None:
        """End it, whatever state it is in."""
        await drop(self._connection)


async def drop(connection: AsyncConnection) -> None:
    """Close a connection, whatever state it is in, and with it what it holds on the server."""
    for end in (connection.invalidate, connection.close):
        with contextlib.suppress(Exception):
            async with asyncio.timeout(LONGEST_ROLLBACK):
                await end()
