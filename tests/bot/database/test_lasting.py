"""A connection that lasts. Skipped where no server answers."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import text

from bot.database import Postgresql, Store, Watch
from tests.bot.postgres import migrated_database

MINE = text("SELECT pg_backend_pid()")


@pytest.fixture
async def server() -> AsyncIterator[Postgresql]:
    async with migrated_database() as url:
        store = await Store.open(url)
        assert isinstance(store._database, Postgresql)
        yield store._database
        await store.close()


async def ended(server: Postgresql, pid: int) -> None:
    """Wait until the server's process behind a connection is gone."""
    there = text("SELECT count(*) FROM pg_stat_activity WHERE pid = :pid")
    async with asyncio.timeout(60):
        while True:
            if not await server.aside(lambda tx: tx.scalar(there, {"pid": pid})):
                return
            await asyncio.sleep(0.01)


async def process(watch: Watch) -> int:
    return int(await watch.run(lambda tx: tx.scalar(MINE)) or 0)


async def test_it_hears_what_others_tell_and_is_the_same_each_time(server: Postgresql) -> None:
    watch, heard = await server.watch(), asyncio.Event()
    await watch.listen("hints", heard.set)
    first = await process(watch)
    await server.aside(lambda tx: tx.execute(text("NOTIFY hints")).rowcount)
    await asyncio.wait_for(heard.wait(), 60)
    assert await process(watch) == first
    await watch.close()
    await ended(server, first)


async def test_it_ends_in_whatever_state_it_is(server: Postgresql) -> None:
    watch = await server.watch()
    pid = await process(watch)
    busy = asyncio.create_task(watch.run(lambda tx: tx.execute(text("SELECT pg_sleep(60)")).all()))
    await asyncio.sleep(0)  # it has begun, and waits for the server
    await asyncio.wait_for(watch.close(), 60)
    assert isinstance((await asyncio.gather(busy, return_exceptions=True))[0], Exception)
    await ended(server, pid)
    await watch.close()


async def test_when_all_begin_anew_it_alone_goes_on(server: Postgresql) -> None:
    watch = await server.watch()
    pid, other = await process(watch), int(await server.read(lambda tx: tx.scalar(MINE)) or 0)
    await server.connect_anew(watch)
    await ended(server, other)
    assert await process(watch) == pid
    assert await server.read(lambda tx: tx.scalar(MINE)) not in {pid, other}
    await watch.close()
