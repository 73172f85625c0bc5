"""Migrations: databases are brought up to date whole; newer and unreleased ones are refused."""

import hashlib
import shutil
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine
from sqlalchemy.engine import URL, make_url

from bot.database import Store, StoreError, Tx, migrations, schema
from bot.database.backup import BackupError, restore_backup
from bot.players import queries as people
from tests.bot.postgres import fresh_database


def make_file_url(path: Path) -> URL:
    return make_url(f"sqlite:///{path}")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.sqlite3"


@pytest.fixture
async def server() -> AsyncIterator[URL]:
    async with fresh_database() as address:
        yield address


def create_schema(path: Path) -> None:
    """Create the tables of the schema, without a revision."""
    engine = create_engine(f"sqlite:///{path}")
    schema.metadata.create_all(engine)
    engine.dispose()


def read_tables(path: Path) -> dict[str, Any]:
    """Return what SQLite knows of each table: columns, keys, indexes, strictness."""
    with closing(sqlite3.connect(path)) as db:
        names = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        strict = {row[1]: row[5] for row in db.execute("PRAGMA table_list")}
        return {
            name: (
                strict[name],
                list(_read_columns(db, name)),
                sorted(_read_indexes(db, name)),
                _read_foreign_keys(db, name),
            )
            for name in names
            if name != "alembic_version" and not name.startswith("sqlite_")
        }


def _read_columns(db: sqlite3.Connection, table: str) -> Iterator[tuple[Any, ...]]:
    for _, name, kind, required, default, key in db.execute("SELECT * FROM pragma_table_info(?)", (table,)):
        yield name, kind, required, default, key


def _read_indexes(db: sqlite3.Connection, table: str) -> Iterator[tuple[Any, ...]]:
    for _, name, unique, _, partial in db.execute("SELECT * FROM pragma_index_list(?)", (table,)).fetchall():
        columns = db.execute("SELECT name, desc FROM pragma_index_xinfo(?) WHERE key", (name,)).fetchall()
        # The statement alone has the expressions and the condition; indexes of keys have none
        statement = db.execute("SELECT sql FROM sqlite_master WHERE name = ? AND sql <> ''", (name,))
        yield name, unique, partial, tuple(columns), tuple(statement.fetchall())


def _read_foreign_keys(db: sqlite3.Connection, table: str) -> list[Any]:
    return db.execute("SELECT * FROM pragma_foreign_key_list(?)", (table,)).fetchall()


async def test_revisions_make_the_tables_of_the_schema(path: Path, tmp_path: Path) -> None:
    await (await Store.open(make_file_url(path))).close()
    whole = tmp_path / "whole.sqlite3"
    create_schema(whole)
    migrated = read_tables(path)
    assert migrated == read_tables(whole)
    assert {strict for strict, *_ in migrated.values()} == {1}


@pytest.mark.long
async def test_revisions_make_the_tables_of_the_schema_on_postgresql(server: URL) -> None:
    def differences(tx: Tx) -> list[Any]:
        return list(compare_metadata(MigrationContext.configure(tx), schema.metadata))

    store = await Store.open(server)
    try:
        assert await store.read(differences) == []
        await store.write(lambda tx: people.store_fact(tx, "fact", "kept"))
        assert await store.read(lambda tx: people.load_fact(tx, "fact")) == "kept"
    finally:
        await store.close()


def test_head_is_alembics_head() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    assert ScriptDirectory.from_config(config).get_heads() == [migrations.HEAD]


RELEASED_REVISIONS = Path(__file__).parents[2] / "data" / "released" / "revisions.sha256"


def test_released_revisions_are_never_edited() -> None:
    """Databases exist that were made by them: a change of the tables is a new revision."""
    folder = Path(migrations.__file__).parent / "versions"
    for line in RELEASED_REVISIONS.read_text().splitlines():
        digest, name = line.split()
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest, name


async def test_revision_file_of_another_version_is_not_applied(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "migrations"
    shutil.copytree(Path(migrations.__file__).parent, folder)
    (folder / "versions" / "r9999_stale.py").write_text(
        f'revision, down_revision = "9999", "{migrations.HEAD}"\n\n\ndef upgrade() -> None:\n    pass\n'
    )
    monkeypatch.setattr(migrations, "__file__", str(folder / "__init__.py"))
    store = await Store.open(make_file_url(path))
    assert await store.read(migrations.read_revision) == migrations.HEAD
    await store.close()


async def test_second_start_changes_nothing(path: Path) -> None:
    store = await Store.open(make_file_url(path))
    await store.write(lambda tx: people.store_fact(tx, "fact", "kept"))
    await store.close()
    before = read_tables(path)
    store = await Store.open(make_file_url(path))
    assert await store.read(lambda tx: people.load_fact(tx, "fact")) == "kept"
    await store.close()
    assert read_tables(path) == before


UNRELEASED = (
    "was made by an unreleased version (revision {}), which can't be upgraded;"
    " use a new one, or a backup of 1.0 or later"
)
OTHERS = {
    **{at: UNRELEASED.format(at) for at in ("0001", "0101")},
    "9999": f"is at revision 9999, newer than this version's {migrations.HEAD}; upgrade the bot",
}


@pytest.mark.parametrize("at", OTHERS)
async def test_files_of_unreleased_and_newer_versions_are_refused(path: Path, at: str) -> None:
    await (await Store.open(make_file_url(path))).close()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE alembic_version SET version_num = ?", [at])
        db.execute("DROP TABLE tallies")
    before = read_tables(path)
    for opening in (Store.open, Store.open_without_lock):
        with pytest.raises(StoreError) as caught:
            await opening(make_file_url(path))
        assert str(caught.value) == f"the database {OTHERS[at]}"
    with pytest.raises(BackupError) as refused:
        restore_backup(path, make_file_url(path.with_name("restored.sqlite3")))
    assert str(refused.value) == f"'{path}' {OTHERS[at]}"
    assert read_tables(path) == before


@pytest.mark.long
@pytest.mark.parametrize("odd", ["", "abc", "16", "00016"])
async def test_unknown_revision_is_refused(path: Path, odd: str) -> None:
    await (await Store.open(make_file_url(path))).close()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE alembic_version SET version_num = ?", [odd])
    with pytest.raises(StoreError, match=r"at a revision that no version made: '.*'; restore a backup"):
        await Store.open(make_file_url(path))


async def test_failed_migration_leaves_nothing_behind(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE awards (id INTEGER PRIMARY KEY)")  # in the first revision's way
    with pytest.raises(StoreError):
        await Store.open(make_file_url(path))
    with closing(sqlite3.connect(path)) as db:
        left = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    assert left == ["awards"]
