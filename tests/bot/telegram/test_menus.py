"""Command menus: their entries, and when they are set."""

import re
from pathlib import Path

import pytest

from bot.features import FEATURES
from bot.i18n import get_words, list_languages
from bot.players import queries as people
from bot.telegram.menus import make_menu, set_command_menus
from bot.telegram.routes import merge_routes
from tests.stories.conftest import run_bot
from tests.telegram import World

EVERY = pytest.mark.parametrize("language", list_languages())
ROUTES = merge_routes(FEATURES)


@EVERY
@pytest.mark.parametrize("group", [True, False])
def test_menus_list_valid_commands(language: str, group: bool) -> None:
    entries = make_menu(ROUTES.commands, get_words(language), group=group)
    names = [name for name, _ in entries]
    assert len(set(names)) == len(names) == 8
    assert ("a" in names) == group
    for name, text in entries:
        assert re.fullmatch(r"[a-z0-9_]{1,32}", name)
        assert 1 <= len(text) <= 40, "a phone shows it in one line"


async def commands(world: World) -> list[tuple[str, str]]:
    return [key for key, entries in world.profile.commands.items() if entries]


async def test_menus_are_set_again_only_after_a_change(tmp_path: Path) -> None:
    world = World()
    async with run_bot(world, tmp_path / "games.sqlite3") as bot:
        await set_command_menus(bot.services, ROUTES.commands)
        first = len(world.calls("setMyCommands"))
        assert {code for _, code in await commands(world)} == {
            "",
            *(code.partition("_")[0] for code in list_languages() if code != "en"),
        }
        await set_command_menus(bot.services, ROUTES.commands)
        assert len(world.calls("setMyCommands")) == first
        await bot.services.store.write(lambda tx: people.store_fact(tx, "menus", "of another version"))
        await set_command_menus(bot.services, ROUTES.commands)
        assert len(world.calls("setMyCommands")) == 2 * first
    assert world.violations == []


async def test_refused_menus_are_set_at_the_next_start(tmp_path: Path) -> None:
    world = World()
    async with run_bot(world, tmp_path / "games.sqlite3") as bot:
        world.faults.add("setMyCommands", status=400, count=1)
        await set_command_menus(bot.services, ROUTES.commands)
        assert await bot.services.store.read(lambda tx: people.load_fact(tx, "menus")) is None
        await set_command_menus(bot.services, ROUTES.commands)
        call_count = len(world.calls("setMyCommands"))
        await set_command_menus(bot.services, ROUTES.commands)
        assert len(world.calls("setMyCommands")) == call_count, "they are remembered as set"
