"""Telegram's flood limits, posts with an unknown outcome, and a flood of messages."""

import asyncio
import time
from statistics import quantiles

import psutil
import pytest

from tests.faults.conftest import FULL, BotFactory, choose_amount, relax_limit, report
from tests.telegram import BotApi, Chat, Limits, User, World

pytestmark = pytest.mark.faults


async def measure_reply(world: World, user: User, chat: Chat, timeout: float = 30) -> float:
    """Return the seconds from /help to its answer."""
    began = time.monotonic()
    world.say(user, chat, f"/help@{world.bot.username}")
    await world.next_post(chat, timeout=timeout)
    return time.monotonic() - began


def compute_p95(times: list[float]) -> float:
    """Return the 95th percentile."""
    return quantiles(times, n=20)[-1]


@pytest.mark.exhaustive
async def test_retry_after_delays_only_its_chat(make_bot: BotFactory) -> None:
    world = World()
    ann = world.user("Ann")
    noisy, *others = [world.group(f"Group {n}", ann) for n in range(choose_amount(14, 6))]
    async with BotApi(world) as api:
        process = make_bot(world, api.url)
        process.start()
        await process.wait_for_log("is ready")
        world.faults.add("send*", chat=noisy.id, retry_after=5, count=1)
        waiting = asyncio.create_task(measure_reply(world, ann, noisy))
        times = [await measure_reply(world, ann, other) for _ in range(6) for other in others]
        waited = await waiting
        assert len(world.posts(noisy)) == 1
    report(
        f"429 for one chat: it waits {waited:.1f} s, the others' p95 is {compute_p95(times) * 1000:.0f} ms"
    )
    assert waited > 5
    assert compute_p95(times) < relax_limit(1)


@pytest.mark.exhaustive
async def test_no_group_gets_more_than_twenty_posts_a_minute(make_bot: BotFactory) -> None:
    """The limit holds across restarts; the full form covers two more minutes.

    Each deal is for another person: other posts, and those for one person, have lower limits.
    """
    world = World()
    world.limits = Limits(chat_burst=1000)
    asked = choose_amount(60, 24)
    people = [world.user(f"P{n}") for n in range(asked)]
    group = world.group("Group", *people)
    async with BotApi(world) as api:
        process = make_bot(world, api.url)
        process.start()
        await process.wait_for_log("is ready")
        for person in people:
            world.say(person, group, f"/play@{world.bot.username}")
            world.say(person, group, f"/skip@{world.bot.username}")
        await world.wait_until(lambda: len(world.posts(group)) >= 12, 60, "the first posts")
        process.kill()
        process.start()
        await process.wait_for_log("is ready")
        await world.wait_until(lambda: len(world.posts(group)) >= 18, 60, "the next posts")
        process.process.terminate()
        assert await process.wait_for_exit(8) == 0
        process.start()
        await asyncio.sleep(10)
        if FULL:
            await world.wait_until(lambda: len(world.posts(group)) >= asked, 200, "the last post")
    report(f"{asked} asked for, {len(world.posts(group))} posted; the busiest minute had {world.pace(group)}")
    assert 18 <= world.pace(group) <= 20
    assert world.limits.refusals == 0


@pytest.mark.exhaustive
async def test_post_with_unknown_outcome_is_not_repeated(make_bot: BotFactory) -> None:
    world = World()
    people = [world.user(f"P{n}") for n in range(choose_amount(40, 8))]
    async with BotApi(world) as api:
        process = make_bot(world, api.url)
        process.start()
        await process.wait_for_log("is ready")
        for number, person in enumerate(people):
            how = {"close": True} if number % 4 or not FULL else {"hang": 15.0}
            world.faults.add("send*", chat=person.id, effect=True, count=1, **how)
            world.say(person, person, "/help")
        first = {person.id: len(world.posts(person)) for person in people}
        await world.wait_until(lambda: all(world.posts(person) for person in people), 60, "the first posts")
        for person in people:
            world.say(person, person, "/help")  # later posts are delivered as usual
        await world.wait_until(lambda: all(len(world.posts(p)) >= 2 for p in people), 90, "the second posts")
        process.process.terminate()
        assert await process.wait_for_exit(8) == 0
        process.start()
        await process.wait_for_log("is ready")
        await asyncio.sleep(2)
    doubled = sum(len(world.posts(person)) - first[person.id] - 2 for person in people)
    report(f"{len(people)} posts written and not answered: {doubled} made again")
    assert doubled == 0


@pytest.mark.exhaustive
async def test_flood_in_one_chat_delays_no_other_chat(make_bot: BotFactory) -> None:
    world = World(privacy=False)
    people = [world.user(f"P{n}") for n in range(5)]
    noisy = world.group("Noisy", people[0])
    async with BotApi(world) as api:
        process = make_bot(world, api.url)
        process.start()
        for person in people:
            world.say(person, person, "/help")
            await world.next_post(person)
        memory = psutil.Process(process.process.pid).memory_info().rss
        over = asyncio.Event()
        flood = asyncio.create_task(_send_flood(world, people[0], noisy, over))
        until = time.monotonic() + choose_amount(60, 6)
        times: list[float] = []
        while time.monotonic() < until:
            times += [await measure_reply(world, person, world.chat_of(person)) for person in people[1:]]
        over.set()
        said = await flood
        grown = (psutil.Process(process.process.pid).memory_info().rss - memory) / 2**20
    report(
        f"{said} messages in a chat: others' p95 {compute_p95(times) * 1000:.0f} ms, memory +{grown:.0f} MiB"
    )
    assert compute_p95(times) < relax_limit(0.5)
    assert grown < 64


async def _send_flood(world: World, user: User, chat: Chat, over: asyncio.Event) -> int:
    """Send a thousand messages a second until `over` is set; return their number."""
    said = 0
    while not over.is_set():
        for _ in range(10):
            message = world.say(user, chat, "what a fine evening", hear=False)
            world.updates.publish("message", message.json(), chat.id)
        said += 10
        await asyncio.sleep(0.01)
    return said
