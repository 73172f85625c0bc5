"""The log is folded beside the writer, a little between its transactions, not while somebody empties it."""

import asyncio
import logging
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url

from bot.database.sqlite import Sqlite
from bot.database.wal import WRITES, Folding


class Log:
    """A log that says what is done to it."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.go = asyncio.Event()
        self.go.set()
        self.folding = Folding(self.beside, self.between)

    async def beside(self) -> None:
        self.done.append("beside")
        await self.go.wait()

    async def between(self) -> None:
        self.done.append("between")

    async def written(self, times: int) -> list[str]:
        for _ in range(times):
            self.folding.written()
        for _ in range(5):
            await asyncio.sleep(0)
        return self.done


async def test_it_is_folded_now_and_then() -> None:
    log = Log()
    assert await log.written(WRITES - 1) == []
    assert await log.written(1) == ["beside", "between"]
    assert await log.written(WRITES) == ["beside", "between"] * 2


async def test_one_folds_at_a_time() -> None:
    log = Log()
    log.go.clear()
    assert await log.written(3 * WRITES) == ["beside"]
    log.go.set()
    assert await log.written(0) == ["beside", "between"]
    assert await log.written(1) == ["beside", "between"] * 2  # what came meanwhile is enough for the next


async def test_nothing_is_folded_while_somebody_empties_the_log() -> None:
    log = Log()
    log.go.clear()
    await log.written(WRITES)
    emptied, done = asyncio.Event(), asyncio.Event()

    async def empties() -> None:
        async with log.folding.held():
            emptied.set()
            await done.wait()

    first = asyncio.create_task(empties())
    gives_up = asyncio.create_task(empties())
    await log.written(WRITES)
    assert not emptied.is_set()
    gives_up.cancel()
    log.go.set()
    await emptied.wait()
    assert await log.written(2 * WRITES) == ["beside", "between"]
    done.set()
    await first
    assert await log.written(1) == ["beside", "between"] * 2


async def test_a_failure_leaves_it_to_the_next_time(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    async def fails() -> None:
        raise OSError(28, "secret words")

    folding = Folding(fails, fails)
    for _ in range(2):
        for _ in range(WRITES):
            folding.written()
        for _ in range(5):
            await asyncio.sleep(0)
    assert caplog.messages == ["the database's log is folded later: OSError"] * 2


@pytest.mark.long
async def test_the_log_stays_small_while_the_bot_never_rests(tmp_path: Path) -> None:
    """Twenty times as much is written as SQLite lets its log hold; all of it is there afterwards."""
    base = Sqlite(make_url(f"sqlite:///{tmp_path}/a.sqlite3"))
    await base.open()
    await base.write(lambda tx: tx.execute(text("CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB)")).close())
    log, largest = tmp_path / "a.sqlite3-wal", 0
    row = text("INSERT INTO t (b) VALUES (zeroblob(60000))")
    for _ in range(20 * WRITES):
        await base.write(lambda tx: tx.execute(row).close())
        largest = max(largest, log.stat().st_size)
    assert await base.read(lambda tx: tx.scalar(text("SELECT count(*) FROM t"))) == 20 * WRITES
    await base.settle()
    assert log.stat().st_size == 0
    await base.close()
    assert largest < 5 * WRITES * 60_000
    assert not log.exists()
