"""Transactions: whole or not at all, whatever fails or is cancelled beside them."""

import asyncio
import logging
import os
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from dataclasses import replace
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
from bot.database.backup import BackupError, write_backup
from bot.database.sqlite import Sqlite
from bot.database.store import open_with_retries
from bot.queue import dead_letters, queries
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


def let_be_newer(tx: Tx) -> None:
    """As a newer version leaves the tables."""
    tx.execute(text("UPDATE alembic_version SET version_num = '9999'"))


async def names(store: Store) -> list[str]:
    ours = text("SELECT key FROM meta ORDER BY key")
    return await store.read(lambda tx: list(tx.scalars(ours)))


async def test_a_replaced_file_is_noticed(store: Store, tmp_path: Path) -> None:
    """Also where it is another one before anybody looks for the first time."""
    (tmp_path / "a.sqlite3").rename(tmp_path / "b.sqlite3")
    (tmp_path / "a.sqlite3").touch()
    assert not store.is_still_in_place()


async def test_a_failing_transaction_rolls_back_no_other(store: Store) -> None:
    """Transactions that are queued together share one commit."""
    moves = [
        store.write(lambda tx, n=n: (add_and_fail if n % 3 else add)(tx, f"{n}"))  # type: ignore[misc]
        for n in range(9)
    ]
    results = await asyncio.gather(*moves, return_exceptions=True)
    assert [isinstance(result, ZeroDivisionError) for result in results] == [bool(n % 3) for n in range(9)]
    assert await names(store) == ["0", "3", "6"]


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


async def test_a_failing_commit_callback_undoes_nothing(store: Store) -> None:
    def work(tx: Tx) -> None:
        add(tx, "a")
        call_after_commit(tx, lambda: 1 / 0)

    await store.write(work)
    assert await names(store) == ["a"]


@pytest.mark.long
@pytest.mark.parametrize("steps", range(6))
async def test_a_handler_cancelled_at_any_await_leaves_whole_transactions(store: Store, steps: int) -> None:
    async def handler() -> None:
        await names(store)
        await store.write(lambda tx: [add(tx, name) for name in ("a", "b")])  # type: ignore[func-returns-value]

    task = asyncio.create_task(handler())
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    kept = await names(store)
    assert kept in ([], ["a", "b"])
    await store.write(lambda tx: add(tx, "next"))
    assert await names(store) == [*kept, "next"]


async def test_a_full_disk_fails_the_whole_transaction_and_no_later_one(store: Store) -> None:
    pages = await store.write(lambda tx: tx.scalar(text("PRAGMA page_count")))
    await store.write(lambda tx: tx.execute(text(f"PRAGMA max_page_count = {pages}")).scalar())
    with pytest.raises(OperationalError, match="full") as caught:
        await store.write(lambda tx: [add(tx, f"{n:05}" + "x" * 900) for n in range(200)])  # type: ignore[func-returns-value]
    assert is_database_failure(caught.value)
    assert await names(store) == []
    await store.write(lambda tx: tx.execute(text("PRAGMA max_page_count = 100000")).scalar())
    await store.write(lambda tx: add(tx, "after"))
    assert await names(store) == ["after"]


async def test_a_database_has_one_bot(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="another bot"):
        await Store.open(make_url(f"sqlite:///{tmp_path}/a.sqlite3"))


async def test_a_file_is_never_taken_over(store: Store) -> None:
    waiting = asyncio.ensure_future(store.wait_until_taken_over())
    assert await asyncio.wait([waiting], timeout=0.0) == (set(), {waiting})
    waiting.cancel()


@pytest.mark.long
async def test_closing_releases_the_lock(store: Store, tmp_path: Path) -> None:
    url = make_url(f"sqlite:///{tmp_path}/a.sqlite3")
    await store.close()
    again = await Store.open(url)
    assert again.dialect == "sqlite"
    await again.close()


