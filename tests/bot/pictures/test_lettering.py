"""Typefaces, clusters, runs and layouts of texts."""

import json
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from bot.pictures.lettering import (
    ART,
    CHAINS,
    EMOJI,
    MAX_CLUSTER,
    TextStyle,
    Weight,
    find_face,
    has_glyphs,
    lay_out_text,
    load_font,
    make_drawable,
    render_mask,
    shorten,
    split_into_clusters,
    split_into_runs,
)
from tests.bot.pictures.examples import FAMILY, LONG, ODD

COVERAGE: dict[str, str] = json.loads((ART / "coverage.json").read_text("utf-8"))
IN_NO_FACE = "\U0010fffd"  # In no typeface, so that each draws its empty box


def draw(face: str, text: str) -> bytes:
    mask = Image.new("L", (160, 120))
    ImageDraw.Draw(mask).text((30, 80), text, 255, load_font(face, 48), "ls")
    return mask.tobytes()


def pick_characters(coverage: str) -> list[str]:
    """Return some characters from all over the coverage of a font."""
    characters = [chr(int(end, 16)) for part in coverage.split() for end in part.split("-")]
    return list(islice(characters, 0, None, max(1, len(characters) // 40)))


@pytest.mark.parametrize("face", COVERAGE)
def test_face_has_the_characters_of_the_coverage_file(face: str) -> None:
    box = draw(face, IN_NO_FACE)
    assert any(box), "the empty box is drawn"
    assert [c for c in pick_characters(COVERAGE[face]) if draw(face, c) == box] == []


def test_every_face_is_in_a_chain() -> None:
    assert {face for chain in CHAINS.values() for face in chain} == set(COVERAGE)


@pytest.mark.parametrize(
    ("cluster", "face"),
    [
        ("a", "Inter-Medium.ttf"),
        ("Ж", "Inter-Medium.ttf"),
        ("ñ", "Inter-Medium.ttf"),
        ("ễ", "Inter-Medium.ttf"),
        ("÷", "Inter-Medium.ttf"),
        ("王", "NotoSansCJK-Medium.otf"),
        ("琪", "NotoSansCJK-Medium.otf"),
        ("龍", "NotoSansCJK-Medium.otf"),
        ("한", "NotoSansCJK-Medium.otf"),
        ("の", "NotoSansCJK-Medium.otf"),
        ("ש", "NotoSansHebrew-Medium.ttf"),
        ("ش", "NotoSansArabic-Medium.ttf"),
        ("न", "NotoSansDevanagari-Medium.ttf"),
        ("🦊", EMOJI),
        ("❤️", EMOJI),
        ("🇩🇪", EMOJI),
        (IN_NO_FACE, None),
    ],
)
def test_face_of_each_character(cluster: str, face: str | None) -> None:
    assert find_face(cluster, Weight.MEDIUM) == face


@pytest.mark.parametrize("weight", Weight)
def test_figures_and_signs_have_one_face(weight: Weight) -> None:
    assert {find_face(c, weight) for c in "0123456789+−×÷=/:→"} == {CHAINS[weight][0]}


@pytest.mark.parametrize("weight", ["Medium", "Bold"])
@pytest.mark.parametrize("language", ["zh_Hans", "zh_Hant"])
def test_every_character_of_a_catalogue_can_be_drawn(language: str, weight: str) -> None:
    """Run docs/draw/art.py to add missing characters to the font."""
    coverage = (ART.parents[1] / "locale" / language / "LC_MESSAGES" / "twentyfour.po").read_text("utf-8")
    han = {c for c in coverage if "\u2e80" <= c < "\ufe00"}
    assert han
    assert [c for c in han if not has_glyphs(f"NotoSansCJK-{weight}.otf", c)] == []


def split_runs(text: str) -> list[tuple[str, str]]:
    return [
        (face.partition("-")[0], run)
        for face, run in split_into_runs(make_drawable(text, Weight.MEDIUM), Weight.MEDIUM)
    ]


def test_runs_are_split_by_face() -> None:
    assert split_runs("Ann 王") == [("Inter", "Ann "), ("NotoSansCJK", "王")]
    assert split_runs("Ann שרה לי Bob") == [
        ("Inter", "Ann "),
        ("NotoSansHebrew", "שרה לי"),
        ("Inter", " Bob"),
    ]


def test_right_to_left_name_is_ordered_from_the_right() -> None:
    assert split_runs("שרה🦊") == [("NotoEmoji", "🦊"), ("NotoSansHebrew", "שרה")]
    assert [run for _, run in split_runs("שרה🦊 Ann 王")] == ["Ann ", "王", " ", "🦊", "שרה"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("יוסי (כהן)", ["(", "כהן", ") ", "יוסי"]),
        ("محمد (علي) 24", ["24 (", "علي", ") ", "محمد"]),
        ("יוסי [כהן] A", ["A [", "כהן", "] ", "יוסי"]),
        ("שלום <b> x", ["b> x> ", "שלום"]),
        ("שרה 12:30", ["12:30 ", "שרה"]),
        ("שרה 🇩🇪 (❤️)", ["(", "❤️", ") ", "🇩🇪", " ", "שרה"]),
        ("Ann (שרה, לי) 7", ["Ann (", "לי", " ,", "שרה", ") 7"]),
    ],
)
def test_brackets_in_right_to_left_names_are_mirrored(name: str, expected: list[str]) -> None:
    """Letters are in reading order; signs are in the order in which they are drawn."""
    assert [run for _, run in split_runs(name)] == expected


def test_arabic_letters_and_emoji_are_joined() -> None:
    arabic = load_font("NotoSansArabic-Medium.ttf", 48)
    assert arabic.getlength("ههه") != 3 * arabic.getlength("ه")
    assert load_font(EMOJI, 48).getlength("👩‍👩‍👧‍👦") < 2 * load_font(EMOJI, 48).getlength("👩")


@pytest.mark.parametrize(
    "cluster",
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
def test_one_visible_character_is_one_cluster(cluster: str) -> None:
    assert split_into_clusters(f"x{cluster}y") == ["x", cluster, "y"]


def test_two_flag_letters_are_one_cluster() -> None:
    assert split_into_clusters("🇩🇪🇫🇷") == ["🇩🇪", "🇫🇷"]


@pytest.mark.parametrize(
    ("text", "expected"),
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
def test_undrawable_characters_are_replaced_or_left_out(text: str, expected: str) -> None:
    assert "".join(make_drawable(text, Weight.MEDIUM)) == expected


@pytest.mark.parametrize("name", ODD)
def test_odd_names_are_drawable(name: str) -> None:
    expected = make_drawable(name, Weight.BOLD)
    assert expected != ["•"]
    assert all(find_face(cluster, Weight.BOLD) for cluster in expected)


@given(st.text(max_size=64))
def test_every_cluster_of_any_text_has_a_face(text: str) -> None:
    expected = make_drawable(text, Weight.MEDIUM)
    assert bool(expected) == bool(text)
    assert all(find_face(cluster, Weight.MEDIUM) for cluster in expected)


@pytest.mark.parametrize(
    "text", ["👩" + "\u200d👩" * 31, "क" + "\u0940" * 63, "ก" + "\u0e47" * 63, "e" + "\u0301" * 63]
)
def test_endless_clusters_are_limited(text: str) -> None:
    (expected,) = make_drawable(text, Weight.MEDIUM)
    assert 1 < len(expected) <= MAX_CLUSTER
    assert expected.startswith((text[0], "é"))


def test_name_is_cut_between_clusters() -> None:
    name = split_into_clusters(f"ab {FAMILY * 3}")
    assert shorten(name, 3) == ["a", "b", "…"]
    assert shorten(name, 4) == ["a", "b", " ", FAMILY, "…"]


NAME_STYLE = TextStyle(56)
LABEL_STYLE = TextStyle(52, min_size=40)


def lay_out_runs(text: str, style: TextStyle, max_width: float) -> str:
    return "".join(run for _, run, _ in lay_out_text(text, style, max_width).runs)


def test_text_that_fits_is_unchanged() -> None:
    assert lay_out_runs("Ann", NAME_STYLE, 500) == "Ann"


def test_long_text_is_cut_at_its_maximum_width() -> None:
    assert lay_out_runs(LONG, NAME_STYLE, 500) == "Anastasia Konst…"
    assert 400 < lay_out_text(LONG, NAME_STYLE, 500).width <= 500


def test_label_shrinks_before_it_is_cut() -> None:
    cluster = lay_out_text("Short straight", LABEL_STYLE)
    narrow = lay_out_text("Short straight", LABEL_STYLE, cluster.width * 0.85)
    assert (narrow.style.size, len(narrow.runs)) == (44, 1)
    assert lay_out_runs("Short straight", LABEL_STYLE, cluster.width * 0.85) == "Short straight"
    assert lay_out_runs("Short straight", LABEL_STYLE, cluster.width * 0.5).endswith("…")
    assert lay_out_text("Short straight", LABEL_STYLE, cluster.width * 0.5).style.size == LABEL_STYLE.min_size


def test_emoji_is_never_cut_in_two() -> None:
    expected = lay_out_runs(FAMILY * 20, NAME_STYLE, 400)
    assert expected.removesuffix("…") == FAMILY * (len(expected) // len(FAMILY))


def test_right_to_left_name_is_cut_on_its_left() -> None:
    runs = lay_out_text(ODD[1] * 4, NAME_STYLE, 400).runs
    assert runs[0][1] == "…"


@given(st.text(max_size=64), st.sampled_from(Weight), st.integers(80, 600))
def test_any_text_keeps_to_its_maximum_width(text: str, weight: Weight, max_width: int) -> None:
    layout = lay_out_text(text, TextStyle(40, weight), max_width)
    assert layout.width <= max_width
    mask, side, base = render_mask(layout)
    assert mask.width >= layout.width
    assert 0 < base < mask.height
    assert side > 0


@pytest.mark.parametrize("figure", "0123456789")
def test_tabular_figures_are_equally_wide(figure: str) -> None:
    column = TextStyle(60, Weight.BOLD, tabular=True)
    assert lay_out_text(figure, column).width == lay_out_text("0", column).width
