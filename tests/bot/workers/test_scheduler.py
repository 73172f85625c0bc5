"""Order in which tasks get a worker, and the end of their patience."""

import asyncio
from types import SimpleNamespace

import pytest

from bot.workers.pool import Ticket, WorkerQueue, WorkerScheduler
from bot.workers.worker import TooSlowError

ANN, BOB, CAT = 1, 2, 3


def add_and_start(queue: WorkerQueue, *tickets: Ticket) -> list[Ticket]:
    """Add tickets and return those that start at once."""
    for ticket in tickets:
        queue.add(ticket)
    started = []
    while (ticket := queue.start_next()) is not None:  # type: ignore[assignment]
        started.append(ticket)
    return started


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_one_task_per_person_runs_at_once(workers: int) -> None:
    queue = WorkerQueue(workers)
    mine = [Ticket(ANN) for _ in range(5)]
    assert add_and_start(queue, *mine) == mine[:1]
    queue.remove(mine[0])
    assert add_and_start(queue) == mine[1:2]


def test_bot_itself_may_run_many_tasks() -> None:
    own = [Ticket(0) for _ in range(3)]
    assert add_and_start(WorkerQueue(2), *own) == own[:2]


def test_short_tasks_start_before_long_ones() -> None:
    queue = WorkerQueue(1)
    now, search, deal = Ticket(0), Ticket(ANN, is_long=True), Ticket(BOB)
    assert add_and_start(queue, now, search, deal) == [now]
    queue.remove(now)
    assert add_and_start(queue) == [deal]


def test_person_served_longest_ago_is_next() -> None:
    queue = WorkerQueue(1)
    race = [Ticket(ANN) for _ in range(3)]
    bobs, cats = Ticket(BOB), Ticket(CAT)
    assert add_and_start(queue, *race, bobs, cats) == race[:1]
    order = []
    last = race[0]
    for _ in range(4):
        queue.remove(last)
        (last,) = add_and_start(queue)
        order.append(last)
    assert order == [bobs, cats, race[1], race[2]]


def test_long_tasks_leave_one_worker_free() -> None:
    queue = WorkerQueue(2)
    first, second, deal = Ticket(ANN, is_long=True), Ticket(BOB, is_long=True), Ticket(CAT)
    assert add_and_start(queue, first, second) == [first]
    assert not queue.must_yield
    assert add_and_start(queue, deal) == [deal]


def test_long_task_must_yield_with_one_worker() -> None:
    queue = WorkerQueue(1)
    search, deal = Ticket(ANN, is_long=True), Ticket(BOB)
    assert add_and_start(queue, search) == [search]
    assert not queue.must_yield
    assert add_and_start(queue, deal) == []
    assert queue.must_yield
    queue.remove(search)
    assert add_and_start(queue) == [deal]
    assert not queue.must_yield


def test_long_task_must_yield_to_the_same_persons_short_one() -> None:
    queue = WorkerQueue(2)
    search, deal = Ticket(ANN, is_long=True), Ticket(ANN)
    assert add_and_start(queue, search) == [search]
    assert add_and_start(queue, deal) == []
    assert queue.must_yield
    queue.remove(search)
    assert add_and_start(queue, Ticket(ANN, is_long=True)) == [deal]
    assert not queue.must_yield


def test_removed_ticket_is_not_started() -> None:
    queue = WorkerQueue(1)
    first, cancelled, after = Ticket(ANN), Ticket(BOB), Ticket(CAT)
    add_and_start(queue, first, cancelled, after)
    queue.remove(cancelled)
    queue.remove(first)
    assert add_and_start(queue) == [after]


# Waiting


def make_scheduler() -> WorkerScheduler:
    """Return a scheduler with one worker that has started."""
    return WorkerScheduler(1, SimpleNamespace(value=False), lambda: False)


async def hold_worker(
    scheduler: WorkerScheduler, asker: int, until: asyncio.Event, patience: float = 60.0
) -> None:
    async with scheduler.acquire_worker(Ticket(asker), patience):
        await until.wait()


async def test_tasks_acquire_the_worker_in_turn() -> None:
    scheduler, running = make_scheduler(), list[int]()

    async def run_alone(asker: int) -> None:
        async with scheduler.acquire_worker(Ticket(asker), 60.0):
            running.append(asker)
            await asyncio.sleep(0)
            assert running == [asker]
            running.remove(asker)

    await asyncio.gather(run_alone(ANN), run_alone(BOB))


async def test_waiting_task_gives_up_after_its_patience() -> None:
    scheduler, released = make_scheduler(), asyncio.Event()
    first = asyncio.create_task(hold_worker(scheduler, ANN, released))
    await asyncio.sleep(0)
    with pytest.raises(TooSlowError, match="no worker was free"):
        await hold_worker(scheduler, BOB, released, 0.001)
    released.set()
    await first
    await hold_worker(scheduler, BOB, released)


async def test_no_task_gives_up_while_workers_start() -> None:
    starting = [False, True, True]
    scheduler, released = WorkerScheduler(1, SimpleNamespace(value=False), starting.pop), asyncio.Event()
    first = asyncio.create_task(hold_worker(scheduler, ANN, released))
    await asyncio.sleep(0)
    with pytest.raises(TooSlowError):
        await hold_worker(scheduler, BOB, released, 0.001)
    assert not starting
    released.set()
    await first


async def test_cancelled_task_frees_its_worker() -> None:
    scheduler, released = make_scheduler(), asyncio.Event()
    first = asyncio.create_task(hold_worker(scheduler, ANN, released))
    cancelled = asyncio.create_task(hold_worker(scheduler, BOB, released))
    await asyncio.sleep(0)
    cancelled.cancel()
    released.set()
    await asyncio.gather(first, cancelled, return_exceptions=True)
    await hold_worker(scheduler, CAT, released)


async def test_workers_learn_whether_a_long_task_must_yield() -> None:
    must_yield, released = SimpleNamespace(value=False), asyncio.Event()
    scheduler = WorkerScheduler(1, must_yield, lambda: False)
    async with scheduler.acquire_worker(Ticket(ANN, is_long=True), 60.0):
        waiting = asyncio.create_task(hold_worker(scheduler, BOB, released))
        await asyncio.sleep(0)
        assert must_yield.value
    assert not must_yield.value
    released.set()
    await waiting
