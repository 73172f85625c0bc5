"""Check the database: whether it is there, whole, of this version, and can be written."""

import asyncio
import contextlib
import getpass
import os
import sqlite3
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import inspect
from sqlalchemy.engine import URL

from bot.checkup.finding import Finding, good, note, wrong
from bot.database import PrivilegeError, Store, StoreError, Tx
from bot.database.address import ENCODING_HINT, describe_database, describe_location
from bot.database.errors import UNKNOWN_HOST, UNTRUSTED_CERTIFICATE
from bot.database.migrations import HEAD, MIGRATE_HINT, read_revision, require_finished_move
from bot.database.postgresql import MAX_CONNECTIONS
from bot.database.privileges import is_database_read_only, require_ownership, require_table_privileges
from bot.database.schema_check import require_whole_schema
from bot.database.sqlite import (
    acquire_file_lock,
    connect_existing,
    explain_unreachable,
    explain_unusable,
    explain_unwritable,
    resolve_links,
)
from bot.players import queries as people
from bot.queue.replicas import queries as replicas

SUBJECT = "DATABASE_URL"
OTHERS_PERMISSIONS = 0o077  # any permission of a group or of everybody


@dataclass(frozen=True, slots=True)
class DatabaseReport:
    findings: list[Finding]
    is_bot_running: bool = False
    is_group_known: bool = False  # the bot is in one; False if the database can't be read


async def check_database(url: URL) -> DatabaseReport:
    """Check a file or a server's database."""
    if url.get_backend_name() != "sqlite":
        return await _check_contents(url)
    path = resolve_links(Path(str(url.database)))
    is_bot_running = not explain_unreachable(path) and path.is_file() and _is_locked(path)
    if is_bot_running and path.stat().st_nlink > 1:  # SQLite must not open the file by another name
        state = f"{str(path)!r} has another name (a hard link), and a bot runs on one of them"
        remedy = "delete the name that bot does not use: by two names SQLite damages the file"
        return DatabaseReport([wrong(SUBJECT, state, remedy)], is_bot_running=True)
    obstacle = await asyncio.to_thread(_check_on_disk, path)
    if obstacle:
        return DatabaseReport([obstacle])
    report = replace(await _check_contents(url), is_bot_running=is_bot_running)
    is_file_open = path.stat().st_mode & OTHERS_PERMISSIONS
    is_folder_open = path.parent.stat().st_mode & OTHERS_PERMISSIONS
    if is_file_open and is_folder_open:
        state = f"others on this machine may read {str(path)!r}"
        report.findings.append(note("privacy", state, f"chmod 700 {path.parent}"))
    return report


def _is_locked(path: Path) -> bool:
    """Whether a bot runs on the file and holds its lock."""
    try:
        acquire_file_lock(path).close()
    except OSError:
        return True
    return False


def _check_on_disk(path: Path) -> Finding | None:
    """Return why a file can't be used, or that it is still to be made; None if it holds a sound database."""
    problem = explain_unreachable(path)
    if problem:
        return wrong(SUBJECT, problem, "is its path right? Else look as the bot's own user, as with sudo")
    if not path.exists():
        return _check_folder(path)
    is_empty = path.is_file() and path.stat().st_size == 0  # as a tool creates it for the bot's own user
    if not is_empty:
        problem = explain_unusable(path)
    if problem:
        return wrong(SUBJECT, problem, "name the bot's own file, or put a backup in its place")
    problem = explain_unwritable(path)
    if not problem and not _can_create_files(path.parent):
        problem = f"the folder {str(path.parent)!r} takes no new files, and the database needs one beside it"
    if problem:
        return wrong(SUBJECT, problem, "let the bot's own user write the file and its folder")
    if is_empty:
        return note(SUBJECT, f"{str(path)!r} is empty: the first start makes its tables")
    problem = _find_damage(path)
    if problem:
        state = f"{str(path)!r} is damaged: {problem}"
        return wrong(SUBJECT, state, "stop the bot and put a backup in its place")
    return None


def _check_folder(path: Path) -> Finding:
    """Check whether a missing file can be made, with its folders; a note if so."""
    folder = next(parent for parent in path.parents if parent.exists())
    if folder.is_dir() and _can_create_files(folder):
        return note(SUBJECT, f"{str(path)!r} is not there yet: the first start makes it")
    state = f"{str(path)!r} is not there, and {str(folder)!r} takes no new files"
    return wrong(SUBJECT, state, "let the bot's own user write there, or name another place")


def _can_create_files(folder: Path) -> bool:
    return os.access(folder, os.W_OK | os.X_OK)


def _find_damage(path: Path) -> str | None:
    """Return what SQLite finds wrong with the file; None if nothing."""
    try:
        with contextlib.closing(connect_existing(path)) as connection:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        return str(error)
    if verdict == "ok":
        return None
    return str(verdict).splitlines()[-1]  # the first line may be a heading


