"""PostgreSQL for the store: the same discipline, one writer behind a lock, on pooled connections."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

INSTANCE = 0x24_24_24
"""The advisory lock that says that a bot runs on this database; it ends with the connection."""
LONGEST = 30.0
"""Seconds after which a statement counts as lost with its connection."""


class ClaimedError(Exception):
    """Another bot runs on this database."""


class Postgresql:
    """An open database on a server."""

    dialect = "postgresql"

    def __init__(self, url: URL, *, alone: bool) -> None:
        arguments = {"command_timeout": LONGEST, "timeout": 10}
        self._engine = create_async_engine(
            url, pool_size=6, pool_pre_ping=True, connect_args=arguments, hide_parameters=True
        )
        self._alone = alone
        self._writer: AsyncConnection | None = None
        self._turn = asyncio.Lock()

    def write(self, move: Callable[[Connection], Any]) -> "asyncio.Future[Any]":
        """Run `move` in a transaction when its turn comes; done once it is durable."""
        return asyncio.ensure_future(self._write(move))

    async def read(self, look: Callable[[Connection], Any]) -> Any:
        """Run `look` beside the writer."""
        async with self._engine.connect() as connection:
            return await connection.run_sync(look)

    async def close(self) -> None:
        """Wait for the running transaction, then let go of the server."""
        async with self._turn:
            await self._discard()
            await self._engine.dispose()

    async def _write(self, move: Callable[[Connection], Any]) -> Any:
        async with self._turn:
            writer = await self._connected()
            try:
                result = await writer.run_sync(move)
                await writer.commit()
            except BaseException as error:
                await self._undo(writer, error)
                raise
            return result

    async def _undo(self, writer: AsyncConnection, error: BaseException) -> None:
        lost = isinstance(error, DBAPIError) and error.connection_invalidated
        try:
            await writer.rollback()
        except Exception:  # noqa: BLE001 - the first error is the one that is told
            lost = True
        if lost or writer.invalidated:
            await self._discard()

    async def _connected(self) -> AsyncConnection:
        if self._writer is None:
            writer = await self._engine.connect()
            if self._alone:
                held = await writer.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": INSTANCE})
                await writer.commit()
                if not held:
                    await writer.close()
                    raise ClaimedError
            self._writer = writer
        return self._writer

    async def _discard(self) -> None:
        if self._writer is not None:
            for end in (self._writer.invalidate, self._writer.close):
                with contextlib.suppress(Exception):
                    await end()
            self._writer = None
