"""Back up a SQLite database while the bot goes on writing to it, and restore such a backup.

Copying the file itself would tear it: the newest rows are in the log beside it. So SQLite's own backup reads
one snapshot, the copy is checked, and only then does it get its name. Only its owner can read it. A restore
works the same way: if it is cut off, the database is the former one or the new one.
"""

import contextlib
import os
import shutil
import sqlite3
from pathlib import Path

from sqlalchemy import NullPool, create_engine
from sqlalchemy.engine import URL

from bot.database.migrations import MOVE_KEY, explain_unusable_revision
from bot.database.schema_check import find_schema_fault
from bot.database.sqlite import (
    acquire_file_lock,
    connect_existing,
    create_private_file,
    explain_unreachable,
    explain_unusable,
    resolve_links,
)

LAST_BACKUP_KEY = "backed up"  # the key in `meta` of the time of the last backup, in seconds since 1970


class BackupError(Exception):
    """No backup was made, or none restored; the message is one line."""


def write_backup(database: URL, file: Path, *, force: bool = False) -> int:
    """Write a checked copy of a SQLite file to `file` and return its size in bytes. With `force` an older
    backup of that name is replaced once the new one is complete. Raises BackupError, also for a server.
    """
    if database.get_backend_name() != "sqlite":
        raise BackupError("this copies SQLite files; for PostgreSQL use pg_dump --format=custom")
    source = Path(str(database.database))
    file = file.absolute()
    try:
        problem = explain_unusable(source) or _explain_unusable_copy(file, source, force=force)
    except OSError as error:
        problem = f"{str(file)!r} can't be reached: {error.strerror or error}"
    if problem:
        raise BackupError(problem)
    unfinished = file.with_name(file.name + ".part")
    try:
        copy_database_file(source, unfinished)
        _require_whole(unfinished, name="the database")
        unfinished.replace(file)
    except (sqlite3.Error, OSError) as error:
        with contextlib.suppress(OSError):
            delete_database_file(unfinished)
        raise BackupError(f"no backup was made: {error}") from None
    return file.stat().st_size


def _explain_unusable_copy(file: Path, source: Path, *, force: bool) -> str | None:
    """Return why `source` can't be copied to `file`; None if it can. `force` allows an older backup there."""
    if not file.parent.is_dir():
        return f"there is no folder {str(file.parent)!r} for the backup"
    if not file.exists():
        return None
    if not file.is_file():
        return f"{str(file)!r} is a folder, or no file; name a new file, or an older backup"
    if file.samefile(source):
        return "a backup can't take the place of the database itself"
    if file.stat().st_size == 0:  # as `mktemp` makes one
        return None
    if explain_unusable(file):
        return f"{str(file)!r} is something else than an older backup; name a new file"
    if not force:
        return f"{str(file)!r} is there already; name a new file, or replace it with --force"
    return None


def write_daily_backup(database: URL, folder: Path, keep: int, day: str) -> Path:
    """Write the backup of `day` to `folder`, delete all but the newest `keep` of such backups, and return the
    new file, which replaces an earlier one of the same day. Raises BackupError.
    """
    if keep < 1:
        raise BackupError("--keep: keep one backup at least")
    file = folder / f"twentyfour-{day}.sqlite3"
    write_backup(database, file, force=True)
    backups = sorted(folder.glob("twentyfour-????-??-??.sqlite3"))  # the oldest first
    for old in backups[:-keep]:
        old.unlink()
    return file


def record_backup_time(database: URL, at: float) -> None:
    """Store in the database that a backup was made at `at`, for /metrics; ignore errors of the database."""
    upsert = (
        "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
    )
    file = Path(str(database.database))
    with contextlib.suppress(sqlite3.Error), contextlib.closing(connect_existing(file)) as connection:
        connection.execute(upsert, (LAST_BACKUP_KEY, str(round(at))))
        connection.commit()


def restore_backup(backup: Path, database: URL) -> Path | None:
    """Put a backup in the place of a SQLite file; return where the former file is kept, None if there was
    none. Raises BackupError for a server, for a file that is no backup, and while a bot runs on the database.
    """
    if database.get_backend_name() != "sqlite":
        raise BackupError("this puts SQLite files back; for PostgreSQL use pg_restore --clean --if-exists")
    target = resolve_links(Path(str(database.database)))
    problem = explain_unusable(backup) or explain_unreachable(target)
    problem = problem or _explain_unusable_backup(backup, target)
    if problem:
        raise BackupError(problem)
    unfinished = target.with_name(target.name + ".part")
    try:
        with acquire_file_lock(target):
            copy_database_file(backup, unfinished)
            _require_whole(unfinished, name="the backup", remedy="take another one")
            former = _keep_former_database(target, unfinished)
            unfinished.replace(target)
            return former
    except BlockingIOError:
        raise BackupError(f"a bot runs on {str(target)!r}: stop it first") from None
    except (sqlite3.Error, OSError) as error:
        with contextlib.suppress(OSError):
            delete_database_file(unfinished)
        raise BackupError(f"nothing was restored: {error}") from None


