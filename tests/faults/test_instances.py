"""Two bots on one database, or on one token."""

import asyncio
import random
import time
from pathlib import Path

import pytest

from bot.telegram.polling import NEWCOMER_TIME
from tests.faults.conftest import Process, Started, figure, show
from tests.on_server import ON_SERVER
from tests.telegram import BotApi, User, World

pytestmark = pytest.mark.faults


async def _started(first: Process) -> float:
    """Start the first; how many seconds that takes on this machine as busy as it is."""
    began = time.monotonic()
    first.start()
    await first.says("is ready")
    return time.monotonic() - began


async def _refused(second: Process, words: str) -> float:
    """The second ends with one line that holds `words`; after how many seconds."""
    began = time.monotonic()
    second.start()
    assert await second.ended(60) != 0
    assert words in second.said().splitlines()[-1]
    assert "Traceback" not in second.said()
    return time.monotonic() - began


@pytest.mark.skipif(ON_SERVER, reason="several share a server's database: tests/faults/test_replicas.py")
async def test_the_second_on_a_database_ends(bot: Started) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        first, second = bot(world, api.url), bot(world, api.url)
        start = await _started(first)
        took = await _refused(second, "another bot already runs on the database")
        world.say(ann, ann, "/help")
        await world.next_post(ann)
        assert first.process.poll() is None
    show(f"a second bot on one database: ends after {took:.1f} s, the first plays on")
    assert took < start + 4
    assert len(world.posts(ann)) == 1


async def test_the_second_on_a_token_ends(bot: Started, tmp_path: Path) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        first = bot(world, api.url)
        second = bot(world, api.url, database=tmp_path / "other.sqlite3")
        start = await _started(first)
        world.say(ann, ann, "/help")
        await world.next_post(ann)
        await world.wait_until(lambda: len(world.calls("getUpdates")) >= 2)
        await asyncio.sleep(NEWCOMER_TIME)  # of two that start within one breath either may go on
        took = await _refused(second, "another bot already polls with this token")
        assert first.process.poll() is None
        world.say(ann, ann, "/help")
        await world.next_post(ann)
    show(f"a second bot on one token: ends after {took:.1f} s, the first plays on")
    assert took < start + 4
    assert len(world.posts(ann)) == 2


async def _one_is_left(both: list[Process], within: float) -> Process:
    """The one of the two that ends, before `within` seconds are over."""
    until = time.monotonic() + within
    while not (ended := [process for process in both if process.process.poll() is not None]):
        assert time.monotonic() < until, "both play on"
        await asyncio.sleep(0.02)
    return ended[0]


async def _spoken(world: World, people: list[User], gap: float) -> None:
    """Each asks for help, one after the other."""
    for person in people:
        world.say(person, world.chat_of(person), "/help")
        await asyncio.sleep(gap)


async def _started_together(world: World, both: list[Process], offset: float) -> tuple[float, int]:
    """Two start while people speak; returns the seconds until one ends, and how many got no answer."""
    people = [world.user(f"User {i}") for i in range(8)]
    both[0].start()
    await asyncio.sleep(offset)
    both[1].start()
    began = time.monotonic()
    await _spoken(world, people[:4], 0.7)
    ended = await _one_is_left(both, 40)
    took = time.monotonic() - began
    await _spoken(world, people[4:], 0)
    await world.wait_until(lambda: all(world.posts(person) for person in people), 15, "all answers")
    await asyncio.sleep(1)
    codes = sorted((process.process.poll() or 0) for process in both)
    assert codes == [0, 2], [process.said()[-2000:] for process in both]
    assert ended.said().splitlines()[-1].endswith("another bot already polls with this token")
    assert "Traceback" not in ended.said()
    return took, sum(not world.posts(person) for person in people)


@pytest.mark.exhaustive
async def test_of_two_started_within_a_second_one_goes_on(bot: Started, tmp_path: Path) -> None:
    rng = random.Random(24)
    results, conflicts = [], []
    for n in range(figure(60, 3)):
        world = World()
        async with BotApi(world) as api:
            both = [bot(world, api.url, database=tmp_path / f"{n}-{i}.sqlite3") for i in (1, 2)]
            results.append(await _started_together(world, both, n % 6 / 6 + rng.uniform(0, 1 / 6)))
        for process in both:
            process.stop()
        conflicts.append(world.updates.conflicts)
        assert not world.violations
    show(
        f"{len(results)} times two bots within a second: exactly one went on each time, "
        f"{sum(lost for _, lost in results)} messages lost, decided {max(took for took, _ in results):.1f} s "
        f"after the second's start at most, {max(conflicts)} conflicts at most"
    )


async def test_a_stray_conflict_ends_nobody(bot: Started) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        process = bot(world, api.url)
        world.faults.add("getUpdates", status=409, count=2)  # what a former run leaves behind
        process.start()
        await process.says("is ready", 30)
        world.say(ann, world.chat_of(ann), "/help")
        await world.next_post(ann)
        assert process.process.poll() is None
    show(f"{process.said().count('conflict')} stray conflicts in the first second: it plays on")


async def test_a_webhook_ends_who_polls(bot: Started, tmp_path: Path, free_port: int) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        poller = bot(world, api.url)
        await _started(poller)
        hooked = bot(world, api.url, database=tmp_path / "other.sqlite3", **_webhook(free_port))
        hooked.start()
        began = time.monotonic()
        code = await poller.ended(30)
        took = time.monotonic() - began
        assert code == 2
        assert "a webhook was set for this token: another bot uses it" in poller.said().splitlines()[-1]
        world.say(ann, world.chat_of(ann), "/help")
        await world.next_post(ann)
        assert hooked.process.poll() is None
    show(f"a poller whose token gets a webhook: exit {code} within {took:.1f} s, the webhook plays on")
    assert "Traceback" not in poller.said()


async def test_a_poller_ends_who_is_posted_to(bot: Started, tmp_path: Path, free_port: int) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        hooked = bot(world, api.url, **_webhook(free_port))
        hooked.arguments = ("-c", OFTEN) if figure(0, 1) else hooked.arguments
        await _started(hooked)
        poller = bot(world, api.url, database=tmp_path / "other.sqlite3")
        await _started(poller)
        began = time.monotonic()
        code = await hooked.ended(40)
        took = time.monotonic() - began
        assert code == 2
        assert "Telegram posts elsewhere now" in hooked.said().splitlines()[-1]
        world.say(ann, world.chat_of(ann), "/help")
        await world.next_post(ann)
        assert poller.process.poll() is None
    show(f"a webhook that a poller takes away: exit {code} after {took:.1f} s, the poller plays on")
    assert "Traceback" not in hooked.said()


OFTEN = """
import sys, bot.cli, bot.web.webhook
bot.web.webhook.LOOK = 1.0
if __name__ == "__main__":
    sys.exit(bot.cli.run_command([]))
"""


def _webhook(port: int) -> dict[str, str]:
    """The settings of a bot that Telegram posts to."""
    address = f"127.0.0.1:{port}"
    return {
        "WEBHOOK_URL": f"http://{address}/telegram",
        "WEBHOOK_LISTEN": address,
        "WEBHOOK_SECRET": "canary_Secret-0123456789",
    }
