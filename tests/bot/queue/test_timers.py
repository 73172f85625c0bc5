"""Timed work is done when it is due by a clock that the test moves: not later, and not more often."""

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
    """Seconds that pass only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1_000_000.0
        self.slept: list[float] = []
        self.until = float("inf")

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Let the time pass; the end of the test's time is the end of the sleeper."""
        self.slept.append(seconds)
        self.now += seconds
        if self.now >= self.until:
            raise asyncio.CancelledError


class Piece:
    """Timed work that notes when it is done."""

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


NOBODY: Any = None


async def run(clock: Clock, seconds: float, *work: TimedTask) -> Timers:
    """Let the timers run for so long."""
    timers = Timers(work, NOBODY, clock, clock.sleep)
    clock.until = clock.now + seconds
    with pytest.raises(asyncio.CancelledError):
        await timers.run()
    return timers


async def test_each_piece_has_its_own_period(clock: Clock) -> None:
    often, seldom, hours = Piece(clock), Piece(clock), Piece(clock)
    works = {"often": (0.0, often), "seldom": (60.0, seldom), "hours": (HOUR, hours)}
    await run(clock, 2 * HOUR, *(TimedTask(name, *work) for name, work in works.items()))
    assert set(clock.slept) == {CHECK_INTERVAL} == {1.0}
    assert often.times == [float(n) for n in range(7200)]
    assert seldom.times == [60.0 * n for n in range(120)]
    assert hours.times == [0.0, HOUR]


async def test_work_is_done_in_its_order(clock: Clock) -> None:
    done: list[str] = []

    def noting(name: str) -> TimedTask:
        async def do(_: TimerContext, __: float) -> None:
            done.append(name)

        return TimedTask(name, 0.0, do)

    await run(clock, 1.0, noting("first"), noting("second"))
    assert done == ["first", "second"]


async def test_what_had_nothing_to_do_is_asked_again_at_the_next_look(clock: Clock) -> None:
    piece = Piece(clock, lambda count: count >= 4)
    await run(clock, HOUR + 10, TimedTask("scrub", HOUR, piece))
    assert piece.times == [0.0, 1.0, 2.0, 3.0, HOUR + 3]


async def test_each_look_asks_what_had_nothing_to_do_however_soon_it_comes(clock: Clock) -> None:
    piece = Piece(clock, lambda count: count >= 3)
    timers = Timers([TimedTask("scrub", HOUR, piece)], NOBODY, clock)
    for _ in range(4):
        await timers.run_due()
    assert piece.times == [0.0] * 3


@pytest.mark.parametrize(("every", "again"), [(0.0, 1.0), (5.0, 5.0), (HOUR, 60.0)])
async def test_what_fails_is_tried_again_and_leaves_the_rest_alone(
    every: float, again: float, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    failing = Piece(clock, lambda count: ZeroDivisionError("canary") if count < 3 else None)
    other = Piece(clock)
    with caplog.at_level(logging.INFO):
        await run(clock, 150.0, TimedTask("failing", every, failing), TimedTask("other", 50.0, other))
    assert failing.times[:3] == [0.0, again, 2 * again]
    assert other.times == [0.0, 50.0, 100.0]
    said = [message.partition(" (")[0] for message in caplog.messages]
    assert said == ["the timer for failing failed: ZeroDivisionError"] * 2
    assert "canary" not in caplog.text


async def test_a_database_that_is_away_is_waited_for(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    away = OperationalError("SELECT 1", {}, sqlite3.OperationalError("database is locked"))
    piece = Piece(clock, lambda count: away if count == 1 else None)
    await run(clock, 3.0, TimedTask("deadlines", 0.0, piece))
    assert piece.times == [0.0, 1.0, 2.0]
    (said,) = caplog.records
    assert said.getMessage() == "deadlines must wait for the database: OperationalError: database is locked"


@pytest.mark.parametrize("back", [1.0, 36 * HOUR])
async def test_a_clock_that_is_set_back_makes_everything_due(back: float, clock: Clock) -> None:
    piece = Piece(clock)
    timers = await run(clock, 1.0, TimedTask("sweep", HOUR, piece))
    clock.now -= 1.0 + back
    await timers.run_due()
    await timers.run_due()
    assert piece.times == [0.0, -back]
    clock.now += HOUR
    await timers.run_due()
    assert piece.times == [0.0, -back, HOUR - back]


async def test_nothing_is_done_while_the_clock_is_wrong_and_all_that_is_due_once_it_is_right(
    clock: Clock,
) -> None:
    piece, right = Piece(clock), list[bool]()
    timers = Timers(
        [TimedTask("sweep", HOUR, piece)], NOBODY, clock, clock.sleep, is_clock_right=lambda: bool(right)
    )
    await timers.run_due()
    assert piece.times == []
    right.append(True)
    await timers.run_due()
    assert piece.times == [0.0]


class Shelf:
    """A store that writes at once; `done` is what was asked of it."""

    def __init__(self) -> None:
        self.done: list[object] = []

    async def write(self, work: Callable[[Any], object]) -> object:
        self.done.append(work("tx"))
        return self.done[-1]

    async def truncate_wal(self) -> None:
        self.done.append("settled")

    async def does(self, work: TimedTask) -> list[object]:
        """What a piece of work asks of the store at 5 o'clock."""
        store: Any = self
        await work.run(TimerContext(store, NOBODY, NOBODY), 5.0)
        return self.done


async def test_a_sweep_is_one_write_an_hour() -> None:
    swept: list[tuple[object, float]] = []
    work = make_hourly_cleanup("sweep", lambda tx, now: swept.append((tx, now)))
    await Shelf().does(work)
    assert (work.name, work.interval, swept) == ("sweep", 3600.0, [("tx", 5.0)])


@pytest.mark.parametrize(("more", "rests"), [(True, False), (False, True), (None, True)])
async def test_a_sweep_that_says_that_there_is_more_goes_on(more: bool | None, rests: bool) -> None:
    store: Any = Shelf()
    work = make_hourly_cleanup("sweep", lambda _, __: more)
    assert await work.run(TimerContext(store, NOBODY, NOBODY), 5.0) is rests


async def test_what_is_forgotten_leaves_the_log_beside_the_file_too(monkeypatch: pytest.MonkeyPatch) -> None:
    more, asked = [True, False], list[object]()

    def forgets(*asks: object) -> bool:
        asked.append(asks)
        return more.pop(0)

    monkeypatch.setattr(queries, "delete_expired_rows", forgets)
    assert await Shelf().does(QUEUE_CLEANUP) == [True]  # the next look goes on
    assert await Shelf().does(QUEUE_CLEANUP) == [False, "settled"]
    assert asked == [("tx", 5.0)] * 2
    assert QUEUE_CLEANUP.interval == 3600.0
