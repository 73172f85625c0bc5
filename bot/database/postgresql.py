"""PostgreSQL for the store: one connection writes, one transaction at a time; reads take others of a pool.

Transactions that wait while another is committed share the next one, and an urgent one joins that which is
under way (see `Waiting`). When one of them raises, it is rolled back and each is run again by itself, in
order; so what runs in a transaction may run twice.

Either one process has the database to itself, or several bots share it, each with one connection that writes.
Then their transactions are *serializable*: what any of them does is as if one ran after the other, and one
that can't be is rolled back and run again (https://www.postgresql.org/docs/current/transaction-iso.html).
Both ways hold an advisory lock, alone or shared, so that a tool never has a database that bots are using.
"""

import asyncio
import contextlib
import random
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from secrets import token_hex
from typing import Any
from weakref import WeakSet

from sqlalchemy import Connection, NullPool, event, text
from sqlalchemy.engine import URL, ExceptionContext
from sqlalchemy.exc import DBAPIError, DisconnectionError
from sqlalchemy.exc import TimeoutError as AllInUseError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from bot.database.address import get_driver_options, remove_tls_options
from bot.database.errors import (
    DatabaseInUseError,
    is_conflict,
    is_database_failure,
    is_out_of_connections,
    is_protocol_out_of_sync,
    is_read_only_error,
    may_be_conflict,
)
from bot.database.tx import T, Work, drop_commit_callbacks, run_commit_callbacks

CONNECT_PATIENCE = 5.0  # Seconds for which a connection is asked for again of a server that has none left
CONNECT_PAUSE, LONGEST_CONNECT_PAUSE = (
    0.02,
    0.3,
)  # Seconds before it is asked for again, each time twice as many

APPLICATION_NAME_PREFIX = "twentyfour "  # How the name of each connection of a bot begins at its server


LONGEST_ROLLBACK = 5.0  # Seconds that a rollback may take, or the end of a connection

# Within a minute the server notices that the machine at the other end is gone, and ends its lock.
SET_KEEPALIVES = text(
    "SELECT set_config('tcp_keepalives_idle', '20', false),"
    " set_config('tcp_keepalives_interval', '5', false),"
    " set_config('tcp_keepalives_count', '3', false)"
)


class DedicatedConnection:
    """A connection that lasts, for what is asked again and again, and for hints that others give."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    @classmethod
    async def create(cls, connection: AsyncConnection) -> "DedicatedConnection":
        """Over this connection, on which nobody begins a transaction from now on."""
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        await connection.execute(SET_KEEPALIVES)
        return cls(connection)

    async def run(self, work: Work[T]) -> T:
        """Run `work`, each statement of it by itself."""
        return await self._connection.run_sync(work)

    async def listen(self, channel: str, notified: Callable[[], None]) -> None:
        """Call `heard` whenever somebody notifies the channel; a pooler in between may swallow that."""
        await self.listen_with_payload(channel, lambda _: notified())

    async def listen_with_payload(self, channel: str, notified: Callable[[str], None]) -> None:
        """As `listen`, with what the hint says."""
        await (await self.get_driver_connection()).add_listener(
            channel, lambda *told: notified(str(told[-1]))
        )

    async def get_driver_connection(self) -> Any:
        """The driver's own connection."""
        return (await self._connection.get_raw_connection()).driver_connection

    async def close(self) -> None:
        """End it, whatever state it is in."""
        await drop_connection(self._connection)


async def drop_connection(connection: AsyncConnection) -> None:
    """Close a connection, whatever state it is in, and with it what it holds on the server."""
    for end in (connection.invalidate, connection.close):
        with contextlib.suppress(Exception):
            async with asyncio.timeout(LONGEST_ROLLBACK):
                await end()


