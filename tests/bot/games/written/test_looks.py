"""Quick looks may take talk for an answer, and never an answer for talk."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.games.written import looks, pieces, reading

ANSWERS = ["8/(3-8/3)", "8 over (3 minus 8 over 3)", "so A+K", "⑧/(③-⑧/③)", "is 4(1+2+3)", "8÷(3－8÷3) 😀"]
TALK = ["who is next?", "see you at the table", "да, конечно", "好的"]


@pytest.mark.parametrize("text", ANSWERS)
def test_an_answer_is_looked_at(text: str) -> None:
    assert looks.looks_like_answer(text)
    assert looks.is_likely(text)


@pytest.mark.parametrize("text", ["24", "8 3 8 3", "is it 12?", "AKQJ", "J A K Q, X?"])
def test_numbers_and_cards_are_looked_at_without_a_sign(text: str) -> None:
    assert looks.looks_like_answer(text)
    assert not looks.is_likely(text)


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
    places = [f"{n}+{n}" for n in range(10, 11 + pieces.MOST_READ)]
    assert looks.may_tell("\n".join(places))
    assert not looks.may_tell("\n".join(places[1:]))


@pytest.mark.parametrize(("said", "tells"), [("1+2+3", True), ("1+2", False)])
def test_the_end_of_a_long_message_may_tell_an_answer(said: str, tells: bool) -> None:
    assert looks.may_tell("so " * reading.LONGEST + said) is tells


def test_what_is_too_long_is_no_answer() -> None:
    assert looks.looks_like_answer("1" * reading.LONGEST)
    assert not looks.looks_like_answer("1" * (reading.LONGEST + 1))


@given(st.text())
def test_any_text_is_looked_at(text: str) -> None:
    if reading.is_answer(text):
        assert looks.looks_like_answer(text)
