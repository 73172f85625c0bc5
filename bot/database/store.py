"""The open database: transactions on one writer and snapshots beside it, whatever the dialect.

A transaction is a plain function of a connection: `await store.write(effect)` begins, calls `effect(tx)`,
commits, and returns the result of `effect`; any exception rolls all of it back. The transaction finishes even
when its caller is cancelled, so a handler leaves either all of its transaction or nothing. `effect` may be
called twice, when it shared a commit with one that failed: it changes nothing but the database.

`sqlite` and `postgresql` hold what differs: how a transaction begins, where it runs, and how a database is
locked for one bot.
"""

import asyncio
import contextlib
import logging
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Generic, Self

from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError

from bot import metrics
from bot.database.address import find_address_mistake
from bot.database.errors import (
    SERVER_STARTING,
    DatabaseInUseError,
    StoreError,
    UnreachableError,
    describe_error,
    is_database_failure,
    make_open_error,
)
from bot.database.migrations import apply_migrations, require_current_revision, require_finished_move
from bot.database.postgresql import AccessMode, Postgresql
from bot.database.privileges import require_table_privileges
from bot.database.schema_check import require_whole_schema
from bot.database.sqlite import (
    Sqlite,
    acquire_file_lock,
    create_file,
    explain_unusable,
    explain_unwritable,
    resolve_links,
)
from bot.database.tx import T, Work

log = logging.getLogger(__name__)
WRITE_TIME = metrics.TRANSACTION_TIME.labels("write")
READ_TIME = metrics.TRANSACTION_TIME.labels("read")

CHECKED_SIZE = 64 * 2**20  # bytes up to which the check of a whole file takes no noticeable time
RETRY_SECONDS = 0.5  # seconds before the next try to write after a failure of the database
# Reasons why a database can't be opened; drivers raise the last three for addresses that they can't read.
OPEN_ERRORS = (SQLAlchemyError, OSError, ValueError, TypeError, OverflowError)
IN_USE_MESSAGE = "another bot already runs on this database"


