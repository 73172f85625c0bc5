"""The one place that opens the database: explicit transactions on one writer, whatever the dialect.

A transaction is a plain function of a connection, run whole: `await store.write(move)` begins, calls
`move(tx)`, commits, and returns what `move` returned; any exception rolls all of it back. It runs
shielded, so a handler that is cancelled leaves either all of its transaction or nothing. Verbs of the game
live in this package's modules (`rounds`, `boards`, …) as functions that take that connection first.

`sqlite` and `postgresql` hold what differs: how a transaction begins, where it runs, and how a database is
claimed for one bot.
"""

import asyncio
import contextlib
import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import IO, Self, TypeVar

from sqlalchemy import Connection, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from bot.database.postgresql import ClaimedError, Postgresql
from bot.database.sqlite import Sqlite, claim, unusable

T = TypeVar("T")
Tx = Connection
"""An open transaction; what the verbs in this package take."""
Work = Callable[[Tx], T]

log = logging.getLogger(__name__)

SMALL = 64 * 2**20
"""Bytes up to which a whole-file check costs nothing that a person would notice at the start."""
AGAIN = 0.5
"""Seconds before the next try to write when the database could not."""
TROUBLE = (
    *("locked", "busy", "full", "disk", "i/o", "readonly", "unable to open"),
    *("connect", "closed", "timeout", "shutting down", "starting up"),
)
"""What databases say when they as a whole can't work."""
STATES = ("08", "25006", "28", "3D", "40001", "40P01", "53", "55P03", "57P", "58")
"""What PostgreSQL's codes for that begin with: no connection, read-only, a login or a database that is gone,
a deadlock, out of memory or disk, locked, shut down, a broken system.
https://www.postgresql.org/docs/current/errcodes-appendix.html
"""
PASSING = ("08", "53", "57P", "58")
"""Of these, what a start may wait for; the others are for a person to mend."""
COMING_UP = "57P03"
TRANSIENT = ("locked", "busy", "full", "disk i/o")
"""What SQLite says of a file that may be well a little later."""
TAKEN = "another bot already runs on this database"


class StoreError(Exception):
    """The database can't be opened or used; the message is one line without secrets."""


class UnreachedError(StoreError):
    """The database can't be opened just now, for a reason that may pass by itself."""

    def __init__(self, message: str, *, coming_up: bool = False) -> None:
        super().__init__(message)
        self.coming_up = coming_up
        """Whether a server answered that it is starting."""


class Store:
    """An open database. Made by `Store.open`."""

    def __init__(self, base: Sqlite | Postgresql, lock: IO[str] | None) -> None:
        self._base = base
        self._lock_file = lock

    @classmethod
    async def open(cls, url: URL, *, alone: bool = True) -> Self:
        """Open the database at `url`, checked and brought to today's tables.

        `alone` claims it for this process. Raises StoreError when it can't be opened, is damaged, was
        written by a newer version, or is claimed by another process.
        """
        sqlite = url.get_backend_name() == "sqlite"
        try:
            lock = claim(Path(str(url.database))) if sqlite and alone else None
            store = cls(Sqlite(url) if sqlite else Postgresql(url, alone=alone), lock)
        except BlockingIOError:
            raise StoreError(f"another bot already runs on the database {url.database!r}") from None
        except OSError as error:
            raise StoreError(_reason(url, error)) from None
        try:
            await store._check_and_migrate(url)
        except ClaimedError:
            await store.close()
            raise StoreError(TAKEN) from None
        except (SQLAlchemyError, OSError) as error:
            await store.close()
            raise _refusal(url, error) from None
        except BaseException:
            await store.close()
            raise
        return store

    @classmethod
    async def open_beside(cls, url: URL) -> Self:
        """Open a database that a bot has made, beside that bot. Nothing is created, and no table changed.

        Raises StoreError when there is none, or when its tables are another version's.
        """
        sqlite = url.get_backend_name() == "sqlite"
        trouble = unusable(Path(str(url.database))) if sqlite else None
        if trouble:
            raise StoreError(f"{trouble}; DATABASE_URL names the one to use")
        store = cls(Sqlite(url) if sqlite else Postgresql(url, alone=False), None)
        from bot.database.migrations import require_today

        try:
            await store.read(require_today)
        except (SQLAlchemyError, OSError) as error:
            await store.close()
            raise _refusal(url, error) from None
        except BaseException:
            await store.close()
            raise
        return store

    async def close(self) -> None:
        """Wait for the running transaction, then let go of the database."""
        with contextlib.suppress(SQLAlchemyError, OSError):
            await self._base.close()
        if self._lock_file is not None:
            self._lock_file.close()

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""
        return self._base.dialect

    async def write(self, work: Work[T]) -> T:
        """Run `move` in a transaction of its own and return what it returns, once that is durable."""
        return await _whole(self._base.write(work))

    async def write_with_retries(self, work: Work[T]) -> T:
        """As `write`, for as long as it takes: the disk may be full now and not in a while."""
        while True:
            try:
                return await self.write(work)
            except Exception as error:
                if not storage_trouble(error):
                    raise
                log.warning("the database can't be written; trying again: %s", cause(error))
            await asyncio.sleep(AGAIN)

    async def taken_over(self) -> None:
        """Wait until another bot has this database, which can only be after a connection was lost.

        Raises StoreError then.
        """
        await self._base.taken.wait()
        raise StoreError(f"{TAKEN} now: it came while the connection was lost")

    async def read(self, look: Work[T]) -> T:
        """Run `look`, which changes nothing, on a snapshot beside the writer."""
        result: T = await self._base.read(look)
        return result

    async def scrub(self) -> bool:
        """Leave nothing in the file of what was deleted from it; False when it was too busy for that.

        PostgreSQL overwrites its own leftovers in time.
        """
        try:
            if isinstance(self._base, Sqlite):
                await self._base.scrub()
        except sqlite3.OperationalError as error:
            log.warning("the database can't be written anew now: %s", cause(error))
            return False
        return True

    async def settle(self) -> None:
        """Keep nothing of rows that are gone in the log beside the file; if it is busy, the next time."""
        with contextlib.suppress(sqlite3.OperationalError):
            if isinstance(self._base, Sqlite):
                await self._base.settle()

    async def _check_and_migrate(self, url: URL) -> None:
        if self.dialect == "sqlite" and _size(url) <= SMALL:
            verdict = await self.write(lambda tx: tx.scalar(text("PRAGMA quick_check(1)")))
            if verdict != "ok":
                raise StoreError(f"the database {url.database!r} is damaged: {verdict}; restore a backup")
        from bot.database.migrations import bring_up_to_date

        await self.write(bring_up_to_date)


