"""The mark under what can't be read stands where it should, whatever is around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.wording import AROUND, pointed


@pytest.mark.parametrize(
    ("text", "position", "shown"),
    [
        ("8*", 2, "8*\n  ^"),
        ("８＊", 2, "８＊\n    ^"),
        ("e\u0301*", 2, "e\u0301*\n ^"),
        ("8\n*\t", 2, "8 * \n  ^"),
        ("1+" * 40, 80, "..." + "1+" * 15 + "\n" + " " * 33 + "^"),
        ("1+" * 40, 0, "1+" * 15 + "...\n^"),
    ],
)
def test_the_mark(text: str, position: int, shown: str) -> None:
    assert pointed(text, position, "utf-8") == shown


def test_the_mark_where_signs_are_missing() -> None:
    assert pointed("8×÷", 2, "ascii") == "8\\xd7\\xf7\n     ^"


@given(st.text(max_size=100), st.data())
def test_the_mark_is_never_far(text: str, data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(text)))
    for encoding in ("utf-8", "ascii", "koi8-r"):
        line, mark = pointed(text, position, encoding).split("\n")
        line.encode(encoding)
        assert mark.strip(" ") == "^"
        assert len(mark) <= 10 * AROUND + 4