class Store:
    """An open database. Made by `Store.open`."""

    def __init__(self, database: Sqlite | Postgresql, file_lock: contextlib.ExitStack | None) -> None:
        self._database = database
        self._file_lock = file_lock

    @classmethod
    async def open(
        cls, url: URL, mode: AccessMode = AccessMode.EXCLUSIVE, *, require_whole: bool = True
    ) -> Self:
        """Open the database at `url`, check it, and migrate its tables to this version.

        With `require_whole` a database is refused into which a move was cut off. Raises StoreError if the
        database can't be opened or written, is damaged, was written by a newer or an unreleased version or by
        another program, or is locked by another process.
        """
        database = _make_database(url, mode)
        is_file = isinstance(database, Sqlite)
        store = cls(database, _create_and_lock_file(url, mode) if is_file else None)
        async with store._close_on_failure(url):
            await store._database.open()
            if is_file:
                await store._require_undamaged_file(url)
            await store._database.run_schema_change(apply_migrations)
            store.is_still_in_place()  # the first call remembers the file
            await store.read(require_table_privileges)
            await store.read(require_whole_schema)
            if require_whole:
                await store.read(require_finished_move)
        return store

    @classmethod
    async def open_without_lock(cls, url: URL) -> Self:
        """Open an existing database beside the bot that runs on it, without a change to its tables. Raises
        StoreError if there is none, or if its tables are another version's.
        """
        if url.get_backend_name() == "sqlite":
            reason = explain_unusable(Path(str(url.database)))
            if reason:
                raise StoreError(f"{reason}; DATABASE_URL names the one to use")
        store, _ = await cls._open_and_read(url, require_current_revision)
        return store

    @classmethod
    async def read_any_version(cls, url: URL, query: Work[T]) -> T:
        """Return what `query` reads in an existing database of any version. Raises StoreError."""
        store, result = await cls._open_and_read(url, query)
        await store.close()
        return result

    @classmethod
    async def _open_and_read(cls, url: URL, query: Work[T]) -> tuple[Self, T]:
        """Open a database as it is, unlocked; return it with the result of `query`. Raises StoreError."""
        store = cls(_make_database(url, AccessMode.UNLOCKED), file_lock=None)
        async with store._close_on_failure(url):
            await store._database.open()
            result = await store.read(query)
        return store, result

    @contextlib.asynccontextmanager
    async def _close_on_failure(self, url: URL) -> AsyncIterator[None]:
        """Close the store when opening it fails, and raise the error as StoreError."""
        try:
            yield
        except BaseException as error:
            await self.close()
            if isinstance(error, DatabaseInUseError):
                raise StoreError(IN_USE_MESSAGE) from None
            if isinstance(error, OPEN_ERRORS):
                raise make_open_error(url, error) from None
            raise

    async def _require_undamaged_file(self, url: URL) -> None:
        """Raise StoreError if SQLite finds the file damaged; do nothing for one above `CHECKED_SIZE`."""
        file = resolve_links(Path(str(url.database)))
        if file.stat().st_size > CHECKED_SIZE:
            return
        verdict = await self.write(lambda tx: tx.scalar(text("PRAGMA quick_check(1)")))
        lines = str(verdict).splitlines()
        if lines[-1] != "ok":  # a line before may name the file
            raise StoreError(f"the database {url.database!r} is damaged: {lines[-1]}; restore a backup")

    async def close(self) -> None:
        """Wait for the running transaction, then close the database and release its lock."""
        with contextlib.suppress(SQLAlchemyError, OSError):
            await self._database.close()
        if self._file_lock is not None:
            self._file_lock.close()

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""
        return self._database.dialect

    @property
    def shared_server(self) -> Postgresql | None:
        """The server, if several bots may use this database at the same time; else None."""
        if isinstance(self._database, Postgresql) and self._database.is_shared:
            return self._database
        return None

    async def write(self, work: Work[T], *, urgent: bool = False) -> T:
        """Run `work` in a transaction and return its result, once that is durable. It is committed even if
        the caller is cancelled. An `urgent` one, which is short, may overtake others on a server.
        """
        with metrics.measure_time(WRITE_TIME):
            return await _finish_even_if_cancelled(self._database.write(work, urgent=urgent))

    async def write_with_retries(self, work: Work[T], *, urgent: bool = False) -> T:
        """Run `work` as `write` does, again while the database as a whole fails. Raises any other error."""
        while True:
            try:
                return await self.write(work, urgent=urgent)
            except Exception as error:
                if not is_database_failure(error):
                    raise
                log.warning("the database can't be written; trying again: %s", describe_error(error))
            await asyncio.sleep(RETRY_SECONDS)

    async def read(self, query: Work[T]) -> T:
        """Run `query`, which changes nothing, on a snapshot beside the writer."""
        with metrics.measure_time(READ_TIME):
            return await self._database.read(query)

    def is_still_in_place(self) -> bool:
        """Whether the file is still where it was opened (else writes are lost); True on a server."""
        return self._database.is_still_in_place()

    async def wait_until_taken_over(self) -> None:
        """Wait until another bot locks this database, after a lost connection; then raise StoreError."""
        await self._database.taken_over.wait()
        raise StoreError(f"{IN_USE_MESSAGE} now: it came while the connection was lost")

    async def vacuum(self) -> bool:
        """Rewrite a file without deleted data; return False if it was too busy. Do nothing on a server."""
        try:
            await self._database.vacuum()
        except sqlite3.OperationalError as error:
            log.warning("the database can't be rewritten now: %s", describe_error(error))
            return False
        return True

    async def truncate_wal(self) -> None:
        """Empty the log beside the file, which still holds deleted rows; do nothing if that is busy."""
        with contextlib.suppress(sqlite3.OperationalError):
            await self._database.truncate_wal()


