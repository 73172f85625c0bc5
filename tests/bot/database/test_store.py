"""The store: whole transactions, refused files, retries, and closing."""

import asyncio
import logging
import os
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import OperationalError

from bot.database import (
    AccessMode,
    Store,
    StoreError,
    Tx,
    UnreachableError,
    call_after_commit,
    is_database_failure,
)
from bot.database.errors import SERVER_STARTING
from bot.database.sqlite import Sqlite
from bot.database.store import open_with_retries
from tests.fake_time import START, advance_time, now, with_fake_time


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(make_url(f"sqlite:///{tmp_path}/a.sqlite3"))
    yield opened
    await opened.close()


def add(tx: Tx, name: str) -> None:
    tx.execute(text("INSERT INTO meta VALUES (:name, '')"), {"name": name})


def add_and_fail(tx: Tx, name: str) -> None:
    add(tx, name)
    raise ZeroDivisionError


async def load_names(store: Store) -> list[str]:
    ours = text("SELECT key FROM meta ORDER BY key")
    return await store.read(lambda tx: list(tx.scalars(ours)))


async def test_replaced_file_is_noticed(store: Store, tmp_path: Path) -> None:
    # Also if it is replaced before the first look.
    (tmp_path / "a.sqlite3").rename(tmp_path / "b.sqlite3")
    (tmp_path / "a.sqlite3").touch()
    assert not store.is_still_in_place()


async def test_commit_callbacks_run_once_and_not_after_a_rollback(store: Store) -> None:
    called = list[int]()

    def work(tx: Tx, number: int) -> None:
        call_after_commit(tx, lambda: called.append(number))
        (add_and_fail if number % 3 else add)(tx, f"{number}")

    moves = [store.write(lambda tx, n=n: work(tx, n)) for n in range(9)]  # type: ignore[misc]
    await asyncio.gather(*moves, return_exceptions=True)
    assert called == [0, 3, 6]
    await store.write(lambda tx: add(tx, "next"))
    assert called == [0, 3, 6]


async def test_failing_commit_callback_undoes_nothing(store: Store) -> None:
    def work(tx: Tx) -> None:
        add(tx, "a")
        call_after_commit(tx, lambda: 1 / 0)

    await store.write(work)
    assert await load_names(store) == ["a"]


@pytest.mark.long
@pytest.mark.parametrize("steps", range(6))
async def test_handler_cancelled_at_any_await_leaves_whole_transactions(store: Store, steps: int) -> None:
    async def handler() -> None:
        await load_names(store)
        await store.write(lambda tx: [add(tx, name) for name in ("a", "b")])  # type: ignore[func-returns-value]

    task = asyncio.create_task(handler())
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    kept = await load_names(store)
    assert kept in ([], ["a", "b"])
    await store.write(lambda tx: add(tx, "next"))
    assert await load_names(store) == [*kept, "next"]


async def test_full_disk_fails_the_whole_transaction_and_no_later_one(store: Store) -> None:
    pages = await store.write(lambda tx: tx.scalar(text("PRAGMA page_count")))
    await store.write(lambda tx: tx.execute(text(f"PRAGMA max_page_count = {pages}")).scalar())
    with pytest.raises(OperationalError, match="full") as caught:
        await store.write(lambda tx: [add(tx, f"{n:05}" + "x" * 900) for n in range(200)])  # type: ignore[func-returns-value]
    assert is_database_failure(caught.value)
    assert await load_names(store) == []
    await store.write(lambda tx: tx.execute(text("PRAGMA max_page_count = 100000")).scalar())
    await store.write(lambda tx: add(tx, "after"))
    assert await load_names(store) == ["after"]


async def test_database_has_one_bot(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="another bot"):
        await Store.open(make_url(f"sqlite:///{tmp_path}/a.sqlite3"))


async def test_store_without_lock_reads_and_writes_beside_a_bot(store: Store, tmp_path: Path) -> None:
    beside = await Store.open_without_lock(make_url(f"sqlite:///{tmp_path}/a.sqlite3"))
    await beside.write(lambda tx: add(tx, "a"))
    assert await load_names(beside) == await load_names(store) == ["a"]
    await beside.close()


async def test_opening_without_lock_creates_nothing(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no database .*; DATABASE_URL names the one to use"):
        await Store.open_without_lock(make_url(f"sqlite:///{tmp_path}/none.sqlite3"))
    assert list(tmp_path.iterdir()) == []  # noqa: ASYNC240


async def test_start_finds_a_damaged_page(store: Store, tmp_path: Path) -> None:
    url, file = make_url(f"sqlite:///{tmp_path}/a.sqlite3"), tmp_path / "a.sqlite3"
    asked = ("SELECT rootpage FROM sqlite_master WHERE name = 'awards'", "PRAGMA page_size")
    page, size = await store.read(lambda tx: [int(tx.scalar(text(one)) or 0) for one in asked])
    await store.truncate_wal()
    await store.close()
    pages = file.read_bytes()
    file.write_bytes(pages[: (page - 1) * size] + bytes(size) + pages[page * size :])
    with pytest.raises(StoreError, match=r"is damaged: Page [^\n]*; restore a backup"):
        await Store.open(url)


async def test_file_that_cannot_be_locked_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"DATABASE_URL: the database .* can't be opened: "):
        await Store.open(make_url(f"sqlite:///{tmp_path}/file/a.sqlite3"))


