"""Check of the database: faults and their remedies."""

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
from tests.bot.postgres import create_role, fresh_database, migrated_database, run_as_owner


@pytest.fixture
async def empty_server() -> AsyncIterator[URL]:
    async with fresh_database() as made:
        yield made


@pytest.fixture
async def server() -> AsyncIterator[URL]:
    """A server's database with the bot's tables."""
    async with migrated_database() as made:
        yield made


@pytest.fixture
async def role(server: URL) -> AsyncIterator[URL]:
    """A role that does not own the server's database."""
    async with create_role(server) as made:
        yield made


@pytest.fixture
async def outsider(empty_server: URL) -> AsyncIterator[URL]:
    """A role that does not own the empty database."""
    async with create_role(empty_server) as made:
        yield made


async def list_report_lines(url: URL) -> list[str]:
    """Return the report's lines; `it` stands for a server's database and its address."""
    found = (await check_database(url)).findings
    lines = [line for finding in found for line in finding.lines]
    if url.get_backend_name() == "sqlite":
        return lines
    return [
        line.replace(describe_database(url), "it").replace(describe_location(url), "it") for line in lines
    ]


async def insert_replicas(url: URL, *names: str, lease: float = 60.0) -> None:
    store = await Store.open(url, AccessMode.SHARED)
    for name in names:
        insert = partial(replicas.insert_replica, name=name, mine=SharedSettings(1), tag=name, lease=lease)
        await store.write(insert)
    await store.close()


@pytest.mark.long
async def test_running_bots_are_counted(server: URL) -> None:
    whole = "✓ DATABASE_URL: it is whole and of this version"
    assert (await list_report_lines(server), (await check_database(server)).is_bot_running) == (
        [whole],
        False,
    )
    await insert_replicas(server, "dead", lease=-1.0)
    assert (await list_report_lines(server), (await check_database(server)).is_bot_running) == (
        [whole],
        False,
    )
    await insert_replicas(server, "a")
    assert await list_report_lines(server) == [f"{whole}; 1 bot runs on it"]
    await insert_replicas(server, "b", "c")
    assert (await list_report_lines(server), (await check_database(server)).is_bot_running) == (
        [f"{whole}; 3 bots run on it"],
        True,
    )


@pytest.mark.long
async def test_bots_are_counted_on_a_faulty_database(server: URL) -> None:
    # Otherwise the ports that they use were reported as taken.
    await insert_replicas(server, "a")
    await run_as_owner(server, "UPDATE alembic_version SET version_num = '9999'")
    found = await check_database(server)
    assert ("newer" in found.findings[0].state, found.is_bot_running) == (True, True)


@pytest.mark.long
async def test_role_without_write_privileges_is_reported(server: URL, role: URL) -> None:
    await run_as_owner(server, f'GRANT SELECT ON ALL TABLES IN SCHEMA public TO "{role.username}"')
    result, remedy = await list_report_lines(role)
    assert result.startswith(
        f"✗ DATABASE_URL: the role {role.username!r} may not read and write achievements and "
    )
    assert remedy.startswith("    → ask the server's administrator to grant that")


async def test_role_without_read_privileges_is_reported(role: URL) -> None:
    result, remedy = await list_report_lines(role)
    assert result.startswith(
        "✗ DATABASE_URL: the database at it can't be opened: permission denied for table "
    )
    assert remedy.startswith("    → ask the server's administrator to grant that")


async def test_role_that_may_not_create_tables_is_reported(outsider: URL) -> None:
    result, _ = await list_report_lines(outsider)
    start = f"✗ DATABASE_URL: the role {outsider.username!r} may make no tables in the schema 'public'"
    assert result == start


@pytest.mark.usefixtures("_earlier_release")
async def test_older_database_of_another_owner_is_reported(server: URL, role: URL) -> None:
    everything = [f'GRANT ALL ON ALL TABLES IN SCHEMA public TO "{role.username}"']
    everything += [f'GRANT ALL ON SCHEMA public TO "{role.username}"']
    await run_as_owner(server, "UPDATE alembic_version SET version_num = '0099'", *everything)
    result, _ = await list_report_lines(role)
    assert "can't bring up to date what it doesn't own" in result
    result, remedy = await list_report_lines(server)
    assert result.startswith("· DATABASE_URL: it is at revision 0099, older than")
    assert remedy.startswith("    → the next start brings it up to date, or `twentyfour-bot migrate`")


