"""Who leads and who follows, without a database."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.queue.replicas.leadership import Leadership


class Part:
    """What one bot does for all: it counts how often it was begun and stopped."""

    def __init__(self) -> None:
        self.begun = self.stopped = self.most = 0
        self.fails = False

    async def run(self) -> None:
        """Go on until stopped."""
        self.begun += 1
        self.most = max(self.most, self.begun - self.stopped)
        try:
            if self.fails:
                raise ZeroDivisionError
            await asyncio.Event().wait()
        finally:
            for _ in range(3):
                await asyncio.sleep(0)  # it has something to clear away
            self.stopped += 1


async def settled() -> None:
    """Let everything happen that can happen now."""
    for _ in range(30):
        await asyncio.sleep(0)


@pytest.fixture
def part() -> Part:
    return Part()


@pytest.fixture
async def lead(part: Part) -> AsyncIterator[Leadership]:
    """Whether one leads, and a part that follows it."""
    made = Leadership()
    running = asyncio.create_task(made.run_while_leader(part.run))
    yield made
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    made.cancel_expiry()


async def test_part_runs_only_while_its_bot_leads(lead: Leadership, part: Part) -> None:
    await settled()
    assert part.begun == 0
    lead.start_leading(5)
    await settled()
    assert (part.begun, part.stopped, lead.token) == (1, 0, 5)
    lead.lose_lead()
    await settled()
    assert (part.begun, part.stopped, lead.token) == (1, 1, None)
    lead.start_leading(6)
    await settled()
    assert (part.begun, part.stopped, lead.token) == (2, 1, 6)


async def test_part_ends_before_it_starts_again(lead: Leadership, part: Part) -> None:
    for token in (5, 6, 7):
        lead.start_leading(token)
        await settled()
        lead.lose_lead()
    lead.start_leading(8)
    await settled()
    assert (part.begun, part.stopped, part.most) == (4, 3, 1)


async def test_error_of_a_part_is_raised(part: Part) -> None:
    part.fails = True
    lead = Leadership()
    lead.start_leading(5)
    with pytest.raises(ZeroDivisionError):
        await lead.run_while_leader(part.run)
    assert part.stopped == 1


async def test_lead_ends_at_its_expiry(lead: Leadership, part: Part) -> None:
    lead.start_leading(5)
    lead.set_expiry(60.0)
    lead.set_expiry(0.0)
    async with asyncio.timeout(60):
        while lead.token is not None:  # noqa: ASYNC110 - a timer sets it, and nothing tells
            await asyncio.sleep(0)
    await settled()
    assert part.stopped == 1


async def test_later_expiry_replaces_the_earlier_one(lead: Leadership) -> None:
    lead.start_leading(5)
    lead.set_expiry(0.0)
    lead.set_expiry(60.0)
    await asyncio.sleep(0.01)
    assert lead.token == 5
    lead.set_expiry(0.0)
    lead.cancel_expiry()
    await asyncio.sleep(0.01)
    assert lead.token == 5
