from io import BytesIO

import pytest
from PIL import Image

from bot.pictures.canvas import FELT, GLOW, INK, IVORY, PALETTE, RGB, SHADE, Align, Canvas
from bot.pictures.lettering import TextStyle

TEXT = TextStyle(40)


def box_of(canvas: Canvas) -> tuple[int, int, int, int]:
    """What of a canvas is no felt."""
    box = canvas.get_image().point(lambda index: 255 * (index != FELT)).getbbox()
    assert box
    return box


@pytest.mark.parametrize(
    ("align", "edges"), [("left", (100, 171)), ("middle", (64, 135)), ("right", (28, 100))]
)
def test_a_text_stands_where_it_is_put(align: Align, edges: tuple[int, int]) -> None:
    canvas = Canvas(200, 100)
    canvas.draw_text((100, 60), "HHH", TextStyle(40, tabular=True), IVORY, align=align)
    left, top, right, foot = box_of(canvas)
    assert (left, right) == pytest.approx(edges, abs=18)
    assert foot == 60
    assert top == pytest.approx(60 - TEXT.cap_height, abs=1.5)


def test_a_text_knows_its_width_and_keeps_to_its_room() -> None:
    canvas = Canvas(400, 100)
    wide = canvas.draw_text((20, 60), "Anastasia Konstantinopolskaya", TEXT, IVORY, max_width=200)
    assert 150 < wide <= 200
    left, _, right, _ = box_of(canvas)
    assert right - left <= 204


def test_a_text_that_reaches_too_far_down_stands_higher() -> None:
    feet = []
    for text in ("Ann", "Agj", "مرحبا بالعالم", ""):
        canvas = Canvas(400, 100, ground=FELT)
        canvas.fill_box((0, 0, 400, 5), IVORY)
        canvas.draw_text((20, 60), text, TEXT, IVORY, max_depth=10)
        feet.append(box_of(canvas)[3])
    assert feet == [60, 69, 70, 5]


def test_what_is_not_covered_is_left_as_it_was() -> None:
    canvas = Canvas(100, 100)
    canvas.fill_box((0, 0, 100, 50), GLOW)
    canvas.fill_disc((50, 25), 20, IVORY, GLOW)
    assert (canvas.get_image().getpixel((0, 0)), canvas.get_image().getpixel((50, 25))) == (GLOW, IVORY)
    assert canvas.get_image().getpixel((50, 75)) == FELT


def test_only_the_corners_that_are_named_are_round() -> None:
    canvas = Canvas(100, 100)
    canvas.fill_rounded_box((10, 10, 90, 90), 20, IVORY, corners="ne")
    drawn = canvas.get_image()
    corners = [drawn.getpixel(at) for at in ((10, 10), (89, 10), (10, 89), (89, 89))]
    assert corners == [FELT, FELT, IVORY, IVORY]


@pytest.mark.parametrize("box", [(10, 10, 10, 40), (40, 10, 10, 40), (10, 10, 11, 40), (10, 10, 12, 12)])
def test_what_is_too_small_for_its_corners_is_drawn_without_a_word(box: tuple[int, int, int, int]) -> None:
    canvas = Canvas(100, 100)
    canvas.fill_rounded_box(box, 20, IVORY)
    assert canvas.encode_png()


def test_round_corners_leave_what_is_around_them() -> None:
    """Ivory on its lip: outside both there is felt, not the lip's colour."""
    canvas = Canvas(100, 110)
    canvas.fill_rounded_box((10, 16, 90, 96), 20, SHADE)
    canvas.fill_rounded_box((10, 10, 90, 90), 20, IVORY, SHADE)
    assert [canvas.get_image().getpixel(at) for at in ((11, 92), (88, 92), (11, 12))] == [FELT] * 3
    assert canvas.get_image().getpixel((50, 93)) == SHADE


def test_the_png_holds_the_palette() -> None:
    canvas = Canvas(20, 10, ground=INK)
    with Image.open(BytesIO(canvas.encode_png())) as drawn:
        assert (drawn.size, drawn.mode) == ((20, 10), "P")
        assert drawn.convert("RGB").getpixel((3, 3)) == RGB[INK]
        assert tuple(drawn.getpalette() or ())[: len(PALETTE)] == PALETTE


def test_a_canvas_can_be_made_less_tall() -> None:
    assert Canvas(20, 100).trim_height(30).get_image().size == (20, 30)
