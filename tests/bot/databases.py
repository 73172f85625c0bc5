"""The databases that the store's tests run on: SQLite always, PostgreSQL where a server answers."""

import asyncio
import os
import socket
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TypeVar

import pytest
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from bot.database import Tx
from bot.database.schema import metadata
from tests.databases import compiling_once, tables

T = TypeVar("T")
LOCAL = "postgresql://postgres@127.0.0.1:5432/test"
DIALECTS = ("sqlite", "postgresql")
SEQUENCES = (
    "SELECT format('%I.%I', schemaname, sequencename) AS name FROM pg_sequences WHERE schemaname = :schema"
)
AT_ONE = text(f"SELECT setval(name, 1, false) FROM ({SEQUENCES}) AS every")  # noqa: S608 - no one's input


class Database:
    """A database with the tables in it, all in one transaction that is never committed."""

    def __init__(self, connection: AsyncConnection | Connection) -> None:
        self._connection = connection

    async def __call__(self, verb: Callable[[Tx], T]) -> T:
        """What `verb` makes of the database."""
        if isinstance(self._connection, Connection):
            return verb(self._connection)
        return await self._connection.run_sync(verb)


@asynccontextmanager
async def in_file(folder: Path) -> AsyncIterator[Database]:
    """An empty database in a file of its own."""
    file = folder / "test.sqlite3"
    file.write_bytes(tables())
    engine = compiling_once(create_engine(f"sqlite:///{file}", poolclass=NullPool))
    with engine.connect() as connection:
        yield Database(connection)
        connection.rollback()
    engine.dispose()


@asynccontextmanager
async def on_server(schema: str) -> AsyncIterator[Database]:
    """The tables of `schema`, empty, whose numbers begin at 1."""
    engine = _postgresql(schema)
    async with aclosing(await _connected(engine)) as connection:
        await connection.execute(AT_ONE, {"schema": schema})
        yield Database(connection)
        await connection.rollback()
    await engine.dispose()


@contextmanager
def tables_on_server() -> Iterator[str]:
    """A schema with our tables in it; the test is skipped, and says so, where there is no server."""

    async def made(name: str) -> None:
        engine = _postgresql(name)
        async with aclosing(await _connected(engine)) as connection:
            await connection.execute(text(f'CREATE SCHEMA "{name}"'))
            await connection.run_sync(metadata.create_all)
            await connection.commit()
        await engine.dispose()

    async def dropped(name: str) -> None:
        engine = _postgresql(name)
        async with engine.begin() as connection:
            await connection.execute(text(f'DROP SCHEMA "{name}" CASCADE'))
        await engine.dispose()

    schema = f"t{uuid.uuid4().hex}"
    with ThreadPoolExecutor(1) as beside:  # whoever asks may be within a loop
        beside.submit(asyncio.run, made(schema)).result()
        yield schema
        beside.submit(asyncio.run, dropped(schema)).result()


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
