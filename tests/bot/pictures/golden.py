"""The golden pictures: each example made small. `python -m tests.bot.pictures.golden` writes them again."""

from io import BytesIO
from pathlib import Path

from PIL import Image, ImageChops, ImageFilter

from bot.pictures.drawing import draw_picture
from tests.bot.pictures.examples import EXAMPLES

GOLDEN = Path(__file__).parent / "golden"
SMALLER = 5
COLOURS = 40
NEAR = 40  # How far apart two colours of one small, softened pixel may be, of 255: FreeType changes, too


def small(png: bytes) -> Image.Image:
    """A picture at a fifth of its size."""
    with Image.open(BytesIO(png)) as whole:
        return whole.convert("RGB").reduce(SMALLER)


def apart(one: Image.Image, other: Image.Image) -> int:
    """The largest difference of any pixel, once both are a little soft; 255 where the sizes differ."""
    if one.size != other.size:
        return 255
    soft = (each.filter(ImageFilter.BoxBlur(1)) for each in (one, other))
    return max(high for _, high in ImageChops.difference(*soft).getextrema())  # type: ignore[misc]


def golden(name: str) -> Image.Image:
    """The picture that was looked at and found right."""
    with Image.open(GOLDEN / f"{name}.png") as kept:
        return kept.convert("RGB")


def main() -> None:
    """Write them all; look at each before it is committed."""
    GOLDEN.mkdir(exist_ok=True)
    for name, (language, picture) in EXAMPLES.items():
        shrunk = small(draw_picture(picture, language)).quantize(COLOURS, Image.Quantize.MAXCOVERAGE)
        shrunk.save(GOLDEN / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
