"""Descriptions of pictures for people who cannot see them."""

from bot.pictures.alt_text import render_alt_text
from bot.pictures.values import Badge, ProfilePicture, SolutionPicture, Tile, TilesPicture
from tests.bot.pictures.examples import EIGHTS, ENGLISH_CARD, EXAMPLES, POINTS

BEGIN, END = "<blockquote expandable>", "</blockquote>"


def test_solution_is_described_step_by_step() -> None:
    text = render_alt_text(SolutionPicture("Bob", "+5 points", EIGHTS))
    assert text == f"{BEGIN}8 ÷ 3 = 2 2/3 · 3 − 2 2/3 = 1/3 · 8 ÷ 1/3 = 24{END}"
    assert render_alt_text(SolutionPicture("Bob", "", Tile(25))) == ""


def test_score_card_is_described_by_its_rolls() -> None:
    lines = render_alt_text(ENGLISH_CARD).removeprefix(BEGIN).removesuffix(END).splitlines()
    assert lines[0] == "Ones: 1 1 1 3 4"
    assert len(lines) == 12  # the thirteenth category is open
    assert lines[-1].startswith("Long straight: ")


def test_profile_is_described_line_by_line() -> None:
    _, profile = EXAMPLES["profile"]
    lines = render_alt_text(profile).removeprefix(BEGIN).removesuffix(END).splitlines()
    assert lines[0] == "152 points · 40 wins · #2 here · 7 in a row"
    assert lines[1] == f"30 days: {' '.join(map(str, POINTS))}"
    assert lines[2].startswith("Daily hands: 21: ✓–✓✓–✓✓ · –✓✓–✓✓– · ")
    assert isinstance(profile, ProfilePicture)
    assert lines[3] == " · ".join(badge.title for badge in profile.badges)


def test_empty_parts_are_not_described() -> None:
    empty = ProfilePicture("<Ann>", [("0", "points")], "", (), "", (), "", (), "", [Badge("👹", "<Fiend>")])
    assert render_alt_text(empty) == f"{BEGIN}0 points\n&lt;Fiend&gt;{END}"


def test_other_pictures_have_no_description() -> None:
    assert render_alt_text(TilesPicture((25, 50), 75)) == render_alt_text(None) == ""
