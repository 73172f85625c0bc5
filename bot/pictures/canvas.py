"""What a picture is drawn on: a grid of the palette's indices, and the PNG that it ends as."""

from io import BytesIO
from typing import Literal
from zlib import Z_RLE

from PIL import Image, ImageDraw

from bot.pictures import lettering
from bot.pictures.lettering import TextLayout, TextStyle, lay_out_text
from bot.pictures.palette import FELT, FEWER, PALETTE, Colour, get_shade_table
from bot.pictures.shapes import make_disc_mask

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
            Image.frombytes("L", mask.size, light.translate(table)) for table in (get_shade_table(on, colour), COVERED)
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
