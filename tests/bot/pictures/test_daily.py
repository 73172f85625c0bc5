from dataclasses import replace

import pytest

from bot.pictures.daily import draw_daily_result
from bot.pictures.values import DailyPicture

RESULT = DailyPicture("Twenty-Four", "easy", 0, 0, "0:07", 1, "day in a row")


def test_hints_and_wrong_answers_look_different() -> None:
    assert draw_daily_result(replace(RESULT, wrong=1)) != draw_daily_result(replace(RESULT, hints=1))


@pytest.mark.parametrize(("wrong", "hints"), [(6, 0), (7, 0), (1000, 0), (99, 3), (99, 5)])
def test_any_number_of_attempts_can_be_drawn(wrong: int, hints: int) -> None:
    assert draw_daily_result(replace(RESULT, wrong=wrong, hints=hints))
