"""Bots as real processes beside the fake Telegram on loopback.

With FAULTS_ON=postgresql they use databases on a server instead of files (see tests/on_postgresql.py).
"""

import asyncio
import os
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

import solver
from tests.on_postgresql import ON_POSTGRESQL, QUERIES, drop_template, drop_test_databases, make_database_url
from tests.telegram import Message, World

ROOT = Path(__file__).parents[2]
FULL = os.environ.get("FAULTS") == "full"  # Run at the promised figures instead of the short form


def choose_amount(full: int, short: int) -> int:
    """Return the amount to test with: `full` with FAULTS=full, else `short`."""
    return full if FULL else short


def relax_limit(promised: float) -> float:
    """Return a time limit: the promised one with FAULTS=full, else thirty times as much.

    The short form runs beside other programs, on busy machines: it finds what hangs, and measures nothing.
    """
    return promised if FULL else 30 * promised


def report(text: str) -> None:
    """Print what a test measured; `pytest -s` shows it."""
    print(f"\n  {text}", flush=True)


@dataclass
class Process:
    """A process with `python -m bot`; it can be started again after it has ended."""

    environment: dict[str, str]
    log: Path
    arguments: tuple[str, ...] = ("-m", "bot")
    folder: Path = ROOT  # Where its packages are
    running: subprocess.Popen[bytes] | None = None
    starts: int = 0
    _pids: set[int] = field(default_factory=set)

    def start(self) -> None:
        """Start the process without waiting until it is ready."""
        with self.log.open("ab") as log:
            command = [sys.executable, *self.arguments]
            self.running = subprocess.Popen(
                command, cwd=self.folder, env=self.environment, stdout=log, stderr=log
            )
        self.starts += 1
        self._pids.add(self.running.pid)

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """Return the process that was started last."""
        assert self.running is not None
        return self.running

    def kill(self) -> None:
        """Kill the process with SIGKILL and wait for its end."""
        self.process.kill()
        self.process.wait()

    async def wait_for_exit(self, timeout: float) -> int:
        """Return the exit code; AssertionError after `timeout` seconds, relaxed."""
        try:
            return await asyncio.to_thread(self.process.wait, relax_limit(timeout))
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {timeout} s\n{self.read_log()[-3000:]}") from None

    def read_log(self) -> str:
        """Return everything that the process has written to the terminal."""
        return self.log.read_text("utf-8") if self.log.exists() else ""

    async def wait_for_log(self, words: str, timeout: float = 60.0) -> None:
        """Wait until the log holds `words`; AssertionError after `timeout` seconds."""
        await self.wait_for_log_count(words, 1, timeout)

    async def wait_for_log_count(self, words: str, times: int, timeout: float = 60.0) -> None:
        """Wait until the log holds `words` that many times; AssertionError after `timeout` seconds."""
        until = time.monotonic() + timeout
        while self.read_log().count(words) < times:
            assert time.monotonic() < until, f"no {words!r} in {timeout} s\n{self.read_log()[-3000:]}"
            await asyncio.sleep(0.01)

    async def run_command(self, *arguments: str) -> str:
        """Run an operator's command, such as `backup`, beside the bot and return its output."""
        run = asyncio.to_thread(
            subprocess.run,
            [sys.executable, *self.arguments, *arguments],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return str((await run).stdout)

    def stop(self) -> None:
        """Kill the process if it is running."""
        if self.running is not None and self.running.poll() is None:
            self.kill()


BotFactory = Callable[..., Process]
needs_sqlite_file = pytest.mark.skipif(
    ON_POSTGRESQL, reason="the test needs a SQLite file, and this run uses a server"
)


@pytest.fixture(scope="session", autouse=True)
def _drop_template() -> Iterator[None]:
    """Drop the template of the databases on a server after the last test."""
    yield
    drop_template()


@pytest.fixture(autouse=True)
def _drop_databases(_drop_template: None) -> Iterator[None]:
    """Drop a test's databases on a server after the test."""
    yield
    drop_test_databases()


@pytest.fixture
def make_bot(tmp_path: Path) -> Iterator[BotFactory]:
    """Return a function that prepares a bot's process: `make_bot(world, api.url, NAME="value")`.

    All processes of a test share a database unless `database` or DATABASE_URL is given.
    """
    made: list[Process] = []

    def prepare(world: World, url: str, *, database: Path | None = None, **more: str) -> Process:
        inherited = {k: v for k, v in os.environ.items() if k not in {"DATABASE_URL", "WEBHOOK_URL"}}
        if "DATABASE_URL" not in more:
            more["DATABASE_URL"] = make_database_url(database or tmp_path / "twentyfour.sqlite3")
        environment = {
            **inherited,
            "BOT_TOKEN": world.token,
            "BOT_API_URL": url,
            "SOLVER_WORKERS": "1",
            **more,
        }
        made.append(Process(environment, tmp_path / f"bot{len(made)}.log"))
        return made[-1]

    yield prepare
    for process in made:
        process.stop()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "twentyfour.sqlite3"


def find_free_port() -> int:
    """Return a port on which nothing listens."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture
def free_port() -> int:
    return find_free_port()


def fetch_rows(database: Path, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a query, which has a `?` for each value."""
    if ON_POSTGRESQL:
        return QUERIES.run(QUERIES.fetch(database, query, *values))
    with closing(sqlite3.connect(database, timeout=60)) as connection:
        return connection.execute(query, values).fetchall()


def execute_sql(database: Path, statement: str, *values: Any) -> None:
    """Execute a statement; the bot must not be running, so that nobody else writes."""
    if ON_POSTGRESQL:
        QUERIES.run(QUERIES.fetch(database, statement, *values))
        return
    with closing(sqlite3.connect(database, timeout=60)) as connection, connection:
        connection.execute(statement, values)


async def wait_until_empty(database: Path, process: Process, table: str) -> None:
    """Wait until a table, perhaps with a WHERE clause, has no row; AssertionError after a minute."""
    until = time.monotonic() + 60
    while fetch_rows(database, f"SELECT count(*) FROM {table}") != [(0,)]:  # noqa: S608 - a test's own words
        assert time.monotonic() < until, process.read_log()[-3000:]
        await asyncio.sleep(0.05)


def parse_hand(deal: Message) -> list[int]:
    """Return the numbers of a deal."""
    line = next(line for line in deal.text.splitlines() if line.endswith("→ 24"))
    return [int(number) for number in line.removesuffix("→ 24").split()]


def solve_deal(deal: Message) -> str:
    """Return a right answer to a deal."""
    return str(next(iter(solver.solve(parse_hand(deal)))))


def list_children(pid: int) -> list[psutil.Process]:
    """Return all descendants of a process; none if it has ended."""
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def is_alive(process: psutil.Process) -> bool:
    """Whether a process still runs; a zombie does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
