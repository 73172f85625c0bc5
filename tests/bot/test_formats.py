"""Expressions, fractions, times and dates as people read them."""

from fractions import Fraction

import pytest

import solver
from bot.formats import format_date, format_duration, format_expression, format_fraction
from bot.i18n import get_words


def test_expressions_have_the_signs_of_schoolbooks() -> None:
    shown = format_expression(solver.parse("8/(3-8/3)*1"))
    assert shown == "8÷(3−8÷3)×1"
    assert solver.parse(shown) == solver.parse("8/(3-8/3)*1")
    assert format_expression("□/(□-□)") == "□÷(□−□)"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Fraction(24), "24"),
        (Fraction(208, 9), "23 1/9"),
        (Fraction(-1, 2), "−1/2"),
        (Fraction(-23, 3), "−7 2/3"),
        (0, "0"),
    ],
)
def test_fractions_are_mixed_numbers(value: Fraction | int, shown: str) -> None:
    assert format_fraction(value) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.2, "1 s"),
        (23.4, "23 s"),
        (59.6, "1 min"),
        (141, "2 min 21 s"),
        (3600, "1 h"),
        (3725, "1 h 2 min"),
        (86_400, "24 h"),
    ],
)
def test_durations_have_units(seconds: float, shown: str) -> None:
    assert format_duration(get_words("en"), seconds) == shown


@pytest.mark.parametrize(
    ("language", "shown", "with_year"),
    [
        ("en", "26 Nov", "26 Nov 2026"),
        ("es", "26 nov", "26 nov 2026"),
        ("ru", "26 нояб.", "26 нояб. 2026"),
        ("zh_Hans", "11月26日", "2026年11月26日"),
    ],
)
def test_dates_are_written_as_in_the_language(language: str, shown: str, with_year: str) -> None:
    words = get_words(language)
    assert format_date(words, "2026-11-26") == format_date(words, "2026-11-26", "2026-12-01") == shown
    assert format_date(words, "2026-11-26", "2027-01-01") == with_year
