"""Pictures look like their golden pictures, and keep to their size and margin."""

import asyncio
import pickle
from dataclasses import replace
from io import BytesIO
from typing import get_args

import pytest
from PIL import Image

from bot.pictures import values
from bot.pictures.canvas import WIDTH
from bot.pictures.drawing import DRAW_FUNCTIONS, draw_picture
from bot.pictures.hands import MIN_WIDTH
from bot.pictures.values import (
    Card,
    DailyPicture,
    DuelPicture,
    HandPicture,
    RankedLine,
    RankingPicture,
    RollPicture,
    TilesPicture,
)
from bot.workers.pool import SolverPool
from tests.bot.pictures.examples import EXAMPLES
from tests.bot.pictures.golden import (
    GOLDEN,
    MAX_DIFFERENCE,
    load_golden,
    measure_difference,
    shrink_picture,
)

EACH = pytest.mark.parametrize("name", EXAMPLES)
MAX_BYTES = 60_000  # Bytes
MAX_RATIO = 1.5  # Height by width; a chat shows such a picture whole


@EACH
def test_picture_looks_like_its_golden_picture(name: str) -> None:
    language, picture = EXAMPLES[name]
    assert (
        measure_difference(shrink_picture(draw_picture(picture, language)), load_golden(name))
        <= MAX_DIFFERENCE
    ), "see tests/bot/pictures/golden.py"


def test_every_golden_picture_has_an_example() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(EXAMPLES)


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("deal", HandPicture((Card(3, "♠"), Card(8, "♥"), Card(3, "♦"), Card(8, "♣")), 25)),
        ("deal", HandPicture((Card(3, "♠"), Card(8, "♥"), Card(2, "♦"), Card(8, "♣")), 24)),
        ("draw", TilesPicture((25, 50, 7, 3, 100, 4), 573)),
        (
            "duel",
            DuelPicture("Bob wins the duel!", ("Ann", "Bob"), (1, 3), ((0,), (1,), (1,), (1,), (1,)), 1),
        ),
        ("daily", DailyPicture("Twenty-Four 21 Nov", "fiendish", 1, 1, "42 s", 12, "days in a row")),
    ],
)
def test_small_difference_from_a_golden_picture_is_found(name: str, changed: values.Picture) -> None:
    assert measure_difference(shrink_picture(draw_picture(changed)), load_golden(name)) > MAX_DIFFERENCE


@pytest.mark.long
@EACH
def test_picture_has_a_suitable_size(name: str) -> None:
    language, picture = EXAMPLES[name]
    png = draw_picture(picture, language)
    assert len(png) <= MAX_BYTES
    with Image.open(BytesIO(png)) as drawn:
        assert drawn.format == "PNG"
        assert MIN_WIDTH <= drawn.width <= WIDTH
        assert drawn.height <= drawn.width * MAX_RATIO


@pytest.mark.long
@EACH
def test_pickled_values_give_the_same_bytes(name: str) -> None:
    language, picture = EXAMPLES[name]
    copy = pickle.loads(pickle.dumps(picture))  # noqa: S301 - our own
    assert copy == picture
    assert draw_picture(copy, language) == draw_picture(picture, language)


def test_every_kind_has_a_draw_function_and_examples() -> None:
    assert set(DRAW_FUNCTIONS) == set(get_args(values.Picture))
    languages_of = {
        kind: {lang for lang, each in EXAMPLES.values() if type(each) is kind} for kind in DRAW_FUNCTIONS
    }
    assert {kind for kind, languages in languages_of.items() if len(languages) < 2} == {
        HandPicture,
        RollPicture,
        TilesPicture,
    }


def test_chinese_characters_depend_on_the_language() -> None:
    race = RankingPicture("骨", (RankedLine(1, "骨", 1),))
    assert draw_picture(race, "zh_Hans") != draw_picture(race, "zh_Hant")


@EACH
def test_margin_is_empty(name: str) -> None:
    language, picture = EXAMPLES[name]
    with Image.open(BytesIO(draw_picture(picture, language))) as drawn:
        image = drawn.convert("RGB")
    felt = image.getpixel((0, 0))
    inner_box = (24, 24, image.width - 24, image.height - 24)
    margin_only = image.copy()
    assert isinstance(felt, tuple)
    margin_only.paste(felt, inner_box)
    assert margin_only.getcolors() == [(image.width * image.height, felt)]


@pytest.mark.parametrize("count", [1, 2, 10, 20])
def test_ranking_has_ten_lines_at_most(count: int) -> None:
    race = RankingPicture("…", [RankedLine(n, f"Ann {n}", 100 - n) for n in range(1, count + 1)])
    ten_lines = RankingPicture("…", race.lines[:10])
    assert draw_picture(race) == draw_picture(ten_lines)


def test_ranking_without_points_can_be_drawn() -> None:
    language, race = EXAMPLES["race"]
    assert isinstance(race, RankingPicture)
    assert draw_picture(replace(race, lines=[replace(line, points=0) for line in race.lines]), language)
    assert draw_picture(RankingPicture("…", ()))


async def test_worker_draws_the_same_picture() -> None:
    pool = SolverPool(1, 30.0)
    try:
        for name in ("deal", "race-odd"):
            language, picture = EXAMPLES[name]
            assert await pool.run_task(draw_picture, picture, language) == draw_picture(picture, language)
    finally:
        await asyncio.to_thread(pool.close)