class Pool:
    """Up to `most` connections to one server, kept once they are made; None: as many as are taken, and none
    is kept. What is `quick` isn't looked at before it is used again.
    """

    def __init__(self, url: URL, most: int | None, arguments: dict[str, Any], *, quick: bool = False) -> None:
        kept = {"pool_size": most, "max_overflow": 0, "pool_pre_ping": not quick}
        how = kept if most else {"poolclass": NullPool}
        self._engine = create_async_engine(url, connect_args=arguments, hide_parameters=True, **how)
        self._drivers: WeakSet[Any] = WeakSet()
        """The driver's connections, all that there are."""
        self._idle: WeakSet[Any] = WeakSet()
        """Those that nobody uses."""
        self.sibling_pools: Sequence[Pool] = ()
        """The others of this process: what they don't need goes first where the server has none left."""
        self.refused_since: float | None = None
        """Since when none can be had, on the monotonic clock."""
        event.listen(self._engine.sync_engine, "handle_error", _judge)
        event.listen(self._engine.sync_engine, "connect", self._made)
        event.listen(self._engine.sync_engine, "checkout", self._lend)
        event.listen(self._engine.sync_engine, "checkin", self._back)

    async def acquire(self) -> AsyncConnection:
        """A connection, to be closed. Raises what the driver does where none can be had, and SQLAlchemy's
        TimeoutError where all are in use for too long.
        """
        began, pause = time.monotonic(), CONNECT_PAUSE
        while True:
            try:
                connection = await self._engine.connect()
            except AllInUseError:
                raise
            except Exception as error:
                self.refused_since = began if self.refused_since is None else self.refused_since
                if not is_out_of_connections(error) or time.monotonic() - began > CONNECT_PATIENCE:
                    raise
            else:
                self.refused_since = None
                return connection
            for pool in self.sibling_pools:
                pool.close_idle()
            await asyncio.sleep(pause)  # one of its own may be back by then
            pause = min(LONGEST_CONNECT_PAUSE, pause * 2)

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[AsyncConnection]:
        """A connection for a moment; what isn't committed in it is rolled back. Raises as `take`."""
        connection = await self.acquire()
        try:
            yield connection
        finally:  # it goes back also where that is cancelled
            await asyncio.shield(asyncio.ensure_future(connection.close()))

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """The same, committed at the end unless that raises."""
        async with self.connection() as connection, connection.begin():
            yield connection

    def close_idle(self) -> None:
        """Close what nobody uses."""
        for driver in list(self._idle):
            driver.terminate()
        self._idle.clear()

    def terminate_all(self, but: object) -> None:
        """End all that there are, whoever uses them, but that one of the driver's."""
        for driver in list(self._drivers):
            if driver is not but:
                driver.terminate()

    async def close(self) -> None:
        """Close what nobody uses; what is in use is closed once that is over."""
        await self._engine.dispose()

    def _made(self, adapted: Any, _record: object) -> None:
        try:
            adapted.run_async(_interpret)
        except BaseException:
            adapted.driver_connection.terminate()  # nobody else knows of it yet
            raise
        self._drivers.add(adapted.driver_connection)

    def _lend(self, adapted: Any, _record: object, _proxy: object) -> None:
        self._idle.discard(adapted.driver_connection)
        if adapted.driver_connection.is_closed():
            raise DisconnectionError  # another one is made instead

    def _back(self, adapted: Any, _record: object) -> None:
        if adapted is not None:
            self._idle.add(adapted.driver_connection)


async def _interpret(driver: Any) -> None:
    """Let the server not compile what it runs: that takes a second where a statement takes milliseconds.

    It does so by itself where it reckons that much is to be read, as of whoever won a thousand times. Asked
    for with the connection, a pooler in between would refuse it (https://www.pgbouncer.org/config.html).
    """
    await driver.execute("SET jit = off")


def _judge(context: ExceptionContext) -> None:
    """Where nothing may be written, count the connection as lost, and all of its pool: each keeps for as
    long as it lasts what the database was set to when it began, and the next one may be told otherwise. So
    where a statement took too long, or the driver knows no more where it stands: whatever was sent over it
    next would wait for that one, or fail as well.
    """
    error = context.original_exception
    if (
        isinstance(error, TimeoutError)
        or is_protocol_out_of_sync(error)
        or is_read_only_error(context.sqlalchemy_exception)
    ):
        context.is_disconnect = True


