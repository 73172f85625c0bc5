import pytest

from bot.pictures.canvas import FELT, MARGIN, WIDTH, Canvas
from bot.pictures.daily import _squares, draw_daily_result
from bot.pictures.values import DailyPicture

RESULT = DailyPicture("Twenty-Four", "easy", 0, 0, "0:07", 1, "day in a row")


def signs(wrong: int, hints: int) -> int:
    """How many squares there are."""
    canvas = Canvas(WIDTH, 100)
    _squares(canvas, DailyPicture("", "", wrong, hints, "", 0, ""), 4)
    line = canvas.get_image().crop((0, 20, WIDTH, 21)).tobytes()
    assert {*line[:MARGIN], *line[-MARGIN:]} == {FELT}
    return len([part for part in line.split(bytes([FELT])) if part])


@pytest.mark.parametrize(
    ("wrong", "hints", "count"), [(0, 0, 1), (2, 1, 4), (6, 0, 7), (7, 0, 8), (1000, 0, 8), (99, 3, 11)]
)
def test_there_is_a_square_for_each_try_as_far_as_they_fit(wrong: int, hints: int, count: int) -> None:
    assert signs(wrong, hints) == count


def test_hints_and_wrong_answers_are_not_the_same() -> None:
    assert draw_daily_result(DailyPicture("", "", 1, 0, "", 0, "")) != draw_daily_result(
        DailyPicture("", "", 0, 1, "", 0, "")
    )
    assert draw_daily_result(RESULT)
