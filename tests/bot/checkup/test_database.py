"""What the check says of a database on a server, and how it is mended."""

import os
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy.engine import URL, make_url

from bot.checkup import machine
from bot.checkup.database import check_database, find_remedy
from bot.database import AccessMode, Store, StoreError
from bot.database.address import describe_database, describe_location
from bot.database.errors import UNKNOWN_HOST
from bot.database.migrations import HEAD
from bot.queue.replicas import queries as replicas
from bot.queue.replicas.settings_comparison import SharedSettings
from bot.settings import read_settings
from tests.bot.postgres import as_owner, fresh_database, migrated_database, role_for


@pytest.fixture
async def empty() -> AsyncIterator[URL]:
    async with fresh_database() as made:
        yield made


@pytest.fixture
async def server() -> AsyncIterator[URL]:
    """A database as a start leaves it."""
    async with migrated_database() as made:
        yield made


@pytest.fixture
async def role(server: URL) -> AsyncIterator[URL]:
    """Somebody whose the database is not."""
    async with role_for(server) as made:
        yield made


@pytest.fixture
async def newcomer(empty: URL) -> AsyncIterator[URL]:
    """The same of an empty one."""
    async with role_for(empty) as made:
        yield made


async def said(url: URL) -> list[str]:
    """The lines, without the name and the address of a server's database."""
    found, _ = await check_database(url)
    lines = [line for finding in found for line in finding.lines]
    if url.get_backend_name() == "sqlite":
        return lines
    return [
        line.replace(describe_database(url), "it").replace(describe_location(url), "it") for line in lines
    ]


async def join(url: URL, *names: str, lease: float = 60.0) -> None:
    store = await Store.open(url, AccessMode.SHARED)
    for name in names:
        insert = partial(replicas.insert_replica, name=name, mine=SharedSettings(1), tag=name, lease=lease)
        await store.write(insert)
    await store.close()


async def test_bots_that_run_on_it_are_counted(server: URL) -> None:
    whole = "✓ DATABASE_URL: it is whole and of this version"
    assert (await said(server), (await check_database(server))[1]) == ([whole], False)
    await join(server, "dead", lease=-1.0)
    assert (await said(server), (await check_database(server))[1]) == ([whole], False)
    await join(server, "a")
    assert await said(server) == [f"{whole}; 1 bot runs on it"]
    await join(server, "b", "c")
    assert (await said(server), (await check_database(server))[1]) == (
        [f"{whole}; 3 bots run on it"],
        True,
    )


async def test_bots_are_counted_on_a_faulty_database(server: URL) -> None:
    """Else their ports were wrong as well."""
    await join(server, "a")
    await as_owner(server, "UPDATE alembic_version SET version_num = '9999'")
    found, running = await check_database(server)
    assert ("newer" in found[0].state, running) == (True, True)


async def test_a_role_without_write_privileges(server: URL, role: URL) -> None:
    await as_owner(server, f'GRANT SELECT ON ALL TABLES IN SCHEMA public TO "{role.username}"')
    told, remedy = await said(role)
    assert told.startswith(
        f"✗ DATABASE_URL: the role {role.username!r} may not read and write achievements and "
    )
    assert remedy.startswith("    → let whoever looks after the server grant that")


async def test_a_role_without_read_privileges(role: URL) -> None:
    told, remedy = await said(role)
    assert told.startswith("✗ DATABASE_URL: the database at it can't be opened: permission denied for table ")
    assert remedy.startswith("    → let whoever looks after the server grant that")


async def test_a_role_that_may_not_create_tables(newcomer: URL) -> None:
    told, _ = await said(newcomer)
    start = f"✗ DATABASE_URL: the role {newcomer.username!r} may make no tables in the schema 'public'"
    assert told == start


async def test_an_older_database_that_the_role_can_not_change(server: URL, role: URL) -> None:
    everything = [f'GRANT ALL ON ALL TABLES IN SCHEMA public TO "{role.username}"']
    everything += [f'GRANT ALL ON SCHEMA public TO "{role.username}"']
    await as_owner(server, "UPDATE alembic_version SET version_num = '0099'", *everything)
    told, _ = await said(role)
    assert "can't bring up to date what it doesn't own" in told
    told, remedy = await said(server)
    assert told.startswith("· DATABASE_URL: it is at revision 0099, older than")
    assert remedy.startswith("    → the next start brings it up to date, or `twentyfour-bot migrate`")


async def test_an_older_database_on_which_bots_run(server: URL) -> None:
    await join(server, "a", "b")
    await as_owner(server, "UPDATE alembic_version SET version_num = '0099'")
    older = f"✗ DATABASE_URL: it is at revision 0099, older than this version's {HEAD}; 2 bots run on it"
    assert await said(server) == [older, "    → run twentyfour-bot migrate"]


async def test_a_read_only_database(server: URL, role: URL) -> None:
    await as_owner(
        server,
        f'GRANT ALL ON ALL TABLES IN SCHEMA public TO "{role.username}"',
        f'GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO "{role.username}"',
        f'ALTER ROLE "{role.username}" SET default_transaction_read_only = on',
    )
    assert await said(role) == [
        "✗ DATABASE_URL: it takes no writes",
        "    → is it a standby, or set to be read only?",
    ]


