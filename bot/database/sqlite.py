"""SQLite files for the store, by aiosqlite: one connection writes, a few read, each on a thread of its own.

A transaction is a single call on its connection's thread, where SQLAlchemy runs the statements. Transactions
that wait while another is synced to the disk share the next commit. When one of them raises, all of them are
rolled back and each is run again by itself, in order; so what runs in a transaction may run twice.

At the end are checks of the file itself, and the lock by which one process has it alone.
"""

import asyncio
import contextlib
import fcntl
import os
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import aiosqlite
from sqlalchemy import Connection, NullPool, create_engine, event
from sqlalchemy.engine import URL, Engine
from sqlalchemy.exc import DBAPIError

from bot.database.tx import T, Work, run_commit_callbacks

CLOSE_TIMEOUT = 5.0  # seconds after which a busy connection is left to the end of the process


class ConnectionThread(aiosqlite.Connection):
    """A SQLAlchemy connection on the thread of an aiosqlite connection. Only `call_soon`, `stop` and `finish`
    may be called from another thread than this one.
    """

    def __init__(self, engine: Engine, begin: str) -> None:
        super().__init__(self._get_driver_connection, iter_chunk_size=1)
        self._engine = engine
        self._begin_statement = begin
        self._session: Connection | None = None
        self._stopped: asyncio.Future[Any] | None = None  # done when the thread is about to end
        self._thread.daemon = True  # a transaction that hangs must not keep the process from ending

    def call_soon(self, function: Callable[[], T]) -> "asyncio.Future[T]":
        """Queue `function` for the thread, which calls it even if the future is cancelled. Return the future
        of its result or error; of a ValueError if the connection is closed.
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        if self._running:
            queue_of_thread = self._tx  # aiosqlite's name for it
            queue_of_thread.put_nowait((future, partial(_call_without_stop_iteration, function)))
        else:
            future.set_exception(ValueError("the database is closed"))
        return future

    def run_transaction(self, work: Work[T]) -> T:
        with self.begin() as tx:
            return work(tx)

    @contextlib.contextmanager
    def begin(self) -> Iterator[Connection]:
        """Run the block in a transaction, commit it, and run its commit callbacks. If anything raises, roll
        back and close the connection; the next transaction opens another one.
        """
        try:
            session = self._get_session()
            with session.begin():
                self._send_begin()
                yield session
        except BaseException:
            self._discard_session()
            raise
        run_commit_callbacks(session)

    def _send_begin(self) -> None:
        """Begin the transaction past SQLAlchemy, which takes longer for it than SQLite for a short one."""
        try:
            self._get_driver_connection().execute(self._begin_statement).close()
        except sqlite3.Error as error:  # as SQLAlchemy would raise it
            raise DBAPIError.instance(self._begin_statement, None, error, sqlite3.Error) from error

    def execute_statement(self, statement: str) -> None:
        """Run a statement that can't be in a transaction."""
        self._get_driver_connection().execute(statement).fetchall()

    def stop(self) -> "asyncio.Future[Any] | None":
        """Stop the thread. aiosqlite calls it too, if a file can't be opened; `finish` waits for the end."""
        self._stopped = super().stop()
        return self._stopped

    async def finish(self) -> None:
        """Finish what is queued and close; after `CLOSE_TIMEOUT` leave a thread that hangs."""
        if self._connection is not None:
            self._tx.put_nowait((None, self._discard_session))  # without a future: nobody waits for it
            self.stop()
        if self._stopped is not None:
            await asyncio.wait([self._stopped], timeout=CLOSE_TIMEOUT)

    def _get_driver_connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection = self._get_session().connection.dbapi_connection  # type: ignore[assignment]
        return connection

    def _get_session(self) -> Connection:
        """Return SQLAlchemy's connection, opened if there is none."""
        if self._session is None:
            self._session = self._engine.connect()
        return self._session

    def _discard_session(self) -> None:
        """Close SQLAlchemy's connection, if there is one, whatever state it is in."""
        session = self._session
        self._session = None
        if session is None:
            return
        for end in (session.invalidate, session.close):
            with contextlib.suppress(Exception):
                end()


def _call_without_stop_iteration(function: Callable[[], T]) -> T:
    """Call `function`, and raise its StopIteration as RuntimeError: a future that gets one never ends."""
    try:
        return function()
    except StopIteration as error:
        raise RuntimeError("a transaction raised StopIteration") from error


@dataclass(slots=True, eq=False, repr=False)
class _Job:
    """A transaction that waits for its commit, then its outcome."""

    work: Work[Any]
    is_done: bool = False  # whether it is committed, or has failed
    value: Any = None
    error: BaseException | None = None


READERS = 4
MAX_JOBS_PER_COMMIT = 64


