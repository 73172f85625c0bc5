"""A copy of the database while the bot goes on writing to it, and such a copy put in the database's place.

Copying the file itself would tear it: the newest rows stand in the log beside it. SQLite's own backup
reads one snapshot, the copy is checked, and only then does it get its name. Nobody but its owner can read it.
What is restored goes the same way; whenever that is cut off, the database is the former one or the new one.
"""

import contextlib
import os
import shutil
import sqlite3
from itertools import chain, count
from pathlib import Path

from sqlalchemy import NullPool, create_engine
from sqlalchemy.engine import URL

from bot.database.migrations import MOVE_KEY, explain_unusable_revision
from bot.database.schema_check import Difference, find_schema_difference
from bot.database.sqlite import (
    acquire_file_lock,
    connect_existing,
    create_private_file,
    explain_unreachable,
    explain_unusable,
    resolve_links,
)

LAST_BACKUP_KEY = (
    "backed up"  # the fact in `meta` that says when the last backup was made, in seconds since 1970
)


class BackupError(Exception):
    """No backup was made, or none put back; the message is one line."""


def write_backup(database: URL, to: Path, *, force: bool = False) -> int:
    """Write a checked copy of `database` to the file `to`; returns its size in bytes. Raises BackupError.

    With `force` an older backup of that name is replaced; it stands until the new one is whole.
    """
    if database.get_backend_name() != "sqlite":
        raise BackupError("this copies SQLite files; for PostgreSQL use pg_dump --format=custom")
    source, to = Path(str(database.database)), to.absolute()
    try:
        trouble = explain_unusable(source) or _no_place(to, source, force=force)
    except OSError as error:
        trouble = f"{str(to)!r} can't be reached: {error.strerror or error}"
    if trouble:
        raise BackupError(trouble)
    part = to.with_name(to.name + ".part")
    try:
        copy_database_file(source, part)
        if difference := _find_difference(part):
            raise sqlite3.DatabaseError(
                f"the database is not whole: {difference.problem}; {difference.remedy}"
            )
        part.replace(to)
    except (sqlite3.Error, OSError) as error:
        with contextlib.suppress(OSError):
            delete_database_file(part)
        raise BackupError(f"no backup was made: {error}") from None
    return to.stat().st_size


def write_daily_backup(database: URL, folder: Path, keep: int, day: str) -> Path:
    """Write the backup of `day` to `folder` and delete all but the newest `keep` of such backups.

    Return the new file, which replaces an earlier one of the same day. Raises BackupError.
    """
    if keep < 1:
        raise BackupError("--keep: keep one backup at least")
    to = folder / f"twentyfour-{day}.sqlite3"
    write_backup(database, to, force=True)
    for old in sorted(folder.glob("twentyfour-????-??-??.sqlite3"))[:-keep]:
        old.unlink()
    return to


def record_backup_time(database: URL, at: float) -> None:
    """Note in the database that a backup was made at `at`, for /metrics."""
    noted = (
        "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
    )
    with (
        contextlib.suppress(sqlite3.Error),  # a database that takes no writes can be backed up all the same
        contextlib.closing(connect_existing(Path(str(database.database)))) as connection,
        connection,
    ):
        connection.execute(noted, (LAST_BACKUP_KEY, str(round(at))))


def restore_backup(backup: Path, database: URL) -> Path | None:
    """Put a backup in the database's place; returns where the former one is kept, if there was one.

    Raises BackupError for a file that is no backup, and while a bot runs on the database.
    """
    if database.get_backend_name() != "sqlite":
        raise BackupError("this puts SQLite files back; for PostgreSQL use pg_restore --clean --if-exists")
    target = resolve_links(Path(str(database.database)))
    trouble = explain_unusable(backup) or explain_unreachable(target) or _unfit(backup, target)
    if trouble:
        raise BackupError(trouble)
    part = target.with_name(target.name + ".part")
    try:
        with acquire_file_lock(target):
            copy_database_file(backup, part)
            if difference := _find_difference(part):
                raise sqlite3.DatabaseError(
                    f"the backup is not whole: {difference.problem}; take another one"
                )
            former = _kept(target, part)
            part.replace(target)
    except BlockingIOError:
        raise BackupError(f"a bot runs on {str(target)!r}: stop it first") from None
    except (sqlite3.Error, OSError) as error:
        with contextlib.suppress(OSError):
            delete_database_file(part)
        raise BackupError(f"nothing was restored: {error}") from None
    return former


