"""A profile as text; all of it fits a phone."""

from dataclasses import replace

import pytest

from bot.i18n import HTML_TAG, count_columns, format_name, get_words, list_languages
from bot.modes.daily.rules import get_day_start
from bot.standings.achievements import CONDITIONS, get_achievement_titles
from bot.standings.ratings.rules import Rating
from bot.standings.stats import view
from bot.standings.stats.queries import Profile, Score
from bot.standings.stats.view import MAX_LINES, WIDTH

EN = get_words("en")
TODAY = get_day_start("2026-11-21")
NOTHING = Profile(None, None, 0, 0, {}, (), (0,) * 30, ())
DATES = [f"2026-11-{day:02}" for day in range(1, 22)]


def test_unknown_player_is_told_how_to_begin() -> None:
    text = view.render_no_profile(EN, "<b>Bob</b>")
    assert text == f"{format_name('<b>Bob</b>')} has not answered a hand here yet. /play deals a hand."


def test_profile_without_a_win_has_no_rank_times_or_streaks() -> None:
    text = view.render_stats(
        EN, "Ann", Profile(Score(2, 0, 0), None, 0, 0, {}, (), (0,) * 30, ()), TODAY, "24"
    )
    assert text.splitlines() == [
        f"<b>{format_name('Ann')}</b> · Twenty-Four",
        "Here: 0 points",
        "Answered 2 hands, won 0",
    ]


def test_each_figure_has_a_line() -> None:
    best = {"easy": 3.4, "hard": 68.0}
    points = [0] * 29 + [4]
    profile = Profile(
        Score(3, 2, 7, 1), Score(5, 3, 9), 0, 2, best, DATES[-2:], points, ("row", "lightning"), (3, 2)
    )
    assert view.render_stats(EN, "Ann", profile, TODAY, "24").splitlines() == [
        f"<b>{format_name('Ann')}</b> · Twenty-Four",
        "Here: 7 points, #1",
        "In all: 9 points",
        "Answered 5 hands, won 3",
        "Won in a row: at best 2",
        "⏱ easy 3 s · hard 1 min 8 s",
        "Duels: 3 won, 2 lost",
        "Daily hands: 2, in a row 2, at best 2",
        "□□□□□□□ □□□□□□□ □□□□□□□ □□□□□□□ □□□□■■",
        "□ missed ■ solved",
        "Points a day, for 30 days",
        "▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁█",
        "🏅 Ten in a row · Lightning",
    ]


@pytest.mark.parametrize("language", list_languages())
@pytest.mark.parametrize("earned", [0, 1, 3, 6, 10])
@pytest.mark.parametrize("duels", [(0, 0), (25, 14)])
@pytest.mark.parametrize("rating", [None, Rating(40.0, 3.0, 300, TODAY)])
def test_full_profile_fits_a_phone(
    language: str, earned: int, duels: tuple[int, int], rating: Rating | None
) -> None:
    best = {"easy": 9.0, "medium": 25.0, "hard": 59.0, "fiendish": 599.0}
    here, across = Score(890, 567, 1235, 12), Score(1890, 567, 2345)
    names = tuple(CONDITIONS)[:earned]
    profile = Profile(here, across, 12, 34, best, DATES, tuple(range(30)), names, duels, rating)
    text = HTML_TAG.sub(
        "",
        view.render_stats(
            get_words(language), "Zwentibold", profile, get_day_start("2026-11-22"), "24", is_own=True
        ),
    )
    lines = text.splitlines()
    print(f"\n{text}")
    assert len(lines) <= MAX_LINES
    assert {line: count_columns(line) for line in lines if count_columns(line) > WIDTH} == {}
    known = [get_achievement_titles(get_words(language))[each] for each in names]
    assert all(title in text for _, title in known) or all(sign in lines[-1] for sign, _ in known)


RATED = Profile(Score(3, 2, 7, 1), None, 0, 0, {}, (), (), (), rating=Rating(25.0, 2.0, 10, TODAY))


def test_rating_has_a_margin_that_grows_with_time() -> None:
    assert view.render_stats(EN, "Ann", RATED, TODAY, "24").splitlines()[3] == "Rating: 1500 ± 98"
    assert (
        view.render_stats(EN, "Ann", RATED, TODAY + 30 * 86_400, "24").splitlines()[3] == "Rating: 1500 ± 115"
    )


@pytest.mark.parametrize(
    ("hands", "expected"),
    [(9, "Rating: after 1 more hand (daily too)"), (2, "Rating: after 8 more hands (daily too)")],
)
def test_only_the_own_profile_tells_how_many_hands_are_missing(hands: int, expected: str) -> None:
    young = replace(RATED, rating=Rating(hands=hands, at=TODAY))
    assert view.render_stats(EN, "Ann", young, TODAY, "24", is_own=True).splitlines()[3] == expected
    assert "Rating" not in view.render_stats(EN, "Ann", young, TODAY, "24")
    new = replace(RATED, rating=None)
    assert "Rating: after 10 more hands (daily too)" in view.render_stats(
        EN, "Ann", new, TODAY, "24", is_own=True
    )


def test_profile_names_its_game() -> None:
    assert view.render_stats(EN, "Ann", RATED, TODAY, "countdown", is_own=True).splitlines() == [
        f"<b>{format_name('Ann')}</b> · Countdown",
        "Here: 7 points, #1",
        "Answered 3 hands, won 2",
        "Rating: 1500 ± 98",
    ]
    assert view.render_stats(EN, "Ann", NOTHING, TODAY, "24").splitlines() == [
        f"<b>{format_name('Ann')}</b> · Twenty-Four",
        "No round of it yet.",
    ]


def test_buttons_are_the_tabs_and_the_games() -> None:
    tabs, games = view.make_buttons(EN, -1, 7, "24")
    assert tabs[-1] == ("✓ Me", "pf:")
    assert list(games) == [("✓ 24", "pf:7:24"), ("Countdown", "pf:7:countdown"), ("Yahtzee", "pf:7:yahtzee")]
