"""Tests on PostgreSQL: each file that a story or a fault would have is a database of its own on the server.

By STORIES_ON=postgresql or FAULTS_ON=postgresql, at TEST_POSTGRES_URL or on this machine: `make postgresql`
runs them all so, and with FEW=1 the most telling.
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
# Whether a bot's database is on a PostgreSQL server in this run.
ON_SERVER = "postgresql" in (os.environ.get("STORIES_ON"), os.environ.get("FAULTS_ON"))
SERVER = os.environ.get(KEY) or HERE
BASE = SERVER.rpartition("/")[0]
ONE_BY_ONE = "SELECT pg_advisory_lock(24)"
TEMPLATE = f"story_of_none_{os.getpid()}"  # An empty one, made by the first test that needs it
MADE = set[str]()  # The databases of this test


def _name(file: Path) -> str:
    return f"story_{sha256(str(file).encode()).hexdigest()[:20]}"


async def url_of(file: Path) -> str:
    """The address of the database that stands for the file, made if there is none."""
    name = _name(file)
    if name not in MADE:
        admin = await _admin()
        try:
            await admin.execute(ONE_BY_ONE)  # a template is copied by one at a time
            if not await admin.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", TEMPLATE):
                await admin.execute(f'CREATE DATABASE "{TEMPLATE}"')
                empty = make_url(f"{BASE}/{TEMPLATE}").set(drivername="postgresql+asyncpg")
                await (await Store.open(empty)).close()
            await admin.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')  # of a run that was killed
            await admin.execute(f'CREATE DATABASE "{name}" TEMPLATE "{TEMPLATE}"')
        finally:
            await admin.close()
        MADE.add(name)
    return f"{BASE}/{name}"


async def _admin() -> Any:
    try:
        return await asyncpg.connect(SERVER, timeout=60)
    except OSError:
        if os.environ.get(KEY):
            raise
        pytest.skip(f"no PostgreSQL at 127.0.0.1:5432, and {KEY} is not set")


async def drop(names: Collection[str]) -> None:
    """Drop these databases."""
    admin = await _admin()
    try:
        for name in names:
            await admin.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
    finally:
        await admin.close()


class Desk:
    """Asks the databases from a thread of its own, as who asks may be within a loop: one thing at a time."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "desk")
        self._runner = asyncio.Runner()
        self._lines: dict[str, Any] = {}

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """What comes of it."""
        return self._thread.submit(self._runner.run, work).result()

    async def asked(self, file: Path, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """What a query finds in the database that stands for the file; with `?` for each value."""
        url = await url_of(file)
        if url not in self._lines:
            self._lines[url] = await asyncpg.connect(url)
        first, *rest = query.split("?")
        numbered = "".join([first, *(f"${n}{part}" for n, part in enumerate(rest, 1))])
        return [tuple(row) for row in await self._lines[url].fetch(numbered, *values)]

    async def hang_up(self) -> None:
        """End all its connections."""
        for line in self._lines.values():
            await line.close()
        self._lines.clear()


DESK = Desk()


def address(file: Path) -> str:
    """For DATABASE_URL: the file's, or that of the database that stands for it."""
    return DESK.wait_for(url_of(file)) if ON_SERVER else f"sqlite:///{file}"


def rows_of(file: Path) -> dict[str, bytes]:
    """All that stands in the database for the file, by table, but for whose chats are whose at the moment."""
    lasting = [table.name for table in metadata.sorted_tables if table not in TRANSIENT_TABLES]
    every = {name: f'SELECT each::text FROM "{name}" each' for name in lasting}  # noqa: S608 - our own tables
    return {name: repr(DESK.wait_for(DESK.asked(file, query))).encode() for name, query in every.items()}


def clear() -> None:
    """Drop what this test had."""
    if MADE:
        DESK.wait_for(DESK.hang_up())
        DESK.wait_for(drop(MADE))
        MADE.clear()


def end() -> None:
    """Drop what all tests of this process had in common."""
    if ON_SERVER:
        with suppress(pytest.skip.Exception):
            DESK.wait_for(drop([TEMPLATE]))
