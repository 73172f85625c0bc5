"""Backups and restores of SQLite files."""

import errno
import os
import re
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.engine import URL, make_url

from bot.database import Store
from bot.database import backup as module
from bot.database.backup import (
    BackupError,
    record_backup_time,
    restore_backup,
    write_backup,
    write_daily_backup,
)
from bot.database.migrations import MOVE_KEY
from bot.database.sqlite import acquire_file_lock, connect_existing


@pytest.fixture(params=[0o022, 0o000, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(0o022)
    yield int(request.param)
    os.umask(before)


@pytest.fixture
async def database_url(tmp_path: Path) -> URL:
    """The address of a database that a bot has created."""
    address = make_url(f"sqlite:///{tmp_path / 'games.sqlite3'}")
    await (await Store.open(address)).close()
    return address


def get_mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def test_backup_is_private_from_its_first_byte(
    database_url: URL, tmp_path: Path, umask: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, seen = tmp_path / "copy", list[int]()

    def connect(path: Path) -> sqlite3.Connection:
        if path.suffix == ".part":
            seen.append(get_mode(path))
        return connect_existing(path)

    monkeypatch.setattr(module, "connect_existing", connect)
    write_backup(database_url, copy)  # an older one, that anybody may read
    seen.clear()
    copy.chmod(0o644)
    (tmp_path / "copy.part").write_bytes(b"left by a kill")
    (tmp_path / "copy.part").chmod(0o644)
    os.umask(umask)
    write_backup(database_url, copy, force=True)
    assert {*seen, get_mode(copy)} == {0o600}
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert {p.name for p in tmp_path.iterdir()} == {"copy", "games.sqlite3", "games.sqlite3.lock"}


def test_backup_over_the_database_or_of_a_server_is_refused(database_url: URL, tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="itself"):
        write_backup(database_url, tmp_path / "games.sqlite3")
    with pytest.raises(BackupError, match="pg_dump"):
        write_backup(make_url("postgresql://u:secret@h/d"), tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_older_backup_is_replaced_with_force_only(database_url: URL, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.touch()  # as by mktemp: nothing is lost with it
    write_backup(database_url, copy)
    made = copy.stat().st_ino
    expected = f"'{copy}' is there already; name a new file, or replace it with --force"
    with pytest.raises(BackupError, match=re.escape(expected)):
        write_backup(database_url, copy)
    assert copy.stat().st_ino == made
    write_backup(database_url, copy, force=True)
    assert copy.stat().st_ino != made


def test_only_the_newest_daily_backups_are_kept(database_url: URL, tmp_path: Path) -> None:
    folder = tmp_path / "daily"
    folder.mkdir()
    others = {"before-upgrade.sqlite3", "twentyfour.sqlite3"}
    for name in others:
        (folder / name).touch()
    for day in (*range(1, 17), 16):
        made = write_daily_backup(database_url, folder, 14, f"2026-11-{day:02}")
        assert get_mode(made) == 0o600
    days = {f"twentyfour-2026-11-{day:02}.sqlite3" for day in range(3, 17)}
    assert {file.name for file in folder.iterdir()} == others | days


def test_failed_daily_backup_deletes_no_other(database_url: URL, tmp_path: Path) -> None:
    made = write_daily_backup(database_url, tmp_path, 1, "2026-11-23")
    Path(str(database_url.database)).write_bytes(b"no database")
    with pytest.raises(BackupError):
        write_daily_backup(database_url, tmp_path, 1, "2026-11-24")
    assert made.exists()
    with pytest.raises(BackupError, match="keep one backup at least"):
        write_daily_backup(database_url, tmp_path, 0, "2026-11-25")


def test_incomplete_database_replaces_no_backup(database_url: URL, tmp_path: Path) -> None:
    made = write_daily_backup(database_url, tmp_path, 1, "2026-11-23")
    before = made.read_bytes()
    with closing(sqlite3.connect(str(database_url.database))) as database, database:
        database.execute("DROP TABLE awards")
    expected = (
        "no backup was made: the database is incomplete or changed: the table 'awards' is missing;"
        " restore a backup"
    )
    with pytest.raises(BackupError, match=f"^{expected}$"):
        write_daily_backup(database_url, tmp_path, 1, "2026-11-23")
    assert made.read_bytes() == before
    assert restore_backup(made, database_url) is not None


def test_recording_the_time_of_a_backup_may_fail(database_url: URL) -> None:
    with closing(sqlite3.connect(str(database_url.database))) as database, database:
        database.execute("DROP TABLE meta")
    record_backup_time(database_url, 400.0)


@pytest.mark.parametrize("what", ["backup", "restore"])
def test_failed_copy_leaves_no_file_behind(
    database_url: URL, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    copy = tmp_path / "copy"
    write_backup(database_url, copy)
    before = {p.name for p in tmp_path.iterdir()}

    def full(_: int) -> None:
        (part,) = tmp_path.glob("*.part")
        part.with_name(part.name + "-journal").write_bytes(b"what the disk had room for")
        raise OSError(errno.ENOSPC, "disk is full")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BackupError, match="disk is full"):
        write_backup(database_url, copy, force=True) if what == "backup" else restore_backup(
            copy, database_url
        )
    assert {p.name for p in tmp_path.iterdir()} == before


def test_files_left_by_a_kill_are_not_used(database_url: URL, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    write_backup(database_url, copy)
    for name in ("games.sqlite3.part", "games.sqlite3.part-journal"):
        (tmp_path / name).write_bytes(b"left by a kill")
    restore_backup(copy, database_url)
    assert not list(tmp_path.glob("*.part*"))


def test_missing_files_are_named_and_not_created(database_url: URL, tmp_path: Path) -> None:
    def refused(source: str, to: str, words: str) -> None:
        before = {p: p.stat().st_size for p in tmp_path.rglob("*")}
        with pytest.raises(BackupError, match=re.escape(words)):
            write_backup(make_url(f"sqlite:///{tmp_path}/{source}"), tmp_path / to)
        assert {p: p.stat().st_size for p in tmp_path.rglob("*")} == before

    (tmp_path / "empty.sqlite3").touch()
    (tmp_path / "folder").mkdir()
    with closing(sqlite3.connect(tmp_path / "foreign.sqlite3")) as connection:
        connection.execute("CREATE TABLE alien (id)")
    refused("none.sqlite3", "copy", f"no database '{tmp_path}/none.sqlite3'")
    refused("none/games.sqlite3", "copy", f"no folder '{tmp_path}/none'")
    refused("empty.sqlite3", "copy", "is no database of this bot")
    refused("foreign.sqlite3", "copy", "is no database of this bot")
    refused("games.sqlite3", "none/copy", f"no folder '{tmp_path}/none' for the backup")
    refused("games.sqlite3", "folder", "is a folder")


def test_file_that_is_no_backup_is_not_replaced(database_url: URL, tmp_path: Path) -> None:
    # A mistyped `backup bot.env` must not overwrite the settings.
    to = tmp_path / "bot.env"
    to.write_text("BOT_TOKEN=1:a")
    with pytest.raises(BackupError, match="something else than an older backup"):
        write_backup(database_url, to)
    assert to.read_text() == "BOT_TOKEN=1:a"
    to.write_text("")
    assert write_backup(database_url, to) > 0
    assert write_backup(database_url, to, force=True) > 0


def test_pipes_are_not_replaced(database_url: URL, tmp_path: Path) -> None:
    # Root could lose /dev/null in the same way.
    to = tmp_path / "there"
    os.mkfifo(to)
    with pytest.raises(BackupError, match="no file"):
        write_backup(database_url, to)
    assert to.is_fifo()


def load_chat_ids(file: Path) -> list[object]:
    with closing(sqlite3.connect(file)) as connection:
        return [row[0] for row in connection.execute("SELECT id FROM chats ORDER BY id")]


def run_statement(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(statement)


def get_path(address: URL) -> Path:
    return Path(str(address.database))


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the content of every file but the lock."""
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file() and p.suffix != ".lock"}


@pytest.mark.long
def test_restore_keeps_the_former_database(database_url: URL, tmp_path: Path, umask: int) -> None:
    file, copy = get_path(database_url), tmp_path / "copy"
    run_statement(file, "INSERT INTO chats (id, kind) VALUES (-1, 'group')")
    write_backup(database_url, copy)
    run_statement(file, "INSERT INTO chats (id, kind) VALUES (-2, 'group')")
    os.umask(umask)
    former = restore_backup(copy, database_url)
    assert former == tmp_path / "games.sqlite3.former"
    assert (load_chat_ids(file), load_chat_ids(former), load_chat_ids(copy)) == ([-1], [-2, -1], [-1])
    assert get_mode(file) == 0o600
    run_statement(file, "DELETE FROM chats")
    second = restore_backup(copy, database_url)
    assert second == tmp_path / "games.sqlite3.former.2", "the first may be the one that is missed"
    assert (load_chat_ids(file), load_chat_ids(former), load_chat_ids(second)) == ([-1], [-2, -1], [])
    names = {"copy", file.name, former.name, second.name, "games.sqlite3.lock"}
    assert {p.name for p in tmp_path.iterdir()} == names


def test_restore_keeps_the_former_log_and_does_not_replay_it(database_url: URL, tmp_path: Path) -> None:
    # After a kill the newest rows are only in the log, which belongs to the former file.
    file, copy = get_path(database_url), tmp_path / "copy"
    write_backup(database_url, copy)
    live = sqlite3.connect(file)
    live.execute("PRAGMA journal_mode=WAL")
    live.execute("INSERT INTO chats (id, kind) VALUES (-3, 'group')")
    live.commit()
    torn = {suffix: Path(f"{file}{suffix}").read_bytes() for suffix in ("", "-wal")}
    live.close()
    for suffix, content in torn.items():
        Path(f"{file}{suffix}").write_bytes(content)
    former = restore_backup(copy, database_url)
    assert former is not None
    assert (load_chat_ids(file), load_chat_ids(former)) == ([], [-3])


def test_damaged_database_can_be_replaced(database_url: URL, tmp_path: Path) -> None:
    file, copy = get_path(database_url), tmp_path / "copy"
    run_statement(file, "INSERT INTO chats (id, kind) VALUES (-1, 'group')")
    write_backup(database_url, copy)
    file.write_bytes(b"\xa5" * 20_000)
    Path(f"{file}-wal").write_bytes(b"\x5a" * 5000)
    former = restore_backup(copy, database_url)
    assert load_chat_ids(file) == [-1]
    assert former is not None
    assert former.read_bytes() == b"\xa5" * 20_000
    assert Path(f"{former}-wal").read_bytes() == b"\x5a" * 5000
    assert not Path(f"{file}-wal").exists()


def test_restore_creates_a_missing_database(database_url: URL, tmp_path: Path) -> None:
    copy, new = tmp_path / "copy", tmp_path / "new" / "games.sqlite3"
    write_backup(database_url, copy)
    assert restore_backup(copy, make_url(f"sqlite:///{new}")) is None
    assert load_chat_ids(new) == []
    assert get_mode(new.parent) == 0o700


def test_restore_refuses_running_bots_and_invalid_backups(database_url: URL, tmp_path: Path) -> None:
    file, copy = get_path(database_url), tmp_path / "copy"
    write_backup(database_url, copy)
    damaged, newer, alien, half = (tmp_path / name for name in ("damaged", "newer", "alien", "half"))
    half.write_bytes(copy.read_bytes())
    run_statement(half, f"INSERT INTO meta VALUES ('{MOVE_KEY}', 'x')")  # noqa: S608 - a test's own words
    alien.write_bytes(b"no database")
    newer.write_bytes(copy.read_bytes())
    run_statement(newer, "UPDATE alembic_version SET version_num = '9999'")
    damaged.write_bytes(copy.read_bytes()[:40_960] + b"\xa5" * 8192 + copy.read_bytes()[49_152:])
    before = read_files(tmp_path)

    def refused(source: Path, words: str) -> None:
        with pytest.raises(BackupError, match=re.escape(words)):
            restore_backup(source, database_url)
        assert read_files(tmp_path) == before

    refused(tmp_path / "none", f"there is no database '{tmp_path}/none'")
    refused(alien, f"the database '{alien}' can't be opened: ")
    refused(newer, "is at revision 9999, newer than this version's")
    run_statement(newer, "DELETE FROM alembic_version")
    before = read_files(tmp_path)
    refused(newer, f"'{newer}' is no backup of this bot: it says of no version")
    run_statement(newer, "DROP TABLE meta")
    before = read_files(tmp_path)
    refused(newer, f"'{newer}' is no backup of this bot, or damaged: no such table: meta")
    refused(half, "is of a move that was cut off: not all is in it")
    refused(damaged, "nothing was restored: ")
    refused(file, "is the database itself")
    held = acquire_file_lock(file)
    assert held is not None
    with held:
        refused(copy, f"a bot runs on '{file}': stop it first")
    with pytest.raises(BackupError, match="use pg_restore"):
        restore_backup(copy, make_url("postgresql://127.0.0.1/games"))
