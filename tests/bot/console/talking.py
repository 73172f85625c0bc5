"""Lines said to the bot in this process, with the same file and the same hand."""

import io
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from bot import service
from bot.console import chat
from bot.console.screen import ISOLATE_MARKS
from bot.games.twentyfour.dealing import build_hand
from bot.settings import read_settings
from tests.databases import write_database
from tests.stories.conftest import InProcessPool

Talk = Callable[..., Awaitable[str]]
LOCALE = ("LC_ALL", "LC_MESSAGES", "LANGUAGE")


def make_talk(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Talk:
    """Return a function that says lines and returns all output."""
    for name in LOCALE:
        monkeypatch.delenv(name, raising=False)

    async def say(
        *lines: str,
        language: str = "C",
        numbers: tuple[int, ...] = (3, 8, 3, 8),
    ) -> str:
        solving = InProcessPool()
        solving.hands = [build_hand(numbers, 24)] * 5
        shown = io.StringIO()
        monkeypatch.setattr(service, "SolverPool", lambda *_: solving)
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        monkeypatch.setattr(sys, "stdout", shown)
        monkeypatch.setenv("LANG", language)
        file = folder / "games.sqlite3"
        address = f"sqlite:///{file if file.exists() else write_database(file)}"
        code = await chat.run_console(read_settings({"DATABASE_URL": address}))
        assert code == 0
        return shown.getvalue()

    return say


def split_lines(shown: str) -> list[str]:
    """Return the shown lines without isolates."""
    return shown.translate(ISOLATE_MARKS).splitlines()


def find_message(shown: str, first: str) -> list[str]:
    """Return the lines of the message that begins with `first`, with its buttons."""
    result = split_lines(shown)
    start = result.index(first)
    return result[start : result.index("", start)]
