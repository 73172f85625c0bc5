"""A copy of the database while the bot goes on writing to it.

Copying the file itself would tear it: the newest rows stand in the log beside it. SQLite's own backup
reads one snapshot, the copy is checked, and only then does it get its name. Nobody but its owner can read it.
"""

import contextlib
import os
import sqlite3
from pathlib import Path

from sqlalchemy.engine import URL

from bot.database.files import connect_existing, unusable


class BackupError(Exception):
    """No backup was made; the message is one line."""


def backup(database: URL, to: Path) -> int:
    """Write a checked copy of `database` to the file `to`; returns its size in bytes. Raises BackupError.

    An older file of that name stands until the new one is whole.
    """
    if database.get_backend_name() != "sqlite":
        raise BackupError("this copies SQLite files; for PostgreSQL use pg_dump --format=custom")
    source, to = Path(str(database.database)), to.absolute()
    trouble = unusable(source) or _no_place(to, source)
    if trouble:
        raise BackupError(trouble)
    part = to.with_name(to.name + ".part")
    try:
        part.unlink(missing_ok=True)
        _make_private(part)
        _copy(source, part)
        part.replace(to)
    except (sqlite3.Error, OSError) as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise BackupError(f"no backup was made: {error}") from None
    return to.stat().st_size


def _no_place(to: Path, source: Path) -> str | None:
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
    return None


def _make_private(part: Path) -> None:
    """An empty file that nobody but its owner may read, from its first byte on, whatever the umask."""
    descriptor = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)


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
