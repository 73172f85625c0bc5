"""Databases are brought up to date whole, and newer ones are refused."""

import shutil
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect, select, table, text
from sqlalchemy.engine import URL, make_url

from bot.database import Store, StoreError, Tx, migrations, schema
from bot.games.daily import queries as daily
from bot.games.daily import rules as daily_rules
from bot.games.rounds import photos, tries
from bot.games.rounds import queries as rounds
from bot.groups.settings import rules as preferences
from bot.people import queries as people
from bot.people.leaderboard import queries as boards
from bot.people.stats import queries as records
from bot.zones import title as zone_title
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


async def test_the_revisions_end_where_the_schema_is(path: Path, tmp_path: Path) -> None:
    await (await Store.open(url(path))).close()
    whole = tmp_path / "whole.sqlite3"
    made_whole(whole)
    migrated = tables(path)
    assert migrated == tables(whole)
    assert {strict for strict, *_ in migrated.values()} == {1}


@pytest.mark.long
async def test_on_postgresql_as_well(server: URL) -> None:
    def differences(tx: Tx) -> list[Any]:
        return list(compare_metadata(MigrationContext.configure(tx), schema.metadata))

    store = await Store.open(server)
    try:
        assert await store.read(differences) == []
        await store.write(lambda tx: people.remember(tx, "fact", "kept"))
        assert await store.read(lambda tx: people.fact(tx, "fact")) == "kept"
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


def test_the_head_is_alembics_own() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    assert ScriptDirectory.from_config(config).get_heads() == [migrations.HEAD]


