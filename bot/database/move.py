"""Move every row of one database to another one: from SQLite to PostgreSQL, or back.

Both are locked, so that no bot writes to either meanwhile; updates of that time wait at Telegram. The source
is left as it is, and must be of this version already.

Rows are copied in batches, each a transaction, in the order of their keys. The rows of each table are
counted and hashed on both sides. Until all agree, the row `MOVE_KEY` of the target keeps bots from starting
on it. A move that was cut off begins again.
"""

import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlalchemy import Column, ColumnElement, Row, Table, Text, delete, func, insert, select, text, tuple_
from sqlalchemy.engine import URL

from bot.database.address import DEFAULT_PORT
from bot.database.errors import StoreError
from bot.database.migrations import MOVE_KEY, require_current_revision
from bot.database.schema import TRANSIENT_TABLES, meta, metadata
from bot.database.sqlite import explain_unusable, resolve_links
from bot.database.store import Store
from bot.database.tx import Tx

MOVED_TABLES = [table for table in metadata.sorted_tables if table not in TRANSIENT_TABLES]
SOURCE_NAME = "the database to move from"

Report = Callable[[str], object]


class MoveError(Exception):
    """Nothing was moved, or not all; the message is one line."""


async def move_database(source: URL, target: URL, report: Report) -> None:
    """Copy everything from `source` to `target`, which is empty or holds a move that was cut off.

    `report` gets a line for each table and for each large part of it. Raises MoveError, also if one of the
    databases can't be opened.
    """
    if _is_file(source):
        problem = explain_unusable(Path(str(source.database)))
        if problem:
            raise MoveError(problem)
    if _identify(source) == _identify(target):
        raise MoveError("that is the same database")
    async with _open_source(source) as origin, _open(target, "the target", require_whole=False) as copy:
        if not await copy.write(_reserve_target):
            raise MoveError(
                "the target has rows, its own or those of a move that is complete: name an empty one"
            )
        report("copying everything and verifying the copy")
        for table in MOVED_TABLES:
            digest = await _copy_table(origin, copy, table, report)
            copy_digest = await _compute_digest(copy, table, report)
            if copy_digest != digest:
                raise MoveError(f"{table.name} differs: {copy_digest} there, {digest} here; please try again")
            report(f"{table.name}: {digest}")
        await copy.write(_finish_move)