async def _check_contents(url: URL) -> DatabaseReport:
    """Check what a database holds; on a server a bot counts as running if the table of replicas lists one."""

    def check(tx: Tx) -> DatabaseReport:
        """Report also an error that would end a start."""
        bot_count = 0
        is_group_known = False
        if tx.dialect.name == "postgresql" and inspect(tx).has_table("replicas"):
            bot_count = replicas.count_replicas(tx)
        try:
            finding = _check_tables(tx, url, bot_count)
            is_group_known = read_revision(tx) is not None and people.is_any_group_known(tx)
        except StoreError as error:
            finding = _explain_refusal(error, url)
        return DatabaseReport([finding], bot_count > 0, is_group_known)

    try:
        return await Store.read_any_version(url, check)
    except StoreError as error:
        return DatabaseReport([_explain_refusal(error, url)])


def _check_tables(tx: Tx, url: URL, bot_count: int) -> Finding:
    """Check privileges, version and tables as a start does. Raises StoreError if a start would."""
    where = describe_database(url)
    revision = read_revision(tx)
    if revision is None or revision < HEAD:  # the start changes tables
        require_ownership(tx)
    else:
        require_table_privileges(tx)
    if is_database_read_only(tx):
        return wrong(SUBJECT, f"{where} takes no writes", "is it a standby, or set to be read only?")
    if revision is None:
        return note(SUBJECT, f"{where} has no tables of this bot yet", "the next start makes them")
    require_whole_schema(tx)
    require_finished_move(tx)
    runs_here = ""
    if bot_count == 1:
        runs_here = "; 1 bot runs on it"
    elif bot_count:
        runs_here = f"; {bot_count} bots run on it"
    if revision == HEAD:
        return good(SUBJECT, f"{where} is whole and of this version{runs_here}")
    state = f"{where} is at revision {revision}, older than this version's {HEAD}{runs_here}"
    if bot_count:  # they may serve nobody until then, and no start is near
        return wrong(SUBJECT, state, MIGRATE_HINT)
    return note(SUBJECT, state, "the next start brings it up to date, or `twentyfour-bot migrate`")


def _explain_refusal(error: StoreError, url: URL) -> Finding:
    """Make a finding of an error that would end a start; the next step is often in it, after a semicolon."""
    message = str(error).removeprefix(f"{SUBJECT}: ")
    if isinstance(error, PrivilegeError):
        remedy = "ask the server's administrator to grant that, or name the role that owns the tables"
        return wrong(SUBJECT, message, remedy)
    if "can't be opened" in message:
        return wrong(SUBJECT, message, find_remedy(error, url))
    state, _, remedy = message.partition("; ")
    return wrong(SUBJECT, state, remedy)


AUTHORITY_REMEDY = (
    "name the file of the authority that signed it: sslrootcert=/path/to/ca.crt; for an authority that this"
    " machine trusts write sslrootcert=system"
)
START_REMEDY = "start the server (systemctl start postgresql); or does it listen elsewhere than at {place}?"
REMEDIES = {
    "not permitted to log in": """let it: sudo -u postgres psql -c 'ALTER ROLE "{role}" LOGIN'""",
    "pg_hba.conf": "let the server's pg_hba.conf admit the role {role!r} to {database!r} from here, and run"
    " sudo -u postgres psql -c 'SELECT pg_reload_conf()'",
    "Peer authentication failed": "by a socket the server takes only the system's user of that name: run the"
    " bot as {role!r}, or write postgresql://{role}:PASSWORD@127.0.0.1/{database}",
    "certificate is not valid for": "name the host as its certificate does",
    UNTRUSTED_CERTIFICATE: AUTHORITY_REMEDY,
    "root certificate file": AUTHORITY_REMEDY,
    "rejected SSL upgrade": "switch TLS on at {place}: ssl = on in its postgresql.conf, with a certificate",
    "3D000": "make it: sudo -u postgres createdb --owner {role} {database}; or name one that is there",
    "28000": "make the role: sudo -u postgres createuser --pwprompt {role}; or name one that may log in",
    "28P01": f"is that the role, and is its password in the address, {ENCODING_HINT}? A new one:"
    " sudo -u postgres psql -c '\\password {role}'",
    "53300": f"let the server, the role and the database take more; each bot holds {MAX_CONNECTIONS} at most",
    "ECONNREFUSED": START_REMEDY,
    "ENOENT": START_REMEDY,
    UNKNOWN_HOST: f"is the host's name right? A password is written {ENCODING_HINT}",
}  # by words of the reason, by PostgreSQL's code, or by the system's name for its error
OTHER_REMEDY = "is the server running, and are host, name, user and password as it has them?"


def find_remedy(error: StoreError, url: URL) -> str:
    """Return the next step where the database can't be opened, with its role, name and place filled in."""
    remedy = OTHER_REMEDY
    for sign, known_remedy in REMEDIES.items():
        if sign == error.error_code or sign in str(error):
            remedy = known_remedy
            break
    role = url.username or os.environ.get("PGUSER") or getpass.getuser()
    database = url.database or os.environ.get("PGDATABASE") or role
    return remedy.format(role=role, database=database, place=describe_location(url))


# PostgreSQL's codes where the server answered and refused the login
LOGIN_REFUSAL_CODES = ("28000", "28P01", "3D000")
