"""A cluster whose parts are killed, frozen, late or odd: every task is answered all the same."""

import asyncio
import os
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import combinations_with_replacement
from pathlib import Path
from random import Random

import psutil
import pytest

from bot.games.twentyfour.dealing import list_solutions
from bot.workers.cluster import Cluster
from bot.workers.pool import Pool, TooSlowError
from solver import __version__
from tests.clusters import ROOT, Farm, ended, farm, frozen, parent_after, soon
from tests.faults.conftest import Process, Started, figure, show
from tests.telegram import BotApi, World

pytestmark = pytest.mark.faults

DEADLINE = 60.0
"""Seconds: long enough for whatever a busy machine takes to begin anew."""


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Farm]:
    with farm(tmp_path) as made:
        yield made


@asynccontextmanager
async def solving(machines: Farm, workers: int = 1) -> AsyncIterator[Pool]:
    """A bot's pool; its cluster may not be there yet."""
    cluster = Cluster(machines.address)
    pool = Pool(workers, DEADLINE, cluster)
    pool.start()
    staying = asyncio.create_task(cluster.stay())
    try:
        yield pool
    finally:
        began = time.monotonic()
        staying.cancel()
        await asyncio.gather(staying, return_exceptions=True)
        await asyncio.to_thread(pool.close)
        assert time.monotonic() - began < 10


async def threads(pool: Pool, machines: Farm, count: int) -> float:
    """Wait until the cluster has so many; how many seconds that took."""
    cluster, began = pool.cluster, time.monotonic()
    assert cluster
    await soon(lambda: cluster.threads == count, machines.said)
    return time.monotonic() - began


async def at_work(pool: Pool, asker: int = 7) -> None:
    """Wait until one of theirs has begun there."""
    cluster = pool.cluster
    assert cluster
    await soon(lambda: cluster.turns.slots.is_at_work(asker))
    await asyncio.sleep(0.3)  # on its way, or in the midst of it: both have to be survived


def long(pool: Pool, seconds: float, asker: int = 7) -> asyncio.Task[int]:
    return asyncio.create_task(pool.of(asker).ask(parent_after, seconds, long=True))


async def test_a_worker_killed_in_mid_task(machines: Farm) -> None:
    machines.scheduler()
    async with solving(machines) as pool:
        for _ in range(figure(10, 1)):
            worker = machines.worker()
            await threads(pool, machines, 1)
            assert await long(pool, 0.0) == worker.pid
            (child,) = [c for c in worker.children() if "bot.workers.remote" in c.cmdline()]
            task = long(pool, 1.0)
            await at_work(pool)
            began = time.monotonic()
            worker.kill()
            worker.wait()
            assert await task == os.getpid()
            took = time.monotonic() - began
            await soon(lambda c=child: ended(c))  # type: ignore[misc]
    show(f"kill -9 of the worker: its task was answered here {took:.1f} s later, and its process is gone")


async def test_a_worker_under_a_nanny_is_replaced(machines: Farm) -> None:
    machines.scheduler()
    nanny = machines.worker(2, nanny=True)
    async with solving(machines) as pool:
        await threads(pool, machines, 2)
        first = await long(pool, 0.0)
        assert first in {child.pid for child in nanny.children()}
        task = long(pool, 1.0)
        await at_work(pool)
        psutil.Process(first).kill()
        assert await task == os.getpid()
        await threads(pool, machines, 2)
        assert await long(pool, 0.0) not in {first, os.getpid()}


async def test_a_scheduler_that_is_killed_and_started_anew(machines: Farm) -> None:
    scheduler = machines.scheduler()
    machines.worker()
    async with solving(machines) as pool:
        for _ in range(figure(5, 1)):
            await threads(pool, machines, 1)
            task = long(pool, 1.0)
            await at_work(pool)
            began = time.monotonic()
            scheduler.kill()
            scheduler.wait()
            assert await task == os.getpid()
            took = time.monotonic() - began
            await threads(pool, machines, 0)
            assert await long(pool, 0.0) == os.getpid()
            scheduler = machines.scheduler()
            worker = machines.worker()
            back = await threads(pool, machines, 1)
            assert await long(pool, 0.0) == worker.pid
    show(
        f"scheduler killed: its task was answered here {took:.1f} s later; a new one used after {back:.1f} s"
    )


