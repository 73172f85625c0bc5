"""`getUpdates` hangs, or answers a conflict, a bad gateway, garbage, or nothing for a minute."""

import asyncio
import time
from typing import Any

import pytest

from bot.queue.watermark import Watermark
from bot.telegram.polling import PollingError, poll_updates
from tests.faults.conftest import FULL, Started, figure, show
from tests.telegram import BotApi, World

pytestmark = pytest.mark.faults

KINDS: dict[str, dict[str, Any]] = {
    "409": {"status": 409},
    "502": {"status": 502},
    "garbage": {"body": b"<html>\xff"},
    "a number": {"body": b'{"ok": true, "result": 5}'},
    "no result": {"body": b'{"ok": true}'},
    "closed connections": {"close": True},
    "429": {"retry_after": 3},
    "silence": {"hang": 3600.0},
}


@pytest.mark.parametrize("kind", KINDS if FULL else ["409", "502", "garbage"])
async def test_it_backs_off_and_recovers(kind: str, bot: Started) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        process = bot(world, api.url)
        process.start()
        world.say(ann, ann, "/help")
        await world.next_post(ann)
        await asyncio.sleep(2.0)  # a conflict in the first moments would mean a second bot
        fault = world.faults.add("getUpdates", **KINDS[kind])
        world.say(ann, ann, "/help")  # ends the poll that is under way
        await world.next_post(ann)
        before = len(world.calls("getUpdates"))
        seconds = figure(60, 3)
        await asyncio.sleep(seconds)
        tried = len(world.calls("getUpdates")) - before
        assert process.process.poll() is None
        world.faults.remove(fault)
        began = time.monotonic()
        world.say(ann, ann, "/help")
        await world.next_post(ann)
        took = time.monotonic() - began
        process.process.terminate()
        assert await process.ended(8) == 0
    show(f"{kind} for {seconds} s: {tried} requests, back after {took:.1f} s")
    assert tried <= seconds * 2 + 3
    assert not world.violations


DYING = """
import asyncio, sys, bot.cli, bot.ingress
async def dies(*_):
    await asyncio.sleep(0.2)
bot.ingress.poll_updates = dies
if __name__ == "__main__":
    sys.exit(bot.cli.run_command([]))
"""


class Broken:
    """An inbox with a fault that nobody foresaw."""

    now = staticmethod(time.time)

    def __init__(self) -> None:
        self.watermark = Watermark()

    async def accept(self, updates: object) -> None:
        raise ZeroDivisionError


async def test_a_poller_that_breaks_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(*_: object, **__: object) -> list[object]:
        return []

    monkeypatch.setattr("bot.telegram.polling.call_api", nothing)
    with pytest.raises(ZeroDivisionError):
        await poll_updates(None, Broken(), ())  # type: ignore[arg-type]


async def test_a_poller_that_stands_still_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*_: object, **__: object) -> list[object]:
        await asyncio.Event().wait()
        return []

    monkeypatch.setattr("bot.telegram.polling.call_api", never)
    monkeypatch.setattr("bot.telegram.polling.STUCK", 0.05)
    with pytest.raises(PollingError, match="stands still"):
        await poll_updates(None, Broken(), ())  # type: ignore[arg-type]


async def test_a_process_whose_poller_died_ends_with_an_error(bot: Started) -> None:
    world = World()
    async with BotApi(world) as api:
        process = bot(world, api.url)
        process.arguments = ("-c", DYING)
        process.start()
        began = time.monotonic()
        code = await process.ended(60)
    show(f"a poller that ends without a word: exit {code} after {time.monotonic() - began:.1f} s")
    assert code != 0
    assert "polling ended by itself" in process.said().splitlines()[-1]
