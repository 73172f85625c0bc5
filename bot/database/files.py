"""The database as a file: whether it is one of ours, opened where it is, claimed for one process."""

import contextlib
import os
import sqlite3
from pathlib import Path


def resolve_links(path: Path) -> Path:
    """The file itself where the path leads over links: what stands beside it is named after that, whoever
    names it how.
    """
    return Path(os.path.realpath(path))


def explain_unusable(path: Path) -> str | None:
    """Why `path` is no database that a bot has made, in one line; None if it is one. Changes nothing."""
    whole = path.absolute()
    try:
        if not whole.parent.is_dir():
            return f"there is no folder {str(whole.parent)!r}"
        if not whole.is_file():
            return f"there is no database {str(whole)!r}"
        with contextlib.closing(connect_existing(whole)) as connection:
            tables = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'alembic_version'")
            made_by_us = bool(tables.fetchone()[0])
    except (OSError, sqlite3.Error) as error:
        return f"the database {str(whole)!r} can't be opened: {getattr(error, 'strerror', None) or error}"
    return None if made_by_us else f"the file {str(whole)!r} is no database of this bot"


def explain_unreachable(path: Path) -> str | None:
    """Why it can't be said whether the file is there, as in another user's folder; None if it can."""
    try:
        path.exists()
    except OSError as error:
        return f"the database {str(path.absolute())!r} can't be reached: {error.strerror or error}"
    return None


def explain_unwritable(path: Path) -> str | None:
    """Why nothing could be written to the file, in one line; None if it can be, or is not there yet."""
    if trouble := explain_unreachable(path):
        return trouble
    if path.is_file() and not os.access(path, os.W_OK):
        return f"the database {str(path.absolute())!r} can be read, but not written"
    return None


def connect_existing(path: Path) -> sqlite3.Connection:
    """A connection to a file that is there; none is made."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=30)


def create_file(path: Path) -> None:
    """Make an empty file and its folder, unless there is one, that nobody but its owner may read, whatever
    the umask.

    What root makes belongs to whom the folder does: a tool that runs as root leaves the bot's own user
    nothing that it can't write. Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with contextlib.suppress(FileExistsError):
        create_private_file(path)


def create_private_file(path: Path) -> None:
    """Make such a file where there is none. Raises OSError."""
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        if hasattr(os, "fchown"):  # not on Windows
            os.fchmod(descriptor, 0o600)
            _give_to_folder(descriptor, path.parent)
    finally:
        os.close(descriptor)


def _give_to_folder(descriptor: int, folder: Path) -> None:
    """By the open file, not by its name, for which the folder's owner could put a link to any other."""
    if os.geteuid() == 0:
        owner = folder.stat()
        with contextlib.suppress(PermissionError):  # root without that right, as on a network's disk
            os.fchown(descriptor, owner.st_uid, owner.st_gid)


def acquire_file_lock(path: Path) -> contextlib.ExitStack:
    """Hold the database at `path` until what is returned is closed or this process ends.

    It holds a lock file beside the database, which stays when a restore replaces the database, and the
    database itself, if it is there, which bars hard links to it; nothing where the system has no such locks.
    Close it only after SQLite has closed the database: closing any descriptor of a file drops SQLite's own
    locks on it. Raises BlockingIOError when another process holds either.
    """
    try:
        import fcntl
    except ImportError:  # pragma: no cover - Windows
        return contextlib.ExitStack()
    path = resolve_links(path)
    lock = path.with_name(path.name + ".lock")
    create_file(lock)
    with contextlib.ExitStack() as held:
        fcntl.flock(held.enter_context(lock.open("w", encoding="ascii")), fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            fcntl.flock(held.enter_context(path.open("rb")), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:  # not there; or on NFS, where only a writer may lock so, and would bar SQLite
            pass
        return held.pop_all()
