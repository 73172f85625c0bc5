"""Pools of connections, also on a server that has none left."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from bot.database import DedicatedConnection, Postgresql, Store, is_database_failure, postgresql
from bot.database.postgresql import Pool
from tests.bot.postgres import create_role, fresh_database, migrated_database, run_as_owner

pytestmark = pytest.mark.long

MINE = text("SELECT pg_backend_pid()")


@pytest.fixture
async def url() -> AsyncIterator[URL]:
    """The address for a role that may have two connections."""
    async with fresh_database() as made, create_role(made) as theirs:
        await run_as_owner(made, f'ALTER ROLE "{theirs.username}" CONNECTION LIMIT 2')
        yield theirs


@pytest.fixture
async def pair(url: URL) -> AsyncIterator[tuple[Pool, Pool]]:
    """Two sibling pools of two connections each, on a server that allows two in all."""
    both = Pool(url, 2, {}), Pool(url, 2, {})
    for pool in both:
        pool.sibling_pools = both
    yield both
    for pool in both:
        await pool.close()


async def get_next_process_id(pool: Pool) -> int:
    """Return the server's process id of the next connection."""
    async with pool.connection() as connection:
        return int(await connection.scalar(MINE) or 0)


async def test_returned_connection_is_used_again(
    pair: tuple[Pool, Pool],
) -> None:
    pool, _ = pair
    assert await get_next_process_id(pool) == await get_next_process_id(pool)
    first, second = await pool.acquire(), await pool.acquire()
    third = asyncio.create_task(get_next_process_id(pool))
    mine = await first.scalar(MINE)
    await first.close()
    assert await third == mine
    await second.close()


async def test_idle_connections_of_another_pool_are_closed_for_room(pair: tuple[Pool, Pool]) -> None:
    one, other = pair
    kept = await one.acquire()
    before = await get_next_process_id(one)
    assert await get_next_process_id(other) != before  # the idle one went for it
    assert (one.refused_since, other.refused_since) == (None, None)
    assert await kept.scalar(text("SELECT 1")) == 1
    await kept.close()


async def test_full_server_makes_a_pool_wait_for_its_own_connection(pair: tuple[Pool, Pool]) -> None:
    one, other = pair
    held, used = await other.acquire(), await one.acquire()
    waiting = asyncio.create_task(get_next_process_id(one))
    while one.refused_since is None:
        await asyncio.wait([waiting], timeout=0.01)
    await used.close()
    assert await waiting
    assert one.refused_since is None
    await held.close()


async def test_pool_records_the_time_of_its_first_refusal(
    pair: tuple[Pool, Pool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "CONNECT_PATIENCE", 0.1)
    one, other = pair
    held = await one.acquire(), await one.acquire()
    for _ in range(2):
        with pytest.raises(DBAPIError) as refused:
            await other.acquire()
        assert is_database_failure(refused.value)
        since = other.refused_since
        assert since is not None
    assert other.refused_since == since
    for each in held:
        await each.close()
    assert await get_next_process_id(other)
    assert other.refused_since is None


async def test_connection_ended_by_the_server_is_replaced(pair: tuple[Pool, Pool]) -> None:
    one, quick = pair
    before = await get_next_process_id(quick)
    async with one.connection() as other:
        ended = text("SELECT pg_terminate_backend(:pid, 60000)")  # waits until it is
        assert await other.scalar(ended, {"pid": before})
    assert await get_next_process_id(quick) not in (0, before)


async def test_protocol_error_discards_the_connection(pair: tuple[Pool, Pool]) -> None:
    one, _ = pair
    busy = await one.acquire()
    before = await busy.scalar(MINE)
    driver = (await busy.get_raw_connection()).driver_connection
    assert driver is not None
    sleeping = asyncio.create_task(driver.execute("SELECT pg_sleep(0.5)"))
    await asyncio.sleep(0)
    with pytest.raises(DBAPIError, match="operation"):
        await busy.execute(MINE)
    assert busy.invalidated
    await busy.close()
    await asyncio.gather(sleeping, return_exceptions=True)
    assert await get_next_process_id(one) != before


async def test_jit_is_switched_off(pair: tuple[Pool, Pool]) -> None:
    for _ in range(2):  # also once it has been given back
        async with pair[0].connection() as connection:
            assert await connection.scalar(text("SHOW jit")) == "off"
            await connection.rollback()


OWN_PROCESS = text("SELECT pg_backend_pid()")


@pytest.fixture
async def server() -> AsyncIterator[Postgresql]:
    async with migrated_database() as url:
        store = await Store.open(url)
        assert isinstance(store._database, Postgresql)
        yield store._database
        await store.close()


async def wait_until_ended(server: Postgresql, pid: int) -> None:
    """Wait until the server's process has ended."""
    there = text("SELECT count(*) FROM pg_stat_activity WHERE pid = :pid")
    async with asyncio.timeout(60):
        while True:
            if not await server.run_beside_writer(lambda tx: tx.scalar(there, {"pid": pid})):
                return
            await asyncio.sleep(0.01)


async def get_own_process_id(watch: DedicatedConnection) -> int:
    return int(await watch.run(lambda tx: tx.scalar(OWN_PROCESS)) or 0)


async def test_dedicated_connection_gets_notifications(server: Postgresql) -> None:
    watch, heard = await server.open_dedicated_connection(), asyncio.Event()
    await watch.listen("hints", lambda _: heard.set())
    first = await get_own_process_id(watch)
    await server.run_beside_writer(lambda tx: tx.execute(text("NOTIFY hints")).rowcount)
    await asyncio.wait_for(heard.wait(), 60)
    assert await get_own_process_id(watch) == first
    await watch.close()
    await wait_until_ended(server, first)


async def test_busy_dedicated_connection_can_be_closed(server: Postgresql) -> None:
    watch = await server.open_dedicated_connection()
    pid = await get_own_process_id(watch)
    busy = asyncio.create_task(watch.run(lambda tx: tx.execute(text("SELECT pg_sleep(60)")).all()))
    await asyncio.sleep(0)  # it has begun, and waits for the server
    await asyncio.wait_for(watch.close(), 60)
    assert isinstance((await asyncio.gather(busy, return_exceptions=True))[0], Exception)
    await wait_until_ended(server, pid)
    await watch.close()


async def test_reconnecting_keeps_the_dedicated_connection(server: Postgresql) -> None:
    watch = await server.open_dedicated_connection()
    pid, other = (
        await get_own_process_id(watch),
        int(await server.read(lambda tx: tx.scalar(OWN_PROCESS)) or 0),
    )
    await server.reconnect_all(watch)
    await wait_until_ended(server, other)
    assert await get_own_process_id(watch) == pid
    assert await server.read(lambda tx: tx.scalar(OWN_PROCESS)) not in {pid, other}
    await watch.close()
