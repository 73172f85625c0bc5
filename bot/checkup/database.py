"""Check the database: whether it is there, whole, of this version, and can be written."""

import asyncio
import contextlib
import os
import sqlite3
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import inspect
from sqlalchemy.engine import URL

from bot.checkup.finding import Finding, good, note, wrong
from bot.database import PrivilegeError, Store, StoreError, Tx
from bot.database.address import (
    ENCODING_HINT,
    describe_database,
    describe_location,
    get_database_name,
    get_role,
)
from bot.database.errors import UNKNOWN_HOST, UNTRUSTED_CERTIFICATE
from bot.database.migrations import HEAD, MIGRATE_HINT, read_revision, require_finished_move
from bot.database.postgresql import MAX_CONNECTIONS
from bot.database.privileges import is_database_read_only, require_ownership, require_table_privileges
from bot.database.schema_check import require_expected_tables
from bot.database.sqlite import (
    acquire_file_lock,
    connect_existing,
    explain_unreachable,
    explain_unusable,
    explain_unwritable,
    resolve_links,
)
from bot.queue.replicas import queries as replicas

ABOUT = "DATABASE_URL"


class Checked(NamedTuple):
    """The findings about the database."""

    found: list[Finding]
    running: bool  # whether a bot runs on it


async def check_database(url: URL) -> Checked:
    """Check a file or a server's database, and whether a bot runs on it."""
    if url.get_backend_name() == "sqlite":
        return await _check_file(url, resolve_links(Path(str(url.database))))
    return await _check_inside(url)


async def _check_file(url: URL, path: Path) -> Checked:
    if await asyncio.to_thread(_is_linked_and_claimed, path):
        told = f"{str(path)!r} has another name (a hard link), and a bot runs on one of them"
        remedy = "delete the name that bot does not use: by two names SQLite damages the file"
        return Checked([wrong(ABOUT, told, remedy)], running=True)
    if found := await asyncio.to_thread(_check_on_disk, path):
        return Checked([found], running=False)
    running = await asyncio.to_thread(_is_claimed, path)
    inside = await _check_inside(url)
    return Checked([*inside.found, *_check_privacy(path)], running)


def _is_linked_and_claimed(path: Path) -> bool:
    """Whether the file has several names and a bot runs on it: SQLite must not open it by another name."""
    with contextlib.suppress(OSError):
        return path.is_file() and path.stat().st_nlink > 1 and _is_claimed(path)
    return False


def _is_claimed(path: Path) -> bool:
    """Whether a bot runs on the file."""
    try:
        acquire_file_lock(path).close()
    except OSError:
        return True
    return False


def _check_on_disk(path: Path) -> Finding | None:
    """Check a file that can't be read, or is still to be made; None if it can be read."""
    if trouble := explain_unreachable(path):
        return wrong(ABOUT, trouble, "is its path right? Else look as the bot's own user, as with sudo")
    if not path.exists():
        return _check_folder(path)
    empty = path.is_file() and not path.stat().st_size  # as a tool makes it for the bot's own user
    if not empty and (trouble := explain_unusable(path)):
        return wrong(ABOUT, trouble, "name the bot's own file, or put a backup in its place")
    if not (trouble := explain_unwritable(path)) and not os.access(path.parent, os.W_OK | os.X_OK):
        trouble = f"the folder {str(path.parent)!r} takes no new files, and the database needs one beside it"
    if trouble:
        return wrong(ABOUT, trouble, "let the bot's own user write the file and its folder")
    if empty:
        return note(ABOUT, f"{str(path)!r} is empty: the first start makes its tables")
    if trouble := _find_damage(path):
        told = f"{str(path)!r} is damaged: {trouble}"
        return wrong(ABOUT, told, "stop the bot and put a backup in its place")
    return None


def _check_folder(path: Path) -> Finding:
    folder = next(parent for parent in path.parents if parent.exists())
    if folder.is_dir() and os.access(folder, os.W_OK | os.X_OK):
        return note(ABOUT, f"{str(path)!r} is not there yet: the first start makes it")
    told = f"{str(path)!r} is not there, and {str(folder)!r} takes no new files"
    return wrong(ABOUT, told, "let the bot's own user write there, or name another place")


def _find_damage(path: Path) -> str | None:
    """Return what SQLite finds wrong with the file; None if nothing."""
    try:
        with contextlib.closing(connect_existing(path)) as connection:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        return str(error)
    return None if verdict == "ok" else str(verdict).splitlines()[-1]


def _check_privacy(path: Path) -> Iterator[Finding]:
    if path.stat().st_mode & 0o077 and path.parent.stat().st_mode & 0o077:
        told = f"others on this machine may read {str(path)!r}"
        yield note("privacy", told, f"chmod 700 {path.parent}")


