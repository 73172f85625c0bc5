"""Lists by rating as text."""

from bot.i18n import format_name, get_words
from bot.standings.leaderboard.queries import Leaderboard, Standing
from bot.standings.leaderboard.view import LeaderboardChoice
from bot.standings.ratings import commands as view

EN = get_words("en")
ANN = Standing(1, 7, "Ann", "1480 ± 60")
BOB = Standing(12, 8, "Bob", "1210 ± 300", masked=False)
EXPLAINED = "1500 is usual. With 100 more you win two of three hands. ± is how far it may be off."
COUNTED = "Groups count here in which three people won within 30 days. Days, weeks and months go by UTC."


def render_lines(
    *lines: Standing[str],
    own: Standing[str] | None = None,
    missing_hands: int = 0,
    scope: str = "h",
) -> list[str]:
    board = Leaderboard(list(lines), own)
    return view.render_ratings(EN, board, LeaderboardChoice(-1, scope), "Cem", missing_hands).splitlines()


def test_line_has_rank_name_rating_and_margin() -> None:
    assert render_lines(ANN, BOB) == [
        "<b>Best players</b> · this chat · all time",
        f"1. {format_name('Ann')} — 1480 ± 60",
        f"12. {format_name('Bob')} — 1210 ± 300",
        EXPLAINED,
    ]


def test_readers_own_line_is_shown_once() -> None:
    own = f"<b>12. {format_name('Bob')} — 1210 ± 300</b>"
    assert render_lines(ANN, BOB, own=BOB)[2] == own
    assert render_lines(ANN, own=BOB)[2:4] == ["…", own]


def test_names_are_masked_in_the_list_of_all_chats() -> None:
    assert render_lines(ANN, BOB, scope="w")[1:4] == [
        f"1. {format_name('A•••')} — 1480 ± 60",
        f"12. {format_name('Bob')} — 1210 ± 300",
        COUNTED,
    ]


def test_reader_without_rating_sees_the_missing_hands() -> None:
    assert f"{format_name('Cem')} has a rating after 1 more hand." in render_lines(ANN, missing_hands=1)
    assert f"{format_name('C•••')} has a rating after 4 more hands." in render_lines(
        missing_hands=4, scope="w"
    )
    assert not any("Cem" in line for line in render_lines(ANN))
    assert render_lines()[1:] == ["Nobody has a rating here yet: it takes ten hands."]


def test_picture_shows_ratings_without_margins() -> None:
    picture = view.make_picture(EN, [ANN, BOB], LeaderboardChoice(-1, "w"))
    assert [(line.name, line.points) for line in picture.lines] == [("A•••", 1480), ("Bob", 1210)]
    assert view.make_picture(EN, [], LeaderboardChoice(-1)).note.startswith("Nobody has a rating here yet")
