"""Files shipped with the pictures: source, licence, and size."""

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
OPEN_LICENCES = {"OFL-1.1", "CC0-1.0", "MIT"}  # Licences of files that may be shipped
MAX_BYTES = 12_400_000


def test_files_and_credits_match() -> None:
    assert [row[0] for row in ROWS] == list(dict.fromkeys(row[0] for row in ROWS))
    assert {row[0] for row in ROWS} == {path.name for path in ART.iterdir()}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row[0]))
def test_each_file_has_a_source_and_an_open_licence(row: tuple[str, str, str, str, str]) -> None:
    _, source, _, licence, holder = row
    assert source.strip()
    assert holder.strip()
    assert set(licence.split(", ")) <= OPEN_LICENCES


def test_font_licence_is_shipped() -> None:
    assert "SIL OPEN FONT LICENSE Version 1.1" in (PICTURES / "OFL.txt").read_text("utf-8")


def test_package_names_the_licence_of_each_file() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    named = set(project["project"]["license"].split(" AND "))
    assert named == {licence for row in ROWS for licence in row[3].split(", ")} | {"Unicode-3.0"}


def test_shipped_files_are_small() -> None:
    files = (path for package in ("bot", "solver") for path in (ROOT / package).rglob("*"))
    assert (
        sum(path.stat().st_size for path in files if path.is_file() and "__pycache__" not in path.parts)
        < MAX_BYTES
    )


@pytest.mark.parametrize("name", ["cards.png", "many.png", "small.png"])
def test_card_sheets_use_the_palette(name: str) -> None:
    with Image.open(ART / name) as sheet:
        assert sheet.mode == "P"
        assert tuple(sheet.getpalette() or ())[: len(PALETTE)] == PALETTE
