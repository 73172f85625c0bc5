"""A power cut: whatever is left of the log's end, the file opens and no update is half applied.

The test damages the log as a disk may damage unsynced writes: its end is cut off, torn within a page, or
garbled. A second test counts the system's syncs.
"""

import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url

from bot.database import Store, Tx
from bot.queue import queries
from bot.queue.outgoing import Outgoing
from tests.faults.conftest import ROOT, choose_amount, needs_sqlite_file, report

pytestmark = [pytest.mark.faults, needs_sqlite_file]

MOVES = 120  # Few enough to be in the log only, not yet in the file


def _write_move(tx: Tx, number: int) -> None:
    """Write an update and its effects in one transaction."""
    queries.insert_updates(tx, [queries.QueuedUpdate(number, -1, "x" * 400)], 1.0)
    queries.mark_done(tx, number, 2.0)
    queries.insert_request(tx, Outgoing(-1, "sendMessage", {"n": number}), 2.0)
    tx.execute(
        text("INSERT INTO meta VALUES ('n', :n) ON CONFLICT (key) DO UPDATE SET value = :n"), {"n": number}
    )


async def _write_database(database: Path) -> None:
    """Copy a database whose log holds MOVES transactions."""
    await (await Store.open(make_url(f"sqlite:///{database}"))).close()
    store = await Store.open(make_url(f"sqlite:///{database}"))
    for number in range(MOVES):
        await store.write(lambda tx: _write_move(tx, number))  # noqa: B023
    for suffix in ("", "-wal"):
        shutil.copy(f"{database}{suffix}", f"{database}.cut{suffix}")
    await store.close()


def _damage_log(log: bytes, rng: random.Random) -> bytes:
    """Return the log with its end cut off, torn or garbled."""
    at = rng.randrange(len(log))
    match rng.randrange(3):
        case 0:
            return log[:at]
        case 1:
            hole = rng.randrange(1, 4096)
            return log[:at] + bytes(hole) + log[at + hole :]
        case _:
            return log[:at] + rng.randbytes(len(log) - at)


def _count_moves(path: Path) -> int:
    """Return the number of transactions in the file; AssertionError if one is half applied."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        done = connection.execute("SELECT count(*) FROM inbox WHERE state = 'done'").fetchone()[0]
        assert connection.execute("SELECT count(*) FROM inbox").fetchone()[0] == done
        assert connection.execute("SELECT count(*) FROM outbox").fetchone()[0] == done
        last = connection.execute("SELECT value FROM meta WHERE key = 'n'").fetchone()
        assert (int(last[0]) + 1 if last else 0) == done
        return int(done)


def _cut_power(database: Path, to: Path, rng: random.Random) -> int:
    """Damage the log of a copy; return how many transactions are left."""
    to.write_bytes(Path(f"{database}.cut").read_bytes())
    log = Path(f"{database}.cut-wal").read_bytes()
    Path(f"{to}-wal").write_bytes(_damage_log(log, rng))
    Path(f"{to}-shm").unlink(missing_ok=True)
    return _count_moves(to)


async def test_power_cut_leaves_no_update_half_applied(database: Path, tmp_path: Path) -> None:
    await _write_database(database)
    rng, cuts = random.Random(5), choose_amount(2_000, 100)
    cut = tmp_path / "after.sqlite3"
    kept = [_cut_power(database, cut, rng) for _ in range(cuts)]
    store = await Store.open(make_url(f"sqlite:///{cut}"))
    await store.close()
    report(
        f"{cuts} power cuts: all open, none half applied; {min(kept)} to {max(kept)} of {MOVES} moves kept"
    )
    assert min(kept) < MOVES // 4
    assert max(kept) > MOVES * 3 // 4


WRITER = """
import asyncio, sys
from sqlalchemy import text
from sqlalchemy.engine import make_url
from bot.database import Store, sqlite

async def main(url, commits, level):
    sqlite.PRAGMAS = tuple(p if "synchronous" not in p else f"synchronous={level}" for p in sqlite.PRAGMAS)
    store = await Store.open(make_url(url))
    add = text("INSERT INTO meta VALUES (:n, :n)")
    for number in range(commits):
        await store.write(lambda tx: tx.execute(add, {"n": number}))
        print("committed", flush=True)

asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
"""


@pytest.mark.skipif(not shutil.which("strace"), reason="strace counts the syncs")
def test_commit_is_synced_before_it_returns(tmp_path: Path) -> None:
    commits = choose_amount(500, 50)
    unsynced = {
        level: _count_unsynced(tmp_path / f"{level}.sqlite3", commits, level) for level in ("FULL", "NORMAL")
    }
    report(f"{commits} commits: {unsynced['FULL']} reported before their sync; control: {unsynced['NORMAL']}")
    assert unsynced["FULL"] == 0
    assert unsynced["NORMAL"] > commits // 2


def _count_unsynced(database: Path, commits: int, level: str) -> int:
    """Return how many commits were reported without a sync since the one before."""
    trace = database.with_suffix(".trace")
    traced = ["strace", "-f", "-qq", "-e", "trace=fsync,fdatasync,write", "-o", str(trace)]
    writer = [sys.executable, "-c", WRITER, f"sqlite:///{database}", str(commits), level]
    subprocess.run([*traced, *writer], check=True, cwd=ROOT, capture_output=True)
    synced, unsynced = False, 0
    for line in trace.read_text("utf-8", "replace").splitlines():
        if "fsync(" in line or "fdatasync(" in line:
            synced = True
        elif 'write(1, "committed' in line:
            unsynced += not synced
            synced = False
    return unsynced
