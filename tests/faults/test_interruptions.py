"""A group becomes a supergroup, clocks jump, the network is away for an hour."""

import asyncio
import time
from pathlib import Path

import pytest

from tests.faults.conftest import Started, answer_to, figure, rows, show
from tests.stories.conftest import run_bot
from tests.telegram import BotApi, World

pytestmark = pytest.mark.faults


async def test_everything_follows_a_group(database: Path) -> None:
    world = World()
    ann, bob = world.user("Ann"), world.user("Bob")
    old = world.group("Family", ann, bob, basic=True)
    async with run_bot(world, database) as table:
        deal = await table.deal(ann, old)
        await table.say(bob, old, answer_to(deal), reply_to=deal)
        live = await table.deal(ann, old)
        points = rows(database, "SELECT sum(points) FROM awards WHERE chat_id = ?", old.id)
        new = world.migrate(old)
        await table.settle()
        world.say(bob, new, f"/a@{world.bot.username} {answer_to(live)}")
        await table.settle()
        world.say(ann, new, f"/leaderboard@{world.bot.username}")
        board = await world.next_post(new, "1. ")
        left = rows(database, "SELECT count(*) FROM rounds WHERE chat_id = ?", old.id)
    assert left == [(0,)]
    winners = rows(
        database, "SELECT count(*) FROM awards WHERE chat_id = ? AND player_id = ?", new.id, bob.id
    )
    show(f"a group became a supergroup: {points[0][0]} points and the live round followed")
    assert winners == [(2,)]
    assert "Bob" in board.text


@pytest.mark.parametrize("jump", [-7200.0, -90.0, 3600.0, 86_400.0])
async def test_the_messages_own_date_decides(database: Path, jump: float) -> None:
    """The machine's clock jumps after the deal; an answer dated in time scores all the same."""
    offset = 0.0

    def clock() -> float:
        return time.time() + offset

    world = World(clock=clock)
    ann = world.user("Ann")
    async with run_bot(world, database) as table:
        deal = await table.deal(ann, world.chat_of(ann))
        dated = deal.date + 5
        offset = jump
        world.say(ann, ann, answer_to(deal), date=dated)
        await table.settle()
        await table.timers.run_all()
        await table.settle()
    awards = rows(database, "SELECT count(*), max(seconds) FROM awards")
    show(f"the clock jumps by {jump:+.0f} s: the answer of second 5 scored, {awards[0][1]:.0f} s")
    assert awards[0][0] == 1
    assert 0 <= awards[0][1] <= 10


async def test_a_network_that_was_away(bot: Started, free_port: int) -> None:
    world = World()
    people = [world.user(f"P{n}") for n in range(5)]
    async with BotApi(world, port=free_port) as api:
        process = bot(world, api.url)
        process.start()
        for person in people:
            world.say(person, person, "/help")
            await world.next_post(person)
    seconds = figure(3600, 4)
    for person in people:
        world.say(person, person, "/help")
    await asyncio.sleep(seconds)
    assert process.process.poll() is None
    async with BotApi(world, port=free_port):
        began = time.monotonic()
        for person in people:
            await world.next_post(person)
        took = time.monotonic() - began
    show(f"{seconds} s without a network: all answered {took:.1f} s after it came back")
    assert all(len(world.posts(person)) == 2 for person in people)
