"""Reachability of a PostgreSQL server, and lost connections."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from bot.database import AccessMode, Postgresql, Store, StoreError, Tx, is_database_failure, postgresql
from tests.bot.postgres import create_role, fresh_database, run_as_owner

END_OTHERS = text(  # waits until they are gone
    "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"
    " WHERE application_name = :tag AND pid <> pg_backend_pid()"
)


@pytest.fixture
async def url() -> AsyncIterator[URL]:
    async with fresh_database() as made:
        yield made


def select_one(tx: Tx) -> object:
    return tx.scalar(text("SELECT 1"))


async def end_other_connections(server: Postgresql) -> None:
    """End all connections of the server but the one that asks."""
    ended = await server.run_beside_writer(
        lambda tx: tx.scalars(END_OTHERS, {"tag": server.application_name}).all()
    )
    assert ended
    assert all(ended)


async def test_server_is_reachable_with_one_connection_too_few(url: URL) -> None:
    # An idle connection of one pool makes room for another.
    async with create_role(url) as theirs:
        await run_as_owner(url, f'ALTER ROLE "{theirs.username}" CONNECTION LIMIT 2')
        server = Postgresql(theirs, AccessMode.EXCLUSIVE)
        assert await server.is_reachable() is True
        assert server.get_disconnected_seconds() == 0.0
        await server.close()


async def test_ended_connections_are_unreachable_once(url: URL) -> None:
    server = Postgresql(url, AccessMode.EXCLUSIVE)
    await server.write(select_one)
    await end_other_connections(server)
    assert [await server.is_reachable() for _ in range(2)] == [False, True]
    await server.close()


async def test_database_taken_over_by_another_bot_is_unreachable(
    url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "LOCK_TRIES", 1)
    first, second = (Postgresql(url, AccessMode.EXCLUSIVE) for _ in range(2))
    await first.write(select_one)
    await end_other_connections(first)
    await second.write(select_one)
    assert not await first.is_reachable()  # it finds its connection ended
    assert not first.taken_over.is_set()
    assert not await first.is_reachable()  # it can be read, and not written
    assert await first.read(select_one) == 1
    assert first.taken_over.is_set()
    with pytest.raises(StoreError, match="another bot already runs on this database now"):
        await Store(first, None).wait_until_taken_over()
    assert await second.is_reachable()
    assert not second.taken_over.is_set()
    for server in (first, second):
        await server.close()


async def test_failing_dedicated_connection_is_not_kept(url: URL, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Postgresql(url, AccessMode.SHARED)
    with monkeypatch.context() as failing:
        failing.setattr("bot.database.postgresql.SET_KEEPALIVES", text("SELECT 1 / 0"))
        for _ in range(postgresql.BESIDE_WRITER + 1):  # more than there may be
            with pytest.raises(DBAPIError, match="division by zero"):
                await server.open_dedicated_connection()
    watch = await server.open_dedicated_connection()
    assert await watch.run(select_one) == 1
    await watch.close()
    await server.close()


async def test_all_waiting_transactions_fail_together_without_a_connection() -> None:
    # One after the other, each would wait for a connection as long as the first.
    asked = list[None]()

    def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(None)
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as listening:
        host, port = listening.sockets[0].getsockname()
        server = Postgresql(
            URL.create("postgresql+asyncpg", "nobody", "", host, port, "none"), AccessMode.EXCLUSIVE
        )
        tries = list[int]()
        for many in (1, 8):
            asked.clear()
            works = [server.write(select_one) for _ in range(many)]
            failed = await asyncio.gather(*works, return_exceptions=True)
            assert all(isinstance(error, Exception) and is_database_failure(error) for error in failed)
            tries.append(len(asked))
        assert tries[0] == tries[1] > 0
        assert not await server.is_reachable()
        await server.close()
