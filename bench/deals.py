"""Hands dealt in fifty chats, with and without pictures: the time to an answer, the event loop.

`python -m bench.deals off|cards|all` plays once with that setting and prints one JSON object.
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
from bench.loop_watch import WARM_UP
from bench.report import Row, format_time
from bot.database import Store, Tx
from bot.players import queries as people
from bot.settings import read_settings
from tests.telegram import BotApi, User, World
from tests.telegram.record import Request

RUNS = 3
A_SECOND, SECONDS = 50, 20
HANDS = 20  # One in so many messages asks for a hand; the others answer it
WRONG = "1+1"
CHOICES = ("off", "cards", "all")
BAR = 1.5  # Times the p99 without pictures


def measure_rows() -> Iterator[Row]:
    runs = [{chosen: _measure_setting(chosen) for chosen in CHOICES} for _ in range(RUNS)]  # in turn
    for key, job in (("p99", "any message, p99"), ("deal", "a hand, p99"), ("half", "a hand, half of them")):
        plain = median(run["off"][key] for run in runs)
        for chosen in CHOICES[1:]:
            pictured = median(run[chosen][key] for run in runs)
            ratio = median(run[chosen][key] / run["off"][key] for run in runs)
            note = f"ratio {ratio:.2f}, median of {RUNS} runs in turn"
            yield Row(
                f"{chosen}: {job}",
                format_time(pictured),
                format_time(BAR * plain),
                format_time(plain),
                note,
            )
    for chosen in CHOICES:
        longest = max(run[chosen]["longest"] for run in runs)
        uploads = median(run[chosen]["uploads"] for run in runs)
        note = f"longest callback; {uploads:.0f} uploads a run"
        yield Row(f"{chosen}: the event loop", format_time(longest), "20 ms", "", note)


def _measure_setting(chosen: str) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.deals", chosen]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(run.stdout)
    return figures


async def measure(chosen: str) -> dict[str, float]:
    """Return `p99` of all messages, `deal` and `half` of hands, `longest` seconds, and `uploads`."""
    world = World(validate=False)
    crowd = [world.user(f"Person {n}") for n in range(CHATS)]
    with tempfile.TemporaryDirectory() as folder:
        database, watched = f"sqlite:///{folder}/bench.sqlite3", Path(folder, "watched")
        await _store_picture_setting(database, crowd, chosen)
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
                await _deal_first_hands(world, crowd)
                times = await _measure_delays(world, crowd)
            finally:
                bot.terminate()
                await asyncio.to_thread(bot.wait)
        figures = json.loads(await asyncio.to_thread(watched.read_text, "utf-8"))
    all_messages = quantiles([*times["deal"], *times["answer"]], n=100)
    deals = quantiles(times["deal"], n=100)
    return {
        **figures,
        "p99": all_messages[98],
        "deal": deals[98],
        "half": deals[49],
        "uploads": world.uploads.count,
    }


async def _store_picture_setting(database: str, crowd: Sequence[User], chosen: str) -> None:
    """Store the same setting for everybody."""
    settings = read_settings({"DATABASE_URL": database})

    def store(tx: Tx) -> None:
        for each in crowd:
            people.load_or_insert_chat(tx, each.id, "private")
            people.store_setting(tx, each.id, "pictures", chosen)

    database_store = await Store.open(settings.database)
    try:
        await database_store.write(store)
    finally:
        await database_store.close()


async def _measure_delays(world: World, crowd: Sequence[User]) -> dict[str, list[float]]:
    """Send messages at a steady rate; return the seconds until each `deal` and reaction to an `answer`."""
    requested: dict[int, list[float]] = defaultdict(list)
    answers: dict[tuple[int, int], float] = {}
    first, began = len(world.requests), time.perf_counter()
    for number in range(A_SECOND * SECONDS):
        await asyncio.sleep(max(0.0, began + number / A_SECOND - time.perf_counter()))
        person, turn = crowd[number % len(crowd)], number // len(crowd) + number % len(crowd)
        if turn % HANDS == 0:
            requested[person.id].append(world.clock())
            world.say(person, person, "/play")
        else:
            text = "/skip" if turn % HANDS == HANDS - 1 else WRONG
            answers[person.id, world.say(person, person, text).id] = world.clock()
    await asyncio.sleep(2.0)
    times: dict[str, list[float]] = {"deal": [], "answer": []}
    for call in world.requests[first:]:
        if call.method == "setMessageReaction":
            sent = answers.get((call.chat or 0, int(call.params["message_id"])))
            times["answer"] += [call.at - sent] if sent is not None else []
        elif _is_deal(call) and requested[call.chat or 0]:
            times["deal"].append(call.at - requested[call.chat or 0].pop(0))
    return times


async def _deal_first_hands(world: World, crowd: Sequence[User]) -> None:
    """Deal a hand to everybody and wait until the bot is idle."""
    for person in crowd:
        world.say(person, person, "/play")
    while sum(map(_is_deal, world.requests)) < len(crowd):  # noqa: ASYNC110 - cheaper
        await asyncio.sleep(0.01)
    await asyncio.sleep(WARM_UP)


def _is_deal(call: Request) -> bool:
    posted = call.method in ("sendMessage", "sendPhoto") and call.status == 200
    return posted and "→" in str(call.params.get("text") or call.params.get("caption") or "")


def main(arguments: Sequence[str]) -> None:
    (chosen,) = arguments
    gc.disable()  # its pauses would count as the bot's
    print(json.dumps(asyncio.run(measure(chosen))))


if __name__ == "__main__":
    main(sys.argv[1:])
