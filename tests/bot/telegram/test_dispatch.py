"""The table of handlers and how an update becomes a move: whatever comes, it is struck or set aside."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bot.database import Tx
from bot.delivery import queries as mail
from bot.i18n import languages, words
from bot.people import queries as people
from bot.telegram import dispatch as application
from bot.telegram import messages
from bot.telegram.context import Context, Effect
from bot.telegram.dispatch import BUTTONS, COMMANDS, menu, set_menus
from tests.stories.conftest import evening
from tests.telegram import World

EVERY = pytest.mark.parametrize("language", languages())


@EVERY
@pytest.mark.parametrize("group", [True, False])
def test_menus_name_commands_that_exist(language: str, group: bool) -> None:
    listed = menu(words(language), group=group)
    names = [name for name, _ in listed]
    assert len(set(names)) == len(names)
    assert set(names) <= set(COMMANDS)
    assert ("a" in names) == group
    for name, text in listed:
        assert re.fullmatch(r"[a-z0-9_]{1,32}", name)
        assert 1 <= len(text) <= 256


def test_the_commands_of_the_contract() -> None:
    assert {"start", "help", "play", "a", "hint", "skip", "solve", "leaderboard", "stats"} <= set(COMMANDS)


def test_a_buttons_prefix_names_one_handler() -> None:
    assert all(re.fullmatch(r"[a-z]{1,2}", key) for key in BUTTONS)


async def commands(world: World) -> list[tuple[str, str]]:
    return [key for key, listed in world.profile.commands.items() if listed]


async def test_menus_are_set_once_for_each_change(tmp_path: Path) -> None:
    world = World()
    async with evening(world, tmp_path / "games.sqlite3") as this:
        await set_menus(this.services)
        first = len(world.calls("setMyCommands"))
        assert {code for _, code in await commands(world)} == {"", "zh", "es", "ru"}
        await set_menus(this.services)
        assert len(world.calls("setMyCommands")) == first
        await this.services.store.write(lambda tx: people.remember(tx, "menus", "of another version"))
        await set_menus(this.services)
        assert len(world.calls("setMyCommands")) == 2 * first
    assert not world.violations


async def test_menus_that_telegram_refuses_are_tried_at_the_next_start(tmp_path: Path) -> None:
    world = World()
    async with evening(world, tmp_path / "games.sqlite3") as this:
        world.faults.add("setMyCommands", status=400, count=1)
        await set_menus(this.services)
        assert await this.services.store.read(lambda tx: people.fact(tx, "menus")) is None
        await set_menus(this.services)
        assert await this.services.store.read(lambda tx: people.fact(tx, "menus"))


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
    async with evening(world, tmp_path / "games.sqlite3") as this:
        deal = await this.dealt(ann, group, 3, 8, 3, 8)
        presses = [world.press(ann, deal, data=data) for data in forged]
        await this.settled()
        assert [p.data for p in presses if p.answer is None] == []
        assert "8/(3-8/3)" not in deal.text
    assert not world.violations


async def test_a_move_is_one_with_its_updates_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the move fails, nothing of it is kept and the update is not struck."""

    async def failing(turn: Context) -> Effect:
        def move(tx: Tx) -> list[messages.Request]:
            people.remember(tx, "half", "done")
            raise ValueError("in the middle")

        return move

    monkeypatch.setitem(application.COMMANDS, "help", failing)
    world = World()
    ann = world.user("Ann")
    async with evening(world, tmp_path / "games.sqlite3") as this:
        world.say(ann, ann, "/help")
        world.say(ann, ann, "/start")
        await world.next_post(ann, "/play")
        await this.settled()
        assert await this.services.store.read(lambda tx: people.fact(tx, "half")) is None


async def test_the_same_update_twice_is_one(tmp_path: Path) -> None:
    world = World()
    ann = world.user("Ann")
    async with evening(world, tmp_path / "games.sqlite3") as this:
        await this.dealt(ann, world.place(ann), 3, 8, 3, 8)
        body: dict[str, Any] = {
            "update_id": 77,
            "message": world.say(ann, ann, "/hint", hear=False).json(),
        }
        await this.table.inbox.accept([body])
        await this.table.inbox.accept([json.loads(json.dumps(body))])
        await this.settled()
        await this.table.handle(mail.Incoming(77, ann.id, json.dumps(body), 0))
        await this.settled()
        assert sum(text.count("💡") for text in (p.text for p in world.posts(ann))) == 1
    assert not world.violations


async def test_what_is_no_chat_of_players_changes_nothing(tmp_path: Path) -> None:
    world = World()
    ann = world.user("Ann")
    channel = world.channel("News", ann, bot=True)
    async with evening(world, tmp_path / "games.sqlite3") as this:
        world.post(channel, "/play")
        press_less = {"update_id": 5, "poll_answer": {"poll_id": "1", "option_ids": [0], "user": ann.json()}}
        await this.table.inbox.accept([press_less, {"update_id": 6}])
        await this.settled()
        assert world.posts(channel) == []
    assert not world.violations
