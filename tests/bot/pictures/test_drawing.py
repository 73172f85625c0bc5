"""Every kind of picture, as it was looked at: on white and on black, as small as a phone shows it."""

import asyncio
import pickle
from dataclasses import replace
from io import BytesIO
from typing import get_args

import pytest
from PIL import Image

from bot.pictures import values
from bot.pictures.drawing import KINDS, draw
from bot.pictures.hands import NARROWEST
from bot.pictures.look import WIDTH
from bot.pictures.values import Card, Daily, Deal, Draw, Duel, Line, Race
from bot.workers.pool import Pool
from tests.bot.pictures.examples import EXAMPLES
from tests.bot.pictures.golden import GOLDEN, NEAR, apart, golden, small

EACH = pytest.mark.parametrize("name", EXAMPLES)
MOST = 60_000  # Bytes of a picture
TALLEST = 1.5  # Heights of a picture to its width, so that a chat shows it whole


@EACH
def test_it_looks_as_it_did(name: str) -> None:
    language, picture = EXAMPLES[name]
    assert apart(small(draw(picture, language)), golden(name)) <= NEAR, "see tests/bot/pictures/golden.py"


def test_no_golden_picture_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(EXAMPLES)


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("deal", Deal((Card(3, "♠"), Card(8, "♥"), Card(3, "♦"), Card(8, "♣")), 25)),
        ("deal", Deal((Card(3, "♠"), Card(8, "♥"), Card(2, "♦"), Card(8, "♣")), 24)),
        ("draw", Draw((25, 50, 7, 3, 100, 4), 573)),
        ("duel", Duel("Bob wins the duel!", ("Ann", "Bob"), (1, 3), ((0,), (1,), (1,), (1,), (1,)), 1)),
        ("daily", Daily("Twenty-Four 2026-11-21", "fiendish", 1, 1, "0:42", 12, "days in a row")),
    ],
)
def test_a_small_difference_is_seen(name: str, changed: values.Picture) -> None:
    assert apart(small(draw(changed)), golden(name)) > NEAR


@pytest.mark.long
@EACH
def test_it_is_small_enough_to_send_and_wide_enough_for_a_phone(name: str) -> None:
    language, picture = EXAMPLES[name]
    png = draw(picture, language)
    assert len(png) <= MOST
    with Image.open(BytesIO(png)) as drawn:
        assert drawn.format == "PNG"
        assert NARROWEST <= drawn.width <= WIDTH
        assert drawn.height <= drawn.width * TALLEST


@pytest.mark.long
@EACH
def test_the_same_values_give_the_same_bytes_also_after_a_journey(name: str) -> None:
    language, picture = EXAMPLES[name]
    travelled = pickle.loads(pickle.dumps(picture))  # noqa: S301 - our own
    assert travelled == picture
    assert draw(travelled, language) == draw(picture, language)


def test_there_is_a_drawing_and_an_example_in_two_languages_of_every_kind_with_words() -> None:
    assert set(KINDS) == set(get_args(values.Picture))
    spoken = {kind: {lang for lang, each in EXAMPLES.values() if type(each) is kind} for kind in KINDS}
    assert {kind for kind, languages in spoken.items() if len(languages) < 2} == {Deal, Draw}


def test_chinese_is_written_as_the_language_writes_it() -> None:
    race = Race("骨", (Line(1, "骨", 1),))
    assert draw(race, "zh_Hans") != draw(race, "zh_Hant")


@EACH
def test_nothing_reaches_the_edge(name: str) -> None:
    """Around every picture there is felt and nothing else."""
    language, picture = EXAMPLES[name]
    with Image.open(BytesIO(draw(picture, language))) as drawn:
        whole = drawn.convert("RGB")
    felt = whole.getpixel((0, 0))
    inside = (24, 24, whole.width - 24, whole.height - 24)
    framed = whole.copy()
    assert isinstance(felt, tuple)
    framed.paste(felt, inside)
    assert framed.getcolors() == [(whole.width * whole.height, felt)]


@pytest.mark.parametrize("count", [1, 2, 10, 20])
def test_a_table_has_as_many_lines_as_can_be_read(count: int) -> None:
    race = Race("…", [Line(n, f"Ann {n}", 100 - n) for n in range(1, count + 1)])
    shown = Race("…", race.lines[:10])
    assert draw(race) == draw(shown)


def test_nobody_needs_to_have_scored() -> None:
    language, race = EXAMPLES["race"]
    assert isinstance(race, Race)
    assert draw(replace(race, lines=[replace(line, points=0) for line in race.lines]), language)
    assert draw(Race("…", ()))


async def test_a_worker_draws_the_same() -> None:
    pool = Pool(1, 30.0)
    try:
        for name in ("deal", "race-odd"):
            language, picture = EXAMPLES[name]
            assert await pool.ask(draw, picture, language) == draw(picture, language)
    finally:
        await asyncio.to_thread(pool.close)