async def test_a_scheduler_that_stands_still(machines: Farm) -> None:
    scheduler = machines.scheduler()
    worker = machines.worker()
    async with solving(machines) as pool:
        for _ in range(figure(5, 1)):
            await threads(pool, machines, 1)
            task = long(pool, 0.5)
            await at_work(pool)
            with frozen(scheduler):
                noticed = await threads(pool, machines, 0)
                assert await task in {os.getpid(), worker.pid}  # it may have been done before
                began = time.monotonic()
                assert await long(pool, 0.0) == os.getpid()
                assert time.monotonic() - began < 10
            back = await threads(pool, machines, 1)
            assert await long(pool, 0.0) == worker.pid
    show(f"scheduler frozen: noticed after {noticed:.1f} s; used again {back:.1f} s after it woke up")
    assert noticed < 5


async def test_a_worker_that_stands_still(machines: Farm) -> None:
    machines.scheduler()
    worker, other = machines.worker(), machines.worker()
    async with solving(machines) as pool:
        await threads(pool, machines, 2)
        tasks = [long(pool, 2.0, asker) for asker in (1, 2)]
        await at_work(pool, 1)
        await at_work(pool, 2)
        with frozen(worker):
            noticed = await threads(pool, machines, 1)
            assert sorted(await asyncio.gather(*tasks)) == sorted([os.getpid(), other.pid])
            assert await long(pool, 0.0) == other.pid
        await threads(pool, machines, 2)
    show(f"worker frozen: noticed after {noticed:.1f} s; its task was answered here, the other's there")
    assert noticed < 8


async def test_the_bot_does_not_wait_for_its_cluster(machines: Farm) -> None:
    async with solving(machines) as pool:
        began = time.monotonic()
        assert await long(pool, 0.0) == os.getpid()
        assert time.monotonic() - began < 20  # a busy machine starts processes slowly
        machines.scheduler()
        assert await long(pool, 0.0) == os.getpid()
        worker = machines.worker()
        took = await threads(pool, machines, 1)
        assert await long(pool, 0.0) == worker.pid
    show(f"a cluster started after the bot: used {took:.1f} s later")


def other_version(folder: Path) -> str:
    """Our packages as another release has them."""
    shutil.copytree(ROOT / "solver", folder / "solver", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "bot").symlink_to(ROOT / "bot")
    door = folder / "solver" / "__init__.py"
    door.write_text(door.read_text("utf-8").replace(f'"{__version__}"', '"99.0"'), "utf-8")
    return str(folder)


