"""The picture and the examples in the README."""

import doctest
import re
from xml.etree import ElementTree as ET

from docs import exchange


async def test_readme_picture_shows_a_real_round() -> None:
    text = await exchange.record_exchange()
    assert exchange.PICTURE.read_text("utf-8") == exchange.draw_exchange(text), (
        "run `python -m docs.exchange`"
    )
    lines = text.splitlines()
    assert "3 8 3 8 → 24" in lines, "the deal"
    assert any("21 1/3" in line for line in lines), "the wrong answer"
    assert any(line.startswith("💡") for line in lines), "the hint"
    assert any("8÷(3−8÷3) = 24" in line for line in lines), "the win"
    assert any(re.fullmatch(r"1\. Bob — \d+", line) for line in lines), "the leaderboard"


def test_readme_picture_is_well_formed() -> None:
    texts = [node.text for node in ET.fromstring(exchange.PICTURE.read_bytes()).iter() if node.text]  # noqa: S314
    assert "> @bob 8/(3-8/3)" in texts


def test_readme_examples_run() -> None:
    result = doctest.testfile(str(exchange.README), module_relative=False, encoding="utf-8")
    assert result.attempted >= 8
    assert result.failed == 0
