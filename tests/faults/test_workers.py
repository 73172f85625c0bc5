"""Solver workers whose task never ends, takes all memory or is killed."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from statistics import quantiles

import psutil
import pytest

from bot.games.twentyfour.dealing import Solutions, find_solutions, list_solutions
from bot.workers.pool import SolverPool, SolvingError, TooSlowError, WorkerLostError
from tests.faults.conftest import choose_amount, list_children, relax_limit, report
from tests.faults.worker_tasks import fill_memory, identify_worker, kill_worker, run_forever

pytestmark = pytest.mark.faults

DEADLINE = 1.0
# Large numbers with large differences.
LARGE = (999_983, 912_917, 833_341, 760_723, 694_391, 633_877, 578_603, 528_163, 482_117, 440_101)


@pytest.fixture
async def pool() -> AsyncIterator[SolverPool]:
    solving, answered = (
        SolverPool(2, DEADLINE, ("bot.games.twentyfour.dealing", "tests.faults.worker_tasks")),
        set[int](),
    )
    await find_solutions(solving, (3, 8, 3, 8), 24)
    while len(answered) < 2:
        answered |= set(await asyncio.gather(*(solving.run_task(identify_worker) for _ in range(4))))
    yield solving
    await asyncio.to_thread(solving.close)


CORES = Path("/proc/thread-self/schedstat")


def read_queue_time() -> float:
    """Return the seconds that this thread has waited for a free core; 0 if the system does not count them."""
    return int(CORES.read_text("utf-8").split()[1]) / 1e9 if CORES.exists() else 0.0


class LoopLag:
    """Delays of the event loop's timers, without the time waited for a free core."""

    async def __aenter__(self) -> "LoopLag":
        self.seconds: list[float] = []
        self._task = asyncio.create_task(self._measure())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()

    @property
    def p99(self) -> float:
        """Return the 99th percentile in milliseconds."""
        return quantiles(self.seconds, n=100)[-1] * 1000

    async def _measure(self) -> None:
        while True:
            began = time.perf_counter() - read_queue_time()
            await asyncio.sleep(0.005)
            self.seconds.append(time.perf_counter() - read_queue_time() - began - 0.005)


@pytest.mark.parametrize(
    ("task", "error"),
    [(run_forever, TooSlowError), (fill_memory, WorkerLostError), (kill_worker, SolvingError)],
)
async def test_failing_task_leaves_other_tasks_running(
    pool: SolverPool, task: Callable[[], object], error: type[Exception]
) -> None:
    over: list[float] = []
    async with LoopLag() as idle:
        await asyncio.sleep(1)  # the usual lag of this machine
    async with LoopLag() as lag:
        for _ in range(choose_amount(20, 2)):
            began = time.perf_counter()
            bad = asyncio.create_task(pool.run_task(task))
            bad.add_done_callback(lambda _: over.append(time.perf_counter() - began - DEADLINE))  # noqa: B023
            good = await asyncio.gather(*(find_solutions(pool, (n, 8, 3, 8), 24) for n in range(1, 9)))
            assert all(found.complete for found in good)
            with pytest.raises(error):
                await bad
            found = await pool.run_task(list_solutions, (3, 8, 3, 8), 24)
            assert found.ideas == ("8/(3-8/3)",)
    memory = max(child.memory_info().rss for child in list_children(os.getpid())) / 2**20
    report(
        f"{task.__name__}: told {max(over):.2f} s after the deadline at most, the others answered; "
        f"loop lag p99 {lag.p99:.1f} ms (idle {idle.p99:.1f}), workers up to {memory:.0f} MiB afterwards"
    )
    assert max(over) < relax_limit(0.5)
    assert lag.p99 - idle.p99 < relax_limit(20)
    assert memory < 512


async def test_killed_worker_fails_only_its_task(pool: SolverPool) -> None:
    before = {child.pid for child in list_children(os.getpid()) if "spawn_main" in " ".join(child.cmdline())}
    slow = [asyncio.create_task(pool.run_task(run_forever, deadline=5)) for _ in range(2)]
    await asyncio.sleep(0.2)
    for pid in before:
        psutil.Process(pid).kill()
    began = time.perf_counter()
    for task in slow:
        with pytest.raises(SolvingError):  # lost, or at the latest too slow
            await asyncio.wait_for(task, 60)
    assert time.perf_counter() - began < relax_limit(20)
    assert (await find_solutions(pool, (3, 8, 3, 8), 24)).ideas
    report(f"{len(before)} workers killed: their tasks are told, and new ones answer")


async def test_long_search_without_result_is_cut_short(pool: SolverPool) -> None:
    began = time.perf_counter()
    found = await find_solutions(pool, LARGE, 7)
    took = time.perf_counter() - began
    report(f"ten large numbers that lead nowhere: given up after {took:.2f} s")
    assert found == Solutions((), complete=False)
    assert took < relax_limit(2)
