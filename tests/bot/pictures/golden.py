"""Golden pictures: shrunk examples. `python -m tests.bot.pictures.golden` writes them again."""

from io import BytesIO
from pathlib import Path

from PIL import Image, ImageChops, ImageFilter

from bot.pictures.drawing import draw_picture
from tests.bot.pictures.examples import EXAMPLES

GOLDEN = Path(__file__).parent / "golden"
SHRINK_FACTOR = 5
COLOURS = 40
MAX_DIFFERENCE = 40  # Allowed difference of a pixel after blurring, of 255: FreeType versions differ


def shrink_picture(png: bytes) -> Image.Image:
    """Decode a picture and shrink it to a fifth of its size."""
    with Image.open(BytesIO(png)) as image:
        return image.convert("RGB").reduce(SHRINK_FACTOR)


def measure_difference(one: Image.Image, other: Image.Image) -> int:
    """Return the largest difference of a pixel after blurring; 255 if the sizes differ."""
    if one.size != other.size:
        return 255
    blurred = (each.filter(ImageFilter.BoxBlur(1)) for each in (one, other))
    return max(high for _, high in ImageChops.difference(*blurred).getextrema())  # type: ignore[misc]


def load_golden(name: str) -> Image.Image:
    with Image.open(GOLDEN / f"{name}.png") as image:
        return image.convert("RGB")


def main() -> None:
    """Write all golden pictures; look at each before you commit it."""
    GOLDEN.mkdir(exist_ok=True)
    for name, (language, picture) in EXAMPLES.items():
        image = shrink_picture(draw_picture(picture, language)).quantize(COLOURS, Image.Quantize.MAXCOVERAGE)
        image.save(GOLDEN / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