class Batcher(Generic[T]):
    """Calls `process` with batches of `limit` items at most: all that come meanwhile form the next one.

    It may return for each item an error to be raised for this item alone, or None. What it raises is raised
    for each item of the batch.
    """

    def __init__(
        self,
        process: Callable[[list[T]], Awaitable[Sequence[Exception | None] | None]],
        limit: int | None = None,
    ) -> None:
        self._process = process
        self._limit = limit
        self._waiting: list[tuple[T, asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def submit(self, item: T) -> None:
        """Put the item into the next batch, and return or raise its error once that is processed."""
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((item, done))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._process_batches())
        await done

    async def _process_batches(self) -> None:
        """Process batches until nothing waits, and tell each caller that its item is done, or its error."""
        while self._waiting:
            batch = self._waiting[: self._limit]  # all, without a limit
            del self._waiting[: self._limit]
            try:
                errors = await self._process([item for item, _ in batch])
            except Exception as error:  # noqa: BLE001 - it is raised in each caller
                errors = [error] * len(batch)
            if errors is None:
                errors = [None] * len(batch)
            for (_, done), error_of_item in zip(batch, errors, strict=True):
                if done.done():
                    continue  # the caller was cancelled
                if error_of_item is None:
                    done.set_result(None)
                else:
                    done.set_exception(error_of_item)

    async def close(self) -> None:
        """Cancel the batch that is being processed; callers that wait get no result."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})


def _make_database(url: URL, mode: AccessMode) -> Sqlite | Postgresql:
    """Return the database at `url`, not opened yet. Raises StoreError for an invalid address."""
    mistake = find_address_mistake(url)
    if mistake:
        raise StoreError(f"DATABASE_URL: {mistake}")
    try:
        if url.get_backend_name() == "sqlite":
            return Sqlite(url)
        return Postgresql(url, mode)
    except OPEN_ERRORS as error:
        raise make_open_error(url, error) from None


def _create_and_lock_file(url: URL, mode: AccessMode) -> contextlib.ExitStack | None:
    """Create the file unless it is there, and lock it until the returned stack is closed; with UNLOCKED only
    create it, and return None. Raises StoreError if the file can't be written or another bot has locked it.
    """
    path = resolve_links(Path(str(url.database)))
    reason = explain_unwritable(path)
    if reason:
        raise StoreError(f"DATABASE_URL: {reason}")
    try:
        create_file(path)
        return None if mode is AccessMode.UNLOCKED else acquire_file_lock(path)
    except BlockingIOError:
        raise StoreError(f"another bot already runs on the database {url.database!r}") from None
    except OSError as error:
        raise make_open_error(url, error) from None


async def _finish_even_if_cancelled(work: "asyncio.Future[T]") -> T:
    """Wait for `work` even if the caller is cancelled, however often; then raise CancelledError."""
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        while not work.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([work])
        if not work.cancelled():
            work.exception()  # else asyncio logs an exception that was never retrieved
        raise


# Seconds to wait at the start for a server that nobody reaches, and for one that is starting.
UNREACHABLE_PATIENCE = 3.0
STARTING_PATIENCE = 60.0
CONNECT_RETRY_SECONDS = 0.25


async def open_with_retries(database: URL, mode: AccessMode = AccessMode.SHARED) -> Store:
    """Open the database, and wait a little for a server that can't be reached or is starting. Raises
    StoreError, or UnreachableError after that time.
    """
    loop = asyncio.get_running_loop()
    began = loop.time()
    is_logged = False
    while True:
        try:
            return await Store.open(database, mode)
        except UnreachableError as error:
            is_starting = error.error_code == SERVER_STARTING
            patience = STARTING_PATIENCE if is_starting else UNREACHABLE_PATIENCE
            if loop.time() - began > patience:
                raise
            if is_starting and not is_logged:
                log.warning("%s; waiting for it", error)
                is_logged = True
        await asyncio.sleep(CONNECT_RETRY_SECONDS)
