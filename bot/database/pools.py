"""Connections to PostgreSQL, of which a server has only so many for all who use it."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any
from weakref import WeakSet

from sqlalchemy import NullPool, event, text
from sqlalchemy.engine import URL, ExceptionContext
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.exc import TimeoutError as AllInUseError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from bot.database.errors import is_read_only_error, is_out_of_connections, is_protocol_out_of_sync
from bot.database.tx import T, Work

CONNECT_PATIENCE = 5.0  # Seconds for which a connection is asked for again of a server that has none left
CONNECT_PAUSE, LONGEST_CONNECT_PAUSE = 0.02, 0.3  # Seconds before it is asked for again, each time twice as many

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
        await (await self.get_driver_connection()).add_listener(channel, lambda *told: notified(str(told[-1])))

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
    if isinstance(error, TimeoutError) or is_protocol_out_of_sync(error) or is_read_only_error(context.sqlalchemy_exception):
        context.is_disconnect = True
