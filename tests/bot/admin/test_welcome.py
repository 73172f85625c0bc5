"""Suggestions for mistyped commands."""

import pytest

from bot.admin.welcome import find_nearest_command

KNOWN = ["start", "help", "play", "a", "hint", "skip", "race", "daily", "solve", "why", "stats", "settings"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("solv", "solve"),
        ("sovle", "solve"),
        ("Solve", "solve"),
        ("ply", "play"),
        ("setings", "settings"),
        ("sett", "settings"),
        ("stat", "stats"),
        ("dialy", "daily"),
        ("wyh", "why"),
        ("xyzzy", None),
        ("b", None),
        ("", None),
        ("sta", "start"),
        ("s" * 32, None),
    ],
)
def test_nearest_command_is_found(typed: str, meant: str | None) -> None:
    assert find_nearest_command(typed, KNOWN) == meant
