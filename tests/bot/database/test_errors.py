"""Whose trouble an error of the system is."""

import asyncio
import socket
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from sqlalchemy.engine import make_url
from sqlalchemy.exc import InternalError

from bot.database import Store, storage_trouble
from bot.database.postgresql import Postgresql, Use


def date_of_no_time() -> None:
    datetime.fromtimestamp(-(10**18), UTC)


def missing_file() -> None:
    open("/nowhere/at/all")  # noqa: PTH123, SIM115


def too_late() -> None:
    raise TimeoutError


@pytest.mark.parametrize("fail", [date_of_no_time, missing_file, too_late])
async def test_what_a_handler_meets_is_not_the_databases(
    fail: Callable[[], None], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Else its update would be tried for ever, and its chat would stand still."""
    store = await Store.open(make_url(f"sqlite:///{tmp_path_factory.mktemp('store')}/a.sqlite3"))
    try:
        with pytest.raises((OSError, ValueError, OverflowError)) as alone:
            fail()
        with pytest.raises((OSError, ValueError, OverflowError)) as inside:
            await store.write(lambda _: fail())
    finally:
        await store.close()
    assert [storage_trouble(caught.value) for caught in (alone, inside)] == [False, False]


async def test_a_server_that_is_not_there_is_the_databases() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # bound, but nobody listens
        url = make_url(f"postgresql+asyncpg://nobody@127.0.0.1:{free.getsockname()[1]}/none")
        database = Postgresql(url, Use.BESIDE)
        with pytest.raises(OSError, match="Connect call failed") as caught:
            await database.read(lambda _: None)
        with pytest.raises(OSError, match="Connect call failed") as writing:
            await asyncio.wait_for(database.write(lambda _: None), 60)
        await database.close()
    assert storage_trouble(caught.value)
    assert storage_trouble(writing.value)


def test_a_connection_that_lost_its_way_is_the_databases_trouble() -> None:
    """What asyncpg says of one that was ended in the midst of a statement."""
    lost = Exception("cannot switch to state 15; another operation (2) is in progress")
    assert storage_trouble(InternalError("SELECT 1", {}, lost))
    assert not storage_trouble(InternalError("SELECT 1", {}, Exception("a function failed")))
