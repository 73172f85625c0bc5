"""Stories and fault tests on PostgreSQL: a database on the server takes the place of each SQLite file.

STORIES_ON=postgresql or FAULTS_ON=postgresql turns this on; the server is the one at TEST_POSTGRES_URL, or
that of this machine. `make postgresql` runs all such tests, with SHORT=1 a selection.
"""

import asyncio
import os
from collections.abc import Collection, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import asyncpg  # type: ignore[import-untyped]
import pytest
from sqlalchemy.engine import make_url

from bot.database import Store
from bot.database.schema import TRANSIENT_TABLES, metadata
from tests.bot.postgres import HERE, KEY

T = TypeVar("T")
ON_POSTGRESQL = "postgresql" in (os.environ.get("STORIES_ON"), os.environ.get("FAULTS_ON"))
SERVER = os.environ.get(KEY) or HERE
BASE = SERVER.rpartition("/")[0]
LOCK_TEMPLATE = "SELECT pg_advisory_lock(24)"
TEMPLATE = f"story_of_none_{os.getpid()}"  # An empty database, made by the first test that needs it
CREATED = set[str]()  # Names of the databases of this test


def _name_database(file: Path) -> str:
    return f"story_{sha256(str(file).encode()).hexdigest()[:20]}"


async def provide_database(file: Path) -> str:
    """Return the URL of the database that replaces the file; create it if there is none."""
    name = _name_database(file)
    if name not in CREATED:
        admin = await _connect_as_admin()
        try:
            await admin.execute(LOCK_TEMPLATE)  # PostgreSQL copies a template for one client at a time
            if not await admin.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", TEMPLATE):
                await admin.execute(f'CREATE DATABASE "{TEMPLATE}"')
                empty = make_url(f"{BASE}/{TEMPLATE}").set(drivername="postgresql+asyncpg")
                await (await Store.open(empty)).close()
            await admin.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')  # left by a killed run
            await admin.execute(f'CREATE DATABASE "{name}" TEMPLATE "{TEMPLATE}"')
        finally:
            await admin.close()
        CREATED.add(name)
    return f"{BASE}/{name}"


async def _connect_as_admin() -> Any:
    try:
        return await asyncpg.connect(SERVER, timeout=60)
    except OSError:
        if os.environ.get(KEY):
            raise
        pytest.skip(f"no PostgreSQL at 127.0.0.1:5432, and {KEY} is not set")


async def drop_databases(names: Collection[str]) -> None:
    admin = await _connect_as_admin()
    try:
        for name in names:
            await admin.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
    finally:
        await admin.close()


class QueryThread:
    """Run queries on a thread and loop of its own, so that code inside a running loop can wait for them."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "queries")
        self._runner = asyncio.Runner()
        self._connections: dict[str, Any] = {}

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run the coroutine and return its result."""
        return self._thread.submit(self._runner.run, work).result()

    async def fetch(self, file: Path, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query in the database that replaces the file; `?` stands for each value."""
        url = await provide_database(file)
        if url not in self._connections:
            self._connections[url] = await asyncpg.connect(url)
        first, *rest = query.split("?")
        numbered = "".join([first, *(f"${n}{part}" for n, part in enumerate(rest, 1))])
        return [tuple(row) for row in await self._connections[url].fetch(numbered, *values)]

    async def close_connections(self) -> None:
        for connection in self._connections.values():
            await connection.close()
        self._connections.clear()


QUERIES = QueryThread()


def make_database_url(file: Path) -> str:
    """Return the value of DATABASE_URL: the file, or the database that replaces it."""
    return QUERIES.run(provide_database(file)) if ON_POSTGRESQL else f"sqlite:///{file}"


def read_tables(file: Path) -> dict[str, bytes]:
    """Return all rows of the database that replaces the file, by table; without those of transient tables."""
    names = [table.name for table in metadata.sorted_tables if table not in TRANSIENT_TABLES]
    queries = {name: f'SELECT each::text FROM "{name}" each' for name in names}  # noqa: S608 - our own tables
    return {name: repr(QUERIES.run(QUERIES.fetch(file, query))).encode() for name, query in queries.items()}


def drop_test_databases() -> None:
    """Drop the databases of the current test."""
    if CREATED:
        QUERIES.run(QUERIES.close_connections())
        QUERIES.run(drop_databases(CREATED))
        CREATED.clear()


def drop_template() -> None:
    """Drop the template that the tests of this process share."""
    if ON_POSTGRESQL:
        with suppress(pytest.skip.Exception):
            QUERIES.run(drop_databases([TEMPLATE]))
