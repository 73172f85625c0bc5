"""Measure how fast a bot answers many players; they and the fake Telegram are in this process.

`python -m bench.crowd MODULE TEXT WAY` starts `python -m MODULE`, by polling or webhook, sends it TEXT a
thousand times at once, then a hundred times a second, over fifty chats, and prints one JSON object.
"""

import asyncio
import gc
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from statistics import quantiles

import psutil

from tests.telegram import BotApi, User, World

CHATS = 50
AT_ONCE = 1000
A_SECOND, SECONDS = 100, 5


async def measure(module: str, text: str, way: str) -> dict[str, float]:
    """Return `first` seconds, `rate` updates a second, `p50` and `p99` seconds, and `memory` bytes."""
    world = World(validate=False)
    people = [world.user(f"Person {n}") for n in range(CHATS)]
    with tempfile.TemporaryDirectory() as folder:
        async with BotApi(world) as api:
            environment = {
                **os.environ,
                "BOT_TOKEN": world.token,
                "BOT_API_URL": api.url,
                "DATABASE_URL": f"sqlite:///{folder}/bench.sqlite3",
                "LOG_LEVEL": "ERROR",
                **(make_webhook_settings() if way == "webhook" else {}),
            }
            began = time.perf_counter()
            command = [sys.executable, "-m", module]
            bot = subprocess.Popen(command, env=environment)  # noqa: ASYNC220 - it returns at once
            try:
                world.say(people[0], people[0], text)
                await wait_for_replies(world, 1)
                first = time.perf_counter() - began
                rate = await measure_rate(world, people, text)
                delays = quantiles(await measure_delays(world, people, text), n=100)
                memory = psutil.Process(bot.pid).memory_info().rss
            finally:
                bot.terminate()
                await asyncio.to_thread(bot.wait)
    return {"first": first, "rate": rate, "p50": delays[49], "p99": delays[98], "memory": memory}


def make_webhook_settings() -> dict[str, str]:
    """Return the settings of a bot with a webhook on a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    return {"WEBHOOK_URL": f"http://{address}/hook", "WEBHOOK_LISTEN": address, "WEBHOOK_SECRET": "s" * 40}


async def wait_for_replies(world: World, count: int) -> None:
    """Wait until the bot has sent so many messages."""
    while len(world.requests) < count or len(world.calls("sendMessage")) < count:  # noqa: ASYNC110 - cheaper
        await asyncio.sleep(0.002)


async def measure_rate(world: World, people: Sequence[User], text: str) -> float:
    """Send all updates at once; return how many the bot answers in a second."""
    before = len(world.calls("sendMessage"))
    began = time.perf_counter()
    for number in range(AT_ONCE):
        person = people[number % len(people)]
        world.say(person, person, text)
    await wait_for_replies(world, before + AT_ONCE)
    return AT_ONCE / (time.perf_counter() - began)


async def measure_delays(world: World, people: Sequence[User], text: str) -> list[float]:
    """Send updates at a steady rate; return the seconds until each answer."""
    sent: dict[int | None, list[float]] = defaultdict(list)
    before = len(world.calls("sendMessage"))
    began = time.perf_counter()
    for number in range(A_SECOND * SECONDS):
        await asyncio.sleep(max(0.0, began + number / A_SECOND - time.perf_counter()))
        person = people[number % len(people)]
        sent[person.id].append(world.clock())
        world.say(person, person, text)
    await wait_for_replies(world, before + A_SECOND * SECONDS)
    return [call.at - sent[call.chat].pop(0) for call in world.calls("sendMessage")[before:]]


def main(arguments: Sequence[str]) -> None:
    module, text, way = arguments
    gc.disable()  # its pauses would count as the bot's
    print(json.dumps(asyncio.run(measure(module, text, way))))


if __name__ == "__main__":
    main(sys.argv[1:])
