"""Two bots on one database, or on one token."""

import asyncio
import random
import time
from pathlib import Path

import pytest

from bot.telegram.polling import NEWCOMER_TIME
from tests.faults.conftest import BotFactory, Process, choose_amount, report
from tests.on_postgresql import ON_POSTGRESQL
from tests.telegram import BotApi, User, World

pytestmark = pytest.mark.faults


async def _start_and_wait(first: Process) -> float:
    """Start a bot, wait until it is ready, and return how many seconds that took."""
    began = time.monotonic()
    first.start()
    await first.wait_for_log("is ready")
    return time.monotonic() - began


async def _start_refused(second: Process, words: str) -> float:
    """Start a bot that must end with `words` in its last line; return how many seconds that took."""
    began = time.monotonic()
    second.start()
    assert await second.wait_for_exit(60) != 0
    assert words in second.read_log().splitlines()[-1]
    assert "Traceback" not in second.read_log()
    return time.monotonic() - began


@pytest.mark.exhaustive
@pytest.mark.skipif(ON_POSTGRESQL, reason="several share a server's database: tests/faults/test_replicas.py")
async def test_second_bot_on_a_database_ends(make_bot: BotFactory) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        first, second = make_bot(world, api.url), make_bot(world, api.url)
        start = await _start_and_wait(first)
        took = await _start_refused(second, "another bot already runs on the database")
        world.say(ann, ann, "/help")
        await world.next_post(ann)
        assert first.process.poll() is None
    report(f"a second bot on one database: ends after {took:.1f} s, the first plays on")
    assert took < start + 15
    assert len(world.posts(ann)) == 1


async def test_second_bot_on_a_token_ends(make_bot: BotFactory, tmp_path: Path) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        first = make_bot(world, api.url)
        second = make_bot(world, api.url, database=tmp_path / "other.sqlite3")
        start = await _start_and_wait(first)
        world.say(ann, ann, "/help")
        await world.next_post(ann)
        await world.wait_until(lambda: len(world.calls("getUpdates")) >= 2)
        await asyncio.sleep(NEWCOMER_TIME)  # of two that start at the same time either may go on
        took = await _start_refused(second, "another bot already polls with this token")
        assert first.process.poll() is None
        world.say(ann, ann, "/help")
        await world.next_post(ann)
    report(f"a second bot on one token: ends after {took:.1f} s, the first plays on")
    assert took < start + 15
    assert len(world.posts(ann)) == 2


async def _wait_for_first_exit(both: list[Process], timeout: float) -> Process:
    """Wait until one of two bots ends, and return it; AssertionError after `timeout` seconds."""
    until = time.monotonic() + timeout
    while not (ended := [process for process in both if process.process.poll() is not None]):
        assert time.monotonic() < until, "both play on"
        await asyncio.sleep(0.02)
    return ended[0]


async def _ask_for_help(world: World, people: list[User], gap: float) -> None:
    """Let each person ask for help, `gap` seconds apart."""
    for person in people:
        world.say(person, world.chat_of(person), "/help")
        await asyncio.sleep(gap)


async def _start_together(world: World, both: list[Process], offset: float) -> tuple[float, int]:
    """Start two bots while people speak; return the seconds until one ends and how many got no answer."""
    people = [world.user(f"User {i}") for i in range(8)]
    both[0].start()
    await asyncio.sleep(offset)
    both[1].start()
    began = time.monotonic()
    await _ask_for_help(world, people[:4], 0.7)
    ended = await _wait_for_first_exit(both, 40)
    took = time.monotonic() - began
    await _ask_for_help(world, people[4:], 0)
    await world.wait_until(lambda: all(world.posts(person) for person in people), 60, "all answers")
    await asyncio.sleep(1)
    codes = sorted((process.process.poll() or 0) for process in both)
    assert codes == [0, 2], [process.read_log()[-2000:] for process in both]
    assert ended.read_log().splitlines()[-1].endswith("another bot already polls with this token")
    assert "Traceback" not in ended.read_log()
    return took, sum(not world.posts(person) for person in people)


