"""Calendars, sparklines and line breaks of a profile."""

import pytest

from bot.i18n import count_columns
from bot.standings.stats.view import (
    BARS,
    CALENDAR_WEEKS,
    render_calendar,
    render_sparkline,
    wrap_parts,
)


def test_calendar_of_five_weeks_ends_today() -> None:
    saturday = "2026-11-21"
    solved = ("2026-11-21", "2026-11-20", "2026-11-16", "2026-10-19", "2026-10-18")
    assert render_calendar(solved, saturday) == "■□□□□□□ □□□□□□□ □□□□□□□ □□□□□□□ ■□□□■■"
    assert render_calendar((), "2026-11-23") == " ".join(["□" * 7] * (CALENDAR_WEEKS - 1) + ["□"])
    assert count_columns(render_calendar((), "2026-11-22")) == 39


@pytest.mark.parametrize(
    ("amounts", "line"),
    [
        ((), ""),
        ((0, 0), "▁▁"),
        ((0, 1, 100), "▁▂█"),
        ((1, 1), "██"),
        ((0, 1, 2, 3, 4, 5, 6, 7), BARS),
        ((7, 14, 70), "▂▃█"),
    ],
)
def test_sparkline_has_a_bar_for_each_amount(amounts: tuple[int, ...], line: str) -> None:
    assert render_sparkline(amounts) == line


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("二十四", 6), ("🏅", 2), ("■□▁█", 4), ("\u2068Ann\u2069", 3), ("é", 1)]
)
def test_columns_are_counted_by_character_width(text: str, columns: int) -> None:
    assert count_columns(text) == columns


def test_parts_are_wrapped_without_breaking_one() -> None:
    parts = ["a" * 18, "b" * 18, "c" * 40, "d"]
    assert wrap_parts(parts, " · ", "⏱ ") == ["⏱ " + "a" * 18, "b" * 18, "c" * 40, "d"]
    assert wrap_parts(["a", "b"], " · ", "⏱ ") == ["⏱ a · b"]
    assert wrap_parts([], " · ") == []
    assert wrap_parts(["a" * 20, "b" * 19, "c" * 40, "d" * 20, "e" * 20], " ") == [
        *("a" * 20 + " " + "b" * 19, "c" * 40),
        *("d" * 20, "e" * 20),
    ]
    assert wrap_parts(["a" * 40, "b", "c"], " ") == ["a" * 40, "b c"]
