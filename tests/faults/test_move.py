"""The database moves from SQLite to PostgreSQL and back while people play."""

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
from tests.faults.conftest import ROOT, BotFactory, Process, choose_amount, report
from tests.faults.test_kill import Table, count_repeated_deals
from tests.telegram import BotApi, World

pytestmark = pytest.mark.faults

COUNTS = """
    SELECT (SELECT count(*) FROM awards), (SELECT count(DISTINCT round_id) FROM awards),
           (SELECT sum(points) FROM awards),
           (SELECT sum(points) FROM totals WHERE period LIKE '%all' AND chat_id<>0),
           (SELECT sum(hands) FROM ratings)
"""


async def count_points(url: str) -> tuple[int, ...]:
    """Return the numbers of awards, won rounds, points, points on leaderboards, and rated hands."""
    if url.startswith("sqlite:///"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), timeout=60)) as file:  # also in a run on
            return tuple(file.execute(COUNTS).fetchone())  # a server: one of the two is a file
    with_server = await asyncpg.connect(url)
    try:
        return tuple(int(number) for number in await with_server.fetchrow(COUNTS))
    finally:
        await with_server.close()


async def move_database(environment: Mapping[str, str], target: str, cut_after: float | None) -> str:
    """Run `twentyfour-bot move` return its output; first kill a run after `cut_after` seconds if given."""
    command = [sys.executable, "-m", "bot", "move", target]
    if cut_after is not None:
        cut = await asyncio.create_subprocess_exec(
            *command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL
        )
        await asyncio.sleep(cut_after)  # the kill comes at any moment
        with suppress(ProcessLookupError):
            cut.kill()
        await cut.wait()
    done = await asyncio.create_subprocess_exec(
        *command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    said, _ = await done.communicate()
    assert done.returncode == 0, said.decode()
    return said.decode()


async def end_bot(process: Process, chance: random.Random) -> str:
    """Kill or stop the bot at random; return "kill" or "stop"."""
    if how := chance.random() < 0.5:
        process.kill()
    else:
        process.process.terminate()
        assert await process.wait_for_exit(8) == 0, process.read_log()[-3000:]
    return "kill" if how else "stop"


@pytest.mark.exhaustive
async def test_moves_between_databases_lose_nothing(make_bot: BotFactory, database: Path) -> None:
    world, chance = World(seed=3), random.Random(4)
    people = [world.user(name) for name in ("Ann", "Bob", "Cid", "Dora", "Eve", "Finn")]
    chats = [world.chat_of(person) for person in people[:3]]
    chats += [world.group(person.first_name, person) for person in people[3:]]
    tables = [Table(world, person, chat) for person, chat in zip(people, chats, strict=True)]
    moments, how = list[float](), Counter[str]()
    async with fresh_database() as made, BotApi(world) as api:
        server = make_url(made).set(drivername="postgresql").render_as_string(hide_password=False)
        urls = [f"sqlite:///{database}", server]
        process = make_bot(world, api.url, DATABASE_URL=urls[0])
        process.start()
        over = asyncio.Event()
        async with asyncio.TaskGroup() as evening:
            for table in tables:
                evening.create_task(table.play(over))
            for _ in range(choose_amount(20, 2)):
                before = sum(table.wins for table in tables)
                more = before + choose_amount(30, 8)
                await world.wait_until(lambda more=more: sum(t.wins for t in tables) >= more, 120, "wins")  # type: ignore[misc]
                how[await end_bot(process, chance)] += 1
                moments.append(world.clock())
                counted = await count_points(urls[0])
                here, there = urls
                await empty_database(there)
                cut = chance.uniform(0.3, 1.5) if chance.random() < 0.5 else None
                how["cut off"] += cut is not None
                said = await move_database(process.environment | {"DATABASE_URL": here}, there, cut)
                assert f"awards: {counted[0]} rows" in said
                assert await count_points(there) == counted
                urls.reverse()
                process.environment["DATABASE_URL"] = urls[0]
                process.start()
            over.set()
        await world.wait_until_taken()
        await process.wait_for_log_count("is ready", process.starts)
        process.process.terminate()
        assert await process.wait_for_exit(8) == 0, process.read_log()[-3000:]
        awards, winning, points, total, rated = await count_points(urls[0])
    wins, again = sum(table.wins for table in tables), count_repeated_deals(world, moments)
    told = ", ".join(f"{n} x {what}" for what, n in sorted(how.items()))
    report(
        f"moved {len(moments)} times ({told}): {wins} wins, {wins - winning} lost, "
        f"{awards - winning} doubled, "
        f"{again.total()} posts repeated, at most {max(again.values(), default=0)} a move"
    )
    assert awards == winning == rated == wins
    assert points == total
    assert max(again.values(), default=0) <= 1
    assert not world.violations


async def empty_database(url: str) -> None:
    """Empty a database, since a move refuses a target with other data."""
    if url.startswith("sqlite:///"):
        for file in Path(url.removeprefix("sqlite:///")).parent.glob("twentyfour.sqlite3*"):
            file.unlink()
        return
    with_server = await asyncpg.connect(url)
    try:
        await with_server.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    finally:
        await with_server.close()
