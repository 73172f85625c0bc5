"""Check of the machine's processors and memory."""

import os
import sys
from pathlib import Path

import psutil
import pytest

from bot import service
from bot.checkup import machine
from bot.games.twentyfour import dealing
from bot.settings import read_settings
from bot.workers.pool import SolverPool

GIB = 2**30
TOO_MUCH = "the bot and 64 processes need 3955 MiB of memory, of 1024"


@pytest.mark.parametrize(
    ("workers", "cores", "memory", "lines"),
    [
        (2, 1, GIB, []),
        (4, 4, GIB, []),
        (3, 1, GIB, ["· SOLVER_WORKERS: 3 processes share 1 processors", "    → set it to 2"]),
        (5, 4, GIB, ["· SOLVER_WORKERS: 5 processes share 4 processors", "    → set it to 4"]),
        (
            *(8, 8, GIB // 2),
            [
                "· SOLVER_WORKERS: the bot and 8 processes need 595 MiB of memory, of 512",
                "    → set it to 6",
            ],
        ),
        (64, 2, GIB, [f"· SOLVER_WORKERS: 64 processes share 2 processors; {TOO_MUCH}", "    → set it to 2"]),
    ],
)
def test_too_many_workers_are_noted(
    workers: int, cores: int, memory: int, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "count_processors", lambda: cores)
    monkeypatch.setattr(machine, "get_memory_size", lambda: memory)
    found = machine.check_workers(read_settings({"SOLVER_WORKERS": str(workers)}))
    assert [line for finding in found for line in finding.lines] == lines


@pytest.mark.parametrize(
    ("limit", "size"),
    [("1073741824\n", GIB), ("max\n", 4 * GIB), (None, 4 * GIB), ("9999999999999\n", 4 * GIB)],
)
def test_containers_memory_limit_is_used(
    limit: str | None, size: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": GIB // 1024, "SC_PAGE_SIZE": 4096}.__getitem__)
    monkeypatch.setattr(machine, "CONTAINER_LIMIT", tmp_path / "memory.max")
    if limit is not None:
        (tmp_path / "memory.max").write_text(limit)
    assert machine.get_memory_size() == size


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process has had at most")
async def test_worker_needs_no_more_memory_than_assumed() -> None:
    pool = SolverPool(1, 30.0)
    try:
        await service.warm_workers(pool, 1)
        pid = await pool.run_task(os.getpid)
        await dealing.find_solutions(pool, (3, 5, 7, 8, 9, 2), 24)
        assert machine.WORKER_MEMORY / 2 < psutil.Process(pid).memory_info().rss < machine.WORKER_MEMORY
    finally:
        pool.close()
