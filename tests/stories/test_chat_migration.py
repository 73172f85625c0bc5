"""A group that becomes a supergroup keeps everything."""

import asyncio
import itertools
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, Table, func, insert, select
from sqlalchemy.types import Float, Integer

from bot.admin import chat_migration
from bot.board import queries as boards
from bot.board.chat_cache import TitleCache
from bot.board.live_views import LiveViews, Viewer
from bot.board.rules import Place
from bot.database import Store, Tx
from bot.database.schema import awards, chats, metadata
from bot.players import preferences
from bot.players import queries as people
from bot.queue import sender
from bot.settings import read_settings
from bot.telegram import dispatch
from bot.telegram.api import call_api
from tests.stories.conftest import LiveBot
from tests.stories.tapping import open_page
from tests.telegram import User, World

pytestmark = pytest.mark.long

OLD, NEW = -4_000_000_001, -1_001_000_000_001
# These refer to messages, whose ids are valid in the old chat only, or to its ephemeral messages.
UNMOVED_TABLES = {"daily_tables", "lost_messages", "ephemeral_chats"}


def list_chat_columns() -> list[Column[Any]]:
    """Return the columns that hold a chat id, except in the table of chats."""
    return [c for t in metadata.sorted_tables for c in t.columns if c.name == "chat_id"]


def make_row(table: Table, numbers: "itertools.count[int]") -> dict[str, Any]:
    """Return a row with some value in each column."""
    made: dict[str, Any] = {}
    for column in table.columns:
        number = 1 if column.name == "id" or column.foreign_keys else next(numbers)
        kind = column.type
        made[column.name] = number if isinstance(kind, Integer | Float) else str(number)
    return made


async def test_migration_moves_the_rows_of_every_table(database: Path) -> None:
    assert len(list_chat_columns()) >= 8
    numbers = itertools.count(1)
    store = await Store.open(read_settings({"DATABASE_URL": f"sqlite:///{database}"}).database)

    def insert_rows(tx: Tx) -> None:
        people.load_or_insert_chat(tx, OLD, "group")
        for column in list_chat_columns():
            tx.execute(insert(column.table).values(make_row(column.table, numbers) | {column.name: OLD}))

    def count_rows(tx: Tx) -> dict[str, tuple[int, int]]:
        def count_in(column: Column[Any], chat: int) -> int:
            return tx.scalar(select(func.count()).select_from(column.table).where(column == chat)) or 0

        return {c.table.name: (count_in(c, OLD), count_in(c, NEW)) for c in list_chat_columns()}

    await store.write(insert_rows)
    for _ in range(2):
        await store.write(lambda tx: chat_migration.move_chat(tx, OLD, NEW))
    moved = await store.read(count_rows)
    await store.close()
    assert {name for name, (old, _) in moved.items() if old} == set()
    unmoved = {name for name, (_, new) in moved.items() if not new}
    assert unmoved - {"last_wins", "histogram"} == UNMOVED_TABLES


@pytest.mark.long
async def test_answer_before_migration_counts(bot: LiveBot, world: World, ann: User, bob: User) -> None:
    # The answer waits in the lane of the old chat; the report of the migration waits in another lane.
    families = [world.group(f"Family {n}", ann, bob, basic=True) for n in range(6)]
    for family in families:
        deal = await bot.deal(ann, family, 3, 8, 3, 8)
        world.say(bob, family, "8/(3-8/3)", reply_to=deal)
        new = world.migrate(family)
        await bot.settle()
        assert any("🏆" in post.text for post in (*world.posts(family), *world.posts(new)))
    won = await bot.services.store.read(lambda tx: tx.scalar(select(func.count()).select_from(awards)))
    assert won == len(families)


@pytest.mark.parametrize("noticed", ["refused", "reported by the new chat"])
async def test_answer_received_after_migration_was_noticed_counts(
    bot: LiveBot, world: World, ann: User, bob: User, noticed: str
) -> None:
    # The last messages of the old chat and its own report may arrive later.
    family = world.group("Family", ann, bob, basic=True)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    club = world.group("Family", ann, bob)
    family.migrated_to = club
    if noticed == "refused":
        world.say(ann, family, f"/leaderboard@{world.bot.username}")
    else:
        world.say(ann, club, content={"migrate_from_chat_id": family.id}, hear=True)
    before = len(world.requests)
    await world.wait_until_taken()
    if noticed == "refused":
        await world.wait_until(lambda: len(world.requests) > before + 1)  # more than the refused request
    world.say(bob, family, "8/(3-8/3)", reply_to=deal)
    world.say(ann, family, content={"migrate_to_chat_id": club.id}, hear=True)
    if noticed == "refused":
        world.say(ann, club, content={"migrate_from_chat_id": family.id}, hear=True)
    await bot.settle()
    won = await bot.services.store.read(lambda tx: tx.scalar(select(func.count()).select_from(awards)))
    assert won == 1
    assert any("🏆 \u2068Bob\u2069" in post.text for post in world.posts(club))
    assert len([post for post in world.posts(club) if "→ 24" in post.text]) <= 1