async def _check_inside(url: URL) -> Checked:
    try:
        return await Store.read_any_version(url, partial(_look, url))
    except StoreError as error:
        return Checked([_refused(error, url)], running=False)


def _look(url: URL, tx: Tx) -> Checked:
    on_server = tx.dialect.name == "postgresql"
    bots = replicas.count_replicas(tx) if on_server and inspect(tx).has_table("replicas") else 0
    try:
        return Checked([_check_tables(tx, url, bots)], bots > 0)
    except StoreError as error:
        return Checked([_refused(error, url)], bots > 0)


def _check_tables(tx: Tx, url: URL, bots: int) -> Finding:
    """Check the tables as a start does. Raises StoreError if a start would."""
    where, at = describe_database(url), read_revision(tx)
    if at is None or at < HEAD:
        require_ownership(tx)
    else:
        require_table_privileges(tx)
    if is_database_read_only(tx):
        return wrong(ABOUT, f"{where} takes no writes", "is it a standby, or set to be read only?")
    if at is None:
        return note(ABOUT, f"{where} has no tables of this bot yet", "the next start makes them")
    require_expected_tables(tx)
    require_finished_move(tx)
    runs = "; 1 bot runs on it" if bots == 1 else f"; {bots} bots run on it" if bots else ""
    if at == HEAD:
        return good(ABOUT, f"{where} is whole and of this version{runs}")
    told = f"{where} is at revision {at}, older than this version's {HEAD}{runs}"
    if bots:  # they may serve nobody until then, and none of them is about to start
        return wrong(ABOUT, told, MIGRATE_HINT)
    return note(ABOUT, told, "the next start brings it up to date, or `twentyfour-bot migrate`")


def _refused(error: StoreError, url: URL) -> Finding:
    """Make a finding of what ends a start. The error may name the next step behind a semicolon."""
    whole = str(error).removeprefix(f"{ABOUT}: ")
    if isinstance(error, PrivilegeError):
        owner = "let whoever looks after the server grant that, or name the role that owns the tables"
        return wrong(ABOUT, whole, owner)
    if "can't be opened" in whole:
        return wrong(ABOUT, whole, find_remedy(error, url))
    told, _, remedy = whole.partition("; ")
    return wrong(ABOUT, told, remedy)


AUTHORITY = (
    "name the file of the authority that signed it: sslrootcert=/path/to/ca.crt; for an authority that this"
    " machine trusts write sslrootcert=system"
)
START_IT = "start the server (systemctl start postgresql); or does it listen elsewhere than at {place}?"
REMEDIES = {
    "not permitted to log in": """let it: sudo -u postgres psql -c 'ALTER ROLE "{role}" LOGIN'""",
    "pg_hba.conf": "let the server's pg_hba.conf admit the role {role!r} to {database!r} from here, and run"
    " sudo -u postgres psql -c 'SELECT pg_reload_conf()'",
    "Peer authentication failed": "by a socket the server takes only the system's user of that name: run the"
    " bot as {role!r}, or write postgresql://{role}:PASSWORD@127.0.0.1/{database}",
    "certificate is not valid for": "name the host as its certificate does",
    UNTRUSTED_CERTIFICATE: AUTHORITY,
    "root certificate file": AUTHORITY,
    "rejected SSL upgrade": "switch TLS on at {place}: ssl = on in its postgresql.conf, with a certificate",
    "3D000": "make it: sudo -u postgres createdb --owner {role} {database}; or name one that is there",
    "28000": "make the role: sudo -u postgres createuser --pwprompt {role}; or name one that may log in",
    "28P01": f"is that the role, and is its password in the address, {ENCODING_HINT}? A new one: sudo -u postgres"
    " psql -c '\\password {role}'",
    "53300": f"let the server, the role and the database take more; each bot holds {MAX_CONNECTIONS} at most",
    "ECONNREFUSED": START_IT,
    "ENOENT": START_IT,
    UNKNOWN_HOST: f"is the host's name right? A password is written {ENCODING_HINT}",
}  # by words of the reason, by PostgreSQL's code, or by the system's name for its error
ELSE = "is the server running, and are host, name, user and password as it has them?"


def find_remedy(error: StoreError, url: URL) -> str:
    """Return the next step where the database can't be opened."""
    remedy = next(
        (step for sign, step in REMEDIES.items() if sign == error.error_code or sign in str(error)), ELSE
    )
    return remedy.format(role=get_role(url), database=get_database_name(url), place=describe_location(url))


LOGIN = ("28000", "28P01", "3D000")  # PostgreSQL's codes where the server answered and refused the login
