"""The canvas of all pictures: a grid of indices into the palette, which ends as a PNG."""

from collections.abc import Sequence
from functools import cache
from io import BytesIO
from typing import Literal

from PIL import Image, ImageDraw

from bot.pictures import lettering
from bot.pictures.lettering import TextLayout, TextStyle, Weight, lay_out_text
from bot.pictures.palette import FELT, PALETTE, Colour, get_shade_table

# Measures in pixels, of which a phone shows every second one
WIDTH = 1280
MARGIN = 64  # around everything
INNER = WIDTH - 2 * MARGIN
LIP = 6  # the edge that cards, tiles and dice show below
CLEAR = 10  # between the lowest part of a name and what is below

TITLE = TextStyle(60, Weight.BOLD, min_size=44)
NAME = TextStyle(56)
TEXT = TextStyle(52, min_size=40)
SMALL = TextStyle(46, min_size=38)
FIGURE = TextStyle(60, Weight.BOLD, tabular=True, min_size=40)
LARGE = TextStyle(96, Weight.DISPLAY, tabular=True, min_size=44)
TARGET = TextStyle(208, Weight.DISPLAY, min_size=120)

Point = tuple[float, float]  # x and y
OVERSIZE = 8  # shapes are drawn so many times larger, and reduced


@cache
def make_disc_mask(size: int, edge: int | None = None) -> Image.Image:
    """Draw a full circle, or only its edge, `edge` pixels wide."""
    drawn_size = size * OVERSIZE
    mask = Image.new("L", (drawn_size, drawn_size))
    inside = 0 if edge else 255  # 255 is covered, 0 is not
    width = edge * OVERSIZE if edge else 0
    box = (0, 0, drawn_size - 1, drawn_size - 1)
    ImageDraw.Draw(mask).ellipse(box, fill=inside, outline=255, width=width)
    return mask.reduce(OVERSIZE)


@cache
def make_strokes_mask(size: int, lines: Sequence[Sequence[Point]], width: float) -> Image.Image:
    """Draw lines with round ends and corners in a square; x and y of each point are from 0 to 1."""
    drawn_size = size * OVERSIZE
    thickness = round(width * OVERSIZE)
    half = thickness / 2
    mask = Image.new("L", (drawn_size, drawn_size))
    pen = ImageDraw.Draw(mask)
    for line in lines:
        points = [(x * drawn_size, y * drawn_size) for x, y in line]
        pen.line(points, fill=255, width=thickness)
        for x, y in points:  # Round ends and corners
            pen.ellipse((x - half, y - half, x + half, y + half), fill=255)
    return mask.reduce(OVERSIZE)


TICK = (((0.24, 0.53), (0.43, 0.71), (0.77, 0.31)),)
CROSS = (((0.3, 0.3), (0.7, 0.7)), ((0.7, 0.3), (0.3, 0.7)))

Align = Literal["left", "middle", "right"]
PART_LEFT_OF_X: dict[Align, float] = {"left": 0.0, "middle": 0.5, "right": 1.0}
Box = tuple[int, int, int, int]  # left, top, right and bottom; right and bottom are the first pixels outside
Corners = Sequence[int]
ALL_CORNERS = TOP_LEFT, TOP_RIGHT, BOTTOM_LEFT, BOTTOM_RIGHT = 0, 1, 2, 3
TOP_CORNERS = (TOP_LEFT, TOP_RIGHT)
BOTTOM_CORNERS = (BOTTOM_LEFT, BOTTOM_RIGHT)
IS_COVERED = bytes((0, *[255] * 255))  # for each coverage of a pixel


