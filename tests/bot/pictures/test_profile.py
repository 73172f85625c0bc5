from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

from bot.pictures.canvas import MARGIN, WIDTH
from bot.pictures.profile import GAME_GAP, MIN_FIGURE_GAP, NAME, draw_profile
from bot.pictures.values import ProfilePicture
from tests.bot.pictures.examples import EXAMPLES, LONG
from tests.bot.pictures.ink import find_ink_columns


def get_profile() -> ProfilePicture:
    found = EXAMPLES["profile"][1]
    assert isinstance(found, ProfilePicture)
    return found


def measure_height(value: ProfilePicture) -> int:
    with Image.open(BytesIO(draw_profile(value))) as drawn:
        return drawn.height


FEW_FIGURES = (("1", "punto"), ("1", "ganada"))
MANY_FIGURES = (("152", "points"), ("40", "of 81 won"), ("#2", "here"), ("7", "in a row"))
LARGE_FIGURES = (("102040", "очков"), ("34012", "победы"), ("#1200", "здесь"), ("1000", "подряд"))


@pytest.mark.parametrize("figures", [FEW_FIGURES, MANY_FIGURES, LARGE_FIGURES])
def test_figures_and_labels_keep_apart(figures: tuple[tuple[str, str], ...]) -> None:
    value = replace(get_profile(), figures=figures, best=(), points=(), days=(), badges=())
    bottom = measure_height(value) - MARGIN
    for top, below in ((34, -16), (120, 58)):  # labels, then figures
        groups = find_ink_columns(
            draw_profile(value), (0, bottom - top, WIDTH, bottom - below), MIN_FIGURE_GAP - 12
        )
        assert len(groups) == len(figures)


def measure_last_word(value: ProfilePicture) -> int:
    """Return the width of the last word of the title."""
    first, last = find_ink_columns(
        draw_profile(value), (0, 0, WIDTH, round(MARGIN + NAME.cap_height)), GAME_GAP // 2
    )[-1]
    assert last < WIDTH - MARGIN
    return last - first


@pytest.mark.parametrize("name", [LONG, "شهرزاد بنت الملك " * 4])
def test_name_of_any_length_leaves_room_for_the_game(name: str) -> None:
    short = replace(get_profile(), name="Ann", game="Countdown")
    assert measure_last_word(replace(short, name=name)) == measure_last_word(short) > 300


@pytest.mark.parametrize("profile", [replace(get_profile(), best=()), replace(get_profile(), badges=())])
def test_empty_parts_take_no_room(profile: ProfilePicture) -> None:
    assert measure_height(profile) < measure_height(get_profile()) - 100
