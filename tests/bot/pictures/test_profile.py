from dataclasses import replace
from io import BytesIO
from itertools import pairwise

import pytest
from PIL import Image

from bot.pictures.look import MARGIN
from bot.pictures.palette import FELT
from bot.pictures.profile import profile
from bot.pictures.values import Badge, Profile
from tests.bot.pictures.examples import EXAMPLES


def whole() -> Profile:
    found = EXAMPLES["profile"][1]
    assert isinstance(found, Profile)
    return found


def tall(value: Profile) -> int:
    with Image.open(BytesIO(profile(value))) as drawn:
        return drawn.height


def inked(value: Profile, room: tuple[float, float], language: str = "en") -> list[int]:
    """In which columns of pixels there is ink, between two heights above the foot of the margin."""
    with Image.open(BytesIO(profile(value, language))) as drawn:
        foot = drawn.height - MARGIN
        band = drawn.crop((0, round(foot - room[0]), drawn.width, round(foot - room[1])))
        rows = [band.tobytes()[at : at + band.width] for at in range(0, band.width * band.height, band.width)]
    return [x for x in range(band.width) if any(row[x] != FELT for row in rows)]


def gaps(inked: list[int]) -> list[int]:
    """How wide each free room between two letters or words is."""
    return [other - one - 1 for one, other in pairwise(inked) if other - one > 1]


FEW = (("1", "punto"), ("1", "ganada"))
MANY = (("152", "points"), ("40", "of 81 won"), ("#2", "here"), ("7", "in a row"))
MOST = (("102040", "очков"), ("34012", "победы"), ("#1200", "здесь"), ("1000", "подряд"))


@pytest.mark.parametrize("figures", [FEW, MANY, MOST])
def test_no_figures_or_labels_run_together(figures: tuple[tuple[str, str], ...]) -> None:
    value = replace(whole(), figures=figures, best=(), points=(), days=(), badges=())
    for band in ((34.0, -16.0), (120.0, 58.0)):
        wide = [gap for gap in gaps(inked(value, band)) if gap > 36]
        assert len(wide) == len(figures) - 1


@pytest.mark.parametrize("less", [replace(whole(), best=()), replace(whole(), badges=())])
def test_what_there_is_none_of_takes_no_room(less: Profile) -> None:
    assert tall(less) < tall(whole()) - 100


def test_days_and_points_share_a_part() -> None:
    assert tall(replace(whole(), points=())) == tall(whole())
    assert tall(replace(whole(), points=(), days=())) < tall(whole()) - 100


def test_badges_stand_two_in_a_row() -> None:
    one, two, three = (tall(replace(whole(), badges=[Badge("⚡", "Lightning")] * n)) for n in (1, 2, 3))
    assert one == two < three
