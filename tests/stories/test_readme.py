"""The pictures and the examples in the README and the manual."""

import doctest
from pathlib import Path
from xml.etree import ElementTree as ET

from docs.draw.family import HINTED, WON, format_transcript, open_family, play_race, play_round
from docs.draw.images import RECORDING, read_description

README = Path(__file__).parents[2] / "README.md"
SVG = {"svg": "http://www.w3.org/2000/svg"}


async def test_pictures_of_a_round_show_what_the_bot_says() -> None:
    async with open_family() as family:
        views = await play_round(family)
    whole = format_transcript(views[WON])
    assert ET.fromstring(RECORDING.read_bytes()).findtext("svg:desc", "", SVG) == whole, "run `make pictures`"  # noqa: S314
    assert read_description("chat") == format_transcript(views[HINTED][1:]), "run `make pictures`"
    assert read_description("chat-won") == format_transcript(views[WON][2:3]), "run `make pictures`"
    assert "Bob: 8*3-8/3 👎" in whole, "a wrong answer"
    assert "💡" in read_description("chat"), "a hint"
    assert "+5 points" in read_description("chat-won"), "a win"


async def test_pictures_of_a_race_show_what_the_bot_says() -> None:
    async with open_family() as family:
        running, over = await play_race(family)
    assert read_description("race") == format_transcript(running), "run `make pictures`"
    assert read_description("race-over") == format_transcript(over), "run `make pictures`"


def test_readme_examples_run() -> None:
    result = doctest.testfile(str(README), module_relative=False, encoding="utf-8")
    assert result.attempted >= 8
    assert result.failed == 0
