"""SQLite for the store, driven by aiosqlite: one connection writes, a few read, each on a thread of its own.

A transaction is a single call on its connection's thread, where SQLAlchemy runs the statements. Transactions
that wait while another is synced to the disk share the next commit. When one of them raises, all of them are
rolled back and each is run again by itself, in order; so what runs in a transaction may run twice.
"""

import asyncio
import contextlib
import logging
import os
import sqlite3
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import aiosqlite
from sqlalchemy import Connection, NullPool, create_engine, event
from sqlalchemy.engine import URL, Engine
from sqlalchemy.exc import DBAPIError

from bot.database.tx import T, Work, run_commit_callbacks

log = logging.getLogger(__name__)


BUSY_TIMEOUT = 5.0  # Seconds that a statement waits for another process's lock before it fails
TOGETHER = 64  # Transactions that share one commit at most
READERS = 4
STATEMENTS = 512  # Prepared statements that a connection keeps
LONGEST_CLOSE = 5.0  # Seconds after which a connection that is still busy is left to the end of the process
# A commit is on the disk before it returns, so an acknowledged row survives a power cut. The log is folded
# into the file beside that (see `Folding`); one that had to grow is cut again.
PRAGMAS = (
    *("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"),
    *("wal_autocheckpoint=0", f"journal_size_limit={64 * 1024 * 1024}"),
)


@dataclass(slots=True, eq=False, repr=False)
class _Job:
    """A transaction that waits for its commit, then its outcome."""

    work: Work[Any]
    done: bool = False
    value: Any = None
    error: BaseException | None = None


# How a column's bytes become text: what is no UTF-8 would cost a whole look, not the row that holds it.
READ_TEXT = partial(str, encoding="utf-8", errors="replace")


class ConnectionThread(aiosqlite.Connection):
    """aiosqlite's connection, with SQLAlchemy's on top of it.

    All but `run` and `end` is called on the connection's own thread.
    """

    def __init__(self, engine: Engine, begin: str) -> None:
        super().__init__(self._open, iter_chunk_size=1)
        self._engine = engine
        self._begin = begin
        self._session: Connection | None = None
        self._stopped: asyncio.Future[Any] | None = None
        """Done once the thread is about to end."""
        self._thread.daemon = True  # a transaction that hangs must not keep the process from ending

    def call_soon(self, function: Callable[[], T]) -> "asyncio.Future[T]":
        """Queue `function` for the thread. It runs also when the future is cancelled.

        ValueError comes of it once the connection is closed.
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        if self._running:
            self._tx.put_nowait((future, partial(_told, function)))
        else:
            future.set_exception(ValueError("the database is closed"))
        return future

    def run_transaction(self, work: Work[T]) -> T:
        """Run `work` in a transaction of its own."""
        with self.begin() as tx:
            return work(tx)

    @contextlib.contextmanager
    def begin(self) -> Iterator[Connection]:
        """A transaction. One that fails takes its connection with it; the next one opens another."""
        try:
            with self._opened().begin():
                self._open_transaction()
                yield self._opened()
        except BaseException:
            self._discard()
            raise
        run_commit_callbacks(self._opened())

    def _open_transaction(self) -> None:
        """Past SQLAlchemy, which takes more time for these words than SQLite does for a short transaction."""
        try:
            self._open().execute(self._begin).close()
        except sqlite3.Error as error:
            raise DBAPIError.instance(self._begin, None, error, sqlite3.Error) from error

    def execute_statement(self, statement: str) -> None:
        """Run a statement that no transaction can hold."""
        self._open().execute(statement).fetchall()

    def checkpoint(self) -> None:
        """Bring what stands in the log into the file, as far as nobody has to wait for that."""
        self.execute_statement("PRAGMA wal_checkpoint(PASSIVE)")

    def stop(self) -> "asyncio.Future[Any] | None":
        """As aiosqlite's, which calls it by itself where a file can't be opened; `end` waits for that too."""
        self._stopped = super().stop()
        return self._stopped

    async def finish(self) -> None:
        """Finish what is queued and close; a thread that hangs is left behind."""
        if self._connection is not None:
            self._tx.put_nowait((None, self._discard))
            self.stop()
        if self._stopped is not None:
            await asyncio.wait([self._stopped], timeout=LONGEST_CLOSE)

    def _open(self) -> sqlite3.Connection:
        opened: sqlite3.Connection = self._opened().connection.dbapi_connection  # type: ignore[assignment]
        return opened

    def _opened(self) -> Connection:
        """SQLAlchemy's connection, made anew where there is none."""
        if self._session is None:
            self._session = self._engine.connect()
        return self._session

    def _discard(self) -> None:
        session, self._session = self._session, None
        for end in (session.invalidate, session.close) if session else ():
            with contextlib.suppress(Exception):
                end()