def _explain_unusable_backup(backup: Path, target: Path) -> str | None:
    """Return why the backup can't be the database; None if it can."""
    if target.exists() and target.samefile(backup):
        return f"{str(backup)!r} is the database itself"
    try:
        with contextlib.closing(connect_existing(backup)) as connection:
            (revision,) = connection.execute("SELECT max(version_num) FROM alembic_version").fetchone()
            (moves,) = connection.execute("SELECT count(*) FROM meta WHERE key = ?", (MOVE_KEY,)).fetchone()
    except sqlite3.Error as error:  # as of another program that uses Alembic
        return f"{str(backup)!r} is no backup of this bot, or damaged: {error}"
    if revision is None:
        return f"{str(backup)!r} is no backup of this bot: it says of no version"
    problem = explain_unusable_revision(str(revision))
    if problem:
        return f"{str(backup)!r} {problem}"
    if moves > 0:
        return f"{str(backup)!r} is of a move that was cut off: not all is in it"
    return None


def _require_whole(copy: Path, name: str, remedy: str = "") -> None:
    """Raise sqlite3.DatabaseError if a table or column is missing, or there is a trigger. The message calls
    the file `name`, and ends with `remedy` or else with the remedy of the fault.
    """
    engine = create_engine("sqlite://", creator=lambda: connect_existing(copy), poolclass=NullPool)
    with engine.connect() as tx:
        fault = find_schema_fault(tx)
    if fault is not None:
        message = f"{name} is incomplete or changed: {fault.problem}; {remedy or fault.remedy}"
        raise sqlite3.DatabaseError(message)


def _keep_former_database(target: Path, restored: Path) -> Path | None:
    """Link the database at `target` under a free name, move its log there, and return that name. Return None
    if there is no database. As root, also give its owner to `restored`, which will replace it.
    """
    if not target.is_file():
        return None
    if os.geteuid() == 0:
        owner = target.stat()
        os.chown(restored, owner.st_uid, owner.st_gid)
    former = _find_free_name(target)
    log = target.with_name(target.name + "-wal")
    former_log = former.with_name(former.name + "-wal")
    if log.exists():
        shutil.copyfile(log, former_log)  # SQLite would delete a log that it can't read
        former_log.chmod(0o600)
    if _empty_log(target):
        former_log.unlink(missing_ok=True)  # all of it is in the database now
    former.hardlink_to(target)
    # SQLite would take the files beside the former database for those of the restored one
    for file in (log, target.with_name(target.name + "-shm")):
        file.unlink(missing_ok=True)
    return former


def _find_free_name(target: Path) -> Path:
    """Return a free name for the former database; an earlier one is not replaced, since it may be missed."""
    former = target.with_name(f"{target.name}.former")
    number = 1
    while former.exists() or former.with_name(former.name + "-wal").exists():
        number += 1
        former = target.with_name(f"{target.name}.former.{number}")
    return former


def _empty_log(target: Path) -> bool:
    """Copy SQLite's log into the database and empty it; return False if that fails or is not complete."""
    try:
        with contextlib.closing(connect_existing(target)) as connection:
            (is_busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.Error:
        return False
    return not is_busy


def copy_database_file(source: Path, target: Path) -> None:
    """Write a checked private copy of a database over `target`. Raises sqlite3.Error and OSError."""
    delete_database_file(target)
    create_private_file(target)
    with (
        contextlib.closing(connect_existing(source)) as live,
        contextlib.closing(connect_existing(target)) as copy,
    ):
        live.backup(copy)  # all pages in one step: one snapshot, however much is written meanwhile
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, nothing beside it
        (verdict,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(f"the copy is damaged: {verdict}")
    descriptor = os.open(target, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def delete_database_file(file: Path) -> None:
    """Delete a copy, if it is there, and SQLite's files beside it."""
    # the files beside it would be taken for those of the next copy
    for ending in ("-journal", "-wal", "-shm", ""):
        file.with_name(file.name + ending).unlink(missing_ok=True)
