"""Timed tasks run when they are due, by a clock that the test moves."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from bot.durations import HOUR
from bot.queue import queries
from bot.queue.timers import (
    CHECK_INTERVAL,
    QUEUE_CLEANUP,
    TimedTask,
    TimerContext,
    Timers,
    make_hourly_cleanup,
)


class Clock:
    """A clock that moves only during sleep."""

    def __init__(self) -> None:
        self.now = 1_000_000.0
        self.slept: list[float] = []
        self.until = float("inf")

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Move the clock; raise CancelledError at the end of the test."""
        self.slept.append(seconds)
        self.now += seconds
        if self.now >= self.until:
            raise asyncio.CancelledError


class RecordedTask:
    """A timed task that records when it runs."""

    def __init__(self, clock: Clock, result: Callable[[int], object] = lambda count: None) -> None:
        self._clock = clock
        self._result = result
        self.began = clock.now
        self.times: list[float] = []

    async def __call__(self, _: TimerContext, now: float) -> object:
        assert now == self._clock.now
        self.times.append(now - self.began)
        result = self._result(len(self.times))
        if isinstance(result, Exception):
            raise result
        return result


@pytest.fixture
def clock() -> Clock:
    return Clock()


NOTHING: Any = None


async def run_timers(clock: Clock, seconds: float, *tasks: TimedTask) -> Timers:
    """Run the timers for some seconds."""
    timers = Timers(tasks, NOTHING, clock, clock.sleep)
    clock.until = clock.now + seconds
    with pytest.raises(asyncio.CancelledError):
        await timers.run()
    return timers


async def test_each_task_has_its_own_interval(clock: Clock) -> None:
    often, seldom, hourly = RecordedTask(clock), RecordedTask(clock), RecordedTask(clock)
    works = {"often": (0.0, often), "seldom": (60.0, seldom), "hours": (HOUR, hourly)}
    await run_timers(clock, 2 * HOUR, *(TimedTask(name, *task) for name, task in works.items()))
    assert set(clock.slept) == {CHECK_INTERVAL} == {1.0}
    assert often.times == [float(n) for n in range(7200)]
    assert seldom.times == [60.0 * n for n in range(120)]
    assert hourly.times == [0.0, HOUR]


async def test_due_tasks_run_in_order(clock: Clock) -> None:
    done: list[str] = []

    def make_task(name: str) -> TimedTask:
        async def record(_: TimerContext, __: float) -> None:
            done.append(name)

        return TimedTask(name, 0.0, record)

    await run_timers(clock, 1.0, make_task("first"), make_task("second"))
    assert done == ["first", "second"]


async def test_unfinished_task_runs_again_at_the_next_check(clock: Clock) -> None:
    recorded = RecordedTask(clock, lambda count: count >= 4)
    await run_timers(clock, HOUR + 10, TimedTask("scrub", HOUR, recorded))
    assert recorded.times == [0.0, 1.0, 2.0, 3.0, HOUR + 3]


@pytest.mark.parametrize(("every", "again"), [(0.0, 1.0), (5.0, 5.0), (HOUR, 60.0)])
async def test_failed_task_is_repeated_and_affects_no_other(
    every: float, again: float, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    failing = RecordedTask(clock, lambda count: ZeroDivisionError("canary") if count < 3 else None)
    other = RecordedTask(clock)
    with caplog.at_level(logging.INFO):
        await run_timers(clock, 150.0, TimedTask("failing", every, failing), TimedTask("other", 50.0, other))
    assert failing.times[:3] == [0.0, again, 2 * again]
    assert other.times == [0.0, 50.0, 100.0]
    messages = [message.partition(" (")[0] for message in caplog.messages]
    assert messages == ["the timer for failing failed: ZeroDivisionError"] * 2
    assert "canary" not in caplog.text


async def test_database_failure_is_logged_and_waited_out(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    away = OperationalError("SELECT 1", {}, sqlite3.OperationalError("database is locked"))
    recorded = RecordedTask(clock, lambda count: away if count == 1 else None)
    await run_timers(clock, 3.0, TimedTask("deadlines", 0.0, recorded))
    assert recorded.times == [0.0, 1.0, 2.0]
    (messages,) = caplog.records
    assert (
        messages.getMessage() == "deadlines must wait for the database: OperationalError: database is locked"
    )


@pytest.mark.parametrize("back", [1.0, 36 * HOUR])
async def test_clock_set_back_makes_every_task_due(back: float, clock: Clock) -> None:
    recorded = RecordedTask(clock)
    timers = await run_timers(clock, 1.0, TimedTask("cleanup", HOUR, recorded))
    clock.now -= 1.0 + back
    await timers.run_due()
    await timers.run_due()
    assert recorded.times == [0.0, -back]
    clock.now += HOUR
    await timers.run_due()
    assert recorded.times == [0.0, -back, HOUR - back]


async def test_tasks_wait_while_the_clock_is_wrong(
    clock: Clock,
) -> None:
    recorded, right = RecordedTask(clock), list[bool]()
    timers = Timers(
        [TimedTask("cleanup", HOUR, recorded)],
        NOTHING,
        clock,
        clock.sleep,
        is_clock_right=lambda: bool(right),
    )
    await timers.run_due()
    assert recorded.times == []
    right.append(True)
    await timers.run_due()
    assert recorded.times == [0.0]


class RecordingStore:
    """A store that writes at once and records the results."""

    def __init__(self) -> None:
        self.done: list[object] = []

    async def write(self, task: Callable[[Any], object]) -> object:
        self.done.append(task("tx"))
        return self.done[-1]

    async def truncate_wal(self) -> None:
        self.done.append("truncated")

    async def run_task(self, task: TimedTask) -> list[object]:
        """Run a task at 5.0 and return what it asked of the store."""
        store: Any = self
        await task.run(TimerContext(store, NOTHING, NOTHING), 5.0)
        return self.done


async def test_cleanup_is_one_write_an_hour() -> None:
    calls: list[tuple[object, float]] = []
    task = make_hourly_cleanup("cleanup", lambda tx, now: calls.append((tx, now)))
    await RecordingStore().run_task(task)
    assert (task.name, task.interval, calls) == ("cleanup", 3600.0, [("tx", 5.0)])


@pytest.mark.parametrize(("more", "is_finished"), [(True, False), (False, True), (None, True)])
async def test_cleanup_goes_on_while_more_is_left(more: bool | None, is_finished: bool) -> None:
    store: Any = RecordingStore()
    task = make_hourly_cleanup("cleanup", lambda _, __: more)
    assert await task.run(TimerContext(store, NOTHING, NOTHING), 5.0) is is_finished


async def test_wal_is_truncated_after_expired_rows_are_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    more, calls = [True, False], list[object]()

    def delete_expired(*arguments: object) -> bool:
        calls.append(arguments)
        return more.pop(0)

    monkeypatch.setattr(queries, "delete_expired_rows", delete_expired)
    assert await RecordingStore().run_task(QUEUE_CLEANUP) == [True]  # goes on at the next check
    assert await RecordingStore().run_task(QUEUE_CLEANUP) == [False, "truncated"]
    assert calls == [("tx", 5.0)] * 2
    assert QUEUE_CLEANUP.interval == 3600.0
