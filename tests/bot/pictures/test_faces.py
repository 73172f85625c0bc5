import json
from itertools import islice

import pytest
from PIL import Image, ImageDraw

from bot.pictures.lettering import (
    ART,
    CHAINS,
    EMOJI,
    Weight,
    find_face,
    has_glyphs,
    load_font,
    make_drawable,
    split_into_runs,
)

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
def test_a_face_has_what_it_is_said_to_have(face: str) -> None:
    box = drawn(face, NOWHERE)
    assert any(box), "an empty box can be seen"
    assert [c for c in some(COVERAGE[face]) if drawn(face, c) == box] == []


def test_every_face_is_asked() -> None:
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
def test_figures_and_signs_are_of_one_typeface(weight: Weight) -> None:
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


def test_runs_stand_as_they_are_read() -> None:
    assert of("Ann 王") == [("Inter", "Ann "), ("NotoSansCJK", "王")]
    assert of("Ann שרה לי Bob") == [("Inter", "Ann "), ("NotoSansHebrew", "שרה לי"), ("Inter", " Bob")]


def test_a_name_that_begins_from_the_right_is_ordered_from_there() -> None:
    assert of("שרה🦊") == [("NotoEmoji", "🦊"), ("NotoSansHebrew", "שרה")]
    assert [run for _, run in of("שרה🦊 Ann 王")] == ["Ann ", "王", " ", "🦊", "שרה"]


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("יוסי (כהן)", ["(", "כהן", ") ", "יוסי"]),
        ("محمد (علي) 24", ["24", " (", "علي", ") ", "محمد"]),
        ("יוסי [כהן] A", ["A", " [", "כהן", "] ", "יוסי"]),
        ("שלום <b> x", ["b> x", "> ", "שלום"]),
        ("Ann (שרה, לי) 7", ["Ann (", "לי", " ,", "שרה", ") ", "7"]),
    ],
)
def test_signs_between_words_that_read_from_the_right_are_turned(name: str, seen: list[str]) -> None:
    """Each run as what shapes it gets it: letters as they are spoken, signs as they are seen."""
    assert [run for _, run in of(name)] == seen


def test_letters_are_joined_where_their_script_joins_them() -> None:
    """Two letters by themselves are wider than the two of them in a word."""
    arabic = load_font("NotoSansArabic-Medium.ttf", 48)
    assert arabic.getlength("ههه") != 3 * arabic.getlength("ه")
    assert load_font(EMOJI, 48).getlength("👩‍👩‍👧‍👦") < 2 * load_font(EMOJI, 48).getlength("👩")
