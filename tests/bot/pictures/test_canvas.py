"""The palette, the masks of shapes, and the canvas."""

from collections.abc import Sequence
from io import BytesIO

import pytest
from PIL import Image, ImageOps

from bot.pictures.canvas import CROSS, TICK, Align, Canvas, make_disc_mask, make_strokes_mask
from bot.pictures.lettering import TextStyle
from bot.pictures.palette import (
    BRASS,
    FELT,
    GLOW,
    GREY,
    INK,
    IVORY,
    MIST,
    PAIRS,
    PALETTE,
    RED,
    RGB,
    SHADE,
    STEPS,
    get_shade_table,
)

# Ground and figure of what is read.
WORDS = (
    *((FELT, IVORY), (FELT, MIST), (FELT, BRASS), (GLOW, IVORY)),
    *((IVORY, INK), (IVORY, GREY), (IVORY, RED), (INK, IVORY), (BRASS, INK), (MIST, INK)),
)
# And of what is only to be seen: bars against their track, a bulb, a full square beside an empty one.
SIGNS = ((GLOW, BRASS), (FELT, IVORY), (GLOW, IVORY))
# What each kind of eye makes of linear red, green and blue: Machado, Oliveira and Fernandes 2009.
EYES = {
    "usual": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def linear(value: int) -> float:
    part = value / 255
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def luminance(colour: int, eye: Sequence[Sequence[float]]) -> float:
    light = [linear(value) for value in RGB[colour]]
    seen = [min(1.0, max(0.0, sum(m * v for m, v in zip(row, light, strict=True)))) for row in eye]
    return 0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2]


