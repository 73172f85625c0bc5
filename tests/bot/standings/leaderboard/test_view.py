"""Leaderboards as text: every line ends after the points."""

import re

import pytest

from bot.i18n import format_name, get_words
from bot.rounds.registry import GAMES
from bot.standings.leaderboard import view
from bot.standings.leaderboard.queries import Leaderboard, Standing
from bot.standings.leaderboard.view import LeaderboardChoice

EN = get_words("en")
HERE = LeaderboardChoice(-1)
EVERYWHERE = LeaderboardChoice(-1, view.ALL_CHATS_SCOPE)


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


@pytest.mark.parametrize("ranks", [(1,), (1, 2), (1, 2, 3, 4), (1, 1, 3), (1, 2, 2, 2, 5), (1,) * 10])
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
        ((1, 2, 3, 3, 3), "🥇 ⁨P0⁩ 🥈 ⁨P1⁩ 🥉 ×3"),
        ((1, 1, 1, 1), "🥇 ×4"),
    ],
)
def test_equal_points_share_a_medal(ranks: tuple[int, ...], medals: str) -> None:
    assert render_lines(*ranks)[1] == medals


def test_empty_leaderboard_has_no_medals() -> None:
    assert "🥇" not in "".join(render_lines())


def test_names_are_masked_in_all_chats_and_whole_in_the_chat() -> None:
    board = Leaderboard([Standing(1, 1, "Ann", 3), Standing(2, 2, "Bob", 2, masked=False)], None)
    world = view.render_leaderboard(EN, board, EVERYWHERE, "Cleo")
    assert world.splitlines() == [
        "<b>Leaderboard</b> · all chats · all time",
        f"🥇 {format_name('A•••')} 🥈 {format_name('Bob')}",
        f"1. {format_name('A•••')} — 3",
        f"2. {format_name('Bob')} — 2",
        f"{format_name('C•••')} has no points here yet.",
        "Groups count here in which three people won within 30 days. Days, weeks and months go by UTC.",
    ]
    here = view.render_leaderboard(EN, board, HERE, "Cleo")
    assert here.splitlines() == [
        "<b>Leaderboard</b> · this chat · all time",
        f"🥇 {format_name('Ann')} 🥈 {format_name('Bob')}",
        f"1. {format_name('Ann')} — 3",
        f"2. {format_name('Bob')} — 2",
        f"{format_name('Cleo')} has no points here yet.",
    ]


def test_buttons_lead_to_every_leaderboard() -> None:
    keyboard = view.make_switches(EN, LeaderboardChoice(-1, period="w"))
    data = [data for row in keyboard for _, data in row]
    games = [f"lb:h:w:{key}" for key in sorted(GAMES)]
    ours = ["lb:h:a", "lb:h:d", "lb:h:m", "lb:h:w", *games, "lb:w:w"]
    assert sorted(set(data)) == ours
    assert [result for row in keyboard for result, _ in row if result.startswith("✓")] == [
        "✓ this chat",
        "✓ this week",
        "✓ all games",
    ]


def test_leaderboard_and_buttons_of_one_game_name_the_game() -> None:
    choice = LeaderboardChoice(-1, period="w", game="countdown")
    text = view.render_leaderboard(EN, Leaderboard([], None), choice, None)
    keyboard = view.make_switches(EN, choice)
    assert text.splitlines()[0] == "<b>Leaderboard</b> · this chat · this week · Countdown"
    assert [data for _, data in keyboard[0]] == ["lb:h:w:countdown", "lb:w:w:countdown"]
    assert [result for row in keyboard for result, _ in row if result.startswith("✓")][-1] == "✓ Countdown"
    assert [data for _, data in keyboard[-1]] == ["lb:h:w", *(f"lb:h:w:{key}" for key in sorted(GAMES))]
    now = 1_795_348_800.0  # Sunday, 22 November 2026
    assert view.make_leaderboard_key(choice, now) == (-1, "countdown 2026-W47")
    assert view.make_leaderboard_key(EVERYWHERE, now) == (0, "all")
