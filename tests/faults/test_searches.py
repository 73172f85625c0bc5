"""Long searches of one person delay nobody else, with one worker or two."""

import asyncio
import time

import pytest

from tests.faults.conftest import FULL, BotFactory, relax_limit, report
from tests.telegram import BotApi, Chat, User, World

pytestmark = pytest.mark.faults
SEARCHES = 12
HOPELESS = "/solve 999983 912917 833341 760723 694391 633877 578603 528163 482117 {last} = 7"
GROUPS = 40
DEALT_WITHIN = relax_limit(3.0)
# Number of deals that show the usual time, and the seconds allowed on top of the slowest.
USUAL_DEALS, ALLOWED = 3, relax_limit(1.0)


async def measure_reply(world: World, user: User, chat: Chat, text: str, answer: str) -> float:
    """Return the seconds from a message to the post that contains `answer`."""
    began = time.monotonic()
    world.say(user, chat, text)
    await world.next_post(chat, answer)
    return time.monotonic() - began


def ask_hopeless_search(world: World, user: User, chat: Chat, number: int) -> None:
    """Ask for a search that uses all its time and finds nothing."""
    name = "" if chat.type == "private" else f"@{world.bot.username}"
    world.say(user, chat, HOPELESS.replace("/solve", f"/solve{name}").format(last=999_000 + number))


@pytest.mark.exhaustive
@pytest.mark.parametrize("workers", ["1", "2"])
async def test_slow_deals_of_twelve_people_delay_nobody_else(make_bot: BotFactory, workers: str) -> None:
    """Each asks for another target, so that no result is cached."""
    world = World()
    bob, cat = world.user("Bob"), world.user("Cat")
    people = [world.user(f"P{number}") for number in range(SEARCHES)]
    tables = [world.group(f"Table {n}", bob) for n in range(4)]
    async with BotApi(world) as api:
        process = make_bot(world, api.url, SOLVER_WORKERS=workers)
        process.start()
        await process.wait_for_log("is ready")
        play = f"/play@{world.bot.username}"
        await measure_reply(world, bob, tables.pop(), play, "→ 24")
        for number, user in enumerate(people):
            world.say(user, world.chat_of(user), f"/play fiendish 6 {7 + number}")
        await asyncio.sleep(0.2)
        deals = [await measure_reply(world, bob, table, play, "→ 24") for table in tables]
        help_ = await measure_reply(world, cat, world.chat_of(cat), "/help", "Twenty-Four")
    report(
        f"hopeless deals of {SEARCHES} people ({workers} workers): another's takes {max(deals):.2f} s, "
        f"/help {help_:.2f}"
    )
    assert max(deals) < DEALT_WITHIN
    assert help_ < DEALT_WITHIN


@pytest.mark.exhaustive
async def test_slow_deals_of_one_person_in_forty_groups_delay_nobody(make_bot: BotFactory) -> None:
    world = World()
    ann, cat = world.user("Ann"), world.user("Cat")
    groups = [world.group(f"Group {number}", ann) for number in range(GROUPS)]
    table = world.group("Table", cat)
    async with BotApi(world) as api:
        process = make_bot(world, api.url, SOLVER_WORKERS="1")
        process.start()
        await process.wait_for_log("is ready")
        await measure_reply(world, cat, world.chat_of(cat), "/help", "Twenty-Four")
        for number, group in enumerate(groups):
            world.say(ann, group, f"/play@{world.bot.username} fiendish 6 {7 + number}")
        await asyncio.sleep(0.2)
        help_ = await measure_reply(world, cat, world.chat_of(cat), "/help", "Twenty-Four")
        deal = await measure_reply(world, cat, table, f"/play@{world.bot.username}", "→ 24")
        await world.wait_until(
            lambda: all(world.posts(group) for group in groups), 30, "a word in each group"
        )
        refused = sum("one at a time" in post.text for group in groups for post in world.posts(group))
    report(
        f"hopeless deals of one person in {GROUPS} groups: another's /help takes {help_:.2f} s, "
        f"a deal {deal:.2f}; {refused} are refused at once"
    )
    assert max(help_, deal) < DEALT_WITHIN
    assert refused >= GROUPS - 10


@pytest.mark.exhaustive
@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("where", ["private", "group", "groups"])
async def test_long_searches_delay_nobody_else(make_bot: BotFactory, where: str, workers: str) -> None:
    world = World()
    ann, bob, cat = (world.user(name) for name in ("Ann", "Bob", "Cat"))
    groups = [world.group(f"Group {n}", ann) for n in range(SEARCHES)]
    places = {"private": [world.chat_of(ann)], "group": groups[:1], "groups": groups}[where]
    tables = [world.group(f"Table {n}", bob) for n in range(8)]
    async with BotApi(world) as api:
        process = make_bot(world, api.url, SOLVER_WORKERS=workers)
        process.start()
        await process.wait_for_log("is ready")
        play, help_ = (f"/{name}@{world.bot.username}" for name in ("play", "help"))
        usual = [await measure_reply(world, bob, tables.pop(), play, "→ 24") for _ in range(USUAL_DEALS)]
        for number in range(SEARCHES):
            ask_hopeless_search(world, ann, places[number % len(places)], number)
        await asyncio.sleep(0.2)
        deals = [await measure_reply(world, bob, table, play, "→ 24") for table in tables]
        helps = [await measure_reply(world, cat, world.chat_of(cat), help_, "Twenty-Four") for _ in range(5)]
        ask_hopeless_search(world, ann, places[0], SEARCHES)
        same = await measure_reply(world, bob, groups[-1], play, "→ 24")
    report(
        f"{SEARCHES} hopeless searches ({where}, {workers} workers): another's deal takes {max(deals):.2f} s "
        f"(before {max(usual[1:]):.2f}), in their own chat {same:.2f}, /help {max(helps):.2f}"
    )
    assert max(*deals, same) < max(usual[1:]) + ALLOWED
    assert max(helps) < ALLOWED


@pytest.mark.exhaustive
async def test_flood_of_searches_is_refused_with_one_message(make_bot: BotFactory) -> None:
    """Searches that can't begin within seconds are refused instead of queued."""
    world = World()
    ann = world.user("Ann")
    here = world.chat_of(ann)
    async with BotApi(world) as api:
        process = make_bot(world, api.url)
        process.start()
        await process.wait_for_log("is ready")
        began = time.monotonic()
        for number in range(40 if FULL else SEARCHES):
            ask_hopeless_search(world, ann, here, number)
        await world.next_post(here, "one at a time")
        told = time.monotonic() - began
        began = time.monotonic()
        world.say(ann, here, "/solve 3 8 3 8")
        await world.next_post(here, "8÷(3−8÷3)")
        after = time.monotonic() - began
        lines = sum("one at a time" in post.text for post in world.posts(here))
    report(
        f"searches at once: turned away after {told:.1f} s, in {lines} line; the next answer in {after:.2f} s"
    )
    assert told < 6
    assert after < 3
    assert lines == 1
