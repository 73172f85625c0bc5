"""The one place that opens the database: explicit transactions on one writer, whatever the dialect.

A transaction is a plain function of a connection, run whole: `await store.write(move)` begins, calls
`move(tx)`, commits, and returns what `move` returned; any exception rolls all of it back. It runs
shielded, so a handler that is cancelled leaves either all of its transaction or nothing. Verbs of the game
live in this package's modules (`rounds`, `boards`, …) as functions that take that connection first.

SQLite: BEGIN IMMEDIATE on a single connection behind a lock, WAL, synchronous=FULL (an acknowledged row
survives a power cut), foreign keys on. PostgreSQL: the same discipline on one pooled connection.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import IO, Any, Self, TypeVar

from sqlalchemy import Connection, event, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

T = TypeVar("T")
Tx = Connection
"""An open transaction; what the verbs in this package take."""
Move = Callable[[Tx], T]

log = logging.getLogger(__name__)

BUSY_TIMEOUT = 5.0
"""Seconds that a statement waits for another process's lock before it fails."""
SMALL = 64 * 2**20
"""Bytes up to which a whole-file check costs nothing that a person would notice at the start."""
INSTANCE = 0x24_24_24
"""PostgreSQL's advisory lock that says that a bot runs on this database."""


class StoreError(Exception):
    """The database can't be opened or used; the message is one line without secrets."""


class Store:
    """An open database. Made by `Store.open`."""

    def __init__(self, engine: AsyncEngine, writer: AsyncConnection, lock: IO[str] | None) -> None:
        self._engine = engine
        self._writer = writer
        self._lock_file = lock
        self._turn = asyncio.Lock()

    @classmethod
    async def open(cls, url: URL, *, alone: bool = True) -> Self:
        """Open and migrate the database at `url`.

        `alone` claims it for this process. Raises StoreError when it can't be opened, is damaged, was
        written by a newer version, or is claimed by another process.
        """
        sqlite = url.get_backend_name() == "sqlite"
        lock = _claim(Path(str(url.database))) if sqlite and alone else None
        engine = _sqlite(url) if sqlite else create_async_engine(url, pool_size=6)
        try:
            writer = await engine.connect()
            await writer.execution_options(writes=True)
            store = cls(engine, writer, lock)
            if alone and not sqlite:
                await store._claim_server()
            await store._check_and_migrate(url)
        except (SQLAlchemyError, OSError) as error:
            await _quietly(engine.dispose())
            _release(lock)
            raise StoreError(_reason(url, error)) from None
        except BaseException:
            await _quietly(engine.dispose())
            _release(lock)
            raise
        return store

    async def close(self) -> None:
        """Wait for the running transaction, then let go of the database."""
        async with self._turn:
            await _quietly(self._writer.close())
            await self._engine.dispose()
        _release(self._lock_file)

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""
        return self._engine.dialect.name

    async def write(self, move: Move[T]) -> T:
        """Run `move` in a transaction of its own and return what it returns, once that is durable."""
        async with self._turn:
            return await _whole(self._transact(move))

    async def read(self, look: Move[T]) -> T:
        """Run `look`, which changes nothing, on a snapshot beside the writer."""
        async with self._engine.connect() as connection:
            return await connection.run_sync(look)

    async def _transact(self, move: Move[T]) -> T:
        if self._writer.invalidated or self._writer.closed:
            self._writer = await self._engine.connect()
            await self._writer.execution_options(writes=True)
        try:
            result = await self._writer.run_sync(move)
            await self._writer.commit()
        except BaseException:
            await _quietly(self._writer.rollback())
            raise
        return result

    async def _claim_server(self) -> None:
        held = await self._writer.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": INSTANCE})
        await self._writer.commit()
        if not held:
            raise StoreError("another bot already runs on this database")

    async def _check_and_migrate(self, url: URL) -> None:
        if self.dialect == "sqlite" and _size(url) <= SMALL:
            verdict = await self.write(lambda tx: tx.scalar(text("PRAGMA quick_check(1)")))
            if verdict != "ok":
                raise StoreError(f"the database {url.database!r} is damaged: {verdict}; restore a backup")
        from bot.migrations import bring_up_to_date

        await self.write(bring_up_to_date)


def _size(url: URL) -> int:
    return Path(str(url.database)).stat().st_size


def _sqlite(url: URL) -> AsyncEngine:
    Path(str(url.database)).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    engine = create_async_engine(url, pool_size=6, connect_args={"timeout": BUSY_TIMEOUT})

    @event.listens_for(engine.sync_engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions begin where the listener below says, not by magic
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _claim(path: Path) -> IO[str]:
    """Hold a lock file beside the database for as long as this process lives, however it ends."""
    try:
        import fcntl

        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = path.with_name(path.name + ".lock").open("w", encoding="ascii")
    except OSError as error:
        raise StoreError(f"DATABASE_URL: the database {str(path)!r} can't be opened: {error.strerror}") from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise StoreError(f"another bot already runs on the database {str(path)!r}") from None
    return file


def _release(file: IO[str] | None) -> None:
    if file is not None:
        file.close()


async def _whole(work: Awaitable[T]) -> T:
    """Finish `work` even when the caller is cancelled; the cancellation is passed on afterwards."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()
        raise


async def _quietly(work: Awaitable[object]) -> None:
    """Clean up after an error without hiding it behind a second one."""
    with contextlib.suppress(Exception):
        await work


def _reason(url: URL, error: Exception) -> str:
    where = repr(url.database) if url.get_backend_name() == "sqlite" else f"at {url.host}:{url.port or 5432}"
    cause = str(error.orig) if isinstance(error, DBAPIError) else str(error)
    line = next(iter(cause.splitlines()), type(error).__name__)
    shown = line.replace(url.password, "…") if url.password else line
    return f"DATABASE_URL: the database {where} can't be opened: {shown}"