async def test_another_versions_revision_in_the_folder_is_not_applied(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "migrations"
    shutil.copytree(Path(migrations.__file__).parent, folder)
    (folder / "versions" / "r9999_stale.py").write_text(
        f'revision, down_revision = "9999", "{migrations.HEAD}"\n\n\ndef upgrade() -> None:\n    pass\n'
    )
    monkeypatch.setattr(migrations, "__file__", str(folder / "__init__.py"))
    store = await Store.open(url(path))
    assert await store.read(migrations.revision) == migrations.HEAD
    await store.close()


def _first(path: Path) -> None:
    """A database as the first revision left it, with a little in it."""
    engine = create_engine(f"sqlite:///{path}")
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
    engine.dispose()
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(
            """
            INSERT INTO players (id, name, username) VALUES
                (1, 'Ann', 'ann24'), (2, 'Bob', 'ANN24'), (3, 'Eve', 'eve'), (4, 'Kim', NULL);
            INSERT INTO rounds (id, chat_id, kind, numbers, target, level, expected, ideas, state, dealer_id,
                message_id, opened, deadline, shown)
                VALUES (7, -1, 'first', '3 8 3 8', 24, 'hard', 9.5, '[]', 'open', 1, 5, 100.0, 700.0, 100.0);
            INSERT INTO tries (round_id, player_id, wrong, note) VALUES (7, 1, 1, 'one'), (7, 2, 1, 'two');
            INSERT INTO attempts (day, player_id, state, opened) VALUES ('2026-11-21', 1, 'open', 100.0);
            """
        )


async def test_an_old_database_plays_on(path: Path) -> None:
    _first(path)
    store = await Store.open(url(path))

    def play_on(tx: Tx) -> None:
        tries.note(tx, 7, 1, "three")
        people.saw(tx, people.Player(2, "Bob", "ANN24"))

    assert await store.read(lambda tx: records.by_username(tx, "ann24")) is None  # nobody knows whose it is
    await store.write(play_on)
    known = await store.read(lambda tx: records.by_username(tx, "ann24"))
    assert known == people.Player(2, "Bob", "ANN24")
    eve = await store.read(lambda tx: records.by_username(tx, "EVE"))
    assert eve == people.Player(3, "Eve", "eve")
    assert [n.note for n in await store.read(lambda tx: tries.notes(tx, 7))] == ["two", "three"]
    round = await store.read(lambda tx: rounds.by_message(tx, -1, 5))
    assert round is not None
    assert round.seen
    assert await store.read(lambda tx: photos.shown(tx, -1, 5)) == ""  # it stays a text
    attempt = await store.read(lambda tx: daily.attempt(tx, "2026-11-21", 1))
    assert attempt is not None
    assert daily_rules.solved(attempt, "8/(3-8/3)", 142.0).seconds == 42.0
    await store.close()


async def test_a_second_start_changes_nothing(path: Path) -> None:
    store = await Store.open(url(path))
    await store.write(lambda tx: people.remember(tx, "fact", "kept"))
    await store.close()
    before = tables(path)
    store = await Store.open(url(path))
    assert await store.read(lambda tx: people.fact(tx, "fact")) == "kept"
    await store.close()
    assert tables(path) == before


@pytest.mark.long
async def test_a_newer_database_is_refused_and_left_alone(path: Path) -> None:
    await (await Store.open(url(path))).close()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
        db.execute("DELETE FROM meta WHERE key = 'usable from'")
    before = tables(path)
    with pytest.raises(StoreError, match=r"revision 9999, newer than this version's \d{4}; upgrade the bot"):
        await Store.open(url(path))
    assert tables(path) == before


@pytest.mark.long
async def test_newer_tables_that_this_version_can_use_are_used_and_left_alone(path: Path) -> None:
    await (await Store.open(url(path))).close()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
        db.execute("ALTER TABLE players ADD COLUMN motto TEXT")
        assert db.execute("SELECT value FROM meta WHERE key = 'usable from'").fetchall() == [
            (migrations.USABLE,)
        ]
    before = tables(path)
    store = await Store.open(url(path))
    await store.write(lambda tx: people.saw(tx, people.Player(1, "Ann")))
    await store.close()
    assert tables(path) == before
    with pytest.raises(StoreError, match=r"revision 9999, newer than this version's \d{4}; upgrade the bot"):
        await Store.open(url(path), same=True)
    beside = await Store.open_beside(url(path))
    await beside.close()


@pytest.mark.long
@pytest.mark.parametrize("fact", ["9998", None])
async def test_newer_tables_that_this_version_cant_use_are_refused(path: Path, fact: str | None) -> None:
    await (await Store.open(url(path))).close()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
        db.execute("UPDATE meta SET value = ? WHERE key = 'usable from'", [fact]) if fact else db.execute(
            "DELETE FROM meta WHERE key = 'usable from'"
        )
    with pytest.raises(StoreError, match=r"revision 9999, newer than this version's \d{4}; upgrade the bot"):
        await Store.open(url(path))


def test_what_is_usable_is_no_newer_than_what_is_there() -> None:
    assert "0016" <= migrations.USABLE <= migrations.HEAD


@pytest.mark.long
@pytest.mark.parametrize("odd", ["", "abc", "16", "00016"])
async def test_a_revision_that_nobody_made_is_refused(path: Path, odd: str) -> None:
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


@pytest.mark.long
async def test_a_database_of_the_first_revision_opens_and_knows_what_was_shown(path: Path) -> None:
    engine = create_engine(url(path))
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    with engine.begin() as tx:
        config.attributes["connection"] = tx
        command.upgrade(config, "0001")
        tx.execute(text("INSERT INTO reveals (hand, reader, at) VALUES ('3 3 8 8 → 24', 7, 1.0)"))
    engine.dispose()
    store = await Store.open(url(path))
    rows = await store.read(lambda tx: [tuple(row) for row in tx.execute(select(schema.reveals))])
    assert rows == [("3 3 8 8 → 24", 7, 1.0, 0)]
    await store.close()


@pytest.mark.long
async def test_what_was_scored_before_there_were_other_games_was_scored_in_24(path: Path) -> None:
    _first(path)
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(
            """
            INSERT INTO totals (chat_id, period, player_id, points, wins) VALUES
                (-1, 'all', 1, 5, 2), (-1, '2026-W47', 1, 3, 1), (0, 'all', 1, 5, 2);
            INSERT INTO histogram (chat_id, period, points, players) VALUES
                (-1, 'all', 5, 1), (-1, '2026-W47', 3, 1), (0, 'all', 5, 1);
            """
        )
    store = await Store.open(url(path))
    for period, points in (
        ("all", 5),
        ("24 all", 5),
        ("2026-W47", 3),
        ("24 2026-W47", 3),
        ("countdown all", None),
    ):
        own = await store.read(lambda tx, period=period: boards.standing(tx, -1, 1, period))  # type: ignore[misc]
        assert (own and (own.rank, own.points)) == (points and (1, points))
    sums = await store.read(
        lambda tx: sorted(tx.execute(select(schema.totals.c.chat_id, schema.totals.c.period)))
    )
    assert [tuple(row) for row in sums if row.chat_id == 0] == [(0, "24 all"), (0, "all")]
    await store.close()


async def test_hours_with_an_offset_become_hours_in_a_zone(path: Path) -> None:
    stored = {
        -1: '{"quiet": [1320, 420, 120], "level": "hard"}',
        -2: '{"posts": [1, 0, 600, 0, "en"], "quiet": [1320, 420, -210]}',
        3: '{"reminder": [600, 330, "en"]}',
        -4: '{"quiet": [1320, 420, -720], "posts": [1, 0, 600, 840, "en"]}',
        -5: '{"posts": [1, 0, 600, 0, "en"]}',
        -6: '{"level": "hard"}',
        -7: '["quiet"]',
        -8: '{"quiet": "quiet',
        -9: '{"quiet": [1320, 420, 90000]}',
    }
    _first(path)
    with closing(sqlite3.connect(path)) as db, db:
        rows = [(number, "supergroup", settings) for number, settings in stored.items()]
        db.executemany("INSERT INTO chats (id, kind, settings) VALUES (?, ?, ?)", rows)
    store = await Store.open(url(path))

    def zones(tx: Tx) -> dict[int, object]:
        chats = (people.find_chat(tx, number, "supergroup") for number in stored)
        return {chat.id: chat.settings.get("timezone") for chat in chats}

    assert await store.read(zones) == {
        -1: "Etc/GMT-2",
        -2: "America/St_Johns",
        3: "Asia/Kolkata",
        -4: "Etc/GMT-14",
        -5: "UTC",
        -6: None,
        -7: None,
        -8: None,
        -9: "UTC",
    }
    kept = await store.read(lambda tx: people.find_chat(tx, -1, "supergroup"))
    assert kept.settings["quiet"] == [1320, 420, 120], "a version before reads it as it was"
    chosen = preferences.of(kept)
    assert (chosen.quiet, zone_title(chosen.zone)) == (preferences.Quiet(1320, 420), "UTC+2")
    await store.close()
