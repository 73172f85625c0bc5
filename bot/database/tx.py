"""A transaction, and what depends on the dialect: INSERT statements and the server's clock."""

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Double, Table, bindparam, cast, delete, func, select
from sqlalchemy.dialects import postgresql, sqlite

T = TypeVar("T")
Tx = Connection  # an open transaction; the first argument of every query
# A plain function of a transaction. It may be called twice, so it changes nothing but the database.
Work = Callable[[Tx], T]

COMMIT_CALLBACKS = "after commit"  # key in `Connection.info`


def call_after_commit(tx: Tx, callback: Callable[[], object]) -> None:
    """Call `callback` once the transaction is committed; never if it is rolled back. The call comes on any
    thread, and is lost if the process ends first.
    """
    callbacks = tx.info.setdefault(COMMIT_CALLBACKS, [])
    callbacks.append(callback)


def run_commit_callbacks(connection: Connection) -> None:
    """Run the callbacks of the transaction that was just committed, and ignore their errors."""
    for callback in connection.info.pop(COMMIT_CALLBACKS, ()):
        with suppress(Exception):
            callback()


def drop_commit_callbacks(connection: Connection) -> None:
    """Forget the callbacks of a transaction that was rolled back."""
    if not connection.invalidated:  # else they are gone with the connection
        connection.info.pop(COMMIT_CALLBACKS, None)


DELETED_AT_ONCE = 200  # rows; so few that other transactions need not wait for long


def delete_batch(tx: Tx, table: Table, *conditions: ColumnElement[bool]) -> bool:
    """Delete up to `DELETED_AT_ONCE` rows that meet the conditions; return whether there may be more."""
    select_keys = select(*table.primary_key).where(*conditions).limit(DELETED_AT_ONCE)
    keys = tx.execute(select_keys).mappings().all()
    if keys:  # row by row: for an IN of several columns, SQLite would scan the whole table
        tx.execute(_build_delete_row(table), [dict(key) for key in keys])
    return len(keys) == DELETED_AT_ONCE


@cache
def _build_delete_row(table: Table) -> Any:
    """Build the DELETE of one row; its parameters are the columns of the primary key. Cached."""
    is_row = [column == bindparam(column.name) for column in table.primary_key]
    return delete(table).where(*is_row)


# The server's own clock, the only one that all bots on a database share.
SERVER_TIME = cast(func.extract("epoch", func.clock_timestamp()), Double)
SELECT_SERVER_TIME = select(SERVER_TIME)


def read_server_time(tx: Tx, wall: float) -> float:
    """Return the time by the server's clock; `wall`, this machine's time, for a file."""
    if tx.dialect.name != "postgresql":
        return wall
    return float(tx.scalar(SELECT_SERVER_TIME) or 0.0)  # it is never NULL


@cache
def build_insert_if_new(dialect: str, table: Table) -> Any:
    """Build an INSERT that skips rows whose key is there already. Cached: building costs most."""
    return build_insert_for(dialect, table).on_conflict_do_nothing()


@cache
def build_upsert(dialect: str, table: Table, *, updated: tuple[str, ...]) -> Any:
    """Build an INSERT that changes only the `updated` columns of a row whose key is there already. Cached."""
    statement = build_insert_for(dialect, table)
    changed = {name: statement.excluded[name] for name in updated}
    return statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=changed)


def build_insert_for(dialect: str, table: Table) -> Any:
    """Build an INSERT with ON CONFLICT clauses for a dialect, `sqlite` or `postgresql`."""
    if dialect == "sqlite":
        return sqlite.insert(table)
    return postgresql.insert(table)
