"""Alembic revisions, and the step that brings an older database to today's tables at the start.

A revision only *expands*: it adds what the version before does not miss, since bots of that version may still
run on the database meanwhile. What nobody reads any more is dropped one version later. A change of `schema`
is a file in `versions` and a new `HEAD`.
"""

import re
from pathlib import Path

from sqlalchemy import inspect, text

from bot.database.errors import StoreError
from bot.database.privileges import NAMES, require_ownership
from bot.database.tx import Tx

HEAD = "0100"  # the newest revision in this folder
UNRELEASED = "0028"  # up to this one, revisions are of versions before 1.0, which nobody released
# The fact in `meta` that says that a move into this database is not over, and what its source was.
MOVE_KEY = "moved from"

# The names of all tables, whoever made them, but for those of extensions and of what copies the file.
TABLES = {
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
SELECT_REVISION = text("SELECT version_num FROM alembic_version")
MIGRATE_HINT = "run twentyfour-bot migrate"
VERSION = "alembic_version"  # The table that says of which version the others are
OURS = {"chats", "inbox", "outbox"}  # Tables that no other program has all of


def apply_migrations(tx: Tx) -> None:
    """Run the revisions that `tx`'s database lacks. Raises StoreError for one that another version or program
    wrote, and where the role may make no tables.
    """
    if read_revision(tx) == HEAD:
        return
    from alembic import command  # here, since the usual start doesn't need it, and it takes long to import
    from alembic.config import Config

    require_ownership(tx)
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = tx
    command.upgrade(config, HEAD)  # not "head": the folder may hold files of another version


def require_current_revision(tx: Tx) -> None:
    """Raise StoreError unless `tx`'s database has today's tables; changes nothing."""
    at = read_revision(tx)
    if at is None:
        raise StoreError("the database is empty; DATABASE_URL names the one to use")
    if at < HEAD:
        raise StoreError(f"the database is {_older(at)}; {MIGRATE_HINT}")


def describe_outdated_tables(tx: Tx) -> str:
    """What there is to say of tables that are older than this version's, as a restore leaves them under a bot
    that runs; empty where they are not. Raises as the database where it says of no version.
    """
    at = str(tx.scalar(SELECT_REVISION) or HEAD)
    return f"the database is {_older(at)}: {MIGRATE_HINT}" if at < HEAD else ""


def require_finished_move(tx: Tx) -> None:
    """Raise StoreError where a move into `tx`'s database was cut off."""
    if tx.scalar(text("SELECT value FROM meta WHERE key = :key"), {"key": MOVE_KEY}) is not None:
        raise StoreError("a move into this database was cut off; run `twentyfour-bot move` again to the end")


def read_revision(tx: Tx) -> str | None:
    """The revision of `tx`'s database; None for an empty one.

    Raises StoreError for a newer version's, an unreleased one's, and for what another program made.
    """
    known = inspect(tx).has_table(VERSION)
    at = tx.scalar(SELECT_REVISION) if known else None
    if at is None:
        _require_empty(tx)
        return None
    if reason := explain_unusable_revision(at):
        raise StoreError(f"the database {reason}")
    return str(at)


def explain_unusable_revision(at: str) -> str:
    """Return why this version can't use tables of that revision, and what to do; empty where it can."""
    if not re.fullmatch("[0-9]{4}", at):
        return f"is at a revision that no version made: {at!r}; restore a backup"
    if at <= UNRELEASED:
        return f"is an unreleased version's (revision {at}); let DATABASE_URL name a new one"
    if at > HEAD:
        return f"is at revision {at}, newer than this version's {HEAD}; upgrade the bot"
    return ""


def _require_empty(tx: Tx) -> None:
    """Raise StoreError where there are tables in the way. A start makes its own all at once, or none; a
    restore makes them one after the other, that which says of which version they are before the others.
    """
    tables = set(tx.scalars(TABLES[tx.dialect.name]))
    if VERSION in tables or tables >= OURS:
        raise StoreError(
            "the database has tables of this bot, and doesn't say of which version; let a restore come to its"
            " end, or restore a whole backup"
        )
    in_the_way = tables if tx.dialect.name == "sqlite" else tables & set(NAMES)
    if in_the_way:  # a server's database may be shared by programs; a file is one's own
        raise StoreError(
            f"the database is another program's: its table {min(in_the_way)!r} is not this bot's;"
            " name an empty one"
        )


def _older(at: str) -> str:
    return f"at revision {at}, older than this version's {HEAD}"
