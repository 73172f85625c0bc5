"""Verdicts on answers."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver import Correct, Unreadable, WrongNumbers, WrongValue, check, parse, verify_batch

HAND = (3, 8, 3, 8)


@pytest.mark.parametrize(
    "text", ["8/(3-8/3)", "8/(3-8/3) = 24", "８÷（３−８÷３）＝２４", "8/(3-8/3)=24 ", "24=8/(3-8/3)"]
)
def test_right_answer_is_correct(text: str) -> None:
    assert check(text, HAND) == Correct(parse("8/(3-8/3)"))


def test_wrong_value_is_exact() -> None:
    verdict = check("8*3-8/(3*3)", (8, 3, 8, 3, 3))
    assert verdict == WrongValue(Fraction(208, 9), parse("8*3-8/(3*3)"))
    assert str(verdict) == "23 1/9"


@pytest.mark.parametrize(
    ("text", "written"),
    [("3*3", "9"), ("3-3", "0"), ("1/3", "1/3"), ("1-3", "-2"), ("1/3-3", "-2 2/3"), ("1/3-1", "-2/3")],
)
def test_wrong_value_is_written_as_mixed_fraction(text: str, written: str) -> None:
    assert str(check(text, parse(text).numbers)) == written


@pytest.mark.parametrize(
    ("text", "hand", "missing", "extra"),
    [
        ("4*6", (4, 3, 4, 6), (3, 4), ()),
        ("24", (4, 3, 4, 6), (3, 4, 4, 6), (24,)),
        ("3*8*1*1", (3, 8, 2, 1), (2,), (1,)),
        ("5*5-1/9", (5, 5, 5, 1), (5,), (9,)),
        ("A+J", (1, 11, 1, 1), (1, 1), ()),
    ],
)
def test_wrong_numbers_take_precedence_over_wrong_value(
    text: str, hand: tuple[int, ...], missing: tuple[int, ...], extra: tuple[int, ...]
) -> None:
    assert check(text, hand) == WrongNumbers(missing, extra, parse(text))


def test_answer_with_other_target_is_unreadable() -> None:
    message = "the target is another number than '25'"
    assert check("5*5-1 = 25", (5, 5, 1)) == Unreadable(message, 8, "other target", "25")
    assert check("25 = 5*5-1", (5, 5, 1)) == Unreadable(message, 0, "other target", "25")


def test_target_after_wrong_value_is_allowed() -> None:
    assert check("5*5 = 24", (5, 5)) == WrongValue(Fraction(25), parse("5*5"))


def test_target_of_hand_is_respected() -> None:
    assert check("7*25=175", (25, 7), 175) == Correct(parse("7*25"))
    message = "the target is another number than '24'"
    assert check("7*25=24", (25, 7), 175) == Unreadable(message, 5, "other target", "24")


@given(st.text(max_size=40), st.lists(st.integers(0, 13), max_size=5))
def test_check_never_raises(text: str, hand: list[int]) -> None:
    verdict = check(text, hand)
    assert not isinstance(verdict, Unreadable) or 0 <= verdict.position <= len(text)


def test_target_of_another_type_is_refused() -> None:
    with pytest.raises(TypeError, match="must be an integer, not '24'"):
        verify_batch([("8*3", [8, 3], "24")])  # type: ignore[list-item]
