"""When a pool counts as stuck: what it does with late, lost and greedy tasks is tried in the faults."""

import asyncio
import os
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


async def test_workers_are_given_time_to_start(pool: Pool, caplog: pytest.LogCaptureFixture) -> None:
    waits, answers = (
        Counted("solver_wait_seconds_count"),
        Counted("solver_seconds_count", outcome="answered", where="here"),
    )
    assert await pool.ask(os.getpid) != os.getpid()
    assert (waits.since, answers.since) == (1, 1)
    assert caplog.text == ""


async def test_awake_they_have_to_answer(pool: Pool, caplog: pytest.LogCaptureFixture) -> None:
    await pool.ask(os.getpid)
    slow = Counted("solver_seconds_count", outcome="too slow", where="here")
    with pytest.raises(TooSlowError):
        await pool.ask(time.sleep, 60)
    assert slow.since == 1
    assert caplog.messages == ["the solver's workers start anew"]


async def test_new_ones_are_given_time_again(pool: Pool, caplog: pytest.LogCaptureFixture) -> None:
    first = await pool.ask(os.getpid)
    with pytest.raises(TooSlowError):
        await pool.ask(time.sleep, 60)
    caplog.clear()
    assert await pool.ask(os.getpid) not in {first, os.getpid()}
    assert caplog.text == ""
