"""SQLite for the store: one thread writes, a few read, and a verb costs no hop between threads of its own.

Moves that wait while a transaction is being synced to the disk share the next one: each runs behind a
savepoint, so one that fails takes nothing else with it, and all are answered after the one commit.
"""

import asyncio
import contextlib
import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Connection, QueuePool, create_engine, event
from sqlalchemy.engine import URL, Engine

BUSY_TIMEOUT = 5.0
"""Seconds that a statement waits for another process's lock before it fails."""
TOGETHER = 64
"""Moves that share one commit at most."""
READERS = 4
PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON")
"""A commit is on the disk before it returns, so an acknowledged row survives a power cut."""


@dataclass(frozen=True, slots=True)
class _Job:
    work: Callable[[Connection], Any]
    future: asyncio.Future[Any]


@dataclass(frozen=True, slots=True)
class _Outcome:
    job: _Job
    value: Any = None
    error: BaseException | None = None


class Sqlite:
    """An open database file."""

    dialect = "sqlite"

    def __init__(self, url: URL) -> None:
        Path(str(url.database)).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._engine = _engine(url)
        self._connection: Connection | None = None
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self.taken = asyncio.Event()
        """Never set: who holds the lock file keeps it."""
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="reader")
        self._writer = threading.Thread(target=self._write_on, name="writer", daemon=True)
        self._writer.start()

    def write(self, work: Callable[[Connection], Any]) -> "asyncio.Future[Any]":
        """Queue `move` for the writer; done once it is durable."""
        future = self._loop.create_future()
        self._jobs.put(_Job(work, future))
        return future

    async def read(self, look: Callable[[Connection], Any]) -> Any:
        """Run `look` on a snapshot beside the writer."""
        return await self._loop.run_in_executor(self._readers, self._look, look)

    async def scrub(self) -> None:
        """Write the file anew, so that what was deleted can't be found in it or in its log.

        Deleted rows are overwritten with zeros, but pages that were split keep copies of what moved on.
        """
        await self._loop.run_in_executor(self._readers, self._scrub)

    async def settle(self) -> None:
        """Empty the log beside the file: it holds every page as it was, long after its rows are gone."""
        await self._loop.run_in_executor(self._readers, self._settle)

    def _scrub(self) -> None:
        with contextlib.closing(self._engine.raw_connection()) as connection:
            connection.cursor().execute("VACUUM").fetchall()
        self._settle()

    def _settle(self) -> None:
        with contextlib.closing(self._engine.raw_connection()) as connection:
            connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    async def close(self) -> None:
        """Finish what is queued, then let go of the file."""
        self._jobs.put(None)
        await asyncio.to_thread(self._writer.join)
        self._readers.shutdown()
        self._engine.dispose()

    def _look(self, look: Callable[[Connection], Any]) -> Any:
        with self._engine.connect() as connection:
            return look(connection)

    def _write_on(self) -> None:
        open_ = True
        while open_:
            batch = [self._jobs.get()]
            with contextlib.suppress(queue.Empty):
                while len(batch) < TOGETHER:
                    batch.append(self._jobs.get_nowait())
            open_ = None not in batch
            jobs = [job for job in batch if job is not None]
            if jobs:
                outcomes = self._transact(jobs)
                with contextlib.suppress(RuntimeError):  # the loop is gone, and with it whoever asked
                    self._loop.call_soon_threadsafe(_settle, outcomes)
        self._discard()

    def _transact(self, jobs: list[_Job]) -> list[_Outcome]:
        """Run and commit all of `jobs`; what goes wrong with the transaction itself fails each of them."""
        try:
            tx = self._connected()
            with tx.begin():
                outcomes = [self._run(tx, job, alone=len(jobs) == 1) for job in jobs]
        except BaseException as error:  # noqa: BLE001 - it is handed to whoever waits
            if self._connection is not None and _in_transaction(self._connection):
                self._discard()  # a commit that failed may leave the transaction open
            return [_Outcome(job, error=error) for job in jobs]
        return outcomes

    def _run(self, tx: Connection, job: _Job, *, alone: bool) -> _Outcome:
        if alone:
            return _Outcome(job, job.work(tx))
        savepoint = tx.begin_nested()
        try:
            value = job.work(tx)
        except BaseException as error:
            if not _in_transaction(tx):
                raise  # SQLite itself gave up the whole transaction, as it does on a full disk
            savepoint.rollback()
            return _Outcome(job, error=error)
        savepoint.commit()
        return _Outcome(job, value)

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self._engine.connect().execution_options(writes=True)
        return self._connection

    def _discard(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(Exception):
                self._connection.invalidate()
            with contextlib.suppress(Exception):
                self._connection.close()
            self._connection = None


def _settle(outcomes: list[_Outcome]) -> None:
    for outcome in outcomes:
        future = outcome.job.future
        if future.done():
            continue
        if outcome.error is not None:
            future.set_exception(outcome.error)
        else:
            future.set_result(outcome.value)


def _in_transaction(connection: Connection) -> bool:
    if connection.invalidated or connection.closed:
        return False
    return bool(connection.connection.dbapi_connection.in_transaction)  # type: ignore[union-attr]


def _engine(url: URL) -> Engine:
    arguments = {"timeout": BUSY_TIMEOUT, "check_same_thread": False}
    engine = create_engine(
        url.set(drivername="sqlite"),
        poolclass=QueuePool,
        pool_size=READERS + 1,
        connect_args=arguments,
        hide_parameters=True,
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions begin where the listener below says, not by magic
        cursor = connection.cursor()
        for pragma in PRAGMAS:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def unusable(path: Path) -> str | None:
    """Why `path` is no database that a bot has made, in one line; None if it is one. Changes nothing."""
    whole = path.absolute()
    try:
        if not whole.parent.is_dir():
            return f"there is no folder {str(whole.parent)!r}"
        if not whole.is_file():
            return f"there is no database {str(whole)!r}"
        with contextlib.closing(connect_existing(whole)) as connection:
            tables = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'alembic_version'")
            made_by_us = bool(tables.fetchone()[0])
    except (OSError, sqlite3.Error) as error:
        return f"the database {str(whole)!r} can't be opened: {getattr(error, 'strerror', None) or error}"
    return None if made_by_us else f"the file {str(whole)!r} is no database of this bot"


def connect_existing(path: Path) -> sqlite3.Connection:
    """A connection to a file that is there; none is made."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=30)


def claim(path: Path) -> IO[str] | None:
    """Hold a lock file beside the database for as long as this process lives, however it ends.

    None where the system knows no such lock. Raises BlockingIOError when another process holds it.
    """
    try:
        import fcntl
    except ImportError:  # pragma: no cover - Windows
        return None
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = path.with_name(path.name + ".lock").open("w", encoding="ascii")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise
    return file
