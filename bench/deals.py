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
from bench.loop_watch import SETTLED
from bench.table import Row, written
from bot.database import Store, Tx
from bot.players import queries as people
from bot.settings import read_settings
from tests.telegram import BotApi, User, World
from tests.telegram.record import Request

RUNS = 3
A_SECOND, SECONDS = 50, 20
HANDS = 20  # One of so many messages asks for a hand; the others are answers to it
WRONG = "1+1"
CHOICES = ("off", "cards", "all")
BAR = 1.5  # Times the p99 without pictures


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
            command = [sys.executable, "-m", "bench.loop_watch", str(watched)]
            bot = subprocess.Popen(command, env=environment)  # noqa: ASYNC220 - it returns at once
            try:
                await _dealt(world, crowd)
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
    settings = read_settings({"DATABASE_URL": database})

    def choices(tx: Tx) -> None:
        for each in crowd:
            people.load_or_insert_chat(tx, each.id, "private")
            people.store_setting(tx, each.id, "pictures", chosen)

    store = await Store.open(settings.database)
    try:
        await store.write(choices)
    finally:
        await store.close()


async def _evening(world: World, crowd: Sequence[User]) -> dict[str, list[float]]:
    """Seconds from each message to what answers it: a post for a hand, a reaction for an answer."""
    asked: dict[int, list[float]] = defaultdict(list)
    answers: dict[tuple[int, int], float] = {}
    first, began = len(world.requests), time.perf_counter()
    for number in range(A_SECOND * SECONDS):
        await asyncio.sleep(max(0.0, began + number / A_SECOND - time.perf_counter()))
        person, turn = crowd[number % len(crowd)], number // len(crowd) + number % len(crowd)
        if turn % HANDS == 0:
            asked[person.id].append(world.clock())
            world.say(person, person, "/play")
        else:
            text = "/skip" if turn % HANDS == HANDS - 1 else WRONG
            answers[person.id, world.say(person, person, text).id] = world.clock()
    await asyncio.sleep(2.0)
    times: dict[str, list[float]] = {"deal": [], "answer": []}
    for call in world.requests[first:]:
        if call.method == "setMessageReaction":
            said = answers.get((call.chat or 0, int(call.params["message_id"])))
            times["answer"] += [call.at - said] if said is not None else []
        elif _is_deal(call) and asked[call.chat or 0]:
            times["deal"].append(call.at - asked[call.chat or 0].pop(0))
    return times


async def _dealt(world: World, crowd: Sequence[User]) -> None:
    """Everybody has a hand, and the bot has settled."""
    for person in crowd:
        world.say(person, person, "/play")
    while sum(map(_is_deal, world.requests)) < len(crowd):  # noqa: ASYNC110 - cheaper
        await asyncio.sleep(0.01)
    await asyncio.sleep(SETTLED)


def _is_deal(call: Request) -> bool:
    posted = call.method in ("sendMessage", "sendPhoto") and call.status == 200
    return posted and "→" in str(call.params.get("text") or call.params.get("caption") or "")


def main(arguments: Sequence[str]) -> None:
    (chosen,) = arguments
    gc.disable()  # pauses of its own would count as the bot's
    print(json.dumps(asyncio.run(measure(chosen))))


if __name__ == "__main__":
    main(sys.argv[1:])
