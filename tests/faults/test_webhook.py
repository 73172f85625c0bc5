"""Floods at the webhook's door."""

import asyncio
import json
import time
import tracemalloc

import pytest

from bot.web import webhook
from bot.web.webhook import SECRET_HEADER
from tests.bot.web.test_webhook import SECRET, UPDATE, Door
from tests.faults.conftest import within

MEGABYTE = 1024 * 1024
CHUNK = b" " * 65536


async def flood(door: Door, *headers: str, megabytes: int) -> int:
    """Send so much, all of one chunk, and return the status."""
    chunks = megabytes * MEGABYTE // len(CHUNK)
    head = ["POST /hook HTTP/1.1", "Host: x", *headers, f"Content-Length: {chunks * len(CHUNK)}", "", ""]
    reader, writer = await asyncio.open_connection("127.0.0.1", door.webhook.port)
    try:
        writer.write("\r\n".join(head).encode())
        for _ in range(chunks):
            writer.write(CHUNK)
            await writer.drain()
        return int((await reader.readline()).split()[1])
    finally:
        writer.close()


async def buffered(*headers: str, megabytes: int) -> tuple[int, float]:
    """The status of a flood, and the megabytes that it made the process hold at most."""
    door = Door()
    await door.webhook.start(door.telegram, ())  # type: ignore[arg-type]
    try:
        await door.post(UPDATE)  # whatever is made once is made
        tracemalloc.start(1)
        before, _ = tracemalloc.get_traced_memory()
        status = await flood(door, *headers, megabytes=megabytes)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        await door.webhook.close()
    return status, (peak - before) / MEGABYTE


@pytest.mark.faults
@pytest.mark.parametrize(
    ("headers", "expected"),
    [((f"{SECRET_HEADER}: {SECRET}",), 413), ((f"{SECRET_HEADER}: guess",), 403), ((), 401)],
    ids=["secret", "wrong", "none"],
)
async def test_sixty_megabytes_are_refused_and_not_held(headers: tuple[str, ...], expected: int) -> None:
    status, held = await buffered(*headers, megabytes=60)
    print(f"webhook, 60 MB, {expected}: {held:.2f} MB buffered at most (2 allowed)")
    assert status == expected
    assert held < 2


@pytest.mark.faults
async def test_control_without_the_limit_all_of_it_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook, "LARGEST", 1024 * MEGABYTE)
    status, held = await buffered(f"{SECRET_HEADER}: {SECRET}", megabytes=20)
    print(f"control, 20 MB without the limit: {held:.0f} MB buffered")
    assert status == 400
    assert held > 10


@pytest.mark.faults
async def test_strangers_delay_telegram_little() -> None:
    door = Door()
    await door.webhook.start(door.telegram, ())  # type: ignore[arg-type]
    waits: list[float] = []

    async def stranger() -> None:
        while len(waits) < 100:
            assert await flood(door, megabytes=1) == 401

    async def telegram() -> None:
        for number in range(100):
            begun = time.perf_counter()
            assert await door.post(json.dumps({**UPDATE, "update_id": number}).encode()) == 200
            waits.append(time.perf_counter() - begun)

    try:
        await asyncio.gather(telegram(), *(stranger() for _ in range(8)))
    finally:
        await door.webhook.close()
    p95 = sorted(waits)[94] * 1000
    print(f"webhook under 8 strangers' floods: Telegram's posts p95 {p95:.0f} ms (500 allowed)")
    assert len(door.inbox.updates) == 100
    assert p95 < within(500)
