"""A solve that never ends, a worker that is killed, a worker that takes all memory."""

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
from tests.faults.conftest import children, figure, show, within
from tests.faults.worker_tasks import awake, greedy, never, suicide

pytestmark = pytest.mark.faults

DEADLINE = 1.0
# As far apart as each other: what differences make of them is large as well.
LARGE = (999_983, 912_917, 833_341, 760_723, 694_391, 633_877, 578_603, 528_163, 482_117, 440_101)


@pytest.fixture
async def pool() -> AsyncIterator[SolverPool]:
    solving, answered = (
        SolverPool(2, DEADLINE, ("bot.games.twentyfour.dealing", "tests.faults.worker_tasks")),
        set[int](),
    )
    await find_solutions(solving, (3, 8, 3, 8), 24)
    while len(answered) < 2:
        answered |= set(await asyncio.gather(*(solving.run_task(awake) for _ in range(4))))
    yield solving
    await asyncio.to_thread(solving.close)


CORES = Path("/proc/thread-self/schedstat")


def queued() -> float:
    """Seconds for which this thread could have run while every core was taken, where the system counts it."""
    return int(CORES.read_text("utf-8").split()[1]) / 1e9 if CORES.exists() else 0.0


class Lag:
    """How late the event loop is for a timer of a few milliseconds, but for what others do on a core."""

    async def __aenter__(self) -> "Lag":
        self.seconds: list[float] = []
        self._task = asyncio.create_task(self._look())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()

    @property
    def p99(self) -> float:
        """Milliseconds."""
        return quantiles(self.seconds, n=100)[-1] * 1000

    async def _look(self) -> None:
        while True:
            began = time.perf_counter() - queued()
            await asyncio.sleep(0.005)
            self.seconds.append(time.perf_counter() - queued() - began - 0.005)


@pytest.mark.parametrize(
    ("task", "error"), [(never, TooSlowError), (greedy, WorkerLostError), (suicide, SolvingError)]
)
async def test_the_others_finish(
    pool: SolverPool, task: Callable[[], object], error: type[Exception]
) -> None:
    over: list[float] = []
    async with Lag() as idle:
        await asyncio.sleep(1)  # how late it is on this machine, as busy as it is, with nothing to do
    async with Lag() as lag:
        for _ in range(figure(20, 2)):
            began = time.perf_counter()
            bad = asyncio.create_task(pool.run_task(task))
            bad.add_done_callback(lambda _: over.append(time.perf_counter() - began - DEADLINE))  # noqa: B023
            good = await asyncio.gather(*(find_solutions(pool, (n, 8, 3, 8), 24) for n in range(1, 9)))
            assert all(found.complete for found in good)
            with pytest.raises(error):
                await bad
            found = await pool.run_task(list_solutions, (3, 8, 3, 8), 24)
            assert found.ideas == ("8/(3-8/3)",)
    memory = max(child.memory_info().rss for child in children(os.getpid())) / 2**20
    show(
        f"{task.__name__}: told {max(over):.2f} s after the deadline at most, the others answered; "
        f"loop lag p99 {lag.p99:.1f} ms (idle {idle.p99:.1f}), workers up to {memory:.0f} MiB afterwards"
    )
    assert max(over) < within(0.5)
    assert lag.p99 - idle.p99 < within(20)
    assert memory < 512


async def test_a_worker_killed_from_outside_takes_only_its_task(pool: SolverPool) -> None:
    before = {child.pid for child in children(os.getpid()) if "spawn_main" in " ".join(child.cmdline())}
    slow = [asyncio.create_task(pool.run_task(never, deadline=5)) for _ in range(2)]
    await asyncio.sleep(0.2)
    for pid in before:
        psutil.Process(pid).kill()
    began = time.perf_counter()
    for task in slow:
        with pytest.raises(SolvingError):  # lost, or at the latest too slow
            await asyncio.wait_for(task, 60)
    assert time.perf_counter() - began < within(20)
    assert (await find_solutions(pool, (3, 8, 3, 8), 24)).ideas
    show(f"{len(before)} workers killed: their tasks are told, and new ones answer")


async def test_a_search_that_finds_nothing_is_cut_short(pool: SolverPool) -> None:
    began = time.perf_counter()
    found = await find_solutions(pool, LARGE, 7)
    took = time.perf_counter() - began
    show(f"ten large numbers that lead nowhere: given up after {took:.2f} s")
    assert found == Solutions((), complete=False)
    assert took < within(2)