def storage_trouble(error: BaseException) -> bool:
    """Whether the database as a whole is in trouble (full, locked, gone), and not what was written to it."""
    if isinstance(error, ClaimedError | OSError):
        return True
    if not isinstance(error, DBAPIError):
        return isinstance(error, SQLAlchemyError) and "timeout" in str(error).lower()  # no connection is free
    if error.connection_invalidated or _state(error).startswith(STATES):
        return True
    signs = any(sign in str(error.orig).lower() for sign in TROUBLE)
    return signs and type(error).__name__ in {
        *("OperationalError", "InterfaceError", "DatabaseError", "DBAPIError")
    }


def _state(error: BaseException) -> str:
    """PostgreSQL's code for the error; empty where there is none."""
    return str(getattr(getattr(error, "orig", None), "sqlstate", None) or "")


def _refusal(url: URL, error: Exception) -> StoreError:
    """Why the database can't be opened, and whether that may pass."""
    state, line = _state(error), _reason(url, error)
    if url.get_backend_name() == "sqlite":
        passes = any(sign in str(getattr(error, "orig", error)).lower() for sign in TRANSIENT)
    else:
        lost = isinstance(error, OSError) or (isinstance(error, DBAPIError) and error.connection_invalidated)
        passes = lost or state.startswith(PASSING)
    return UnreachedError(line, coming_up=state == COMING_UP) if passes else StoreError(line)


def cause(error: BaseException) -> str:
    """An error in one line that quotes neither statements nor what was to be stored."""
    told = getattr(error, "orig", None) or error
    return next(iter(f"{type(told).__name__}: {told}".splitlines()), "")[:300]


def _size(url: URL) -> int:
    path = Path(str(url.database))
    return path.stat().st_size if path.exists() else 0


async def _whole(work: "asyncio.Future[T]") -> T:
    """Finish `work` even when the caller is cancelled, again and again; then pass the cancellation on."""
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        while not work.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([work])
        if not work.cancelled():
            work.exception()
        raise


def _reason(url: URL, error: Exception) -> str:
    where = repr(url.database) if url.get_backend_name() == "sqlite" else f"at {url.host}:{url.port or 5432}"
    if isinstance(error, DBAPIError):
        told = str(error.orig)
    else:
        told = getattr(error, "strerror", None) or str(error)
    line = next(iter(told.splitlines()), type(error).__name__)
    shown = line.replace(url.password, "…") if url.password else line
    return f"DATABASE_URL: the database {where} can't be opened: {shown}"
