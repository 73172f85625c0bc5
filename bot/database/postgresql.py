"""PostgreSQL for the store: one connection writes, one transaction at a time; reads take others of a pool."""

import asyncio
import contextlib
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from bot.database.errors import ClaimedError
from bot.database.tx import T, Work

INSTANCE = 0x24_24_24
"""The advisory lock that says that a bot runs on this database; it ends with the connection."""
LONGEST_STATEMENT = 30.0
"""Seconds after which a statement counts as lost with its connection."""
LONGEST_ROLLBACK = 5.0
"""Seconds that a rollback may take."""
CLAIMS, BETWEEN_CLAIMS = 10, 0.3
"""How often a lock that is held is asked for, and the seconds between: a killed bot holds it a moment."""
SOON_GONE = text(
    "SELECT set_config('tcp_keepalives_idle', '20', false),"
    " set_config('tcp_keepalives_interval', '5', false),"
    " set_config('tcp_keepalives_count', '3', false)"
)
"""Within a minute the server notices that the machine at the other end is gone, and ends its lock."""
OWN_PROCESS = text("SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()")
END_FORMER = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = :pid AND backend_start = :began"
)


class Postgresql:
    """An open database on a server."""

    dialect = "postgresql"

    def __init__(self, url: URL, *, alone: bool) -> None:
        arguments = {"command_timeout": LONGEST_STATEMENT, "timeout": 10}
        self._engine = create_async_engine(
            url, pool_size=6, pool_pre_ping=True, connect_args=arguments, hide_parameters=True
        )
        self._alone = alone
        self._writer: AsyncConnection | None = None
        self._former: tuple[int, datetime] | None = None
        """The server's process behind the writer and when it began: it may outlive a lost connection."""
        self.taken = asyncio.Event()
        """Set once another bot holds the lock, which can only be after a connection was lost."""
        self._turn = asyncio.Lock()

    async def open(self) -> None:
        """Nothing: the first transaction connects."""

    def write(self, work: Work[T]) -> "asyncio.Future[T]":
        """Run `work` in a transaction when its turn comes; done once it is durable."""
        return asyncio.ensure_future(self._write(work))

    async def read(self, look: Work[T]) -> T:
        """Run `look` beside the writer."""
        async with self._engine.connect() as connection:
            return await connection.run_sync(look)

    def is_there(self) -> bool:
        """Where a server keeps its files is its own affair."""
        return True

    async def scrub(self) -> None:
        """Nothing: the server overwrites what was deleted in time."""

    settle = scrub

    async def close(self) -> None:
        """Wait for the running transaction, then disconnect."""
        async with self._turn:
            await self._discard()
            await self._engine.dispose()

    async def _write(self, work: Work[T]) -> T:
        async with self._turn:
            writer = await self._connected()
            try:
                result = await writer.run_sync(work)
                await writer.commit()
            except BaseException as error:
                await self._roll_back(writer, error)
                raise
            return result

    async def _roll_back(self, writer: AsyncConnection, error: BaseException) -> None:
        lost = isinstance(error, DBAPIError) and error.connection_invalidated
        try:
            async with asyncio.timeout(LONGEST_ROLLBACK):
                await writer.rollback()
        except Exception:  # noqa: BLE001 - the first error is the one that is told
            lost = True
        if lost or writer.invalidated:
            await self._discard()

    async def _connected(self) -> AsyncConnection:
        if self._writer is None:
            writer = await self._engine.connect()
            try:
                if self._alone:
                    await self._claim(writer)
            except BaseException:
                await _drop(writer)
                raise
            self._writer = writer
        return self._writer

    async def _claim(self, writer: AsyncConnection) -> None:
        """Take the lock that says that this bot runs here. Raises ClaimedError when another bot has it.

        A lost connection may still live on the server's side and hold the lock: that one is ended.
        """
        for n in range(CLAIMS):
            if await writer.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": INSTANCE}):
                break
            if self._former is not None:
                await writer.execute(END_FORMER, {"pid": self._former[0], "began": self._former[1]})
            await writer.commit()
            if n == CLAIMS - 1:
                self.taken.set()
                raise ClaimedError
            await asyncio.sleep(BETWEEN_CLAIMS)
        await writer.execute(SOON_GONE)
        pid, began = (await writer.execute(OWN_PROCESS)).one()
        self._former = pid, began
        await writer.commit()

    async def _discard(self) -> None:
        if self._writer is not None:
            await _drop(self._writer)
            self._writer = None


async def _drop(connection: AsyncConnection) -> None:
    """Close a connection, whatever state it is in, and with it what it holds on the server."""
    for end in (connection.invalidate, connection.close):
        with contextlib.suppress(Exception):
            await end()
