"""What can go wrong with the database, told apart by what callers do about it."""

import errno
import socket
import ssl
from traceback import walk_tb

from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from bot import logs
from bot.database.address import describe_location

# Words of the driver's where a connection is no use any more.
OUT_OF_STEP = ("cannot switch to state", "operation is in progress")
# Words in the errors of a database that as a whole can't work.
TROUBLE = (
    *("locked", "busy", "full", "disk", "i/o", "readonly", "unable to open"),
    *("connect", "closed", "timeout", "shutting down", "starting up"),
    *OUT_OF_STEP,
)
DENIED = "42501"  # PostgreSQL's code where the role may not do what was asked
# What PostgreSQL's codes begin with for what lies in one statement or in what it was to store. Every other
# one is the database's: no connection, read-only, a login or a database that is gone, a statement that was
# cancelled, out of memory or disk, closed to everybody, locked, shut down, a broken file or system.
# https://www.postgresql.org/docs/current/errcodes-appendix.html
OWN = ("0A", "21", "22", "23", "42", "44", "54")
# Of these, what no single update is to blame for: no right to a table or no table at all, as in the midst of
# a restore; each of ours is asked for by a name that the start made.
EVERYBODYS = (DENIED, "42P01")
# PostgreSQL's codes for a transaction that would pass if it were run again: it met another one's, or so many
# others have read so much that no more can be remembered ("out of shared memory"), as while a bot stands
# still in the midst of one.
COLLISIONS = ("40001", "40P01", "53200")
# Its code for a row that is there already, of which the second of two at once may be told as well.
TWICE = "23505"
READ_ONLY = "25006"  # Its code for a session in which nothing may be written
NO_ROOM = "53300"  # Its code where it has no connection left
# Of these, what a start may wait for; the others are for a person to mend.
PASSING = ("08", "53", "57P", "58")
# What the system means where nobody listens; its own words are about a call.
REFUSED = "the connection was refused"
# What an error of TLS means, which has the place in the library as well.
UNTRUSTED_CERTIFICATE = "its certificate can't be trusted"
UNKNOWN_HOST = "EAI_NONAME"  # The system's name for a host that nobody knows
COMING_UP = "57P03"  # PostgreSQL's code while it starts
# An error of the system is the database's where it passed through one of these, and so are their own.
DRIVERS = ("asyncpg",)
# Words in SQLite's errors about a file that may be well a little later.
TRANSIENT = ("locked", "busy", "full", "disk i/o")


class StoreError(Exception):
    """The database can't be opened or used; the message is one line without secrets."""

    # Why: PostgreSQL's code, or the system's name for its own error, such as ECONNREFUSED; empty where
    # neither said.
    error_code = ""
    # The database that could not be opened; not to be shown, since its password is among it.
    url: URL | None = None


class UnreachableError(StoreError):
    """The database can't be opened just now, for a reason that may pass by itself."""

    def __init__(self, message: str, *, coming_up: bool = False) -> None:
        super().__init__(message)
        self.is_starting = coming_up
        """Whether a server answered that it is starting."""


class PrivilegeError(StoreError):
    """The role that the bot has at the server may not do what the bot does."""

    def __init__(self, lacking: str) -> None:
        super().__init__(f"DATABASE_URL: {lacking}")


class DatabaseInUseError(Exception):
    """Another bot runs on this database."""


class WritesRefusedError(Exception):
    """The database refuses even a row that nothing can be wrong with."""


def is_database_failure(error: BaseException) -> bool:
    """Whether the database as a whole is in trouble (full, locked, gone), and not what was written to it."""
    if isinstance(error, DatabaseInUseError | WritesRefusedError):
        return True
    if isinstance(error, OSError):
        return any(
            frame.f_globals.get("__name__", "").startswith(DRIVERS)
            for frame, _ in walk_tb(error.__traceback__)
        )
    if _is_drivers(error):
        return _is_everybodys(_state(error))
    if not isinstance(error, DBAPIError):
        return isinstance(error, SQLAlchemyError) and "timeout" in str(error).lower()  # no connection is free
    if error.connection_invalidated:
        return True
    if state := _state(error):
        return _is_everybodys(state)
    signs = any(sign in str(error.orig).lower() for sign in TROUBLE)
    return signs and type(error).__name__ in {
        *("OperationalError", "InterfaceError", "InternalError", "DatabaseError", "DBAPIError")
    }


