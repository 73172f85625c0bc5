"""What `check` says of how many connections a PostgreSQL server, a database or a role lets bots have."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import asyncpg  # type: ignore[import-untyped]
import pytest
from sqlalchemy.engine import URL

from bot.checkup import storage
from bot.checkup.connections import Limit, limits, too_few
from bot.checkup.finding import Mark
from bot.database import Store
from tests.bot.checkup.test_storage import join
from tests.bot.postgres import as_owner, fresh_database, role_for


@pytest.fixture
async def server() -> AsyncIterator[URL]:
    async with fresh_database() as made:
        yield made


@pytest.fixture
async def role(server: URL) -> AsyncIterator[URL]:
    """One that is no superuser; what makes it has a connection to the database for as long."""
    async with role_for(server) as made:
        await as_owner(server, f'GRANT ALL ON SCHEMA public TO "{made.username}"')
        await (await Store.open(made)).close()
        yield made


async def said(url: URL) -> list[str]:
    """Without what the server's own limit leaves, which is shared with whatever else runs."""
    found = [one for one in (await storage.looked_at(url)).found if one.about == "connections"]
    lines = [line for one in found if "the server lets" not in one.told for line in one.lines]
    return [line.replace(str(url.username), "ann").replace(str(url.database), "games") for line in lines]


@asynccontextmanager
async def others(url: URL, count: int) -> AsyncIterator[None]:
    """So many connections of another program."""
    async with AsyncExitStack() as stack:
        for _ in range(count):
            one = await asyncpg.connect(url.set(drivername="postgresql").render_as_string(False))
            stack.push_async_callback(one.close)
        yield


async def limit(url: URL, what: str, most: int) -> None:
    name = url.username if what == "ROLE" else url.database
    await as_owner(
        url.set(username="postgres", password=None), f'ALTER {what} "{name}" CONNECTION LIMIT {most}'
    )


@pytest.mark.long
async def test_a_role_that_may_have_few(role: URL) -> None:
    await limit(role, "ROLE", 15)
    assert await said(role) == []
    await limit(role, "ROLE", 14)
    assert await said(role) == [
        "· connections: the role 'ann' may have 14, and a bot takes up to 15 in a busy moment",
        "    → sudo -u postgres psql -c 'ALTER ROLE \"ann\" CONNECTION LIMIT -1' lifts it; or at least 15",
    ]


@pytest.mark.long
async def test_a_database_that_may_have_few(role: URL) -> None:
    await limit(role, "DATABASE", 21)
    await join(role, "a")
    assert await said(role) == []
    await join(role, "b")
    told, remedy = await said(role)
    assert told == (
        "· connections: the database 'games' may have 21, of which other programs have 1 just now,"
        " and 2 bots take up to 15 each in a busy moment"
    )
    lifted = "'ALTER DATABASE \"games\" CONNECTION LIMIT -1' lifts it"
    assert remedy == f"    → sudo -u postgres psql -c {lifted}; or at least 31"


@pytest.mark.long
async def test_too_few_for_a_bot_to_play_at_all(role: URL) -> None:
    await limit(role, "ROLE", 2)
    await limit(role, "DATABASE", 3)
    assert [line.partition(",")[0] for line in await said(role) if "→" not in line] == [
        "✗ connections: the database 'games' may have 3",
        "✗ connections: the role 'ann' may have 2",
    ]


@pytest.mark.long
async def test_what_other_programs_have_is_counted(role: URL) -> None:
    await limit(role, "ROLE", 16)
    async with others(role, 1):
        assert await said(role) == []
    async with others(role, 3):
        assert (await said(role))[0] == (
            "· connections: the role 'ann' may have 16, of which other programs have 3 just now,"
            " and a bot takes up to 15 in a busy moment"
        )


async def test_a_superuser_has_no_limits_but_the_servers(server: URL) -> None:
    await (await Store.open(server)).close()
    await limit(server, "DATABASE", 1)
    assert await said(server) == []


@pytest.mark.long
async def test_what_the_server_keeps_for_superusers_is_nobody_elses(server: URL, role: URL) -> None:
    with_all = [one.most for one in await Store.look_into(server, limits) if one.of == "server"]
    without = [one.most for one in await Store.look_into(role, limits) if one.of == "server"]
    kept = await Store.look_into(
        role, lambda tx: tx.exec_driver_sql("SHOW superuser_reserved_connections").scalar()
    )
    assert (len(with_all), with_all[0] - without[0]) == (1, int(str(kept)))


def test_a_server_that_is_nearly_full() -> None:
    (found,) = too_few([Limit("server", "", 97, 90, 3)], 1)
    assert found.mark is Mark.NOTE
    assert found.told == (
        "the server lets all have 97 (max_connections without the 3 that it keeps for others),"
        " of which other programs have 90 just now, and a bot takes up to 15 in a busy moment"
    )
    assert (
        found.remedy
        == "set max_connections to at least 108, and restart the server; or let the others take fewer"
    )
    (found,) = too_few([Limit("server", "", 97, 96, 3)], 1)
    assert found.mark is Mark.WRONG
    (found,) = too_few([Limit("server", "", 20, 0, 0)], 2)
    assert (
        found.told
        == "the server lets all have 20 (max_connections), and 2 bots take up to 15 each in a busy moment"
    )
    assert found.remedy == "set max_connections to at least 30, and restart the server"
    assert too_few([Limit("server", "", 97, 0, 3), Limit("role", "ann", 30, 0)], 2) == []
