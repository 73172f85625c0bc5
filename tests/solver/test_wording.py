"""The mark below the position of an error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.wording import CHARACTERS_AROUND, mark_position


@pytest.mark.parametrize(
    ("text", "position", "marked"),
    [
        ("8*", 2, "8*\n  ^"),
        ("８＊", 2, "８＊\n    ^"),
        ("e\u0301*", 2, "e\u0301*\n ^"),
        ("8\n*\t", 2, "8 * \n  ^"),
        ("1+" * 40, 80, "..." + "1+" * 15 + "\n" + " " * 33 + "^"),
        ("1+" * 40, 0, "1+" * 15 + "...\n^"),
    ],
)
def test_mark_is_below_position(text: str, position: int, marked: str) -> None:
    assert mark_position(text, position, "utf-8") == marked


def test_mark_is_below_position_if_characters_are_escaped() -> None:
    assert mark_position("8×÷", 2, "ascii") == "8\\xd7\\xf7\n     ^"


@given(st.text(max_size=100), st.data())
def test_mark_is_near_for_any_text(text: str, data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(text)))
    for encoding in ("utf-8", "ascii", "koi8-r"):
        line, mark = mark_position(text, position, encoding).split("\n")
        line.encode(encoding)
        assert mark.strip(" ") == "^"
        assert len(mark) <= 10 * CHARACTERS_AROUND + 4
