"""Move every row of one database to another one: from SQLite to PostgreSQL, or back.

Both are locked, so that no bot writes to either meanwhile; updates of that time wait at Telegram. The source
is left as it is: of a file a copy is migrated and read, and a server's database must be of this version
already.

Rows are copied in batches, each a transaction, in the order of their keys. The target stores a digest of the
source (`MOVE_KEY`), so a move that was cut off goes on where it stopped, and starts again if the source has
changed since. At the end the rows of each table are counted and hashed on both sides; until they agree, no
bot starts on the target.
"""

import json
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Column, ColumnElement, Row, Table, Text, delete, func, insert, select, text, tuple_
from sqlalchemy.engine import URL

from bot.database.backup import copy_database_file, delete_database_file
from bot.database.errors import StoreError
from bot.database.migrations import MOVE_KEY, require_current_revision
from bot.database.postgresql import AccessMode
from bot.database.schema import TRANSIENT_TABLES, meta, metadata
from bot.database.sqlite import acquire_file_lock, explain_unusable, resolve_links
from bot.database.store import Store
from bot.database.tx import Tx

MOVED_TABLES = [table for table in metadata.sorted_tables if table not in TRANSIENT_TABLES]
SOURCE = "the database to move from"

Report = Callable[[str], object]


class MoveError(Exception):
    """Nothing was moved, or not all; the message is one line."""


class TableDigest(NamedTuple):
    """The number of rows in a table, and the sum of their hashes."""

    rows: int
    digest: int

    def __str__(self) -> str:
        return f"{self.rows} rows, {f'{self.digest:064x}'[:12]}"


async def move_database(source: URL, target: URL, report: Report) -> None:
    """Copy everything from `source` to `target`, which is empty or holds a move that was cut off.

    `report` gets a line for each step and for each large part of it. Raises MoveError, also if one of the
    databases can't be opened.
    """
    if _is_file(source) and (problem := explain_unusable(Path(str(source.database)))):
        raise MoveError(problem)
    if _identify(source) == _identify(target):
        raise MoveError("that is the same database")
    async with _open_source(source) as ours, _open(target, "the target", require_whole=False) as theirs:
        await _reserve_target(theirs)
        report("reading all that there is")
        digests = {table: await _compute_digest(ours, table, "read", report) for table in MOVED_TABLES}
        if not await _begin_or_continue(theirs, _combine(digests)):
            report("going on where the last move was cut off")
        report(f"copying {sum(digest.rows for digest in digests.values())} rows, and reading them there")
        for table, digest in digests.items():
            await _copy_table(ours, theirs, table, report)
            arrived = await _compute_digest(theirs, table, "read there", report)
            if arrived != digest:
                raise MoveError(f"{table.name} differs: {digest} there, {arrived} here; please try again")
            report(f"{table.name}: {digest}")
        await theirs.write(_finish_move)


