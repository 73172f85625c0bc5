"""Workers of the pool: limits, deadlines, priorities, and replacement."""

import asyncio
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from bot.workers.pool import SolverPool, SolvingError, TooSlowError
from tests.metric_counter import MetricCounter

ANN, BOB = 1, 2


@pytest.fixture
async def pool() -> AsyncIterator[SolverPool]:
    one = SolverPool(1, 60.0, ["wave"])
    yield one
    await asyncio.to_thread(one.close)


def describe_process() -> tuple[object, ...]:
    """Return the limits of this process, and whether it has imported `wave`."""
    memory, _ = resource.getrlimit(resource.RLIMIT_AS)
    nicer = os.nice(0) - os.getpriority(os.PRIO_PROCESS, os.getppid())
    return memory, nicer, signal.getsignal(signal.SIGINT), "wave" in sys.modules


async def test_worker_has_limits_low_priority_and_ignores_ctrl_c(pool: SolverPool) -> None:
    waited, answered = (
        MetricCounter("solver_wait_seconds_count"),
        MetricCounter("solver_seconds_count", outcome="answered"),
    )
    assert await pool.run_task(describe_process) == (2**30, 5, signal.SIG_IGN, True)
    assert (waited.increase, answered.increase) == (1, 1)


async def test_late_task_is_stopped_and_its_worker_survives(pool: SolverPool) -> None:
    worker = await pool.run_task(os.getpid)
    slow, began = MetricCounter("solver_seconds_count", outcome="too slow"), time.monotonic()
    with pytest.raises(TooSlowError):
        await pool.run_task(time.sleep, 60, deadline=0.2)
    assert time.monotonic() - began < 2
    assert slow.increase == 1
    assert await pool.run_task(os.getpid) == worker


async def test_long_task_yields_and_is_started_again(pool: SolverPool) -> None:
    await pool.run_task(os.getpid)
    made_way = MetricCounter("solver_seconds_count", outcome="made way")
    search = asyncio.create_task(
        pool.for_asker(ANN).run_task(time.sleep, 1.0, is_long=True, deadline=30.0, queue_timeout=30.0)
    )
    await asyncio.sleep(0)
    await pool.for_asker(BOB).run_task(os.getpid)
    assert not search.done()
    await search
    assert made_way.increase == 1


async def test_killed_worker_is_replaced(pool: SolverPool) -> None:
    worker = await pool.run_task(os.getpid)
    psutil.Process(worker).kill()
    while True:
        try:
            assert await pool.run_task(os.getpid) != worker
            break
        except SolvingError:  # the killed worker had taken the task
            continue


@pytest.mark.long
async def test_stuck_workers_are_replaced(pool: SolverPool, caplog: pytest.LogCaptureFixture) -> None:
    worker = psutil.Process(await pool.run_task(os.getpid))
    worker.suspend()
    try:
        with pytest.raises(TooSlowError):
            await pool.run_task(os.getpid, deadline=0.1)
        assert caplog.messages == ["the solver's workers restart"]
        assert await pool.run_task(os.getpid) != worker.pid
    finally:
        worker.kill()


def test_close_kills_starting_workers() -> None:
    pool = SolverPool(2, 60.0)
    pool.start()
    while not (started := [p for p in psutil.Process().children() if "spawn_main" in " ".join(p.cmdline())]):
        time.sleep(0.001)
    pool.close()
    assert psutil.wait_procs(started, timeout=10)[1] == []


KILLED = """
import asyncio, os, signal
from bot.workers.pool import SolverPool

async def main():
    await SolverPool(1, 60.0).run_task(os.getpid)
    os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    asyncio.run(main())
"""


@pytest.mark.long
def test_killed_bot_leaves_no_output(tmp_path: Path) -> None:
    program = tmp_path / "killed.py"
    program.write_text(KILLED, "utf-8")
    ran = subprocess.run([sys.executable, program], capture_output=True, check=False, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (-signal.SIGKILL, b"", b"")
