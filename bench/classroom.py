"""A class of thirty pupils: joining, the time from an answer to the teacher's page, and memory.

The class is a process of its own; teacher and pupils read their event streams in this one.
"""

import asyncio
import random
import sys
import tempfile
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any

import aiohttp
import psutil

import solver
from bench.report import Row, format_time
from tests.faults.conftest import find_free_port, list_children
from tests.faults.school import LiveState, Pupil, School, find_cell, make_class_process, open_school

PUPILS = 30
TOGETHER, ALONE = 10, 20  # Hands
SPREAD = 3.0  # Seconds within which all answer the hand that they have together
PAUSE = 1.2  # Mean seconds between two moves of a pupil at the own pace; more than one a second must wait
ANSWERS = 20  # Of each pupil, for the baseline
BAR = 0.300
JOIN_BAR = 60
MEMORY_BAR = 200  # MiB


@dataclass
class Figures:
    """What one lesson after the other showed, in seconds and bytes."""

    joining: float = 0.0  # Until all pupils have joined
    together: list[float] = field(default_factory=list)  # From each answer to the teacher's page
    alone: list[float] = field(default_factory=list)
    memory_before: int = 0  # Of the main process
    memory: int = 0
    worker_memory: int = 0


def measure_rows() -> Iterator[Row]:
    figures = asyncio.run(_measure_class())
    bare = asyncio.run(_measure_bare_stream())
    note = f"{PUPILS} pupils at once, with code and name; each has a page's event stream then"
    yield Row("all pupils have joined", format_time(figures.joining), f"{JOIN_BAR} s", "", note)
    yield _make_answer_row(f"together, within {SPREAD:.0f} s of a deal", figures.together, bare)
    yield _make_answer_row("at their own pace", figures.alone, bare)
    yield Row(
        "memory of the main process",
        f"{figures.memory / 2**20:.0f} MiB",
        f"{MEMORY_BAR} MiB",
        f"{figures.memory_before / 2**20:.0f} MiB",
        f"resident, after both lessons; beside it the solver's processes with"
        f" {figures.worker_memory / 2**20:.0f} MiB; baseline: the same process before anybody joins",
    )


def _make_answer_row(job: str, times: Sequence[float], bare: Sequence[float]) -> Row:
    percentiles = quantiles(times, n=100)
    half, most = format_time(percentiles[49]), format_time(percentiles[94])
    return Row(
        f"an answer to the teacher's page, p99: {job}",
        format_time(percentiles[98]),
        format_time(BAR),
        format_time(quantiles(bare, n=100)[98]),
        f"{len(times)} answers: p50 {half}, p95 {most}, worst {format_time(max(times))}; the page is"
        " renewed every 0.1 s at most; baseline: a bare event stream, without rules and database",
    )


# The class


class TeachersPage:
    """Notes the time at which each answer is shown."""

    def __init__(self, school: School) -> None:
        self._live = school.teacher
        self._waiting = dict[tuple[str, int], tuple[int, asyncio.Future[float]]]()
        school.teacher.on_state = self._note_state

    async def measure_answer(self, pupil: Pupil, number: int, answer: str) -> float:
        """Send an answer, and return the seconds until the teacher's page counts it."""
        tries = find_cell(self._live.state["state"], pupil.name, number).get("tries", 0)
        shown = asyncio.get_running_loop().create_future()
        self._waiting[pupil.name, number] = tries + 1, shown
        began = time.perf_counter()
        await pupil.send(round=pupil.live.state["round"]["id"], answer=answer)
        return float(await asyncio.wait_for(shown, 30)) - began

    def _note_state(self, event: dict[str, Any]) -> None:
        now = time.perf_counter()
        for (name, number), (tries, shown) in list(self._waiting.items()):
            if find_cell(event["state"], name, number).get("tries", 0) >= tries:
                del self._waiting[name, number]
                shown.set_result(now)


async def _measure_class() -> Figures:
    port, figures, rng = find_free_port(), Figures(), random.Random(30)
    with tempfile.TemporaryDirectory() as folder:
        process = make_class_process(Path(folder), port, f"sqlite:///{folder}/class.sqlite3")
        async with open_school(process, port) as school:
            server = psutil.Process(process.process.pid)
            figures.memory_before = server.memory_info().rss
            began = time.perf_counter()
            pupils = await asyncio.gather(*(school.join(f"Pupil {number}") for number in range(PUPILS)))
            figures.joining = time.perf_counter() - began
            page = TeachersPage(school)
            await school.begin_lesson("together", TOGETHER)
            for number in range(1, TOGETHER + 1):
                hands = (
                    _play_hand(page, pupil, number, rng, figures.together, SPREAD / 3) for pupil in pupils
                )
                await asyncio.gather(*hands)
                await school.act("solutions")
                await school.act("next", number=number)
            await school.begin_lesson("own", ALONE)
            await asyncio.gather(*(_play_alone(page, pupil, rng, figures.alone) for pupil in pupils))
            figures.memory = server.memory_info().rss
            figures.worker_memory = sum(each.memory_info().rss for each in list_children(server.pid))
    return figures


async def _play_alone(page: TeachersPage, pupil: Pupil, rng: random.Random, times: list[float]) -> None:
    """Play a lesson at the own pace."""
    for number in range(1, ALONE + 1):
        await _play_hand(page, pupil, number, rng, times, PAUSE)
        if number < ALONE:
            await asyncio.sleep(rng.expovariate(1 / PAUSE))
            await pupil.go_on()


async def _play_hand(
    page: TeachersPage, pupil: Pupil, number: int, rng: random.Random, times: list[float], pause: float
) -> None:
    """Give up to two wrong answers and the right one, and add the time that each took."""
    numbers = await pupil.read_hand(number)
    right = str(next(iter(solver.solve(numbers))))
    wrong = [f"{numbers[0]}+{numbers[1]}", f"{numbers[2]}*{numbers[3]}"][: rng.choice((0, 1, 2))]
    for answer in (*wrong, right):
        await asyncio.sleep(rng.uniform(0, 2 * pause))
        times.append(await page.measure_answer(pupil, number, answer))


# The baseline


async def _measure_bare_stream() -> list[float]:
    """Return the seconds from each posted answer until it is read from the stream."""
    times, rng, port = list[float](), random.Random(30), find_free_port()
    root = f"http://127.0.0.1:{port}"
    async with _run_bare_stream(port), aiohttp.ClientSession() as http:
        live = LiveState(http, f"{root}/events", "")
        live.on_state = lambda event: times.append(time.perf_counter() - event["sent"])
        await live.wait_for(bool, "the stream")
        times.clear()

        async def send_answers() -> None:
            for _ in range(ANSWERS):
                await asyncio.sleep(rng.uniform(0, 2 * PAUSE))
                async with http.post(f"{root}/entry", json={"sent": time.perf_counter()}) as answer:
                    answer.raise_for_status()

        await asyncio.gather(*(send_answers() for _ in range(PUPILS)))
        await live.close()
    return times


@asynccontextmanager
async def _run_bare_stream(port: int) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", "bench.bare_class", str(port))
    try:
        yield process
    finally:
        process.kill()
        await process.wait()
