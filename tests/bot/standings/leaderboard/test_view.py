"""Leaderboards as text: every line ends after the points."""

import re

import pytest

from bot.i18n import format_name, get_words
from bot.rounds.registry import GAMES
from bot.standings.leaderboard import view
from bot.standings.leaderboard.queries import Leaderboard, Standing
from bot.standings.leaderboard.view import LeaderboardChoice

EN = get_words("en")
HERE = LeaderboardChoice(-1, game="24")
EVERYWHERE = LeaderboardChoice(-1, view.ALL_CHATS_SCOPE, game="24")


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
def test_masked_name_is_its_first_letter(whole: str, shown: str) -> None:
    assert view.mask_name(whole) == shown


def test_each_line_ends_after_the_points() -> None:
    names = ["Ann", "<b>Bob</b>", "1. Eve — 99", "a\u202eb", "J J"]
    board = Leaderboard([Standing(1, n, each, 3) for n, each in enumerate(names)], None)
    text = view.render_leaderboard(EN, board, HERE, None)
    assert [line for line in text.splitlines() if "—" in line] == [
        f"1. {format_name(each)} — 3" for each in names
    ]


# A line of a board as those read it who rely on it; nothing stands behind the points.
LINE = re.compile(r"([1-9][0-9]*)\. (\u2068[^\u2068\u2069]*\u2069) — ([0-9]+)")


def render_lines(*ranks: int) -> list[str]:
    """Render a leaderboard with these ranks; return its lines."""
    standings = [Standing(rank, n, f"P{n}", 20 - rank) for n, rank in enumerate(ranks)]
    return view.render_leaderboard(EN, Leaderboard(standings, None), HERE, None).splitlines()


@pytest.mark.parametrize("ranks", [(1,), (1, 2), (1, 2, 3, 4), (1, 1, 3), (1, 2, 2, 2, 5)])
def test_medals_have_a_line_of_their_own(ranks: tuple[int, ...]) -> None:
    _, medals, *lines = render_lines(*ranks)
    read = [LINE.fullmatch(line) for line in lines]
    assert [m and (int(m[1]), m[2], int(m[3])) for m in read] == [
        (rank, format_name(f"P{n}"), 20 - rank) for n, rank in enumerate(ranks)
    ]
    assert LINE.match(medals) is None
    assert medals.startswith("🥇 ")


@pytest.mark.parametrize(
    ("ranks", "medals"),
    [
        ((1, 2, 3, 4), "🥇 ⁨P0⁩ 🥈 ⁨P1⁩ 🥉 ⁨P2⁩"),
        ((1, 1, 3), "🥇 ⁨P0⁩ ⁨P1⁩ 🥉 ⁨P2⁩"),
        ((1, 2, 2, 4), "🥇 ⁨P0⁩ 🥈 ⁨P1⁩ ⁨P2⁩"),
        ((1, 2, 3, 3, 3), "🥇 ⁨P0⁩ 🥈 ⁨P1⁩ 🥉 ⁨P2⁩ ⁨P3⁩ ⁨P4⁩"),
    ],
)
def test_equal_points_share_a_medal(ranks: tuple[int, ...], medals: str) -> None:
    assert render_lines(*ranks)[1] == medals


@pytest.mark.parametrize("ranks", [(1, 1, 1, 1), (1, 2, 2, 2, 2)])
def test_there_is_no_medal_line_where_many_share_one(ranks: tuple[int, ...]) -> None:
    assert not any(line.startswith("🥇") for line in render_lines(*ranks))


def test_empty_leaderboard_has_no_medals() -> None:
    assert "🥇" not in "".join(render_lines())


def test_names_are_masked_in_all_chats_and_whole_in_the_chat() -> None:
    board = Leaderboard([Standing(1, 1, "Ann", 3), Standing(2, 2, "Bob", 2, masked=False)], None)
    world = view.render_leaderboard(EN, board, EVERYWHERE, "Cleo")
    assert world.splitlines() == [
        "<b>Leaderboard</b> · all chats · all time · Twenty-Four",
        f"🥇 {format_name('A•••')} 🥈 {format_name('Bob')}",
        f"1. {format_name('A•••')} — 3",
        f"2. {format_name('Bob')} — 2",
        f"{format_name('C•••')} has no points here yet.",
        "Groups count here in which three people won within 30 days. Days, weeks and months go by UTC.",
    ]
    here = view.render_leaderboard(EN, board, HERE, "Cleo")
    assert here.splitlines() == [
        "<b>Leaderboard</b> · this chat · all time · Twenty-Four",
        f"🥇 {format_name('Ann')} 🥈 {format_name('Bob')}",
        f"1. {format_name('Ann')} — 3",
        f"2. {format_name('Bob')} — 2",
        f"{format_name('Cleo')} has no points here yet.",
    ]


TABS = ["lb:h:a", "tp:h:a", "rc:", "pf:"]


def test_buttons_lead_to_each_tab_and_every_leaderboard() -> None:
    keyboard = view.make_switches(EN, LeaderboardChoice(-1, period="w", game="24"), "lb")
    assert [[data for _, data in row] for row in keyboard] == [
        TABS,
        ["lb:h:w:24", "lb:w:w:24"],
        ["lb:h:d:24", "lb:h:w:24"],
        ["lb:h:m:24", "lb:h:a:24"],
        [f"lb:h:w:{key}" for key in GAMES],
    ]
    assert [label for row in keyboard for label, _ in row if label.startswith("✓")] == [
        "✓ Points",
        "✓ this chat",
        "✓ this week",
        "✓ 24",
    ]


def test_ratings_have_no_games_and_are_of_all_chats_in_private() -> None:
    keyboard = view.make_switches(EN, LeaderboardChoice(7, view.ALL_CHATS_SCOPE), "tp")
    assert keyboard[0][1] == ("✓ Ratings", "tp:w:a")
    assert [data for _, data in keyboard[-1]] == ["tp:w:m", "tp:w:a"]


def test_leaderboard_names_its_game() -> None:
    choice = LeaderboardChoice(-1, period="w", game="countdown")
    text = view.render_leaderboard(EN, Leaderboard([], None), choice, None)
    assert text.splitlines() == [
        "<b>Leaderboard</b> · this chat · this week · Countdown",
        "Nobody has scored here yet. /countdown begins a game.",
    ]
    now = 1_795_348_800.0  # Sunday, 22 November 2026
    assert view.make_chat_and_period(choice, now) == (-1, "2026-W47")
    assert view.make_chat_and_period(EVERYWHERE, now) == (0, "all")
