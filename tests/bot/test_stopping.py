"""Told to stop, the bot says by what and how long that took."""

import asyncio
import logging
import re
import signal
from collections.abc import AsyncIterator

import pytest

from bot import stopping
from bot.stopping import Stop


@pytest.fixture
def forced(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The exit codes with which a process that hangs would be ended."""
    codes = list[int]()
    monkeypatch.setattr(stopping, "end_by_force", codes.append)
    return codes


@pytest.fixture
async def stop() -> AsyncIterator[Stop]:
    yield Stop()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().remove_signal_handler(number)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_it_says_by_what_it_was_stopped(
    stop: Stop, number: signal.Signals, forced: list[int], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    stop.tell()
    assert caplog.messages == []
    signal.raise_signal(number)
    async with asyncio.timeout(60):
        await stop.event.wait()
    signal.raise_signal(signal.SIGTERM)  # once more: whoever is in a hurry changes nothing
    async with asyncio.timeout(60):
        while len(forced) < 2:  # noqa: ASYNC110 - the loop alone hands signals on
            await asyncio.sleep(0)
    stop.tell()
    (said,) = caplog.messages
    assert re.fullmatch(rf"stopped by {number.name}, in order and in [0-9]+\.[0-9] s", said)
    assert forced == [0, 0]


async def test_a_bot_that_fails_has_no_more_time_than_one_that_is_told_to_stop(forced: list[int]) -> None:
    event = asyncio.Event()
    stopping.hurry(event)
    assert forced == [1]
    event.set()
    stopping.hurry(event)
    assert forced == [1]
