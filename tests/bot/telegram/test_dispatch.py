"""Every update is handled, and its effect stored whole or not at all."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, select

from bot.database import Tx
from bot.database.schema import chats
from bot.players import queries as people
from bot.queue.outgoing import Outgoing
from bot.telegram.context import Context, Effect
from bot.telegram.dispatch import BoardNotifier
from tests.stories.conftest import replace_command, run_bot
from tests.telegram import World


async def test_every_press_is_answered(tmp_path: Path) -> None:
    world = World()
    ann = world.user("Ann")
    group = world.group("Family", ann)
    forged = [
        "?",
        "x:1",
        ":",
        "h:",
        "h:x",
        "n:-1",
        "v:",
        "s:" + "9" * 60,
        "lb:",
        "o:",
        "fm:1",
        "pv:",
        "dg:",
        "h" * 64,
    ]
    async with run_bot(world, tmp_path / "games.sqlite3") as bot:
        deal = await bot.deal(ann, group, 3, 8, 3, 8)
        presses = [world.press(ann, deal, data=data) for data in forged]
        await bot.settle()
        assert [p.data for p in presses if p.answer is None] == []
        assert "8÷(3−8÷3)" not in deal.text
    assert world.violations == []


async def test_failed_effect_leaves_nothing_stored(tmp_path: Path) -> None:
    async def handle_and_fail(_: Context) -> Effect:
        def effect(tx: Tx) -> list[Outgoing]:
            people.store_fact(tx, "half", "done")
            raise ValueError("in the middle")

        return effect

    world = World()
    ann = world.user("Ann")
    async with run_bot(
        world, tmp_path / "games.sqlite3", routes=replace_command("help", handle_and_fail)
    ) as bot:
        world.say(ann, ann, "/help")
        world.say(ann, ann, "/start")
        await world.next_post(ann, "/help")
        await bot.settle()
        assert await bot.services.store.read(lambda tx: people.load_fact(tx, "half")) is None


async def test_channel_post_changes_nothing(tmp_path: Path) -> None:
    world = World()
    ann = world.user("Ann")
    channel = world.channel("News", ann, bot=True)
    async with run_bot(world, tmp_path / "games.sqlite3") as bot:
        world.post(channel, "/play")
        press_less = {"update_id": 5, "poll_answer": {"poll_id": "1", "option_ids": [0], "user": ann.json()}}
        await bot.service.inbox.accept([press_less, {"update_id": 6}])
        await bot.settle()
        assert world.posts(channel) == []
    assert world.violations == []


async def test_private_reply_stores_nothing_of_a_stranger(tmp_path: Path) -> None:
    world = World()
    ann = world.user("Ann")
    statements: list[str] = []
    async with run_bot(world, tmp_path / "games.sqlite3") as bot:
        store = bot.services.store

        def listen(tx: Tx) -> None:
            event.listen(tx, "before_cursor_execute", lambda *event_args: statements.append(event_args[2]))

        await store.write(listen)
        world.say(ann, ann, "/help")
        await bot.settle()
        assert "/leaderboard" in world.posts(ann)[-1].text
        assert not [
            each for each in statements if each.startswith(("INSERT INTO players", "INSERT INTO chats"))
        ]
        assert await store.read(lambda tx: people.load_names(tx, [ann.id])) == {}


async def test_private_reply_updates_a_known_players_name(tmp_path: Path) -> None:
    world = World()
    ann = world.user("Ann")
    async with run_bot(world, tmp_path / "games.sqlite3") as bot:
        await bot.deal(ann, world.chat_of(ann), 3, 8, 3, 8)
        await bot.service.services.store.write(lambda tx: people.mark_chat_gone(tx, ann.id))
        ann.first_name = "Anna"
        world.say(ann, ann, "/help")
        await bot.settle()
        assert await bot.services.store.read(lambda tx: people.load_names(tx, [ann.id])) == {ann.id: "Anna"}
        rows = await bot.services.store.read(lambda tx: tx.execute(select(chats.c.id, chats.c.gone)).all())
        assert [tuple(row) for row in rows] == [(ann.id, 0)]
    assert world.violations == []


async def test_departures_from_a_group_are_reported_to_pages(tmp_path: Path) -> None:
    world, departures = World(), list[tuple[int, int]]()
    ann, bob, cem = world.user("Ann"), world.user("Bob"), world.user("Cem")
    group = world.group("Family", ann, bob, cem)
    async with run_bot(world, tmp_path / "games.sqlite3") as bot:
        bot.service.changes.on_departure = lambda *who: departures.append(who)
        world.leave(bob, group)
        world.leave(cem, group, by=ann)
        await bot.settle()
    assert departures == [(group.id, bob.id), (group.id, cem.id)]


@pytest.mark.parametrize(
    "raw",
    [
        *(None, {}, {"message": 1}, {"message": {"chat": 1}}),
        {"message": {"left_chat_member": 1, "chat": {}}},
        {"message": {"left_chat_member": {"id": None}, "chat": {"id": -5}}},
    ],
)
def test_malformed_update_reports_no_departure(raw: Any) -> None:
    departures, boards = list[tuple[int, ...]](), BoardNotifier()
    boards.changes.on_departure = lambda *who: departures.append(who)
    boards.notify_departure(raw)
    assert not departures
