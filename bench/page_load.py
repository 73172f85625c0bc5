"""Measure a bot with open pages and busy chats: `python -m bench.page_load PAGES` prints a JSON object.

The fake Telegram and its chats are in this process; the bot and the pages have a process each. All pages show
the board of one group. Meanwhile people in other chats answer, and each delay is measured.
`python -m bench.page_load 0 played` plays the same hands by messages in the group.
"""

import asyncio
import gc
import json
import os
import socket
import sys
import tempfile
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from statistics import quantiles
from typing import Any

import aiohttp
import psutil

from bench.watching_pages import PAUSE
from bench.watching_pages import WARM as WARM_HANDS
from bot.board.rules import Place
from bot.board.tokens import PlaceTokens
from tests.bot.board.signing import make_init_data
from tests.faults.conftest import solve_deal
from tests.telegram import BotApi, Chat, Message, User, World

CHATS, A_SECOND = 40, 20
HANDS = 25
GROUP_MEMBERS = 3  # People who take turns in the group if nobody has a page
SECONDS = 60
# Answers in chats that are not measured: the first ones after a start are slow.
WARM = 200


@asynccontextmanager
async def make_bot(world: World, api: str, root: str) -> AsyncIterator[Process]:
    """Run a bot with a board, on a database of its own."""
    with tempfile.TemporaryDirectory() as folder:
        more = {
            "BOT_TOKEN": world.token,
            "BOT_API_URL": api,
            "DATABASE_URL": f"sqlite:///{folder}/bench.sqlite3",
            "LOG_LEVEL": "ERROR",
            "WEB_URL": root,
            "WEB_LISTEN": root.removeprefix("http://").partition("/")[0],
        }
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bot", env={**os.environ, **more}
        )
        try:
            yield process
        finally:
            process.terminate()
            await process.wait()


async def open_sessions(world: World, root: str, group: Chat, people: list[User]) -> list[str]:
    """Return the key of a new session for each person."""
    start = PlaceTokens(world.token.encode()).make_token(Place(group.id), time.time() + 600)
    found = []
    async with aiohttp.ClientSession() as http:
        for each in people:
            data = make_init_data(world.token, time.time(), {"id": each.id, "first_name": each.first_name})
            async with http.post(f"{root}/open", json={"init_data": data, "start": start}) as answer:
                answer.raise_for_status()
                found.append(str((await answer.json())["session"]))
    return found


async def measure_chats(world: World, people: list[User], answers: int) -> list[float]:
    """Send answers at a steady rate, each in a private chat; return the seconds until each verdict."""
    waits = list[float]()

    async def answer(person: User, number: int) -> None:
        began = time.perf_counter()
        message = world.say(person, person, f"3*8+{3 + number % 2 * 5}-{8 - number % 2 * 5}")
        while not message.reactions:  # noqa: ASYNC110 - an event would slow the bot down
            await asyncio.sleep(0.001)
        waits.append(time.perf_counter() - began)

    began = time.perf_counter()
    async with asyncio.TaskGroup() as tasks:
        for number in range(answers):
            await asyncio.sleep(max(0.0, began + number / A_SECOND - time.perf_counter()))
            tasks.create_task(answer(people[number % len(people)], number))
    return waits


async def deal_private_hands(world: World, people: list[User]) -> None:
    """Deal the same hand to each person in private."""
    for person in people:
        world.say(person, person, "3 8 3 8")
        world.press(person, await world.next_post(person, "→ 24"), "Play it")
        await world.next_post(person, "Use each number once")


async def play_by_messages(world: World, group: Chat, people: list[User]) -> None:
    """Play as many hands as the pages, at the same pace, by messages in the group."""
    deal = await deal_group_hand(world, group, people)
    for hand in range(WARM_HANDS + HANDS):
        began, person = time.perf_counter(), people[hand % len(people)]
        world.say(person, group, solve_deal(deal), reply_to=deal)
        await world.wait_until(lambda deal=deal: "🏆" in deal.text, what="the win")  # type: ignore[misc]
        world.press(person, deal, "Next hand")
        deal = await world.next_post(group, "→ 24")
        await asyncio.sleep(max(0.0, PAUSE - (time.perf_counter() - began)))


async def measure(pages: int, *, by_messages: bool = False) -> dict[str, Any]:
    """Return the delays in seconds, and `memory` in bytes."""
    world = World(validate=False)
    chatters = [world.user(f"Person {n}") for n in range(CHATS)]
    people = [world.user(f"Page {n}") for n in range(pages or GROUP_MEMBERS)]
    group = world.group("Table", *people)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        root = f"http://127.0.0.1:{free.getsockname()[1]}/board"
    async with BotApi(world) as api, make_bot(world, api.url, root) as process:
        await deal_private_hands(world, chatters)
        await measure_chats(world, chatters, WARM)
        gc.collect()
        gc.freeze()
        figures: dict[str, Any] = {}
        if pages:
            pages_process = await start_pages(world, root, group, people)
            assert pages_process.stdin
            assert pages_process.stdout
            pages_process.stdin.write(b"go\n")
            output = asyncio.create_task(pages_process.stdout.readline())
            chat = await measure_chats(world, chatters, A_SECOND * SECONDS)
            figures = json.loads(await output)
            await pages_process.wait()
        else:
            table = asyncio.create_task(play_by_messages(world, group, people)) if by_messages else None
            chat = await measure_chats(world, chatters, A_SECOND * SECONDS)
            if table:
                await table
        memory = psutil.Process(process.pid).memory_info().rss
        return {**figures, "chat": quantiles(chat, n=100), "worst": max(chat), "memory": memory}


async def deal_group_hand(world: World, group: Chat, people: list[User]) -> Message:
    world.say(people[0], group, f"/play@{world.bot.username}")
    return await world.next_post(group, "→ 24")


async def start_pages(world: World, root: str, group: Chat, people: list[User]) -> Process:
    """Deal a hand in the group and open a page there for each person; return the process of the pages."""
    await deal_group_hand(world, group, people)
    pages_process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.watching_pages"),
        *(root, str(HANDS)),
        stdin=PIPE,
        stdout=PIPE,
        limit=2**24,
    )
    assert pages_process.stdin
    assert pages_process.stdout
    keys = await open_sessions(world, root, group, people)
    pages_process.stdin.write("".join(f"{key}\n" for key in keys).encode() + b"\n")
    assert await pages_process.stdout.readline() == b"ready\n"
    return pages_process


if __name__ == "__main__":
    gc.disable()  # its pauses would count as the bot's
    print(json.dumps(asyncio.run(measure(int(sys.argv[1]), by_messages="played" in sys.argv))))
