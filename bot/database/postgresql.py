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
import random
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from secrets import token_hex
from typing import Any

from sqlalchemy import Connection, NullPool, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from bot.database.address import driver_options, without_tls
from bot.database.errors import ClaimedError, collided, may_have_collided, storage_trouble
from bot.database.pools import LONGEST_ROLLBACK, SOON_GONE, TAG, Pool, Watch, drop
from bot.database.tx import T, Work, committed, rolled_back

# The advisory lock that says that somebody uses this database; it ends with the connection.
INSTANCE = 0x24_24_24
# Seconds after which a statement counts as lost with its connection; what makes tables takes as long as it
# takes.
LONGEST_STATEMENT = 30.0
# The same where several bots share the database: others can do meanwhile what waits for it.
LONGEST_SHARED = 10.0
LONGEST_ASIDE = 5.0  # Seconds after which that is so beside the writer, where what is asked for is small
READERS, ASIDE = 8, 5  # Connections at most that read, and that do what is beside the writer
# All that a process takes at most: one more writes, and one makes tables at the start.
MOST = READERS + ASIDE + 2
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


class Use(StrEnum):
    """How a database is used."""

    ALONE = "alone"  # Nobody else has it
    SHARED = "shared"  # By one of several bots; a database that is a file has one at a time all the same
    BESIDE = "beside"  # Beside whoever has it


TAKE = {
    Use.ALONE: text("SELECT pg_try_advisory_lock(:key)"),
    Use.SHARED: text("SELECT pg_try_advisory_lock_shared(:key)"),
}


TOGETHER = 64  # Transactions that share one commit at most

# Those that aren't urgent of which a commit takes so many all the same, where so many wait: however much is
# urgent, the others go on, and not each of them by a commit of its own.
OTHERS_BESIDE = 4


@dataclass(slots=True, eq=False, repr=False)
class Job:
    """A transaction that waits for its commit."""

    work: Work[Any]
    outcome: "asyncio.Future[Any]"
    urgent: bool = False


class Waiting:
    """The transactions that wait for the one connection that writes, in order but for what is urgent.

    All that wait when a commit begins share it, and what comes meanwhile has to wait for that and for the
    next. That is long for whoever can do nothing else until then, so what is urgent joins the transaction
    that is under way, and what that has not run yet makes way to the next.
    """

    def __init__(self) -> None:
        self._urgent, self._others = deque[Job](), deque[Job]()

    def __bool__(self) -> bool:
        return bool(self._urgent or self._others)

    def add(self, job: Job) -> None:
        """It waits behind its like."""
        (self._urgent if job.urgent else self._others).append(job)

    def together(self) -> list[Job]:
        """Take those that share the next commit."""
        most = OTHERS_BESIDE if self._urgent else TOGETHER
        taken = [self._others.popleft() for _ in range(min(len(self._others), most))]
        return taken + self._take_urgent()

    def along(self, jobs: list[Job], left: list[Job]) -> Iterator[Job]:
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

    def back(self, jobs: Iterable[Job]) -> None:
        """These were left: they come before all that wait."""
        self._others.extendleft(reversed(list(jobs)))

    def _take_urgent(self) -> list[Job]:
        taken = list(self._urgent)
        self._urgent.clear()
        return taken


