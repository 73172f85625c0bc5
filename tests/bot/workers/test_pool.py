"""When a pool counts as stuck: what it does with late, lost and greedy tasks is tried in the faults."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator

import pytest

from bot.workers import pool as module
from bot.workers.pool import Pool, TooSlowError
from tests.counted import Counted


@pytest.fixture
async def pool(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Pool]:
    """One worker, which would count as stuck at the first look if it were not for its start."""
    monkeypatch.setattr(module, "LOOK", 0.001)
    monkeypatch.setattr(module, "OVERDUE", -1000.0)
    monkeypatch.setattr(module, "STARTING", 2000.0)
    one = Pool(1, 60.0)
    yield one
    await asyncio.to_thread(one.close)


@pytest.mark.long
async def test_workers_are_given_time_to_start(pool: Pool, caplog: pytest.LogCaptureFixture) -> None:
    waits, answers = (
        Counted("solver_wait_seconds_count"),
        Counted("solver_seconds_count", outcome="answered"),
    )
    assert await pool.ask(os.getpid) != os.getpid()
    assert (waits.since, answers.since) == (1, 1)
    assert caplog.text == ""


async def test_awake_they_have_to_answer(pool: Pool, caplog: pytest.LogCaptureFixture) -> None:
    await pool.ask(time.sleep, 0)
    slow = Counted("solver_seconds_count", outcome="too slow")
    with pytest.raises(TooSlowError):
        await pool.ask(time.sleep, 60)
    assert slow.since == 1
    assert caplog.messages == ["the solver's workers start anew"]


async def test_new_ones_are_given_time_again(pool: Pool, caplog: pytest.LogCaptureFixture) -> None:
    first = await pool.ask(os.getpid)
    await pool.ask(time.sleep, 0)
    with pytest.raises(TooSlowError):
        await pool.ask(time.sleep, 60)
    caplog.clear()
    assert await pool.ask(os.getpid) not in {first, os.getpid()}
    assert caplog.text == ""


async def test_so_are_those_that_have_something_to_read(pool: Pool, caplog: pytest.LogCaptureFixture) -> None:
    await pool.ask(os.getpid)
    await pool.ask(time.sleep, 0.05)
    assert caplog.text == ""


@pytest.mark.long
async def test_so_are_all_that_wait_while_one_begins(pool: Pool, caplog: pytest.LogCaptureFixture) -> None:
    """Of two workers the one that had answered may be the one that is gone."""
    await pool.ask(time.sleep, 0)
    pool._processes.Process(target=os.getpid)  # in a lost one's place
    await pool.ask(time.sleep, 0.05)
    assert caplog.text == ""


@pytest.mark.long
async def test_a_new_one_reads_what_tasks_need_before_it_takes_one(pool: Pool) -> None:
    """Not with the task, which would keep the others from theirs."""
    pool._modules.append("wave")
    assert "wave" in await pool.ask(loaded)
    await pool.ask(os.getpid)
    assert pool._modules == ["wave", __name__, os.getpid.__module__]


def loaded() -> list[str]:
    """What this process has read."""
    return list(sys.modules)
