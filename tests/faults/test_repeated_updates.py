"""Updates that are delivered three times and shuffled; one press under two update ids."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from bot.queue.pacing import Pace
from tests.faults.conftest import choose_amount, fetch_rows, report, solve_deal
from tests.stories.conftest import LiveBot, run_bot
from tests.telegram import Chat, World

pytestmark = pytest.mark.faults

UNPACED = Pace(posts_a_minute=10**6, redraw_gap=0.0)


async def _play_rounds(table: LiveBot, group: Chat, rounds: int) -> None:
    ann, bob = (member.user for member in group.members.values() if not member.user.is_bot)
    for _ in range(rounds):
        deal = await table.deal(ann, group)
        press = table.world.press(bob, deal, "Hint")
        table.world.press_again(press)
        await table.world.answer_to(press)
        for text in ("1+1", solve_deal(deal)):
            table.world.say(bob, group, text, reply_to=deal)
        await table.world.wait_until(lambda: "🏆" in deal.text, 60, "the win")  # noqa: B023


def _read_state(database: Path) -> list[Any]:
    tables = ("awards", "totals", "tries", "outbox", "players", "chats")
    hands = fetch_rows(database, "SELECT id, state, standing, winner_id, expression FROM rounds ORDER BY id")
    contents = (f"SELECT * FROM {name} ORDER BY 1, 2, 3" for name in tables)  # noqa: S608 - names from above
    return [hands, *(fetch_rows(database, query) for query in contents)]


async def test_repeated_updates_change_nothing(database: Path) -> None:
    world = World(seed=4, validate=False)
    groups = [world.group(f"G{n}", world.user("Ann"), world.user("Bob")) for n in range(6)]
    async with run_bot(world, database, UNPACED) as table:
        await asyncio.gather(*(_play_rounds(table, group, choose_amount(50, 4)) for group in groups))
        await table.settle()
        before, requests = _read_state(database), len(world.calls("sendMessage"))
        bodies = [json.loads(json.dumps(update.body)) for update in world.updates.sent] * 2
        world.rng.shuffle(bodies)
        for start in range(0, len(bodies), 50):
            await table.service.inbox.accept(bodies[start : start + 50])
        await table.settle()
        after = _read_state(database)
    hints = {row[2] for row in after[0]}
    posts = len(world.calls("sendMessage")) - requests
    report(f"{len(bodies) // 2} updates three times each, shuffled: the same state, {posts} posts more")
    assert after == before
    assert posts == 0
    assert hints == {'{"v": 1, "hints": 1}'}, "the same press under two ids bought two hints"
