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
NOWHERE = "\U0010fffd"  # No typeface has it, so that each shows its empty box


def drawn(face: str, text: str) -> bytes:
    light = Image.new("L", (160, 120))
    ImageDraw.Draw(light).text((30, 80), text, 255, load_font(face, 48), "ls")
    return light.tobytes()


def some(written: str) -> list[str]:
    """Some of the characters that a font is said to have, from everywhere in it."""
    bounds = [chr(int(end, 16)) for part in written.split() for end in part.split("-")]
    return list(islice(bounds, 0, None, max(1, len(bounds) // 40)))


@pytest.mark.parametrize("face", COVERAGE)
def test_a_face_has_the_characters_of_the_coverage_file(face: str) -> None:
    box = drawn(face, NOWHERE)
    assert any(box), "an empty box can be seen"
    assert [c for c in some(COVERAGE[face]) if drawn(face, c) == box] == []


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
        (NOWHERE, None),
    ],
)
def test_the_face_of_a_character(cluster: str, face: str | None) -> None:
    assert find_face(cluster, Weight.MEDIUM) == face


@pytest.mark.parametrize("weight", Weight)
def test_figures_and_signs_have_one_face(weight: Weight) -> None:
    assert {find_face(c, weight) for c in "0123456789+−×÷=/:→"} == {CHAINS[weight][0]}


@pytest.mark.parametrize("weight", ["Medium", "Bold"])
@pytest.mark.parametrize("language", ["zh_Hans", "zh_Hant"])
def test_every_character_of_a_catalogue_can_be_drawn(language: str, weight: str) -> None:
    """One so rare that it is missing is there once docs/art.py has run again."""
    written = (ART.parents[1] / "locale" / language / "LC_MESSAGES" / "twentyfour.po").read_text("utf-8")
    han = {c for c in written if "\u2e80" <= c < "\ufe00"}
    assert han
    assert [c for c in han if not has_glyphs(f"NotoSansCJK-{weight}.otf", c)] == []


def of(text: str) -> list[tuple[str, str]]:
    return [
        (face.partition("-")[0], run)
        for face, run in split_into_runs(make_drawable(text, Weight.MEDIUM), Weight.MEDIUM)
    ]


def test_runs_are_split_by_face() -> None:
    assert of("Ann 王") == [("Inter", "Ann "), ("NotoSansCJK", "王")]
    assert of("Ann שרה לי Bob") == [("Inter", "Ann "), ("NotoSansHebrew", "שרה לי"), ("Inter", " Bob")]


def test_a_right_to_left_name_is_ordered_from_the_right() -> None:
    assert of("שרה🦊") == [("NotoEmoji", "🦊"), ("NotoSansHebrew", "שרה")]
    assert [run for _, run in of("שרה🦊 Ann 王")] == ["Ann ", "王", " ", "🦊", "שרה"]


@pytest.mark.parametrize(
    ("name", "seen"),
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
def test_brackets_in_right_to_left_names_are_mirrored(name: str, seen: list[str]) -> None:
    """Letters are in reading order, signs from left to right as they are drawn."""
    assert [run for _, run in of(name)] == seen


def test_arabic_letters_and_emoji_are_joined() -> None:
    """Two letters by themselves are wider than the two of them in a word."""
    arabic = load_font("NotoSansArabic-Medium.ttf", 48)
    assert arabic.getlength("ههه") != 3 * arabic.getlength("ه")
    assert load_font(EMOJI, 48).getlength("👩‍👩‍👧‍👦") < 2 * load_font(EMOJI, 48).getlength("👩")


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
def test_one_visible_character_is_one_cluster(whole: str) -> None:
    assert split_into_clusters(f"x{whole}y") == ["x", whole, "y"]


def test_two_flag_letters_are_one_cluster() -> None:
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
def test_undrawable_characters_are_replaced_or_left_out(typed: str, shown: str) -> None:
    assert "".join(make_drawable(typed, Weight.MEDIUM)) == shown


@pytest.mark.parametrize("name", ODD)
def test_odd_names_are_drawable(name: str) -> None:
    shown = make_drawable(name, Weight.BOLD)
    assert shown != ["•"]
    assert all(find_face(cluster, Weight.BOLD) for cluster in shown)


@given(st.text(max_size=64))
def test_every_cluster_of_any_text_has_a_face(text: str) -> None:
    shown = make_drawable(text, Weight.MEDIUM)
    assert bool(shown) == bool(text)
    assert all(find_face(cluster, Weight.MEDIUM) for cluster in shown)


@pytest.mark.parametrize(
    "typed", ["👩" + "\u200d👩" * 31, "क" + "\u0940" * 63, "ก" + "\u0e47" * 63, "e" + "\u0301" * 63]
)
def test_endless_clusters_are_limited(typed: str) -> None:
    (shown,) = make_drawable(typed, Weight.MEDIUM)
    assert 1 < len(shown) <= MAX_CLUSTER
    assert shown.startswith((typed[0], "é"))


def test_a_name_is_cut_between_clusters() -> None:
    name = split_into_clusters(f"ab {FAMILY * 3}")
    assert shorten(name, 3) == ["a", "b", "…"]
    assert shorten(name, 4) == ["a", "b", " ", FAMILY, "…"]


NAME = TextStyle(56)
LABEL = TextStyle(52, min_size=40)


def text_of(text: str, style: TextStyle, room: float) -> str:
    return "".join(run for _, run, _ in lay_out_text(text, style, room).runs)


def test_a_text_that_fits_is_unchanged() -> None:
    assert text_of("Ann", NAME, 500) == "Ann"


def test_a_long_text_is_cut_at_its_maximum_width() -> None:
    assert text_of(LONG, NAME, 500) == "Anastasia Konst…"
    assert 400 < lay_out_text(LONG, NAME, 500).width <= 500


def test_a_label_shrinks_before_it_is_cut() -> None:
    whole = lay_out_text("Short straight", LABEL)
    narrow = lay_out_text("Short straight", LABEL, whole.width * 0.85)
    assert (narrow.style.size, len(narrow.runs)) == (44, 1)
    assert text_of("Short straight", LABEL, whole.width * 0.85) == "Short straight"
    assert text_of("Short straight", LABEL, whole.width * 0.5).endswith("…")
    assert lay_out_text("Short straight", LABEL, whole.width * 0.5).style.size == LABEL.min_size


def test_an_emoji_is_never_cut_in_two() -> None:
    shown = text_of(FAMILY * 20, NAME, 400)
    assert shown.removesuffix("…") == FAMILY * (len(shown) // len(FAMILY))


def test_a_name_from_the_right_is_cut_on_its_left() -> None:
    runs = lay_out_text(ODD[1] * 4, NAME, 400).runs
    assert runs[0][1] == "…"


@given(st.text(max_size=64), st.sampled_from(Weight), st.integers(80, 600))
def test_any_text_keeps_to_its_room_and_can_be_drawn(text: str, weight: Weight, room: int) -> None:
    setting = lay_out_text(text, TextStyle(40, weight), room)
    assert setting.width <= room
    light, side, base = render_mask(setting)
    assert light.width >= setting.width
    assert 0 < base < light.height
    assert side > 0


@pytest.mark.parametrize("figure", "0123456789")
def test_figures_in_a_column_are_equally_wide(figure: str) -> None:
    column = TextStyle(60, Weight.BOLD, tabular=True)
    assert lay_out_text(figure, column).width == lay_out_text("0", column).width


def test_a_colon_stands_in_the_middle_of_figures() -> None:
    def middle(text: str) -> float:
        light, _, base = render_mask(lay_out_text(text, TextStyle(200, Weight.DISPLAY)))
        _, top, _, foot = light.getbbox() or (0, 0, 0, 0)
        return base - (top + foot) / 2

    assert middle(":") == pytest.approx(middle("0"), abs=4)
    assert middle("−") == pytest.approx(middle("0"), abs=4)
    assert middle("→") == pytest.approx(middle("0"), abs=4)
