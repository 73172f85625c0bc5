"""Games as newcomers would add them; `add_game` lets a test play one."""

from collections.abc import Iterator
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import Any

from bot.features import FEATURES
from bot.rounds.commands import make_routes
from bot.rounds.game import Game
from bot.rounds.registry import GAMES, register_games
from bot.telegram.routes import Routes, merge_routes


@contextmanager
def add_game(class_name: str) -> Iterator[tuple[Game[Any], Routes]]:
    """Yield a game and the bot's routes with its command. The game is added, unless the bot has its key."""
    key = resolve_name(class_name).key
    if key in GAMES:  # somebody follows the manual
        yield GAMES[key], merge_routes(FEATURES)
        return
    register_games(class_name, default="24")
    commands = make_routes([GAMES[key]]).commands
    try:
        yield GAMES[key], merge_routes([*FEATURES, Routes(commands=commands)])
    finally:
        del GAMES[key]
