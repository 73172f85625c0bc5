"""SQLite: shared commits, deleted data, and closing."""

import asyncio
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DatabaseError, IntegrityError, OperationalError

from bot.database import Tx, sqlite
from bot.database.errors import is_database_failure
from bot.database.sqlite import Sqlite
from bot.database.tx import Work

ROOT = Path(__file__).parent.parent.parent.parent


@pytest.fixture
async def base(tmp_path: Path) -> AsyncIterator[Sqlite]:
    opened = Sqlite(make_url(f"sqlite:///{tmp_path}/a.sqlite3"))
    await opened.open()
    await opened.write(lambda tx: tx.execute(text("CREATE TABLE names (name TEXT UNIQUE)")).close())
    yield opened
    await opened.close()


@asynccontextmanager
async def block_writer(base: Sqlite) -> AsyncIterator[None]:
    """Keep the writer's thread busy, so that queued transactions share the next commit."""
    release = threading.Event()
    busy = base._writer.call_soon(release.wait)
    try:
        yield
    finally:
        release.set()
        await busy


@pytest.fixture
def commits(base: Sqlite, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commits and rollbacks of the writer from here on."""
    seen: list[str] = []
    dialect = base._writer._engine.dialect
    commit, rollback = dialect.do_commit, dialect.do_rollback

    def committed(connection: Any) -> None:
        seen.append("commit")
        commit(connection)

    def rolled_back(connection: Any) -> None:
        seen.append("rollback")
        rollback(connection)

    monkeypatch.setattr(dialect, "do_commit", committed)
    monkeypatch.setattr(dialect, "do_rollback", rolled_back)
    return seen


def add(name: str, *, fails: bool = False) -> Work[str]:
    def work(tx: Tx) -> str:
        tx.execute(text("INSERT INTO names VALUES (:name)"), {"name": name})
        if fails:
            raise ZeroDivisionError(name)
        return name

    return work


def record_connections(base: Sqlite) -> list[Any]:
    """Return a list of the connections that are opened from here on."""
    opened: list[Any] = []
    event.listen(base._writer._engine, "connect", lambda connection, _: opened.append(connection))
    return opened


async def load_names(base: Sqlite) -> list[str]:
    return await base.read(lambda tx: list(tx.scalars(text("SELECT name FROM names ORDER BY rowid"))))


async def test_waiting_transactions_share_one_commit_in_order(base: Sqlite, commits: list[str]) -> None:
    async with block_writer(base):
        done = [base.write(add(f"{n}")) for n in range(64)]
    assert await asyncio.gather(*done) == [f"{n}" for n in range(64)]
    assert commits == ["commit"]
    assert await load_names(base) == [f"{n}" for n in range(64)]


@pytest.mark.parametrize("others", ["a", "ac"])
async def test_failing_transaction_rolls_back_no_other(base: Sqlite, commits: list[str], others: str) -> None:
    async with block_writer(base):
        done = [base.write(add(name, fails=name == "b")) for name in sorted(others + "b")]
    results = await asyncio.gather(*done, return_exceptions=True)
    assert results[::2] == list(others)
    assert isinstance(results[1], ZeroDivisionError)
    assert commits == ["rollback", "commit", "rollback", "commit"][: 1 + len(results)]
    assert await load_names(base) == list(others)


async def test_stop_iteration_in_a_transaction_reaches_the_caller(base: Sqlite) -> None:
    def work(_: Tx) -> int:
        return next(iter(()))

    for asked in (base.write(work), base.read(work)):
        with pytest.raises(RuntimeError, match="StopIteration"):
            await asyncio.wait_for(asked, 60)
    assert await base.write(lambda _: 7) == 7


async def test_error_quotes_no_values(base: Sqlite) -> None:
    await base.write(add("canary"))
    with pytest.raises(IntegrityError) as caught:
        await base.write(add("canary"))
    assert "canary" not in str(caught.value)


async def test_refused_statement_fails_its_own_transaction_only(base: Sqlite) -> None:
    async with block_writer(base):
        done = [base.write(add(name)) for name in ("a", "a", "b")]
    results = await asyncio.gather(*done, return_exceptions=True)
    assert [results[0], type(results[1]), results[2]] == ["a", IntegrityError, "b"]
    assert await load_names(base) == ["a", "b"]


async def test_cancelled_caller_does_not_stop_any_transaction(base: Sqlite) -> None:
    async with block_writer(base):
        done = [base.write(add(name)) for name in "abc"]
        done[1].cancel()
    await asyncio.wait(done)
    assert [future.cancelled() for future in done] == [False, True, False]
    assert await load_names(base) == ["a", "b", "c"]


async def test_all_fail_at_once_if_the_transaction_cannot_begin(base: Sqlite, tmp_path: Path) -> None:
    # One after the other, each would wait for the lock in vain.
    opened = record_connections(base)
    await base.write(lambda tx: tx.exec_driver_sql("PRAGMA busy_timeout=0").close())
    with closing(sqlite3.connect(tmp_path / "a.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        async with block_writer(base):
            done = [base.write(add(name)) for name in "abc"]
        results = await asyncio.gather(*done, return_exceptions=True)
    troubles = [isinstance(result, OperationalError) and is_database_failure(result) for result in results]
    assert troubles == [True] * 3
    assert opened == []
    assert await base.write(add("d")) == "d"
    assert await load_names(base) == ["d"]


async def test_failed_commit_fails_all_and_closes_the_connection(
    base: Sqlite, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = record_connections(base)
    dialect = base._writer._engine.dialect

    def broken(_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    def breaks(_: Tx) -> str:
        monkeypatch.setattr(dialect, "do_commit", broken)
        return ""

    async with block_writer(base):
        done = [base.write(add(name)) for name in "ab"]
        done.append(base.write(breaks))
    results = await asyncio.gather(*done, return_exceptions=True)
    monkeypatch.undo()
    troubles = [isinstance(result, OperationalError) and is_database_failure(result) for result in results]
    assert troubles == [True] * 3
    assert opened == []
    assert await base.write(add("c")) == "c"
    assert len(opened) == 1
    assert await load_names(base) == ["c"]


async def test_new_connection_has_the_same_pragmas(base: Sqlite) -> None:
    asked = ("journal_mode", "synchronous", "foreign_keys", "secure_delete", "busy_timeout")

    def pragmas(tx: Tx) -> list[Any]:
        return [tx.exec_driver_sql(f"PRAGMA {name}").scalar() for name in asked]

    assert await base.write(pragmas) == ["wal", 2, 1, 1, 5000]
    with suppress(ZeroDivisionError):
        await base.write(add("a", fails=True))
    assert await base.write(pragmas) == ["wal", 2, 1, 1, 5000]
    assert await base.read(pragmas) == ["wal", 2, 1, 1, 5000]


async def test_missing_file_is_opened_again_once_it_is_back(
    base: Sqlite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("unable to open database file")

    with suppress(ZeroDivisionError):
        await base.write(add("a", fails=True))
    with monkeypatch.context() as gone:
        gone.setattr(base._writer._engine.dialect, "connect", refused)
        for _ in range(2):
            with pytest.raises(OperationalError, match="unable to open"):
                await base.write(add("b"))
    assert await base.write(add("c")) == "c"
    assert await load_names(base) == ["c"]


async def test_read_sees_one_snapshot_beside_the_writer(base: Sqlite) -> None:
    loop, began, written = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

    def look(tx: Tx) -> tuple[Any, Any]:
        count = text("SELECT count(*) FROM names")
        before = tx.scalar(count)
        loop.call_soon_threadsafe(began.set)
        written.wait()
        return before, tx.scalar(count)

    looking = asyncio.create_task(base.read(look))
    await began.wait()
    await base.write(add("a"))
    written.set()
    assert await looking == (0, 0)
    assert await load_names(base) == ["a"]


async def test_cancelled_reads_block_no_others(base: Sqlite) -> None:
    loop, began, release = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

    def look(_: Tx) -> None:
        loop.call_soon_threadsafe(began.set)
        release.wait()

    slow = asyncio.create_task(base.read(look))
    await began.wait()
    slow.cancel()
    assert await asyncio.gather(*(load_names(base) for _ in range(20))) == [[]] * 20
    release.set()


async def test_failing_reads_use_up_no_reader(base: Sqlite) -> None:
    for _ in range(2 * sqlite.READERS):
        with pytest.raises(OperationalError, match="no such table"):
            await base.read(lambda tx: tx.scalar(text("SELECT 1 FROM nowhere")))
    assert await load_names(base) == []


async def test_closing_finishes_queued_transactions(base: Sqlite, tmp_path: Path) -> None:
    async with block_writer(base):
        done = [base.write(add(name)) for name in "ab"]
        closing = asyncio.create_task(base.close())
    await closing
    assert [await future for future in done] == ["a", "b"]
    with pytest.raises(ValueError, match="closed"):
        await base.write(add("c"))
    for _ in range(2 * sqlite.READERS):
        with pytest.raises(ValueError, match="closed"):
            await load_names(base)


async def test_closing_leaves_a_hanging_transaction_after_5_seconds(
    base: Sqlite, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: set[float] = set()
    wait = asyncio.wait

    async def at_once(futures: Any, timeout: float) -> Any:
        waited.add(timeout)
        return await wait(futures, timeout=0.0)

    async with block_writer(base):
        with monkeypatch.context() as hurried:
            hurried.setattr(asyncio, "wait", at_once)
            await base.close()
    assert waited == {5.0}
    for thread in (base._writer, *base._readers):
        assert thread._thread.daemon
        thread._thread.join()


async def test_missing_folder_is_created_private(tmp_path: Path) -> None:
    base = Sqlite(make_url(f"sqlite:///{tmp_path}/new/own/a.sqlite3"))
    await base.open()
    await base.close()
    assert stat.S_IMODE((tmp_path / "new" / "own").stat().st_mode) == 0o700


async def test_vacuum_removes_deleted_data_from_file_and_log(base: Sqlite, tmp_path: Path) -> None:
    # Free pages are given back, and the log holds no deleted row.
    file, log = tmp_path / "a.sqlite3", tmp_path / "a.sqlite3-wal"
    for n in range(100):
        await base.write(add(f"{n}" + "x" * 1000))
    await base.write(lambda tx: tx.execute(text("DELETE FROM names")).close())
    with suppress(ZeroDivisionError):
        await base.write(add("a", fails=True))
    await base.truncate_wal()
    assert log.stat().st_size == 0
    full = file.stat().st_size
    await base.vacuum()
    assert file.stat().st_size < full / 5
    assert log.stat().st_size == 0


HANGS = """
import asyncio, sys, threading
from sqlalchemy.engine import make_url
from bot.database import Store

async def main():
    store = await Store.open(make_url(sys.argv[1]))
    begun = threading.Event()
    asyncio.ensure_future(store._database.write(lambda tx: (begun.set(), threading.Event().wait())))
    await asyncio.to_thread(begun.wait)
    print("hangs", flush=True)

asyncio.run(main())
"""


@pytest.mark.long
def test_hanging_transaction_does_not_stop_the_exit(tmp_path: Path) -> None:
    hanging = [sys.executable, "-c", HANGS, f"sqlite:///{tmp_path}/h.sqlite3"]
    run = subprocess.run(hanging, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert (run.stdout, run.stderr) == ("hangs\n", "")


def test_failed_opening_leaves_no_thread_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A caller that gives up closes its event loop; a thread that answers later finds it closed.
    failed: list[object] = []
    monkeypatch.setattr(threading, "excepthook", failed.append)
    path = tmp_path / "garbage.sqlite3"
    path.write_bytes(b"no database " * 1000)
    before = set(threading.enumerate())

    async def given_up() -> None:
        database = Sqlite(make_url(f"sqlite:///{path}"))
        with pytest.raises(DatabaseError):
            await database.open()
        await database.close()

    for _ in range(20):
        asyncio.run(given_up())
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
    assert failed == []


@pytest.mark.long
async def test_closed_file_needs_no_log(tmp_path: Path) -> None:
    for number in range(40):
        database = Sqlite(make_url(f"sqlite:///{tmp_path}/{number}.sqlite3"))
        await database.open()
        await database.write(lambda tx: tx.execute(text("CREATE TABLE names (name TEXT)")).close())
        await database.close()
    assert list_other_files(tmp_path) == []


def list_other_files(folder: Path) -> list[str]:
    """Return the names of the files that are no databases."""
    return [path.name for path in folder.iterdir() if path.suffix != ".sqlite3"]


async def test_missing_or_replaced_file_is_noticed(base: Sqlite, tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite3"
    assert base.is_still_in_place()
    path.rename(tmp_path / "b.sqlite3")
    assert not base.is_still_in_place()
    path.touch()
    assert not base.is_still_in_place()
    path.unlink()
    (tmp_path / "b.sqlite3").rename(path)
    assert base.is_still_in_place()


@pytest.mark.exhaustive
@pytest.mark.long
async def test_log_stays_small_under_constant_writes(tmp_path: Path) -> None:
    # SQLite copies the log into the file in time; all rows are there afterwards.
    base = Sqlite(make_url(f"sqlite:///{tmp_path}/a.sqlite3"))
    await base.open()
    await base.write(lambda tx: tx.execute(text("CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB)")).close())
    log, largest = tmp_path / "a.sqlite3-wal", 0
    row = text("INSERT INTO t (b) VALUES (zeroblob(60000))")
    for _ in range(5000):
        await base.write(lambda tx: tx.execute(row).close())
        largest = max(largest, log.stat().st_size)
    assert await base.read(lambda tx: tx.scalar(text("SELECT count(*) FROM t"))) == 5000
    await base.truncate_wal()
    assert log.stat().st_size == 0
    await base.close()
    assert largest < 64 * 2**20
    assert not log.exists()