def _is_file(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"


def _identify(url: URL) -> tuple[object, ...]:
    """Return a value that is equal for two addresses of one database."""
    if not _is_file(url):
        return url.host, url.port or 5432, url.database
    path = resolve_links(Path(str(url.database)))
    if not path.exists():
        return (path,)
    file = path.stat()
    return file.st_dev, file.st_ino


@asynccontextmanager
async def _open_source(url: URL) -> AsyncIterator[Store]:
    """Open the source, of a file a copy. Raises MoveError if that fails, or while a bot runs on it."""
    if not _is_file(url):
        with _name_database_in_error(SOURCE):
            await Store.read_any_version(url, require_current_revision)
        async with _open(url, SOURCE) as store:
            yield store
        return
    path = resolve_links(Path(str(url.database)))
    copy = path.with_name(path.name + ".moving")
    try:
        lock = acquire_file_lock(path)
    except BlockingIOError:
        raise MoveError(
            f"{SOURCE}: another bot already runs on the database {str(path)!r}; stop it first"
        ) from None
    except OSError as error:
        raise MoveError(f"{SOURCE} can't be claimed: {error}") from None
    with lock:
        try:
            _copy_file(path, copy)
            async with _open(url.set(database=str(copy)), SOURCE, AccessMode.UNLOCKED) as store:
                yield store
        finally:
            delete_database_file(copy)


def _copy_file(path: Path, copy: Path) -> None:
    try:
        copy_database_file(path, copy)
    except (sqlite3.Error, OSError) as error:
        raise MoveError(f"{SOURCE} can't be copied: {error}") from None


@asynccontextmanager
async def _open(
    url: URL, name: str, mode: AccessMode = AccessMode.EXCLUSIVE, *, require_whole: bool = True
) -> AsyncIterator[Store]:
    """Open a database and migrate it. Raises MoveError."""
    with _name_database_in_error(name):
        store = await Store.open(url, mode, require_whole=require_whole)
    try:
        yield store
    finally:
        await store.close()


@contextmanager
def _name_database_in_error(name: str) -> Iterator[None]:
    """Raise a StoreError as a MoveError that names the database."""
    try:
        yield
    except StoreError as error:
        problem = str(error).removeprefix("DATABASE_URL: ")
        remedy = "; stop it first" if "already runs" in problem else ""
        raise MoveError(f"{name}: {problem}{remedy}") from error


BEING_READ = "to be read"  # the value of `MOVE_KEY` in the target until the source is read


async def _reserve_target(target: Store) -> None:
    """Let no bot start on the target while the source is read, which may take minutes.

    Raises MoveError if the target has rows that no move has written.
    """

    def reserve(tx: Tx) -> bool:
        if _read_move_key(tx) is None:
            if any(_has_rows(tx, table) for table in MOVED_TABLES if table is not meta):
                return False
            tx.execute(insert(meta).values(key=MOVE_KEY, value=BEING_READ))
        return True

    if not await target.write(reserve):
        raise MoveError("the target has rows of its own: name an empty one")


def _read_move_key(tx: Tx) -> Any:
    """Return the digest of the source whose rows are there; None if no move has begun."""
    return tx.scalar(select(meta.c.value).where(meta.c.key == MOVE_KEY))


def _has_rows(tx: Tx, table: Table) -> bool:
    return tx.execute(select(table).limit(1)).first() is not None


def _combine(digests: dict[Table, TableDigest]) -> str:
    """Return a digest of the whole source."""
    lines = "\n".join(f"{table.name} {rows} {digest:x}" for table, (rows, digest) in digests.items())
    return sha256(lines.encode()).hexdigest()


async def _begin_or_continue(target: Store, digest: str) -> bool:
    """Return whether the move begins anew: then rows of another state of the source are deleted."""

    def begin(tx: Tx) -> bool:
        is_new = bool(_read_move_key(tx) != digest)
        if is_new:
            for table in reversed(MOVED_TABLES):
                tx.execute(delete(table))
            tx.execute(insert(meta).values(key=MOVE_KEY, value=digest))
        return is_new

    return await target.write(begin)


async def _copy_table(source: Store, target: Store, table: Table, report: Report) -> None:
    """Copy the rows that the target lacks: those behind its last one."""
    last = await target.read(lambda tx: _read_last_row(tx, table))
    async for rows in _read_batches(source, table, "copied", report, last):
        values = [_adapt_row(row._asdict(), target.dialect) for row in rows]
        await target.write(lambda tx, values=values: tx.execute(insert(table), values).rowcount)  # type: ignore[misc]


def _read_last_row(tx: Tx, table: Table) -> Row[Any] | None:
    order = [_sort_by(tx, key).desc() for key in table.primary_key.columns]
    return tx.execute(_select_rows(table).order_by(*order).limit(1)).first()


BATCH_ROWS = 2000
PROGRESS_ROWS = 100_000  # after so many rows of a table, some seconds of work, the progress is reported


async def _read_batches(
    store: Store, table: Table, action: str, report: Report, last: Row[Any] | None = None
) -> AsyncIterator[Sequence[Row[Any]]]:
    """Yield the rows of a table behind `last` in batches, and report the progress of `action`."""
    count = 0
    while rows := await store.read(partial(_read_batch, table=table, last=last)):
        yield rows
        last, before, count = rows[-1], count, count + len(rows)
        if count // PROGRESS_ROWS > before // PROGRESS_ROWS:
            report(f"{table.name}: {action} {count} rows so far")


def _read_batch(tx: Tx, table: Table, last: Row[Any] | None) -> Sequence[Row[Any]]:
    """Return the next rows behind `last`, in the order of their keys."""
    keys = list(table.primary_key.columns)
    order = [_sort_by(tx, key) for key in keys]
    rows = _select_rows(table).order_by(*order).limit(BATCH_ROWS)
    if last is not None:
        rows = rows.where(tuple_(*order) > tuple_(*(last._mapping[key.name] for key in keys)))
    return tx.execute(rows).all()


def _select_rows(table: Table) -> Any:
    """Build a SELECT of all rows but that of `MOVE_KEY`."""
    return select(table).where(table.c.key != MOVE_KEY) if table is meta else select(table)


def _sort_by(tx: Tx, key: Column[Any]) -> ColumnElement[Any]:
    """Build the sort expression of a key, the same on both sides: texts by their bytes."""
    return key.collate("C") if tx.dialect.name == "postgresql" and isinstance(key.type, Text) else key


def _adapt_row(row: dict[str, Any], dialect: str) -> dict[str, Any]:
    """Replace what the dialect can't store: no text of PostgreSQL holds a character 0."""
    if dialect == "postgresql":
        return {name: v.replace("\0", "\ufffd") if isinstance(v, str) else v for name, v in row.items()}
    return row


HASH_MODULUS = 1 << 256


async def _compute_digest(store: Store, table: Table, action: str, report: Report) -> TableDigest:
    """Count and hash the rows of a table. The sum of the hashes does not depend on their order."""
    count, digest = 0, 0
    async for rows in _read_batches(store, table, action, report):
        count += len(rows)
        digest = (digest + sum(map(_hash_row, rows))) % HASH_MODULUS
    return TableDigest(count, digest)


def _hash_row(row: Row[Any]) -> int:
    values = _adapt_row(row._asdict(), "postgresql")  # as they are on either side
    return int.from_bytes(sha256(json.dumps(values, sort_keys=True).encode()).digest())


def _finish_move(tx: Tx) -> None:
    """Let bots start on the target, and let new rows get ids behind those that are there."""
    tx.execute(delete(meta).where(meta.c.key == MOVE_KEY))
    if tx.dialect.name != "postgresql":
        return
    set_next_id = text("SELECT setval(:name, :id, :is_used)")
    for table in metadata.sorted_tables:
        for column in table.primary_key.columns:
            sequence = tx.scalar(select(func.pg_get_serial_sequence(table.name, column.name)))
            if sequence is not None:
                highest = tx.scalar(select(func.max(column))) or 0
                values = {"name": sequence, "id": max(1, highest), "is_used": highest > 0}
                tx.execute(set_next_id, values)
