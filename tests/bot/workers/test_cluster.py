"""Long tasks on a cluster: a scheduler and a worker with two threads, as processes on loopback."""

import asyncio
import builtins
import logging
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from bot.metrics import REGISTRY
from bot.workers import cluster as module
from bot.workers.cluster import Cluster, LackingError
from bot.workers.pool import Pool, TooSlowError
from tests.clusters import ROOT, Farm, ended, farm, soon
from tests.counted import Counted


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farm]:
    with farm(tmp_path_factory.mktemp("farm")) as made:
        made.scheduler()
        made.worker(2)
        yield made


@asynccontextmanager
async def solving(cluster: Cluster) -> AsyncIterator[Pool]:
    """A pool with the cluster, whose connection is kept meanwhile."""
    pool = Pool(1, 60.0, cluster)
    staying = asyncio.create_task(cluster.stay())
    try:
        yield pool
    finally:
        staying.cancel()
        await asyncio.gather(staying, return_exceptions=True)
        await asyncio.to_thread(pool.close)


@pytest.fixture
async def pool(machines: Farm) -> AsyncIterator[Pool]:
    cluster = Cluster(machines.address)
    async with solving(cluster) as made:
        await soon(lambda: bool(cluster.threads), machines.said)
        yield made


async def parent(pool: Pool, **options: Any) -> int:
    """Whose child does a task."""
    return await pool.ask(os.getppid, long=True, **options)


@pytest.mark.long
async def test_long_tasks_go_there_and_short_ones_stay(pool: Pool) -> None:
    there = Counted("solver_seconds_count", outcome="answered", where="cluster")
    here = Counted("solver_seconds_count", outcome="answered", where="here")
    far = await parent(pool)
    assert psutil.Process(far).cmdline()[3] == "distributed.cli.dask_worker"
    assert (there.since, here.since) == (1, 0)
    assert await pool.ask(os.getppid) == os.getpid()
    assert (there.since, here.since) == (1, 1)
    assert REGISTRY.get_sample_value("twentyfour_cluster_threads") == 2


async def test_what_a_task_raises_is_raised_here(pool: Pool) -> None:
    with pytest.raises(ZeroDivisionError, match="division"):
        await pool.ask(divmod, 1, 0, long=True)


async def test_a_late_task_is_stopped_there(pool: Pool) -> None:
    slow = Counted("solver_seconds_count", outcome="too slow", where="cluster")
    with pytest.raises(TooSlowError):
        await pool.ask(time.sleep, 60, deadline=0.2, long=True)
    assert slow.since == 1


async def test_who_leaves_frees_the_thread(pool: Pool, machines: Farm) -> None:
    assert pool.cluster
    leaving = [
        asyncio.create_task(pool.of(n).ask(time.sleep, 600, deadline=900.0, long=True)) for n in (1, 2)
    ]
    slots = pool.cluster.turns.slots
    await soon(lambda: all(slots.is_at_work(n) for n in (1, 2)))
    for each in leaving:
        each.cancel()
    assert all(
        isinstance(e, asyncio.CancelledError) for e in await asyncio.gather(*leaving, return_exceptions=True)
    )
    both = await asyncio.gather(*(parent(pool.of(n)) for n in (1, 2)))
    assert os.getpid() not in both


@pytest.mark.long
async def test_people_take_turns_there(pool: Pool) -> None:
    """Of somebody's many tasks one is at work at a time, also where it is at work here."""
    order = list[int]()

    async def told(asker: int, seconds: float) -> None:
        await pool.of(asker).ask(time.sleep, seconds, long=True, patience=60.0)
        order.append(asker)

    flood = [asyncio.create_task(told(1, 0.3)) for _ in range(4)]
    await asyncio.sleep(0)
    await asyncio.gather(told(2, 0.0), told(3, 0.0), *flood)
    assert {*order[:3]} == {1, 2, 3}
    assert order[3:] == [1] * 3
    slots = pool._shared.turns.slots
    here = asyncio.create_task(pool.of(1).ask(time.sleep, 0.3))
    await soon(lambda: slots.is_at_work(1))
    await parent(pool.of(1))
    assert here.done()
    await here


async def test_who_waits_too_long_for_a_thread_is_told(pool: Pool) -> None:
    taken = [asyncio.create_task(pool.of(n).ask(time.sleep, 600, deadline=900.0, long=True)) for n in (1, 2)]
    assert pool.cluster
    slots = pool.cluster.turns.slots
    await soon(lambda: all(slots.is_at_work(n) for n in (1, 2)))
    with pytest.raises(TooSlowError, match="no worker"):
        await parent(pool.of(3), patience=0.05)
    for each in taken:
        each.cancel()
    await asyncio.gather(*taken, return_exceptions=True)


