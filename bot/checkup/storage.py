"""The database: whether it is there, whole, this version's, and can be written."""

import asyncio
import contextlib
import os
import sqlite3
from pathlib import Path

from sqlalchemy.engine import URL

from bot.checkup.finding import Finding, good, note, wrong
from bot.database import Store, StoreError
from bot.database.files import claim, connect_existing, unusable, unwritable

ABOUT = "DATABASE_URL"
OPEN = 0o077
"""What nobody but a file's owner needs."""


async def looked_at(url: URL) -> tuple[list[Finding], bool]:
    """What there is to say of the database, and whether a bot runs on it."""
    if url.get_backend_name() == "sqlite":
        return await _file(url, Path(str(url.database)))
    return [await _opened(url, f"{url.host}:{url.port or 5432}")], False


def _to_be_made(path: Path) -> Finding:
    folder = next(parent for parent in path.parents if parent.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        told = f"{str(path)!r} is not there, and {str(folder)!r} takes no new files"
        return wrong(ABOUT, told, "let the bot's own user write there, or name another place")
    return note(ABOUT, f"{str(path)!r} is not there yet: the first start makes it")


async def _file(url: URL, path: Path) -> tuple[list[Finding], bool]:
    found = await asyncio.to_thread(_on_disk, path)
    if found is not None:
        return [found], False
    running = await asyncio.to_thread(_is_claimed, path)
    return [await _opened(url, repr(str(path))), *_privacy(path)], running


def _on_disk(path: Path) -> Finding | None:
    """What there is to say of a file that can't be opened, or is not there; None for one that can."""
    path = path.absolute()
    if not path.exists():
        return _to_be_made(path)
    if trouble := unusable(path):
        return wrong(ABOUT, trouble, "name the bot's own file, or put a backup in its place")
    if trouble := unwritable(path) or _folder_trouble(path):
        return wrong(ABOUT, trouble, "let the bot's own user write the file and its folder")
    if trouble := _damage(path):
        told = f"{str(path)!r} is damaged: {trouble}"
        return wrong(ABOUT, told, "stop the bot and put a backup in its place")
    return None


def _folder_trouble(path: Path) -> str | None:
    if os.access(path.parent, os.W_OK | os.X_OK):
        return None
    return f"the folder {str(path.parent)!r} takes no new files, and the database needs one beside it"


def _damage(path: Path) -> str | None:
    """What SQLite finds wrong with the file; None if nothing."""
    try:
        with contextlib.closing(connect_existing(path)) as connection:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        return str(error)
    return None if verdict == "ok" else str(verdict).splitlines()[-1]


async def _opened(url: URL, where: str) -> Finding:
    try:
        store = await Store.open_beside(url)
    except StoreError as error:
        told = str(error).removeprefix(f"{ABOUT}: ")
        if "start the bot once" in told or "is empty" in told:
            return note(ABOUT, told.partition(";")[0], "the next start brings it up to date")
        return wrong(ABOUT, told, _remedy(told))
    await store.close()
    return good(ABOUT, f"{where} is whole and of this version")


def _remedy(told: str) -> str:
    if "newer" in told:
        return "install the version that wrote it, or a later one"
    return "is the server running, and are host, name, user and password as it has them?"


def _privacy(path: Path) -> list[Finding]:
    if path.stat().st_mode & OPEN and path.parent.stat().st_mode & OPEN:
        told = f"others on this machine may read {str(path)!r}"
        return [note("privacy", told, f"chmod 700 {path.parent}")]
    return []


def _is_claimed(path: Path) -> bool:
    """Whether a bot runs on the file."""
    try:
        held = claim(path)
    except OSError:
        return True
    if held is not None:
        held.close()
    return False
