"""Two bots on one database, or on one token."""

import asyncio
import time
from pathlib import Path

import pytest

from bot.polling import NEWCOMER
from tests.faults.conftest import Process, Started, show
from tests.telegram import BotApi, World

pytestmark = pytest.mark.faults


async def _started(first: Process) -> float:
    """Start the first; how many seconds that takes on this machine as busy as it is."""
    began = time.monotonic()
    first.start()
    await first.says("is ready", 20)
    return time.monotonic() - began


async def _refused(second: Process, words: str) -> float:
    """The second ends with one line that holds `words`; after how many seconds."""
    began = time.monotonic()
    second.start()
    assert await second.ended(20) != 0
    assert words in second.said().splitlines()[-1]
    assert "Traceback" not in second.said()
    return time.monotonic() - began


async def test_the_second_on_a_database_ends(bot: Started) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        first, second = bot(world, api.url), bot(world, api.url)
        start = await _started(first)
        took = await _refused(second, "another bot already runs on the database")
        world.say(ann, ann, "/help")
        await world.next_post(ann)
        assert first.process.poll() is None
    show(f"a second bot on one database: ends after {took:.1f} s, the first plays on")
    assert took < start + 4
    assert len(world.posts(ann)) == 1


async def test_the_second_on_a_token_ends(bot: Started, tmp_path: Path) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        first = bot(world, api.url)
        second = bot(world, api.url, database=tmp_path / "other.sqlite3")
        start = await _started(first)
        world.say(ann, ann, "/help")
        await world.next_post(ann, timeout=10)
        await world.until(lambda: len(world.calls("getUpdates")) >= 2)
        await asyncio.sleep(NEWCOMER)  # two that start within one breath can't tell who was first
        took = await _refused(second, "another bot already polls with this token")
        assert first.process.poll() is None
        world.say(ann, ann, "/help")
        await world.next_post(ann)
    show(f"a second bot on one token: ends after {took:.1f} s, the first plays on")
    assert took < start + 4
    assert len(world.posts(ann)) == 2
