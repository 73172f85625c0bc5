"""The bot is down when deadlines pass: what was sent in time scores, what was sent after them does not."""

import asyncio
import random
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.faults.conftest import Started, answer_to, change, figure, none, rows, show
from tests.telegram import BotApi, Chat, Message, User, World

pytestmark = pytest.mark.faults

TABLES = 10  # Groups whose deadlines pass in one absence of the bot


@dataclass
class Table:
    """A hand, and when its answer is sent."""

    player: User
    chat: Chat
    deal: Message
    deadline: float = 0.0
    sent: int = 0


async def deal(world: World, people: list[tuple[User, Chat]]) -> list[Table]:
    """A hand in every group."""
    asked = [world.say(player, chat, f"/play@{world.bot.username}") for player, chat in people]
    tables = []
    for message, (player, chat) in zip(asked, people, strict=True):

        def dealt(chat: Chat = chat, after: int = message.id) -> Message | None:
            return next((m for m in world.posts(chat) if m.id > after and "→ 24" in m.text), None)

        found = await world.wait_until(dealt, 60, "the deal")
        assert found is not None
        tables.append(Table(player, chat, found))
    await world.wait_until_taken()
    return tables


def shorten(database: Path, tables: list[Table], rng: random.Random) -> None:
    """Let the deadlines be about now."""
    moved = "UPDATE rounds SET opened = ?, deadline = ? WHERE chat_id = ? AND state = 'open'"
    for table in tables:
        table.deadline = int(time.time()) + rng.uniform(-4.0, 1.0)
        change(database, moved, table.deadline - 600, table.deadline, table.chat.id)


def answered(world: World, tables: list[Table], rng: random.Random) -> None:
    """Every answer, dated somewhere from 17 s before its deadline to the present moment."""
    for table in tables:
        latest = int(time.time())
        table.sent = min(latest, int(table.deadline) + rng.randrange(-17, 5))
        world.say(table.player, table.chat, answer_to(table.deal), reply_to=table.deal, date=table.sent)


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", ["polling", "webhook"])
async def test_answers_count_by_when_they_were_sent(
    way: str, bot: Started, database: Path, free_port: int
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
        process = bot(world, api.url, **(hook if way == "webhook" else {}))
        process.start()
        for _ in range(figure(200, 20) // TABLES):
            tables = await deal(world, people)
            await none(database, process, "rounds WHERE state = 'open' AND message_id IS NULL")
            process.kill()
            shorten(database, tables, rng)
            await asyncio.sleep(rng.uniform(0.0, 1.0))
            answered(world, tables, rng)
            slow = world.faults.add("get*", delay=rng.uniform(0.0, 1.5))
            process.start()
            await none(database, process, "rounds WHERE state = 'open'")
            world.faults.remove(slow)
            for table in tables:
                (won,) = rows(
                    database,
                    "SELECT state = 'won' FROM rounds WHERE chat_id = ? ORDER BY id DESC LIMIT 1",
                    table.chat.id,
                )[0]
                if table.sent <= table.deadline:
                    in_time, won_in_time = in_time + 1, won_in_time + won
                else:
                    late, won_late = late + 1, won_late + won
    show(
        f"{way}: the bot was away at {in_time + late} deadlines; {won_in_time} of {in_time} answers sent in "
        f"time won, {won_late} of {late} sent after it"
    )
    assert won_in_time == in_time > 0
    assert won_late == 0 < late
    assert not world.violations