async def test_read_only_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = make_url(f"sqlite:///{tmp_path / 'games.sqlite3'}")
    await (await Store.open(url)).close()
    monkeypatch.setattr(os, "access", lambda *_: False)  # as it is for anybody but root
    with pytest.raises(StoreError, match=r"^DATABASE_URL: .*games\.sqlite3' can be read, but not written$"):
        await Store.open(url)


async def test_another_programs_file_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "b.sqlite3"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE alien (id)")
    with pytest.raises(StoreError, match="another program's: its table 'alien' is not this bot's"):
        await Store.open(make_url(f"sqlite:///{file}"))
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("alien",)]


async def test_tables_of_litestream_are_no_hindrance(tmp_path: Path) -> None:
    file = tmp_path / "b.sqlite3"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)")
    await (await Store.open(make_url(f"sqlite:///{file}"))).close()


class FailingDatabase:
    """A database whose next calls raise the errors; later calls succeed."""

    def __init__(self, *errors: BaseException) -> None:
        self.errors = list(errors)
        self.taken_over = asyncio.Event()

    def write(self, work: Callable[[str], object], *, urgent: bool = False) -> "asyncio.Future[object]":
        future = asyncio.get_running_loop().create_future()
        if self.errors:
            future.set_exception(self.errors.pop(0))
        else:
            future.set_result(work("tx"))
        return future

    async def truncate_wal(self) -> None:
        await self.write(str)

    vacuum = close = truncate_wal

    @property
    def store(self) -> Store:
        return Store(cast(Sqlite, self), None)


class WaitingDatabase(FailingDatabase):
    """A database that writes when its `future` is set."""

    def write(self, work: Callable[[str], object], *, urgent: bool = False) -> "asyncio.Future[object]":
        self.future: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        return self.future


@with_fake_time
async def test_cancelled_write_finishes_before_the_cancellation_is_raised() -> None:
    for outcome in (None, ZeroDivisionError()):
        database = WaitingDatabase()
        writing = asyncio.ensure_future(database.store.write(str))
        for _ in range(3):
            await advance_time(1.0)
            writing.cancel()
        await advance_time(1.0)
        assert not writing.done()
        if outcome:
            database.future.set_exception(outcome)
        else:
            database.future.set_result("tx")
        await advance_time()
        assert writing.cancelled()


LOCKED = sqlite3.OperationalError("database is locked")
BUSY = OperationalError("INSERT", {}, LOCKED)


@with_fake_time
async def test_failing_database_is_retried_every_half_second() -> None:
    store = FailingDatabase(BUSY, BUSY).store
    assert await store.write_with_retries(str) == "tx"
    assert now() - START == 1.0


@with_fake_time
async def test_error_of_the_transaction_itself_is_not_retried() -> None:
    store = FailingDatabase(ZeroDivisionError()).store
    with pytest.raises(ZeroDivisionError):
        await store.write_with_retries(str)
    assert now() == START


@with_fake_time
async def test_vacuum_of_a_busy_database_returns_false() -> None:
    assert not await FailingDatabase(LOCKED).store.vacuum()
    assert await FailingDatabase().store.vacuum()
    with pytest.raises(ZeroDivisionError):
        await FailingDatabase(ZeroDivisionError()).store.vacuum()


@with_fake_time
async def test_truncating_the_log_of_a_busy_database_does_nothing() -> None:
    await FailingDatabase(LOCKED).store.truncate_wal()
    failing = FailingDatabase(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        await failing.store.truncate_wal()
    assert failing.errors == []


@with_fake_time
async def test_closing_ignores_a_database_that_is_gone() -> None:
    for error in (BUSY, OSError()):
        await FailingDatabase(error).store.close()


@pytest.mark.long
@pytest.mark.parametrize("is_starting", [True, False])
async def test_opening_waits_for_a_server_and_logs_that_it_starts(
    is_starting: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    refusal = UnreachableError("it starts")
    refusal.error_code = SERVER_STARTING if is_starting else ""
    genuine, refusals = Store.open, [refusal] * 2

    async def refusing(database: URL, use: AccessMode) -> Store:
        if refusals:
            raise refusals.pop()
        return await genuine(database, use)

    monkeypatch.setattr(Store, "open", refusing)
    caplog.set_level(logging.WARNING)
    await (await open_with_retries(make_url(f"sqlite:///{tmp_path / 'games.sqlite3'}"))).close()
    assert caplog.messages == (["it starts; waiting for it"] if is_starting else [])


@with_fake_time
async def test_opening_gives_up_an_unreachable_server(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refusing(*_: object) -> Store:
        raise UnreachableError("nobody answers")

    monkeypatch.setattr(Store, "open", refusing)
    with pytest.raises(UnreachableError, match="nobody answers"):
        await open_with_retries(make_url("sqlite:///unused.sqlite3"))
    assert 3.0 < now() - START < 4.0