def contrast(one: int, other: int, eye: Sequence[Sequence[float]]) -> float:
    low, high = sorted((luminance(one, eye), luminance(other, eye)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("pair", WORDS)
def test_text_has_enough_contrast_for_every_eye(pair: tuple[int, int], eye: str) -> None:
    assert contrast(*pair, EYES[eye]) >= 4.5


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("pair", SIGNS)
def test_signs_have_enough_contrast_for_every_eye(pair: tuple[int, int], eye: str) -> None:
    assert contrast(*pair, EYES[eye]) >= 3


def test_red_and_black_suits_need_different_shapes() -> None:
    """Without colour they are hardly different: it is their shapes that tell them."""
    assert contrast(RED, INK, EYES["protanopia"]) < 3


def test_pictures_stand_out_in_a_light_chat_and_in_a_dark_one() -> None:
    white, black, felt = 1.05, 0.05, luminance(FELT, EYES["usual"]) + 0.05
    assert white / felt >= 4.5
    assert felt / black >= 1.5


def test_the_palette_holds_every_shade_once() -> None:
    assert len(PALETTE) == 3 * (len(RGB) + STEPS * len(PAIRS)) <= 3 * 256
    assert len(set(PAIRS)) == len(PAIRS)


def test_shades_go_from_the_ground_to_the_figure() -> None:
    ramp = get_shade_table(FELT, IVORY)
    assert (ramp[0], ramp[255], len(set(ramp))) == (FELT, IVORY, STEPS + 2)
    red = [PALETTE[3 * index] for index in ramp]
    assert red == sorted(red)


def test_an_unknown_pair_has_no_shades() -> None:
    with pytest.raises(ValueError):
        get_shade_table(RED, INK)


@pytest.mark.parametrize("shape", [make_disc_mask(40), make_disc_mask(40, 5)])
def test_round_shapes_are_the_same_from_every_side(shape: Image.Image) -> None:
    assert shape.tobytes() == ImageOps.mirror(shape).tobytes() == ImageOps.flip(shape).tobytes()
    assert shape.getpixel((0, 0)) == 0


def test_a_disc_is_full_and_a_ring_is_not() -> None:
    assert (make_disc_mask(40).getpixel((20, 20)), make_disc_mask(40, 5).getpixel((20, 20))) == (255, 0)
    assert make_disc_mask(40, 5).getpixel((20, 2)) == 255


def test_crossing_strokes_have_no_seam() -> None:
    cross = make_strokes_mask(92, CROSS, 11)
    assert {cross.getpixel((46 + x, 46 + y)) for x in (-3, 0, 3) for y in (-3, 0, 3)} == {255}


def test_edges_are_smooth() -> None:
    assert len(set(make_disc_mask(40).tobytes())) > 16


@pytest.mark.parametrize("lines", [TICK, CROSS])
def test_signs_stay_within_their_square(lines: tuple[tuple[tuple[float, float], ...], ...]) -> None:
    box = make_strokes_mask(92, lines, 11).getbbox()
    assert box
    assert min(box[:2]) > 8
    assert max(box[2:]) < 84


TEXT = TextStyle(40)


def box_of(canvas: Canvas) -> tuple[int, int, int, int]:
    """What of a canvas is no felt."""
    box = canvas.image.point(lambda index: 255 * (index != FELT)).getbbox()
    assert box
    return box


@pytest.mark.parametrize(
    ("align", "edges"), [("left", (100, 171)), ("middle", (64, 135)), ("right", (28, 100))]
)
def test_a_text_is_aligned(align: Align, edges: tuple[int, int]) -> None:
    canvas = Canvas(200, 100)
    canvas.draw_text((100, 60), "HHH", TextStyle(40, tabular=True), IVORY, align=align)
    left, top, right, foot = box_of(canvas)
    assert (left, right) == pytest.approx(edges, abs=18)
    assert foot == 60
    assert top == pytest.approx(60 - TEXT.cap_height, abs=1.5)


def test_a_text_keeps_to_its_maximum_width() -> None:
    canvas = Canvas(400, 100)
    wide = canvas.draw_text((20, 60), "Anastasia Konstantinopolskaya", TEXT, IVORY, max_width=200)
    assert 150 < wide <= 200
    left, _, right, _ = box_of(canvas)
    assert right - left <= 204


def test_a_text_that_is_too_deep_is_lifted() -> None:
    feet = []
    for text in ("Ann", "Agj", "مرحبا بالعالم", ""):
        canvas = Canvas(400, 100, ground=FELT)
        canvas.fill_box((0, 0, 400, 5), IVORY)
        canvas.draw_text((20, 60), text, TEXT, IVORY, max_depth=10)
        feet.append(box_of(canvas)[3])
    assert feet == [60, 69, 70, 5]


def test_uncovered_pixels_are_unchanged() -> None:
    canvas = Canvas(100, 100)
    canvas.fill_box((0, 0, 100, 50), GLOW)
    canvas.fill_disc((50, 25), 20, IVORY, GLOW)
    assert (canvas.image.getpixel((0, 0)), canvas.image.getpixel((50, 25))) == (GLOW, IVORY)
    assert canvas.image.getpixel((50, 75)) == FELT


def test_only_the_named_corners_are_round() -> None:
    canvas = Canvas(100, 100)
    canvas.fill_rounded_box((10, 10, 90, 90), 20, IVORY, corners="ne")
    drawn = canvas.image
    corners = [drawn.getpixel(at) for at in ((10, 10), (89, 10), (10, 89), (89, 89))]
    assert corners == [FELT, FELT, IVORY, IVORY]


@pytest.mark.parametrize("box", [(10, 10, 10, 40), (40, 10, 10, 40), (10, 10, 11, 40), (10, 10, 12, 12)])
def test_a_box_too_small_for_its_corners_can_be_drawn(box: tuple[int, int, int, int]) -> None:
    canvas = Canvas(100, 100)
    canvas.fill_rounded_box(box, 20, IVORY)
    assert canvas.encode_png()


def test_round_corners_leave_the_pixels_around_them() -> None:
    """Ivory on its lip: outside both there is felt, not the lip's colour."""
    canvas = Canvas(100, 110)
    canvas.fill_rounded_box((10, 16, 90, 96), 20, SHADE)
    canvas.fill_rounded_box((10, 10, 90, 90), 20, IVORY, SHADE)
    assert [canvas.image.getpixel(at) for at in ((11, 92), (88, 92), (11, 12))] == [FELT] * 3
    assert canvas.image.getpixel((50, 93)) == SHADE


def test_the_png_holds_the_palette() -> None:
    canvas = Canvas(20, 10, ground=INK)
    with Image.open(BytesIO(canvas.encode_png())) as drawn:
        assert (drawn.size, drawn.mode) == ((20, 10), "P")
        assert drawn.convert("RGB").getpixel((3, 3)) == RGB[INK]
        assert tuple(drawn.getpalette() or ())[: len(PALETTE)] == PALETTE
