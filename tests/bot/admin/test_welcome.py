"""Which command somebody may have meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.admin.welcome import count_edits, find_nearest_command

KNOWN = ["start", "help", "play", "a", "hint", "skip", "race", "daily", "solve", "why", "stats", "settings"]
WORD = st.text("abcdef", max_size=6)


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
def test_the_nearest_command(typed: str, meant: str | None) -> None:
    assert find_nearest_command(typed, KNOWN) == meant


@given(WORD, WORD)
def test_count_edits_is_a_distance(one: str, other: str) -> None:
    apart = count_edits(one, other)
    assert apart == count_edits(other, one)
    assert (apart == 0) == (one == other)
    assert abs(len(one) - len(other)) <= apart <= max(len(one), len(other))


def test_a_swap_is_one_edit() -> None:
    assert count_edits("ab", "ba") == 1
    assert count_edits("kitten", "sitting") == 3
