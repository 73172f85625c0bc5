"""What a picture is drawn on: a grid of the palette's indices, and the PNG that it ends as."""

from collections.abc import Sequence
from functools import cache
from io import BytesIO
from typing import Literal
from zlib import Z_RLE

from PIL import Image, ImageDraw

from bot.pictures import lettering
from bot.pictures.lettering import TextLayout, TextStyle, Weight, lay_out_text

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


Colour = int  # An index into `PALETTE`

# The table; its shadow; what is raised from it; cards and words; lesser words on felt; what is printed on
# ivory; lesser words on ivory; hearts and diamonds; the one accent.
FELT, SHADE, GLOW, IVORY, MIST, INK, GREY, RED, BRASS = range(9)

# Of each colour, in their order.
RGB: tuple[tuple[int, int, int], ...] = (
    (0x14, 0x4A, 0x3C),
    (0x0D, 0x36, 0x2B),
    (0x22, 0x60, 0x50),
    (0xFB, 0xF6, 0xE9),
    (0xB9, 0xCD, 0xC1),
    (0x1A, 0x24, 0x30),
    (0x66, 0x66, 0x62),
    (0xB3, 0x26, 0x2C),
    (0xE8, 0xB6, 0x4C),
)

# A ground and what may be drawn on it.
PAIRS: tuple[tuple[Colour, Colour], ...] = (
    *((FELT, figure) for figure in (SHADE, GLOW, IVORY, MIST, BRASS)),
    *((SHADE, figure) for figure in (IVORY,)),
    *((GLOW, figure) for figure in (IVORY, MIST, BRASS)),
    *((IVORY, figure) for figure in (INK, GREY, RED, BRASS, FELT)),
    *((INK, figure) for figure in (RED, BRASS, IVORY)),
    (BRASS, INK),
    (MIST, INK),
    (GLOW, FELT),
)

STEPS = 7  # Shades between the two colours of a pair


def _between(ground: Colour, figure: Colour, step: int) -> tuple[int, ...]:
    part = step / (STEPS + 1)
    return tuple(round(g + (f - g) * part) for g, f in zip(RGB[ground], RGB[figure], strict=True))


# Red, green and blue of every index.
PALETTE: tuple[int, ...] = tuple(
    value
    for colour in (*RGB, *(_between(*pair, step) for pair in PAIRS for step in range(1, STEPS + 1)))
    for value in colour
)


# Of the steps of a pair, both colours included, the one that stands for each where fewer are to do.
COARSE = (0, 2, 2, 4, 4, 4, 6, 6, 8)


def _fewer() -> bytes:
    table = list(range(256))
    for number, (ground, figure) in enumerate(PAIRS):
        first = len(RGB) + STEPS * number
        ramp = (ground, *range(first, first + STEPS), figure)
        for step in range(1, STEPS + 1):
            table[ramp[step]] = ramp[COARSE[step]]
    return bytes(table)


FEWER = _fewer()  # For each index the one that stands for it where every second shade is to do


@cache
def get_shade_table(ground: Colour, figure: Colour) -> bytes:
    """The index for each coverage 0 to 255 of a pixel. Raises ValueError for a pair not in `PAIRS`."""
    first = len(RGB) + STEPS * PAIRS.index((ground, figure))
    ramp = (ground, *range(first, first + STEPS), figure)
    return bytes(ramp[round(covered * (STEPS + 1) / 255)] for covered in range(256))


Align = Literal["left", "middle", "right"]
Box = tuple[int, int, int, int]  # Left, top, right and bottom; right and bottom are the first pixels outside

COVERED = bytes((0, *[255] * 255))  # For each coverage of a pixel, whether it is covered at all
LARGE_PNG, EFFORT = 50_000, 5  # Bytes from which a PNG is packed harder, and how hard
# Bytes that a PNG may have: with half of the shades it is smaller, and its letters are less smooth.
MOST = 60_000
SAMPLED = 8  # Every so manieth row tells how large the PNG will be, in as small a part of the time


