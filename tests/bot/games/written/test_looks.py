"""Quick looks may take talk for an answer, and never an answer for talk."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.games.written import looks, reading

ANSWERS = ["8/(3-8/3)", "8 over (3 minus 8 over 3)", "A+K", "⑧/(③-⑧/③)", "it is 4(1+2+3)", "8÷(3－8÷3) 😀"]
TALK = ["who is next?", "see you at the table", "да, конечно", "好的"]


@pytest.mark.parametrize("text", ANSWERS)
def test_an_answer_is_looked_at(text: str) -> None:
    assert looks.looks_like_answer(text)
    assert looks.is_likely(text)


@pytest.mark.parametrize("text", TALK)
def test_talk_is_spared(text: str) -> None:
    assert not looks.looks_like_answer(text)
    assert not looks.is_likely(text)
    assert not looks.may_tell(text)


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        *(("I had 8/(3-8/3) in mind", True), ("call 555-12-34", False), ("at 12:30", False), ("3+8", False)),
        *(("1+2+3", True), ("on 2026-11-22", False), (" ".join(["1+2"] * 70), False)),
    ],
)
def test_what_may_tell_an_answer(text: str, tells: bool) -> None:
    assert looks.may_tell(text) is tells


def test_more_places_than_are_read_may_tell_one() -> None:
    assert looks.may_tell("\n".join(f"{n}+{n}" for n in range(10, 90)))


def test_what_is_too_long_is_no_answer() -> None:
    assert looks.looks_like_answer("1+" * (reading.LONGEST // 2 - 1) + "1")
    assert not looks.looks_like_answer("1+" * reading.LONGEST)


@given(st.text())
def test_any_text_is_looked_at(text: str) -> None:
    if reading.is_answer(text):
        assert looks.looks_like_answer(text)
