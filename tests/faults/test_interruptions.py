"""A group becomes a supergroup, the clock jumps, the network is away."""

import asyncio
import time
from pathlib import Path

import pytest

from tests.faults.conftest import BotFactory, choose_amount, fetch_rows, report, solve_deal
from tests.stories.conftest import run_bot
from tests.telegram import BotApi, World

pytestmark = pytest.mark.faults


async def test_points_and_live_round_follow_a_migrated_group(database: Path) -> None:
    world = World()
    ann, bob = world.user("Ann"), world.user("Bob")
    old = world.group("Family", ann, bob, basic=True)
    async with run_bot(world, database) as table:
        deal = await table.deal(ann, old)
        await table.say(bob, old, solve_deal(deal), reply_to=deal)
        live = await table.deal(ann, old)
        points = fetch_rows(database, "SELECT sum(points) FROM awards WHERE chat_id = ?", old.id)
        new = world.migrate(old)
        await table.settle()
        world.say(bob, new, f"/a@{world.bot.username} {solve_deal(live)}")
        await table.settle()
        world.say(ann, new, f"/leaderboard@{world.bot.username}")
        board = await world.next_post(new, "1. ")
        left = fetch_rows(database, "SELECT count(*) FROM rounds WHERE chat_id = ?", old.id)
    assert left == [(0,)]
    winners = fetch_rows(
        database, "SELECT count(*) FROM awards WHERE chat_id = ? AND player_id = ?", new.id, bob.id
    )
    report(f"a group became a supergroup: {points[0][0]} points and the live round followed")
    assert winners == [(2,)]
    assert "Bob" in board.text


@pytest.mark.parametrize("jump", [-7200.0, -90.0, 3600.0, 86_400.0])
async def test_answer_counts_by_its_date_after_a_clock_jump(database: Path, jump: float) -> None:
    """The machine's clock jumps after the deal."""
    offset = 0.0

    def clock() -> float:
        return time.time() + offset

    world = World(clock=clock)
    ann = world.user("Ann")
    async with run_bot(world, database) as table:
        deal = await table.deal(ann, world.chat_of(ann))
        dated = deal.date + 5
        offset = jump
        world.say(ann, ann, solve_deal(deal), date=dated)
        await table.settle()
        await table.timers.run_all()
        await table.settle()
    awards = fetch_rows(database, "SELECT count(*), max(seconds) FROM awards")
    report(f"the clock jumps by {jump:+.0f} s: the answer of second 5 scored, {awards[0][1]:.0f} s")
    assert awards[0][0] == 1
    assert 0 <= awards[0][1] <= 10


async def test_waiting_messages_are_answered_after_a_network_outage(
    make_bot: BotFactory, free_port: int
) -> None:
    world = World()
    people = [world.user(f"P{n}") for n in range(5)]
    async with BotApi(world, port=free_port) as api:
        process = make_bot(world, api.url)
        process.start()
        for person in people:
            world.say(person, person, "/help")
            await world.next_post(person)
    seconds = choose_amount(3600, 4)
    for person in people:
        world.say(person, person, "/help")
    await asyncio.sleep(seconds)
    assert process.process.poll() is None
    async with BotApi(world, port=free_port):
        began = time.monotonic()
        for person in people:
            await world.next_post(person)
        took = time.monotonic() - began
    report(f"{seconds} s without a network: all answered {took:.1f} s after it came back")
    assert all(len(world.posts(person)) == 2 for person in people)
