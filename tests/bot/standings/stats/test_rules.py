"""The small pictures of a profile, and what fits a phone."""

import pytest

from bot.standings.stats.rules import BARS, DAYS, WEEKS, calendar, filled, sparkline, width


def test_a_calendar_of_five_weeks_ends_today() -> None:
    saturday = "2026-11-21"
    solved = ("2026-11-21", "2026-11-20", "2026-11-16", "2026-10-19", "2026-10-18")
    assert calendar(solved, saturday) == "■□□□□□□ □□□□□□□ □□□□□□□ □□□□□□□ ■□□□■■"
    assert calendar((), "2026-11-23") == " ".join(["□" * 7] * (WEEKS - 1) + ["□"])
    assert width(calendar((), "2026-11-22")) == 39


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
def test_a_bar_for_each_amount(amounts: tuple[int, ...], line: str) -> None:
    assert sparkline(amounts) == line


def test_a_month_of_points_fits_beside_its_name() -> None:
    assert len(sparkline([5] * DAYS)) == 30


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("二十四", 6), ("🏅", 2), ("■□▁█", 4), ("\u2068Ann\u2069", 3), ("é", 1)]
)
def test_the_columns_of_a_text(text: str, columns: int) -> None:
    assert width(text) == columns


def test_parts_fill_lines_and_are_never_broken() -> None:
    parts = ["a" * 18, "b" * 18, "c" * 40, "d"]
    assert filled(parts, " · ", "⏱ ") == ["⏱ " + "a" * 18, "b" * 18, "c" * 40, "d"]
    assert filled(["a", "b"], " · ", "⏱ ") == ["⏱ a · b"]
    assert filled([], " · ") == []
    assert filled(["a" * 20, "b" * 19, "c" * 40, "d" * 20, "e" * 20], " ") == [
        *("a" * 20 + " " + "b" * 19, "c" * 40),
        *("d" * 20, "e" * 20),
    ]
    assert filled(["a" * 40, "b", "c"], " ") == ["a" * 40, "b c"]
