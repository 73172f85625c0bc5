"""The open database: transactions on one writer, snapshots beside it, whatever the dialect.

A transaction is a plain function of a connection, run whole: `await store.write(effect)` begins, calls
`effect(tx)`, commits, and returns what `effect` returned; any exception rolls all of it back. It finishes
even when its caller is cancelled, so a handler leaves either all of its transaction or nothing. `effect` may
be called twice, when it shared a commit with one that failed: it changes nothing but the database.

`sqlite` and `postgresql` hold what differs: how a transaction begins, where it runs, and how a database is
claimed for one bot.
"""

import asyncio
import contextlib
import logging
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Self

from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError

from bot import metrics
from bot.database.address import find_address_mistake
from bot.database.errors import (
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
from bot.database.schema_check import require_expected_tables
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
WRITING, READING = metrics.TRANSACTION_TIME.labels("write"), metrics.TRANSACTION_TIME.labels("read")

# Bytes up to which a whole-file check costs nothing that a person would notice at the start.
SMALL = 64 * 2**20
RETRY_SECONDS = 0.5  # Seconds before the next try to write when the database could not
# Why a database can't be opened: the last three where a driver can make nothing of the address.
UNOPENED = (SQLAlchemyError, OSError, ValueError, TypeError, OverflowError)
TAKEN = "another bot already runs on this database"


class Store:
    """An open database. Made by `Store.open`."""

    def __init__(self, database: Sqlite | Postgresql, lock: contextlib.ExitStack | None) -> None:
        self._database = database
        self._lock_file = lock

    @classmethod
    async def open(
        cls, url: URL, mode: AccessMode = AccessMode.EXCLUSIVE, *, require_whole: bool = True
    ) -> Self:
        """Open the database at `url`, checked and brought to today's tables.

        `use` says with whom it is shared, and `whole` minds a move into it that was cut off. Raises
        StoreError when it can't be opened or written, is damaged, was written by a newer or an unreleased
        version or by another program, or is claimed by another process.
        """
        database, path = _meant(url, mode), resolve_links(Path(str(url.database)))
        sqlite = isinstance(database, Sqlite)
        if sqlite and (locked := explain_unwritable(path)):
            raise StoreError(f"DATABASE_URL: {locked}")
        try:
            if sqlite:
                create_file(path)
            lock = acquire_file_lock(path) if sqlite and mode is not AccessMode.UNLOCKED else None
        except BlockingIOError:
            raise StoreError(f"another bot already runs on the database {url.database!r}") from None
        except OSError as error:
            raise make_open_error(url, error) from None
        store = cls(database, lock)
        async with store._closed_on_failure(url):
            await store._database.open()
            await store._check_and_migrate(url)
            store.is_still_in_place()
            await store.read(require_table_privileges)
            await store.read(require_expected_tables)
            if require_whole:
                await store.read(require_finished_move)
        return store

    @classmethod
    async def open_without_lock(cls, url: URL) -> Self:
        """Open a database that a bot has made, beside that bot. Nothing is created, and no table changed.

        Raises StoreError when there is none, or when its tables are another version's.
        """
        trouble = explain_unusable(Path(str(url.database))) if url.get_backend_name() == "sqlite" else None
        if trouble:
            raise StoreError(f"{trouble}; DATABASE_URL names the one to use")
        store, _ = await cls._looked_into(url, require_current_revision)
        return store

    @classmethod
    async def read_any_version(cls, url: URL, query: Work[T]) -> T:
        """What `look` finds in a database that is there, of whatever version; nothing is changed.

        Raises StoreError when it can't be opened.
        """
        store, found = await cls._looked_into(url, query)
        await store.close()
        return found

    @classmethod
    async def _looked_into(cls, url: URL, look: Work[T]) -> tuple[Self, T]:
        store = cls(_meant(url, AccessMode.UNLOCKED), None)
        async with store._closed_on_failure(url):
            await store._database.open()
            found = await store.read(look)
        return store, found

    @contextlib.asynccontextmanager
    async def _closed_on_failure(self, url: URL) -> AsyncIterator[None]:
        """Close the store when opening it fails, and raise that as StoreError."""
        try:
            yield
        except BaseException as error:
            await self.close()
            if isinstance(error, DatabaseInUseError):
                raise StoreError(TAKEN) from None
            if isinstance(error, UNOPENED):
                raise make_open_error(url, error) from None
            raise

    async def close(self) -> None:
        """Wait for the running transaction, then let go of the database."""
        with contextlib.suppress(SQLAlchemyError, OSError):
            await self._database.close()
        if self._lock_file is not None:
            self._lock_file.close()

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""
        return self._database.dialect

    @property
    def shared_server(self) -> Postgresql | None:
        """The server, where several bots may use this database at the same time."""
        database = self._database
        return database if isinstance(database, Postgresql) and database.is_shared else None

    async def write(self, work: Work[T], *, urgent: bool = False) -> T:
        """Run `work` in a transaction and return what it returns, once that is durable.

        One that is `urgent` may overtake others: it is short, and nothing else goes on until it is written.
        """
        with metrics.measure_time(WRITING):
            return await _whole(self._database.write(work, urgent=urgent))

    async def write_with_retries(self, work: Work[T], *, urgent: bool = False) -> T:
        """As `write`, again and again for as long as the database as a whole is in trouble."""
        while True:
            try:
                return await self.write(work, urgent=urgent)
            except Exception as error:
                if not is_database_failure(error):
                    raise
                log.warning("the database can't be written; trying again: %s", describe_error(error))
            await asyncio.sleep(RETRY_SECONDS)

    def is_still_in_place(self) -> bool:
        """Whether the database is still where it was opened: a file that somebody removes is written all the
        same, and lost with the process.
        """
        return self._database.is_still_in_place()

    async def wait_until_taken_over(self) -> None:
        """Wait until another bot has this database, which can only be after a connection was lost.

        Raises StoreError then.
        """
        await self._database.taken_over.wait()
        raise StoreError(f"{TAKEN} now: it came while the connection was lost")

    async def read(self, query: Work[T]) -> T:
        """Run `look`, which changes nothing, on a snapshot beside the writer."""
        with metrics.measure_time(READING):
            return await self._database.read(query)

    async def vacuum(self) -> bool:
        """Leave nothing in the file of what was deleted from it; False when it was too busy for that."""
        try:
            await self._database.vacuum()
        except sqlite3.OperationalError as error:
            log.warning("the database can't be written anew now: %s", describe_error(error))
            return False
        return True

    async def truncate_wal(self) -> None:
        """Keep nothing of rows that are gone in the log beside the file; if it is busy, the next time."""
        with contextlib.suppress(sqlite3.OperationalError):
            await self._database.truncate_wal()

    async def _check_and_migrate(self, url: URL) -> None:
        if self.dialect == "sqlite" and _size(url) <= SMALL:
            told = str(await self.write(lambda tx: tx.scalar(text("PRAGMA quick_check(1)"))))
            if (verdict := told.splitlines()[-1]) != "ok":  # which file it is stands on a line before
                raise StoreError(f"the database {url.database!r} is damaged: {verdict}; restore a backup")
        await self._database.run_schema_change(apply_migrations)


def _meant(url: URL, use: AccessMode) -> Sqlite | Postgresql:
    """The database at `url`, not opened yet. Raises StoreError where the address can't be one's."""
    if trouble := find_address_mistake(url):
        raise StoreError(f"DATABASE_URL: {trouble}")
    try:
        return Sqlite(url) if url.get_backend_name() == "sqlite" else Postgresql(url, use)
    except UNOPENED as error:
        raise make_open_error(url, error) from None


def _size(url: URL) -> int:
    path = Path(str(url.database))
    return path.stat().st_size if path.exists() else 0


async def _whole(work: "asyncio.Future[T]") -> T:
    """Wait for `work` also when the caller is cancelled, however often; then pass the cancellation on."""
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        while not work.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([work])
        if not work.cancelled():
            work.exception()  # else asyncio reports one that nobody asked for
        raise


# Seconds to wait at the start for a database server that nobody reaches, and for one that is starting.
UNREACHED, COMING_UP = 3.0, 60.0
BETWEEN_TRIES = 0.25  # Seconds until it is tried again


async def open_with_retries(
    database: URL, mode: AccessMode = AccessMode.SHARED, monotonic: Callable[[], float] = time.monotonic
) -> Store:
    """The database. A server that can't be reached just now may be restarting, so it is waited for a little.

    Raises StoreError, or UnreachedError once it was waited for long enough.
    """
    began, told = monotonic(), False
    while True:
        try:
            return await Store.open(database, mode)
        except UnreachableError as error:
            if monotonic() - began > (COMING_UP if error.is_starting else UNREACHED):
                raise
            if error.is_starting and not told:
                log.warning("%s; waiting for it", error)
                told = True
        await asyncio.sleep(BETWEEN_TRIES)
