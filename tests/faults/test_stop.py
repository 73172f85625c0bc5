"""SIGTERM while updates or requests wait."""

import asyncio
import time
from pathlib import Path

import pytest

from tests.faults.conftest import BotFactory, fetch_rows, is_alive, list_children, report
from tests.telegram import BotApi, World

pytestmark = pytest.mark.faults

WAITING = 90


async def test_stop_leaves_waiting_updates_to_the_next_start(make_bot: BotFactory, database: Path) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        process = make_bot(world, api.url)
        process.start()
        await process.wait_for_log("is ready")
        world.say(ann, ann, "/race 20 easy")  # slow to deal, and the rest waits for it
        for _ in range(WAITING - 1):
            world.say(ann, ann, "/help")
        await world.wait_until_taken()
        workers = list_children(process.process.pid)
        began = time.monotonic()
        process.process.terminate()
        assert await process.wait_for_exit(8) == 0, process.read_log()[-3000:]
        took = time.monotonic() - began
        (waiting,) = fetch_rows(database, "SELECT count(*) FROM inbox WHERE state = 'waiting'")[0]
        until = time.monotonic() + 1  # the workers close their shared resources together
        while left := [worker for worker in workers if is_alive(worker)]:
            assert time.monotonic() < until, left
            await asyncio.sleep(0.005)
        process.start()
        await world.wait_until(lambda: len(world.posts(ann)) >= WAITING, 120, "the last reply")
        process.process.terminate()
        assert await process.wait_for_exit(8) == 0
    report(f"SIGTERM with {waiting} of {WAITING} waiting: exit 0 after {took:.1f} s, 0 lost, 0 doubled")
    assert waiting > WAITING // 2
    assert len(world.posts(ann)) == WAITING


async def test_start_that_waits_for_telegram_can_be_stopped(make_bot: BotFactory) -> None:
    world = World()
    process = make_bot(world, "http://127.0.0.1:9")  # nobody listens there
    process.start()
    await process.wait_for_log("can't be reached")
    process.process.terminate()
    assert await process.wait_for_exit(8) == 0


async def test_hanging_request_does_not_delay_the_exit(make_bot: BotFactory) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        process = make_bot(world, api.url)
        process.start()
        await process.wait_for_log("is ready")
        world.faults.add("send*", hang=60)
        world.say(ann, ann, "/help")
        while not world.calls("sendMessage"):  # noqa: ASYNC110 - the fake Telegram notifies only about answers
            await asyncio.sleep(0.01)
        began = time.monotonic()
        process.process.terminate()
        assert await process.wait_for_exit(8) == 0
        report(f"SIGTERM while a request hangs: exit 0 after {time.monotonic() - began:.1f} s")
