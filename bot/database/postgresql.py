"""PostgreSQL for the store: one connection writes, one transaction at a time; reads use a pool of others.

Transactions that wait while another is committed share the next commit, urgent ones first. When one of them
raises, all are rolled back and each is run again by itself, in order; so what runs in a transaction may run
twice.

Either one process has the database alone, or several bots share it, each with one connection that writes.
Then their transactions are *serializable*: the result is as if one ran after the other, and one that doesn't
fit is rolled back and run again (https://www.postgresql.org/docs/current/transaction-iso.html). Both ways
hold an advisory lock, exclusive or shared, so that no tool has a database that bots are using.
"""

import asyncio
import contextlib
import random
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from enum import Enum, auto
from secrets import token_hex
from typing import Any, NamedTuple
from weakref import WeakSet

from sqlalchemy import Connection, NullPool, event, text
from sqlalchemy.engine import URL, ExceptionContext
from sqlalchemy.exc import DBAPIError, DisconnectionError
from sqlalchemy.exc import TimeoutError as AllInUseError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from bot.database import errors
from bot.database.address import TLS_OPTIONS, get_driver_options
from bot.database.tx import T, Work, drop_commit_callbacks, run_commit_callbacks

# Lets the server notice within a minute that the machine at the other end is gone, and release its lock
SET_KEEPALIVES = text(
    "SELECT set_config('tcp_keepalives_idle', '20', false),"
    " set_config('tcp_keepalives_interval', '5', false),"
    " set_config('tcp_keepalives_count', '3', false)"
)


class DedicatedConnection:
    """A long-lived connection in autocommit mode, for frequent small queries and for notifications."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def run(self, work: Work[T]) -> T:
        """Run `work`; each of its statements is committed by itself."""
        return await self._connection.run_sync(work)

    async def listen(self, channel: str, on_payload: Callable[[str], None]) -> None:
        """Call `on_payload` with the payload of each notification; a connection pooler may swallow some."""
        driver = await self.get_driver_connection()

        def call(*arguments: object) -> None:
            payload = arguments[-1]
            on_payload(str(payload))

        await driver.add_listener(channel, call)

    async def get_driver_connection(self) -> Any:
        """Return asyncpg's own connection."""
        raw_connection = await self._connection.get_raw_connection()
        return raw_connection.driver_connection

    async def close(self) -> None:
        """Close the connection, whatever state it is in."""
        await drop_connection(self._connection)


ROLLBACK_TIMEOUT = 5.0  # seconds that a rollback may take, or the end of a connection


async def drop_connection(connection: AsyncConnection) -> None:
    """Close a connection, whatever state it is in, and with it release its locks on the server."""
    for step in (connection.invalidate, connection.close):  # each also if the one before failed or hung
        with contextlib.suppress(Exception):
            async with asyncio.timeout(ROLLBACK_TIMEOUT):
                await step()


CONNECT_PATIENCE = 5.0  # seconds to go on asking a server that has no connection left
CONNECT_PAUSE = 0.02  # seconds between the tries, doubled each time
LONGEST_CONNECT_PAUSE = 0.3


