"""A bot with its chats, perhaps with pages that look on: `python -m bench.tables PAGES` prints its figures.

The small Telegram and the chats are in this process, the bot and the pages each in one of their own. All
pages look on at one table; meanwhile people of other chats answer, and it is measured how long each waits.
`python -m bench.tables 0 played` plays the same hands at that table by messages in its chat.
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
SAID_BY = 3  # People who take turns at that table where nobody has a page
SECONDS = 60
# Answers in chats before the time of any is taken: the first ones after a start find nothing ready.
WARM = 200


@asynccontextmanager
async def make_bot(world: World, api: str, root: str) -> AsyncIterator[Process]:
    """A bot with a board, on a database of its own."""
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


async def keys(world: World, root: str, group: Chat, people: list[User]) -> list[str]:
    """A session for each."""
    start = PlaceTokens(world.token.encode()).make_token(Place(group.id), time.time() + 600)
    found = []
    async with aiohttp.ClientSession() as http:
        for each in people:
            data = make_init_data(world.token, time.time(), {"id": each.id, "first_name": each.first_name})
            async with http.post(f"{root}/open", json={"init_data": data, "start": start}) as answer:
                answer.raise_for_status()
                found.append(str((await answer.json())["session"]))
    return found


async def chatting(world: World, people: list[User], answers: int) -> list[float]:
    """Seconds from each answer to its verdict, of people who each have a hand of their own."""
    waits = list[float]()

    async def said(person: User, number: int) -> None:
        began = time.perf_counter()
        message = world.say(person, person, f"3*8+{3 + number % 2 * 5}-{8 - number % 2 * 5}")
        while not message.reactions:  # noqa: ASYNC110 - an event would cost the bot more
            await asyncio.sleep(0.001)
        waits.append(time.perf_counter() - began)

    began = time.perf_counter()
    async with asyncio.TaskGroup() as tasks:
        for number in range(answers):
            await asyncio.sleep(max(0.0, began + number / A_SECOND - time.perf_counter()))
            tasks.create_task(said(people[number % len(people)], number))
    return waits


async def hands(world: World, people: list[User]) -> None:
    """Each has the same hand of their own, in private."""
    for person in people:
        world.say(person, person, "3 8 3 8")
        world.press(person, await world.next_post(person, "→ 24"), "Play it")
        await world.next_post(person, "Use each number once")


async def played(world: World, group: Chat, people: list[User]) -> None:
    """As many hands as the pages play, as far apart, by what is said in the chat."""
    deal = await asked(world, group, people)
    for hand in range(WARM_HANDS + HANDS):
        began, person = time.perf_counter(), people[hand % len(people)]
        world.say(person, group, solve_deal(deal), reply_to=deal)
        await world.wait_until(lambda deal=deal: "🏆" in deal.text, what="the win")  # type: ignore[misc]
        world.press(person, deal, "Next hand")
        deal = await world.next_post(group, "→ 24")
        await asyncio.sleep(max(0.0, PAUSE - (time.perf_counter() - began)))


async def measure(pages: int, *, by_messages: bool = False) -> dict[str, Any]:
    """Seconds of each kind, and bytes."""
    world = World(validate=False)
    chatters = [world.user(f"Person {n}") for n in range(CHATS)]
    people = [world.user(f"Page {n}") for n in range(pages or SAID_BY)]
    group = world.group("Table", *people)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        root = f"http://127.0.0.1:{free.getsockname()[1]}/board"
    async with BotApi(world) as api, make_bot(world, api.url, root) as process:
        await hands(world, chatters)
        await chatting(world, chatters, WARM)
        gc.collect()
        gc.freeze()
        figures: dict[str, Any] = {}
        if pages:
            crowd = await onlookers(world, root, group, people)
            assert crowd.stdin
            assert crowd.stdout
            crowd.stdin.write(b"go\n")
            told = asyncio.create_task(crowd.stdout.readline())
            chat = await chatting(world, chatters, A_SECOND * SECONDS)
            figures = json.loads(await told)
            await crowd.wait()
        else:
            table = asyncio.create_task(played(world, group, people)) if by_messages else None
            chat = await chatting(world, chatters, A_SECOND * SECONDS)
            if table:
                await table
        memory = psutil.Process(process.pid).memory_info().rss
        return {**figures, "chat": quantiles(chat, n=100), "worst": max(chat), "memory": memory}


async def asked(world: World, group: Chat, people: list[User]) -> Message:
    """A hand on the group's table."""
    world.say(people[0], group, f"/play@{world.bot.username}")
    return await world.next_post(group, "→ 24")


async def onlookers(world: World, root: str, group: Chat, people: list[User]) -> Process:
    """Pages that are all open at one group's table, with a hand on it."""
    await asked(world, group, people)
    crowd = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.watching_pages"),
        *(root, str(HANDS)),
        stdin=PIPE,
        stdout=PIPE,
        limit=2**24,
    )
    assert crowd.stdin
    assert crowd.stdout
    found = await keys(world, root, group, people)
    crowd.stdin.write("".join(f"{key}\n" for key in found).encode() + b"\n")
    assert await crowd.stdout.readline() == b"ready\n"
    return crowd


if __name__ == "__main__":
    gc.disable()  # pauses of its own would count as the bot's
    print(json.dumps(asyncio.run(measure(int(sys.argv[1]), by_messages="played" in sys.argv))))
