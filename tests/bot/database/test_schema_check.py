"""Databases with missing or foreign parts are refused by a start, the check, a restore and a move."""

import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import NullPool
from sqlalchemy.engine import URL, make_url
from sqlalchemy.ext.asyncio import create_async_engine

from bot.checkup.database import check_database
from bot.database import Store, StoreError
from bot.database.backup import BackupError, restore_backup
from bot.database.move import MoveError, move_database
from bot.database.schema_check import find_schema_fault
from tests.bot.postgres import migrated_database

RESTORE = "restore a backup"
NO_TABLE = "the table 'awards' is missing"
NO_COLUMN = "the column 'note' of 'tries' is missing"
NO_INDEX = "the index 'award_of_chat' of 'awards' is missing"
NO_KEY = "the primary key of 'votes' is missing"
NO_CONSTRAINT = "the unique constraint of 'awards' on round_id, idea is missing"
TRIGGER = "the trigger 'gift' on 'awards' is not the bot's and may change its data; drop it"
GIFT = "CREATE TRIGGER gift AFTER INSERT ON awards"

# What somebody does to a database, and what is said of it.
BOTH: list[tuple[str, str]] = [
    ("DROP TABLE awards", f"{NO_TABLE}; {RESTORE}"),
    ("ALTER TABLE tries DROP COLUMN note", f"{NO_COLUMN}; {RESTORE}"),
    ("DROP INDEX award_of_chat", f"{NO_INDEX}; {RESTORE}"),
]
GIFT_OF_A_FUNCTION = (
    "CREATE FUNCTION gift() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;"
    f" {GIFT} FOR EACH ROW EXECUTE FUNCTION gift()"
)
FILE = [*BOTH, (f"{GIFT} BEGIN SELECT 1; END", TRIGGER)]
SERVER = [
    *BOTH,
    (GIFT_OF_A_FUNCTION, TRIGGER),
    ("ALTER TABLE votes DROP CONSTRAINT votes_pkey", f"{NO_KEY}; {RESTORE}"),
    ("ALTER TABLE awards DROP CONSTRAINT awards_round_id_idea_key", f"{NO_CONSTRAINT}; {RESTORE}"),
]
HARMLESS = (
    "CREATE TABLE theirs (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    "CREATE INDEX one_more ON awards (points)",
    "ALTER TABLE votes ADD COLUMN mood TEXT",
)


def make_file_url(path: Path) -> URL:
    return make_url(f"sqlite:///{path}")


def run_statements(path: Path, statements: str) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(statements)


async def run_server_statements(address: URL, statements: str) -> None:
    engine = create_async_engine(address, poolclass=NullPool)
    async with engine.begin() as connection:
        driver = (await connection.get_raw_connection()).driver_connection
        assert driver is not None
        await driver.execute(statements)


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    made = tmp_path / "games.sqlite3"
    await (await Store.open(make_file_url(made))).close()
    return made


@pytest.fixture
async def server() -> AsyncIterator[URL]:
    async with migrated_database() as address:
        yield address


async def collect_refusals(database: URL, tmp_path: Path) -> list[str]:
    """Return what a start, the check and a move say of the database."""
    with pytest.raises(StoreError) as started:
        await Store.open(database)
    with pytest.raises(MoveError) as moved:
        await move_database(database, make_file_url(tmp_path / "target.sqlite3"), lambda _: None)
    found = (await check_database(database)).findings
    checked = next(line for finding in found for line in finding.lines if "incomplete or changed" in line)
    remedy = next(line for finding in found for line in finding.lines if "→" in line)
    return [str(started.value), str(moved.value), f"{checked}; {remedy}"]


@pytest.mark.parametrize(("statements", "expected"), FILE)
async def test_changes_of_a_file_are_found(
    path: Path, tmp_path: Path, statements: str, expected: str
) -> None:
    run_statements(path, statements)
    whole = f"the database is incomplete or changed: {expected}"
    started, moved, checked = await collect_refusals(make_file_url(path), tmp_path)
    assert (started, moved) == (whole, f"the database to move from: {whole}")
    assert all(part in checked for part in whole.split("; "))
    target = tmp_path / "restored.sqlite3"
    result = expected.partition("; ")[0]
    with pytest.raises(BackupError) as caught:
        restore_backup(path, make_file_url(target))
    refusal = f"nothing was restored: the backup is incomplete or changed: {result}; take another one"
    assert str(caught.value) == refusal
    assert not target.exists()
    assert not target.with_name("restored.sqlite3.part").exists()


@pytest.mark.long
@pytest.mark.parametrize(("statements", "expected"), SERVER)
async def test_changes_of_a_servers_database_are_found(
    server: URL, tmp_path: Path, statements: str, expected: str
) -> None:
    await run_server_statements(server, statements)
    whole = f"the database is incomplete or changed: {expected}"
    started, moved, checked = await collect_refusals(server, tmp_path)
    assert (started, moved) == (whole, f"the database to move from: {whole}")
    assert all(part in checked for part in whole.split("; "))


@pytest.mark.long
async def test_harmless_additions_are_accepted(path: Path, server: URL) -> None:
    run_statements(path, ";".join(HARMLESS))
    await run_server_statements(server, ";".join(HARMLESS))
    for database in (make_file_url(path), server):
        await (await Store.open(database)).close()


@pytest.mark.long
async def test_check_is_fast(path: Path, server: URL) -> None:
    # Process time, so that a busy machine does not matter.
    for database in (make_file_url(path), server):
        store = await Store.open(database)
        took = []
        for _ in range(10):
            began = time.process_time()
            await store.read(find_schema_fault)
            took.append(time.process_time() - began)
        await store.close()
        print(f"{database.get_backend_name()}: {min(took) * 1000:.1f} to {max(took) * 1000:.1f} ms")
        assert min(took) < 0.05


async def test_missing_tables_are_reported_first(path: Path) -> None:
    run_statements(path, "DROP INDEX award_of_chat; DROP TABLE votes; DROP TABLE attempts")
    with pytest.raises(StoreError, match=r"the table '(votes|attempts)' is missing"):
        await Store.open(make_file_url(path))


@pytest.mark.usefixtures("_earlier_release")
async def test_tables_of_another_version_are_not_compared(path: Path, tmp_path: Path) -> None:
    # A backup of an older version is compared after its migration.
    run_statements(path, "UPDATE alembic_version SET version_num = '0099'; DROP INDEX award_of_chat")
    restore_backup(path, make_file_url(tmp_path / "restored.sqlite3"))
    assert (tmp_path / "restored.sqlite3").exists()
