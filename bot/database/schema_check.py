"""Check at each start whether the tables are those of `schema`, or somebody has changed them.

Two or three queries read all of it: SQLAlchemy's own inspection takes 40 times as long and leaves out indexes
on expressions.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Column, Dialect, Index, Row, Table, UniqueConstraint, text

from bot.database.errors import StoreError
from bot.database.migrations import HEAD, SELECT_REVISION
from bot.database.schema import metadata
from bot.database.tx import Tx

# The parts of a database in words for an operator, such as "the column 'at' of 'awards'", with their
# definitions, such as "bigint not null"; empty for a table.
Shape = dict[str, str]

# Each column of each table: its type, whether it is NOT NULL, in the key, and has a default
SELECT_COLUMNS = {
    "sqlite": text(
        'SELECT m.name AS "table", c.name, lower(c.type) AS type, c."notnull" AS not_null, c.pk AS in_key,'
        " c.dflt_value IS NOT NULL AS has_default"
        " FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid"
    ),
    "postgresql": text(
        'SELECT t.relname AS "table", attname AS name, format_type(atttypid, atttypmod) AS type,'
        " attnotnull AS not_null, array_position(i.indkey::int2[], attnum) IS NOT NULL AS in_key,"
        " atthasdef OR attidentity <> '' AS has_default"
        " FROM pg_class t JOIN pg_attribute ON attrelid = t.oid AND attnum > 0 AND NOT attisdropped"
        " LEFT JOIN pg_index i ON i.indrelid = t.oid AND i.indisprimary"
        " WHERE t.relkind IN ('r', 'p') AND pg_table_is_visible(t.oid)"
        " AND t.relnamespace <> 'pg_catalog'::regnamespace ORDER BY t.relname, attnum"
    ),
}
# Each index, also those of keys and constraints; … stands for an expression
SELECT_INDEXES = {
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
# Each trigger; the bot has none
SELECT_TRIGGERS = {
    "sqlite": text("SELECT name, tbl_name AS \"table\" FROM sqlite_master WHERE type = 'trigger' ORDER BY 1"),
    "postgresql": text(
        'SELECT tgname AS name, relname AS "table" FROM pg_trigger JOIN pg_class ON tgrelid = pg_class.oid'
        " WHERE NOT tgisinternal AND pg_table_is_visible(tgrelid) ORDER BY 1"
    ),
}


class Difference(NamedTuple):
    """A difference from the tables of `schema`, and its remedy."""

    problem: str
    remedy: str


def require_expected_tables(tx: Tx) -> None:
    """Raise StoreError unless the tables are those of `schema`."""
    if difference := find_schema_difference(tx):
        raise StoreError(f"the database is not whole: {difference.problem}; {difference.remedy}")


def find_schema_difference(tx: Tx) -> Difference | None:
    """Return the first table, column, key or index of `schema` that is missing or defined in another way,
    else the first addition that may change or refuse the bot's rows; None if there is neither, or if the
    tables are another version's.
    """
    dialect = tx.dialect
    if tx.scalar(SELECT_REVISION) != HEAD:
        return None
    expected = _describe_schema(dialect)
    columns, indexes = (tx.execute(each[dialect.name]).all() for each in (SELECT_COLUMNS, SELECT_INDEXES))
    if missing := _find_missing(expected, _describe_database(columns, indexes)):
        return Difference(missing, "restore a backup")
    triggers = tx.execute(SELECT_TRIGGERS[dialect.name]).all()
    added = next(_find_additions(expected, columns, indexes, triggers), None)
    return Difference(f"{added}, and is not this bot's", "drop it") if added else None


def _find_missing(expected: Shape, found: Shape) -> str:
    """Return which part is missing or defined in another way; empty if none is."""
    for part, definition in expected.items():
        if part not in found:
            return f"{part} is missing"
        if found[part] != definition:
            return f"{part} is {found[part]!r} and should be {definition!r}"
    return ""


def _find_additions(
    expected: Shape, columns: Sequence[Row[Any]], indexes: Sequence[Row[Any]], triggers: Sequence[Row[Any]]
) -> Iterator[str]:
    """Yield the additions to the bot's tables that are not harmless."""
    own = {table.name for table in metadata.sorted_tables}
    for row in triggers:
        if row.table in own:
            yield f"the trigger {row.name!r} of {row.table!r} may change what is stored"
    for row in columns:
        name = _name_column(row.table, row.name)
        if row.table in own and name not in expected and row.not_null and not row.has_default:
            yield f"{name} must be filled"
    for row in indexes:
        if row.table in own and _name_index(row) not in expected and row.is_unique:
            yield f"{_name_index(row)} may refuse rows"


