"""Roles that lack a privilege are refused at the start, in one line."""

from collections.abc import AsyncIterator, Sequence

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL

from bot.database import PrivilegeError, Store, StoreError, Tx
from bot.database.privileges import is_database_read_only
from tests.bot.postgres import create_role, fresh_database, run_as_owner

pytestmark = pytest.mark.long

EVERY = "ON ALL TABLES IN SCHEMA public TO"


@pytest.fixture
async def server() -> AsyncIterator[URL]:
    async with fresh_database() as made:
        yield made


@pytest.fixture
async def role(server: URL) -> AsyncIterator[URL]:
    """The database for a role of the test's own."""
    async with create_role(server) as made:
        yield made


async def grant(server: URL, role: URL, *rights: str) -> None:
    await run_as_owner(server, *(f'GRANT {right} "{role.username}"' for right in rights))


LITTLE = {
    "only to read": ([f"SELECT {EVERY}"], "achievements and"),
    "not to delete": ([f"SELECT, INSERT, UPDATE {EVERY}"], "achievements and"),
    "no numbers for rows": ([f"ALL {EVERY}"], "awards_id_seq and"),
}


@pytest.mark.parametrize("name", LITTLE)
async def test_role_without_write_privileges_is_refused(server: URL, role: URL, name: str) -> None:
    rights, result = LITTLE[name]
    await (await Store.open(server)).close()
    await grant(server, role, *rights)
    with pytest.raises(PrivilegeError) as caught:
        await Store.open(role)
    expected = f"DATABASE_URL: the role {role.username!r} may not read and write {result} "
    assert str(caught.value).startswith(expected)


async def test_role_with_privileges_need_not_own_the_tables(server: URL, role: URL) -> None:
    await (await Store.open(server)).close()
    await grant(server, role, f"ALL {EVERY}", "USAGE ON ALL SEQUENCES IN SCHEMA public TO")
    store = await Store.open(role)
    assert not await store.read(is_database_read_only)
    await store.close()


async def test_role_without_read_privileges_is_refused(server: URL, role: URL) -> None:
    await (await Store.open(server)).close()
    with pytest.raises(PrivilegeError, match="permission denied for table alembic_version"):
        await Store.open(role)


async def test_role_that_may_not_create_tables_is_refused(server: URL, role: URL) -> None:
    with pytest.raises(PrivilegeError) as caught:
        await Store.open(role)
    expected = f"DATABASE_URL: the role {role.username!r} may make no tables in the schema 'public'"
    assert str(caught.value) == expected
    await grant(server, role, "CREATE ON SCHEMA public TO")
    await (await Store.open(role)).close()


async def test_role_without_a_schema_is_refused(server: URL, role: URL) -> None:
    await run_as_owner(server, "DROP SCHEMA public", "CREATE SCHEMA public")
    with pytest.raises(PrivilegeError, match=f"there is no schema that the role '{role.username}' may use"):
        await Store.open(role)


@pytest.mark.usefixtures("_earlier_release")
async def test_role_that_does_not_own_outdated_tables_is_refused(server: URL, role: URL) -> None:
    await (await Store.open(server)).close()
    await grant(server, role, f"ALL {EVERY}", "CREATE ON SCHEMA public TO")
    await run_as_owner(server, "UPDATE alembic_version SET version_num = '0099'")
    with pytest.raises(PrivilegeError, match="can't bring up to date what it doesn't own: achievements and"):
        await Store.open(role)


async def test_read_only_database_is_noticed(server: URL, role: URL) -> None:
    await run_as_owner(server, f'ALTER ROLE "{role.username}" SET default_transaction_read_only = on')
    assert await Store.read_any_version(role, is_database_read_only)


ANOTHERS = "another program's: its table 'chats' is not this bot's"
UNKNOWN = "doesn't say of which version; let a restore come to its end"
THERE = {
    "a name in common": (["CREATE TABLE alien (id int)", "CREATE TABLE chats (id int)"], ANOTHERS),
    "a restore that has just begun": (["CREATE TABLE alembic_version (version_num text)"], UNKNOWN),
    "a backup of a part": (
        [f"CREATE TABLE {name} (id int)" for name in ("chats", "inbox", "outbox")],
        UNKNOWN,
    ),
}


def _count_tables(tx: Tx) -> int:
    return int(tx.scalar(text("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")) or 0)


@pytest.mark.parametrize("name", THERE)
async def test_foreign_tables_with_our_names_are_refused(server: URL, name: str) -> None:
    statements, result = THERE[name]
    await run_as_owner(server, *statements)
    with pytest.raises(StoreError, match=result):
        await Store.open(server)
    assert await Store.read_any_version(server, _count_tables) == len(statements)


@pytest.mark.parametrize(
    "statements",
    [
        ["CREATE SCHEMA other", "CREATE TABLE other.chats (id int)"],
        ["CREATE VIEW seen AS SELECT 1"],
        ["CREATE TABLE alien (id int)"],
    ],
)
async def test_other_foreign_tables_are_no_hindrance(server: URL, statements: Sequence[str]) -> None:
    await run_as_owner(server, *statements)
    await (await Store.open(server)).close()
