"""Deadlines pass while the bot is down: answers count if they were sent in time."""

import asyncio
import random
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.faults.conftest import (
    BotFactory,
    choose_amount,
    execute_sql,
    fetch_rows,
    report,
    solve_deal,
    wait_until_empty,
)
from tests.telegram import BotApi, Chat, Message, User, World

pytestmark = pytest.mark.faults

TABLES = 10  # Groups whose deadlines pass in one absence of the bot


@dataclass
class DealtRound:
    """A round, its deadline and the time of its answer."""

    player: User
    chat: Chat
    deal: Message
    deadline: float = 0.0
    sent: int = 0


async def deal_rounds(world: World, people: list[tuple[User, Chat]]) -> list[DealtRound]:
    asked = [world.say(player, chat, f"/play@{world.bot.username}") for player, chat in people]
    tables = []
    for message, (player, chat) in zip(asked, people, strict=True):

        def find_deal(chat: Chat = chat, after: int = message.id) -> Message | None:
            return next((m for m in world.posts(chat) if m.id > after and "→ 24" in m.text), None)

        found = await world.wait_until(find_deal, 60, "the deal")
        assert found is not None
        tables.append(DealtRound(player, chat, found))
    await world.wait_until_taken()
    return tables


def move_deadlines_to_now(database: Path, tables: list[DealtRound], rng: random.Random) -> None:
    """Move the deadlines to about now."""
    moved = "UPDATE rounds SET opened = ?, deadline = ? WHERE chat_id = ? AND state = 'open'"
    for table in tables:
        table.deadline = int(time.time()) + rng.uniform(-4.0, 1.0)
        execute_sql(database, moved, table.deadline - 600, table.deadline, table.chat.id)


def answer_rounds(world: World, tables: list[DealtRound], rng: random.Random) -> None:
    """Send an answer in every round, dated between 17 s before its deadline and now."""
    for table in tables:
        latest = int(time.time())
        table.sent = min(latest, int(table.deadline) + rng.randrange(-17, 5))
        world.say(table.player, table.chat, solve_deal(table.deal), reply_to=table.deal, date=table.sent)


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", ["polling", "webhook"])
async def test_answer_counts_by_the_time_it_was_sent(
    way: str, make_bot: BotFactory, database: Path, free_port: int
) -> None:
    world, rng = World(seed=8), random.Random(8)
    people = [
        (player, world.group(player.first_name, player))
        for player in (world.user(f"P{n}") for n in range(TABLES))
    ]
    address = f"127.0.0.1:{free_port}"
    hook = {
        "WEBHOOK_URL": f"http://{address}/hook",
        "WEBHOOK_LISTEN": address,
        "WEBHOOK_SECRET": "s" * 40,
    }
    in_time, won_in_time, late, won_late = 0, 0, 0, 0
    async with BotApi(world) as api:
        process = make_bot(world, api.url, **(hook if way == "webhook" else {}))
        process.start()
        for _ in range(choose_amount(200, 20) // TABLES):
            tables = await deal_rounds(world, people)
            await wait_until_empty(database, process, "rounds WHERE state = 'open' AND message_id IS NULL")
            process.kill()
            move_deadlines_to_now(database, tables, rng)
            await asyncio.sleep(rng.uniform(0.0, 1.0))
            answer_rounds(world, tables, rng)
            slow = world.faults.add("get*", delay=rng.uniform(0.0, 1.5))
            process.start()
            await wait_until_empty(database, process, "rounds WHERE state = 'open'")
            world.faults.remove(slow)
            for table in tables:
                (won,) = fetch_rows(
                    database,
                    "SELECT state = 'won' FROM rounds WHERE chat_id = ? ORDER BY id DESC LIMIT 1",
                    table.chat.id,
                )[0]
                if table.sent <= table.deadline:
                    in_time, won_in_time = in_time + 1, won_in_time + won
                else:
                    late, won_late = late + 1, won_late + won
    report(
        f"{way}: the bot was away at {in_time + late} deadlines; {won_in_time} of {in_time} answers sent in "
        f"time won, {won_late} of {late} sent after it"
    )
    assert won_in_time == in_time > 0
    assert won_late == 0 < late
    assert not world.violations
