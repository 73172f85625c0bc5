"""Classification of database errors."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime

import pytest
from asyncpg import (  # type: ignore[import-untyped]
    AdminShutdownError,
    ConnectionDoesNotExistError,
    InterfaceError,
    InternalClientError,
)
from sqlalchemy import text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    DBAPIError,
    InternalError,
    InvalidRequestError,
    OperationalError,
    ProgrammingError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as SqlTimeoutError

from bot.database import PrivilegeError, Store, Tx, UnreachableError, describe_error, is_database_failure
from bot.database.errors import SERVER_STARTING, UNKNOWN_HOST, make_open_error
from bot.database.postgresql import AccessMode, Postgresql
from tests.bot.postgres import create_role, migrated_database, run_as_owner


def raise_overflow() -> None:
    datetime.fromtimestamp(-(10**18), UTC)


def raise_missing_file() -> None:
    open("/nowhere/at/all")  # noqa: PTH123, SIM115


def raise_timeout() -> None:
    raise TimeoutError


@pytest.mark.parametrize("fail", [raise_overflow, raise_missing_file, raise_timeout])
async def test_errors_in_a_handler_are_no_database_failure(
    fail: Callable[[], None], tmp_path_factory: pytest.TempPathFactory
) -> None:
    # A database failure is retried for ever, and the chat would stand still.
    store = await Store.open(make_url(f"sqlite:///{tmp_path_factory.mktemp('store')}/a.sqlite3"))
    try:
        with pytest.raises((OSError, ValueError, OverflowError)) as alone:
            fail()
        with pytest.raises((OSError, ValueError, OverflowError)) as inside:
            await store.write(lambda _: fail())
    finally:
        await store.close()
    assert [is_database_failure(caught.value) for caught in (alone, inside)] == [False, False]


async def test_missing_server_is_a_database_failure() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # bound, but nobody listens
        url = make_url(f"postgresql+asyncpg://nobody@127.0.0.1:{free.getsockname()[1]}/none")
        database = Postgresql(url, AccessMode.UNLOCKED)
        with pytest.raises(OSError, match="Connect call failed") as caught:
            await database.read(lambda _: None)
        with pytest.raises(OSError, match="Connect call failed") as writing:
            await asyncio.wait_for(database.write(lambda _: None), 60)
        await database.close()
    assert is_database_failure(caught.value)
    assert is_database_failure(writing.value)


def test_connection_out_of_sync_is_a_database_failure() -> None:
    # asyncpg raises this for a connection that was ended within a statement.
    lost = Exception("cannot switch to state 15; another operation (2) is in progress")
    assert is_database_failure(InternalError("SELECT 1", {}, lost))
    assert not is_database_failure(InternalError("SELECT 1", {}, Exception("a function failed")))


@pytest.mark.parametrize(
    "lost",
    [
        ConnectionDoesNotExistError("connection was closed in the middle of operation"),
        AdminShutdownError("terminating connection due to administrator command"),
        InternalClientError("got result for unknown protocol state 3"),
        InterfaceError("connection is closed"),
    ],
)
def test_connection_lost_while_connecting_is_a_database_failure(lost: Exception) -> None:
    # The first questions of a connection go to the driver, whose errors SQLAlchemy does not wrap.
    assert is_database_failure(lost)
    assert isinstance(make_open_error(SERVER, lost), UnreachableError)


# A server on which somebody works meanwhile


@pytest.fixture
async def url() -> AsyncIterator[URL]:
    async with migrated_database() as made:
        await (await Store.open(made)).close()
        yield made


def _write(tx: Tx) -> None:
    tx.execute(text("INSERT INTO meta VALUES ('a', '')"))


async def collect_errors(store: Store) -> list[Exception]:
    """Return the errors of a read and a write."""
    found = await asyncio.gather(
        store.read(lambda tx: tx.execute(text("SELECT 1 FROM meta")).all()),
        store.write(_write),
        return_exceptions=True,
    )
    return [error for error in found if isinstance(error, SQLAlchemyError)]


async def test_database_closed_to_all_connections_is_a_failure(url: URL) -> None:
    server, name = url.set(database="postgres"), url.database
    end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname"
    await run_as_owner(server, f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
    store = Postgresql(url, AccessMode.UNLOCKED)
    try:
        with pytest.raises(SQLAlchemyError) as caught:
            await store.read(lambda _: None)
    finally:
        await store.close()
        await run_as_owner(server, f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true', f"{end} = '{name}'")
    assert is_database_failure(caught.value)
    expected = f'Error: database "{name}" is not currently accepting connections'
    assert describe_error(caught.value) == expected


@pytest.mark.long
@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        (["ALTER TABLE meta RENAME TO former"], 'relation "meta" does not exist'),
        (["DROP SCHEMA public CASCADE"], 'relation "meta" does not exist'),
        (['REVOKE ALL ON meta FROM "{role}"'], "permission denied for table meta"),
    ],
    ids=["no table", "no tables at all", "no right to it"],
)
async def test_tables_missing_during_a_restore_are_a_database_failure(
    url: URL, statements: Sequence[str], expected: str
) -> None:
    # Otherwise updates of that time would become dead letters.
    async with create_role(url) as mine:
        await run_as_owner(url, f'GRANT ALL ON ALL TABLES IN SCHEMA public TO "{mine.username}"')
        store = await Store.open_without_lock(mine)
        await run_as_owner(url, *(statement.format(role=mine.username) for statement in statements))
        errors = await collect_errors(store)
        await store.close()
    assert [is_database_failure(error) for error in errors] == [True, True]
    assert {describe_error(error) for error in errors} == {f"ProgrammingError: {expected}"}


@pytest.mark.parametrize("state", ["57014", "XX001", "40003", "53100", "25006", "55000", "F0000"])
def test_other_codes_are_database_failures(state: str) -> None:
    # Otherwise an acknowledged update would be lost or become a dead letter.
    error = Exception("odd")
    error.sqlstate = state  # type: ignore[attr-defined]
    assert is_database_failure(ProgrammingError("INSERT", {}, error))


@pytest.mark.parametrize("state", ["42601", "42703", "22P02", "23505", "54000"])
def test_invalid_statements_are_no_database_failure(state: str) -> None:
    error = Exception("odd")
    error.sqlstate = state  # type: ignore[attr-defined]
    assert not is_database_failure(ProgrammingError("SELECT", {}, error))


# Why a database can't be opened

SERVER = make_url("postgresql+asyncpg://ann:secret@db/games")
FILE = make_url("sqlite:////var/lib/a.sqlite3")


def make_server_error(state: str, said: str = "no", *, lost: bool = False) -> DBAPIError:
    """Return the error of a server with this code; `lost`: the connection is gone too."""
    origin = Exception(said)
    origin.sqlstate = state  # type: ignore[attr-defined]
    return DBAPIError("SELECT", {}, origin, connection_invalidated=lost)


@pytest.mark.parametrize(
    ("url", "error", "passes"),
    [
        (SERVER, make_server_error("57P03"), True),
        (SERVER, make_server_error("53300"), True),
        (SERVER, make_server_error("08006"), True),
        (SERVER, make_server_error("", lost=True), True),
        (SERVER, ConnectionRefusedError(111, "Connect call failed"), True),
        (SERVER, make_server_error("28P01"), False),
        (SERVER, make_server_error("3D000"), False),
        (SERVER, make_server_error("25006", lost=True), False),
        (FILE, OperationalError("SELECT", {}, Exception("database is locked")), True),
        (FILE, OperationalError("SELECT", {}, Exception("file is not a database")), False),
    ],
)
def test_passing_errors_on_opening_are_unreachable_errors(url: URL, error: Exception, passes: bool) -> None:
    refused = make_open_error(url, error)
    assert isinstance(refused, UnreachableError) is passes
    where = "'/var/lib/a.sqlite3'" if url is FILE else "at db:5432"
    assert str(refused).startswith(f"DATABASE_URL: the database {where} can't be opened: ")


@pytest.mark.parametrize(("state", "coming_up"), [("57P03", True), ("57P01", False)])
def test_starting_server_is_recognised(state: str, coming_up: bool) -> None:
    refused = make_open_error(SERVER, make_server_error(state))
    assert isinstance(refused, UnreachableError)
    assert (refused.error_code == SERVER_STARTING) is coming_up


def test_open_error_is_one_line_without_password() -> None:
    refused = make_open_error(
        SERVER, make_server_error("28P01", "no secretary with password='secret'\nHINT: another")
    )
    assert str(refused).endswith("can't be opened: no secretary with password='[secret]'")


@pytest.mark.parametrize(
    ("error", "state", "expected"),
    [
        (make_server_error("28P01", "no"), "28P01", "no"),
        (make_server_error("42501", "no"), "42501", "no"),
        (ConnectionRefusedError(111, "Connect call failed"), "ECONNREFUSED", "the connection was refused"),
        (socket.gaierror(-2, "Name or service not known"), UNKNOWN_HOST, "Name or service not known"),
        (TimeoutError(), "ETIMEDOUT", "timed out"),
        (OSError("what no system says"), "", "what no system says"),
    ],
)
def test_open_error_has_a_code(error: Exception, state: str, expected: str) -> None:
    refused = make_open_error(SERVER, error)
    assert (refused.error_code, str(refused).rpartition("can't be opened: ")[2]) == (state, expected)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (TimeoutError(), "timed out"),
        (make_server_error("40001", "no\nmore"), "Exception: no"),
        (SqlTimeoutError("none is free"), "TimeoutError: none is free"),
    ],
)
def test_error_is_described_in_one_line(error: Exception, expected: str) -> None:
    assert describe_error(error) == expected


def test_missing_privilege_is_a_privilege_error() -> None:
    assert isinstance(make_open_error(SERVER, make_server_error("42501")), PrivilegeError)


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        (SqlTimeoutError("QueuePool limit reached, connection timed out, timeout 30.00"), True),
        (InvalidRequestError("a session is closed"), False),
    ],
)
def test_exhausted_pool_is_a_database_failure(error: Exception, trouble: bool) -> None:
    assert is_database_failure(error) is trouble
