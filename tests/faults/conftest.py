"""Bots as real processes beside a small Telegram on loopback, and figures that the log shows.

By FAULTS_ON=postgresql each has a database on a server where it would have a file (see tests/on_server.py).
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
from tests.on_server import DESK, ON_SERVER, address, clear, end
from tests.telegram import Message, World

ROOT = Path(__file__).parents[2]
FULL = os.environ.get("FAULTS") == "full"  # Run at the promised figures instead of the short form


def figure(full: int, short: int) -> int:
    """How often a fault is tried."""
    return full if FULL else short


def within(promised: float) -> float:
    """Return the bound for a time: as promised at full figures, four times as much in the short form.

    The short form runs beside other tests, on machines that are busy.
    """
    return promised if FULL else 4 * promised


def show(figure: str) -> None:
    """Print a test's figure; `pytest -s` shows it."""
    print(f"\n  {figure}", flush=True)


@dataclass
class Process:
    """`python -m bot` against a Telegram; started anew as often as a test ends it."""

    environment: dict[str, str]
    log: Path
    arguments: tuple[str, ...] = ("-m", "bot")
    folder: Path = ROOT  # Where its packages are
    running: subprocess.Popen[bytes] | None = None
    starts: int = 0
    _pids: set[int] = field(default_factory=set)

    def start(self) -> None:
        """Start it; who calls waits for what it does."""
        with self.log.open("ab") as log:
            command = [sys.executable, *self.arguments]
            self.running = subprocess.Popen(
                command, cwd=self.folder, env=self.environment, stdout=log, stderr=log
            )
        self.starts += 1
        self._pids.add(self.running.pid)

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The one that was started last."""
        assert self.running is not None
        return self.running

    def kill(self) -> None:
        """kill -9, and gone."""
        self.process.kill()
        self.process.wait()

    async def ended(self, within: float) -> int:
        """Its exit code; AssertionError if it goes on for more seconds than that."""
        try:
            return await asyncio.to_thread(self.process.wait, within)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {within} s\n{self.said()[-3000:]}") from None

    def said(self) -> str:
        """All that it has written to the terminal."""
        return self.log.read_text("utf-8") if self.log.exists() else ""

    async def says(self, words: str, within: float = 60.0) -> None:
        """Wait until its log holds `words`."""
        await self.repeats(words, 1, within)

    async def repeats(self, words: str, times: int, within: float = 60.0) -> None:
        """Wait until its log holds `words` so many times."""
        until = time.monotonic() + within
        while self.said().count(words) < times:
            assert time.monotonic() < until, f"no {words!r} in {within} s\n{self.said()[-3000:]}"
            await asyncio.sleep(0.01)

    async def operator(self, *arguments: str) -> str:
        """What the same program prints for an operator beside it."""
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
        """End it, whatever state it is in."""
        if self.running is not None and self.running.poll() is None:
            self.kill()


Started = Callable[..., Process]
of_a_file = pytest.mark.skipif(ON_SERVER, reason="it is about a file, and this run is on a server")


@pytest.fixture(scope="session", autouse=True)
def _their_pattern_goes() -> Iterator[None]:
    """What databases on a server were made from goes with the last test."""
    yield
    end()


@pytest.fixture(autouse=True)
def _databases_go(_their_pattern_goes: None) -> Iterator[None]:
    """What a test had on a server goes with it."""
    yield
    clear()


@pytest.fixture
def bot(tmp_path: Path) -> Iterator[Started]:
    """`bot(world, api.url, NAME="value")` prepares a process with a database of this test's own."""
    made: list[Process] = []

    def prepare(world: World, url: str, *, database: Path | None = None, **more: str) -> Process:
        inherited = {k: v for k, v in os.environ.items() if k not in {"DATABASE_URL", "WEBHOOK_URL"}}
        if "DATABASE_URL" not in more:
            more["DATABASE_URL"] = address(database or tmp_path / "twentyfour.sqlite3")
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


@pytest.fixture
def free_port() -> int:
    """A port on which nobody listens just now."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def rows(database: Path, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """What a query finds there; with `?` for each value."""
    if ON_SERVER:
        return DESK.wait_for(DESK.asked(database, query, *values))
    with closing(sqlite3.connect(database, timeout=60)) as connection:
        return connection.execute(query, values).fetchall()


def change(database: Path, statement: str, *values: Any) -> None:
    """Change rows by hand; while the bot is away, nobody else writes."""
    if ON_SERVER:
        DESK.wait_for(DESK.asked(database, statement, *values))
        return
    with closing(sqlite3.connect(database, timeout=60)) as connection, connection:
        connection.execute(statement, values)


async def none(database: Path, process: Process, of: str) -> None:
    """Wait until there is no row of that table, or `of` a table under a condition."""
    until = time.monotonic() + 60
    while rows(database, f"SELECT count(*) FROM {of}") != [(0,)]:  # noqa: S608 - a test's own words
        assert time.monotonic() < until, process.said()[-3000:]
        await asyncio.sleep(0.05)


def hand_of(deal: Message) -> list[int]:
    """The numbers of a deal, from its own line."""
    line = next(line for line in deal.text.splitlines() if line.endswith("→ 24"))
    return [int(number) for number in line.removesuffix("→ 24").split()]


def answer_to(deal: Message) -> str:
    """A right answer."""
    return str(next(iter(solver.solve(hand_of(deal)))))


def children(pid: int) -> list[psutil.Process]:
    """The processes that it started."""
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def alive(process: psutil.Process) -> bool:
    """Whether it still does anything: one that nobody has buried yet does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
