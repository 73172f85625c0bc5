"""Supervised tasks: restarts, fatal errors and the stop."""

import asyncio
import logging
import re
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import pairwise

import pytest

from bot import supervision
from bot.supervision import (
    LONGEST_PAUSE,
    PartEndedError,
    StopSignal,
    keep_running,
    log_lost_task,
    run_parts,
    run_unless_stopped,
)
from tests.fake_time import START, now, with_fake_time


class FatalError(Exception):
    """An error that ends a task for good."""


class Task:
    """A task that fails so often, then returns or raises `end`."""

    def __init__(self, failures: int, end: Exception | None = None) -> None:
        self.left, self.end, self.runs = failures, end, 0

    async def __call__(self) -> None:
        self.runs += 1
        if self.left:
            self.left -= 1
            raise ZeroDivisionError("canary\nof two lines")
        if self.end:
            raise self.end


@pytest.fixture(autouse=True)
def _short_pauses(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if asyncio.iscoroutinefunction(request.function):  # where time does not jump
        monkeypatch.setattr(supervision, "FIRST_PAUSE", 0.0)


async def test_part_is_restarted_until_it_returns(caplog: pytest.LogCaptureFixture) -> None:
    task = Task(3)
    with caplog.at_level(logging.INFO):
        await keep_running("timers", task)
    assert task.runs == 4
    result = [(record.getMessage().partition(" (")[0], record.exc_info) for record in caplog.records]
    assert result == [("timers failed and starts anew: ZeroDivisionError", None)] * 3
    assert "canary" not in caplog.text, "an error's words may quote what somebody wrote"


async def test_fatal_error_is_raised() -> None:
    with pytest.raises(FatalError):
        await keep_running("polling", Task(1, FatalError()), (FatalError,))


async def test_traceback_is_logged_at_debug_only(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        await keep_running("timers", Task(1))
    assert [record.levelname for record in caplog.records if record.exc_info] == ["DEBUG"]


async def test_error_of_a_lost_task_is_logged_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    loop = asyncio.get_running_loop()
    log_lost_task(
        loop, {"message": "Task exception was never retrieved", "exception": ZeroDivisionError("x")}
    )
    log_lost_task(loop, {"message": "something else"})
    result = [record.getMessage() for record in caplog.records if record.levelno > logging.DEBUG]
    assert result == ["Task exception was never retrieved: ZeroDivisionError", "something else"]


class Parts:
    """Parts that wait until a test ends one of them."""

    def __init__(self) -> None:
        self.running: set[str] = set()
        self.ended: list[str] = []
        self.stop = asyncio.Event()
        self.all_run = asyncio.Event()
        self.ends: dict[str, asyncio.Future[None]] = {}

    def part(self, name: str) -> Callable[[], Awaitable[None]]:
        self.ends[name] = asyncio.get_running_loop().create_future()

        async def run() -> None:
            self.running.add(name)
            if self.running == set(self.ends):
                self.all_run.set()
            try:
                await asyncio.shield(self.ends[name])
            finally:
                self.running.discard(name)
                self.ended.append(name)

        return run

    async def start(self, *names: str) -> "asyncio.Task[None]":
        """Run parts with these names; return once all run."""
        parts = {name: self.part(name) for name in names}
        task = asyncio.create_task(run_parts(parts, {}, self.stop, (FatalError,)))
        await self.all_run.wait()
        return task


async def test_all_parts_run_until_stopped() -> None:
    parts = Parts()
    task = await parts.start("polling", "timers")
    parts.stop.set()
    await task
    assert sorted(parts.ended) == ["polling", "timers"]


async def test_part_that_returns_ends_all() -> None:
    parts = Parts()
    task = await parts.start("polling", "timers")
    parts.ends["timers"].set_result(None)
    with pytest.raises(PartEndedError, match="timers ended by itself"):
        await task
    assert parts.running == set()


async def test_fatal_error_of_one_part_ends_all() -> None:
    parts = Parts()
    task = await parts.start("polling", "timers")
    parts.ends["polling"].set_exception(FatalError("another bot"))
    with pytest.raises(FatalError, match="another bot"):
        await task
    assert parts.running == set()


async def test_part_run_once_may_return() -> None:
    stop, done = asyncio.Event(), asyncio.Event()

    async def once() -> None:
        done.set()

    task = asyncio.create_task(run_parts({"polling": Parts().part("polling")}, {"menus": once}, stop, ()))
    await done.wait()
    await asyncio.sleep(0)
    assert not task.done()
    stop.set()
    await task


async def test_work_is_cancelled_at_the_stop() -> None:
    stop, never = asyncio.Event(), asyncio.Event()

    async def return_seven() -> int:
        return 7

    assert await run_unless_stopped(stop, return_seven()) == 7
    waiting = asyncio.create_task(run_unless_stopped(stop, never.wait()))
    await asyncio.sleep(0)
    stop.set()
    assert await waiting is None


@with_fake_time
async def test_pause_grows_and_is_reset_after_a_long_run() -> None:
    began = list[float]()

    async def work() -> None:
        began.append(now() - START)
        if len(began) == 9:
            await asyncio.sleep(LONGEST_PAUSE + 1)
        if len(began) < 12:
            raise ZeroDivisionError

    await keep_running("timers", work)
    pauses = [round(later - earlier, 6) for earlier, later in pairwise(began)]
    assert pauses == [0.5, 1, 2, 4, 8, 16, 30, 30, 31.5, 1, 2]


async def test_part_with_a_cancelled_await_is_restarted() -> None:
    lost = asyncio.get_running_loop().create_future()
    lost.cancel()
    runs = 0

    async def polling() -> None:
        nonlocal runs
        runs += 1
        if runs < 3:
            await lost

    await keep_running("polling", polling)
    assert runs == 3


async def test_errors_during_the_stop_are_ignored() -> None:
    stop, running = asyncio.Event(), asyncio.Event()

    async def stubborn() -> None:
        running.set()
        try:
            await asyncio.Event().wait()
        finally:
            raise FatalError

    task = asyncio.create_task(run_parts({"polling": stubborn}, {}, stop, (FatalError,)))
    await running.wait()
    stop.set()
    await task


@pytest.fixture
def forced(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The exit codes with which a process that hangs would be ended."""
    codes = list[int]()
    monkeypatch.setattr(supervision, "schedule_forced_exit", codes.append)
    return codes


@pytest.fixture
async def stop() -> AsyncIterator[StopSignal]:
    yield StopSignal()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().remove_signal_handler(number)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_stop_signal_is_logged(
    stop: StopSignal, number: signal.Signals, forced: list[int], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    stop.log_stop()
    assert caplog.messages == []
    signal.raise_signal(number)
    async with asyncio.timeout(60):
        await stop.event.wait()
    signal.raise_signal(signal.SIGTERM)  # once more: whoever is in a hurry changes nothing
    async with asyncio.timeout(60):
        while len(forced) < 2:  # noqa: ASYNC110 - the loop alone hands signals on
            await asyncio.sleep(0)
    stop.log_stop()
    (result,) = caplog.messages
    assert re.fullmatch(rf"stopped by {number.name}, in order and in [0-9]+\.[0-9] s", result)
    assert forced == [0, 0]


async def test_failed_bot_is_forced_to_exit_in_time(forced: list[int]) -> None:
    event = asyncio.Event()
    supervision.schedule_failure_exit(event)
    assert forced == [1]
    event.set()
    supervision.schedule_failure_exit(event)
    assert forced == [1]
