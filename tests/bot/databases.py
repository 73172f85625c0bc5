"""Databases for tests of queries: SQLite always, PostgreSQL where a server answers."""

import asyncio
import os
import socket
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from bot.database import Tx
from bot.database.schema import metadata
from tests.databases import build_schema_file, share_compiled_statements

T = TypeVar("T")
LOCAL = "postgresql://postgres@127.0.0.1:5432/test"
DIALECTS = ("sqlite", "postgresql")
SEQUENCES = (
    "SELECT format('%I.%I', schemaname, sequencename) AS name FROM pg_sequences WHERE schemaname = :schema"
)
RESET_IDS = text(f"SELECT setval(name, 1, false) FROM ({SEQUENCES}) AS every")  # noqa: S608 - no one's input


class Database:
    """A database with the bot's tables, in one transaction that is never committed."""

    def __init__(self, call: Callable[[Callable[[Tx], Any]], Awaitable[Any]]) -> None:
        self._call = call

    async def __call__(self, verb: Callable[[Tx], T]) -> T:
        """Return what `verb` returns for the transaction."""
        found: T = await self._call(verb)
        return found


@asynccontextmanager
async def open_file_database(folder: Path) -> AsyncIterator[Database]:
    """Yield an empty database in a file of its own."""
    file = folder / "test.sqlite3"
    file.write_bytes(build_schema_file())
    engine = share_compiled_statements(create_engine(f"sqlite:///{file}", poolclass=NullPool))
    with engine.connect() as connection:
        connection.connection.execute("PRAGMA foreign_keys = ON")

        async def call(verb: Callable[[Tx], Any]) -> Any:
            return verb(connection)

        yield Database(call)
        connection.rollback()
    engine.dispose()


class ServerTables:
    """The bot's tables in a schema of their own, and the one connection of this process.

    Connecting and preparing each statement anew takes longer than most tests. Each test has an event loop of
    its own, so the connection has its own loop on a thread."""

    def __init__(self) -> None:
        self.schema = f"t{uuid.uuid4().hex}"
        self._engine = _make_engine(self.schema)
        self._connection: AsyncConnection | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    async def call(self, verb: Callable[[Tx], T]) -> T:
        """Return what `verb` returns for the transaction."""
        return await asyncio.wrap_future(self._submit(self._call(verb)))

    async def reset_ids(self) -> None:
        """Let the ids of all tables begin at 1."""
        await asyncio.wrap_future(self._submit(self._reset_ids()))

    async def roll_back(self) -> None:
        """Roll back all that the test wrote."""
        await asyncio.wrap_future(self._submit(self._roll_back()))

    def create_tables(self) -> None:
        """Create the tables; skip the test if there is no server."""
        self._submit(self._create_tables()).result()

    def close(self) -> None:
        """Drop the tables and disconnect."""
        self._submit(self._drop_tables()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _get_connection(self) -> AsyncConnection:
        if self._connection is None or self._connection.invalidated:
            self._connection = await _connect(self._engine)
        return self._connection

    async def _call(self, verb: Callable[[Tx], T]) -> T:
        return await (await self._get_connection()).run_sync(verb)

    async def _reset_ids(self) -> None:
        await (await self._get_connection()).execute(RESET_IDS, {"schema": self.schema})

    async def _roll_back(self) -> None:
        if self._connection is not None:
            await self._connection.rollback()

    async def _create_tables(self) -> None:
        connection = await self._get_connection()
        await connection.execute(text(f'CREATE SCHEMA "{self.schema}"'))
        await connection.run_sync(metadata.create_all)
        await connection.commit()

    async def _drop_tables(self) -> None:
        if self._connection is not None:
            await self._connection.execute(text(f'DROP SCHEMA IF EXISTS "{self.schema}" CASCADE'))
            await self._connection.commit()
            await self._connection.close()
        await self._engine.dispose()


@asynccontextmanager
async def open_server_database(server: ServerTables) -> AsyncIterator[Database]:
    """Yield the server's empty tables; roll back at the end."""
    await server.reset_ids()
    try:
        yield Database(server.call)
    finally:
        await server.roll_back()


@contextmanager
def create_server_tables() -> Iterator[ServerTables]:
    """Yield the bot's tables on a server; skip the test if there is none."""
    server = ServerTables()
    try:
        server.create_tables()
        yield server
    finally:
        server.close()


async def _connect(engine: AsyncEngine) -> AsyncConnection:
    """Connect; skip the test if the server on this machine refuses the login."""
    try:
        return await engine.connect()
    except (OSError, SQLAlchemyError):
        if "TEST_POSTGRES_URL" in os.environ:
            raise
        pytest.skip(f"what answers at 127.0.0.1:5432 does not let us in as {LOCAL}")


def _make_engine(schema: str) -> AsyncEngine:
    url = os.environ.get("TEST_POSTGRES_URL", LOCAL)
    if url == LOCAL and not _is_port_open("127.0.0.1", 5432):
        pytest.skip("no PostgreSQL answers at 127.0.0.1:5432, and TEST_POSTGRES_URL names none")
    url = url.replace("postgresql://", "postgresql+asyncpg://", 1)
    path = {"server_settings": {"search_path": schema}}
    return create_async_engine(url, poolclass=NullPool, connect_args=path)


def _is_port_open(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), 1.0):
            return True
    except OSError:
        return False
