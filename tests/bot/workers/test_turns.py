"""Waiting for one's turn: who is served, who gives up, who is turned away."""

import asyncio
import time

import pytest

from bot.workers.errors import TooSlowError
from bot.workers.slots import Slots, Ticket
from bot.workers.turns import Turns

ANN, BOB = 1, 2


@pytest.fixture
def turns() -> Turns:
    return Turns(Slots(1))


async def hold(turns: Turns, asker: int, until: asyncio.Event, patience: float = 60.0) -> None:
    async with turns.turn(Ticket(asker), patience):
        await until.wait()


async def test_one_after_the_other(turns: Turns) -> None:
    over = asyncio.Event()
    first = asyncio.create_task(hold(turns, ANN, over))
    second = asyncio.create_task(hold(turns, BOB, over))
    await asyncio.sleep(0)
    assert (turns.slots.is_at_work(ANN), turns.slots.is_at_work(BOB)) == (True, False)
    over.set()
    await asyncio.gather(first, second)
    assert turns.slots.next() is None


async def test_who_waits_too_long_leaves_the_line(turns: Turns) -> None:
    over = asyncio.Event()
    first = asyncio.create_task(hold(turns, ANN, over))
    await asyncio.sleep(0)
    with pytest.raises(TooSlowError, match="no worker was free"):
        await hold(turns, BOB, over, 0.001)
    over.set()
    await first
    await hold(turns, BOB, over)


async def test_nobodys_patience_ends_while_the_workers_are_only_starting() -> None:
    asked = list[float]()

    def starting() -> bool:
        asked.append(time.monotonic())
        if len(asked) == 2:
            over.set()  # one has started, and is done with what was before
        return True

    turns, over = Turns(Slots(1), starting=starting), asyncio.Event()
    first = asyncio.create_task(hold(turns, ANN, over))
    await asyncio.sleep(0)
    await hold(turns, BOB, over, 0.001)
    await first
    assert len(asked) >= 2


async def test_who_is_gone_is_not_waited_for(turns: Turns) -> None:
    over = asyncio.Event()
    first = asyncio.create_task(hold(turns, ANN, over))
    gone = asyncio.create_task(hold(turns, BOB, over))
    await asyncio.sleep(0)
    gone.cancel()
    over.set()
    await asyncio.gather(first, gone, return_exceptions=True)
    assert not turns.slots.is_at_work(BOB)


async def test_whoever_shares_is_told() -> None:
    told = list[bool]()
    slots = Slots(1)
    over = asyncio.Event()
    over.set()
    await hold(Turns(slots, lambda: told.append(slots.is_at_work(ANN))), ANN, over)
    assert told == [True, False]
