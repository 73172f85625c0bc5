"""Errors of the database, classified by what callers do about them."""

import errno
import socket
import ssl
from traceback import walk_tb

from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from bot import logs
from bot.database.address import describe_location


class StoreError(Exception):
    """The database can't be opened or used; the message is one line without secrets."""

    # PostgreSQL's code, or the system's name of its error, such as ECONNREFUSED; empty if there is neither.
    error_code = ""
    url: URL | None = None  # of the database that could not be opened; holds its password


class UnreachableError(StoreError):
    """The database can't be opened now, for a reason that may pass by itself."""


class PrivilegeError(StoreError):
    """The bot's role on the server lacks a privilege that the bot needs."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"DATABASE_URL: {problem}")


class DatabaseInUseError(Exception):
    """Another bot runs on this database."""


# PostgreSQL's codes: https://www.postgresql.org/docs/current/errcodes-appendix.html
INSUFFICIENT_PRIVILEGE = "42501"
UNDEFINED_TABLE = "42P01"
UNIQUE_VIOLATION = "23505"
READ_ONLY = "25006"  # the session takes no writes
TOO_MANY_CONNECTIONS = "53300"
SERVER_STARTING = "57P03"
# Code classes of errors in one statement or its values. All other errors concern the whole database.
STATEMENT_CODE_CLASSES = ("0A", "21", "22", "23", "42", "44", "54")
# Exceptions to these: as in the midst of a restore, a table or the privilege for it is missing.
DATABASE_CODES = (INSUFFICIENT_PRIVILEGE, UNDEFINED_TABLE)
DRIVER_PACKAGES = ("asyncpg",)  # packages whose errors, and system errors raised inside, are the database's
# asyncpg's words about a connection that can't be used any more
OUT_OF_SYNC_WORDS = ("cannot switch to state", "operation is in progress")
# Words in errors without a code, of a database that as a whole can't work
FAILURE_WORDS = (
    *("locked", "busy", "full", "disk", "i/o", "readonly", "unable to open"),
    *("connect", "closed", "timeout", "shutting down", "starting up"),
    *OUT_OF_SYNC_WORDS,
)
# SQLAlchemy's classes of errors that may contain these words
FAILURE_CLASSES = {"OperationalError", "InterfaceError", "InternalError", "DatabaseError", "DBAPIError"}


def is_database_failure(error: BaseException) -> bool:
    """Whether the database as a whole fails (full, locked, gone), not just this statement."""
    if isinstance(error, DatabaseInUseError):
        return True
    if isinstance(error, OSError):
        return _is_raised_in_driver(error)
    code = get_error_code(error)
    if _is_from_driver(error):
        return _is_failure_code(code)
    if not isinstance(error, DBAPIError):  # SQLAlchemy's pool raises a timeout if no connection is free
        return isinstance(error, SQLAlchemyError) and "timeout" in str(error).lower()
    if error.connection_invalidated:
        return True
    if code:
        return _is_failure_code(code)
    message = str(error.orig).lower()
    has_failure_words = any(word in message for word in FAILURE_WORDS)
    return type(error).__name__ in FAILURE_CLASSES and has_failure_words


def _is_raised_in_driver(error: OSError) -> bool:
    """Whether the driver is in the traceback of a system error, so that it is the database's."""
    for frame, _ in walk_tb(error.__traceback__):
        module = frame.f_globals.get("__name__", "")
        if module.startswith(DRIVER_PACKAGES):
            return True
    return False


def _is_from_driver(error: BaseException) -> bool:
    """Whether the error is asyncpg's own, as while connecting; SQLAlchemy wraps those of statements."""
    return type(error).__module__.startswith(DRIVER_PACKAGES)


def _is_failure_code(code: str) -> bool:
    """Whether an error with PostgreSQL's `code`, or with an empty one, concerns the whole database."""
    return code in DATABASE_CODES or not code.startswith(STATEMENT_CODE_CLASSES)


def get_error_code(error: BaseException) -> str:
    """Return PostgreSQL's code for the error; empty if there is none."""
    origin = getattr(error, "orig", error)  # SQLAlchemy wraps the driver's error
    return str(getattr(origin, "sqlstate", None) or "")