def _unfit(backup: Path, target: Path) -> str | None:
    """Why the backup can't be the database; None if it can."""
    if target.exists() and target.samefile(backup):
        return f"{str(backup)!r} is the database itself"
    try:
        with contextlib.closing(connect_existing(backup)) as connection:
            (at,) = connection.execute("SELECT max(version_num) FROM alembic_version").fetchone()
            (moved,) = connection.execute("SELECT count(*) FROM meta WHERE key = ?", (MOVE_KEY,)).fetchone()
    except sqlite3.Error as error:  # as of another program whose tables are made the same way
        return f"{str(backup)!r} is no backup of this bot, or damaged: {error}"
    if at is None:
        return f"{str(backup)!r} is no backup of this bot: it says of no version"
    if reason := explain_unusable_revision(str(at)):
        return f"{str(backup)!r} {reason}"
    if moved:
        return f"{str(backup)!r} is of a move that was cut off: not all is in it"
    return None


def _find_difference(part: Path) -> Difference | None:
    """Return what of a copy's tables is not as the bot has made it; None where all is well."""
    engine = create_engine("sqlite://", creator=lambda: connect_existing(part), poolclass=NullPool)
    with engine.connect() as tx:
        return find_schema_difference(tx)


def _kept(target: Path, part: Path) -> Path | None:
    """Keep the database that is there under another name, with what SQLite has beside it.

    What takes its place (`part`) belongs to the same owner.
    """
    if not target.is_file():
        return None
    owner = target.stat()
    if os.geteuid() == 0:
        os.chown(part, owner.st_uid, owner.st_gid)
    former, log = _free(target), target.with_name(target.name + "-wal")
    kept_log = former.with_name(former.name + "-wal")
    if log.exists():
        shutil.copyfile(log, kept_log)  # SQLite would drop one that it can't read
        kept_log.chmod(0o600)
    if _emptied_log(target):
        kept_log.unlink(missing_ok=True)
    former.hardlink_to(target)
    for beside in (log, target.with_name(target.name + "-shm")):
        beside.unlink(missing_ok=True)
    return former


def _free(target: Path) -> Path:
    """A name for the former database that none has yet: whoever restores twice may want the first."""
    names = (f"{target.name}.former{number}" for number in chain([""], (f".{n}" for n in count(2))))
    return next(path for path in map(target.with_name, names) if not _is_taken(path))


def _is_taken(path: Path) -> bool:
    return path.exists() or path.with_name(path.name + "-wal").exists()


def _emptied_log(target: Path) -> bool:
    """Bring what stands in the log into the file; whether all of it is there."""
    try:
        with contextlib.closing(connect_existing(target)) as connection:
            (busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.Error:
        return False
    return not busy


def _no_place(to: Path, source: Path, *, force: bool) -> str | None:
    """Why no copy can be written to `to`; None if one may be."""
    if not to.parent.is_dir():
        return f"there is no folder {str(to.parent)!r} for the backup"
    if to.is_dir():
        return f"{str(to)!r} is a folder; name a file in it"
    if to.is_symlink():
        return f"{str(to)!r} is a link; name the file itself"
    if to.exists() and not to.is_file():
        return f"{str(to)!r} is no file; name a new one, or an older backup"
    if to.exists() and to.samefile(source):
        return "a backup can't take the place of the database itself"
    if to.exists() and to.stat().st_size and explain_unusable(to):
        return f"{str(to)!r} is something else than an older backup; name a new file"
    if to.exists() and to.stat().st_size and not force:
        return f"{str(to)!r} is there already; name a new file, or replace it with --force"
    return None


def delete_database_file(part: Path) -> None:
    """Delete a copy and what SQLite has beside it, which it would take for the next copy's."""
    for ending in ("-journal", "-wal", "-shm", ""):
        part.with_name(part.name + ending).unlink(missing_ok=True)


def copy_database_file(source: Path, part: Path) -> None:
    """Write a checked copy of a database to `part`, which only its owner may read, in place of any before.

    Raises sqlite3.Error and OSError.
    """
    delete_database_file(part)
    create_private_file(part)
    _copy(source, part)


def _copy(source: Path, part: Path) -> None:
    with (
        contextlib.closing(connect_existing(source)) as live,
        contextlib.closing(connect_existing(part)) as copy,
    ):
        live.backup(copy)  # all pages in one step: one snapshot, however much is written meanwhile
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, nothing beside it
        (verdict,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(f"the copy is damaged: {verdict}")
    descriptor = os.open(part, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
