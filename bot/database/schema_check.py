"""Check at each start whether the tables are those of `schema`, or parts of them are missing.

One query reads all names: SQLAlchemy's own inspection takes 40 times as long and leaves out indexes on
expressions.
"""

from collections.abc import Iterator

from sqlalchemy import Table, UniqueConstraint, text

from bot.database.errors import StoreError
from bot.database.migrations import HEAD, SELECT_REVISION
from bot.database.schema import metadata
from bot.database.tx import Tx

# The names of all tables and indexes, and of all columns, such as awards.at
SELECT_NAMES = {
    "sqlite": text(
        "SELECT name FROM sqlite_master UNION ALL"
        " SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c"
    ),
    "postgresql": text(
        "SELECT relname FROM pg_class WHERE pg_table_is_visible(oid) UNION ALL"
        " SELECT relname || '.' || attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid"
        " WHERE attnum > 0 AND NOT attisdropped AND pg_table_is_visible(attrelid)"
    ),
}


def require_all_tables(tx: Tx) -> None:
    """Raise StoreError if a part of the tables of `schema` is missing."""
    if missing := find_missing_part(tx):
        raise StoreError(f"the database is not whole: {missing} is missing; restore a backup")


def find_missing_part(tx: Tx) -> str | None:
    """Return the first table, column, key or index of `schema` that is missing; None if all are there, or if
    the tables are another version's.
    """
    if tx.scalar(SELECT_REVISION) != HEAD:
        return None
    found, dialect = set(tx.scalars(SELECT_NAMES[tx.dialect.name])), tx.dialect.name
    for table in metadata.sorted_tables:
        if table.name not in found:
            return f"the table {table.name!r}"
    for table in metadata.sorted_tables:
        for name, part in _list_parts(table, dialect):
            if name not in found:
                return f"the {part} of {table.name!r}"
    return None


def _list_parts(table: Table, dialect: str) -> Iterator[tuple[str, str]]:
    """Yield the columns, keys and indexes of a table, each by its name in the database and in messages."""
    for column in table.columns:
        yield f"{table.name}.{column.name}", f"column {column.name!r}"
    if dialect == "postgresql":  # a restore adds keys last; in a file they are a part of the table
        yield f"{table.name}_pkey", "primary key"
        for constraint in table.constraints:
            if isinstance(constraint, UniqueConstraint):
                names = [column.name for column in constraint.columns]
                yield "_".join([table.name, *names, "key"]), f"unique constraint on {', '.join(names)}"
    for index in sorted(table.indexes, key=lambda index: str(index.name)):
        yield str(index.name), f"index {str(index.name)!r}"