@pytest.mark.long
async def test_two_stores_may_be_open_without_lock(tmp_path: Path) -> None:
    url = make_url(f"sqlite:///{tmp_path}/b.sqlite3")
    first, second = [await Store.open(url, AccessMode.UNLOCKED) for _ in range(2)]
    await first.write(lambda tx: add(tx, "a"))
    assert await names(second) == ["a"]
    for one in (first, second):
        await one.close()


async def test_a_store_without_lock_reads_and_writes_beside_a_bot(store: Store, tmp_path: Path) -> None:
    beside = await Store.open_without_lock(make_url(f"sqlite:///{tmp_path}/a.sqlite3"))
    await beside.write(lambda tx: add(tx, "a"))
    assert await names(beside) == await names(store) == ["a"]
    await beside.close()


async def test_opening_without_lock_creates_nothing(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no database .*; DATABASE_URL names the one to use"):
        await Store.open_without_lock(make_url(f"sqlite:///{tmp_path}/none.sqlite3"))
    assert list(tmp_path.iterdir()) == []  # noqa: ASYNC240


async def test_opening_without_lock_refuses_another_version(store: Store, tmp_path: Path) -> None:
    await store.write(let_be_newer)
    with pytest.raises(StoreError, match="version"):
        await Store.open_without_lock(make_url(f"sqlite:///{tmp_path}/a.sqlite3"))


async def test_a_start_finds_a_damaged_page(store: Store, tmp_path: Path) -> None:
    url, file = make_url(f"sqlite:///{tmp_path}/a.sqlite3"), tmp_path / "a.sqlite3"
    asked = ("SELECT rootpage FROM sqlite_master WHERE name = 'awards'", "PRAGMA page_size")
    page, size = await store.read(lambda tx: [int(tx.scalar(text(one)) or 0) for one in asked])
    await store.truncate_wal()
    await store.close()
    pages = file.read_bytes()
    file.write_bytes(pages[: (page - 1) * size] + bytes(size) + pages[page * size :])
    with pytest.raises(StoreError, match=r"is damaged: Page [^\n]*; restore a backup"):
        await Store.open(url)


async def test_a_file_that_cannot_be_locked_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"DATABASE_URL: the database .* can't be opened: "):
        await Store.open(make_url(f"sqlite:///{tmp_path}/file/a.sqlite3"))


async def test_a_read_only_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = make_url(f"sqlite:///{tmp_path / 'games.sqlite3'}")
    await (await Store.open(url)).close()
    monkeypatch.setattr(os, "access", lambda *_: False)  # as it is for anybody but root
    with pytest.raises(StoreError, match=r"^DATABASE_URL: .*games\.sqlite3' can be read, but not written$"):
        await Store.open(url)


async def test_a_newer_schema_is_refused(store: Store, tmp_path: Path) -> None:
    await store.write(let_be_newer)
    await store.close()
    with pytest.raises(StoreError, match="newer"):
        await Store.open(make_url(f"sqlite:///{tmp_path}/a.sqlite3"))


async def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "b.sqlite3"
    file.write_bytes(b"SQLite format 3\x00" + bytes(range(256)) * 64)
    with pytest.raises(StoreError, match=r"b\.sqlite3"):
        await Store.open(make_url(f"sqlite:///{file}"))


async def test_another_programs_file_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "b.sqlite3"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE alien (id)")
    with pytest.raises(StoreError, match="another program's: its table 'alien' is not this bot's"):
        await Store.open(make_url(f"sqlite:///{file}"))
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("alien",)]


async def test_tables_of_litestream_are_no_hindrance(tmp_path: Path) -> None:
    """Litestream makes tables of its own."""
    file = tmp_path / "b.sqlite3"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)")
    await (await Store.open(make_url(f"sqlite:///{file}"))).close()


async def test_a_press_counts_once(store: Store) -> None:
    presses = [queries.QueuedUpdate(number, 1, "{}", press_hash="p") for number in (1, 2)]
    assert await store.write(lambda tx: queries.insert_updates(tx, presses, 1.0)) == presses[:1]
    assert await store.write(lambda tx: queries.insert_updates(tx, presses, 1.0)) == []