class Postgresql:
    """An open database on a server."""

    dialect = "postgresql"

    def __init__(self, url: URL, use: Use) -> None:
        self.tag = f"{TAG}{token_hex(6)}"
        """By which the server knows all connections of this process."""
        named = {"application_name": self.tag}
        options, url = driver_options(url), without_tls(url)
        slow = {"timeout": 10, "server_settings": named, **options}
        self._tables = create_async_engine(url, poolclass=NullPool, connect_args=slow, hide_parameters=True)
        arguments = slow | {"command_timeout": LONGEST_SHARED if use is Use.SHARED else LONGEST_STATEMENT}
        limits = dict.fromkeys(("command_timeout", "timeout"), LONGEST_ASIDE) | options
        quick = limits | {"server_settings": named | SOON_ENOUGH}
        self._writing = Pool(url, None, arguments)
        self._reading = Pool(url, READERS, arguments)
        self._aside = Pool(url, ASIDE, quick, quick=True)
        self._pools = self._writing, self._reading, self._aside
        for pool in self._pools:
            pool.beside = self._pools
        self._use = use
        self._writer: AsyncConnection | None = None
        self._ended: list[AsyncConnection] = []
        """Former writers, to be dropped by whoever writes next."""
        self._former: tuple[int, datetime] | None = None
        """The server's process behind the writer and when it began: it may outlive a lost connection."""
        self.taken = asyncio.Event()
        """Set once another bot holds the lock, which can only be after a connection was lost."""
        self._turn = asyncio.Lock()
        self._waiting = Waiting()
        self._committing: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Nothing: the first transaction connects."""

    def write(self, work: Work[T], *, urgent: bool = False) -> "asyncio.Future[T]":
        """Run `work` in a transaction when its turn comes; done once it is durable."""
        job = Job(work, asyncio.get_running_loop().create_future(), urgent)
        self._waiting.add(job)
        if self._committing is None or self._committing.done():
            self._committing = asyncio.create_task(self._write())
        return job.outcome

    async def prepare(self, work: Work[T]) -> T:
        """Run `work`, which makes tables, while no other process does."""

        def by_itself(tx: Connection) -> T:
            tx.execute(ONE_BY_ONE, {"key": TABLES} | STILL)
            return work(tx)

        async with self._turn:
            await self._connected()  # so that it is known to be ours, or one of ours
        async with self._tables.begin() as connection:
            return await connection.run_sync(by_itself)

    async def read(self, look: Work[T]) -> T:
        """Run `look` beside the writer."""
        async with self._reading.connection() as connection:
            return await connection.run_sync(look)

    @property
    def shared(self) -> bool:
        """Whether several bots may use it at the same time."""
        return self._use is Use.SHARED

    async def aside(self, work: Work[T]) -> T:
        """Run `work` in a transaction of its own beside the writer, which isn't synced to the disk at once.

        It sees what others commit meanwhile, and locks rows that it must not share.
        """
        async with self._aside.transaction() as connection:
            return await connection.run_sync(work)

    async def watch(self) -> Watch:
        """A connection that lasts."""
        connection = await self._aside.take()
        try:
            return await Watch.on(connection)
        except BaseException:
            await drop(connection)
            raise

    async def connect_anew(self, watch: Watch) -> None:
        """End all connections but that one, and what waits on them: others had the server end them, and
        nobody may have told this end.
        """
        last = await watch.driver()
        if self._writer is not None:  # whoever uses it now may be many, so nobody waits for their turn here
            self._ended.append(self._writer)
            self._writer = None
        for pool in self._pools:
            pool.end(but=last)
        for pool in self._pools:
            await pool.close()

    def lacking(self) -> float:
        """Seconds for which it has been in want of some connection; 0 where it has all."""
        refused = [pool.refused for pool in self._pools if pool.refused is not None]
        return time.monotonic() - min(refused) if refused else 0.0

    async def reached(self, within: float | None = None) -> bool:
        """Whether it can be written and read now, which takes `within` so many seconds."""
        try:
            async with asyncio.timeout(within):
                for use in (self.write, self.read, self.aside):
                    await use(_nothing)
        except Exception as error:
            if not isinstance(error, TimeoutError) and not storage_trouble(error):
                raise
            return False
        return True

    def is_there(self) -> bool:
        """Where a server keeps its files is its own affair."""
        return True

    async def scrub(self) -> None:
        """Nothing: the server overwrites what was deleted in time."""

    settle = scrub

    async def close(self) -> None:
        """Wait for the running transaction, then disconnect."""
        async with self._turn:
            await self._discard()
            for pool in self._pools:
                await pool.close()

    async def _write(self) -> None:
        async with self._turn:
            while self._waiting:
                self._waiting.back(await self._commit(self._waiting.together()))

    async def _commit(self, jobs: list[Job]) -> list[Job]:
        """Run all of them in one transaction, each by itself where one of them raises, and half of them at a
        time where they met another bot's. What else goes wrong (no connection) fails each of them.

        What became urgent meanwhile is run with them; returns those that made way to it.
        """
        working, left = [False], list[Job]()

        def whole(tx: Connection) -> list[Any]:
            working[0] = True
            values = [job.work(tx) for job in self._waiting.along(jobs, left)]
            working[0] = False
            return values

        try:
            values = await self._passed(whole, AGAIN if len(jobs) == 1 else FEW)
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError):
                raise
            met, half = collided(error), len(jobs) // 2
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
                if not (self.shared and may_have_collided(error) and again):
                    raise
                again = again if collided(error) else min(again, FEW)
            again, pause = again - 1, min(LONGEST_PAUSE, pause * 2)
            await asyncio.sleep(random.uniform(0, pause))  # so that the same two don't meet again

    async def _once(self, work: Work[T]) -> T:
        writer = await self._connected()
        try:
            result = await writer.run_sync(work)
            await writer.commit()
            committed(_sync(writer))
        except BaseException as error:
            await self._roll_back(writer, error)
            raise
        return result

    async def _roll_back(self, writer: AsyncConnection, error: BaseException) -> None:
        lost = isinstance(error, DBAPIError) and error.connection_invalidated
        try:
            async with asyncio.timeout(LONGEST_ROLLBACK):
                await writer.rollback()
            rolled_back(_sync(writer))
        except Exception:  # noqa: BLE001 - the first error is the one that is told
            lost = True
        if lost or writer.invalidated:
            await self._discard()

    async def _connected(self) -> AsyncConnection:
        await self._drop_ended()
        if self._writer is None:
            writer = await self._writing.take()
            try:
                if self._use in TAKE:
                    await self._take(writer)
                if self.shared:
                    await writer.execution_options(isolation_level="SERIALIZABLE")
            except BaseException:
                await drop(writer)
                raise
            self._writer = writer
        return self._writer

    async def _take(self, writer: AsyncConnection) -> None:
        """Take the lock that says that this process is here. Raises ClaimedError when another one bars it.

        A lost connection may still live on the server's side and hold the lock: that one is ended.
        """
        if self.shared:
            await self._end_former(writer)
        for n in range(CLAIMS):
            if await writer.scalar(TAKE[self._use], {"key": INSTANCE}):
                break
            await self._end_former(writer)
            if n == CLAIMS - 1:
                self.taken.set()
                raise ClaimedError
            await asyncio.sleep(BETWEEN_CLAIMS)
        await writer.execute(SOON_GONE)
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
            await drop(self._ended.pop())

    async def _discard(self) -> None:
        await self._drop_ended()
        if self._writer is not None:
            await drop(self._writer)
            self._writer = None


def _nothing(tx: Connection) -> None:
    tx.execute(NOTHING)


def _sync(connection: AsyncConnection) -> Connection:
    """The same for what asks the server nothing."""
    assert connection.sync_connection is not None  # noqa: S101 - it was opened
    return connection.sync_connection
