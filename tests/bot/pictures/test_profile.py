from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

from bot.pictures.canvas import MARGIN, WIDTH
from bot.pictures.profile import GAME_GAP, MIN_FIGURE_GAP, NAME, draw_profile
from bot.pictures.values import Badge, ProfilePicture
from tests.bot.pictures.examples import EXAMPLES, LONG
from tests.bot.pictures.ink import columns


def whole() -> ProfilePicture:
    found = EXAMPLES["profile"][1]
    assert isinstance(found, ProfilePicture)
    return found


def tall(value: ProfilePicture) -> int:
    with Image.open(BytesIO(draw_profile(value))) as drawn:
        return drawn.height


FEW = (("1", "punto"), ("1", "ganada"))
MANY = (("152", "points"), ("40", "of 81 won"), ("#2", "here"), ("7", "in a row"))
MOST = (("102040", "очков"), ("34012", "победы"), ("#1200", "здесь"), ("1000", "подряд"))


@pytest.mark.parametrize("figures", [FEW, MANY, MOST])
def test_figures_and_labels_keep_apart(figures: tuple[tuple[str, str], ...]) -> None:
    value = replace(whole(), figures=figures, best=(), points=(), days=(), badges=())
    foot = tall(value) - MARGIN
    for top, below in ((34, -16), (120, 58)):  # of the labels and of the figures
        shown = columns(draw_profile(value), (0, foot - top, WIDTH, foot - below), MIN_FIGURE_GAP - 12)
        assert len(shown) == len(figures)


def last_word(value: ProfilePicture) -> int:
    """How wide the last word of the title is."""
    first, last = columns(draw_profile(value), (0, 0, WIDTH, round(MARGIN + NAME.cap_height)), GAME_GAP // 2)[
        -1
    ]
    assert last < WIDTH - MARGIN
    return last - first


@pytest.mark.parametrize("name", [LONG, "شهرزاد بنت الملك " * 4])
def test_a_name_of_any_length_leaves_room_for_the_game(name: str) -> None:
    short = replace(whole(), name="Ann", game="Countdown")
    assert last_word(replace(short, name=name)) == last_word(short) > 300


@pytest.mark.parametrize("less", [replace(whole(), best=()), replace(whole(), badges=())])
def test_empty_parts_take_no_room(less: ProfilePicture) -> None:
    assert tall(less) < tall(whole()) - 100


def test_days_and_points_are_side_by_side() -> None:
    assert tall(replace(whole(), points=())) == tall(whole())
    assert tall(replace(whole(), points=(), days=())) < tall(whole()) - 100


@pytest.mark.parametrize("points", [whole().points, [*[0] * 29, 1]])
def test_points_without_days_take_the_whole_width(points: Sequence[int]) -> None:
    alone = replace(whole(), best=(), badges=(), days=(), points=points)
    foot = tall(alone) - MARGIN
    shown = columns(draw_profile(alone), (0, foot - 5, WIDTH, foot))
    assert len(shown) == 30
    assert (shown[0][0], shown[-1][1]) == (MARGIN, WIDTH - MARGIN - 1)


def test_days_without_points_begin_at_the_margin() -> None:
    drawn = draw_profile(replace(whole(), best=(), badges=(), points=()))
    with Image.open(BytesIO(drawn)) as shown:
        days = columns(drawn, (0, shown.height - MARGIN - 300, WIDTH, shown.height - MARGIN))
    assert days[0][0] == MARGIN


def test_badges_stand_two_in_a_row() -> None:
    one, two, three = (tall(replace(whole(), badges=[Badge("⚡", "Lightning")] * n)) for n in (1, 2, 3))
    assert one == two < three