def _describe_database(columns: Sequence[Row[Any]], indexes: Sequence[Row[Any]]) -> Shape:
    """Return the parts of a database with these columns and indexes."""
    shape, keys = Shape(), dict[str, list[str]]()
    for row in columns:
        shape[_name_table(row.table)] = ""
        shape[_name_column(row.table, row.name)] = _define_column(row.type, row.not_null or row.in_key)
        if row.in_key:
            keys.setdefault(_name_key(row.table), []).append(row.name)
    shape |= {key: _define_key(names) for key, names in keys.items()}
    return shape | {
        _name_index(row): _define_index(row.columns, unique=row.is_unique, partial=row.is_partial)
        for row in indexes
        if not row.is_key
    }


def _describe_schema(dialect: Dialect) -> Shape:
    """Return the parts of a database of this version: first all tables, then the parts of each."""
    shape = Shape({_name_table(table.name): "" for table in metadata.sorted_tables})
    for table in metadata.sorted_tables:
        shape |= _describe_table(table, dialect)
    return shape


def _describe_table(table: Table, dialect: Dialect) -> Shape:
    """Return the columns, keys and indexes of a table."""
    shape = Shape({_name_key(table.name): _define_key(column.name for column in table.primary_key.columns)})
    for column in table.columns:
        kind = column.type.compile(dialect).lower()
        shape[_name_column(table.name, column.name)] = _define_column(kind, not column.nullable)
    for constraint in table.constraints:
        if isinstance(constraint, UniqueConstraint):
            names = ", ".join(column.name for column in constraint.columns)
            shape[_name_constraint(table.name, names)] = _define_index(names, unique=True, partial=False)
    for index in sorted(table.indexes, key=lambda index: str(index.name)):
        partial = index.dialect_options[dialect.name]["where"] is not None
        definition = _define_index(
            ", ".join(_list_columns(index)), unique=bool(index.unique), partial=partial
        )
        shape[f"the index {str(index.name)!r} of {table.name!r}"] = definition
    return shape


def _list_columns(index: Index) -> Iterator[str]:
    """Yield the columns of an index; … for each expression."""
    for part in index.expressions:
        plain = re.fullmatch(r"(\w+)( DESC)?", part.name if isinstance(part, Column) else str(part))
        yield plain[1] if plain else "…"


def _name_table(table: str) -> str:
    return f"the table {table!r}"


def _name_column(table: str, column: str) -> str:
    return f"the column {column!r} of {table!r}"


def _define_column(kind: str, not_null: bool) -> str:
    return f"{kind} not null" if not_null else kind


def _name_key(table: str) -> str:
    return f"the primary key of {table!r}"


def _define_key(columns: Iterable[str]) -> str:
    return ", ".join(sorted(columns))


def _name_constraint(table: str, columns: str) -> str:
    return f"the unique constraint of {table!r} on {columns}"


def _name_index(index: Row[Any]) -> str:
    if index.is_key:
        return _name_key(index.table)
    if index.is_constraint:
        return _name_constraint(index.table, index.columns)
    return f"the index {index.name!r} of {index.table!r}"


def _define_index(columns: str, *, unique: bool, partial: bool) -> str:
    return f"{'unique ' if unique else ''}on {columns}{' where …' if partial else ''}"