def _is_file(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"


def _identify(url: URL) -> tuple[object, ...]:
    """Return a value that is equal for two addresses of one database."""
    if _is_file(url):
        return (resolve_links(Path(str(url.database))),)
    return url.host, url.port or DEFAULT_PORT, url.database


@asynccontextmanager
async def _open_source(url: URL) -> AsyncIterator[Store]:
    """Open the source. Raises MoveError if that fails, for another version, or while a bot runs on it."""
    with _name_database_in_error(SOURCE_NAME):
        await Store.read_any_version(url, require_current_revision)  # `_open` would migrate it
    async with _open(url, SOURCE_NAME) as store:
        yield store


@asynccontextmanager
async def _open(url: URL, name: str, *, require_whole: bool = True) -> AsyncIterator[Store]:
    """Open a database, migrate it, and close it after the block. Raises MoveError, which calls it `name`.
    With `require_whole` a database is refused into which a move was cut off.
    """
    with _name_database_in_error(name):
        store = await Store.open(url, require_whole=require_whole)
    try:
        yield store
    finally:
        await store.close()


@contextmanager
def _name_database_in_error(name: str) -> Iterator[None]:
    """Raise a StoreError of the block as a MoveError that calls the database `name`."""
    try:
        yield
    except StoreError as error:
        problem = str(error).removeprefix("DATABASE_URL: ")
        remedy = "; stop it first" if "already runs" in problem else ""
        raise MoveError(f"{name}: {problem}{remedy}") from error


def _reserve_target(tx: Tx) -> bool:
    """Insert the row `MOVE_KEY`, which keeps bots from starting, and delete the rows of a cut-off move.
    Return True; False, without a change, if there are rows that no move has written.
    """
    is_reserved = tx.scalar(select(meta.c.key).where(meta.c.key == MOVE_KEY)) is not None
    if not is_reserved:
        # not `meta`, where a bot that only started has stored facts
        tables = [table for table in MOVED_TABLES if table is not meta]
        if any(tx.execute(select(table).limit(1)).first() for table in tables):
            return False
    for table in reversed(MOVED_TABLES):
        tx.execute(delete(table))
    tx.execute(insert(meta).values(key=MOVE_KEY, value=""))
    return True


async def _copy_table(source: Store, target: Store, table: Table, report: Report) -> str:
    """Copy all rows of a table, a transaction for each batch, and return their digest."""
    digest = Digest()
    async for rows in _read_batches(source, table, "copied", report):
        await target.write(partial(_insert_rows, table=table, rows=rows))
        digest.add(rows)
    return str(digest)


def _insert_rows(tx: Tx, table: Table, rows: Sequence[Row[Any]]) -> None:
    tx.execute(insert(table), [_adapt_row(row, tx.dialect.name) for row in rows])


async def _compute_digest(store: Store, table: Table, report: Report) -> str:
    """Read all rows of a table of the target, and return their digest."""
    digest = Digest()
    async for rows in _read_batches(store, table, "read there", report):
        digest.add(rows)
    return str(digest)


class Digest:
    """The number of rows, and the sum of their hashes, which does not depend on their order."""

    def __init__(self) -> None:
        self._count = 0
        self._sum = 0

    def add(self, rows: Sequence[Row[Any]]) -> None:
        """Count more rows, and add their hashes to the sum."""
        self._count += len(rows)
        for row in rows:
            values = _adapt_row(row, "postgresql")  # so that both sides have equal hashes
            content = json.dumps(values, sort_keys=True)
            digest = sha256(content.encode()).digest()
            self._sum += int.from_bytes(digest)

    def __str__(self) -> str:
        """Return the count and the first 12 of the sum's 64 hexadecimal digits: `7 rows, 0123456789ab`."""
        digits = f"{self._sum % 2**256:064x}"
        return f"{self._count} rows, {digits[:12]}"


BATCH_ROWS = 2000
PROGRESS_ROWS = 100_000  # after so many rows of a table, some seconds of work, the progress is reported


async def _read_batches(
    store: Store, table: Table, action: str, report: Report
) -> AsyncIterator[Sequence[Row[Any]]]:
    """Yield the rows of a table but that of `MOVE_KEY` in batches, and report the progress of `action`."""
    keys = list(table.primary_key.columns)
    count = 0
    last: Row[Any] | None = None  # of the batches so far

    def read_batch(tx: Tx) -> Sequence[Row[Any]]:
        """Return the first rows after `last`, or the first of all; empty at the end."""
        order = [_build_sort_expression(tx, key) for key in keys]
        query = select(table).order_by(*order).limit(BATCH_ROWS)
        if table is meta:
            query = query.where(meta.c.key != MOVE_KEY)
        if last is not None:
            last_key = [last._mapping[key.name] for key in keys]
            query = query.where(tuple_(*order) > tuple_(*last_key))
        return tx.execute(query).all()

    while True:
        rows = await store.read(read_batch)
        if not rows:
            return
        yield rows
        last = rows[-1]
        former_count = count
        count += len(rows)
        if count // PROGRESS_ROWS > former_count // PROGRESS_ROWS:  # a multiple was passed
            report(f"{table.name}: {action} {count} rows so far")


def _build_sort_expression(tx: Tx, key: Column[Any]) -> ColumnElement[Any]:
    """Build the sort expression of a key, the same on both sides: texts by their bytes."""
    if tx.dialect.name == "postgresql" and isinstance(key.type, Text):
        return key.collate("C")
    return key  # SQLite compares bytes anyway


def _adapt_row(row: Row[Any], dialect: str) -> dict[str, object]:
    """Return a row's values as the dialect can store them: for PostgreSQL without characters 0 in texts."""
    values: dict[str, object] = row._asdict()
    if dialect == "postgresql":
        for name, value in values.items():
            if isinstance(value, str):
                values[name] = value.replace("\0", "\ufffd")
    return values


def _finish_move(tx: Tx) -> None:
    """Let bots start on the target: delete the row `MOVE_KEY`, and set PostgreSQL's sequences."""
    tx.execute(delete(meta).where(meta.c.key == MOVE_KEY))
    if tx.dialect.name != "postgresql":
        return
    set_next_id = text("SELECT setval(:name, :id, :is_used)")
    for table in metadata.sorted_tables:
        for column in table.primary_key.columns:
            sequence = tx.scalar(select(func.pg_get_serial_sequence(table.name, column.name)))
            if sequence is not None:
                highest = tx.scalar(select(func.max(column))) or 0
                # Of an empty table the next id is 1: a sequence starts there, and that id is not used yet
                values = {"name": sequence, "id": max(1, highest), "is_used": highest > 0}
                tx.execute(set_next_id, values)
