"""What the check says of a cluster, and how it is mended."""

from typing import Any

import pytest

from bot.checkup import elsewhere
from bot.settings import Settings, read
from bot.workers.cluster import Cluster, LackingError
from bot.workers.members import Members
from bot.workers.remote import VERSION

SET = {"SOLVER_SCHEDULER": "tcp://127.0.0.1:1"}


@pytest.fixture
def settings() -> Settings:
    return read(SET)


def found(monkeypatch: pytest.MonkeyPatch, *versions: str | None, threads: int = 4) -> None:
    """The scheduler answers; its workers have these versions."""

    async def survey(_: Cluster) -> Members:
        members = Members(VERSION)
        told: dict[str, Any] = {"last_seen": 0.0, "nthreads": threads, "status": "running"}
        members.meet({f"tcp://10.0.0.{n}:1": told for n in range(len(versions))}, 0.0)
        for one, version in zip(members, versions, strict=True):
            one.version = version
        return members

    monkeypatch.setattr(Cluster, "survey", survey)


async def lines(settings: Settings) -> list[str]:
    return [line for finding in await elsewhere.looked_at(settings) for line in finding.lines]


async def test_where_there_is_none_nothing_is_said() -> None:
    assert await lines(read({})) == []


@pytest.mark.long
async def test_a_scheduler_that_does_not_answer(settings: Settings) -> None:
    said, remedy = await lines(settings)
    start = (
        "· SOLVER_SCHEDULER: nobody can be asked at tcp://127.0.0.1:1, and the bot's own processes do all: "
    )
    assert said.startswith(start)
    assert "dask scheduler" in remedy


async def test_the_extra_is_missing(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    def lacking(*_: object) -> None:
        raise LackingError

    monkeypatch.setattr(Cluster, "__init__", lacking)
    assert await lines(settings) == [
        "✗ SOLVER_SCHEDULER: a cluster needs an extra",
        "    → pip install 'twentyfour[dask]'",
    ]


@pytest.mark.long
async def test_all_is_well(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    found(monkeypatch, VERSION, VERSION)
    assert await lines(settings) == ["✓ SOLVER_SCHEDULER: 8 threads of the cluster do long tasks"]


async def test_a_single_thread_is_one(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    found(monkeypatch, VERSION, threads=1)
    assert await lines(settings) == ["✓ SOLVER_SCHEDULER: 1 thread of the cluster does long tasks"]


async def test_nobody_is_there(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    found(monkeypatch)
    said, remedy = await lines(settings)
    assert said == "· SOLVER_SCHEDULER: the scheduler answers, but has no worker"
    assert "dask worker" in remedy


async def test_workers_that_are_not_what_they_should_be(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    found(monkeypatch, "99.0", "", None, VERSION)
    told = await lines(settings)
    assert told[0] == "✓ SOLVER_SCHEDULER: 4 threads of the cluster do long tasks"
    start = "· SOLVER_SCHEDULER: the worker at tcp://10.0.0"
    assert told[1] == f"{start}.0:1 has version 99.0 of twentyfour, so it gets no tasks"
    assert told[2] == f"    → install version {VERSION} there, and start it anew"
    assert told[3] == f"{start}.1:1 has no twentyfour, so it gets no tasks"
    assert told[5] == f"{start}.2:1 doesn't answer"


async def test_a_worker_that_does_not_do_what_it_is_given(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    found(monkeypatch, VERSION)
    survey = Cluster.survey

    async def failing(cluster: Cluster) -> Members:
        members = await survey(cluster)
        for one in members:
            one.failed = "no memory"
        return members

    monkeypatch.setattr(Cluster, "survey", failing)
    told, remedy = await lines(settings)
    assert told == (
        "· SOLVER_SCHEDULER: the worker at tcp://10.0.0.0:1 has twentyfour and begins no task: no memory;"
        " the bot's own processes do it"
    )
    assert remedy == "    → start it anew, and see its own log"
