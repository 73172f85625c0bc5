"""`getUpdates` fails, hangs or returns garbage; the poller itself ends."""

import asyncio
import time
from typing import Any

import pytest

from tests.faults.conftest import FULL, BotFactory, choose_amount, report
from tests.telegram import BotApi, World

pytestmark = pytest.mark.faults

FAILURES: dict[str, dict[str, Any]] = {
    "409": {"status": 409},
    "502": {"status": 502},
    "garbage": {"body": b"<html>\xff"},
    "a number": {"body": b'{"ok": true, "result": 5}'},
    "no result": {"body": b'{"ok": true}'},
    "closed connections": {"close": True},
    "429": {"retry_after": 3},
    "silence": {"hang": 3600.0},
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", FAILURES if FULL else ["409", "502", "garbage"])
async def test_poller_backs_off_and_recovers(kind: str, make_bot: BotFactory) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        process = make_bot(world, api.url)
        process.start()
        world.say(ann, ann, "/help")
        await world.next_post(ann)
        await asyncio.sleep(2.0)  # a conflict in the first moments would mean a second bot
        fault = world.faults.add("getUpdates", **FAILURES[kind])
        world.say(ann, ann, "/help")  # ends the poll that is under way
        await world.next_post(ann)
        before = len(world.calls("getUpdates"))
        seconds = choose_amount(60, 3)
        await asyncio.sleep(seconds)
        tried = len(world.calls("getUpdates")) - before
        assert process.process.poll() is None
        world.faults.remove(fault)
        began = time.monotonic()
        world.say(ann, ann, "/help")
        await world.next_post(ann)
        took = time.monotonic() - began
        process.process.terminate()
        assert await process.wait_for_exit(8) == 0
    report(f"{kind} for {seconds} s: {tried} requests, back after {took:.1f} s")
    assert tried <= seconds * 2 + 3
    assert not world.violations


WITH_ENDING_POLLER = """
import asyncio, sys, bot.cli, bot.ingress
async def end(*_):
    await asyncio.sleep(0.2)
bot.ingress.poll_updates = end
if __name__ == "__main__":
    sys.exit(bot.cli.run_command([]))
"""


async def test_bot_ends_with_an_error_when_its_poller_ends(make_bot: BotFactory) -> None:
    world = World()
    async with BotApi(world) as api:
        process = make_bot(world, api.url)
        process.arguments = ("-c", WITH_ENDING_POLLER)
        process.start()
        began = time.monotonic()
        code = await process.wait_for_exit(60)
    report(f"a poller that ends without a word: exit {code} after {time.monotonic() - began:.1f} s")
    assert code != 0
    assert "polling ended by itself" in process.read_log().splitlines()[-1]
