"""Check at each start that no part of the tables of `schema` is missing, and that they have no triggers.

One query reads all names: SQLAlchemy's own inspection takes 40 times as long and leaves out indexes on
expressions.
"""

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Table, UniqueConstraint, text

from bot.database.errors import StoreError
from bot.database.migrations import HEAD, SELECT_REVISION
from bot.database.schema import metadata
from bot.database.tx import Tx

# The names of all tables and indexes, and of all columns, such as awards.at
SELECT_PART_NAMES = {
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

# The triggers of all tables; the bot has none.
SELECT_TRIGGERS = {
    "sqlite": text("SELECT name, tbl_name AS \"table\" FROM sqlite_master WHERE type = 'trigger' ORDER BY 1"),
    "postgresql": text(
        'SELECT tgname AS name, relname AS "table" FROM pg_trigger JOIN pg_class ON tgrelid = pg_class.oid'
        " WHERE NOT tgisinternal AND pg_table_is_visible(tgrelid) ORDER BY 1"
    ),
}


def require_whole_schema(tx: Tx) -> None:
    """Raise StoreError if a part of the tables of `schema` is missing, or a trigger may change them."""
    fault = find_schema_fault(tx)
    if fault is not None:
        raise StoreError(f"the database is incomplete or changed: {fault.problem}; {fault.remedy}")


class SchemaFault(NamedTuple):
    """Words for a missing or foreign part of the tables."""

    problem: str
    remedy: str


def find_schema_fault(tx: Tx) -> SchemaFault | None:
    """Return the first missing part or foreign trigger; None if there is none, or at another revision."""
    dialect = tx.dialect.name
    if tx.scalar(SELECT_REVISION) != HEAD:
        return None
    present = set(tx.scalars(SELECT_PART_NAMES[dialect]))
    parts = [(table.name, f"table {table.name!r}") for table in metadata.sorted_tables]
    for table in metadata.sorted_tables:
        parts += _list_parts(table, dialect)
    for name, description in parts:
        if name not in present:
            return SchemaFault(f"the {description} is missing", "restore a backup")
    for trigger, table_name in tx.execute(SELECT_TRIGGERS[dialect]):
        if table_name in metadata.tables:  # another program's tables may have some
            problem = f"the trigger {trigger!r} on {table_name!r} is not the bot's and may change its data"
            return SchemaFault(problem, "drop it")
    return None


def _list_parts(table: Table, dialect: str) -> Iterator[tuple[str, str]]:
    """Yield the columns, keys and indexes of a table: of each its name in the database, and words for it."""
    for column in table.columns:
        yield f"{table.name}.{column.name}", f"column {column.name!r} of {table.name!r}"
    if dialect == "postgresql":  # a restore adds keys last; in a file they are a part of the table
        yield f"{table.name}_pkey", f"primary key of {table.name!r}"
        for constraint in table.constraints:
            if isinstance(constraint, UniqueConstraint):
                columns = [column.name for column in constraint.columns]
                name = "_".join([table.name, *columns, "key"])  # as PostgreSQL names it
                yield name, f"unique constraint of {table.name!r} on {', '.join(columns)}"
    for index in sorted(table.indexes, key=lambda index: str(index.name)):
        yield str(index.name), f"index {str(index.name)!r} of {table.name!r}"
