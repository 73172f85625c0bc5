"""The databases that the store's tests run on: SQLite always, PostgreSQL where a server answers."""

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
AT_ONE = text(f"SELECT setval(name, 1, false) FROM ({SEQUENCES}) AS every")  # noqa: S608 - no one's input


class Database:
    """A database with the tables in it, all in one transaction that is never committed."""

    def __init__(self, call: Callable[[Callable[[Tx], Any]], Awaitable[Any]]) -> None:
        self._call = call

    async def __call__(self, verb: Callable[[Tx], T]) -> T:
        """What `verb` makes of the database."""
        found: T = await self._call(verb)
        return found


@asynccontextmanager
async def in_file(folder: Path) -> AsyncIterator[Database]:
    """An empty database in a file of its own."""
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


class Server:
    """Our tables in a schema of their own, and the connection by which all tests of a process write there.

    To connect, and to compile and prepare each statement anew, takes longer than most of what is tested. Each
    test has an event loop of its own, so the connection has one too, on a thread of its own.
    """

    def __init__(self) -> None:
        self.schema = f"t{uuid.uuid4().hex}"
        self._engine = _postgresql(self.schema)
        self._connection: AsyncConnection | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    async def call(self, verb: Callable[[Tx], T]) -> T:
        """What `verb` makes of the tables."""
        return await asyncio.wrap_future(self._there(self._call(verb)))

    async def ready(self) -> None:
        """The tables are empty, and their numbers begin at 1."""
        await asyncio.wrap_future(self._there(self._ready()))

    async def taken_back(self) -> None:
        """All that was written since is undone."""
        await asyncio.wrap_future(self._there(self._taken_back()))

    def make(self) -> None:
        """Make the tables; the test is skipped, and says so, where there is no server."""
        self._there(self._make()).result()

    def close(self) -> None:
        """Drop the tables, if they were made, and hang up."""
        self._there(self._drop()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _there(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _connected(self) -> AsyncConnection:
        if self._connection is None or self._connection.invalidated:
            self._connection = await _connected(self._engine)
        return self._connection

    async def _call(self, verb: Callable[[Tx], T]) -> T:
        return await (await self._connected()).run_sync(verb)

    async def _ready(self) -> None:
        await (await self._connected()).execute(AT_ONE, {"schema": self.schema})

    async def _taken_back(self) -> None:
        if self._connection is not None:
            await self._connection.rollback()

    async def _make(self) -> None:
        connection = await self._connected()
        await connection.execute(text(f'CREATE SCHEMA "{self.schema}"'))
        await connection.run_sync(metadata.create_all)
        await connection.commit()

    async def _drop(self) -> None:
        if self._connection is not None:
            await self._connection.execute(text(f'DROP SCHEMA IF EXISTS "{self.schema}" CASCADE'))
            await self._connection.commit()
            await self._connection.close()
        await self._engine.dispose()


@asynccontextmanager
async def on_server(server: Server) -> AsyncIterator[Database]:
    """The server's tables, empty, whose numbers begin at 1."""
    await server.ready()
    try:
        yield Database(server.call)
    finally:
        await server.taken_back()


@contextmanager
def tables_on_server() -> Iterator[Server]:
    """Our tables on a server; the test is skipped, and says so, where there is none."""
    server = Server()
    try:
        server.make()
        yield server
    finally:
        server.close()


async def _connected(engine: AsyncEngine) -> AsyncConnection:
    """A connection; where whatever answers on this machine is no server for us the test says so."""
    try:
        return await engine.connect()
    except (OSError, SQLAlchemyError):
        if "TEST_POSTGRES_URL" in os.environ:
            raise
        pytest.skip(f"what answers at 127.0.0.1:5432 does not let us in as {LOCAL}")


def _postgresql(schema: str) -> AsyncEngine:
    url = os.environ.get("TEST_POSTGRES_URL", LOCAL)
    if url == LOCAL and not _answers("127.0.0.1", 5432):
        pytest.skip("no PostgreSQL answers at 127.0.0.1:5432, and TEST_POSTGRES_URL names none")
    url = url.replace("postgresql://", "postgresql+asyncpg://", 1)
    path = {"server_settings": {"search_path": schema}}
    return create_async_engine(url, poolclass=NullPool, connect_args=path)


def _answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), 1.0):
            return True
    except OSError:
        return False