class Sqlite:
    """An open database file."""

    dialect = "sqlite"

    def __init__(self, url: URL) -> None:
        self._path = Path(str(url.database))
        self._file_id: tuple[int, int] | None = None  # device and inode; None before the first look
        engine = _make_engine(url)
        self._writer = ConnectionThread(engine, "BEGIN IMMEDIATE")
        self._jobs: deque[_Job] = deque()
        self._readers = [ConnectionThread(engine, "BEGIN") for _ in range(READERS)]
        # The readers that nobody uses; the latest comes first, for the pages in its cache
        self._idle_readers: asyncio.LifoQueue[ConnectionThread] = asyncio.LifoQueue()
        self.taken_over = asyncio.Event()  # never set: the lock file can't be lost

    async def open(self) -> None:
        """Open the file, and create it if there is none."""
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        for thread in (self._writer, *self._readers):
            await thread
        for reader in self._readers:
            self._idle_readers.put_nowait(reader)

    def is_still_in_place(self) -> bool:
        """Whether the path leads to the same file as at the first call, which remembers it."""
        try:
            status = self._path.stat()
        except OSError:
            return self._file_id is None  # nothing is there: a remembered file is gone
        file_id = status.st_dev, status.st_ino
        if self._file_id is None:
            self._file_id = file_id
        return self._file_id == file_id

    def write(self, work: Work[T], *, urgent: bool = False) -> "asyncio.Future[T]":
        """Queue `work` for the writer; the future is done once it is durable. It may share a transaction with
        the jobs that wait beside it. `urgent` changes nothing on a file.
        """
        job = _Job(work)
        self._jobs.append(job)
        return self._writer.call_soon(partial(self._finish_job, job))

    def _finish_job(self, job: _Job) -> Any:
        """Return the value of `job` or raise its error; called on the writer's thread, in queue order. If it
        has not run yet, it is committed first, together with those that wait behind it.
        """
        if not job.is_done:  # then it is the first in the queue
            jobs = list[_Job]()
            while self._jobs and len(jobs) < MAX_JOBS_PER_COMMIT:
                jobs.append(self._jobs.popleft())
            self._commit(jobs)
        if job.error is not None:
            raise job.error
        return job.value

    def _commit(self, jobs: Sequence[_Job]) -> None:
        """Run all jobs in one transaction, or each by itself if one of them raises. An error of the
        transaction itself (it can't begin, its commit fails) fails each of them.
        """
        has_job_failed = False
        try:
            with self._writer.begin() as tx:
                has_job_failed = True  # stays so if one of them raises
                values = [job.work(tx) for job in jobs]
                has_job_failed = False
        except BaseException as error:  # noqa: BLE001 - it is raised for whoever waits
            for job in jobs:
                if has_job_failed and len(jobs) > 1:
                    self._commit([job])  # by itself
                else:
                    job.error = error
                    job.is_done = True
        else:
            for job, value in zip(jobs, values, strict=True):
                job.value = value
                job.is_done = True

    async def run_schema_change(self, work: Work[T]) -> T:
        """Run `work`, which changes tables."""
        return await self.write(work)

    async def read(self, query: Work[T]) -> T:
        """Run `query` on a snapshot beside the writer."""
        reader = await self._idle_readers.get()
        future = reader.call_soon(partial(reader.run_transaction, query))
        future.add_done_callback(lambda _: self._idle_readers.put_nowait(reader))
        return await asyncio.shield(future)  # if the caller is cancelled, the reader finishes all the same

    async def vacuum(self) -> None:
        """Rewrite the file, so that deleted data is neither in it nor in its log."""
        # SQLite overwrites deleted rows with zeros, but pages that were split keep copies of moved rows
        await self._writer.call_soon(partial(self._writer.execute_statement, "VACUUM"))
        await self.truncate_wal()

    async def truncate_wal(self) -> None:
        """Empty the log beside the file, which holds former pages long after their rows are deleted."""
        empty_log = partial(self._writer.execute_statement, "PRAGMA wal_checkpoint(TRUNCATE)")
        await self._writer.call_soon(empty_log)

    async def close(self) -> None:
        """Finish what is queued, then close the file.

        The writer ends last and copies the log into the file. Of two that end at once each may leave that to
        the other, and a copy of the file alone would then lack what is in the log.
        """
        await asyncio.gather(*(reader.finish() for reader in self._readers))
        await self._writer.finish()


