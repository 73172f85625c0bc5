"""The README's exchange and examples are what happens."""

import doctest
import re
from xml.etree import ElementTree as ET

from docs import exchange


async def test_the_exchange_is_real() -> None:
    said = await exchange.exchange()
    readme = exchange.README.read_text("utf-8")
    shown = exchange.BLOCK.search(readme)
    assert shown is not None
    assert shown[0] == said, "run `python -m docs.exchange`"
    assert exchange.PICTURE.read_text("utf-8") == exchange.picture(said), "run `python -m docs.exchange`"


def test_the_exchange_has_all_of_a_round() -> None:
    readme = exchange.README.read_text("utf-8")
    shown = exchange.BLOCK.search(readme)
    assert shown is not None
    lines = shown[0].splitlines()
    assert "3 8 3 8 → 24" in lines, "the deal"
    assert any("21 1/3" in line for line in lines), "the wrong answer"
    assert any(line.startswith("💡") for line in lines), "the hint"
    assert any("8/(3-8/3) = 24" in line for line in lines), "the win"
    assert any(re.fullmatch(r"1\. Bob — \d+", line) for line in lines), "the leaderboard"


def test_the_picture_is_well_formed() -> None:
    texts = [node.text for node in ET.fromstring(exchange.PICTURE.read_bytes()).iter() if node.text]  # noqa: S314
    assert "> @bob 8/(3-8/3)" in texts


def test_the_librarys_examples_run() -> None:
    result = doctest.testfile(str(exchange.README), module_relative=False, encoding="utf-8")
    assert result.attempted >= 9
    assert result.failed == 0
