"""A daily result as a picture: what the line to share tells, and nothing of the hand."""

import pytest

from bot.i18n import languages, words
from bot.modes.daily import pictures
from bot.modes.daily.rules import Attempt, Daily, Progress, begins
from bot.modes.daily.view import share
from bot.pictures import values
from tests.hands import deal, hand_of

DAY = "2026-11-21"
DEALT = Daily(DAY, "24", hand_of(deal()))
SOLVED = Attempt(
    DAY, 7, begins(DAY), Progress.SOLVED, begins(DAY) + 42, 2, "8/(3-8/3)", shown=begins(DAY), hints=1
)


def test_a_result() -> None:
    assert pictures.of(words("en"), DEALT, SOLVED, 12) == values.Daily(
        "Twenty-Four 2026-11-21", "hard", 2, 1, "0:42", 12, "days in a row"
    )
    assert pictures.of(words("en"), DEALT, SOLVED, 1).streak_title == "day in a row"


def test_another_game_has_its_name_and_the_level_of_what_was_dealt() -> None:
    dealt = Daily(f"{DAY} countdown", "countdown", DEALT.puzzle)
    shown = pictures.of(words("en"), dealt, SOLVED, 1)
    assert (shown.title, shown.level) == ("Countdown 2026-11-21", "fiendish")


@pytest.mark.parametrize("language", languages())
def test_it_says_what_is_shared(language: str) -> None:
    shown = pictures.of(words(language), DEALT, SOLVED, 12)
    line = share(words(language), DEALT, SOLVED, 12)
    assert line.startswith(f"{shown.title} · {shown.level} · ")
    assert line.endswith(f"⏱ {shown.time} 🔥 {shown.streak}")
