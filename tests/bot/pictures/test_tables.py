import pytest

from bot.pictures.canvas import Canvas
from bot.pictures.palette import BRASS, GLOW, IVORY
from bot.pictures.tables import bar, columns


def counted(canvas: Canvas, colour: int) -> int:
    return canvas.image().tobytes().count(colour)


@pytest.mark.parametrize(("part", "share"), [(0.0, 0.0), (0.0001, 0.07), (0.5, 0.5), (1.0, 1.0)])
def test_a_bar_is_as_long_as_its_part_and_more_than_nothing_shows(part: float, share: float) -> None:
    canvas = Canvas(240, 40)
    bar(canvas, (20, 10, 220, 24), part, IVORY)
    full = Canvas(240, 40)
    bar(full, (20, 10, 220, 24), 1.0, IVORY)
    assert counted(canvas, IVORY) / counted(full, IVORY) == pytest.approx(share, abs=0.03)


def test_columns_stand_on_one_line_and_the_largest_is_as_tall_as_there_is_room() -> None:
    canvas = Canvas(200, 100)
    columns(canvas, (10, 10, 190, 90), (0, 1, 40, 0), 40, (20, 10), BRASS)
    drawn = canvas.image()
    heights = [sum(drawn.getpixel((x, y)) == BRASS for y in range(100)) for x in (20, 50, 80, 110)]
    assert heights == [0, 10, 80, 0]
    assert drawn.getpixel((20, 88)) == drawn.getpixel((110, 88)) == GLOW


def test_nothing_but_zeros_is_a_line_of_stubs() -> None:
    canvas = Canvas(200, 100)
    columns(canvas, (10, 10, 190, 90), (0, 0), 0, (20, 10), BRASS)
    assert counted(canvas, BRASS) == 0