@pytest.mark.parametrize("repeated", [False, True])
async def test_round_settings_and_points_move_to_the_supergroup(
    bot: LiveBot, world: World, ann: User, bob: User, repeated: bool
) -> None:
    family = world.group("Family", ann, bob, basic=True)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)
    world.say(ann, family, f"/settings@{world.bot.username}")
    menu = await world.next_post(family, "Language")
    await world.answer_to(world.press(ann, menu, "Hints"))
    await bot.settle()
    await world.answer_to(world.press(ann, menu, "off"))
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    club = world.migrate(family)
    moved = await world.next_post(club, "→ 24")
    await bot.settle()
    if repeated:  # the old chat reports a second time, or late
        world.say(ann, family, content={"migrate_to_chat_id": club.id}, hear=True)
        await bot.settle()
    assert "3 8 3 8 → 24" in moved.text.splitlines()
    assert [post for post in world.posts(club) if "→ 24" in post.text] == [moved]
    await bot.say(bob, club, "8/(3-8/3)", reply_to=moved)
    assert "🏆 \u2068Bob\u2069: 8÷(3−8÷3) = 24" in moved.text.splitlines()
    await bot.say(bob, club, f"/leaderboard@{world.bot.username}")
    assert world.posts(club)[-1].text.splitlines()[1:] == ["🥇 \u2068Bob\u2069", "1. \u2068Bob\u2069 — 11"]
    kept = await bot.services.store.read(lambda tx: people.load_chat(tx, club.id, "supergroup"))
    assert not preferences.read_preferences(kept).hints


async def wait_for_state(
    viewer: Viewer, changed: asyncio.Event, holds: Callable[[dict[str, Any]], bool]
) -> Any:
    """Wait for the next state of a live page that meets a condition."""
    async with asyncio.timeout(60):
        while True:
            await changed.wait()
            changed.clear()
            if (message := viewer.take_new_state()) and holds(state := json.loads(message)):
                return state


@pytest.mark.parametrize("noticed", ["by both", "by a refused request"])
async def test_board_page_follows_the_chat_to_the_supergroup(
    bot: LiveBot, world: World, ann: User, bob: User, monkeypatch: pytest.MonkeyPatch, noticed: str
) -> None:
    monkeypatch.setattr(sender, "MIGRATION_PATIENCE", 0.2)
    family = world.group("Family", ann, bob, basic=True)
    await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    place, changed, store = Place(family.id, 0, 1), asyncio.Event(), bot.services.store
    titles = TitleCache(partial(call_api, bot.services.bot), time.monotonic)
    live_views = LiveViews(store, bot.service.changes, bot.service.inbox.now, titles)
    viewer = live_views.join(place, "en", ann.id, changed.set)
    await wait_for_state(viewer, changed, lambda state: state["round"]["state"] == "open")
    if noticed == "by both":
        club = world.migrate(family)
        await world.next_post(club, "→ 24")
    else:
        club = world.group("Family", ann, bob)
        family.migrated_to = club  # and no update reports it
        await bot.say(ann, family, f"/leaderboard@{world.bot.username}")
        await world.next_post(club, "Nobody has scored here yet.")
    await bot.settle()
    assert await store.read(lambda tx: boards.resolve_migrated_place(tx, place)) == Place(club.id, 0, 1)
    await open_page(bot, bob, club).answer("8/(3-8/3)", round_id=1)
    over = await wait_for_state(viewer, changed, lambda state: state["round"]["state"] == "over")
    assert over["place"] == {"kind": "group", "title": "Family"}
    assert (over["winner"]["name"], over["winner"]["answer"]) == ("Bob", "8/(3-8/3)")
    live_views.close()


@pytest.mark.long
async def test_old_chat_may_report_the_migration_last(
    bot: LiveBot, world: World, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatch, "LANE_CHECK_PAUSES", (0.05,))
    family = world.group("Family", ann, basic=True)
    await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.services.store.write(lambda tx: people.store_setting(tx, family.id, "target", 36))
    club = world.group("Family", ann)
    world.say(ann, club, content={"migrate_from_chat_id": family.id}, hear=True)
    await bot.settle()
    world.say(ann, family, content={"migrate_to_chat_id": club.id}, hear=True)
    await bot.settle()

    def load_settings(tx: Tx) -> dict[int, Any]:
        return {r.id: json.loads(r.settings) for r in tx.execute(select(chats)) if r.id < 0}

    assert await bot.services.store.read(load_settings) == {club.id: {"target": 36}}
    assert len(world.posts(club)) == 1
