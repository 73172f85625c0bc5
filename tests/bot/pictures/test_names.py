import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.pictures.lettering import LONGEST, Weight, find_face, make_drawable, shorten, split_into_clusters
from tests.bot.pictures.examples import FAMILY, ODD


@pytest.mark.parametrize(
    "whole",
    [
        "a",
        "é",
        "e\u0301",
        FAMILY,
        "🏳️‍🌈",
        "🇩🇪",
        "1️⃣",
        "👍🏽",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "श्",
        "ที่",
    ],
)
def test_what_is_read_as_one_character_stays_whole(whole: str) -> None:
    assert split_into_clusters(f"x{whole}y") == ["x", whole, "y"]


def test_flags_are_taken_two_letters_at_a_time() -> None:
    assert split_into_clusters("🇩🇪🇫🇷") == ["🇩🇪", "🇫🇷"]


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("𝕬𝖓𝖓𝖆", "Anna"),
        ("Ann", "Ann"),
        ("Ａｎｎ", "Ａｎｎ"),
        ("ཀ་ཁ་ག bo ꧁༺Ann༻꧂", "bo Ann"),
        ("a\u202eb\u200f\u2068c\u2069", "abc"),
        ("\x07b\tc\nd", "b c d"),
        ("  Ann\u3000 \xa0Lee ", "Ann Lee"),
        ("z̸̡̢̛̗a̵̡͎", "za"),
        ("e\u0301", "é"),
        ("e" + "\u0301" * 9, "é\u0301\u0301"),
        ("\u0336", "•"),
        ("꧁꧂", "•"),
        ("", ""),
    ],
)
def test_a_name_is_shown_in_the_letters_that_there_are(typed: str, shown: str) -> None:
    assert "".join(make_drawable(typed, Weight.MEDIUM)) == shown


@pytest.mark.parametrize("name", ODD)
def test_every_odd_name_shows_something_and_nothing_that_no_typeface_has(name: str) -> None:
    shown = make_drawable(name, Weight.BOLD)
    assert shown != ["•"]
    assert all(find_face(cluster, Weight.BOLD) for cluster in shown)


@given(st.text(max_size=64))
def test_no_text_leaves_a_character_without_a_typeface(text: str) -> None:
    shown = make_drawable(text, Weight.MEDIUM)
    assert bool(shown) == bool(text)
    assert all(find_face(cluster, Weight.MEDIUM) for cluster in shown)


@pytest.mark.parametrize(
    "typed", ["👩" + "\u200d👩" * 31, "क" + "\u0940" * 63, "ก" + "\u0e47" * 63, "e" + "\u0301" * 63]
)
def test_what_goes_on_and_on_ends(typed: str) -> None:
    (shown,) = make_drawable(typed, Weight.MEDIUM)
    assert 1 < len(shown) <= LONGEST
    assert shown.startswith((typed[0], "é"))


def test_a_name_is_cut_between_characters_and_close_to_the_last() -> None:
    name = split_into_clusters(f"ab {FAMILY * 3}")
    assert shorten(name, 3) == ["a", "b", "…"]
    assert shorten(name, 4) == ["a", "b", " ", FAMILY, "…"]