async def test_workers_without_the_package_or_with_another_version_get_nothing(
    machines: Farm, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    machines.scheduler()
    (tmp_path / "other").mkdir()
    machines.worker(4, path="")
    machines.worker(4, path=other_version(tmp_path / "other"))
    async with solving(machines) as pool:
        await soon(lambda: "99.0" in caplog.text, machines.said)
        assert await long(pool, 0.0) == os.getpid()
        worker = machines.worker()
        await threads(pool, machines, 1)
        assert await long(pool, 0.0) == worker.pid
    assert caplog.messages[-1].endswith(
        f"its workers need version {__version__} of twentyfour and have none, version 99.0"
    )


async def test_nobody_waits_for_another_ones_flood(machines: Farm) -> None:
    machines.scheduler()
    machines.worker()
    order = list[int]()

    async def asks(pool: Pool, asker: int) -> None:
        await pool.of(asker).ask(parent_after, 0.05, long=True, patience=DEADLINE)
        order.append(asker)

    async with solving(machines) as pool:
        await threads(pool, machines, 1)
        flood = [asyncio.create_task(asks(pool, 1)) for _ in range(20)]
        await at_work(pool, 1)
        done = len(order)
        await asks(pool, 2)
        assert order.index(2) <= done + 1
        await asyncio.gather(*flood)
    show(f"one asks 20 times, another once: served {order.index(2) - done + 1}. of those that were left")


async def test_answers_are_the_same(machines: Farm) -> None:
    machines.scheduler()
    machines.worker(2)
    hands = Random(24).sample(list(combinations_with_replacement(range(1, 14), 4)), figure(1820, 60))
    async with solving(machines) as pool:
        await threads(pool, machines, 2)
        here = Pool(1, DEADLINE)
        for hand in hands:
            there = await pool.ask(list_solutions, hand, 24, long=True)
            assert there == await here.ask(list_solutions, hand, 24)
        await asyncio.to_thread(here.close)
    show(f"{len(hands)} hands: the same ideas in the same order")


async def test_a_late_task_is_told_in_time(machines: Farm) -> None:
    machines.scheduler()
    machines.worker()
    async with solving(machines) as pool:
        await threads(pool, machines, 1)
        await long(pool, 0.0)
        began = time.monotonic()
        with pytest.raises(TooSlowError):
            await pool.ask(parent_after, 60, long=True, deadline=1.0)
        took = time.monotonic() - began
    show(f"a deadline of 1 s on the cluster: told after {took:.2f} s")
    assert took < 3


@pytest.mark.parametrize("processes", [True, False], ids=["processes", "threads"])
async def test_a_local_cluster(processes: bool) -> None:
    """As somebody starts one in a notebook."""
    from distributed import LocalCluster

    from bot.workers import remote

    options = {
        "processes": processes,
        "dashboard_address": "127.0.0.1:0",
        "host": "127.0.0.1",
        "protocol": "tcp://",
    }
    local = LocalCluster(n_workers=1, threads_per_worker=2, asynchronous=True, **options)  # type: ignore[no-untyped-call]
    async with local:
        cluster = Cluster(local.scheduler_address)
        pool = Pool(1, DEADLINE, cluster)
        staying = asyncio.create_task(cluster.stay())
        await soon(lambda: cluster.threads == 2)
        found = await asyncio.gather(
            *(pool.of(n).ask(list_solutions, (3, 8, 3, 8), 24, long=True) for n in (1, 2))
        )
        assert [one.ideas for one in found] == [("8/(3-8/3)",)] * 2
        staying.cancel()
        await asyncio.gather(staying, return_exceptions=True)
        await asyncio.to_thread(pool.close)
    remote.close()


TRACEBACK = "Traceback (most recent call last)"


async def test_the_whole_bot(bot: Started, machines: Farm) -> None:
    """`/solve` goes there, and here when that is gone; the bot is well all the time, and stops at once."""
    world = World()
    ann = world.user("Ann")
    scheduler = machines.scheduler()
    machines.worker(2)
    async with BotApi(world) as api:
        process = bot(world, api.url, SOLVER_SCHEDULER=machines.address)
        process.start()
        await process.says("does long tasks: 2 threads")
        await process.says("is ready")
        world.say(ann, ann, "/solve 3 8 3 8")
        await world.next_post(ann, "8/(3-8/3)")
        assert "Run out-of-band function" in machines.said()
        assert "cluster: 2 threads" not in process.said()
        scheduler.kill()
        scheduler.wait()
        await process.says("does nothing, long tasks are done here")
        world.say(ann, ann, "/solve 1 5 5 5")
        await world.next_post(ann, "5*(5-1/5)")
        machines.scheduler()
        machines.worker()
        await process.repeats("does long tasks", 2)
        began = time.monotonic()
        process.process.terminate()
        assert await process.ended(8) == 0, process.said()[-3000:]
        took = time.monotonic() - began
    assert TRACEBACK not in process.said()
    assert len([line for line in process.said().splitlines() if "the cluster" in line]) == 3
    show(
        f"a bot with a cluster: SIGTERM, exit 0 after {took:.1f} s; three lines in its log about the cluster"
    )


def certificate(folder: Path) -> tuple[str, str]:
    """One that signed itself, and its key."""
    made, key = str(folder / "made.pem"), str(folder / "key.pem")
    names = ("-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names]
    subprocess.run([*command, "-keyout", key, "-out", made], check=True, capture_output=True)
    return made, key


async def checked(process: Process) -> str:
    """What `twentyfour-bot check` says."""
    command = [sys.executable, *process.arguments, "check"]
    ran = await asyncio.to_thread(
        subprocess.run, command, cwd=ROOT, env=process.environment, capture_output=True, text=True
    )
    assert ran.stderr == ""
    return str(ran.stdout)


async def test_by_tls_with_certificates(bot: Started, tmp_path: Path) -> None:
    made, key = certificate(tmp_path)
    flags = ("--tls-ca-file", made, "--tls-cert", made, "--tls-key", key)
    variables = {
        "DASK_DISTRIBUTED__COMM__TLS__CA_FILE": made,
        "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT": made,
        "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY": key,
    }
    with farm(tmp_path, "tls", flags) as machines:
        machines.scheduler()
        machines.worker(3)
        world = World(privacy=False)
        async with BotApi(world) as api:
            known = bot(world, api.url, SOLVER_SCHEDULER=machines.address, **variables)
            assert "✓ SOLVER_SCHEDULER: 3 threads of the cluster do long tasks" in await checked(known)
            stranger = bot(world, api.url, SOLVER_SCHEDULER=machines.address)
            assert "· SOLVER_SCHEDULER: nobody can be asked" in await checked(stranger)