@pytest.mark.usefixtures("_earlier_release")
async def test_older_database_with_running_bots_is_reported(server: URL) -> None:
    await insert_replicas(server, "a", "b")
    await run_as_owner(server, "UPDATE alembic_version SET version_num = '0099'")
    older = f"✗ DATABASE_URL: it is at revision 0099, older than this version's {HEAD}; 2 bots run on it"
    assert await list_report_lines(server) == [older, "    → run twentyfour-bot migrate"]


async def test_read_only_database_is_reported(server: URL, role: URL) -> None:
    await run_as_owner(
        server,
        f'GRANT ALL ON ALL TABLES IN SCHEMA public TO "{role.username}"',
        f'GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO "{role.username}"',
        f'ALTER ROLE "{role.username}" SET default_transaction_read_only = on',
    )
    assert await list_report_lines(role) == [
        "✗ DATABASE_URL: it takes no writes",
        "    → is it a standby, or set to be read only?",
    ]


async def test_missing_database_or_role_is_reported(empty_server: URL) -> None:
    result, remedy = await list_report_lines(empty_server.set(database="none_of_ours"))
    assert (
        result
        == '✗ DATABASE_URL: the database at it can\'t be opened: database "none_of_ours" does not exist'
    )
    make = "sudo -u postgres createdb --owner postgres none_of_ours"
    assert remedy == f"    → make it: {make}; or name one that is there"
    result, remedy = await list_report_lines(empty_server.set(username="nobody_of_ours"))
    assert 'role "nobody_of_ours" does not exist' in result
    make = "sudo -u postgres createuser --pwprompt nobody_of_ours"
    assert remedy == f"    → make the role: {make}; or name one that may log in"


async def test_empty_database_is_noted(empty_server: URL) -> None:
    expected = ["· DATABASE_URL: it has no tables of this bot yet", "    → the next start makes them"]
    assert await list_report_lines(empty_server) == expected
    await run_as_owner(empty_server, "CREATE TABLE alien (id int)")  # of a program that shares it
    assert await list_report_lines(empty_server) == expected


async def test_database_of_another_program_is_reported(empty_server: URL) -> None:
    await run_as_owner(empty_server, "CREATE TABLE chats (id int)")
    assert await list_report_lines(empty_server) == [
        "✗ DATABASE_URL: the database is another program's: its table 'chats' is not this bot's",
        "    → name an empty one",
    ]


async def test_unfinished_restore_is_reported(empty_server: URL) -> None:
    await run_as_owner(empty_server, "CREATE TABLE alembic_version (version_num text)")
    assert await list_report_lines(empty_server) == [
        "✗ DATABASE_URL: the database has tables of this bot, and doesn't say of which version",
        "    → let a restore come to its end, or restore a whole backup",
    ]


async def test_unfinished_move_is_reported(server: URL) -> None:
    await run_as_owner(server, "INSERT INTO meta VALUES ('moved from', 'x')")
    assert await list_report_lines(server) == [
        "✗ DATABASE_URL: a move into this database was cut off",
        "    → run `twentyfour-bot move` again to the end",
    ]


def test_disk_of_a_server_is_not_checked() -> None:
    assert list(machine.check_disk(read_settings({"DATABASE_URL": "postgresql://ann@127.0.0.1/games"}))) == []


async def test_unreachable_path_is_reported(tmp_path: Path) -> None:
    # A path too long fails for root too, unlike the folder of another user.
    file = f"{tmp_path}/{'too-long-' * 40}/games.sqlite3"
    address = f"sqlite:///{file}"
    assert list(machine.check_disk(read_settings({"DATABASE_URL": address}))) == []
    result, remedy = await list_report_lines(make_url(address))
    assert result == f"✗ DATABASE_URL: the database '{file}' can't be reached: File name too long"
    assert remedy == "    → is its path right? Else look as the bot's own user, as with sudo"


async def test_empty_file_is_noted(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite3"
    file.touch()
    url = make_url(f"sqlite:///{file}")
    assert await list_report_lines(url) == [
        f"· DATABASE_URL: '{file}' is empty: the first start makes its tables"
    ]
    assert file.stat().st_size == 0
    await (await Store.open(url)).close()
    assert (await list_report_lines(url))[0].startswith("✓ DATABASE_URL: ")


async def test_empty_read_only_file_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "games.sqlite3"
    file.touch()
    monkeypatch.setattr(os, "access", lambda *_: False)  # as it is for anybody but root
    expected = f"✗ DATABASE_URL: the database '{file}' can be read, but not written"
    assert (await list_report_lines(make_url(f"sqlite:///{file}")))[0] == expected


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
    result = find_remedy(error, make_url(f"postgresql://{address.removeprefix('postgresql://')}"))
    assert result.startswith(remedy)
    assert "canary" not in result