class Pool:
    """A pool of up to `max_size` connections; without a size, connections are closed after use."""

    def __init__(
        self, url: URL, max_size: int | None, arguments: Mapping[str, object], isolation: str | None = None
    ) -> None:
        options = {"isolation_level": isolation, "hide_parameters": True, "connect_args": arguments}
        if max_size:
            self._engine = create_async_engine(url, pool_size=max_size, max_overflow=0, **options)
        else:
            self._engine = create_async_engine(url, poolclass=NullPool, **options)
        self._drivers: WeakSet[Any] = WeakSet()  # all connections, as asyncpg's objects
        self._idle_drivers: WeakSet[Any] = WeakSet()
        # The other pools of this process, which close idle connections when the server has none left
        self.sibling_pools: Sequence[Pool] = ()
        self.refused_since: float | None = None  # monotonic time since which no connection can be had
        event.listen(self._engine.sync_engine, "handle_error", _treat_as_disconnect)
        event.listen(self._engine.sync_engine, "connect", self._prepare_connection)
        event.listen(self._engine.sync_engine, "checkout", self._check_out)
        event.listen(self._engine.sync_engine, "checkin", self._check_in)

    async def acquire(self) -> AsyncConnection:
        """Return a connection, to be closed by the caller; wait a little if the server has none left. Raises
        the driver's error if none can be had, and SQLAlchemy's TimeoutError if all stay in use.
        """
        began = time.monotonic()
        pause = CONNECT_PAUSE
        while True:
            try:
                return await self._connect_once()
            except Exception as error:
                is_server_full = errors.get_error_code(error) == errors.TOO_MANY_CONNECTIONS
                if not is_server_full or time.monotonic() - began > CONNECT_PATIENCE:
                    raise
            for pool in self.sibling_pools:
                pool.close_idle()  # makes room at the server
            await asyncio.sleep(pause)  # one of this pool may be back by then
            pause = min(LONGEST_CONNECT_PAUSE, pause * 2)

    async def _connect_once(self) -> AsyncConnection:
        """Return a connection, and record in `refused_since` whether the server gave one."""
        tried_at = time.monotonic()
        try:
            connection = await self._engine.connect()
        except Exception as error:
            # A pool that is used up says nothing about the server
            if self.refused_since is None and not isinstance(error, AllInUseError):
                self.refused_since = tried_at
            raise
        self.refused_since = None
        return connection

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[AsyncConnection]:
        """Borrow a connection; what isn't committed on it is rolled back. Raises as `acquire` does."""
        connection = await self.acquire()
        try:
            yield connection
        finally:  # shielded, so that it is given back even if the caller is cancelled
            await asyncio.shield(asyncio.ensure_future(connection.close()))

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """Borrow a connection with an open transaction, which is committed unless the body raises."""
        async with self.connection() as connection, connection.begin():
            yield connection

    def close_idle(self) -> None:
        """Close the connections that nobody uses, at once."""
        for driver in list(self._idle_drivers):
            driver.terminate()
        self._idle_drivers.clear()

    def terminate_all(self, *, except_driver: object) -> None:
        """Close all connections, even those in use, but for the asyncpg connection `except_driver`."""
        for driver in list(self._drivers):
            if driver is not except_driver:
                driver.terminate()

    async def close(self) -> None:
        """Close the connections that nobody uses; the others are closed after use."""
        await self._engine.dispose()

    # The three listeners get SQLAlchemy's adapter of asyncpg's connection, which is its `driver_connection`

    def _prepare_connection(self, adapter: Any, _record: object) -> None:
        """Turn off compilation on a new connection, and remember asyncpg's object of it."""
        try:
            # Compilation takes a second for statements that take milliseconds. No startup parameter, which
            # poolers refuse (https://www.pgbouncer.org/config.html)
            adapter.run_async(lambda driver: driver.execute("SET jit = off"))
        except BaseException:
            adapter.driver_connection.terminate()  # nobody else knows it yet
            raise
        self._drivers.add(adapter.driver_connection)

    def _check_out(self, adapter: Any, _record: object, _proxy: object) -> None:
        """Take a connection from the idle ones. Raises DisconnectionError if it is closed already."""
        self._idle_drivers.discard(adapter.driver_connection)
        if adapter.driver_connection.is_closed():
            raise DisconnectionError  # SQLAlchemy opens another one

    def _check_in(self, adapter: Any, _record: object) -> None:
        """Add a connection to the idle ones after its use."""
        if adapter is not None:  # it is None for a connection that was invalidated
            self._idle_drivers.add(adapter.driver_connection)


def _treat_as_disconnect(context: ExceptionContext) -> None:
    """Discard all connections of the pool after some errors.

    After a refused write: a session stays read-only as long as it lasts, a new one may not be. After a
    timeout or a protocol error: the next statement on the connection would wait for the first one, or fail as
    well.
    """
    error = context.original_exception
    is_refused_write = errors.get_error_code(error) == errors.READ_ONLY
    is_out_of_sync = any(words in str(error) for words in errors.OUT_OF_SYNC_WORDS)
    if is_refused_write or is_out_of_sync or isinstance(error, TimeoutError):
        context.is_disconnect = True  # then SQLAlchemy discards the whole pool


class Transaction(NamedTuple):
    """A transaction that waits for its commit."""

    work: Work[Any]
    outcome: "asyncio.Future[Any]"  # done once the transaction is durable, or has failed


# Transactions that share a commit: urgent ones wait for a whole commit, so it is short. With any number of
# urgent ones go some others, so that these go on.
MAX_PER_COMMIT = 16
OTHERS_WITH_URGENT = 4


class AccessMode(Enum):
    """The advisory lock under which a process uses a database."""

    EXCLUSIVE = auto()  # no other process has it
    SHARED = auto()  # several bots have it; on a file the same as EXCLUSIVE
    UNLOCKED = auto()  # no lock, beside any other process


