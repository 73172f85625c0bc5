"""A crowd on a small Telegram in a process of its own, and a bot beside it: how fast it answers.

`python -m bench.crowd MODULE TEXT WAY` starts `python -m MODULE`, by polling or webhook, says TEXT to it a
thousand times at once, then a hundred times a second, over fifty chats, and prints one object of figures.
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
    """Figures of a bot: `first` seconds, `rate` updates a second, `p50` and `p99` seconds, `memory` bytes."""
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
                **(hooked() if way == "webhook" else {}),
            }
            began = time.perf_counter()
            command = [sys.executable, "-m", module]
            bot = subprocess.Popen(command, env=environment)  # noqa: ASYNC220 - it returns at once
            try:
                world.say(people[0], people[0], text)
                await replies(world, 1)
                first = time.perf_counter() - began
                rate = await flood(world, people, text)
                delays = quantiles(await stream(world, people, text), n=100)
                memory = psutil.Process(bot.pid).memory_info().rss
            finally:
                bot.terminate()
                await asyncio.to_thread(bot.wait)
    return {"first": first, "rate": rate, "p50": delays[49], "p99": delays[98], "memory": memory}


def hooked() -> dict[str, str]:
    """The settings of a bot that takes updates at a port of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    return {"WEBHOOK_URL": f"http://{address}/hook", "WEBHOOK_LISTEN": address, "WEBHOOK_SECRET": "s" * 40}


async def replies(world: World, count: int) -> None:
    """Wait until the bot has posted so many messages."""
    while len(world.requests) < count or len(world.calls("sendMessage")) < count:  # noqa: ASYNC110 - cheaper
        await asyncio.sleep(0.002)


async def flood(world: World, people: Sequence[User], text: str) -> float:
    """Updates a second when all are there at once."""
    before = len(world.calls("sendMessage"))
    began = time.perf_counter()
    for number in range(AT_ONCE):
        person = people[number % len(people)]
        world.say(person, person, text)
    await replies(world, before + AT_ONCE)
    return AT_ONCE / (time.perf_counter() - began)


async def stream(world: World, people: Sequence[User], text: str) -> list[float]:
    """Seconds until each answer when they come one after the other."""
    said: dict[int | None, list[float]] = defaultdict(list)
    before = len(world.calls("sendMessage"))
    began = time.perf_counter()
    for number in range(A_SECOND * SECONDS):
        await asyncio.sleep(max(0.0, began + number / A_SECOND - time.perf_counter()))
        person = people[number % len(people)]
        said[person.id].append(world.clock())
        world.say(person, person, text)
    await replies(world, before + A_SECOND * SECONDS)
    return [call.at - said[call.chat].pop(0) for call in world.calls("sendMessage")[before:]]


def main(arguments: Sequence[str]) -> None:
    module, text, way = arguments
    gc.disable()  # pauses of its own would count as the bot's
    print(json.dumps(asyncio.run(measure(module, text, way))))


if __name__ == "__main__":
    main(sys.argv[1:])
