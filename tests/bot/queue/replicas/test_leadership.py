"""Tasks that run only while this bot leads, without a database."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.queue.replicas.replica import Leadership


class LeaderTask:
    """A task of the leader that counts its starts and stops."""

    def __init__(self) -> None:
        self.started = self.stopped = self.max_running = 0
        self.fails = False

    async def run(self) -> None:
        self.started += 1
        self.max_running = max(self.max_running, self.started - self.stopped)
        try:
            if self.fails:
                raise ZeroDivisionError
            await asyncio.Event().wait()
        finally:
            for _ in range(3):
                await asyncio.sleep(0)  # cleaning up
            self.stopped += 1


async def settle() -> None:
    """Run the loop until nothing is left to do at once."""
    for _ in range(30):
        await asyncio.sleep(0)


@pytest.fixture
def task() -> LeaderTask:
    return LeaderTask()


@pytest.fixture
async def leadership(task: LeaderTask) -> AsyncIterator[Leadership]:
    leadership = Leadership()
    run_task = asyncio.create_task(leadership.run_while_leader(task.run))
    yield leadership
    run_task.cancel()
    await asyncio.gather(run_task, return_exceptions=True)
    leadership.cancel_expiry()


async def test_task_runs_only_while_its_bot_leads(leadership: Leadership, task: LeaderTask) -> None:
    await settle()
    assert task.started == 0
    leadership.start_leading(5)
    await settle()
    assert (task.started, task.stopped, leadership.token) == (1, 0, 5)
    leadership.lose_lead()
    await settle()
    assert (task.started, task.stopped, leadership.token) == (1, 1, None)
    leadership.start_leading(6)
    await settle()
    assert (task.started, task.stopped, leadership.token) == (2, 1, 6)


async def test_task_ends_before_it_starts_again(leadership: Leadership, task: LeaderTask) -> None:
    for token in (5, 6, 7):
        leadership.start_leading(token)
        await settle()
        leadership.lose_lead()
    leadership.start_leading(8)
    await settle()
    assert (task.started, task.stopped, task.max_running) == (4, 3, 1)


async def test_error_of_a_task_is_raised(task: LeaderTask) -> None:
    task.fails = True
    leadership = Leadership()
    leadership.start_leading(5)
    with pytest.raises(ZeroDivisionError):
        await leadership.run_while_leader(task.run)
    assert task.stopped == 1


async def test_lead_ends_at_its_expiry(leadership: Leadership, task: LeaderTask) -> None:
    leadership.start_leading(5)
    leadership.set_expiry(60.0)
    leadership.set_expiry(0.0)
    async with asyncio.timeout(60):
        while leadership.token is not None:  # noqa: ASYNC110 - a timer sets it
            await asyncio.sleep(0)
    await settle()
    assert task.stopped == 1


async def test_later_expiry_replaces_the_earlier_one(leadership: Leadership) -> None:
    leadership.start_leading(5)
    leadership.set_expiry(0.0)
    leadership.set_expiry(60.0)
    await asyncio.sleep(0.01)
    assert leadership.token == 5
    leadership.set_expiry(0.0)
    leadership.cancel_expiry()
    await asyncio.sleep(0.01)
    assert leadership.token == 5
