"""Pictures of a profile."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.i18n import get_words, list_languages, strip_tags
from bot.pictures import lettering
from bot.pictures.drawing import draw_picture
from bot.pictures.values import Badge
from bot.standings.stats import view
from bot.standings.stats.queries import Profile, Score
from bot.standings.stats.view import render_calendar, render_stats

NOW = 1_795_521_600.0  # Tuesday, 24 November 2026, noon
FULL = Profile(
    in_chat=Score(10, 4, 12, 2),
    in_all_chats=Score(81, 40, 152),
    win_streak=7,
    longest_win_streak=9,
    best_seconds={"easy": 4.0, "hard": 48.4, "fiendish": 3725.0},
    solved_days=("2026-11-24", "2026-11-22", "2026-10-26", "2026-01-01"),
    points_by_day=(*range(29), 5),
    achievements=("row", "fiendish", "of a later version"),
)


def test_full_profile_picture_has_all_figures() -> None:
    shown = view.make_profile_picture(get_words("en"), "Ann", FULL, NOW, "24")
    assert shown.name == "Ann"
    assert shown.figures == [("152", "points"), ("40", "wins"), ("#2", "here"), ("7", "in a row")]
    assert shown.best == [("easy", "4 s"), ("hard", "48 s"), ("fiendish", "1 h 2 min")]
    assert shown.points[-1] == 5
    assert (shown.days_title, len(shown.days)) == ("Daily hands: 4", 30)
    assert [shown.days[0], shown.days[-3], *shown.days[-2:]] == [True, True, False, True]
    assert shown.badges == [Badge("🔥", "Ten in a row"), Badge("🌰", "Hard nut")]


def test_game_is_a_field_of_its_own() -> None:
    shown = view.make_profile_picture(get_words("en"), "Ann", FULL, NOW, "yahtzee")
    assert (shown.name, shown.game) == ("Ann", "Yahtzee")


def test_without_all_chats_the_figures_are_those_of_the_chat() -> None:
    shown = view.make_profile_picture(get_words("en"), "Ann", replace(FULL, in_all_chats=None), NOW, "24")
    assert shown.figures[:2] == [("12", "points"), ("4", "wins")]


def test_empty_parts_are_left_out() -> None:
    new = Profile(Score(1, 1, 1, 0), None, 0, 1, {}, (), (0,) * 30, ())
    shown = view.make_profile_picture(get_words("en"), "Ann", new, NOW, "24")
    assert shown.figures == [("1", "point"), ("1", "win")]
    assert not any((shown.best, shown.points, shown.days, shown.badges))


@pytest.mark.parametrize("language", list_languages())
def test_no_label_of_the_drawing_is_shortened(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cut: list[str] = []

    def shortened(shown: Sequence[str], kept: int) -> list[str]:
        cut.append("".join(shown))
        return list(shown[:kept])

    monkeypatch.setattr(lettering, "shorten", shortened)
    busy = replace(FULL, in_chat=Score(300, 99, 980, 12), in_all_chats=Score(812, 540, 2204), win_streak=12)
    draw_picture(view.make_profile_picture(get_words(language), "Ann", busy, NOW, "24"), language)
    assert cut == []


@pytest.mark.parametrize("language", list_languages())
def test_picture_says_what_the_text_says_and_can_be_drawn(language: str) -> None:
    words = get_words(language)
    shown = view.make_profile_picture(words, "Ann", FULL, NOW, "24")
    text = strip_tags(render_stats(words, "Ann", FULL, NOW, "24"))
    assert all(badge.title in text for badge in shown.badges)
    assert all(level in text for level, _ in shown.best)
    assert sum(shown.days) == render_calendar(FULL.solved_days, "2026-11-24").count("■")
    assert len(draw_picture(shown, language)) < 60_000
