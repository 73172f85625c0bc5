"""Who gets a worker next, and who gives up waiting."""

import asyncio

import pytest

from bot.workers.pool import Ticket, WorkerQueue, WorkerScheduler
from bot.workers.worker import TooSlowError

ANN, BOB, CAT = 1, 2, 3


def served(queue: WorkerQueue, *tickets: Ticket) -> list[Ticket]:
    """Who begins at once of those who ask now."""
    for ticket in tickets:
        queue.add(ticket)
    begun = []
    while (ticket := queue.start_next()) is not None:  # type: ignore[assignment]
        begun.append(ticket)
    return begun


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_a_person_has_one_task_at_work(workers: int) -> None:
    queue = WorkerQueue(workers)
    mine = [Ticket(ANN) for _ in range(5)]
    assert served(queue, *mine) == mine[:1]
    queue.remove(mine[0])
    assert served(queue) == mine[1:2]


def test_the_bot_itself_may_have_many() -> None:
    own = [Ticket(0) for _ in range(3)]
    assert served(WorkerQueue(2), *own) == own[:2]


def test_short_tasks_go_first() -> None:
    queue = WorkerQueue(1)
    now, search, deal = Ticket(0), Ticket(ANN, is_long=True), Ticket(BOB)
    assert served(queue, now, search, deal) == [now]
    queue.remove(now)
    assert served(queue) == [deal]


def test_people_take_turns() -> None:
    queue = WorkerQueue(1)
    race = [Ticket(ANN) for _ in range(3)]
    bobs, cats = Ticket(BOB), Ticket(CAT)
    assert served(queue, *race, bobs, cats) == race[:1]
    order = []
    last = race[0]
    for _ in range(4):
        queue.remove(last)
        (last,) = served(queue)
        order.append(last)
    assert order == [bobs, cats, race[1], race[2]]


def test_long_tasks_leave_a_worker_free() -> None:
    queue = WorkerQueue(2)
    first, second, deal = Ticket(ANN, is_long=True), Ticket(BOB, is_long=True), Ticket(CAT)
    assert served(queue, first, second) == [first]
    assert not queue.must_yield
    assert served(queue, deal) == [deal]


def test_with_one_worker_a_long_task_has_to_make_way() -> None:
    queue = WorkerQueue(1)
    search, deal = Ticket(ANN, is_long=True), Ticket(BOB)
    assert served(queue, search) == [search]
    assert not queue.must_yield
    assert served(queue, deal) == []
    assert queue.must_yield
    queue.remove(search)
    assert served(queue) == [deal]
    assert not queue.must_yield


def test_ones_own_search_makes_way_for_ones_deal() -> None:
    queue = WorkerQueue(2)
    search, deal = Ticket(ANN, is_long=True), Ticket(ANN)
    assert served(queue, search) == [search]
    assert served(queue, deal) == []
    assert queue.must_yield
    queue.remove(search)
    assert served(queue, Ticket(ANN, is_long=True)) == [deal]
    assert not queue.must_yield


def test_when_nobody_is_left_nobody_is_remembered() -> None:
    queue = WorkerQueue(2)
    first, last = Ticket(ANN), Ticket(BOB)
    served(queue, first, last)
    queue.remove(first)
    assert queue._served
    queue.remove(last)
    assert not queue._served


def test_who_leaves_the_line_is_not_served() -> None:
    queue = WorkerQueue(1)
    first, gone, after = Ticket(ANN), Ticket(BOB), Ticket(CAT)
    served(queue, first, gone, after)
    queue.remove(gone)
    queue.remove(first)
    assert served(queue) == [after]


# Waiting


def one_worker() -> WorkerScheduler:
    """Turns at one worker, which is awake."""
    return WorkerScheduler(1, lambda: None, lambda: False)


async def hold(turns: WorkerScheduler, asker: int, until: asyncio.Event, patience: float = 60.0) -> None:
    async with turns.acquire_worker(Ticket(asker), patience):
        await until.wait()


async def test_one_after_the_other() -> None:
    turns, over = one_worker(), asyncio.Event()
    first = asyncio.create_task(hold(turns, ANN, over))
    second = asyncio.create_task(hold(turns, BOB, over))
    await asyncio.sleep(0)
    assert (turns.queue.has_running_task(ANN), turns.queue.has_running_task(BOB)) == (True, False)
    over.set()
    await asyncio.gather(first, second)
    assert not turns.queue.has_running_task(BOB)


async def test_who_waits_too_long_leaves_the_line() -> None:
    turns, over = one_worker(), asyncio.Event()
    first = asyncio.create_task(hold(turns, ANN, over))
    await asyncio.sleep(0)
    with pytest.raises(TooSlowError, match="no worker was free"):
        await hold(turns, BOB, over, 0.001)
    over.set()
    await first
    await hold(turns, BOB, over)


async def test_nobodys_patience_ends_while_the_workers_are_only_starting() -> None:
    starting = [False, True, True]
    turns, over = WorkerScheduler(1, lambda: None, starting.pop), asyncio.Event()
    first = asyncio.create_task(hold(turns, ANN, over))
    await asyncio.sleep(0)
    with pytest.raises(TooSlowError):
        await hold(turns, BOB, over, 0.001)
    assert not starting
    over.set()
    await first


async def test_who_is_gone_is_not_waited_for() -> None:
    turns, over = one_worker(), asyncio.Event()
    first = asyncio.create_task(hold(turns, ANN, over))
    gone = asyncio.create_task(hold(turns, BOB, over))
    await asyncio.sleep(0)
    gone.cancel()
    over.set()
    await asyncio.gather(first, gone, return_exceptions=True)
    assert not turns.queue.has_running_task(BOB)


async def test_whoever_begins_or_leaves_is_told() -> None:
    told, over = list[bool](), asyncio.Event()
    turns = WorkerScheduler(1, lambda: told.append(turns.queue.has_running_task(ANN)), lambda: False)
    over.set()
    await hold(turns, ANN, over)
    assert told == [True, False]