def _told(function: Callable[[], T]) -> T:
    """What comes of `function`. No future takes a StopIteration: who waits for it would wait for ever."""
    try:
        return function()
    except StopIteration as error:
        raise RuntimeError("a transaction raised StopIteration") from error


# Writes after which the log is folded. Each time a few commits wait for the disk beside it, and a page that
# changed often is written once: so seldom. The log has some 40 MB by then.
WRITES_PER_CHECKPOINT = 512

Fold = Callable[[], Awaitable[None]]


class Checkpointer:
    """Folds SQLite's log into its file beside the writer, so that no transaction waits for that.

    By itself SQLite does this at the end of whichever commit makes the log a thousand pages long, and that
    one takes ten times as long as others. A checkpoint of the mode PASSIVE waits for nobody and holds nobody
    up (https://www.sqlite.org/c3ref/wal_checkpoint_v2.html). What is committed meanwhile it leaves, and as
    long as anything is left the log grows. So `beside` folds while others write, and `between` the rest,
    while nobody does.
    """

    def __init__(self, beside: Fold, between: Fold) -> None:
        self._beside, self._between = beside, between
        self._writes = 0
        self._task: asyncio.Task[None] | None = None
        self._holders = 0

    def count_write(self) -> None:
        """One more write is over."""
        self._writes += 1
        if self._writes >= WRITES_PER_CHECKPOINT and self._task is None and not self._holders:
            self._writes = 0
            self._task = asyncio.create_task(self._fold())

    @asynccontextmanager
    async def suspend(self) -> AsyncIterator[None]:
        """Wait until nothing is being folded; nothing is until this ends."""
        self._holders += 1
        try:
            if self._task is not None:
                await asyncio.wait([self._task])
            yield
        finally:
            self._holders -= 1

    async def _fold(self) -> None:
        try:
            await self._beside()
            await self._between()
        except Exception as error:  # noqa: BLE001 - what was committed is in the log, and the next one folds it
            log.info("the database's log is folded later: %s", type(error).__name__)
        finally:
            self._task = None


class Sqlite:
    """An open database file."""

    dialect = "sqlite"

    def __init__(self, url: URL) -> None:
        self._path = Path(str(url.database))
        self._file: tuple[int, int] | None = None
        """What names the file on the disk; None until it was looked at."""
        engine = _engine(url)
        self._writer = ConnectionThread(engine, "BEGIN IMMEDIATE")
        self._jobs: deque[_Job] = deque()
        self._readers = [ConnectionThread(engine, "BEGIN") for _ in range(READERS)]
        self._folder = ConnectionThread(engine, "BEGIN")
        self._folding = Checkpointer(
            *(partial(each.call_soon, each.checkpoint) for each in (self._folder, self._writer))
        )
        self._idle: asyncio.LifoQueue[ConnectionThread] = asyncio.LifoQueue()
        """The readers that nobody uses. The latest comes first, for what it has in its cache."""
        self.taken_over = asyncio.Event()
        """Never set: who holds the lock file keeps it."""

    async def open(self) -> None:
        """Open the file, made if there is none."""
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        for thread in (self._writer, self._folder, *self._readers):
            await thread
        for reader in self._readers:
            self._idle.put_nowait(reader)

    def is_still_in_place(self) -> bool:
        """Whether the file is the one that was there when this was asked first."""
        with contextlib.suppress(OSError):
            found = self._path.stat()
            self._file = self._file or (found.st_dev, found.st_ino)
            return self._file == (found.st_dev, found.st_ino)
        return self._file is None

    def write(self, work: Work[T], *, urgent: bool = False) -> "asyncio.Future[T]":
        """Queue `work` for the writer; done once it is durable. All are so short here that an `urgent` one
        overtakes none.
        """
        job = _Job(work)
        self._jobs.append(job)
        outcome = self._writer.call_soon(partial(self._outcome, job))
        outcome.add_done_callback(lambda _: self._folding.count_write())
        return outcome

    async def run_schema_change(self, work: Work[T]) -> T:
        """Run `work`, which makes tables."""
        return await self.write(work)

    async def read(self, query: Work[T]) -> T:
        """Run `look` on a snapshot beside the writer."""
        reader = await self._idle.get()
        future = reader.call_soon(partial(reader.run_transaction, query))
        future.add_done_callback(lambda _: self._idle.put_nowait(reader))
        return await asyncio.shield(future)  # who is cancelled leaves the reader at work

    async def vacuum(self) -> None:
        """Write the file anew, so that what was deleted can't be found in it or in its log.

        Deleted rows are overwritten with zeros, but pages that were split keep copies of what moved on.
        """
        await self._writer.call_soon(partial(self._writer.execute_statement, "VACUUM"))
        await self.truncate_wal()

    async def truncate_wal(self) -> None:
        """Empty the log beside the file: it holds every page as it was, long after its rows are gone."""
        async with self._folding.suspend():  # of two at once one would do nothing
            await self._writer.call_soon(
                partial(self._writer.execute_statement, "PRAGMA wal_checkpoint(TRUNCATE)")
            )

    async def close(self) -> None:
        """Finish what is queued, then let go of the file.

        The writer goes last and folds the log into the file. Of two that go at once each may leave that to
        the other, and whoever then copies the file alone lacks what is in the log.
        """
        async with self._folding.suspend():
            await asyncio.gather(*(each.finish() for each in (self._folder, *self._readers)))
            await self._writer.finish()

    def _outcome(self, job: _Job) -> Any:
        """What came of `job`; called on the writer's thread, once for each job in the order of the queue."""
        if not job.done:
            self._commit([self._jobs.popleft() for _ in range(min(len(self._jobs), TOGETHER))])
        if job.error is not None:
            raise job.error
        return job.value

    def _commit(self, jobs: Sequence[_Job]) -> None:
        """Run all of them in one transaction, or each by itself when one of them raises.

        What goes wrong with the transaction itself (it can't begin, its commit fails) fails each of them.
        """
        working = False
        try:
            with self._writer.begin() as tx:
                working = True
                values = [job.work(tx) for job in jobs]
                working = False
        except BaseException as error:  # noqa: BLE001 - it is handed to whoever waits
            for job in jobs:
                if working and len(jobs) > 1:
                    self._commit([job])
                else:
                    job.done, job.error = True, error
        else:
            for job, value in zip(jobs, values, strict=True):
                job.done, job.value = True, value


