"""Suggestions for mistyped commands."""

import pytest

from bot.admin.help import find_nearest_commands

NAMES = ["start", "help", "play", "a", "hint", "giveup", "race", "daily", "solve", "why", "stats", "settings"]
KNOWN = {name: name for name in NAMES} | {
    "ratings": "top",
    "rating": "top",
    "points": "leaderboard",
    "resolver": "solve",
}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("solv", ["solve"]),
        ("sovle", ["solve"]),
        ("Solve", ["solve"]),
        ("ply", ["play"]),
        ("setings", ["settings"]),
        ("sett", ["settings"]),
        ("stat", ["stats"]),
        ("sta", ["start", "stats"]),
        ("dialy", ["daily"]),
        ("wyh", ["why"]),
        ("rat", ["top"]),
        ("resolver", ["solve"]),
        ("ratngs", ["top"]),
        ("ponits", ["leaderboard"]),
        ("join", []),
        ("xyzzy", []),
        ("b", []),
        ("", []),
        ("s" * 32, []),
    ],
)
def test_nearest_commands_are_found(typed: str, meant: list[str]) -> None:
    assert find_nearest_commands(typed, KNOWN) == meant
