"""Where in a picture there is anything but felt."""

from io import BytesIO
from itertools import groupby

from PIL import Image

from bot.pictures.canvas import Box
from bot.pictures.palette import FELT


def rows(png: bytes, box: Box, apart: int = 1) -> list[tuple[int, int]]:
    """The first and the last of the rows of a box with ink, wherever so many free ones are between two."""
    with Image.open(BytesIO(png)) as drawn:
        return _stretches(drawn.crop(box), box[1], apart)


def columns(png: bytes, box: Box, apart: int = 1) -> list[tuple[int, int]]:
    """The same of columns."""
    with Image.open(BytesIO(png)) as drawn:
        return _stretches(drawn.crop(box).transpose(Image.Transpose.TRANSPOSE), box[0], apart)


def _stretches(part: Image.Image, first: int, apart: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    pixels, wide, felt = part.tobytes(), part.width, bytes([FELT]) * part.width
    for free, group in groupby(range(part.height), lambda y: pixels[y * wide : (y + 1) * wide] == felt):
        if not free:
            at = [first + y for y in group]
            near = found and at[0] - found[-1][1] <= apart
            found.append((found.pop()[0] if near else at[0], at[-1]))
    return found
