"""Whether the tables are as `schema` has them, or somebody has changed them since.

What is asked of the database are two or three queries, since that is done at each start: SQLAlchemy's own
inspection takes 40 times as long and leaves out indexes of expressions.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Column, Dialect, Index, Row, Table, UniqueConstraint, text

from bot.database.errors import StoreError
from bot.database.migrations import HEAD, SELECT_REVISION
from bot.database.schema import metadata
from bot.database.tx import Tx

# The parts of a database in words for an operator, such as "the column 'at' of 'awards'", and how each is
# made, such as "bigint not null"; a table with an empty text.
Shape = dict[str, str]

# Each column of each table: its type, whether it must be filled, is of the key, and has a default.
COLUMNS = {
    "sqlite": text(
        'SELECT m.name AS "table", c.name, lower(c.type) AS type, c."notnull" AS filled, c.pk AS key,'
        " c.dflt_value IS NOT NULL AS has_default"
        " FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid"
    ),
    "postgresql": text(
        'SELECT t.relname AS "table", attname AS name, format_type(atttypid, atttypmod) AS type,'
        " attnotnull AS filled, array_position(i.indkey::int2[], attnum) IS NOT NULL AS key,"
        " atthasdef OR attidentity <> '' AS has_default"
        " FROM pg_class t JOIN pg_attribute ON attrelid = t.oid AND attnum > 0 AND NOT attisdropped"
        " LEFT JOIN pg_index i ON i.indrelid = t.oid AND i.indisprimary"
        " WHERE t.relkind IN ('r', 'p') AND pg_table_is_visible(t.oid)"
        " AND t.relnamespace <> 'pg_catalog'::regnamespace ORDER BY t.relname, attnum"
    ),
}
# Each index, and each key and constraint that is one; … stands for an expression.
INDEXES = {
    "sqlite": text(
        "SELECT m.name AS \"table\", i.name, i.origin = 'pk' AS is_key, i.origin = 'u' AS is_constraint,"
        ' i."unique" AS is_unique, i.partial AS is_partial,'
        " (SELECT group_concat(coalesce(name, '…'), ', ') FROM"
        " (SELECT name FROM pragma_index_xinfo(i.name) WHERE key ORDER BY seqno)) AS columns"
        " FROM sqlite_master m, pragma_index_list(m.name) i WHERE m.type = 'table' ORDER BY m.name, i.name"
    ),
    "postgresql": text(
        'SELECT t.relname AS "table", n.relname AS name, i.indisprimary AS is_key,'
        " EXISTS (SELECT FROM pg_constraint WHERE conindid = n.oid AND contype = 'u') AS is_constraint,"
        " i.indisunique AS is_unique, i.indpred IS NOT NULL AS is_partial,"
        " (SELECT string_agg(coalesce(attname, '…'), ', ' ORDER BY place)"
        " FROM unnest(i.indkey::int2[]) WITH ORDINALITY part(number, place)"
        " LEFT JOIN pg_attribute ON attrelid = t.oid AND attnum = number) AS columns"
        " FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_class n ON n.oid = i.indexrelid"
        " WHERE i.indisvalid AND pg_table_is_visible(t.oid)"
        " AND t.relnamespace <> 'pg_catalog'::regnamespace ORDER BY t.relname, n.relname"
    ),
}
# Each trigger. The bot has none.
TRIGGERS = {
    "sqlite": text("SELECT name, tbl_name AS \"table\" FROM sqlite_master WHERE type = 'trigger' ORDER BY 1"),
    "postgresql": text(
        'SELECT tgname AS name, relname AS "table" FROM pg_trigger JOIN pg_class ON tgrelid = pg_class.oid'
        " WHERE NOT tgisinternal AND pg_table_is_visible(tgrelid) ORDER BY 1"
    ),
}


class Difference(NamedTuple):
    """What is not as the bot has made it, and what mends that."""

    problem: str
    remedy: str


def require_expected_tables(tx: Tx) -> None:
    """Raise StoreError where the tables are not as the bot has made them."""
    if difference := find_schema_difference(tx):
        raise StoreError(f"the database is not whole: {difference.problem}; {difference.remedy}")


def find_schema_difference(tx: Tx) -> Difference | None:
    """Return the first table, column, key or index of this bot's that is missing or made in another way, else
    what was added and changes or refuses what the bot writes; None where all is well.

    Nothing is said of tables of another version.
    """
    dialect = tx.dialect
    if tx.scalar(SELECT_REVISION) != HEAD:
        return None
    wanted = _expected(dialect)
    columns, indexes = tx.execute(COLUMNS[dialect.name]).all(), tx.execute(INDEXES[dialect.name]).all()
    if missing := _missing(wanted, _shape(columns, indexes)):
        return Difference(missing, "restore a backup")
    triggers = tx.execute(TRIGGERS[dialect.name]).all()
    added = next(_added(wanted, columns, indexes, triggers), None)
    return Difference(f"{added}, and is not this bot's", "drop it") if added else None


def _added(
    wanted: Shape, columns: Sequence[Row[Any]], indexes: Sequence[Row[Any]], triggers: Sequence[Row[Any]]
) -> Iterator[str]:
    """What was added to this bot's tables and is not harmless."""
    ours = {table.name for table in metadata.sorted_tables}
    for row in triggers:
        if row.table in ours:
            yield f"the trigger {row.name!r} of {row.table!r} may change what is stored"
    for row in columns:
        name = _column_name(row.table, row.name)
        if row.table in ours and name not in wanted and row.filled and not row.has_default:
            yield f"{name} must be filled"
    for row in indexes:
        if row.table in ours and _index_name(row) not in wanted and row.is_unique:
            yield f"{_index_name(row)} may refuse rows"