async def test_a_dead_letter_can_be_retried(store: Store) -> None:
    incoming = queries.QueuedUpdate(7, 1, "{}")
    await store.write(lambda tx: queries.insert_updates(tx, [incoming], 1.0))
    assert await store.write(lambda tx: queries.count_failure(tx, 7, "KeyError: 'date'")) == 1
    await store.write(lambda tx: queries.dead_letter_update(tx, 7, 2.0))
    assert [(d.id, d.reason) for d in await store.read(queries.load_dead_updates)] == [
        (7, "KeyError: 'date'")
    ]
    assert await store.write(lambda tx: dead_letters.retry_dead_letters(tx, ["u7"])) == 1
    assert await store.write(queries.requeue_marked) == ([replace(incoming, accepted_at=2.0)], [])
    assert await store.read(queries.load_waiting_updates) == [replace(incoming, accepted_at=2.0)]


async def test_a_backup_never_replaces_the_database_or_a_good_copy(store: Store, tmp_path: Path) -> None:
    url, copy = make_url(f"sqlite:///{tmp_path}/a.sqlite3"), tmp_path / "copy"
    with pytest.raises(BackupError, match="itself"):
        write_backup(url, tmp_path / "a.sqlite3")
    assert write_backup(url, copy) == copy.stat().st_size
    good = copy.read_bytes()
    with pytest.raises(BackupError, match="no database"):
        write_backup(make_url(f"sqlite:///{tmp_path}/none.sqlite3"), copy)
    with pytest.raises(BackupError, match="pg_dump"):
        write_backup(make_url("postgresql://u:secret@h/d"), copy)
    assert copy.read_bytes() == good


class Failing:
    """A database whose next calls end in these errors; then all is well."""

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


class Waiting(Failing):
    """A database that writes when it is told to."""

    def write(self, work: Callable[[str], object], *, urgent: bool = False) -> "asyncio.Future[object]":
        self.future: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        return self.future


@with_fake_time
async def test_a_cancelled_write_finishes_before_the_cancellation_is_raised() -> None:
    for outcome in (None, ZeroDivisionError()):
        database = Waiting()
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
async def test_a_failing_database_is_retried_every_half_second() -> None:
    store = Failing(BUSY, BUSY).store
    assert await store.write_with_retries(str) == "tx"
    assert now() - START == 1.0


@with_fake_time
async def test_an_error_of_the_transaction_itself_is_not_retried() -> None:
    store = Failing(ZeroDivisionError()).store
    with pytest.raises(ZeroDivisionError):
        await store.write_with_retries(str)
    assert now() == START


@with_fake_time
async def test_vacuum_of_a_busy_database_returns_false() -> None:
    assert not await Failing(LOCKED).store.vacuum()
    assert await Failing().store.vacuum()
    with pytest.raises(ZeroDivisionError):
        await Failing(ZeroDivisionError()).store.vacuum()


@with_fake_time
async def test_truncating_the_log_of_a_busy_database_does_nothing() -> None:
    await Failing(LOCKED).store.truncate_wal()
    failing = Failing(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        await failing.store.truncate_wal()
    assert failing.errors == []


@with_fake_time
async def test_closing_ignores_a_database_that_is_gone() -> None:
    for error in (BUSY, OSError()):
        await Failing(error).store.close()


@with_fake_time
async def test_a_takeover_by_another_bot_raises() -> None:
    failing = Failing()
    lost = asyncio.ensure_future(failing.store.wait_until_taken_over())
    await advance_time(100.0)
    assert not lost.done()
    failing.taken_over.set()
    with pytest.raises(StoreError, match="another bot already runs on this database now: it came while"):
        await lost


@pytest.mark.long
@pytest.mark.parametrize("is_starting", [True, False])
async def test_opening_waits_for_a_server_and_logs_that_it_starts(
    is_starting: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    genuine, refusals = Store.open, [UnreachableError("it starts", is_starting=is_starting)] * 2

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
