"""Picture of a daily result."""

from dataclasses import replace

import pytest

from bot.i18n import get_words, list_languages
from bot.modes.daily import view
from bot.modes.daily.rules import DailyHand, get_day_start, make_attempt
from bot.modes.daily.view import render_share_text
from bot.pictures import values
from bot.rounds.rules import State
from tests.sample_rounds import get_hand, make_round

DAY = "2026-11-21"
SOLVED = make_attempt(
    DailyHand(DAY, "24", get_hand(make_round())),
    7,
    get_day_start(DAY),
    state=State.WON,
    closed=get_day_start(DAY) + 42,
    wrong_answers=2,
    hints_shown=1,
)


def test_picture_shows_a_result() -> None:
    assert view.make_result_picture(get_words("en"), SOLVED, 12) == values.DailyPicture(
        "Twenty-Four 21 Nov", "8 of 10 people find it", 2, 1, "42 s", 12, "days in a row"
    )
    assert view.make_result_picture(get_words("en"), SOLVED, 1).streak_title == "day in a row"


def test_picture_of_another_game_has_its_title() -> None:
    solved = replace(SOLVED, day=f"{DAY} countdown", game="countdown")
    shown = view.make_result_picture(get_words("en"), solved, 1)
    assert shown.title == "Countdown 21 Nov"


@pytest.mark.parametrize("language", list_languages())
def test_picture_says_the_same_as_the_shared_text(language: str) -> None:
    shown = view.make_result_picture(get_words(language), SOLVED, 12)
    line = render_share_text(get_words(language), SOLVED, 12)
    assert line.startswith(f"{shown.title} · {shown.difficulty} · ")
    assert line.endswith(f"⏱ {shown.time} 🔥 {shown.streak}")
