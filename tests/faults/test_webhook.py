"""Large and frequent requests at the webhook."""

import asyncio
import json
import time
import tracemalloc

import pytest

from bot.web.webhook import SECRET_HEADER
from tests.bot.web.test_webhook import SECRET, UPDATE, WebhookClient
from tests.faults.conftest import relax_limit

MEGABYTE = 1024 * 1024
CHUNK = b" " * 65536


async def post_megabytes(door: WebhookClient, *headers: str, megabytes: int) -> int:
    """Post that many megabytes and return the status."""
    chunks = megabytes * MEGABYTE // len(CHUNK)
    head = ["POST /hook HTTP/1.1", "Host: x", *headers, f"Content-Length: {chunks * len(CHUNK)}", "", ""]
    reader, writer = await asyncio.open_connection("127.0.0.1", door.webhook.server.port)
    try:
        writer.write("\r\n".join(head).encode())
        for _ in range(chunks):
            writer.write(CHUNK)
            await writer.drain()
        return int((await reader.readline()).split()[1])
    finally:
        writer.close()


async def measure_buffering(*headers: str, megabytes: int) -> tuple[int, float]:
    """Post that many megabytes; return the status and the megabytes held in memory at most."""
    door = WebhookClient()
    await door.webhook.open()
    try:
        await door.post(UPDATE)  # a first request makes what is made once
        tracemalloc.start(1)
        before, _ = tracemalloc.get_traced_memory()
        status = await post_megabytes(door, *headers, megabytes=megabytes)
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
async def test_sixty_megabytes_are_refused_without_buffering(headers: tuple[str, ...], expected: int) -> None:
    status, held = await measure_buffering(*headers, megabytes=60)
    print(f"webhook, 60 MB, {expected}: {held:.2f} MB buffered at most (2 allowed)")
    assert status == expected
    assert held < 2


@pytest.mark.faults
async def test_floods_of_strangers_delay_telegram_little() -> None:
    door = WebhookClient()
    await door.webhook.open()
    waits: list[float] = []

    async def stranger() -> None:
        while len(waits) < 100:
            assert await post_megabytes(door, megabytes=1) == 401

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
    assert p95 < relax_limit(500)
