"""Databases are brought up to date whole; newer and unreleased ones are refused."""

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
from sqlalchemy import create_engine, inspect, select, table, text
from sqlalchemy.engine import URL, make_url

from bot.database import Store, StoreError, Tx, migrations, schema
from bot.database.backup import BackupError, restore_backup
from bot.players import queries as people
from tests.bot.postgres import fresh_database


def url(path: Path) -> URL:
    return make_url(f"sqlite:///{path}")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.sqlite3"


@pytest.fixture
async def server() -> AsyncIterator[URL]:
    async with fresh_database() as address:
        yield address


def made_whole(path: Path) -> None:
    """The tables as the schema has them, without any revision."""
    engine = create_engine(f"sqlite:///{path}")
    schema.metadata.create_all(engine)
    engine.dispose()


def tables(path: Path) -> dict[str, Any]:
    """What SQLite itself knows of every table: columns, primary keys, indexes, strictness."""
    with closing(sqlite3.connect(path)) as db:
        names = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        strict = {row[1]: row[5] for row in db.execute("PRAGMA table_list")}
        return {
            name: (strict[name], list(_columns(db, name)), sorted(_indexes(db, name)), _keys(db, name))
            for name in names
            if name != "alembic_version" and not name.startswith("sqlite_")
        }


def _columns(db: sqlite3.Connection, table: str) -> Iterator[tuple[Any, ...]]:
    for _, name, kind, required, default, key in db.execute("SELECT * FROM pragma_table_info(?)", (table,)):
        yield name, kind, required, default, key


def _indexes(db: sqlite3.Connection, table: str) -> Iterator[tuple[Any, ...]]:
    for _, name, unique, _, partial in db.execute("SELECT * FROM pragma_index_list(?)", (table,)).fetchall():
        columns = db.execute("SELECT name, desc FROM pragma_index_xinfo(?) WHERE key", (name,)).fetchall()
        yield name, unique, partial, tuple(columns)


def _keys(db: sqlite3.Connection, table: str) -> list[Any]:
    return db.execute("SELECT * FROM pragma_foreign_key_list(?)", (table,)).fetchall()


async def test_the_revisions_make_the_tables_of_the_schema(path: Path, tmp_path: Path) -> None:
    await (await Store.open(url(path))).close()
    whole = tmp_path / "whole.sqlite3"
    made_whole(whole)
    migrated = tables(path)
    assert migrated == tables(whole)
    assert {strict for strict, *_ in migrated.values()} == {1}


@pytest.mark.long
async def test_the_revisions_make_the_tables_of_the_schema_on_postgresql(server: URL) -> None:
    def differences(tx: Tx) -> list[Any]:
        return list(compare_metadata(MigrationContext.configure(tx), schema.metadata))

    store = await Store.open(server)
    try:
        assert await store.read(differences) == []
        await store.write(lambda tx: people.store_fact(tx, "fact", "kept"))
        assert await store.read(lambda tx: people.load_fact(tx, "fact")) == "kept"
    finally:
        await store.close()


@pytest.mark.long
async def test_postgresql_serves_one_bot(server: URL) -> None:
    first = await Store.open(server)
    try:
        with pytest.raises(StoreError, match="another bot already runs on this database"):
            await Store.open(server)
    finally:
        await first.close()
    await (await Store.open(server)).close()


def test_head_is_alembics_head() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    assert ScriptDirectory.from_config(config).get_heads() == [migrations.HEAD]


async def test_a_revision_file_of_another_version_is_not_applied(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "migrations"
    shutil.copytree(Path(migrations.__file__).parent, folder)
    (folder / "versions" / "r9999_stale.py").write_text(
        f'revision, down_revision = "9999", "{migrations.HEAD}"\n\n\ndef upgrade() -> None:\n    pass\n'
    )
    monkeypatch.setattr(migrations, "__file__", str(folder / "__init__.py"))
    store = await Store.open(url(path))
    assert await store.read(migrations.read_revision) == migrations.HEAD
    await store.close()


async def test_a_second_start_changes_nothing(path: Path) -> None:
    store = await Store.open(url(path))
    await store.write(lambda tx: people.store_fact(tx, "fact", "kept"))
    await store.close()
    before = tables(path)
    store = await Store.open(url(path))
    assert await store.read(lambda tx: people.load_fact(tx, "fact")) == "kept"
    await store.close()
    assert tables(path) == before


UNRELEASED = "is an unreleased version's (revision {}); let DATABASE_URL name a new one"
OTHERS = {
    **{at: UNRELEASED.format(at) for at in ("0001", "0028")},
    "9999": f"is at revision 9999, newer than this version's {migrations.HEAD}; upgrade the bot",
}


@pytest.mark.parametrize("at", OTHERS)
async def test_files_of_unreleased_and_newer_versions_are_refused(path: Path, at: str) -> None:
    await (await Store.open(url(path))).close()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE alembic_version SET version_num = ?", [at])
        db.execute("DROP TABLE tallies")
    before = tables(path)
    for opening in (Store.open, Store.open_without_lock):
        with pytest.raises(StoreError) as caught:
            await opening(url(path))
        assert str(caught.value) == f"the database {OTHERS[at]}"
    with pytest.raises(BackupError) as refused:
        restore_backup(path, url(path.with_name("restored.sqlite3")))
    assert str(refused.value) == f"'{path}' {OTHERS[at]}"
    assert tables(path) == before


@pytest.mark.long
@pytest.mark.parametrize("odd", ["", "abc", "16", "00016"])
async def test_an_unknown_revision_is_refused(path: Path, odd: str) -> None:
    await (await Store.open(url(path))).close()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE alembic_version SET version_num = ?", [odd])
    with pytest.raises(StoreError, match=r"at a revision that no version made: '.*'; restore a backup"):
        await Store.open(url(path))


async def test_a_failed_migration_leaves_nothing_behind(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE awards (id INTEGER PRIMARY KEY)")  # in the first revision's way
    with pytest.raises(StoreError):
        await Store.open(url(path))
    with closing(sqlite3.connect(path)) as db:
        left = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    assert left == ["awards"]


async def test_every_table_of_the_schema_can_be_read(path: Path) -> None:
    def look(tx: Tx) -> set[str]:
        for name in inspect(tx).get_table_names():
            tx.execute(select(text("*")).select_from(table(name)).limit(1))
        return set(inspect(tx).get_table_names())

    store = await Store.open(url(path))
    assert await store.read(look) == {*schema.metadata.tables, "alembic_version"}
    await store.close()
