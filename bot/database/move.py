"""Every row of one database in another one: from SQLite to PostgreSQL, or back.

Both are claimed, so that no bot writes to either meanwhile; what people send in that time waits at Telegram.
The source is left as it is: of a file a copy is brought to this version's tables and read, and a server's
database must have these tables already.
Rows go in batches, each a transaction, in the order of their keys. The target knows from which state of the
source its rows are (`MARK`), so a move that was cut off goes on where it stood, and one that was begun from
rows that have changed since begins anew. At the end the rows of each table are counted and hashed on both
sides; until they agree, no bot takes the target for its own.
"""

import json
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
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

BATCH_ROWS = 2000  # Rows that are read, and written in one transaction
PROGRESS_ROWS = 100_000  # Rows of a table after which it is said again how far it is: some seconds of work
SOURCE = "the database to move from"
NOT_YET = "to be read"  # The mark of a target as long as the state of its source isn't known
HASH_MODULUS = 1 << 256  # What sums of hashes are taken modulo: the order of the rows is then of no matter


# What is moved: all but what says who runs on the database just now.
MOVED_TABLES = [table for table in metadata.sorted_tables if table not in TRANSIENT_TABLES]


class MoveError(Exception):
    """Nothing was moved, or not all; the message is one line."""


Report = Callable[[str], object]


class TableDigest(NamedTuple):
    """What a table holds."""

    rows: int
    digest: int  # The sum of the hashes of all rows

    def __str__(self) -> str:
        return f"{self.rows} rows, {self.digest:064x}"[: len(f"{self.rows} rows, ") + 12]


async def move_database(source: URL, target: URL, report: Report) -> None:
    """Copy everything from `source` to `target`, which is empty or holds a move that was cut off.

    `tell` is told of each table that is there, and how far it is, which takes minutes where there is much.
    Raises MoveError; StoreError where one can't be opened.
    """
    _refuse_what_is_none(source, target)
    async with (
        _opened_source(source) as ours,
        _opened(target, "the target", whole=False) as theirs,
    ):
        await _claim(theirs)
        report("reading all that there is")
        wanted = {
            table: await _content(ours, table, _stride(report, f"{table.name}: read"))
            for table in MOVED_TABLES
        }
        if not await _begin(theirs, _mark(wanted)):
            report("going on where the last move was cut off")
        report(f"copying {sum(content.rows for content in wanted.values())} rows, and reading them there")
        for table, content in wanted.items():
            await _copy(ours, theirs, table, _stride(report, f"{table.name}: copied"))
            arrived = await _content(theirs, table, _stride(report, f"{table.name}: read there"))
            if arrived != content:
                raise MoveError(f"{table.name} differs: {content} there, {arrived} here; please try again")
            report(f"{table.name}: {content}")
        await theirs.write(_finish)


def _stride(tell: Report, what: str) -> Callable[[int, int], None]:
    """Says how far a table is, each time that another `STRIDE` of rows is done."""

    def went(before: int, now: int) -> None:
        if now // PROGRESS_ROWS > before // PROGRESS_ROWS:
            tell(f"{what} {now} rows so far")

    return went


def _refuse_what_is_none(source: URL, target: URL) -> None:
    if _is_file(source) and (trouble := explain_unusable(Path(str(source.database)))):
        raise MoveError(trouble)
    if _place(source) == _place(target):
        raise MoveError("that is the same database")


def _place(url: URL) -> tuple[object, ...]:
    if not _is_file(url):
        return url.host, url.port or 5432, url.database
    path = resolve_links(Path(str(url.database)))
    if not path.exists():
        return (path,)
    file = path.stat()
    return file.st_dev, file.st_ino


