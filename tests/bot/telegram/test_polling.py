"""How updates are fetched: held no longer than anybody can wait, and what that tells of deadlines."""

import asyncio
import math
from collections.abc import Sequence
from typing import Any

import pytest

from bot.delivery.arrivals import Arrivals
from bot.telegram.polling import MOST, WAIT, poll


class Kept:
    """An inbox that keeps a list."""

    def __init__(self) -> None:
        self.updates: list[Any] = []
        self.arrivals = Arrivals()
        self.time = 1000.0

    def now(self) -> float:
        return self.time

    async def accept(self, updates: Sequence[Any]) -> None:
        self.updates += updates


class Telegram:
    """Answers each fetch with the next batch, then holds the last one open."""

    def __init__(self, *batches: list[Any]) -> None:
        self._batches = list(batches)
        self.asked: list[dict[str, Any]] = []
        self.cancelled = 0

    async def ask(self, _: object, method: str, parameters: dict[str, Any], **__: object) -> list[Any]:
        assert method == "getUpdates"
        self.asked.append(parameters)
        if self._batches:
            return self._batches.pop(0)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return []


def updates(first: int, count: int) -> list[dict[str, int]]:
    return [{"update_id": number} for number in range(first, first + count)]


async def polled(
    telegram: Telegram, inbox: Kept, monkeypatch: pytest.MonkeyPatch, turns: int = 60
) -> "asyncio.Task[None]":
    monkeypatch.setattr("bot.telegram.polling.ask", telegram.ask)
    polling = asyncio.create_task(poll(None, inbox, ("message",)))  # type: ignore[arg-type]
    for _ in range(turns):
        await asyncio.sleep(0)
    return polling


@pytest.mark.parametrize("count", [1, 3, MOST])
async def test_a_batch_proves_nothing_by_its_size(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    telegram, inbox = Telegram(updates(1, count)), Kept()
    (await polled(telegram, inbox, monkeypatch)).cancel()
    assert len(inbox.updates) == count
    assert inbox.arrivals.through == -math.inf
    assert [asked.get("offset") for asked in telegram.asked] == [None, count + 1]


async def test_an_empty_batch_shows_that_all_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    telegram, inbox = Telegram(updates(1, 3), []), Kept()
    (await polled(telegram, inbox, monkeypatch)).cancel()
    assert inbox.arrivals.through == 1000.0


@pytest.mark.parametrize(("date", "through"), [(990, 990.0), (10**10, -math.inf), ("x", -math.inf)])
async def test_an_update_shows_that_all_before_it_has_come(
    date: object, through: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a bot that is never without updates would never know. More of its own second may follow."""
    said = [{"update_id": 1, "message": {"date": date}}, {"update_id": 2, "callback_query": {}}]
    telegram, inbox = Telegram(said), Kept()
    (await polled(telegram, inbox, monkeypatch)).cancel()
    assert inbox.arrivals.through == through


@pytest.mark.parametrize(
    ("expected", "hold"), [(math.inf, WAIT), (1003.2, 4), (1000.0, 0), (2000.0, WAIT), (-5.0, 0)]
)
async def test_it_is_held_until_the_next_deadline(
    expected: float, hold: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    telegram, inbox = Telegram(), Kept()
    inbox.arrivals.expected = expected
    (await polled(telegram, inbox, monkeypatch)).cancel()
    assert telegram.asked[0]["timeout"] == hold


async def test_a_deadline_that_is_known_to_be_covered_shortens_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    telegram, inbox = Telegram(), Kept()
    inbox.arrivals.complete(1000.0)
    inbox.arrivals.expected = 999.0
    (await polled(telegram, inbox, monkeypatch)).cancel()
    assert telegram.asked[0]["timeout"] == WAIT


async def test_a_long_poll_is_abandoned_when_somebody_needs_to_know(monkeypatch: pytest.MonkeyPatch) -> None:
    telegram, inbox = Telegram(), Kept()
    polling = await polled(telegram, inbox, monkeypatch)
    inbox.time = 1010.0
    inbox.arrivals.want(1010.0)
    for _ in range(60):
        await asyncio.sleep(0)
    assert telegram.cancelled == 1
    assert [asked["timeout"] for asked in telegram.asked] == [WAIT, 0]
    polling.cancel()


async def test_a_short_fetch_is_never_abandoned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a slow network would never let one come back while deadlines pass every second."""
    telegram, inbox = Telegram(), Kept()
    inbox.arrivals.want(1000.0)
    polling = await polled(telegram, inbox, monkeypatch)
    inbox.arrivals.want(1001.0)
    for _ in range(60):
        await asyncio.sleep(0)
    assert telegram.cancelled == 0
    assert len(telegram.asked) == 1
    polling.cancel()
