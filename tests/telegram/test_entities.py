"""The strict HTML parser."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.telegram import EntityError, parse_html
from tests.telegram.entities import count_units, find_entities, strip_text


@pytest.mark.parametrize(
    ("source", "text", "entities"),
    [
        ("plain", "plain", []),
        ("<b>3 8</b> &lt; 4", "3 8 < 4", [("bold", 0, 3)]),
        (
            "<strong>a</strong><em>b</em><ins>c</ins>",
            "abc",
            [("bold", 0, 1), ("italic", 1, 1), ("underline", 2, 1)],
        ),
        ("😀<i>é</i>", "😀é", [("italic", 2, 1)]),
        ("<b>x<i>y</i></b>", "xy", [("bold", 0, 2), ("italic", 1, 1)]),
        ('<span class="tg-spoiler">8/3</span>', "8/3", [("spoiler", 0, 3)]),
        ("<blockquote expandable>a\nb</blockquote>", "a\nb", [("expandable_blockquote", 0, 3)]),
        ("<code>&#39;&#x27;&amp;&quot;</code>", "''&\"", [("code", 0, 4)]),
        ("<b></b>x", "x", []),
    ],
)
def test_html_is_parsed_to_text_and_entities(
    source: str, text: str, entities: list[tuple[str, int, int]]
) -> None:
    plain, found = parse_html(source)
    assert plain == text
    assert [(entity["type"], entity["offset"], entity["length"]) for entity in found] == entities


def test_links_and_code_languages_are_in_entities() -> None:
    assert parse_html('<a href="https://t.me/x?a=1&amp;b=2">go</a>')[1] == [
        {"type": "text_link", "offset": 0, "length": 2, "url": "https://t.me/x?a=1&b=2"}
    ]
    assert parse_html('<pre><code class="language-python">x</code></pre>')[1] == [
        {"type": "pre", "offset": 0, "length": 1, "language": "python"}
    ]


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("a < b", "unescaped '<' at byte offset 2"),
        ("é > b", "unescaped '>' at byte offset 3"),
        ("Tom & Ann", "unescaped '&' at byte offset 4"),
        ("&nbsp;", 'unsupported character reference "&nbsp;" at byte offset 0'),
        ("&#xD800;", 'unsupported character reference "&#xD800;" at byte offset 0'),
        ("<br>", 'Unsupported start tag "br" at byte offset 0'),
        ("<b>x", "Can't find end tag corresponding to start tag 'b'"),
        ("x</b>", "Unexpected end tag at byte offset 1"),
        ("<b><i>x</b></i>", 'Unmatched end tag at byte offset 7, expected "</i>", found "</b>"'),
        ("<code><b>x</b></code>", 'Tag "b" can\'t be inside "code" at byte offset 6'),
        ("<b><code>x</code></b>", 'Tag "code" can\'t be inside "b" at byte offset 3'),
        (
            "<blockquote><blockquote>x</blockquote></blockquote>",
            'Tag "blockquote" can\'t be inside "blockquote" at byte offset 12',
        ),
        ('<b class="x">x</b>', "Tag \"b\" must have other attributes than {'class': 'x'} at byte offset 0"),
        ("<a>x</a>", 'Tag "a" must have other attributes than {} at byte offset 0'),
        (
            '<span class="red">x</span>',
            "Tag \"span\" must have other attributes than {'class': 'red'} at byte offset 0",
        ),
    ],
)
def test_invalid_html_is_refused(source: str, why: str) -> None:
    with pytest.raises(EntityError) as refusal:
        parse_html(source)
    assert str(refusal.value) == why


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_escaped_text_is_parsed_unchanged(text: str) -> None:
    assert parse_html(f"<b>{html.escape(text)}</b>")[0] == text


def test_surrounding_white_space_is_stripped() -> None:
    assert strip_text(" \n ab ", [{"type": "bold", "offset": 0, "length": 4}]) == (
        "ab",
        [{"type": "bold", "offset": 0, "length": 1}],
    )


def test_lengths_are_in_utf16_units() -> None:
    assert (count_units("a"), count_units("😀"), count_units("\ud800")) == (1, 2, 1)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("/a 8/(3-8/3)", ["bot_command"]),
        ("/play@TwentyFourTestBot hard", ["bot_command"]),
        ("8/3", []),
        ("hi @ann_b and https://4nums.com", ["mention", "url"]),
    ],
)
def test_entities_are_found_in_typed_text(text: str, kinds: list[str]) -> None:
    assert [entity["type"] for entity in find_entities(text)] == kinds