def _is_drivers(error: BaseException) -> bool:
    """Whether it is the driver's own, in no wrap of SQLAlchemy's: then what failed was the making of a
    connection, or what is done with one beside all statements, and no update's or request's work.
    """
    return type(error).__module__.startswith(DRIVERS)


def _is_everybodys(state: str) -> bool:
    return state in EVERYBODYS or not state.startswith(OWN)


def is_conflict(error: BaseException) -> bool:
    """Whether a transaction came to nothing only because another one ran at the same time."""
    return _state(error) in COLLISIONS


def may_be_conflict(error: BaseException) -> bool:
    """Whether that may be so, or else each further try fails as well."""
    return is_conflict(error) or _state(error) == TWICE


def is_permission_denied(error: BaseException) -> bool:
    """Whether the database's own role lacks a right, which only a person gives it."""
    return _state(error) == DENIED


def is_out_of_connections(error: BaseException) -> bool:
    """Whether the server has no connection left."""
    return _state(error) == NO_ROOM


def is_protocol_out_of_sync(error: BaseException | None) -> bool:
    """Whether the driver's connection can't be used any more, though the server has not ended it."""
    return error is not None and any(words in str(error) for words in OUT_OF_STEP)


def is_read_only_error(error: BaseException | None) -> bool:
    """Whether it was only refused because nothing may be written."""
    return error is not None and _state(error) == READ_ONLY


def describe_error(error: BaseException) -> str:
    """An error in one line that quotes neither statements nor what was to be stored."""
    told = getattr(error, "orig", None) or error
    return (
        logs.describe_error(told)
        if not str(told).strip()
        else f"{type(told).__name__}: {logs.describe_error(told)}"[:300]
    )


def make_open_error(url: URL, error: Exception) -> StoreError:
    """Why the database at `url` can't be opened; UnreachedError where that may pass."""
    state, line = _state(error), _reason(url, error)
    if state == DENIED:
        return _by(PrivilegeError(line), state, url)
    if url.get_backend_name() == "sqlite":
        passes = any(sign in str(getattr(error, "orig", error)).lower() for sign in TRANSIENT)
    else:
        lost = isinstance(error, OSError) or (isinstance(error, DBAPIError) and error.connection_invalidated)
        lost = lost or (_is_drivers(error) and not state and not isinstance(error, ValueError))
        lost = lost and not isinstance(error, ssl.SSLCertVerificationError)
        passes = (lost and state != READ_ONLY) or state.startswith(PASSING)
    told = f"DATABASE_URL: {line}"
    refused = UnreachableError(told, coming_up=state == COMING_UP) if passes else StoreError(told)
    return _by(refused, state or _system(error), url)


def _by(refused: StoreError, state: str, url: URL) -> StoreError:
    refused.error_code, refused.url = state, url
    return refused


def _system(error: Exception) -> str:
    """The system's name for the error; empty where it is none of its own."""
    if isinstance(error, socket.gaierror):
        return UNKNOWN_HOST
    if isinstance(error, TimeoutError):
        return "ETIMEDOUT"
    return errno.errorcode.get(getattr(error, "errno", None) or 0, "")


def _state(error: BaseException) -> str:
    """PostgreSQL's code for the error; empty where there is none."""
    return str(getattr(getattr(error, "orig", error), "sqlstate", None) or "")


def _reason(url: URL, error: Exception) -> str:
    where = describe_location(url) if url.get_backend_name() == "sqlite" else f"at {describe_location(url)}"
    if isinstance(error, DBAPIError):
        told = str(error.orig)
    else:
        told = getattr(error, "strerror", None) or logs.describe_error(error)
        told = REFUSED if isinstance(error, ConnectionRefusedError) else told
        if isinstance(error, ssl.SSLCertVerificationError):
            told = f"{UNTRUSTED_CERTIFICATE}: {error.verify_message}"
    line = next(iter(told.splitlines()), type(error).__name__)
    return (
        f"the database {where} can't be opened: {logs.RedactingFormatter([url.password or '']).redact(line)}"
    )