class Canvas:
    """A picture while it is drawn; all its methods take colours and places in pixels."""

    def __init__(self, width: int, height: int, language: str = "en", ground: Colour = FELT) -> None:
        self.language = language  # in whose way Chinese characters are drawn
        self.image = Image.new("L", (width, height), ground)  # holds indices into the palette
        self._pen = ImageDraw.Draw(self.image)

    def stamp(self, mask: Image.Image, at: Point, colour: Colour, ground: Colour = FELT) -> None:
        """Put a colour where the mask is light, with smooth edges to the ground."""
        x, y = at
        inked = mask.point(get_shade_table(ground, colour))
        self.image.paste(inked, (round(x), round(y)), mask.point(IS_COVERED))

    def fill_box(self, box: Box, colour: Colour) -> None:
        """Fill a box, unless it is empty or its sides are reversed."""
        left, top, right, bottom = box
        if left < right and top < bottom:
            self._pen.rectangle((left, top, right - 1, bottom - 1), colour)

    def fill_rounded_box(
        self, box: Box, radius: int, colour: Colour, ground: Colour = FELT, corners: Corners = ALL_CORNERS
    ) -> None:
        """Fill a box whose `corners` are round, and the others square."""
        left, top, right, bottom = box
        # In a small box, the corners are as large as they can be
        radius = max(0, min(radius, (right - left) // 2, (bottom - top) // 2))
        inset = dict.fromkeys(ALL_CORNERS, 0) | dict.fromkeys(corners, radius)
        inner_left = left + radius
        inner_right = right - radius
        inner_bottom = bottom - radius
        # The middle part, then the strips at the left and at the right between round corners
        self.fill_box((inner_left, top, inner_right, bottom), colour)
        self.fill_box((left, top + inset[TOP_LEFT], inner_left, bottom - inset[BOTTOM_LEFT]), colour)
        self.fill_box((inner_right, top + inset[TOP_RIGHT], right, bottom - inset[BOTTOM_RIGHT]), colour)
        if radius == 0:
            return
        disc = make_disc_mask(2 * radius)  # of which each corner is a quarter
        for corner in corners:
            is_left = corner in (TOP_LEFT, BOTTOM_LEFT)
            is_top = corner in TOP_CORNERS
            x = left if is_left else inner_right
            y = top if is_top else inner_bottom
            disc_x = 0 if is_left else radius
            disc_y = 0 if is_top else radius
            quarter = disc.crop((disc_x, disc_y, disc_x + radius, disc_y + radius))
            self.stamp(quarter, (x, y), colour, ground)

    def fill_disc(self, middle: Point, size: int, colour: Colour, ground: Colour = FELT) -> None:
        x, y = middle
        self.stamp(make_disc_mask(size), (x - size / 2, y - size / 2), colour, ground)

    def draw_text(
        self,
        at: Point,
        text: str,
        style: TextStyle,
        colour: Colour,
        ground: Colour = FELT,
        *,
        align: Align = "left",
        max_width: float | None = None,
        max_depth: float | None = None,
    ) -> float:
        """Draw a line of text with its baseline at y and the `align` part of it at x; return its width.

        The text is shrunk or cut to `max_width`, and lifted if it reaches further below the baseline than
        `max_depth`, as in Arabic.
        """
        layout = self.measure_text(text, style, max_width)
        mask, side, baseline = lettering.render_mask(layout, self.language)
        x, y = at
        left = x - layout.width * PART_LEFT_OF_X[align]
        lift = 0.0
        ink_box = mask.getbbox()  # None if nothing is visible
        if ink_box and max_depth is not None:
            _, _, _, ink_foot = ink_box
            depth = ink_foot - baseline
            lift = max(0, depth - max_depth)
        self.stamp(mask, (left - side, y - baseline - lift), colour, ground)
        return layout.width

    def measure_text(self, text: str, style: TextStyle, max_width: float | None = None) -> TextLayout:
        """Return the layout with which `draw_text` would draw a text."""
        return lay_out_text(text, style, max_width, self.language)

    def encode_png(self) -> bytes:
        """Return the picture as PNG; the same drawing gives the same bytes."""
        stream = BytesIO()
        self.image.putpalette(PALETTE)
        self.image.save(stream, "PNG")
        return stream.getvalue()