async def test_a_missing_database_and_a_missing_role(empty: URL) -> None:
    told, remedy = await said(empty.set(database="none_of_ours"))
    assert (
        told == '✗ DATABASE_URL: the database at it can\'t be opened: database "none_of_ours" does not exist'
    )
    make = "sudo -u postgres createdb --owner postgres none_of_ours"
    assert remedy == f"    → make it: {make}; or name one that is there"
    told, remedy = await said(empty.set(username="nobody_of_ours"))
    assert 'role "nobody_of_ours" does not exist' in told
    make = "sudo -u postgres createuser --pwprompt nobody_of_ours"
    assert remedy == f"    → make the role: {make}; or name one that may log in"


async def test_an_empty_database(empty: URL) -> None:
    told = ["· DATABASE_URL: it has no tables of this bot yet", "    → the next start makes them"]
    assert await said(empty) == told
    await as_owner(empty, "CREATE TABLE alien (id int)")  # of a program that shares it
    assert await said(empty) == told


async def test_another_programs_database(empty: URL) -> None:
    await as_owner(empty, "CREATE TABLE chats (id int)")
    assert await said(empty) == [
        "✗ DATABASE_URL: the database is another program's: its table 'chats' is not this bot's",
        "    → name an empty one",
    ]


async def test_an_unfinished_restore(empty: URL) -> None:
    await as_owner(empty, "CREATE TABLE alembic_version (version_num text)")
    assert await said(empty) == [
        "✗ DATABASE_URL: the database has tables of this bot, and doesn't say of which version",
        "    → let a restore come to its end, or restore a whole backup",
    ]


async def test_an_unfinished_move(server: URL) -> None:
    await as_owner(server, "INSERT INTO meta VALUES ('moved from', 'x')")
    assert await said(server) == [
        "✗ DATABASE_URL: a move into this database was cut off",
        "    → run `twentyfour-bot move` again to the end",
    ]


def test_a_servers_disk_is_not_this_machines() -> None:
    assert list(machine.check_disk(read_settings({"DATABASE_URL": "postgresql://ann@127.0.0.1/games"}))) == []


async def test_an_unreachable_path(tmp_path: Path) -> None:
    """As in the folder of another user; whoever runs the tests may look into any."""
    file = f"{tmp_path}/{'too-long-' * 40}/games.sqlite3"
    address = f"sqlite:///{file}"
    assert list(machine.check_disk(read_settings({"DATABASE_URL": address}))) == []
    told, remedy = await said(make_url(address))
    assert told == f"✗ DATABASE_URL: the database '{file}' can't be reached: File name too long"
    assert remedy == "    → is its path right? Else look as the bot's own user, as with sudo"


async def test_an_empty_file(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite3"
    file.touch()
    url = make_url(f"sqlite:///{file}")
    assert await said(url) == [f"· DATABASE_URL: '{file}' is empty: the first start makes its tables"]
    assert file.stat().st_size == 0
    await (await Store.open(url)).close()
    assert (await said(url))[0].startswith("✓ DATABASE_URL: ")


async def test_an_empty_read_only_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "games.sqlite3"
    file.touch()
    monkeypatch.setattr(os, "access", lambda *_: False)  # as it is for anybody but root
    told = f"✗ DATABASE_URL: the database '{file}' can be read, but not written"
    assert (await said(make_url(f"sqlite:///{file}")))[0] == told


SOCKET = "postgresql://ann@/games?host=/run/postgresql"


@pytest.mark.parametrize(
    ("reason", "state", "address", "remedy"),
    [
        ("authentication failed", "28P01", "ann:canary@db/games", "is that the role, and is its password"),
        ("no such role", "28000", "ann@db/games", "make the role: sudo -u postgres createuser"),
        ("no database", "3D000", "ann@db/games", "make it: sudo -u postgres createdb --owner ann games;"),
        ("too many", "53300", "ann:canary@db/games", "let the server, the role and the database take more"),
        ("unknown", UNKNOWN_HOST, "ann:canary@db/games", "is the host's name right? A password is written"),
        ("refused", "ECONNREFUSED", "db/games", "start the server (systemctl start postgresql);"),
        ("no", "", "ann:canary@db/games", "is the server running, and are host, name, user and password"),
        (
            "no pg_hba.conf entry",
            "28000",
            "ann@db/games",
            "let the server's pg_hba.conf admit the role",
        ),
        ("Peer authentication failed", "28000", SOCKET, "by a socket the server takes only the system's"),
        ("No such file or directory", "ENOENT", SOCKET, "start the server (systemctl start postgresql);"),
        ("rejected SSL upgrade", "", "ann@db/d?sslmode=require", "switch TLS on at db:5432: ssl = on"),
        ("certificate is not valid for 'db'", "", "ann@db/d", "name the host as its certificate does"),
    ],
)
def test_each_reason_has_its_own_remedy(reason: str, state: str, address: str, remedy: str) -> None:
    error = StoreError(f"DATABASE_URL: the database at db:5432 can't be opened: {reason}")
    error.error_code = state
    told = find_remedy(error, make_url(f"postgresql://{address.removeprefix('postgresql://')}"))
    assert told.startswith(remedy)
    assert "canary" not in told
