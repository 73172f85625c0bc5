"""Play with faults for a while: memory and open files do not grow."""

import asyncio
import random
import time
from statistics import median

import psutil
import pytest

from tests.faults.conftest import FULL, BotFactory, choose_amount, report
from tests.faults.test_kill import Table
from tests.telegram import BotApi, World

pytestmark = pytest.mark.faults

FAULTS: tuple[tuple[str, dict[str, object]], ...] = (
    ("send*", {"retry_after": 1, "count": 1}),
    ("edit*", {"status": 502, "count": 2}),
    ("getUpdates", {"status": 502, "count": 1}),
    ("getUpdates", {"body": b"<html>", "count": 1}),
    ("set*", {"close": True, "count": 2}),
)


@pytest.mark.exhaustive
async def test_memory_and_open_files_do_not_grow(make_bot: BotFactory) -> None:
    world = World(seed=6, validate=False)
    people = [world.user(f"P{n}") for n in range(6)]
    tables = [Table(world, person, world.chat_of(person)) for person in people]
    seconds = choose_amount(1800, 24)
    async with BotApi(world) as api:
        process = make_bot(world, api.url)
        process.start()
        over = asyncio.Event()
        playing = [asyncio.create_task(table.play(over)) for table in tables]
        rng, began = random.Random(7), time.monotonic()
        samples: list[tuple[float, int]] = []
        while (elapsed := time.monotonic() - began) < seconds:
            await asyncio.sleep(0.5)
            method, how = rng.choice(FAULTS)
            # getUpdates fails rarely: a fault at every retry would be an outage
            often = method != "getUpdates" or rng.random() < 0.1
            if often and all(rule.method != method for rule in world.faults.rules):
                world.faults.add(method, **how)
            world.say(rng.choice(people), rng.choice(people), rng.choice(("/stats", "/help", "1+1", "/hint")))
            if elapsed > seconds / 3:
                this = psutil.Process(process.process.pid)
                samples.append((this.memory_info().rss / 2**20, this.num_fds()))
            if not any(table.wins for table in tables):
                assert process.process.poll() is None, process.read_log()[-3000:]
        world.faults.clear()
        over.set()
        await asyncio.gather(*playing)
        process.process.terminate()
        assert await process.wait_for_exit(8) == 0
    half = len(samples) // 2
    memory, files = (
        median(s[i] for s in samples[half:]) / median(s[i] for s in samples[:half]) - 1 for i in (0, 1)
    )
    wins = sum(table.wins for table in tables)
    report(f"{seconds} s of play and faults, {wins} wins: memory {memory:+.1%}, open files {files:+.1%}")
    assert memory < (0.05 if FULL else 0.10)  # in the short form caches are still filling
    assert files < 0.05
