"""Keys of pictures by all that they show, so that an uploaded picture is recognised."""

from functools import cache
from hashlib import sha256
from pathlib import Path

import PIL

from bot.pictures.values import DailyPicture, HandPicture, Picture, RollPicture, TilesPicture


def compute_picture_key(picture: Picture, language: str) -> str:
    """Return a key that is the same for the same picture and language, as this version draws them.

    A picture without words has the same key in every language.
    """
    if isinstance(picture, HandPicture | TilesPicture | RollPicture):  # without words
        language = ""
    text = f"{_compute_version()}\n{language}\n{picture!r}"
    return sha256(text.encode()).hexdigest()


@cache
def _compute_version() -> str:
    """Return a digest of what decides how pictures look: our code, the sizes of the art, Pillow's version."""
    version = sha256(PIL.__version__.encode())
    folder = Path(__file__).parent
    for path in sorted(folder.glob("*.py")):
        version.update(path.read_bytes())
    for path in sorted((folder / "art").iterdir()):
        version.update(f"{path.name} {path.stat().st_size}".encode())
    return version.hexdigest()


def shows_names(picture: Picture) -> bool:
    return not isinstance(picture, HandPicture | TilesPicture | RollPicture | DailyPicture)
