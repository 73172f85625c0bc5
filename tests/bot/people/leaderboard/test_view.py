"""Leaderboards as text: every line ends after the points, whatever people are called."""

import re

import pytest

from bot.i18n import words
from bot.people.leaderboard import view as figures
from bot.people.leaderboard.queries import Board, Standing

EN = words("en")


@pytest.mark.parametrize(
    ("whole", "shown"),
    [
        ("Ann", "A•••"),
        ("  ann", "a•••"),
        ("王小明", "王•••"),
        ("\u202eeve", "e•••"),
        ("😀 Zoe", "Z•••"),
        ("😀", "😀•••"),
        ("", "•••"),
        ("\u200b", "•••"),
    ],
)
def test_a_masked_name_is_its_first_letter(whole: str, shown: str) -> None:
    assert figures.masked(whole) == shown


def test_each_line_is_rank_name_and_points_and_ends_there() -> None:
    names = ["Ann", "<b>Bob</b>", "1. Eve — 99", "a\u202eb", "J J"]
    board = Board([Standing(1, n, name, 3, 1) for n, name in enumerate(names)], None)
    text, _ = figures.leaderboard(EN, board, figures.HERE, "a", None)
    assert len([line for line in text.splitlines() if re.fullmatch(r"1\. \u2068.*\u2069 — 3", line)]) == 5


def test_the_world_sees_no_masked_name_and_the_chat_every_one() -> None:
    board = Board([Standing(1, 1, "Ann", 3, 1), Standing(2, 2, "Bob", 2, 1, masked=False)], None)
    world, _ = figures.leaderboard(EN, board, figures.WORLD, "a", "Cleo")
    assert "Ann" not in world
    assert "Bob" in world
    assert "Cleo" not in world
    here, _ = figures.leaderboard(EN, board, figures.HERE, "a", "Cleo")
    assert "Ann" in here


def test_buttons_lead_to_every_board_in_few_bytes() -> None:
    _, keyboard = figures.leaderboard(EN, Board([], None), figures.HERE, "w", None)
    data = [data for row in keyboard for _, data in row]
    assert sorted(set(data)) == ["lb:h:a", "lb:h:d", "lb:h:m", "lb:h:w", "lb:w:w"]
    assert [said for row in keyboard for said, _ in row if said.startswith("✓")] == [
        "✓ this chat",
        "✓ this week",
    ]
