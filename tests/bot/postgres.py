"""PostgreSQL databases for tests: at TEST_POSTGRES_URL, or on this machine if a server answers."""

import asyncio
import os
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import TypeVar

import asyncpg  # type: ignore[import-untyped]
import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from bot.database import Store

T = TypeVar("T")
KEY = "TEST_POSTGRES_URL"
TEMPLATES = list[str]()  # The one that this process has made to be copied, if it has
HERE = "postgresql://postgres@127.0.0.1:5432/postgres"


@asynccontextmanager
async def fresh_database(options: str = "") -> AsyncIterator[URL]:
    """Yield the address of an empty database, dropped at the end; skip the test if there is no server.

    `options` are those of CREATE DATABASE."""
    name = f"twentyfour_{uuid.uuid4().hex[:12]}"
    async with _connect_as_admin() as admin:
        await admin.execute(text(f'CREATE DATABASE "{name}" {options}'))
        try:
            yield _get_address().set(database=name)
        finally:
            await admin.execute(text(f'DROP DATABASE "{name}" WITH (FORCE)'))


@asynccontextmanager
async def migrated_database() -> AsyncIterator[URL]:
    """Yield the address of a database with the bot's tables, copied from this process's template."""
    if not TEMPLATES:
        name = f"twentyfour_{uuid.uuid4().hex[:12]}"
        async with _connect_as_admin() as admin:
            await admin.execute(text(f'CREATE DATABASE "{name}"'))
        TEMPLATES.append(name)
        await (await Store.open(_get_address().set(database=name))).close()
    async with fresh_database(f'TEMPLATE "{TEMPLATES[0]}"') as url:
        yield url


def drop_templates() -> None:
    """Drop the template databases of this process."""

    async def drop() -> None:
        async with _connect_as_admin() as admin:
            while TEMPLATES:
                await admin.execute(text(f'DROP DATABASE IF EXISTS "{TEMPLATES.pop()}" WITH (FORCE)'))

    if TEMPLATES:
        asyncio.run(drop())


@asynccontextmanager
async def create_role(url: URL) -> AsyncIterator[URL]:
    """Yield the address of the same database for a new role without privileges."""
    name = f"twentyfour_{uuid.uuid4().hex[:12]}"
    admin = create_async_engine(url, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    async with admin.connect() as connection:
        await connection.execute(text(f"CREATE ROLE \"{name}\" LOGIN PASSWORD 'canary'"))
        try:
            yield url.set(username=name, password="canary")  # noqa: S106 - opens nothing else
        finally:
            await connection.execute(text(f'DROP OWNED BY "{name}" CASCADE'))
            await connection.execute(text(f'DROP ROLE "{name}"'))
    await admin.dispose()


async def run_as_owner(url: URL, *statements: str) -> None:
    """Run the statements in the database as its owner."""
    connection = await asyncpg.connect(url.set(drivername="postgresql").render_as_string(False))
    for statement in statements:
        await connection.execute(statement)
    await connection.close()


@contextmanager
def enter_in_own_loop(made: AbstractAsyncContextManager[T]) -> Iterator[T]:
    """Enter the context in an event loop of its own, for a test that calls the command line."""
    with asyncio.Runner() as runner:
        there = runner.run(made.__aenter__())
        try:
            yield there
        finally:
            runner.run(made.__aexit__(None, None, None))


def _get_address() -> URL:
    return make_url(os.environ.get(KEY) or HERE).set(drivername="postgresql+asyncpg")


@asynccontextmanager
async def _connect_as_admin() -> AsyncIterator[AsyncConnection]:
    engine = create_async_engine(_get_address(), isolation_level="AUTOCOMMIT", connect_args={"timeout": 3})
    try:
        admin = await _connect(engine)
        yield admin
        await admin.close()
    finally:
        await engine.dispose()


async def _connect(engine: AsyncEngine) -> AsyncConnection:
    try:
        return await engine.connect()
    except (OSError, SQLAlchemyError):
        if os.environ.get(KEY):
            raise
        pytest.skip(f"no PostgreSQL at 127.0.0.1:5432, and {KEY} is not set")
