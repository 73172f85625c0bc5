"""SIGTERM while updates wait."""

import asyncio
import time
from pathlib import Path

import pytest

from tests.faults.conftest import Started, alive, children, rows, show
from tests.telegram import BotApi, World

pytestmark = pytest.mark.faults

WAITING = 90


async def test_the_rest_is_left_to_the_next_start(bot: Started, database: Path) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        process = bot(world, api.url)
        process.start()
        await process.says("is ready")
        world.say(ann, ann, "/race 20 easy")  # takes a while to deal, and the rest waits for it
        for _ in range(WAITING - 1):
            world.say(ann, ann, "/help")
        await world.wait_until_taken()
        workers = children(process.process.pid)
        began = time.monotonic()
        process.process.terminate()
        assert await process.ended(8) == 0, process.said()[-3000:]
        took = time.monotonic() - began
        (waiting,) = rows(database, "SELECT count(*) FROM inbox WHERE state = 'waiting'")[0]
        until = time.monotonic() + 1  # what they share closes when the last of them has
        while left := [worker for worker in workers if alive(worker)]:
            assert time.monotonic() < until, left
            await asyncio.sleep(0.005)
        process.start()
        await world.wait_until(lambda: len(world.posts(ann)) >= WAITING, 120, "the last reply")
        process.process.terminate()
        assert await process.ended(8) == 0
    show(f"SIGTERM with {waiting} of {WAITING} waiting: exit 0 after {took:.1f} s, 0 lost, 0 doubled")
    assert waiting > WAITING // 2
    assert len(world.posts(ann)) == WAITING


async def test_a_start_that_waits_for_telegram_can_be_stopped(bot: Started) -> None:
    world = World()
    process = bot(world, "http://127.0.0.1:9")  # nobody listens there
    process.start()
    await process.says("can't be reached")
    process.process.terminate()
    assert await process.ended(8) == 0


async def test_a_telegram_that_hangs_does_not_hold_the_exit(bot: Started) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        process = bot(world, api.url)
        process.start()
        await process.says("is ready")
        world.faults.add("send*", hang=60)
        world.say(ann, ann, "/help")
        while not world.calls("sendMessage"):  # noqa: ASYNC110 - the small Telegram tells only of answers
            await asyncio.sleep(0.01)
        began = time.monotonic()
        process.process.terminate()
        assert await process.ended(8) == 0
        show(f"SIGTERM while a request hangs: exit 0 after {time.monotonic() - began:.1f} s")
