from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

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


@pytest.mark.parametrize("less", [replace(whole(), best=()), replace(whole(), badges=())])
def test_what_there_is_none_of_takes_no_room(less: Profile) -> None:
    assert tall(less) < tall(whole()) - 100


def test_days_and_points_share_a_part() -> None:
    assert tall(replace(whole(), points=())) == tall(whole())
    assert tall(replace(whole(), points=(), days=())) < tall(whole()) - 100


def test_badges_stand_two_in_a_row() -> None:
    one, two, three = (tall(replace(whole(), badges=[Badge("⚡", "Lightning")] * n)) for n in (1, 2, 3))
    assert one == two < three
