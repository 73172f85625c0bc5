"""A PostgreSQL database of the test's own: at TEST_POSTGRES_URL, or on this machine if one answers there."""

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
    """The address of an empty database, dropped afterwards; where there is no server the test says so.

    `options` are CREATE DATABASE's.
    """
    name = f"twentyfour_{uuid.uuid4().hex[:12]}"
    async with _server() as admin:
        await admin.execute(text(f'CREATE DATABASE "{name}" {options}'))
        try:
            yield _address().set(database=name)
        finally:
            await admin.execute(text(f'DROP DATABASE "{name}" WITH (FORCE)'))


@asynccontextmanager
async def migrated_database() -> AsyncIterator[URL]:
    """The same with today's tables in it: a copy of one in which they were made once for this process."""
    if not TEMPLATES:
        name = f"twentyfour_{uuid.uuid4().hex[:12]}"
        async with _server() as admin:
            await admin.execute(text(f'CREATE DATABASE "{name}"'))
        TEMPLATES.append(name)
        await (await Store.open(_address().set(database=name))).close()
    async with fresh_database(f'TEMPLATE "{TEMPLATES[0]}"') as url:
        yield url


def end() -> None:
    """Drop what was made for all tests of this process."""

    async def drop() -> None:
        async with _server() as admin:
            while TEMPLATES:
                await admin.execute(text(f'DROP DATABASE IF EXISTS "{TEMPLATES.pop()}" WITH (FORCE)'))

    if TEMPLATES:
        asyncio.run(drop())


@asynccontextmanager
async def role_for(url: URL) -> AsyncIterator[URL]:
    """The same database for a role that is nobody's: it may do there what everybody may."""
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


async def as_owner(url: URL, *statements: str) -> None:
    """Run them in that database, as whoever looks after the server."""
    connection = await asyncpg.connect(url.set(drivername="postgresql").render_as_string(False))
    for statement in statements:
        await connection.execute(statement)
    await connection.close()


@contextmanager
def waiting_for(made: AbstractAsyncContextManager[T]) -> Iterator[T]:
    """What it makes, for a test that begins loops by itself, as the command line does."""
    with asyncio.Runner() as runner:
        there = runner.run(made.__aenter__())
        try:
            yield there
        finally:
            runner.run(made.__aexit__(None, None, None))


def _address() -> URL:
    return make_url(os.environ.get(KEY) or HERE).set(drivername="postgresql+asyncpg")


@asynccontextmanager
async def _server() -> AsyncIterator[AsyncConnection]:
    engine = create_async_engine(_address(), isolation_level="AUTOCOMMIT", connect_args={"timeout": 3})
    try:
        admin = await _connection(engine)
        yield admin
        await admin.close()
    finally:
        await engine.dispose()


async def _connection(engine: AsyncEngine) -> AsyncConnection:
    try:
        return await engine.connect()
    except (OSError, SQLAlchemyError):
        if os.environ.get(KEY):
            raise
        pytest.skip(f"no PostgreSQL at 127.0.0.1:5432, and {KEY} is not set")
