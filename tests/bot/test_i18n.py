"""Sentences and names as HTML."""

import gettext
from html import unescape
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.i18n import (
    BLANK_CHARACTERS,
    DIRECTION_MARKS,
    FIRST_STRONG_ISOLATE,
    INVISIBLE_CATEGORIES,
    LINE_BREAKS,
    POP_ISOLATE,
    Html,
    Words,
    clean_name,
    escape_value,
    find_mentions,
    format_name,
    get_words,
    insert_names,
    make_mention,
)
from bot.telegram.messages import format_player_name
from tests.telegram import parse_html


@pytest.mark.parametrize(
    "shown", ["Ann", "<b>Ann</b>", "&amp;", "A & B", "</b><a href='x'>", "\u200bAnn\u200e", "آن", "💯" * 64]
)
def test_format_name_isolates_the_whole_name(shown: str) -> None:
    text, entities = parse_html(format_name(shown))
    assert text == FIRST_STRONG_ISOLATE + shown + POP_ISOLATE
    assert not entities


@pytest.mark.parametrize("mark", "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
def test_name_cannot_end_its_isolate(mark: str) -> None:
    text, _ = parse_html(format_name(f"An{mark}n"))
    assert text == f"{FIRST_STRONG_ISOLATE}Ann{POP_ISOLATE}"


@pytest.mark.parametrize("mark", "\n\r\v\f\x85\u2028\u2029")
def test_name_cannot_start_a_new_line(mark: str) -> None:
    assert len(format_name(f"Ann{mark}1. Bob — 99").splitlines()) == 1


@given(st.text() | st.none())
def test_names_are_formatted_by_one_function(typed: str | None) -> None:
    # Any name is isolated, whole, on one line, visible, and the same if cleaned before.
    shown = format_name(typed)
    text, entities = parse_html(shown)
    assert not entities
    assert (text[0], text[-1]) == (FIRST_STRONG_ISOLATE, POP_ISOLATE)
    inside = text[1:-1]
    assert inside == clean_name(typed or "").translate(DIRECTION_MARKS | LINE_BREAKS)
    assert len(f"x{inside}x".splitlines()) == 1
    assert any(category(c) not in INVISIBLE_CATEGORIES and c not in BLANK_CHARACTERS for c in inside)
    assert format_name(clean_name(typed or "")) == shown
    assert format_player_name({7: typed or ""}, 7) == shown
    assert format_player_name({}, 7) == format_name(None) == format_name("")
    assert insert_names(f"{make_mention(7)} was first", {7: typed or ""}) == f"{shown} was first"
    shown.encode()


@given(st.text(), st.integers(-(2**63), 2**63 - 1))
def test_typed_mention_is_escaped(typed: str, player_id: int) -> None:
    for text in (typed, make_mention(player_id), f"<p {typed}>"):
        assert find_mentions(get_words("en").translate("{text}", text=str(text))) == set()
        assert find_mentions(format_name(str(text))) == set()
    assert find_mentions(f"{make_mention(player_id)} and {make_mention(8)}") == {player_id, 8}


def test_parts_are_escaped_unless_html() -> None:
    words = get_words("en").translate("{one} and {other}", one="<b>", other=Html("<b>x</b>"))
    assert words == "&lt;b&gt; and <b>x</b>"
    assert escape_value(words) == words


@pytest.mark.parametrize("mark", "\u202a\u202b\u202d\u202e\u2066\u2067")
def test_part_cannot_change_the_text_direction(mark: str) -> None:
    assert get_words("en").translate("“{fragment}” has no meaning here.", fragment=f"a{mark}") == (
        "“a” has no meaning here."
    )


def test_parts_are_inserted_once() -> None:
    words = get_words("en").translate("{one} {two}", one="{two}", two="{one.__class__}")
    assert words == "{two} {one.__class__}"


def test_translate_plain_does_not_escape() -> None:
    assert get_words("en").translate_plain("{a} & {b}", a="<", b=">") == "< & >"
    assert unescape(get_words("en").translate("{a}", a="<")) == "<"


@pytest.mark.parametrize(
    ("n", "sentence"), [(0, "0 points"), (1, "1 point"), (2, "2 points"), (21, "21 points")]
)
def test_plural_depends_on_the_number(n: int, sentence: str) -> None:
    assert Words("en", gettext.NullTranslations()).translate_plural("{n} point", "{n} points", n) == sentence
