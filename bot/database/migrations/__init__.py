"""Alembic revisions, and the step that migrates an older database at the start.

A revision only *adds* what the version before does not need, since bots of that version may still run on the
database meanwhile. What is no longer read is dropped one version later. A change of `schema` is a file in
`versions` and a new `HEAD`; a released file is never edited.
"""

import re
from pathlib import Path

from sqlalchemy import inspect, text

from bot.database.errors import StoreError
from bot.database.privileges import TABLE_NAMES, require_ownership
from bot.database.tx import Tx

HEAD = "0102"  # the newest revision in this folder
FIRST_RELEASED = "0102"  # the revision of 1.0; older ones belong to unreleased versions
MIGRATE_HINT = "run twentyfour-bot migrate"


def apply_migrations(tx: Tx) -> None:
    """Run the revisions that the database lacks. Raises StoreError if another version or program wrote the
    database, or if the role may not create tables.
    """
    if read_revision(tx) == HEAD:
        return
    from alembic import command  # here: takes long to import, and the usual start doesn't need it
    from alembic.config import Config

    require_ownership(tx)
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = tx
    command.upgrade(config, HEAD)  # not "head": the folder may hold files of another version


def require_current_revision(tx: Tx) -> None:
    """Raise StoreError unless the database has the tables of this version; change nothing."""
    if read_revision(tx) is None:
        raise StoreError("the database is empty; DATABASE_URL names the one to use")
    problem = describe_outdated_tables(tx)
    if problem:
        raise StoreError(problem)


VERSION_TABLE = "alembic_version"
SELECT_REVISION = text("SELECT version_num FROM alembic_version")


def describe_outdated_tables(tx: Tx) -> str:
    """Return the problem if the tables are older than this version, as after a restore while the bot runs;
    empty if they are not. Raises the database's error if there is no version table.
    """
    revision = str(tx.scalar(SELECT_REVISION) or HEAD)  # nothing is old in a table without a row
    if revision >= HEAD:
        return ""
    return f"the database is at revision {revision}, older than this version's {HEAD}; {MIGRATE_HINT}"


MOVE_KEY = "moved from"  # the key in `meta` of an unfinished move into this database


def require_finished_move(tx: Tx) -> None:
    """Raise StoreError if a move into the database was cut off."""
    select_value = text("SELECT value FROM meta WHERE key = :key")
    if tx.scalar(select_value, {"key": MOVE_KEY}) is not None:
        raise StoreError("a move into this database was cut off; run `twentyfour-bot move` again to the end")


def read_revision(tx: Tx) -> str | None:
    """Return the revision of the database; None if it has no tables of a bot. Raises StoreError for the
    revision of a newer or unreleased version, and for tables of another program that are in the way.
    """
    revision = None
    if inspect(tx).has_table(VERSION_TABLE):
        revision = tx.scalar(SELECT_REVISION)
    if revision is None:
        _require_empty(tx)
        return None
    problem = explain_unusable_revision(revision)
    if problem:
        raise StoreError(f"the database {problem}")
    return str(revision)


def explain_unusable_revision(revision: str) -> str:
    """Return why this version can't use tables of a revision, and the next step; empty if it can."""
    if not re.fullmatch("[0-9]{4}", revision):
        return f"is at a revision that no version made: {revision!r}; restore a backup"
    if revision < FIRST_RELEASED:
        return (
            f"was made by an unreleased version (revision {revision}), which can't be upgraded;"
            " use a new one, or a backup of 1.0 or later"
        )
    if revision > HEAD:
        return f"is at revision {revision}, newer than this version's {HEAD}; upgrade the bot"
    return ""


# The names of all tables, but for those of PostgreSQL's extensions and of Litestream
SELECT_TABLES = {
    "sqlite": text(
        "SELECT name FROM sqlite_master WHERE type = 'table'"
        " AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_litestream_*'"
    ),
    "postgresql": text(
        "SELECT relname FROM pg_class JOIN pg_namespace ON relnamespace = pg_namespace.oid"
        " WHERE relkind IN ('r', 'p') AND nspname = current_schema() AND NOT EXISTS (SELECT FROM pg_depend"
        " WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')"
    ),
}
DISTINCTIVE_TABLES = {"chats", "inbox", "outbox"}  # tables that no other program has all of


def _require_empty(tx: Tx) -> None:
    """Raise StoreError if there are tables in the way of the bot's own. A restore makes tables one after the
    other, the version table first; a start makes all at once, or none.
    """
    tables = set(tx.scalars(SELECT_TABLES[tx.dialect.name]))
    if VERSION_TABLE in tables or tables >= DISTINCTIVE_TABLES:  # has all of them
        raise StoreError(
            "the database has tables of this bot, and doesn't say of which version; let a restore come to its"
            " end, or restore a whole backup"
        )
    # programs may share a server's database, but not a file
    in_the_way = tables if tx.dialect.name == "sqlite" else tables & set(TABLE_NAMES)
    if in_the_way:
        raise StoreError(
            f"the database is another program's: its table {min(in_the_way)!r} is not this bot's;"
            " name an empty one"
        )
