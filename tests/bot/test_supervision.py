"""A task that fails is started anew, and says so in one line."""

import asyncio
import logging

import pytest

from bot import supervision
from bot.supervision import kept_up, lost_task


class EndError(Exception):
    """What ends a task for good."""


class Task:
    """Fails as often as it is told, then returns or ends."""

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
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "FIRST_PAUSE", 0.0)


async def test_it_is_run_until_it_returns(caplog: pytest.LogCaptureFixture) -> None:
    task = Task(3)
    with caplog.at_level(logging.INFO):
        await kept_up("timers", task)
    assert task.runs == 4
    for record in caplog.records:
        assert record.getMessage().startswith("timers failed and starts anew: ZeroDivisionError (tests")
        assert "canary" not in record.getMessage()  # an error's words may quote what somebody wrote
        assert record.exc_info is None
    assert len(caplog.records) == 3


async def test_what_ends_it_is_passed_on() -> None:
    with pytest.raises(EndError):
        await kept_up("polling", Task(1, EndError()), (EndError,))


async def test_a_traceback_is_for_those_who_ask(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        await kept_up("timers", Task(1))
    assert [record.levelname for record in caplog.records if record.exc_info] == ["DEBUG"]


async def test_an_error_that_nobody_waits_for_is_one_line(caplog: pytest.LogCaptureFixture) -> None:
    loop = asyncio.get_running_loop()
    lost_task(loop, {"message": "Task exception was never retrieved", "exception": ZeroDivisionError("x")})
    lost_task(loop, {"message": "something else"})
    said = [record.getMessage() for record in caplog.records if record.levelno > logging.DEBUG]
    assert said == ["Task exception was never retrieved: ZeroDivisionError", "something else"]