def _engine(url: URL) -> Engine:
    engine = create_engine(
        url.set(drivername="sqlite"),
        poolclass=NullPool,
        connect_args={
            "timeout": BUSY_TIMEOUT,
            "isolation_level": None,  # transactions begin where `Thread.begin` says, not by magic
            "cached_statements": STATEMENTS,
        },
        hide_parameters=True,
    )

    # no listener but this one: with others, SQLAlchemy looks for more around each statement
    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        connection.text_factory = READ_TEXT
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}").close()

    return engine


def resolve_links(path: Path) -> Path:
    """The file itself where the path leads over links: what stands beside it is named after that, whoever
    names it how.
    """
    return Path(os.path.realpath(path))


def explain_unusable(path: Path) -> str | None:
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


def explain_unreachable(path: Path) -> str | None:
    """Why it can't be said whether the file is there, as in another user's folder; None if it can."""
    try:
        path.exists()
    except OSError as error:
        return f"the database {str(path.absolute())!r} can't be reached: {error.strerror or error}"
    return None


def explain_unwritable(path: Path) -> str | None:
    """Why nothing could be written to the file, in one line; None if it can be, or is not there yet."""
    if trouble := explain_unreachable(path):
        return trouble
    if path.is_file() and not os.access(path, os.W_OK):
        return f"the database {str(path.absolute())!r} can be read, but not written"
    return None


def connect_existing(path: Path) -> sqlite3.Connection:
    """A connection to a file that is there; none is made."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=30)


def create_file(path: Path) -> None:
    """Make an empty file and its folder, unless there is one, that nobody but its owner may read, whatever
    the umask.

    What root makes belongs to whom the folder does: a tool that runs as root leaves the bot's own user
    nothing that it can't write. Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with contextlib.suppress(FileExistsError):
        create_private_file(path)


def create_private_file(path: Path) -> None:
    """Make such a file where there is none. Raises OSError."""
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        if hasattr(os, "fchown"):  # not on Windows
            os.fchmod(descriptor, 0o600)
            _give_to_folder(descriptor, path.parent)
    finally:
        os.close(descriptor)


def _give_to_folder(descriptor: int, folder: Path) -> None:
    """By the open file, not by its name, for which the folder's owner could put a link to any other."""
    if os.geteuid() == 0:
        owner = folder.stat()
        with contextlib.suppress(PermissionError):  # root without that right, as on a network's disk
            os.fchown(descriptor, owner.st_uid, owner.st_gid)


def acquire_file_lock(path: Path) -> contextlib.ExitStack:
    """Hold the database at `path` until what is returned is closed or this process ends.

    It holds a lock file beside the database, which stays when a restore replaces the database, and the
    database itself, if it is there, which bars hard links to it; nothing where the system has no such locks.
    Close it only after SQLite has closed the database: closing any descriptor of a file drops SQLite's own
    locks on it. Raises BlockingIOError when another process holds either.
    """
    try:
        import fcntl
    except ImportError:  # pragma: no cover - Windows
        return contextlib.ExitStack()
    path = resolve_links(path)
    lock = path.with_name(path.name + ".lock")
    create_file(lock)
    with contextlib.ExitStack() as held:
        fcntl.flock(held.enter_context(lock.open("w", encoding="ascii")), fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            fcntl.flock(held.enter_context(path.open("rb")), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:  # not there; or on NFS, where only a writer may lock so, and would bar SQLite
            pass
        return held.pop_all()
