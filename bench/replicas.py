"""Several bots on one PostgreSQL database: updates a second, the time to an answer, CPU, who leads next.

`python -m bench.replicas BOTS URL` plays the crowd for so many bots, in a process of its own, and prints one
object of figures. Without a pace of their own, since Telegram's would be all that is measured.
"""

import asyncio
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import quantiles

import asyncpg  # type: ignore[import-untyped]
import psutil

from bench.crowd import A_SECOND, AT_ONCE, CHATS, SECONDS, flood, replies, stream
from bench.table import Row, written
from tests.telegram import BotApi, World

SERVER = os.environ.get("TEST_POSTGRES_URL") or "postgresql://postgres@127.0.0.1:5432/postgres"
MOST = 3
BAR = 5.0  # Seconds within which another bot leads
STARTED = "is ready"


def rows() -> Iterator[Row]:
    try:
        asyncio.run(_reach())
    except (OSError, asyncpg.PostgresError) as error:
        yield Row("several bots", "", "", "", f"not measured: no PostgreSQL at {SERVER}: {error}")
        return
    alone = _figures(1, "sqlite")
    yield _rate("one bot on SQLite", alone, alone)
    for bots in range(1, MOST + 1):
        figures = _figures(bots, SERVER)
        yield _rate(f"{bots} on PostgreSQL", figures, alone)
        if bots > 1:
            took = figures["takeover"]
            note = "from killing the one that fetches to the first answer; baseline: none, one bot is gone"
            yield Row(f"{bots}: another one leads", written(took), written(BAR), "", note)


def _rate(job: str, figures: dict[str, float], alone: dict[str, float]) -> Row:
    return Row(
        job,
        f"{figures['rate']:.0f} a second",
        "",
        f"{alone['rate']:.0f} a second",
        f"{AT_ONCE} updates at once over {CHATS} chats; {A_SECOND} a second for {SECONDS} seconds: half are "
        f"answered within {written(figures['p50'])}, p99 {written(figures['p99'])}; CPU of an update: bots "
        f"{written(figures['cpu'])}, database {written(figures['database'])}; baseline: one bot on SQLite",
    )


async def _reach() -> None:
    await (await asyncpg.connect(SERVER, timeout=3)).close()


def _figures(bots: int, where: str) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.replicas", str(bots), where]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(run.stdout)
    return figures


async def measure(bots: int, where: str) -> dict[str, float]:
    """Figures of so many bots: `rate` updates a second, `p50`, `p99` and `takeover` seconds, `cpu` and
    `database` seconds of CPU for an update.
    """
    world = World(validate=False)
    people = [world.user(f"Person {n}") for n in range(CHATS)]
    with tempfile.TemporaryDirectory() as folder:
        async with BotApi(world) as api, _database(where, folder) as url:
            environment = {
                **os.environ,
                "BOT_TOKEN": world.token,
                "BOT_API_URL": api.url,
                "DATABASE_URL": url,
                "SOLVER_WORKERS": "1",
            }
            running = [_started(environment, f"{folder}/{n}.log") for n in range(bots)]
            try:
                for n in range(bots):
                    await _says(f"{folder}/{n}.log", STARTED)
                world.say(people[0], people[0], "/help")
                await replies(world, 1)
                ours, theirs = _used(running), _used(_server())
                rate = await flood(world, people, "/help")
                delays = quantiles(await stream(world, people, "/help"), n=100)
                updates = AT_ONCE + A_SECOND * SECONDS
                cpu, database = _used(running) - ours, _used(_server()) - theirs
                figures = {
                    "rate": rate,
                    "p50": delays[49],
                    "p99": delays[98],
                    "cpu": cpu / updates,
                    "database": database / updates,
                }
                if bots > 1:
                    figures["takeover"] = await _takeover(world, running, folder)
            finally:
                for bot in running:
                    bot.terminate()
                for bot in running:
                    await asyncio.to_thread(bot.wait)
    return figures


async def _takeover(world: World, running: Sequence[psutil.Popen], folder: str) -> float:
    """Seconds from killing the bot that leads to the answer to what was said then."""
    person = world.user("Late")
    leads = next(n for n in range(len(running)) if "this bot leads:" in _said(f"{folder}/{n}.log"))
    before, began = len(world.calls("sendMessage")), time.perf_counter()
    running[leads].kill()
    world.say(person, person, "/help")
    await replies(world, before + 1)
    return time.perf_counter() - began


def _started(environment: dict[str, str], log: str) -> psutil.Popen:
    with Path(log).open("wb") as file:
        command = [sys.executable, "-m", "tests.faults.bot_without_pace"]
        return psutil.Popen(command, env=environment, stdout=file, stderr=file)


def _said(log: str) -> str:
    return Path(log).read_text("utf-8")


async def _says(log: str, words: str) -> None:
    until = time.monotonic() + 60
    while words not in _said(log):
        if time.monotonic() > until:
            raise TimeoutError(_said(log)[-1000:])
        await asyncio.sleep(0.01)


def _used(processes: Sequence[psutil.Process | psutil.Popen]) -> float:
    """Seconds of CPU."""
    return sum(sum(process.cpu_times()[:2]) for process in processes if process.is_running())


def _server() -> list[psutil.Process]:
    """The database server's processes on this machine."""
    return [process for process in psutil.process_iter(["name"]) if process.info["name"] == "postgres"]


@asynccontextmanager
async def _database(where: str, folder: str) -> AsyncIterator[str]:
    """An empty database."""
    if where == "sqlite":
        yield f"sqlite:///{folder}/bench.sqlite3"
        return
    name = f"twentyfour_bench_{uuid.uuid4().hex[:8]}"
    admin = await asyncpg.connect(where)
    try:
        await admin.execute(f'CREATE DATABASE "{name}"')
        try:
            yield f"{where.rpartition('/')[0]}/{name}"
        finally:
            await admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
    finally:
        await admin.close()


def main(arguments: Sequence[str]) -> None:
    bots, where = arguments
    gc.disable()  # pauses of its own would count as the bots'
    print(json.dumps(asyncio.run(measure(int(bots), where))))


if __name__ == "__main__":
    main(sys.argv[1:])
