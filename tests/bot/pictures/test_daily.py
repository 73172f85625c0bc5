import pytest

from bot.pictures.canvas import Canvas
from bot.pictures.daily import _squares, daily
from bot.pictures.look import MARGIN, WIDTH
from bot.pictures.palette import FELT
from bot.pictures.values import Daily

RESULT = Daily("Twenty-Four", "easy", 0, 0, "0:07", 1, "day in a row")


def signs(wrong: int, hints: int) -> int:
    """How many squares there are."""
    canvas = Canvas(WIDTH, 100)
    _squares(canvas, Daily("", "", wrong, hints, "", 0, ""), 4)
    line = canvas.image().crop((0, 20, WIDTH, 21)).tobytes()
    assert {*line[:MARGIN], *line[-MARGIN:]} == {FELT}
    return len([part for part in line.split(bytes([FELT])) if part])


@pytest.mark.parametrize(
    ("wrong", "hints", "count"), [(0, 0, 1), (2, 1, 4), (6, 0, 7), (7, 0, 8), (1000, 0, 8), (99, 3, 11)]
)
def test_there_is_a_square_for_each_try_as_far_as_they_fit(wrong: int, hints: int, count: int) -> None:
    assert signs(wrong, hints) == count


def test_hints_and_wrong_answers_are_not_the_same() -> None:
    assert daily(Daily("", "", 1, 0, "", 0, "")) != daily(Daily("", "", 0, 1, "", 0, ""))
    assert daily(RESULT)