BUSY_TIMEOUT = 5.0  # seconds that a statement waits for another process's lock before it fails
CACHED_STATEMENTS = 512  # prepared statements that a connection keeps
# A commit is on the disk before it returns, so an acknowledged row survives a power cut
PRAGMAS = (
    *("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"),
    # The log goes into the file less often than by default: a page that changes often is written once
    *("wal_autocheckpoint=4000", f"journal_size_limit={64 * 1024 * 1024}"),
)
# Invalid UTF-8 would otherwise fail the whole query, not just its row
DECODE_LENIENTLY = partial(str, encoding="utf-8", errors="replace")


def _make_engine(url: URL) -> Engine:
    """Make the engine of a file: its connections get `PRAGMAS`, and begin no transaction by themselves."""
    engine = create_engine(
        url.set(drivername="sqlite"),
        poolclass=NullPool,
        connect_args={
            "timeout": BUSY_TIMEOUT,
            "isolation_level": None,  # transactions begin in `ConnectionThread.begin` alone
            "cached_statements": CACHED_STATEMENTS,
        },
        hide_parameters=True,
    )

    # The only listener: others would make SQLAlchemy slower around each statement
    @event.listens_for(engine, "connect")
    def apply_pragmas(connection: Any, _: object) -> None:
        connection.text_factory = DECODE_LENIENTLY
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}").close()

    return engine


def resolve_links(path: Path) -> Path:
    """Return the path of the file itself: the lock and the log beside it are named after that, not a link."""
    return Path(os.path.realpath(path))


def explain_unusable(path: Path) -> str | None:
    """Return in one line why the file is no database of a bot; None if it is one. Change nothing."""
    path = path.absolute()  # for the messages
    select_version_table = "SELECT name FROM sqlite_master WHERE name = 'alembic_version'"
    try:
        if not path.parent.is_dir():
            return f"there is no folder {str(path.parent)!r}"
        if not path.is_file():
            return f"there is no database {str(path)!r}"
        with contextlib.closing(connect_existing(path)) as connection:
            if connection.execute(select_version_table).fetchone() is None:
                return f"the file {str(path)!r} is no database of this bot"
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        return f"the database {str(path)!r} can't be opened: {reason}"
    return None


def explain_unreachable(path: Path) -> str | None:
    """Return why nobody can tell whether the file is there, as in another user's folder; None if one can."""
    try:
        path.exists()
    except OSError as error:
        return f"the database {str(path.absolute())!r} can't be reached: {error.strerror or error}"
    return None


def explain_unwritable(path: Path) -> str | None:
    """Return in one line why the file can't be written; None if it can be, or is not there yet."""
    reason = explain_unreachable(path)
    if reason is None and path.is_file() and not os.access(path, os.W_OK):
        reason = f"the database {str(path.absolute())!r} can be read, but not written"
    return reason


def connect_existing(path: Path) -> sqlite3.Connection:
    """Connect to an existing file; raises sqlite3.Error if there is none."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=30)


def create_file(path: Path) -> None:
    """Create an empty private file and its folder, unless the file is there. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with contextlib.suppress(FileExistsError):
        create_private_file(path)


def create_private_file(path: Path) -> None:
    """Create a file that only its owner may read, whatever the umask. Raises OSError, also if it is there.

    A file that root creates gets the owner of its folder: a tool run as root must not leave files behind that
    the bot's own user can't write.
    """
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        os.fchmod(descriptor, 0o600)
        if os.geteuid() == 0:
            # by the open file, not by its name, which the folder's owner could make a link to any other file
            owner = path.parent.stat()
            with contextlib.suppress(PermissionError):  # root without that right, as on a network's disk
                os.fchown(descriptor, owner.st_uid, owner.st_gid)
    finally:
        os.close(descriptor)


def acquire_file_lock(path: Path) -> contextlib.ExitStack:
    """Lock the database at `path` for this process until the returned stack is closed or the process ends.

    Two files are locked: a lock file beside the database, which stays when a restore replaces the database,
    and the database itself if it is there, against hard links to it. Close the stack only after SQLite has
    closed the database: closing any descriptor of a file drops SQLite's own locks on it. Raises
    BlockingIOError if another process holds either lock.
    """
    path = resolve_links(path)  # the lock file is named after the file itself, not after a link to it
    lock_file = path.with_name(path.name + ".lock")
    create_file(lock_file)
    lock_at_once = fcntl.LOCK_EX | fcntl.LOCK_NB  # or raise BlockingIOError
    with contextlib.ExitStack() as stack:
        opened_lock_file = stack.enter_context(lock_file.open("w", encoding="ascii"))
        fcntl.flock(opened_lock_file, lock_at_once)
        try:
            database = stack.enter_context(path.open("rb"))
            fcntl.flock(database, lock_at_once)
        except BlockingIOError:
            raise
        except OSError:  # not there; or on NFS, where only a writer may lock so, and would bar SQLite
            pass
        return stack.pop_all()  # so that the end of the block does not close them