INSTANCE_LOCK = 0x24_24_24  # the advisory lock of a process that uses this database; ends with the connection
TRY_INSTANCE_LOCK = {
    AccessMode.EXCLUSIVE: text("SELECT pg_try_advisory_lock(:key)"),
    AccessMode.SHARED: text("SELECT pg_try_advisory_lock_shared(:key)"),
}
# How often the lock is tried for, and the seconds between: a killed bot holds it for a moment
LOCK_TRIES = 10
LOCK_PAUSE = 0.3
SELECT_OWN_PROCESS = text("SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()")
TERMINATE_PROCESS = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = :pid AND backend_start = :began"
)

# The lock of a process that changes tables. One that does nothing for so long loses its connection with it.
SCHEMA_LOCK = 0x24_24_25
SCHEMA_LIMIT = {"limit": "idle_in_transaction_session_timeout", "idle": "30s"}
LOCK_SCHEMA = text("SELECT set_config(:limit, :idle, true), pg_advisory_xact_lock(:key)")

APPLICATION_NAME_PREFIX = "twentyfour "
# Seconds after which a statement fails with its connection: in a database of one's own, and in a shared one,
# where other bots can take over the work. Changes of tables may take longer.
STATEMENT_TIMEOUT = 30.0
SHARED_STATEMENT_TIMEOUT = 10.0
BESIDE_WRITER_TIMEOUT = 5.0  # the same beside the writer, where statements are small
READERS = 8  # size of the pool
BESIDE_WRITER = 5  # size of the pool
MAX_CONNECTIONS = READERS + BESIDE_WRITER + 2  # of a process: one more writes, and one changes tables
# Rows written beside the writer are true for a moment only, and need not survive a power cut
UNSYNCED = {"synchronous_commit": "off"}

# How often a transaction is run again after a conflict, and the seconds before, doubled each time
CONFLICT_RETRIES = 60
RETRY_PAUSE = 0.002
LONGEST_RETRY_PAUSE = 0.1
# The same if it may not be a conflict, and for several transactions in one: longer ones meet more conflicts
FEW_RETRIES = 2


