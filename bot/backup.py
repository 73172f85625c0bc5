"""A copy of the database while the bot goes on writing to it.

Copying the file itself would tear it: the newest rows stand in the log beside it. SQLite's own backup
reads one snapshot, the copy is checked, and only then does it get its name.
"""

import contextlib
import os
import sqlite3
from pathlib import Path

from sqlalchemy.engine import URL


class BackupError(Exception):
    """No backup was made; the message is one line."""


def backup(database: URL, to: Path) -> int:
    """Write a checked copy of `database` to the file `to`; returns its size in bytes. Raises BackupError.

    An older file of that name stands until the new one is whole.
    """
    if database.get_backend_name() != "sqlite":
        raise BackupError("this copies SQLite files; for PostgreSQL use pg_dump --format=custom")
    source = Path(str(database.database))
    if not source.is_file():
        raise BackupError(f"there is no database {str(source)!r}")
    if to.exists() and to.samefile(source):
        raise BackupError("a backup can't take the place of the database itself")
    part = to.with_name(to.name + ".part")
    try:
        part.unlink(missing_ok=True)
        _copy(source, part)
        part.replace(to)
    except (sqlite3.Error, OSError) as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise BackupError(f"no backup was made: {error}") from None
    return to.stat().st_size


def _copy(source: Path, part: Path) -> None:
    with (
        contextlib.closing(sqlite3.connect(source, timeout=30)) as live,
        contextlib.closing(sqlite3.connect(part)) as copy,
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
