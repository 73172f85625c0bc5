"""How workers start, what bounds they have, and that they end with the bot."""

import math
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from bot.workers import processes
from bot.workers.processes import Spawning, settle


class Worker:
    """A process that never starts."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.given = (args, options)
        self.alive, self.killed = True, 0
        self.trouble: Exception | None = None

    def is_alive(self) -> bool:
        return self.alive

    def kill(self) -> None:
        if self.trouble:
            raise self.trouble
        self.killed += 1


@pytest.fixture
def spawning(monkeypatch: pytest.MonkeyPatch) -> Spawning:
    monkeypatch.setattr(processes, "SpawnProcess", Worker)
    return Spawning(lambda: 24.0)


def started(spawning: Spawning, *args: Any, **options: Any) -> Any:
    return spawning.Process(*args, **options)


def test_it_is_known_when_the_latest_worker_began(spawning: Spawning) -> None:
    assert spawning.begun == math.inf
    started(spawning)
    assert spawning.begun == 24.0


def test_every_worker_is_killed_at_the_end(spawning: Spawning) -> None:
    first, unstarted, last = (started(spawning, n, daemon=True) for n in range(3))
    unstarted.trouble = AttributeError("not started yet")
    spawning.end()
    assert [worker.killed for worker in (first, unstarted, last)] == [1, 0, 1]
    assert last.given == ((2,), {"daemon": True})


def test_a_worker_that_is_gone_is_forgotten(spawning: Spawning) -> None:
    gone, other = started(spawning), started(spawning)
    gone.alive = False
    started(spawning)
    spawning.end()
    assert (gone.killed, other.killed) == (0, 1)


def test_a_worker_is_bounded_and_leaves_ctrl_c_to_the_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[Any] = []
    monkeypatch.setattr(signal, "signal", lambda number, what: done.append((number, what)))
    monkeypatch.setattr(resource, "setrlimit", lambda what, limits: done.append((what, limits)))
    monkeypatch.setattr(threading.Thread, "start", lambda this: done.append((this._target, this.daemon)))
    settle()
    gib = 1024 * 1024 * 1024
    assert done == [
        (signal.SIGINT, signal.SIG_IGN),
        (signal.SIGTERM, signal.SIG_DFL),
        (processes._die_with_parent, True),
        (resource.RLIMIT_AS, (gib, gib)),
    ]


def test_a_worker_gives_way_once_it_has_read_what_its_tasks_need(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []
    monkeypatch.setattr(os, "nice", done.append)
    assert not processes.gives_way(0.99)
    assert done == []
    assert processes.gives_way(1.0)
    assert done == [5]


def test_a_worker_exits_when_its_parent_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    class Parent:
        sentinel = 77

    done: list[Any] = []
    monkeypatch.setattr(processes, "wait", lambda what: done.append(("waited", what)))
    monkeypatch.setattr(os, "_exit", lambda code: done.append(("exit", code)))
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: None)
    processes._die_with_parent()
    assert done == []
    monkeypatch.setattr(multiprocessing, "parent_process", Parent)
    processes._die_with_parent()
    assert done == [("waited", [77]), ("exit", 0)]


KILLED = """
import asyncio, os, signal
from bot.workers.pool import Pool

async def main():
    await Pool(1, 60.0).ask(os.getpid)
    os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    asyncio.run(main())
"""


@pytest.mark.long
def test_nothing_is_written_by_what_a_killed_bot_leaves(tmp_path: Path) -> None:
    program = tmp_path / "killed.py"
    program.write_text(KILLED, "utf-8")
    ran = subprocess.run([sys.executable, program], capture_output=True, check=False, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (-signal.SIGKILL, b"", b"")