@pytest.mark.exhaustive
async def test_one_of_two_bots_started_together_goes_on(make_bot: BotFactory, tmp_path: Path) -> None:
    rng = random.Random(24)
    results, conflicts = [], []
    for n in range(choose_amount(60, 3)):
        world = World()
        async with BotApi(world) as api:
            both = [make_bot(world, api.url, database=tmp_path / f"{n}-{i}.sqlite3") for i in (1, 2)]
            results.append(await _start_together(world, both, n % 6 / 6 + rng.uniform(0, 1 / 6)))
        for process in both:
            process.stop()
        conflicts.append(world.updates.conflicts)
        assert not world.violations
    report(
        f"{len(results)} times two bots within a second: exactly one went on each time, "
        f"{sum(lost for _, lost in results)} messages lost, decided {max(took for took, _ in results):.1f} s "
        f"after the second's start at most, {max(conflicts)} conflicts at most"
    )


@pytest.mark.exhaustive
async def test_stray_conflict_at_the_start_is_ignored(make_bot: BotFactory) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        process = make_bot(world, api.url)
        world.faults.add("getUpdates", status=409, count=2)  # as a former run leaves behind
        process.start()
        await process.wait_for_log("is ready")
        world.say(ann, world.chat_of(ann), "/help")
        await world.next_post(ann)
        assert process.process.poll() is None
    report(f"{process.read_log().count('conflict')} stray conflicts in the first second: it plays on")


@pytest.mark.exhaustive
async def test_new_webhook_ends_a_polling_bot(make_bot: BotFactory, tmp_path: Path, free_port: int) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        poller = make_bot(world, api.url)
        await _start_and_wait(poller)
        hooked = make_bot(world, api.url, database=tmp_path / "other.sqlite3", **_webhook_settings(free_port))
        hooked.start()
        began = time.monotonic()
        code = await poller.wait_for_exit(30)
        took = time.monotonic() - began
        assert code == 2
        assert "a webhook was set for this token: another bot uses it" in poller.read_log().splitlines()[-1]
        world.say(ann, world.chat_of(ann), "/help")
        await world.next_post(ann)
        assert hooked.process.poll() is None
    report(f"a poller whose token gets a webhook: exit {code} within {took:.1f} s, the webhook plays on")
    assert "Traceback" not in poller.read_log()


@pytest.mark.exhaustive
async def test_polling_bot_ends_a_webhook_bot(make_bot: BotFactory, tmp_path: Path, free_port: int) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        hooked = make_bot(world, api.url, **_webhook_settings(free_port))
        hooked.arguments = ("-c", FREQUENT_CHECKS) if choose_amount(0, 1) else hooked.arguments
        await _start_and_wait(hooked)
        poller = make_bot(world, api.url, database=tmp_path / "other.sqlite3")
        await _start_and_wait(poller)
        began = time.monotonic()
        code = await hooked.wait_for_exit(40)
        took = time.monotonic() - began
        assert code == 2
        assert "Telegram posts elsewhere now" in hooked.read_log().splitlines()[-1]
        world.say(ann, world.chat_of(ann), "/help")
        await world.next_post(ann)
        assert poller.process.poll() is None
    report(f"a webhook that a poller takes away: exit {code} after {took:.1f} s, the poller plays on")
    assert "Traceback" not in hooked.read_log()


FREQUENT_CHECKS = """
import sys, bot.cli, bot.web.webhook
bot.web.webhook.ASK_INTERVAL = 1.0
if __name__ == "__main__":
    sys.exit(bot.cli.run_command([]))
"""


def _webhook_settings(port: int) -> dict[str, str]:
    """Return the settings for a webhook."""
    address = f"127.0.0.1:{port}"
    return {
        "WEBHOOK_URL": f"http://{address}/telegram",
        "WEBHOOK_LISTEN": address,
        "WEBHOOK_SECRET": "canary_Secret-0123456789",
    }
