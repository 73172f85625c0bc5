"""Hands dealt in fifty chats, with pictures and without: the time to an answer, the event loop.

`python -m bench.deals off|cards|all` plays one such evening, and prints one object of figures.
"""

import asyncio
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median, quantiles

from bench.crowd import CHATS
from bench.table import Row, written
from bot.database import Store, Tx
from bot.people import queries as people
from bot.settings import read
from tests.telegram import BotApi, User, World

RUNS = 3
A_SECOND, SECONDS = 100, 20
HANDS = 10
"""One of so many messages asks for a hand; the others are answers to it."""
WRONG = "1+1"
CHOICES = ("off", "cards", "all")
BAR = 1.5
"""Times the p99 without pictures."""


def rows() -> Iterator[Row]:
    runs = [{chosen: _figures(chosen) for chosen in CHOICES} for _ in range(RUNS)]  # in turn
    for key, job in (("p99", "any message, p99"), ("deal", "a hand, p99"), ("half", "a hand, half of them")):
        plain = median(run["off"][key] for run in runs)
        for chosen in CHOICES[1:]:
            shown = median(run[chosen][key] for run in runs)
            ratio = median(run[chosen][key] / run["off"][key] for run in runs)
            note = f"ratio {ratio:.2f}, median of {RUNS} runs in turn"
            yield Row(f"{chosen}: {job}", written(shown), written(BAR * plain), written(plain), note)
    for chosen in CHOICES:
        longest = max(run[chosen]["longest"] for run in runs)
        uploads = median(run[chosen]["uploads"] for run in runs)
        note = f"the most that one callback computed; {uploads:.0f} uploads a run"
        yield Row(f"{chosen}: the event loop", written(longest), "20 ms", "", note)


def _figures(chosen: str) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.deals", chosen]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(run.stdout)
    return figures


async def measure(chosen: str) -> dict[str, float]:
    """Figures of an evening: `p99` of all, `deal` and `half` of hands, `longest` seconds, `uploads`."""
    world = World(validate=False)
    crowd = [world.user(f"Person {n}") for n in range(CHATS)]
    with tempfile.TemporaryDirectory() as folder:
        database, watched = f"sqlite:///{folder}/bench.sqlite3", Path(folder, "watched")
        await _choose(database, crowd, chosen)
        async with BotApi(world) as api:
            environment = {
                **os.environ,
                "BOT_TOKEN": world.token,
                "BOT_API_URL": api.url,
                "DATABASE_URL": database,
                "LOG_LEVEL": "ERROR",
            }
            command = [sys.executable, "-m", "bench.watched", str(watched)]
            bot = subprocess.Popen(command, env=environment)  # noqa: ASYNC220 - it returns at once
            try:
                await _answered(world, crowd[0], "/play")
                await asyncio.sleep(5.0)
                times = await _evening(world, crowd)
            finally:
                bot.terminate()
                await asyncio.to_thread(bot.wait)
        figures = json.loads(await asyncio.to_thread(watched.read_text, "utf-8"))
    every = quantiles([*times["deal"], *times["answer"]], n=100)
    deals = quantiles(times["deal"], n=100)
    return {**figures, "p99": every[98], "deal": deals[98], "half": deals[49], "uploads": world.uploads.count}


async def _choose(database: str, crowd: Sequence[User], chosen: str) -> None:
    """Everybody has chosen so."""
    settings = read({"DATABASE_URL": database})

    def choices(tx: Tx) -> None:
        for each in crowd:
            people.chat(tx, each.id, "private")
            people.choose(tx, each.id, "pictures", chosen)

    store = await Store.open(settings.database)
    try:
        await store.write(choices)
    finally:
        await store.close()


async def _answered(world: World, user: User, text: str) -> None:
    before = len(world.posts(user))
    world.say(user, user, text)
    while len(world.posts(user)) == before:  # noqa: ASYNC110 - cheaper
        await asyncio.sleep(0.002)


async def _evening(world: World, crowd: Sequence[User]) -> dict[str, list[float]]:
    """Seconds from each message to what answers it: a post for a hand, a reaction for an answer."""
    said: dict[tuple[str, int], list[float]] = defaultdict(list)
    first, began = len(world.requests), time.perf_counter()
    for number in range(A_SECOND * SECONDS):
        await asyncio.sleep(max(0.0, began + number / A_SECOND - time.perf_counter()))
        person, turn = crowd[number % len(crowd)], number // len(crowd) + number % len(crowd)
        asks = turn % HANDS == 0
        if asks:
            world.say(person, person, "/skip", hear=True)
        said["deal" if asks else "answer", person.id].append(world.clock())
        world.say(person, person, "/play" if asks else WRONG)
    await asyncio.sleep(3.0)
    times: dict[str, list[float]] = {"deal": [], "answer": []}
    for call in world.requests[first:]:
        kind = {"sendPhoto": "deal", "setMessageReaction": "answer"}.get(call.method, "")
        if call.method == "sendMessage" and "→" in str(call.params.get("text", "")):
            kind = "deal"
        waiting = said[kind, call.chat or 0] if kind else []
        if waiting:
            times[kind].append(call.at - waiting.pop(0))
    return times


def main(arguments: Sequence[str]) -> None:
    (chosen,) = arguments
    gc.disable()  # pauses of its own would count as the bot's
    print(json.dumps(asyncio.run(measure(chosen))))


if __name__ == "__main__":
    main(sys.argv[1:])
