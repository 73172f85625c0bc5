"""The picture files of the README and the manual."""

from io import BytesIO
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo

FOLDER = Path(__file__).parents[1] / "images"
RECORDING = FOLDER / "recording.svg"
PHONE = (360, 620)  # The size of a phone, in CSS pixels
SCALE = 2  # Pixels of a phone's pictures for each of these
COLOURS = 128
DESCRIPTION = "Description"  # The key of a PNG's text, as the PNG specification has it


def decode(png: bytes) -> Image.Image:
    with Image.open(BytesIO(png)) as image:
        return image.convert("RGB")


def save_picture(name: str, image: Image.Image, description: str = "") -> None:
    """Store a small PNG with the description inside it."""
    info = PngInfo()
    if description:
        info.add_itxt(DESCRIPTION, description)
    image.quantize(COLOURS).save(FOLDER / f"{name}.png", optimize=True, pnginfo=info)


def read_description(name: str) -> str:
    """Return the description inside a picture, "" for none."""
    with Image.open(FOLDER / f"{name}.png") as image:
        return str(image.info.get(DESCRIPTION, ""))
