"""Masks of the few shapes that pictures are made of, each drawn large once and made small again."""

from collections.abc import Sequence
from functools import cache

from PIL import Image, ImageDraw

FINER = 8  # How many times larger a shape is drawn


@cache
def make_disc_mask(size: int) -> Image.Image:
    """A full circle."""
    light = Image.new("L", (size * FINER, size * FINER))
    ImageDraw.Draw(light).ellipse((0, 0, size * FINER - 1, size * FINER - 1), 255)
    return light.reduce(FINER)


@cache
def make_ring_mask(size: int, width: int) -> Image.Image:
    """A circle's edge, so many pixels wide."""
    light = Image.new("L", (size * FINER, size * FINER))
    ImageDraw.Draw(light).ellipse(
        (0, 0, size * FINER - 1, size * FINER - 1), outline=255, width=width * FINER
    )
    return light.reduce(FINER)


@cache
def make_strokes_mask(size: int, lines: Sequence[Sequence[tuple[float, float]]], width: float) -> Image.Image:
    """Lines through points in a square, each from 0 to 1, with round ends and corners."""
    whole, broad = size * FINER, round(width * FINER)
    light = Image.new("L", (whole, whole))
    pen = ImageDraw.Draw(light)
    for line in lines:
        at = [(x * whole, y * whole) for x, y in line]
        pen.line(at, 255, broad)
        for x, y in at:
            pen.ellipse((x - broad / 2, y - broad / 2, x + broad / 2, y + broad / 2), 255)
    return light.reduce(FINER)


TICK = (((0.24, 0.53), (0.43, 0.71), (0.77, 0.31)),)
CROSS = (((0.3, 0.3), (0.7, 0.7)), ((0.7, 0.3), (0.3, 0.7)))
