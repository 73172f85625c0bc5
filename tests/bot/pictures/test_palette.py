"""Whether what is drawn can be told from what it is drawn on, by everybody. Ratios are those of WCAG 2.2."""

from collections.abc import Sequence

import pytest

from bot.pictures.canvas import (
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
def test_words_can_be_read_by_every_eye(pair: tuple[int, int], eye: str) -> None:
    assert contrast(*pair, EYES[eye]) >= 4.5


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("pair", SIGNS)
def test_signs_can_be_seen_by_every_eye(pair: tuple[int, int], eye: str) -> None:
    assert contrast(*pair, EYES[eye]) >= 3


def test_red_suits_and_black_ones_are_told_apart_by_more_than_colour() -> None:
    """Without colour they are hardly different: it is their shapes that tell them."""
    assert contrast(RED, INK, EYES["protanopia"]) < 3


def test_pictures_stand_out_in_a_light_chat_and_in_a_dark_one() -> None:
    white, black, felt = 1.05, 0.05, luminance(FELT, EYES["usual"]) + 0.05
    assert white / felt >= 4.5
    assert felt / black >= 1.5


def test_one_palette_holds_every_shade_once() -> None:
    assert len(PALETTE) == 3 * (len(RGB) + STEPS * len(PAIRS)) <= 3 * 256
    assert len(set(PAIRS)) == len(PAIRS)


def test_shades_go_from_the_ground_to_the_figure() -> None:
    ramp = get_shade_table(FELT, IVORY)
    assert (ramp[0], ramp[255], len(set(ramp))) == (FELT, IVORY, STEPS + 2)
    red = [PALETTE[3 * index] for index in ramp]
    assert red == sorted(red)


def test_what_is_never_drawn_on_another_has_no_shades() -> None:
    with pytest.raises(ValueError):
        get_shade_table(RED, INK)