# The advisory lock that says that somebody uses this database; it ends with the connection.
INSTANCE_LOCK = 0x24_24_24
# Seconds after which a statement counts as lost with its connection; what makes tables takes as long as it
# takes.
LONGEST_STATEMENT = 30.0
# The same where several bots share the database: others can do meanwhile what waits for it.
LONGEST_SHARED = 10.0
LONGEST_ASIDE = 5.0  # Seconds after which that is so beside the writer, where what is asked for is small
READERS, ASIDE = 8, 5  # Connections at most that read, and that do what is beside the writer
# All that a process takes at most: one more writes, and one makes tables at the start.
MAX_CONNECTIONS = READERS + ASIDE + 2
# What is written beside the writer is true at the moment only: none of it has to outlive a power cut.
SOON_ENOUGH = {"synchronous_commit": "off"}
# How often a lock that is held is asked for, and the seconds between: a killed bot holds it a moment.
CLAIMS, BETWEEN_CLAIMS = 10, 0.3
# The lock of whoever makes tables; one that asks for nothing for so long may be lost, and loses it.
TABLES, STILL = 0x24_24_25, {"limit": "idle_in_transaction_session_timeout", "still": "30s"}
ONE_BY_ONE = text("SELECT set_config(:limit, :still, true), pg_advisory_xact_lock(:key)")
# How often a transaction is run again that met another's, and the seconds before, doubled each time.
AGAIN, PAUSE, LONGEST_PAUSE = 60, 0.002, 0.1
# The same where it may just be wrong, and of several in one: the longer that takes, the more it meets.
FEW = 2
NOTHING = text("SELECT 1")
OWN_PROCESS = text("SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()")
END_FORMER = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = :pid AND backend_start = :began"
)


class AccessMode(StrEnum):
    """How a database is used."""

    EXCLUSIVE = "alone"  # Nobody else has it
    SHARED = "shared"  # By one of several bots; a database that is a file has one at a time all the same
    UNLOCKED = "beside"  # Beside whoever has it


TRY_INSTANCE_LOCK = {
    AccessMode.EXCLUSIVE: text("SELECT pg_try_advisory_lock(:key)"),
    AccessMode.SHARED: text("SELECT pg_try_advisory_lock_shared(:key)"),
}


TOGETHER = 64  # Transactions that share one commit at most

# Those that aren't urgent of which a commit takes so many all the same, where so many wait: however much is
# urgent, the others go on, and not each of them by a commit of its own.
OTHERS_BESIDE = 4


@dataclass(slots=True, eq=False, repr=False)
class Transaction:
    """A transaction that waits for its commit."""

    work: Work[Any]
    outcome: "asyncio.Future[Any]"
    urgent: bool = False


class TransactionQueue:
    """The transactions that wait for the one connection that writes, in order but for what is urgent.

    All that wait when a commit begins share it, and what comes meanwhile has to wait for that and for the
    next. That is long for whoever can do nothing else until then, so what is urgent joins the transaction
    that is under way, and what that has not run yet makes way to the next.
    """

    def __init__(self) -> None:
        self._urgent, self._others = deque[Transaction](), deque[Transaction]()

    def __bool__(self) -> bool:
        return bool(self._urgent or self._others)

    def add(self, job: Transaction) -> None:
        """It waits behind its like."""
        (self._urgent if job.urgent else self._others).append(job)

    def take_batch(self) -> list[Transaction]:
        """Take those that share the next commit."""
        most = OTHERS_BESIDE if self._urgent else TOGETHER
        taken = [self._others.popleft() for _ in range(min(len(self._others), most))]
        return taken + self._take_urgent()

    def iterate_with_urgent(self, jobs: list[Transaction], left: list[Transaction]) -> Iterator[Transaction]:
        """Each of `jobs` to be run now. What became urgent meanwhile joins them, and those that make way to
        it are `left`: they were not run, and are of `jobs` no more.
        """
        done = 0
        while True:
            if self._urgent and done >= min(OTHERS_BESIDE, len(jobs)):
                rest, jobs[done:] = jobs[done:], []
                left[:0] = [job for job in rest if not job.urgent]
                jobs += [job for job in rest if job.urgent] + self._take_urgent()
            if done == len(jobs):
                return
            yield jobs[done]
            done += 1

    def put_back(self, jobs: Iterable[Transaction]) -> None:
        """These were left: they come before all that wait."""
        self._others.extendleft(reversed(list(jobs)))

    def _take_urgent(self) -> list[Transaction]:
        taken = list(self._urgent)
        self._urgent.clear()
        return taken