def _is_file(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"


@asynccontextmanager
async def _opened_source(url: URL) -> AsyncIterator[Store]:
    """Open what is moved, without a change to it. Raises MoveError where that can't be, or a bot has it."""
    if not _is_file(url):
        with _refusing(SOURCE):
            await Store.read_any_version(url, require_current_revision)
        async with _opened(url, SOURCE, whole=True) as store:
            yield store
        return
    path = resolve_links(Path(str(url.database)))
    copy = path.with_name(path.name + ".moving")
    try:
        held = acquire_file_lock(path)
    except BlockingIOError:
        raise MoveError(
            f"{SOURCE}: another bot already runs on the database {str(path)!r}; stop it first"
        ) from None
    except OSError as error:
        raise MoveError(f"{SOURCE} can't be claimed: {error}") from None
    with held:
        try:
            _copy_to(copy, path)
            async with _opened(
                url.set(database=str(copy)), SOURCE, whole=True, use=AccessMode.UNLOCKED
            ) as store:
                yield store
        finally:
            delete_database_file(copy)


def _copy_to(copy: Path, path: Path) -> None:
    try:
        copy_database_file(path, copy)
    except (sqlite3.Error, OSError) as error:
        raise MoveError(f"{SOURCE} can't be copied: {error}") from None


@asynccontextmanager
async def _opened(
    url: URL, which: str, *, whole: bool, use: AccessMode = AccessMode.EXCLUSIVE
) -> AsyncIterator[Store]:
    """The database, claimed for this process and with today's tables."""
    with _refusing(which):
        store = await Store.open(url, use, require_whole=whole)
    try:
        yield store
    finally:
        await store.close()


@contextmanager
def _refusing(which: str) -> Iterator[None]:
    """Raise a StoreError as a MoveError that names the database."""
    try:
        yield
    except StoreError as error:
        told = str(error).removeprefix("DATABASE_URL: ")
        stop = "; stop it first" if "already runs" in told else ""
        raise MoveError(f"{which}: {told}{stop}") from error


def _mark(contents: dict[Table, TableDigest]) -> str:
    told = "\n".join(f"{table.name} {rows} {digest:x}" for table, (rows, digest) in contents.items())
    return sha256(told.encode()).hexdigest()


async def _claim(target: Store) -> None:
    """Let no bot take the target for its own, from before the source is read, which may take minutes.

    Raises MoveError where it has rows of its own.
    """

    def marked(tx: Tx) -> bool:
        if _known(tx) is None:
            if any(_has_rows(tx, table) for table in MOVED_TABLES if table is not meta):
                return False
            tx.execute(insert(meta).values(key=MOVE_KEY, value=NOT_YET))
        return True

    if not await target.write(marked):
        raise MoveError("the target has rows of its own: name an empty one")


async def _begin(target: Store, mark: str) -> bool:
    """Let the target take rows of that state of the source, and of no other; whether it begins anew."""

    def marked(tx: Tx) -> bool:
        new = bool(_known(tx) != mark)
        if new:
            for table in reversed(MOVED_TABLES):
                tx.execute(delete(table))
            tx.execute(insert(meta).values(key=MOVE_KEY, value=mark))
        return new

    return await target.write(marked)


def _known(tx: Tx) -> Any:
    """The state of the source from which the rows are; None where no move is under way."""
    return tx.scalar(select(meta.c.value).where(meta.c.key == MOVE_KEY))


def _has_rows(tx: Tx, table: Table) -> bool:
    return tx.execute(select(table).limit(1)).first() is not None


async def _copy(source: Store, target: Store, table: Table, went: Callable[[int, int], None]) -> None:
    """The rows that the target lacks: all beyond the last one that it has."""
    last, count = await target.read(lambda tx: _last(tx, table)), 0
    while rows := await source.read(lambda tx, last=last: _beyond(tx, table, last)):  # type: ignore[misc]
        last = rows[-1]
        here = [_kept(row._asdict(), target.dialect) for row in rows]
        await target.write(lambda tx, here=here: tx.execute(insert(table), here).rowcount)  # type: ignore[misc]
        count += len(rows)
        went(count - len(rows), count)


def _rows(table: Table) -> Any:
    """The rows, but for the fact that a move is not over."""
    return select(table).where(table.c.key != MOVE_KEY) if table is meta else select(table)


def _last(tx: Tx, table: Table) -> Row[Any] | None:
    """The row that comes last in the order in which rows are copied."""
    down = [_key(tx, key).desc() for key in table.primary_key.columns]
    return tx.execute(_rows(table).order_by(*down).limit(1)).first()


def _key(tx: Tx, key: Column[Any]) -> ColumnElement[Any]:
    """The key as it is sorted on either side: by the bytes of a text."""
    return key.collate("C") if tx.dialect.name == "postgresql" and isinstance(key.type, Text) else key


def _beyond(tx: Tx, table: Table, last: Row[Any] | None) -> Sequence[Row[Any]]:
    """The next batch behind a row."""
    keys = list(table.primary_key.columns)
    order = [_key(tx, key) for key in keys]
    found = _rows(table).order_by(*order).limit(BATCH_ROWS)
    if last is not None:
        found = found.where(tuple_(*order) > tuple_(*(last._mapping[key.name] for key in keys)))
    return tx.execute(found).all()


def _kept(row: dict[str, Any], dialect: str) -> dict[str, Any]:
    """The row as the other side can hold it: no text of PostgreSQL has a character 0 in it."""
    if dialect == "postgresql":
        return {name: v.replace("\0", "\ufffd") if isinstance(v, str) else v for name, v in row.items()}
    return row


async def _content(store: Store, table: Table, went: Callable[[int, int], None]) -> TableDigest:
    count, digest, last = 0, 0, None
    while rows := await store.read(lambda tx, last=last: _beyond(tx, table, last)):  # type: ignore[misc]
        last = rows[-1]
        count += len(rows)
        went(count - len(rows), count)
        digest = (digest + sum(map(_hash, rows))) % HASH_MODULUS
    return TableDigest(count, digest)


def _hash(row: Row[Any]) -> int:
    kept = _kept(row._asdict(), "postgresql")  # as it will be on either side
    return int.from_bytes(sha256(json.dumps(kept, sort_keys=True).encode()).digest())


def _finish(tx: Tx) -> None:
    """Let a bot take the database for its own; new rows are numbered behind those that are there."""
    tx.execute(delete(meta).where(meta.c.key == MOVE_KEY))
    if tx.dialect.name != "postgresql":
        return
    for table in metadata.sorted_tables:
        for column in table.primary_key.columns:
            sequence = tx.scalar(select(func.pg_get_serial_sequence(table.name, column.name)))
            if sequence is not None:
                highest = tx.scalar(select(func.max(column))) or 0
                tx.execute(text("SELECT setval(:name, :at, :used)"), _at(sequence, highest))


def _at(sequence: str, highest: int) -> dict[str, Any]:
    return {"name": sequence, "at": max(1, highest), "used": highest > 0}
