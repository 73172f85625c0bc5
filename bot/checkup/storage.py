"""The database: whether it is there, whole, this version's, and can be written."""

import asyncio
import contextlib
import os
import shutil
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import inspect
from sqlalchemy.engine import URL

from bot.checkup import beside
from bot.checkup.connections import Limit, limits, too_few
from bot.checkup.finding import Finding, good, note, wrong
from bot.checkup.server import ABOUT, UTF8, encoding, held, shut
from bot.database import Store, StoreError, Tx
from bot.database.address import named
from bot.database.files import claim, connect_existing, real, unreachable, unusable, unwritable
from bot.database.migrations import HEAD, MIGRATE, require_whole, revision, told_newer
from bot.database.rights import is_read_only, require_own, require_rights
from bot.database.shape import require_shape
from bot.replicas import queries as replicas
from bot.replicas.alike import Alike

OPEN = 0o077
"""What nobody but a file's owner needs."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look into the database found."""

    at: str | None = None
    """The revision of its tables; None without any."""
    limits: tuple[Limit, ...] = ()
    """How many connections bots may have there; none for a file."""
    bots: int = 0
    """How many bots say at its server that they run on it."""
    theirs: tuple[Alike, ...] = ()
    """What these show of themselves."""
    closed: bool = False
    """Whether nobody may write just now."""
    encoding: str = UTF8
    """How its server keeps texts."""
    trouble: StoreError | None = None
    """Why no bot could start on it."""


class Looked(NamedTuple):
    """What there is to say of the database, and who is there."""

    found: list[Finding]
    running: bool
    """Whether a bot runs on it."""
    theirs: tuple[Alike, ...] = ()
    """What those show of themselves that may share it."""


async def looked_at(url: URL) -> Looked:
    """What there is to say of the database, and who is there."""
    if url.get_backend_name() == "sqlite":
        return await _file(url, real(Path(str(url.database))))
    seen = await _seen(url)
    found = [_told(seen, url), *too_few(seen.limits, seen.bots)]
    return Looked([*found, *held(seen.encoding)], seen.bots > 0, seen.theirs)


def _to_be_made(path: Path) -> Finding:
    folder = next(parent for parent in path.parents if parent.exists())
    writable = folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)
    if not writable or not shutil.disk_usage(folder).total:  # as of /proc, where everything may be root's
        told = f"{str(path)!r} is not there, and {str(folder)!r} takes no new files"
        return wrong(ABOUT, told, "let the bot's own user write there, or name another place")
    return note(ABOUT, f"{str(path)!r} is not there yet: the first start makes it")


async def _file(url: URL, path: Path) -> Looked:
    if await asyncio.to_thread(_is_linked_and_claimed, path):
        told = f"{str(path)!r} has another name (a hard link), and a bot runs on one of them"
        remedy = "delete the name that bot does not use: by two names SQLite damages the file"
        return Looked([wrong(ABOUT, told, remedy)], running=True)
    found = await asyncio.to_thread(_on_disk, path)
    if found is not None:
        return Looked([found], running=False)
    running = await asyncio.to_thread(_is_claimed, path)
    return Looked([_told(await _seen(url), url), *_privacy(path)], running)


def _on_disk(path: Path) -> Finding | None:
    """What there is to say of a file that can't be opened, or with nothing in it; None for one to see."""
    path = path.absolute()
    if trouble := unreachable(path):
        return wrong(ABOUT, trouble, "is its path right? Else look as the bot's own user, as with sudo")
    if not path.exists():
        return _to_be_made(path)
    empty = path.is_file() and not path.stat().st_size  # as a tool makes it for the bot's own user
    if not empty and (trouble := unusable(path)):
        return wrong(ABOUT, trouble, "name the bot's own file, or put a backup in its place")
    if trouble := unwritable(path) or _folder_trouble(path):
        return wrong(ABOUT, trouble, "let the bot's own user write the file and its folder")
    if empty:
        return note(ABOUT, f"{str(path)!r} is empty: the first start makes its tables")
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


async def _seen(url: URL) -> Seen:
    try:
        return await Store.look_into(url, _look)
    except StoreError as error:
        return Seen(trouble=error)


def _look(tx: Tx) -> Seen:
    theirs, most = tuple[Alike, ...](), tuple[Limit, ...]()
    bots, kept = 0, UTF8
    if tx.dialect.name == "postgresql":
        most, kept = tuple(limits(tx)), encoding(tx)
    if tx.dialect.name == "postgresql" and inspect(tx).has_table("replicas"):
        bots, theirs = replicas.living(tx), beside.shown(tx)
    try:
        return Seen(_usable(tx), most, bots, theirs, is_read_only(tx), kept)
    except StoreError as error:
        return Seen(limits=most, bots=bots, theirs=theirs, encoding=kept, trouble=error)


def _usable(tx: Tx) -> str | None:
    """The revision, where a start would get by. Raises StoreError, as that would."""
    at = revision(tx)
    if at is None or at < HEAD:
        require_own(tx)
    else:
        require_rights(tx)
    if at is not None:
        require_shape(tx)
        require_whole(tx)
    return at


def _told(seen: Seen, url: URL) -> Finding:
    where = named(url)
    if seen.trouble:
        return shut(seen.trouble, url)
    if seen.closed:
        return wrong(ABOUT, f"{where} takes no writes", "is it a standby, or set to be read only?")
    if seen.at is None:
        return note(ABOUT, f"{where} has no tables of this bot yet", "the next start makes them")
    if seen.at < HEAD:
        told = f"{where} is at revision {seen.at}, older than this version's {HEAD}"
        if seen.bots:  # they may serve nobody until then, and none of them is about to start
            return wrong(ABOUT, f"{told}{_there(seen.bots)}", MIGRATE)
        return note(
            ABOUT,
            told,
            "the next start brings it up to date, or `twentyfour-bot migrate`, also beside bots that run",
        )
    of = "of this version"
    if seen.at > HEAD:
        of = told_newer(seen.at)
    return good(ABOUT, f"{where} is whole and {of}{_there(seen.bots)}")


def _there(bots: int) -> str:
    if not bots:
        return ""
    return "; 1 bot runs on it" if bots == 1 else f"; {bots} bots run on it"


def _privacy(path: Path) -> list[Finding]:
    if path.stat().st_mode & OPEN and path.parent.stat().st_mode & OPEN:
        told = f"others on this machine may read {str(path)!r}"
        return [note("privacy", told, f"chmod 700 {path.parent}")]
    return []


def _is_linked_and_claimed(path: Path) -> bool:
    """Whether a bot runs on a file that has several names; SQLite must not open it by the other ones."""
    with contextlib.suppress(OSError):
        return path.is_file() and path.stat().st_nlink > 1 and _is_claimed(path)
    return False


def _is_claimed(path: Path) -> bool:
    """Whether a bot runs on the file."""
    try:
        claim(path).close()
    except OSError:
        return True
    return False