# Serialization failure, deadlock, and too many rows read by others to remember ("out of shared memory")
CONFLICT_CODES = ("40001", "40P01", "53200")


def is_conflict(error: BaseException) -> bool:
    """Whether a transaction failed only because of another one at the same time, and should be run again."""
    return get_error_code(error) in CONFLICT_CODES


MAX_ERROR_LENGTH = 300


def describe_error(error: BaseException) -> str:
    """Return an error in one short line that quotes neither statements nor values."""
    origin = getattr(error, "orig", None) or error  # SQLAlchemy's own text quotes both
    reason = logs.get_error_reason(origin)
    if not str(origin).strip():
        return reason
    return f"{type(origin).__name__}: {reason}"[:MAX_ERROR_LENGTH]


# Code classes of errors on opening that may pass by themselves
TRANSIENT_CODE_CLASSES = ("08", "53", "57P", "58")
UNKNOWN_HOST = "EAI_NONAME"  # the system's name for an unknown host
# Words in SQLite's errors about a file that may be fine a little later
TRANSIENT_WORDS = ("locked", "busy", "full", "disk i/o")


def make_open_error(url: URL, error: Exception) -> StoreError:
    """Make the StoreError for a database that can't be opened: an UnreachableError if that may pass by
    itself, a PrivilegeError if the role lacks a privilege. Its `url` and `error_code` are set.
    """
    code = get_error_code(error)
    line = _describe_open_error(url, error)
    if code == INSUFFICIENT_PRIVILEGE:
        store_error: StoreError = PrivilegeError(line)  # which writes the variable's name itself
    elif _may_pass_by_itself(url, error, code):
        store_error = UnreachableError(f"DATABASE_URL: {line}")
    else:
        store_error = StoreError(f"DATABASE_URL: {line}")
    store_error.url = url
    store_error.error_code = code or _get_system_error_name(error)
    return store_error


def _get_system_error_name(error: Exception) -> str:
    """Return the system's name of an error, such as ECONNREFUSED; empty if it has none."""
    if isinstance(error, socket.gaierror):
        return UNKNOWN_HOST  # one name for all failures of name resolution
    if isinstance(error, TimeoutError):
        return "ETIMEDOUT"  # asyncio's own timeouts have no number
    number = getattr(error, "errno", None) or 0
    return errno.errorcode.get(number, "")


def _may_pass_by_itself(url: URL, error: Exception, code: str) -> bool:
    """Whether a database that can't be opened for this error may be opened later without a change."""
    if url.get_backend_name() == "sqlite":
        message = str(getattr(error, "orig", error)).lower()
        return any(word in message for word in TRANSIENT_WORDS)
    if isinstance(error, ssl.SSLCertVerificationError) or code == READ_ONLY:
        return False
    if code.startswith(TRANSIENT_CODE_CLASSES) or isinstance(error, OSError):
        return True
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    # As of a connection that is lost; a ValueError is a mistake in the address
    return _is_from_driver(error) and not code and not isinstance(error, ValueError)


UNTRUSTED_CERTIFICATE = "its certificate can't be trusted"


def _describe_open_error(url: URL, error: Exception) -> str:
    """Return in one line, without the password, why the database can't be opened."""
    where = describe_location(url)
    if url.get_backend_name() != "sqlite":
        where = f"at {where}"
    if isinstance(error, DBAPIError):
        reason = str(error.orig)
    elif isinstance(error, ConnectionRefusedError):
        reason = "the connection was refused"  # the system's own words are about a call
    elif isinstance(error, ssl.SSLCertVerificationError):
        reason = f"{UNTRUSTED_CERTIFICATE}: {error.verify_message}"
    else:
        reason = getattr(error, "strerror", None) or logs.get_error_reason(error)
    lines = reason.splitlines() or [type(error).__name__]
    formatter = logs.RedactingFormatter([url.password or ""])
    return f"the database {where} can't be opened: {formatter.redact(lines[0])}"
