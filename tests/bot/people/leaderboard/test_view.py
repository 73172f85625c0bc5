"""Leaderboards as text: every line ends after the points, whatever people are called."""

import pytest

from bot.i18n import name, words
from bot.people.leaderboard import view
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
    assert view.masked(whole) == shown


def test_each_line_is_rank_name_and_points_and_ends_there() -> None:
    names = ["Ann", "<b>Bob</b>", "1. Eve — 99", "a\u202eb", "J J"]
    board = Board([Standing(1, n, each, 3, 1) for n, each in enumerate(names)], None)
    text, _ = view.leaderboard(EN, board, view.HERE, "a", None)
    assert [line for line in text.splitlines() if "—" in line] == [f"1. {name(each)} — 3" for each in names]


def test_the_world_sees_no_masked_name_and_the_chat_every_one() -> None:
    board = Board([Standing(1, 1, "Ann", 3, 1), Standing(2, 2, "Bob", 2, 1, masked=False)], None)
    world, _ = view.leaderboard(EN, board, view.WORLD, "a", "Cleo")
    assert world.splitlines() == [
        "<b>Leaderboard</b> · all chats · all time",
        f"1. {name('A•••')} — 3",
        f"2. {name('Bob')} — 2",
        f"{name('C•••')} has no points here yet.",
        "Groups count here in which three people won within 30 days.",
    ]
    here, _ = view.leaderboard(EN, board, view.HERE, "a", "Cleo")
    assert here.splitlines() == [
        "<b>Leaderboard</b> · this chat · all time",
        f"1. {name('Ann')} — 3",
        f"2. {name('Bob')} — 2",
        f"{name('Cleo')} has no points here yet.",
    ]


def test_buttons_lead_to_every_board_in_few_bytes() -> None:
    _, keyboard = view.leaderboard(EN, Board([], None), view.HERE, "w", None)
    data = [data for row in keyboard for _, data in row]
    assert sorted(set(data)) == ["lb:h:a", "lb:h:d", "lb:h:m", "lb:h:w", "lb:w:w"]
    assert [said for row in keyboard for said, _ in row if said.startswith("✓")] == [
        "✓ this chat",
        "✓ this week",
    ]
