"""What names a picture by all that it shows, so that the same one is known again."""

from functools import cache
from hashlib import sha256
from pathlib import Path

import PIL

from bot.pictures.values import (
    DuelPicture,
    HandPicture,
    Picture,
    PodiumPicture,
    ProfilePicture,
    RankingPicture,
    RollPicture,
    ScoreCardPicture,
    SolutionPicture,
    TilesPicture,
    WeekPicture,
)

HERE = Path(__file__).parent


def compute_picture_key(picture: Picture, language: str) -> str:
    """The name of the picture as this version draws it: the same for the same values and language.

    What holds no words is the same in every language.
    """
    told = "" if _is_wordless(picture) else language
    return sha256(f"{_version()}\n{told}\n{picture!r}".encode()).hexdigest()


def _is_wordless(picture: Picture) -> bool:
    return isinstance(picture, HandPicture | TilesPicture) or (
        isinstance(picture, RollPicture) and not picture.title
    )


def shows_names(picture: Picture) -> bool:
    """Whether names stand in it."""
    return isinstance(
        picture,
        SolutionPicture
        | RankingPicture
        | DuelPicture
        | PodiumPicture
        | ProfilePicture
        | WeekPicture
        | ScoreCardPicture,
    )


@cache
def _version() -> str:
    """What changes whenever something else may be drawn: our own code, the art's sizes, the library."""
    code = sha256(PIL.__version__.encode())
    for path in sorted(HERE.glob("*.py")):
        code.update(path.read_bytes())
    for path in sorted((HERE / "art").iterdir()):
        code.update(f"{path.name} {path.stat().st_size}".encode())
    return code.hexdigest()
