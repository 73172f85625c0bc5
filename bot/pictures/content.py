"""What names a picture by all that it shows, so that the same one is known again."""

from functools import cache
from hashlib import sha256
from pathlib import Path

import PIL

from bot.pictures.values import Duel, Picture, Podium, Profile, Race, ScoreCard, Solution, Week

HERE = Path(__file__).parent


def content(picture: Picture, language: str) -> str:
    """The name of the picture as this version draws it: the same for the same values and language."""
    return sha256(f"{_version()}\n{language}\n{picture!r}".encode()).hexdigest()


def names_people(picture: Picture) -> bool:
    """Whether names stand in it."""
    return isinstance(picture, Solution | Race | Duel | Podium | Profile | Week | ScoreCard)


@cache
def _version() -> str:
    """What changes whenever something else may be drawn: our own code, the art's sizes, the library."""
    code = sha256(PIL.__version__.encode())
    for path in sorted(HERE.glob("*.py")):
        code.update(path.read_bytes())
    for path in sorted((HERE / "art").iterdir()):
        code.update(f"{path.name} {path.stat().st_size}".encode())
    return code.hexdigest()