class Postgresql:
    """An open database on a server."""

    dialect = "postgresql"

    def __init__(self, url: URL, mode: AccessMode) -> None:
        self.application_name = f"{APPLICATION_NAME_PREFIX}{token_hex(6)}"  # of this process's connections
        self._mode = mode
        name = {"application_name": self.application_name}
        # asyncpg's arguments: `timeout` is for connecting, `command_timeout` for each statement
        schema_arguments = {"timeout": 10, "server_settings": name, **get_driver_options(url)}
        statement_timeout = SHARED_STATEMENT_TIMEOUT if self.is_shared else STATEMENT_TIMEOUT
        arguments = {**schema_arguments, "command_timeout": statement_timeout}
        beside_arguments = {
            **schema_arguments,
            "timeout": BESIDE_WRITER_TIMEOUT,
            "command_timeout": BESIDE_WRITER_TIMEOUT,
            "server_settings": {**name, **UNSYNCED},
        }
        url = url.difference_update_query(TLS_OPTIONS)  # they are among the arguments
        self._schema_engine = create_async_engine(
            url, poolclass=NullPool, connect_args=schema_arguments, hide_parameters=True
        )
        self._writer_pool = Pool(url, max_size=None, arguments=arguments)
        # Each statement sees what is committed when it begins, as in a READ COMMITTED transaction
        self._reader_pool = Pool(url, READERS, arguments, isolation="AUTOCOMMIT")
        self._beside_pool = Pool(url, BESIDE_WRITER, beside_arguments)
        self._pools = self._writer_pool, self._reader_pool, self._beside_pool
        for pool in self._pools:
            pool.sibling_pools = self._pools
        self._writer: AsyncConnection | None = None
        self._former_writers: list[AsyncConnection] = []  # dropped before the next transaction
        # Id and start time of the server's process of the writer, which may outlive a lost connection
        self._writer_process: tuple[int, datetime] | None = None
        self.taken_over = asyncio.Event()  # set when another bot got the lock, after a lost connection
        self._writer_lock = asyncio.Lock()
        self._urgent = deque[Transaction]()
        self._others = deque[Transaction]()
        self._write_task: asyncio.Task[None] | None = None  # commits what is in these two

    @property
    def is_shared(self) -> bool:
        """Whether several bots may use the database at the same time."""
        return self._mode is AccessMode.SHARED

    async def open(self) -> None:
        """Do nothing: the first transaction connects."""

    def is_still_in_place(self) -> bool:
        """Whether the files are in place: always, since the server keeps them."""
        return True

    async def vacuum(self) -> None:
        """Do nothing: the server overwrites deleted data in time."""

    truncate_wal = vacuum  # nothing to do either

    async def read(self, query: Work[T]) -> T:
        """Run `query` beside the writer."""
        async with self._reader_pool.connection() as connection:
            return await connection.run_sync(query)

    async def run_beside_writer(self, work: Work[T]) -> T:
        """Run `work` in its own transaction beside the writer; a power cut may undo that after its commit. It
        sees what others commit meanwhile, so `work` itself locks rows that nobody else may change.
        """
        async with self._beside_pool.transaction() as connection:
            return await connection.run_sync(work)

    async def open_dedicated_connection(self) -> DedicatedConnection:
        """Open a long-lived connection in autocommit mode, to be closed by the caller."""
        connection = await self._beside_pool.acquire()
        try:
            await connection.execution_options(isolation_level="AUTOCOMMIT")
            await connection.execute(SET_KEEPALIVES)
        except BaseException:
            await drop_connection(connection)
            raise
        return DedicatedConnection(connection)

    async def reconnect_all(self, keep: DedicatedConnection) -> None:
        """Close all connections but `keep`; the next use of each pool opens new ones. The server may have
        ended them for another replica without telling this side.
        """
        kept_driver = await keep.get_driver_connection()
        if self._writer is not None:
            # Closed later, under `_writer_lock`, for which many may wait now
            self._former_writers.append(self._writer)
            self._writer = None
        for pool in self._pools:
            pool.terminate_all(except_driver=kept_driver)
        for pool in self._pools:  # only now, since closing waits
            await pool.close()

    def get_disconnected_seconds(self) -> float:
        """Return for how long some pool could not get a connection; 0 if all can."""
        refused_since = [pool.refused_since for pool in self._pools if pool.refused_since is not None]
        if not refused_since:
            return 0.0
        return time.monotonic() - min(refused_since)

    async def is_reachable(self, within: float | None = None) -> bool:
        """Whether the database can be written and read now, in `within` seconds if given. Raises an error
        that is no failure of the database.
        """
        try:
            async with asyncio.timeout(within):
                for run in (self.write, self.read, self.run_beside_writer):
                    await run(lambda tx: tx.scalar(text("SELECT 1")))
        except Exception as error:
            if not isinstance(error, TimeoutError) and not errors.is_database_failure(error):
                raise
            return False
        return True

    async def close(self) -> None:
        """Wait for the running transaction, then disconnect."""
        async with self._writer_lock:
            await self._drop_writer()
            for pool in self._pools:
                await pool.close()

    async def run_schema_change(self, work: Work[T]) -> T:
        """Run `work`, which changes tables, while no other process does."""

        def lock_and_work(tx: Connection) -> T:
            tx.execute(LOCK_SCHEMA, {"key": SCHEMA_LOCK, **SCHEMA_LIMIT})
            return work(tx)

        async with self._writer_lock:
            await self._get_writer()  # takes the instance lock
        async with self._schema_engine.begin() as connection:
            return await connection.run_sync(lock_and_work)

    def write(self, work: Work[T], *, urgent: bool = False) -> "asyncio.Future[T]":
        """Queue `work` for the writer; done once it is durable. An `urgent` one overtakes others."""
        outcome: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        queue = self._urgent if urgent else self._others
        queue.append(Transaction(work, outcome))
        if self._write_task is None or self._write_task.done():
            self._write_task = asyncio.create_task(self._write_queued())
        return outcome

    async def _write_queued(self) -> None:
        """Commit what is queued, in batches: all urgent ones with a few others, or else many others."""
        async with self._writer_lock:
            while self._urgent or self._others:
                batch = list(self._urgent)
                self._urgent.clear()
                max_size = len(batch) + OTHERS_WITH_URGENT if batch else MAX_PER_COMMIT
                while self._others and len(batch) < max_size:
                    batch.append(self._others.popleft())
                await self._commit(batch)

    async def _commit(self, batch: list[Transaction]) -> None:
        """Run a batch in one transaction, and set the outcome of each; raises CancelledError alone.

        If one of several transactions raises or they conflict with another bot's, run each by itself. Any
        other error is the outcome of the whole batch.
        """
        has_work_failed = False

        def run_all(tx: Connection) -> list[Any]:
            nonlocal has_work_failed
            has_work_failed = True  # stays so if one of them raises
            values = [transaction.work(tx) for transaction in batch]
            has_work_failed = False
            return values

        try:
            retries = CONFLICT_RETRIES if len(batch) == 1 else FEW_RETRIES
            values = await self._run_with_retries(run_all, retries)
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - it is raised for whoever waits
            may_succeed_alone = len(batch) > 1 and (has_work_failed or errors.is_conflict(error))
            for transaction in batch:
                if may_succeed_alone:
                    await self._commit([transaction])
                elif not transaction.outcome.done():
                    transaction.outcome.set_exception(error)
        else:
            for transaction, value in zip(batch, values, strict=True):
                if not transaction.outcome.done():  # else nobody waits for it any more
                    transaction.outcome.set_result(value)

    async def _run_with_retries(self, work: Work[T], retries: int) -> T:
        """Run `work` on the writer, up to `retries` times again after conflicts with another bot."""
        pause = RETRY_PAUSE
        while True:
            try:
                return await self._run_on_writer(work)
            except DBAPIError as error:
                is_conflict = errors.is_conflict(error)
                is_duplicate = errors.get_error_code(error) == errors.UNIQUE_VIOLATION
                may_succeed = self.is_shared and (is_conflict or is_duplicate)
                if not may_succeed or retries == 0:
                    raise
                if is_duplicate:  # of another bot's row, or of one that makes each try fail
                    retries = min(retries, FEW_RETRIES)
            retries -= 1
            pause = min(LONGEST_RETRY_PAUSE, pause * 2)
            await asyncio.sleep(random.uniform(0, pause))  # so that the same two don't meet again

    async def _run_on_writer(self, work: Work[T]) -> T:
        """Run `work` in a transaction of the writer, commit it and return its result; roll back any error.

        Then call what `work` has registered by `call_after_commit`.
        """
        writer = await self._get_writer()
        try:
            result = await writer.run_sync(work)
            await writer.commit()
        except BaseException as error:
            await self._roll_back(writer, error)
            raise
        run_commit_callbacks(_get_sync_connection(writer))
        return result

    async def _roll_back(self, writer: AsyncConnection, error: BaseException) -> None:
        """Roll back after `error`; drop the writer if its connection is lost or the rollback fails."""
        is_lost = isinstance(error, DBAPIError) and error.connection_invalidated
        try:
            async with asyncio.timeout(ROLLBACK_TIMEOUT):
                await writer.rollback()
            drop_commit_callbacks(_get_sync_connection(writer))
        except Exception:  # noqa: BLE001 - the first error is the one to raise
            is_lost = True
        if is_lost or writer.invalidated:
            await self._drop_writer()

    async def _get_writer(self) -> AsyncConnection:
        """Return the writer; connect it and take the instance lock if there is none."""
        await self._drop_former_writers()
        if self._writer is not None:
            return self._writer
        writer = await self._writer_pool.acquire()
        try:
            if self._mode in TRY_INSTANCE_LOCK:
                await self._acquire_instance_lock(writer)
            if self.is_shared:
                await writer.execution_options(isolation_level="SERIALIZABLE")
        except BaseException:
            await drop_connection(writer)
            raise
        self._writer = writer
        return writer

    async def _acquire_instance_lock(self, writer: AsyncConnection) -> None:
        """Take the lock of this process, and remember the server's process of the writer.

        A lost connection may live on at the server and hold the lock: it is terminated. Sets `taken_over` and
        raises DatabaseInUseError if another process holds the lock.
        """
        if self.is_shared:  # then the former process would not hinder the lock, and live on with its own
            await self._terminate_former_process(writer)
        for attempt in range(LOCK_TRIES):
            if await writer.scalar(TRY_INSTANCE_LOCK[self._mode], {"key": INSTANCE_LOCK}):
                break
            await self._terminate_former_process(writer)
            if attempt == LOCK_TRIES - 1:
                self.taken_over.set()
                raise errors.DatabaseInUseError
            await asyncio.sleep(LOCK_PAUSE)
        await writer.execute(SET_KEEPALIVES)
        own_process = await writer.execute(SELECT_OWN_PROCESS)
        pid, began = own_process.one()
        self._writer_process = pid, began
        await writer.commit()

    async def _terminate_former_process(self, writer: AsyncConnection) -> None:
        """Let the server end the process of the former writer, if any, with all its locks; commit."""
        if self._writer_process is not None:
            pid, began = self._writer_process
            await writer.execute(TERMINATE_PROCESS, {"pid": pid, "began": began})
        await writer.commit()

    async def _drop_former_writers(self) -> None:
        while self._former_writers:
            await drop_connection(self._former_writers.pop())

    async def _drop_writer(self) -> None:
        """Close the writer and all former ones; the next transaction connects again."""
        await self._drop_former_writers()
        if self._writer is not None:
            await drop_connection(self._writer)
            self._writer = None


def _get_sync_connection(connection: AsyncConnection) -> Connection:
    assert connection.sync_connection is not None  # noqa: S101 - it was opened
    return connection.sync_connection