class Canvas:
    """A picture while it is drawn."""

    def __init__(self, width: int, height: int, language: str = "en", ground: Colour = FELT) -> None:
        self.width, self.height = width, height
        self.language = language
        """By whose way of writing Chinese characters are drawn."""
        self._image = Image.new("L", (width, height), ground)
        self._pen = ImageDraw.Draw(self._image)

    def stamp(self, mask: Image.Image, at: tuple[float, float], colour: Colour, on: Colour = FELT) -> None:
        """Put a colour where the mask is light; around it is the ground `on`."""
        where = (round(at[0]), round(at[1]))
        light = mask.tobytes()
        inked, covered = (
            Image.frombytes("L", mask.size, light.translate(table))
            for table in (get_shade_table(on, colour), COVERED)
        )
        self._image.paste(inked, where, covered)

    def paste(self, face: Image.Image, at: tuple[int, int]) -> None:
        """Put a picture of indices in."""
        self._image.paste(face, at)

    def fill_box(self, box: Box, colour: Colour) -> None:
        """A rectangle with sharp edges."""
        left, top, right, bottom = box
        if left < right and top < bottom:
            self._pen.rectangle((left, top, right - 1, bottom - 1), colour)

    def fill_rounded_box(
        self, box: Box, radius: int, colour: Colour, on: Colour = FELT, corners: str = "nesw"
    ) -> None:
        """A rectangle with round corners: those named, n the left one above and on clockwise."""
        left, top, right, bottom = box
        radius = max(0, min(radius, (right - left) // 2, (bottom - top) // 2))
        room = {corner: radius * (corner in corners) for corner in "nesw"}
        self.fill_box((left + radius, top, right - radius, bottom), colour)
        self.fill_box((left, top + room["n"], left + radius, bottom - room["w"]), colour)
        self.fill_box((right - radius, top + room["e"], right, bottom - room["s"]), colour)
        for corner in corners if radius else "":
            east, south = corner in "es", corner in "sw"
            part = (radius * east, radius * south, radius * (1 + east), radius * (1 + south))
            at = (right - radius if east else left, bottom - radius if south else top)
            self.stamp(make_disc_mask(2 * radius).crop(part), at, colour, on)

    def fill_disc(self, middle: tuple[float, float], size: int, colour: Colour, on: Colour = FELT) -> None:
        """A full circle."""
        self.stamp(make_disc_mask(size), (middle[0] - size / 2, middle[1] - size / 2), colour, on)

    def draw_text(
        self,
        at: tuple[float, float],
        text: str,
        style: TextStyle,
        colour: Colour,
        on: Colour = FELT,
        *,
        align: Align = "left",
        max_width: float | None = None,
        max_depth: float | None = None,
    ) -> float:
        """Write a line that stands at y and begins, is centred or ends at x; returns its width.

        Where it would reach further down than `below`, as Arabic letters do, it stands higher by that.
        """
        whole = self.measure_text(text, style, max_width)
        light, side, base = lettering.render_mask(whole, self.language)
        left = at[0] - whole.width * {"left": 0.0, "middle": 0.5, "right": 1.0}[align]
        lifted = 0 if max_depth is None else max(0, _depth(light, base) - max_depth)
        self.stamp(light, (left - side, at[1] - base - lifted), colour, on)
        return whole.width

    def measure_text(self, text: str, style: TextStyle, max_width: float | None = None) -> TextLayout:
        """The text as `text` would write it."""
        return lay_out_text(text, style, max_width, self.language)

    def trim_height(self, height: int) -> "Canvas":
        """The same canvas, no taller than this."""
        self._image, self.height = self._image.crop((0, 0, self.width, height)), height
        return self

    def get_image(self) -> Image.Image:
        """What was drawn, as indices; to be pasted into other pictures."""
        return self._image

    def encode_png(self) -> bytes:
        """The picture; the same drawing gives the same bytes.

        Runs of one colour are most of it: to look for nothing else takes half the time and often less room.
        """
        self._image.putpalette(PALETTE)
        few = self._image.resize((self.width, -(-self.height // SAMPLED)), Image.Resampling.NEAREST)
        small = len(_packed(few, compress_type=Z_RLE)) * SAMPLED < LARGE_PNG
        how = {"compress_type": Z_RLE} if small else {"compress_level": EFFORT}
        png = _packed(self._image, **how)
        return png if len(png) <= MOST else _packed(self._image.point(FEWER), **how)


def _depth(light: Image.Image, base: int) -> int:
    """How far a text reaches below the line on which it stands."""
    inked = light.getbbox()
    return inked[3] - base if inked else 0


def _packed(image: Image.Image, **how: int) -> bytes:
    written = BytesIO()
    image.save(written, "PNG", **how)
    return written.getvalue()


WIDTH = 1280
MARGIN = 64  # Around everything
INNER = WIDTH - 2 * MARGIN
LIP = 6  # The edge that cards, tiles and dice show below
CLEAR = 10  # Between what a name reaches down to and what is below it

TITLE = TextStyle(60, Weight.BOLD, min_size=44)
NAME = TextStyle(56)
TEXT = TextStyle(52, min_size=40)
SMALL = TextStyle(46, min_size=38)
FIGURE = TextStyle(60, Weight.BOLD, tabular=True, min_size=40)
LARGE = TextStyle(96, Weight.DISPLAY, tabular=True, min_size=44)
TARGET = TextStyle(208, Weight.DISPLAY, min_size=120)


def compute_baseline(middle: float, style: TextStyle) -> float:
    """Where a line of capitals or figures stands so that its middle is there."""
    return middle + style.cap_height / 2