async def test_it_says_once_that_it_is_there(machines: Farm, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "bot")
    cluster = Cluster(machines.address)
    async with solving(cluster):
        await soon(lambda: bool(cluster.threads), machines.said)
    assert caplog.messages == [f"the cluster at {machines.address} does long tasks: 2 threads"]
    assert cluster.threads == 0
    assert cluster._client is None


@pytest.mark.long
async def test_without_a_scheduler_all_is_done_here(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    monkeypatch.setattr(module, "CONNECTED", 0.05)
    monkeypatch.setattr(module, "AGAIN", 0.01)
    with farm(tmp_path) as nobody:
        async with solving(Cluster(nobody.address)) as pool:
            await soon(lambda: bool(caplog.messages))
            assert await parent(pool) == os.getpid()
            await asyncio.sleep(0.3)  # several tries
    # what distributed itself logs of a try that was given up is its own matter
    (line,) = [record.getMessage() for record in caplog.records if record.name.startswith("bot.")]
    assert line.startswith(
        f"the cluster at {nobody.address} does nothing, long tasks are done here: it can't be"
    )


async def test_without_the_extra_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = builtins.__import__

    def lacking(name: str, *more: Any) -> Any:
        if name.startswith("distributed"):
            raise ImportError(name)
        return genuine(name, *more)

    monkeypatch.setattr(builtins, "__import__", lacking)
    with pytest.raises(LackingError):
        Cluster("tcp://127.0.0.1:1")


def beside(machines: Farm) -> list[psutil.Process]:
    """The processes of ours beside all its workers."""
    found = [child for process in machines.running() for child in process.children()]
    return [child for child in found if not ended(child) and "bot.workers.remote" in child.cmdline()]


@pytest.mark.long
async def test_what_a_worker_did_not_begin_is_done_here_until_it_does_again(
    machines: Farm, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "REST", 0.5)
    caplog.set_level(logging.INFO, "bot")
    cluster = Cluster(machines.address)
    async with solving(cluster) as pool:
        await soon(lambda: bool(cluster.threads), machines.said)
        await parent(pool)
        for child in beside(machines):
            child.kill()
        await soon(lambda: beside(machines) == [])
        assert await parent(pool) == os.getpid()
        assert cluster.threads == 0
        await soon(lambda: bool(cluster.threads), machines.said)
        assert await parent(pool) != os.getpid()
    there = f"the cluster at {machines.address} does long tasks: 2 threads"
    gone = (
        f"the cluster at {machines.address} does nothing, long tasks are done here: its workers begin no task"
    )
    assert caplog.messages == [there, f"{gone}: its process died before it began", there]


@pytest.mark.long
async def test_one_worker_that_begins_nothing_is_told_once_and_the_other_serves(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """Its Python is gone, as after an upgrade of the machine."""
    monkeypatch.setattr(module, "REST", 0.05)
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "sitecustomize.py").write_text("import sys; sys.executable = '/nowhere/python'")
    with farm(tmp_path) as machines:
        machines.scheduler()
        machines.worker(2, path=f"{tmp_path / 'odd'}{os.pathsep}{ROOT}")
        members = await Cluster(machines.address).survey()
        assert [one.failed for one in members] == ["no process can be started: No such file or directory"]
        cluster = Cluster(machines.address)
        async with solving(cluster) as pool:
            await soon(lambda: bool(cluster.threads), machines.said)
            machines.worker(1)
            await soon(lambda: cluster.threads == 3, machines.said)
            assert await parent(pool) == os.getpid()
            assert cluster.threads == 1
            (odd,) = [one for one in cluster._members if one.failed]
            await soon(lambda tried=odd.rests_until: odd.rests_until > tried)  # type: ignore[misc]
            assert await parent(pool) != os.getpid()
    (line,) = caplog.messages
    why = "no process can be started: No such file or directory"
    assert (
        line == f"a worker of the cluster at {machines.address} does nothing for now: {why} ({odd.address})"
    )


@pytest.mark.long
async def test_a_survey_changes_nothing(machines: Farm) -> None:
    members = await Cluster(machines.address).survey()
    assert (members.threads, members.trouble) == (2, "")


@pytest.mark.long
def test_nothing_of_dask_is_imported_unasked() -> None:
    script = "import bot.workers.pool, sys; print({'dask', 'distributed'} & {*sys.modules})"
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert run.stdout.strip() == "set()"
