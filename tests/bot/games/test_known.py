"""What of all that people write may be an answer, or tell a solution."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.games.known import is_answer, may_tell


@given(st.text())
def test_what_has_no_number_is_no_expression(text: str) -> None:
    assert not is_answer("".join(c for c in text if not (c.isnumeric() or c in "AJQKajqk")))


@pytest.mark.parametrize("text", ["8/(3-8/3)", "A*J", "1+1", "8/(3-8/3)=25"])
def test_an_expression_may_be_an_answer(text: str) -> None:
    assert is_answer(text)


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("it is 8/(3-8/3) lol", True),
        ("a 3+4", False),
        ("on 11/21/2026 we met", False),
        ("call 555-123-4567 now", False),
        ("\n".join(f"1-{i}-1" for i in range(80)), True),
    ],
)
def test_words_may_tell_a_solution(text: str, tells: bool) -> None:
    assert may_tell(text) is tells
