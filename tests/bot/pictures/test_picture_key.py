"""Equal pictures have equal keys, and different pictures different keys."""

import subprocess
import sys

from bot.pictures.picture_key import compute_picture_key
from bot.pictures.values import Card, HandPicture, RankingPicture, RollPicture, TilesPicture
from tests.bot.pictures.examples import EXAMPLES

DEAL = HandPicture((Card(3, "♠"), Card(8, "♥"), Card(3, "♦"), Card(8, "♣")), 24)


def test_different_pictures_have_different_keys() -> None:
    assert len({compute_picture_key(picture, language) for language, picture in EXAMPLES.values()}) == len(
        EXAMPLES
    )


def test_key_depends_on_the_language_of_texts() -> None:
    race = RankingPicture("The race is over.", ())
    assert compute_picture_key(race, "zh_Hans") != compute_picture_key(race, "zh_Hant")
    assert compute_picture_key(DEAL, "zh_Hans") == compute_picture_key(DEAL, "zh_Hant")
    assert compute_picture_key(RollPicture((1, 2, 3, 4, 5)), "en") == compute_picture_key(
        RollPicture((1, 2, 3, 4, 5)), "es"
    )


def test_another_process_computes_the_same_key() -> None:
    code = (
        "from bot.pictures.picture_key import compute_picture_key as key;"
        "from bot.pictures.values import TilesPicture;"
        "print(key(TilesPicture((25, 50, 7, 3, 9, 1), 573), 'en'))"
    )
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert there.strip() == compute_picture_key(TilesPicture((25, 50, 7, 3, 9, 1), 573), "en")
