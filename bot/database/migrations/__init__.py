"""Alembic revisions, and the step that brings any older database to today's tables at the start.

Where several bots share a database, the new version brings it up to date while the old one still runs. So a
revision only *expands*: it adds what the old version does not miss. What nobody reads any more is dropped one
version later. `USABLE` says from which version on the tables can be used, and stands in the database, so
that a bot of such a version also starts on newer tables.
"""

import re
from pathlib import Path

from sqlalchemy import inspect, text

from bot.database.errors import StoreError
from bot.database.rights import NAMES, require_own
from bot.database.tx import Tx

HEAD = "0028"
"""The newest revision in this folder; a test holds it to Alembic's own answer."""

USABLE = "0016"
"""The oldest revision whose version can use today's tables. Raise it with a revision that drops, renames or
requires something that this version needs."""
USABLE_FROM = "usable from"
"""The fact in `meta` that says so of the tables that are there."""
MARK = "moved from"
"""The fact in `meta` that says that a move into this database is not over, and what its source was."""

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
"""The names of all tables, whoever made them, but for those of extensions and of what copies the file."""
AT = text("SELECT version_num FROM alembic_version")
MIGRATE = "run twentyfour-bot migrate"
VERSION = "alembic_version"
"""The table that says of which version the others are."""
OURS = {"chats", "inbox", "outbox"}
"""Tables that no other program has all of."""


def bring_up_to_date(tx: Tx) -> None:
    """Run the revisions that `tx`'s database lacks. Raises StoreError for one that a newer version or another
    program wrote, and where the role may make no tables.
    """
    at = revision(tx)
    if at is not None and at >= HEAD:
        return
    require_own(tx)
    upgrade(tx, HEAD)  # not "head": the folder may hold files of another version
    tx.execute(text("DELETE FROM meta WHERE key = :key"), {"key": USABLE_FROM})
    tx.execute(text("INSERT INTO meta (key, value) VALUES (:key, :at)"), {"key": USABLE_FROM, "at": USABLE})


def upgrade(tx: Tx, to: str) -> None:
    """Run the revisions up to that one."""
    from alembic import command  # here, since the usual start doesn't need it, and it takes long to import
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = tx
    command.upgrade(config, to)


def need_versions_from(tx: Tx, revision: str) -> None:
    """Let no version start on the database any more that does not know that revision."""
    if _usable_from(tx) < revision:
        told = text("UPDATE meta SET value = :at WHERE key = :key")
        tx.execute(told, {"key": USABLE_FROM, "at": revision})


def require_today(tx: Tx) -> None:
    """Raise StoreError unless `tx`'s database has today's tables; changes nothing."""
    at = revision(tx)
    if at is None:
        raise StoreError("the database is empty; DATABASE_URL names the one to use")
    if at < HEAD:
        raise StoreError(f"the database is {_older(at)}; {MIGRATE}")


def behind(tx: Tx) -> str:
    """What there is to say of tables that are older than this version's, as a restore leaves them under a bot
    that runs; empty where they are not. Raises as the database where it says of no version.
    """
    at = str(tx.scalar(AT) or HEAD)
    return f"the database is {_older(at)}: {MIGRATE}" if at < HEAD else ""


def require_same(tx: Tx) -> None:
    """Raise StoreError where `tx`'s database has newer tables, of which this version doesn't know all."""
    at = revision(tx)
    if at is not None and at > HEAD:
        raise _newer(at)


def require_whole(tx: Tx) -> None:
    """Raise StoreError where a move into `tx`'s database was cut off."""
    if tx.scalar(text("SELECT value FROM meta WHERE key = :key"), {"key": MARK}) is not None:
        raise StoreError("a move into this database was cut off; run `twentyfour-bot move` again to the end")


def revision(tx: Tx) -> str | None:
    """The revision of `tx`'s database; None for an empty one.

    Raises StoreError for a newer version's that this one can't use, and for what another program made.
    """
    known = inspect(tx).has_table(VERSION)
    at = tx.scalar(AT) if known else None
    if at is None:
        _require_empty(tx)
        return None
    if not re.fullmatch("[0-9]{4}", at):
        raise StoreError(f"the database is at a revision that no version made: {at!r}; restore a backup")
    if at > HEAD and _usable_from(tx) > HEAD:
        raise _newer(at)
    return str(at)


def told_newer(at: str) -> str:
    """How a revision that is newer than this version's, and that it can use, is told to an operator."""
    return f"of a newer version ({at}), whose tables this one ({HEAD}) can use"


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


def _usable_from(tx: Tx) -> str:
    """The oldest revision whose version can use the tables that are there."""
    fact = text("SELECT value FROM meta WHERE key = :key")
    found = tx.scalar(fact, {"key": USABLE_FROM}) if inspect(tx).has_table("meta") else None
    return str(found) if found is not None else "9999"


def _older(at: str) -> str:
    return f"at revision {at}, older than this version's {HEAD}"


def _newer(at: str) -> StoreError:
    return StoreError(f"the database is at revision {at}, newer than this version's {HEAD}; upgrade the bot")