class Postgresql:
    """An open database on a server."""

    dialect = "postgresql"

    def __init__(self, url: URL, use: AccessMode) -> None:
        self.application_name = f"{APPLICATION_NAME_PREFIX}{token_hex(6)}"
        """By which the server knows all connections of this process."""
        named = {"application_name": self.application_name}
        options, url = get_driver_options(url), remove_tls_options(url)
        slow = {"timeout": 10, "server_settings": named, **options}
        self._tables = create_async_engine(url, poolclass=NullPool, connect_args=slow, hide_parameters=True)
        arguments = slow | {
            "command_timeout": LONGEST_SHARED if use is AccessMode.SHARED else LONGEST_STATEMENT
        }
        limits = dict.fromkeys(("command_timeout", "timeout"), LONGEST_ASIDE) | options
        quick = limits | {"server_settings": named | SOON_ENOUGH}
        self._writing = Pool(url, None, arguments)
        self._reading = Pool(url, READERS, arguments)
        self._aside = Pool(url, ASIDE, quick, quick=True)
        self._pools = self._writing, self._reading, self._aside
        for pool in self._pools:
            pool.sibling_pools = self._pools
        self._use = use
        self._writer: AsyncConnection | None = None
        self._ended: list[AsyncConnection] = []
        """Former writers, to be dropped by whoever writes next."""
        self._former: tuple[int, datetime] | None = None
        """The server's process behind the writer and when it began: it may outlive a lost connection."""
        self.taken_over = asyncio.Event()
        """Set once another bot holds the lock, which can only be after a connection was lost."""
        self._turn = asyncio.Lock()
        self._waiting = TransactionQueue()
        self._committing: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Nothing: the first transaction connects."""

    def write(self, work: Work[T], *, urgent: bool = False) -> "asyncio.Future[T]":
        """Run `work` in a transaction when its turn comes; done once it is durable."""
        job = Transaction(work, asyncio.get_running_loop().create_future(), urgent)
        self._waiting.add(job)
        if self._committing is None or self._committing.done():
            self._committing = asyncio.create_task(self._write())
        return job.outcome

    async def run_schema_change(self, work: Work[T]) -> T:
        """Run `work`, which makes tables, while no other process does."""

        def by_itself(tx: Connection) -> T:
            tx.execute(ONE_BY_ONE, {"key": TABLES} | STILL)
            return work(tx)

        async with self._turn:
            await self._connected()  # so that it is known to be ours, or one of ours
        async with self._tables.begin() as connection:
            return await connection.run_sync(by_itself)

    async def read(self, query: Work[T]) -> T:
        """Run `look` beside the writer."""
        async with self._reading.connection() as connection:
            return await connection.run_sync(query)

    @property
    def is_shared(self) -> bool:
        """Whether several bots may use it at the same time."""
        return self._use is AccessMode.SHARED

    async def run_beside_writer(self, work: Work[T]) -> T:
        """Run `work` in a transaction of its own beside the writer, which isn't synced to the disk at once.

        It sees what others commit meanwhile, and locks rows that it must not share.
        """
        async with self._aside.transaction() as connection:
            return await connection.run_sync(work)

    async def open_dedicated_connection(self) -> DedicatedConnection:
        """A connection that lasts."""
        connection = await self._aside.acquire()
        try:
            return await DedicatedConnection.create(connection)
        except BaseException:
            await drop_connection(connection)
            raise

    async def reconnect_all(self, watch: DedicatedConnection) -> None:
        """End all connections but that one, and what waits on them: others had the server end them, and
        nobody may have told this end.
        """
        last = await watch.get_driver_connection()
        if self._writer is not None:  # whoever uses it now may be many, so nobody waits for their turn here
            self._ended.append(self._writer)
            self._writer = None
        for pool in self._pools:
            pool.terminate_all(but=last)
        for pool in self._pools:
            await pool.close()

    def get_disconnected_seconds(self) -> float:
        """Seconds for which it has been in want of some connection; 0 where it has all."""
        refused = [pool.refused_since for pool in self._pools if pool.refused_since is not None]
        return time.monotonic() - min(refused) if refused else 0.0

    async def is_reachable(self, timeout: float | None = None) -> bool:
        """Whether it can be written and read now, which takes `within` so many seconds."""
        try:
            async with asyncio.timeout(timeout):
                for use in (self.write, self.read, self.run_beside_writer):
                    await use(_nothing)
        except Exception as error:
            if not isinstance(error, TimeoutError) and not is_database_failure(error):
                raise
            return False
        return True

    def is_still_in_place(self) -> bool:
        """Where a server keeps its files is its own affair."""
        return True

    async def vacuum(self) -> None:
        """Nothing: the server overwrites what was deleted in time."""

    truncate_wal = vacuum

    async def close(self) -> None:
        """Wait for the running transaction, then disconnect."""
        async with self._turn:
            await self._discard()
            for pool in self._pools:
                await pool.close()

    async def _write(self) -> None:
        async with self._turn:
            while self._waiting:
                self._waiting.put_back(await self._commit(self._waiting.take_batch()))

    async def _commit(self, jobs: list[Transaction]) -> list[Transaction]:
        """Run all of them in one transaction, each by itself where one of them raises, and half of them at a
        time where they met another bot's. What else goes wrong (no connection) fails each of them.

        What became urgent meanwhile is run with them; returns those that made way to it.
        """
        working, left = [False], list[Transaction]()

        def whole(tx: Connection) -> list[Any]:
            working[0] = True
            values = [job.work(tx) for job in self._waiting.iterate_with_urgent(jobs, left)]
            working[0] = False
            return values

        try:
            values = await self._passed(whole, AGAIN if len(jobs) == 1 else FEW)
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError):
                raise
            met, half = is_conflict(error), len(jobs) // 2
            if half and (met or working[0]):
                for part in (jobs[:half], jobs[half:]) if met else [[job] for job in jobs]:
                    while part:
                        part = await self._commit(part)
                return left
            for job in jobs:
                if not job.outcome.done():
                    job.outcome.set_exception(error)
        else:
            for job, value in zip(jobs, values, strict=True):
                if not job.outcome.done():
                    job.outcome.set_result(value)
        return left

    async def _passed(self, work: Work[T], again: int) -> T:
        """What comes of `work`, run so often again where it met another bot's transaction."""
        pause = PAUSE
        while True:
            try:
                return await self._once(work)
            except DBAPIError as error:
                if not (self.is_shared and may_be_conflict(error) and again):
                    raise
                again = again if is_conflict(error) else min(again, FEW)
            again, pause = again - 1, min(LONGEST_PAUSE, pause * 2)
            await asyncio.sleep(random.uniform(0, pause))  # so that the same two don't meet again

    async def _once(self, work: Work[T]) -> T:
        writer = await self._connected()
        try:
            result = await writer.run_sync(work)
            await writer.commit()
            run_commit_callbacks(_sync(writer))
        except BaseException as error:
            await self._roll_back(writer, error)
            raise
        return result

    async def _roll_back(self, writer: AsyncConnection, error: BaseException) -> None:
        lost = isinstance(error, DBAPIError) and error.connection_invalidated
        try:
            async with asyncio.timeout(LONGEST_ROLLBACK):
                await writer.rollback()
            drop_commit_callbacks(_sync(writer))
        except Exception:  # noqa: BLE001 - the first error is the one that is told
            lost = True
        if lost or writer.invalidated:
            await self._discard()

    async def _connected(self) -> AsyncConnection:
        await self._drop_ended()
        if self._writer is None:
            writer = await self._writing.acquire()
            try:
                if self._use in TRY_INSTANCE_LOCK:
                    await self._take(writer)
                if self.is_shared:
                    await writer.execution_options(isolation_level="SERIALIZABLE")
            except BaseException:
                await drop_connection(writer)
                raise
            self._writer = writer
        return self._writer

    async def _take(self, writer: AsyncConnection) -> None:
        """Take the lock that says that this process is here. Raises ClaimedError when another one bars it.

        A lost connection may still live on the server's side and hold the lock: that one is ended.
        """
        if self.is_shared:
            await self._end_former(writer)
        for n in range(CLAIMS):
            if await writer.scalar(TRY_INSTANCE_LOCK[self._use], {"key": INSTANCE_LOCK}):
                break
            await self._end_former(writer)
            if n == CLAIMS - 1:
                self.taken_over.set()
                raise DatabaseInUseError
            await asyncio.sleep(BETWEEN_CLAIMS)
        await writer.execute(SET_KEEPALIVES)
        pid, began = (await writer.execute(OWN_PROCESS)).one()
        self._former = pid, began
        await writer.commit()

    async def _end_former(self, writer: AsyncConnection) -> None:
        """End the writer before this one on the server's side, with all that it locks."""
        if self._former is not None:
            await writer.execute(END_FORMER, {"pid": self._former[0], "began": self._former[1]})
        await writer.commit()

    async def _drop_ended(self) -> None:
        while self._ended:
            await drop_connection(self._ended.pop())

    async def _discard(self) -> None:
        await self._drop_ended()
        if self._writer is not None:
            await drop_connection(self._writer)
            self._writer = None


def _nothing(tx: Connection) -> None:
    tx.execute(NOTHING)


def _sync(connection: AsyncConnection) -> Connection:
    """The same for what asks the server nothing."""
    assert connection.sync_connection is not None  # noqa: S101 - it was opened
    return connection.sync_connection
