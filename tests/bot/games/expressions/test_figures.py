"""Figures that look like answers and are none."""

import pytest

from bot.games.expressions.spelling import WORD, strip_figures, strip_ranges_and_money


@pytest.mark.parametrize(
    "text",
    ["10:00-18:00", "8:30–9", "8-9:30", "10：00－18：00", "$3-8", "3-8 €", "£3.50", "8:30-9:30, 10:00-11:00"],
)
def test_times_from_and_to_and_money_are_no_try(text: str) -> None:
    assert strip_ranges_and_money(text).replace(WORD, "").strip(", ") == ""


@pytest.mark.parametrize(
    "text",
    [
        "8:30",
        "8:3-3",
        "8:30-9*2",
        "3+8:30-9",
        "(8:30-9)*3",
        "$8/(3-8/3)$",
        "$1-2-3-4",
        "25:00-3",
        "8-30",
        "8:30-9=2",
    ],
)
def test_what_may_be_a_try_stays(text: str) -> None:
    assert strip_ranges_and_money(text) == text


@pytest.mark.parametrize(
    "text",
    ["2026-11-21", "21.11.2026", "11/21/26", "8:30", "10:15:30", "+34 600 123 456", "+1 (555) 123-4567"],
)
def test_dates_and_telephone_numbers_are_nothing_to_compute(text: str) -> None:
    assert strip_figures(text) == WORD


@pytest.mark.parametrize("text", ["24/2/3 = 4", "8/(1/3)", "1-2/3", "12/3/4*2", "3+2-1-1", "5+34 600"])
def test_what_may_be_computed_stays(text: str) -> None:
    assert strip_figures(text) == text