def _missing(wanted: Shape, found: Shape) -> str:
    """The first part that is missing or made in another way than is wanted; empty where none is."""
    for part, made in wanted.items():
        if part not in found:
            return f"{part} is missing"
        if found[part] != made:
            return f"{part} is {found[part]!r} and should be {made!r}"
    return ""


def _shape(columns: Sequence[Row[Any]], indexes: Sequence[Row[Any]]) -> Shape:
    """What a database consists of that has such columns and indexes."""
    shape, keys = Shape(), dict[str, list[str]]()
    for row in columns:
        shape[_table_name(row.table)] = ""
        shape[_column_name(row.table, row.name)] = _column_made(row.type, filled=row.filled or row.key)
        if row.key:
            keys.setdefault(_key_name(row.table), []).append(row.name)
    shape |= {key: _key_made(names) for key, names in keys.items()}
    return shape | {
        _index_name(row): _index_made(row.columns, unique=row.is_unique, partial=row.is_partial)
        for row in indexes
        if not row.is_key
    }


def _expected(dialect: Dialect) -> Shape:
    """What a database of this version consists of: first all tables, then what is in them."""
    shape = Shape({_table_name(table.name): "" for table in metadata.sorted_tables})
    for table in metadata.sorted_tables:
        shape |= _expected_in(table, dialect)
    return shape


def _expected_in(table: Table, dialect: Dialect) -> Shape:
    """The columns, keys and indexes of a table."""
    shape = Shape({_key_name(table.name): _key_made([column.name for column in table.primary_key.columns])})
    for column in table.columns:
        kind = column.type.compile(dialect).lower()
        shape[_column_name(table.name, column.name)] = _column_made(kind, filled=not column.nullable)
    for constraint in table.constraints:
        if isinstance(constraint, UniqueConstraint):
            names = ", ".join(column.name for column in constraint.columns)
            shape[_unique_name(table.name, names)] = _index_made(names, unique=True, partial=False)
    for index in sorted(table.indexes, key=lambda index: str(index.name)):
        partial = index.dialect_options[dialect.name]["where"] is not None
        made = _index_made(", ".join(_indexed(index)), unique=bool(index.unique), partial=partial)
        shape[f"the index {str(index.name)!r} of {table.name!r}"] = made
    return shape


def _indexed(index: Index) -> Iterator[str]:
    """The columns of an index; … for each expression."""
    for part in index.expressions:
        plain = re.fullmatch(r"(\w+)( DESC)?", part.name if isinstance(part, Column) else str(part))
        yield plain[1] if plain else "…"


def _table_name(table: str) -> str:
    return f"the table {table!r}"


def _column_name(table: str, column: str) -> str:
    return f"the column {column!r} of {table!r}"


def _column_made(kind: str, *, filled: bool) -> str:
    return f"{kind} not null" if filled else kind


def _key_name(table: str) -> str:
    return f"the primary key of {table!r}"


def _key_made(columns: Iterable[str]) -> str:
    return ", ".join(sorted(columns))


def _unique_name(table: str, columns: str) -> str:
    return f"the unique constraint of {table!r} on {columns}"


def _index_name(index: Row[Any]) -> str:
    if index.is_key:
        return _key_name(index.table)
    if index.is_constraint:
        return _unique_name(index.table, index.columns)
    return f"the index {index.name!r} of {index.table!r}"


def _index_made(columns: str, *, unique: bool, partial: bool) -> str:
    return f"{'unique ' if unique else ''}on {columns}{' where …' if partial else ''}"
