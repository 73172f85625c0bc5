"""Find rows and columns of a picture that are not empty felt."""

from io import BytesIO
from itertools import groupby

from PIL import Image

from bot.pictures.canvas import Box
from bot.pictures.palette import FELT


def find_ink_rows(png: bytes, box: Box, gap: int = 1) -> list[tuple[int, int]]:
    """Return first and last row of each group of rows with ink; groups are more than `apart` rows apart."""
    with Image.open(BytesIO(png)) as drawn:
        return _find_groups(drawn.crop(box), box[1], gap)


def find_ink_columns(png: bytes, box: Box, gap: int = 1) -> list[tuple[int, int]]:
    """Return first and last column of each group of columns with ink."""
    with Image.open(BytesIO(png)) as drawn:
        return _find_groups(drawn.crop(box).transpose(Image.Transpose.TRANSPOSE), box[0], gap)


def _find_groups(image: Image.Image, first: int, gap: int) -> list[tuple[int, int]]:
    groups: list[tuple[int, int]] = []
    pixels, width, felt = image.tobytes(), image.width, bytes([FELT]) * image.width
    for is_empty, group in groupby(
        range(image.height), lambda y: pixels[y * width : (y + 1) * width] == felt
    ):
        if not is_empty:
            at = [first + y for y in group]
            is_near = groups and at[0] - groups[-1][1] <= gap
            groups.append((groups.pop()[0] if is_near else at[0], at[-1]))
    return groups
