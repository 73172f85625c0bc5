"""Waiting posts take their slots together; the slots themselves are in the database."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

from bot.database import Postgresql
from bot.queue.pacing import Pace
from bot.queue.replicas import queries
from bot.queue.replicas.replica import BURST, SharedPace


class Server:
    """A server that hands out slots without a database, and may be slow or fail."""

    def __init__(self) -> None:
        self.calls = list[tuple[float, int, int]]()
        self.slot_wait = 0.0
        self.go_on = asyncio.Event()
        self.go_on.set()
        self.error: Exception | None = None

    async def run_beside_writer(self, verb: Callable[[Any], float]) -> float:
        await self.go_on.wait()
        if self.error is not None:
            raise self.error
        return verb(self)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    def slots(tx: Server, gap: float, burst: int, posts: int) -> float:
        tx.calls.append((gap, burst, posts))
        return tx.slot_wait

    monkeypatch.setattr(queries, "take_post_slots", slots)
    return Server()


def make_pace(server: Server, posts_a_second: int = 25) -> SharedPace:
    return SharedPace(cast("Postgresql", server), Pace(posts_a_second=posts_a_second))


@pytest.mark.parametrize(("posts", "gap"), [(25, 1 / 20), (7, 1 / 2), (6, 1.0), (5, 1.0), (1, 1.0)])
async def test_gap_leaves_room_for_a_burst(server: Server, posts: int, gap: float) -> None:
    await make_pace(server, posts).wait_for_slot()
    assert server.calls == [(gap, BURST, 1)]


async def test_free_slot_is_taken_at_once(server: Server) -> None:
    async with asyncio.timeout(0.9):
        await make_pace(server).wait_for_slot()
        server.slot_wait = -5.0
        await make_pace(server).wait_for_slot()


async def test_waiting_callers_take_their_slots_together(server: Server) -> None:
    shared = make_pace(server)
    server.go_on.clear()
    first = asyncio.create_task(shared.wait_for_slot())
    await asyncio.sleep(0)
    others = [asyncio.create_task(shared.wait_for_slot()) for _ in range(9)]
    for _ in range(5):
        await asyncio.sleep(0)
    server.go_on.set()
    await asyncio.gather(first, *others)
    assert sum(posts for *_, posts in server.calls) == 10
    assert len(server.calls) <= 2


async def test_slots_are_handed_out_in_order(server: Server) -> None:
    shared, finished = make_pace(server), list[int]()
    server.slot_wait = 4 / 20

    async def wait_and_record(number: int) -> None:
        await shared.wait_for_slot()
        finished.append(number)

    await asyncio.gather(*(wait_and_record(number) for number in range(5)))
    assert finished == [0, 1, 2, 3, 4]


async def test_database_error_is_raised_in_every_caller(server: Server) -> None:
    shared = make_pace(server)
    server.error = ZeroDivisionError()
    results = await asyncio.gather(*(shared.wait_for_slot() for _ in range(3)), return_exceptions=True)
    assert [type(each) for each in results] == [ZeroDivisionError] * 3
    server.error = None
    await shared.wait_for_slot()


async def test_cancelled_caller_does_not_disturb_others(server: Server) -> None:
    shared = make_pace(server)
    server.go_on.clear()
    cancelled, waiting = (
        asyncio.create_task(shared.wait_for_slot()),
        asyncio.create_task(shared.wait_for_slot()),
    )
    await asyncio.sleep(0)
    cancelled.cancel()
    await asyncio.sleep(0)
    server.go_on.set()
    await waiting
