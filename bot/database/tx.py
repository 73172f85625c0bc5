"""A transaction, and what each database has of its own: a statement that SQLAlchemy builds, and a clock."""

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Double, Table, bindparam, cast, delete, func, select
from sqlalchemy.dialects import postgresql, sqlite

T = TypeVar("T")
Tx = Connection  # An open transaction; what every query takes first
# A plain function of a transaction. It may be called twice, so it changes nothing but the database.
Work = Callable[[Tx], T]

DELETED_AT_ONCE = 200  # Rows that one transaction deletes of what nobody will look at again
DURABLE = "once durable"  # Where a connection keeps what waits for its commit
# A server's own clock, the only one that all who use a database share.
SERVER_TIME = cast(func.extract("epoch", func.clock_timestamp()), Double)
NOW = select(SERVER_TIME)


def call_after_commit(tx: Tx, call: Callable[[], object]) -> None:
    """Call this when the transaction has been committed, and not when it is rolled back.

    It is called on any thread, and changes nothing that matters: a process that ends meanwhile does without.
    """
    tx.info.setdefault(DURABLE, []).append(call)


def run_commit_callbacks(connection: Connection) -> None:
    """Call what waits for the commit that has just been; what fails of that undoes nothing."""
    for call in connection.info.pop(DURABLE, ()):
        with suppress(Exception):
            call()


def drop_commit_callbacks(connection: Connection) -> None:
    """Let go of what waited for a commit; a connection that is lost has taken it along."""
    if not connection.invalidated:
        connection.info.pop(DURABLE, None)


@cache
def _delete_row(table: Table) -> Any:
    return delete(table).where(*(key == bindparam(f"its_{key.name}") for key in table.primary_key))


def delete_batch(tx: Tx, table: Table, *which: ColumnElement[bool]) -> bool:
    """Delete those rows of `table`, a few at once, for whoever waits; whether there may be more."""
    key = [column.label(f"its_{column.name}") for column in table.primary_key]
    found = tx.execute(select(*key).where(*which).limit(DELETED_AT_ONCE)).mappings().all()
    if found:  # row by row: SQLite would go through the whole table for an IN of several columns
        tx.execute(_delete_row(table), [dict(row) for row in found])
    return len(found) == DELETED_AT_ONCE


def read_server_time(tx: Tx, wall: float) -> float:
    """The time by the server's clock; a file has none, and nobody else: there it is this machine's `wall`."""
    return float(tx.scalar(NOW) or 0.0) if tx.dialect.name == "postgresql" else wall


def build_insert(tx: Tx, table: Table) -> Any:
    """An INSERT into `table` that knows ON CONFLICT, for the database at hand."""
    return build_insert_for(tx.dialect.name, table)


@cache
def build_insert_if_new(dialect: str, table: Table) -> Any:
    """An INSERT into `table` of those rows that it does not have. Built once, since building costs most."""
    return build_insert_for(dialect, table).on_conflict_do_nothing()


@cache
def build_upsert(dialect: str, table: Table, *told: str) -> Any:
    """An INSERT into `table` that tells those columns anew of each row that it has already. Built once."""
    statement = build_insert_for(dialect, table)
    changed = {name: statement.excluded[name] for name in told}
    return statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=changed)


def build_insert_for(dialect: str, table: Table) -> Any:
    """As `upsert`, for what is built once for a dialect."""
    return sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)
