"""Every kind of picture, as it was looked at: on white and on black, as small as a phone shows it."""

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
from tests.bot.pictures.golden import GOLDEN, NEAR, apart, golden, small

EACH = pytest.mark.parametrize("name", EXAMPLES)
MOST = 60_000  # Bytes of a picture
TALLEST = 1.5  # Heights of a picture to its width, so that a chat shows it whole


@EACH
def test_a_picture_looks_like_its_golden_picture(name: str) -> None:
    language, picture = EXAMPLES[name]
    assert apart(small(draw_picture(picture, language)), golden(name)) <= NEAR, (
        "see tests/bot/pictures/golden.py"
    )


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
        ("daily", DailyPicture("Twenty-Four 2026-11-21", "fiendish", 1, 1, "0:42", 12, "days in a row")),
    ],
)
def test_a_small_difference_from_a_golden_picture_is_found(name: str, changed: values.Picture) -> None:
    assert apart(small(draw_picture(changed)), golden(name)) > NEAR


@pytest.mark.long
@EACH
def test_a_picture_has_a_suitable_size(name: str) -> None:
    language, picture = EXAMPLES[name]
    png = draw_picture(picture, language)
    assert len(png) <= MOST
    with Image.open(BytesIO(png)) as drawn:
        assert drawn.format == "PNG"
        assert MIN_WIDTH <= drawn.width <= WIDTH
        assert drawn.height <= drawn.width * TALLEST


@pytest.mark.long
@EACH
def test_pickled_values_give_the_same_bytes(name: str) -> None:
    language, picture = EXAMPLES[name]
    travelled = pickle.loads(pickle.dumps(picture))  # noqa: S301 - our own
    assert travelled == picture
    assert draw_picture(travelled, language) == draw_picture(picture, language)


def test_every_kind_has_a_draw_function_and_examples() -> None:
    assert set(DRAW_FUNCTIONS) == set(get_args(values.Picture))
    spoken = {
        kind: {lang for lang, each in EXAMPLES.values() if type(each) is kind} for kind in DRAW_FUNCTIONS
    }
    assert {kind for kind, languages in spoken.items() if len(languages) < 2} == {
        HandPicture,
        RollPicture,
        TilesPicture,
    }


def test_chinese_characters_depend_on_the_language() -> None:
    race = RankingPicture("骨", (RankedLine(1, "骨", 1),))
    assert draw_picture(race, "zh_Hans") != draw_picture(race, "zh_Hant")


@EACH
def test_the_margin_is_empty(name: str) -> None:
    """Around every picture there is felt and nothing else."""
    language, picture = EXAMPLES[name]
    with Image.open(BytesIO(draw_picture(picture, language))) as drawn:
        whole = drawn.convert("RGB")
    felt = whole.getpixel((0, 0))
    inside = (24, 24, whole.width - 24, whole.height - 24)
    framed = whole.copy()
    assert isinstance(felt, tuple)
    framed.paste(felt, inside)
    assert framed.getcolors() == [(whole.width * whole.height, felt)]


@pytest.mark.parametrize("count", [1, 2, 10, 20])
def test_a_ranking_has_ten_lines_at_most(count: int) -> None:
    race = RankingPicture("…", [RankedLine(n, f"Ann {n}", 100 - n) for n in range(1, count + 1)])
    shown = RankingPicture("…", race.lines[:10])
    assert draw_picture(race) == draw_picture(shown)


def test_a_ranking_without_points_can_be_drawn() -> None:
    language, race = EXAMPLES["race"]
    assert isinstance(race, RankingPicture)
    assert draw_picture(replace(race, lines=[replace(line, points=0) for line in race.lines]), language)
    assert draw_picture(RankingPicture("…", ()))


async def test_a_worker_draws_the_same() -> None:
    pool = SolverPool(1, 30.0)
    try:
        for name in ("deal", "race-odd"):
            language, picture = EXAMPLES[name]
            assert await pool.run_task(draw_picture, picture, language) == draw_picture(picture, language)
    finally:
        await asyncio.to_thread(pool.close)
