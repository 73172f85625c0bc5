"""Picture of a daily result."""

import pytest

from bot.i18n import get_words, list_languages
from bot.modes.daily import view
from bot.modes.daily.rules import Attempt, AttemptState, DailyHand, get_day_start
from bot.modes.daily.view import render_share_text
from bot.pictures import values
from tests.sample_rounds import get_hand, make_round

DAY = "2026-11-21"
DEALT = DailyHand(DAY, "24", get_hand(make_round()))
SOLVED = Attempt(
    DAY,
    7,
    get_day_start(DAY),
    AttemptState.SOLVED,
    get_day_start(DAY) + 42,
    2,
    "8/(3-8/3)",
    shown_at=get_day_start(DAY),
    hints=1,
)


def test_picture_shows_a_result() -> None:
    assert view.make_result_picture(get_words("en"), DEALT, SOLVED, 12) == values.DailyPicture(
        "Twenty-Four 2026-11-21", "hard", 2, 1, "0:42", 12, "days in a row"
    )
    assert view.make_result_picture(get_words("en"), DEALT, SOLVED, 1).streak_title == "day in a row"


def test_picture_of_another_game_has_its_title_and_dealt_level() -> None:
    dealt = DailyHand(f"{DAY} countdown", "countdown", DEALT.puzzle)
    shown = view.make_result_picture(get_words("en"), dealt, SOLVED, 1)
    assert (shown.title, shown.level) == ("Countdown 2026-11-21", "fiendish")


@pytest.mark.parametrize("language", list_languages())
def test_picture_says_the_same_as_the_shared_text(language: str) -> None:
    shown = view.make_result_picture(get_words(language), DEALT, SOLVED, 12)
    line = render_share_text(get_words(language), DEALT, SOLVED, 12)
    assert line.startswith(f"{shown.title} · {shown.level} · ")
    assert line.endswith(f"⏱ {shown.time} 🔥 {shown.streak}")
