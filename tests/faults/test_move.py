"""From SQLite to PostgreSQL and back in the midst of an evening: who plays notices nothing but a pause."""

import asyncio
import random
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path

import asyncpg  # type: ignore[import-untyped]
import pytest
from sqlalchemy.engine import make_url

from tests.bot.postgres import fresh_database
from tests.faults.conftest import ROOT, Process, Started, figure, show
from tests.faults.test_kill import Table, repeated
from tests.telegram import BotApi, World

pytestmark = pytest.mark.faults

HELD = """
    SELECT (SELECT count(*) FROM awards), (SELECT count(DISTINCT round_id) FROM awards),
           (SELECT sum(points) FROM awards),
           (SELECT sum(points) FROM totals WHERE period = 'all' AND chat_id != 0),
           (SELECT sum(hands) FROM ratings)
"""


async def held(url: str) -> tuple[int, ...]:
    """Awards, rounds that have one, their points, those of all boards, hands that are rated."""
    if url.startswith("sqlite:///"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), timeout=60)) as file:  # also in a run on
            return tuple(file.execute(HELD).fetchone())  # a server: one of the two is a file
    with_server = await asyncpg.connect(url)
    try:
        return tuple(int(number) for number in await with_server.fetchrow(HELD))
    finally:
        await with_server.close()


async def moved(environment: Mapping[str, str], target: str, cut_after: float | None) -> str:
    """`twentyfour-bot move`, killed after so many seconds first if that is asked; what it prints."""
    command = [sys.executable, "-m", "bot", "move", target]
    if cut_after is not None:
        cut = await asyncio.create_subprocess_exec(
            *command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL
        )
        await asyncio.sleep(cut_after)  # whatever it does by then: that is the fault
        with suppress(ProcessLookupError):
            cut.kill()
        await cut.wait()
    done = await asyncio.create_subprocess_exec(
        *command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    said, _ = await done.communicate()
    assert done.returncode == 0, said.decode()
    return said.decode()


async def ended(process: Process, chance: random.Random) -> str:
    """End the bot, by a kill or as one should; how."""
    if how := chance.random() < 0.5:
        process.kill()
    else:
        process.process.terminate()
        assert await process.ended(8) == 0, process.said()[-3000:]
    return "kill" if how else "stop"


@pytest.mark.exhaustive
async def test_nothing_is_lost_on_the_way_there_and_back(bot: Started, database: Path) -> None:
    world, chance = World(seed=3), random.Random(4)
    people = [world.user(name) for name in ("Ann", "Bob", "Cid", "Dora", "Eve", "Finn")]
    chats = [world.chat_of(person) for person in people[:3]]
    chats += [world.group(person.first_name, person) for person in people[3:]]
    tables = [Table(world, person, chat) for person, chat in zip(people, chats, strict=True)]
    moments, how = list[float](), Counter[str]()
    async with fresh_database() as made, BotApi(world) as api:
        server = make_url(made).set(drivername="postgresql").render_as_string(hide_password=False)
        urls = [f"sqlite:///{database}", server]
        process = bot(world, api.url, DATABASE_URL=urls[0])
        process.start()
        over = asyncio.Event()
        async with asyncio.TaskGroup() as evening:
            for table in tables:
                evening.create_task(table.play(over))
            for _ in range(figure(20, 2)):
                before = sum(table.wins for table in tables)
                more = before + figure(30, 8)
                await world.wait_until(lambda more=more: sum(t.wins for t in tables) >= more, 120, "wins")  # type: ignore[misc]
                how[await ended(process, chance)] += 1
                moments.append(world.clock())
                counted = await held(urls[0])
                here, there = urls
                await emptied(there)
                cut = chance.uniform(0.3, 1.5) if chance.random() < 0.5 else None
                how["cut off"] += cut is not None
                said = await moved(process.environment | {"DATABASE_URL": here}, there, cut)
                assert f"awards: {counted[0]} rows" in said
                assert await held(there) == counted
                urls.reverse()
                process.environment["DATABASE_URL"] = urls[0]
                process.start()
            over.set()
        await world.wait_until_taken()
        await process.repeats("is ready", process.starts)
        process.process.terminate()
        assert await process.ended(8) == 0, process.said()[-3000:]
        awards, winning, points, total, rated = await held(urls[0])
    wins, again = sum(table.wins for table in tables), repeated(world, moments)
    told = ", ".join(f"{n} x {what}" for what, n in sorted(how.items()))
    show(
        f"moved {len(moments)} times ({told}): {wins} wins, {wins - winning} lost, "
        f"{awards - winning} doubled, "
        f"{again.total()} posts repeated, at most {max(again.values(), default=0)} a move"
    )
    assert awards == winning == rated == wins
    assert points == total
    assert max(again.values(), default=0) <= 1
    assert not world.violations


async def emptied(url: str) -> None:
    """Take the former copy away: a move wants an empty target, or one that it began itself."""
    if url.startswith("sqlite:///"):
        for file in Path(url.removeprefix("sqlite:///")).parent.glob("twentyfour.sqlite3*"):
            file.unlink()
        return
    with_server = await asyncpg.connect(url)
    try:
        await with_server.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    finally:
        await with_server.close()
