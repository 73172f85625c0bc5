"""Contrast of the palette, and the limits of texts and boxes on a canvas."""

from collections.abc import Sequence

import pytest

from bot.pictures.canvas import Canvas
from bot.pictures.lettering import TextStyle
from bot.pictures.palette import (
    BRASS,
    FELT,
    GLOW,
    GREY,
    INK,
    IVORY,
    MIST,
    RED,
    RGB,
)

# Background and foreground of texts
TEXT_PAIRS = (
    *((FELT, IVORY), (FELT, MIST), (FELT, BRASS), (GLOW, IVORY)),
    *((IVORY, INK), (IVORY, GREY), (IVORY, RED), (INK, IVORY), (BRASS, INK), (MIST, INK)),
)
# Background and foreground of signs: bars, bulbs, full and empty squares
SIGN_PAIRS = ((GLOW, BRASS), (FELT, IVORY), (GLOW, IVORY))
# Linear red, green and blue as people with each colour vision see them: Machado, Oliveira and Fernandes 2009
COLOUR_VISION = {
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


def linearize(value: int) -> float:
    fraction = value / 255
    return fraction / 12.92 if fraction <= 0.04045 else ((fraction + 0.055) / 1.055) ** 2.4


def compute_luminance(colour: int, vision: Sequence[Sequence[float]]) -> float:
    light = [linearize(value) for value in RGB[colour]]
    values = [min(1.0, max(0.0, sum(m * v for m, v in zip(row, light, strict=True)))) for row in vision]
    return 0.2126 * values[0] + 0.7152 * values[1] + 0.0722 * values[2]


def compute_contrast(one: int, other: int, vision: Sequence[Sequence[float]]) -> float:
    low, high = sorted((compute_luminance(one, vision), compute_luminance(other, vision)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("vision", COLOUR_VISION)
@pytest.mark.parametrize("pair", TEXT_PAIRS)
def test_text_has_enough_contrast_for_all_colour_vision(pair: tuple[int, int], vision: str) -> None:
    assert compute_contrast(*pair, COLOUR_VISION[vision]) >= 4.5


@pytest.mark.parametrize("vision", COLOUR_VISION)
@pytest.mark.parametrize("pair", SIGN_PAIRS)
def test_signs_have_enough_contrast_for_all_colour_vision(pair: tuple[int, int], vision: str) -> None:
    assert compute_contrast(*pair, COLOUR_VISION[vision]) >= 3


def test_felt_stands_out_in_light_and_dark_chats() -> None:
    white, black, felt = 1.05, 0.05, compute_luminance(FELT, COLOUR_VISION["usual"]) + 0.05
    assert white / felt >= 4.5
    assert felt / black >= 1.5


TEXT = TextStyle(40)


def find_box(canvas: Canvas) -> tuple[int, int, int, int]:
    """Return the box around everything that is not felt."""
    box = canvas.image.point(lambda index: 255 * (index != FELT)).getbbox()
    assert box
    return box


def test_text_keeps_to_its_maximum_width() -> None:
    canvas = Canvas(400, 100)
    width = canvas.draw_text((20, 60), "Anastasia Konstantinopolskaya", TEXT, IVORY, max_width=200)
    assert 150 < width <= 200
    left, _, right, _ = find_box(canvas)
    assert right - left <= 204


def test_text_with_deep_letters_is_lifted() -> None:
    bottoms = []
    for text in ("Ann", "Agj", "مرحبا بالعالم", ""):
        canvas = Canvas(400, 100, ground=FELT)
        canvas.fill_box((0, 0, 400, 5), IVORY)
        canvas.draw_text((20, 60), text, TEXT, IVORY, max_depth=10)
        bottoms.append(find_box(canvas)[3])
    assert bottoms == [60, 69, 70, 5]


@pytest.mark.parametrize("box", [(10, 10, 10, 40), (40, 10, 10, 40), (10, 10, 11, 40), (10, 10, 12, 12)])
def test_box_too_small_for_its_corners_can_be_drawn(box: tuple[int, int, int, int]) -> None:
    canvas = Canvas(100, 100)
    canvas.fill_rounded_box(box, 20, IVORY)
    assert canvas.encode_png()
