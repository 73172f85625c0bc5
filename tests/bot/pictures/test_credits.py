"""What is shipped with the pictures: every file's source and licence in one place, and all of it small."""

import re
import tomllib
from pathlib import Path

import pytest
from PIL import Image

from bot.pictures.lettering import ART
from bot.pictures.palette import PALETTE

ROOT = Path(__file__).parents[3]
PICTURES = ROOT / "bot" / "pictures"
ROWS = re.findall(
    r"^\| `(.+?)` \| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$",
    (PICTURES / "CREDITS.md").read_text("utf-8"),
    re.MULTILINE,
)
OPEN = {"OFL-1.1", "CC0-1.0", "MIT"}  # Licences under which a file may be shipped with this program
MOST = 12_000_000  # Bytes of a wheel


def test_every_file_is_credited_and_every_credited_file_is_there() -> None:
    assert [row[0] for row in ROWS] == list(dict.fromkeys(row[0] for row in ROWS))
    assert {row[0] for row in ROWS} == {path.name for path in ART.iterdir()}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row[0]))
def test_each_has_a_source_and_an_open_licence(row: tuple[str, str, str, str, str]) -> None:
    _, source, _, licence, holder = row
    assert source.strip()
    assert holder.strip()
    assert set(licence.split(", ")) <= OPEN


def test_the_licence_of_the_fonts_comes_with_them() -> None:
    assert "SIL OPEN FONT LICENSE Version 1.1" in (PICTURES / "OFL.txt").read_text("utf-8")


def test_all_of_it_is_put_into_the_wheel() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    shipped = {
        path
        for glob in project["tool"]["setuptools"]["package-data"]["bot"]
        for path in (ROOT / "bot").glob(glob)
    }
    places = (ROOT / "bot" / "places").iterdir()
    assert {*ART.iterdir(), *places, PICTURES / "CREDITS.md", PICTURES / "OFL.txt"} <= shipped
    named = set(project["project"]["license"].split(" AND "))
    assert named == {licence for row in ROWS for licence in row[3].split(", ")} | {"Unicode-3.0"}


def test_what_is_shipped_is_small_even_before_it_is_packed() -> None:
    files = (path for package in ("bot", "solver") for path in (ROOT / package).rglob("*"))
    assert (
        sum(path.stat().st_size for path in files if path.is_file() and "__pycache__" not in path.parts)
        < MOST
    )


@pytest.mark.parametrize("name", ["cards.png", "many.png", "small.png"])
def test_the_cards_are_in_the_pictures_own_colours(name: str) -> None:
    with Image.open(ART / name) as sheet:
        assert sheet.mode == "P"
        assert tuple(sheet.getpalette() or ())[: len(PALETTE)] == PALETTE
