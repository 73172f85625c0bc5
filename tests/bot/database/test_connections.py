"""What a store says of its connections to a server, and what becomes of it where it has none. Skipped where
no server answers, but for the last.
"""

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from bot.database import Postgresql, Store, StoreError, Tx, Use, postgresql, storage_trouble
from tests.bot.postgres import as_owner, fresh_database, role_for

END_OTHERS = text(  # waits until they are gone
    "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"
    " WHERE application_name = :tag AND pid <> pg_backend_pid()"
)


@pytest.fixture
async def url() -> AsyncIterator[URL]:
    async with fresh_database() as made:
        yield made


def nothing(tx: Tx) -> object:
    return tx.scalar(text("SELECT 1"))


async def end_others(server: Postgresql) -> None:
    """Let the server end all its connections but the one that asks for it."""
    ended = await server.aside(lambda tx: tx.scalars(END_OTHERS, {"tag": server.tag}).all())
    assert ended
    assert all(ended)


async def test_it_is_reached_with_one_connection_fewer_than_it_would_take(url: URL) -> None:
    """What it doesn't need of one kind makes room for another."""
    async with role_for(url) as theirs:
        await as_owner(url, f'ALTER ROLE "{theirs.username}" CONNECTION LIMIT 2')
        server = Postgresql(theirs, Use.ALONE)
        assert await server.reached() is True
        assert server.lacking() == 0.0
        await server.close()


async def test_it_is_not_reached_over_connections_that_were_ended_and_is_over_the_next(url: URL) -> None:
    server = Postgresql(url, Use.ALONE)
    await server.write(nothing)
    await end_others(server)
    assert [await server.reached() for _ in range(2)] == [False, True]
    await server.close()


async def test_one_that_another_bot_took_meanwhile_is_not_reached_and_says_so(
    url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "CLAIMS", 1)
    first, second = (Postgresql(url, Use.ALONE) for _ in range(2))
    await first.write(nothing)
    await end_others(first)
    await second.write(nothing)
    assert not await first.reached()  # it finds its connection ended
    assert not first.taken.is_set()
    assert not await first.reached()  # it can be read, and not written
    assert await first.read(nothing) == 1
    assert first.taken.is_set()
    with pytest.raises(StoreError, match="another bot already runs on this database now"):
        await Store(first, None).taken_over()
    assert await second.reached()
    assert not second.taken.is_set()
    for server in (first, second):
        await server.close()


async def test_a_connection_that_is_to_last_and_fails_at_once_is_told_and_not_kept(
    url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Postgresql(url, Use.SHARED)
    with monkeypatch.context() as failing:
        failing.setattr("bot.database.pools.SOON_GONE", text("SELECT 1 / 0"))
        for _ in range(postgresql.ASIDE + 1):  # more than there may be
            with pytest.raises(DBAPIError, match="division by zero"):
                await server.watch()
    watch = await server.watch()
    assert await watch.run(nothing) == 1
    await watch.close()
    await server.close()


async def test_all_that_wait_fail_together_where_there_is_no_connection() -> None:
    """Each by itself would wait for one as long as the first did."""
    asked = list[None]()

    def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(None)
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as listening:
        host, port = listening.sockets[0].getsockname()
        server = Postgresql(URL.create("postgresql+asyncpg", "nobody", "", host, port, "none"), Use.ALONE)
        tries = list[int]()
        for many in (1, 8):
            asked.clear()
            works = [server.write(nothing) for _ in range(many)]
            failed = await asyncio.gather(*works, return_exceptions=True)
            assert all(isinstance(error, Exception) and storage_trouble(error) for error in failed)
            tries.append(len(asked))
        assert tries[0] == tries[1] > 0
        assert not await server.reached()
        await server.close()
