"""Several bots on one PostgreSQL database: updates a second, time to an answer, CPU, and takeovers.

`python -m bench.replicas BOTS URL` plays against so many bots and prints one JSON object. The bots don't keep
Telegram's limits, which would be all that is measured.
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

from bench.crowd import A_SECOND, AT_ONCE, CHATS, SECONDS, measure_delays, measure_rate, wait_for_replies
from bench.report import Row, format_time
from tests.telegram import BotApi, World

SERVER = os.environ.get("TEST_POSTGRES_URL") or "postgresql://postgres@127.0.0.1:5432/postgres"
MOST_BOTS = 3
BAR = 5.0  # Seconds until another bot leads
READY = "is ready"


def measure_rows() -> Iterator[Row]:
    try:
        asyncio.run(_connect_to_list_server_processes())
    except (OSError, asyncpg.PostgresError) as error:
        yield Row("several bots", "", "", "", f"not measured: no PostgreSQL at {SERVER}: {error}")
        return
    alone = _measure_bots(1, "sqlite")
    yield _make_rate_row("one bot on SQLite", alone, alone)
    for bots in range(1, MOST_BOTS + 1):
        figures = _measure_bots(bots, SERVER)
        yield _make_rate_row(f"{bots} on PostgreSQL", figures, alone)
        if bots > 1:
            took = figures["takeover"]
            note = "from killing the one that fetches to the first answer; baseline: none, one bot is gone"
            yield Row(f"{bots}: another one leads", format_time(took), format_time(BAR), "", note)


def _make_rate_row(job: str, figures: dict[str, float], alone: dict[str, float]) -> Row:
    return Row(
        job,
        f"{figures['rate']:.0f} a second",
        "",
        f"{alone['rate']:.0f} a second",
        f"{AT_ONCE} updates at once over {CHATS} chats; {A_SECOND} a second for {SECONDS} seconds: half are "
        f"answered within {format_time(figures['p50'])}, p99 {format_time(figures['p99'])}; CPU of an "
        f"update: bots {format_time(figures['cpu'])}, database {format_time(figures['database'])}; "
        "baseline: one bot on SQLite",
    )


async def _connect_to_list_server_processes() -> None:
    await (await asyncpg.connect(SERVER, timeout=3)).close()


def _measure_bots(bots: int, where: str) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.replicas", str(bots), where]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(run.stdout)
    return figures


async def measure(bots: int, where: str) -> dict[str, float]:
    """Return `rate` updates a second, `p50`, `p99` and `takeover` seconds, and the CPU seconds of an update.

    Of those, `cpu` are the bots' and `database` the server's.
    """
    world = World(validate=False)
    people = [world.user(f"Person {n}") for n in range(CHATS)]
    with tempfile.TemporaryDirectory() as folder:
        async with BotApi(world) as api, _make_database(where, folder) as url:
            environment = {
                **os.environ,
                "BOT_TOKEN": world.token,
                "BOT_API_URL": api.url,
                "DATABASE_URL": url,
                "SOLVER_WORKERS": "1",
            }
            running = [_start_bot(environment, f"{folder}/{n}.log") for n in range(bots)]
            try:
                for n in range(bots):
                    await _wait_for_log(f"{folder}/{n}.log", READY)
                world.say(people[0], people[0], "/help")
                await wait_for_replies(world, 1)
                ours, theirs = _sum_cpu_seconds(running), _sum_cpu_seconds(_list_server_processes())
                rate = await measure_rate(world, people, "/help")
                delays = quantiles(await measure_delays(world, people, "/help"), n=100)
                updates = AT_ONCE + A_SECOND * SECONDS
                cpu, database = (
                    _sum_cpu_seconds(running) - ours,
                    _sum_cpu_seconds(_list_server_processes()) - theirs,
                )
                figures = {
                    "rate": rate,
                    "p50": delays[49],
                    "p99": delays[98],
                    "cpu": cpu / updates,
                    "database": database / updates,
                }
                if bots > 1:
                    figures["takeover"] = await _measure_takeover(world, running, folder)
            finally:
                for bot in running:
                    bot.terminate()
                for bot in running:
                    await asyncio.to_thread(bot.wait)
    return figures


async def _measure_takeover(world: World, running: Sequence[psutil.Popen], folder: str) -> float:
    """Kill the leading bot and send a command; return the seconds until its answer."""
    person = world.user("Late")
    leader = next(n for n in range(len(running)) if "this bot leads:" in _read_log(f"{folder}/{n}.log"))
    before, began = len(world.calls("sendMessage")), time.perf_counter()
    running[leader].kill()
    world.say(person, person, "/help")
    await wait_for_replies(world, before + 1)
    return time.perf_counter() - began


def _start_bot(environment: dict[str, str], log: str) -> psutil.Popen:
    with Path(log).open("wb") as file:
        command = [sys.executable, "-m", "tests.faults.bot_without_pace"]
        return psutil.Popen(command, env=environment, stdout=file, stderr=file)


def _read_log(log: str) -> str:
    return Path(log).read_text("utf-8")


async def _wait_for_log(log: str, words: str) -> None:
    until = time.monotonic() + 60
    while words not in _read_log(log):
        if time.monotonic() > until:
            raise TimeoutError(_read_log(log)[-1000:])
        await asyncio.sleep(0.01)


def _sum_cpu_seconds(processes: Sequence[psutil.Process | psutil.Popen]) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in processes if process.is_running())


def _list_server_processes() -> list[psutil.Process]:
    """Return the processes of the database server on this machine."""
    return [process for process in psutil.process_iter(["name"]) if process.info["name"] == "postgres"]


@asynccontextmanager
async def _make_database(where: str, folder: str) -> AsyncIterator[str]:
    """Yield the URL of an empty database; drop it afterwards."""
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
    gc.disable()  # its pauses would count as the bots'
    print(json.dumps(asyncio.run(measure(int(bots), where))))


if __name__ == "__main__":
    main(sys.argv[1:])
