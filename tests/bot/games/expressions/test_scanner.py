"""Expressions found in a text."""

from fractions import Fraction

import pytest

from bot.games.expressions.scanner import ScannedText


def find_texts(text: str, *, signed: bool = False) -> list[str]:
    return [found.text for found in ScannedText(text, signed=signed).find_expressions()]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("8/(3-8/3)", ["8/(3-8/3)"]),
        ("¦ 1+2 ¦ 3 * 4!", ["1+2", "3 * 4"]),
        ("1+2 3*4", ["1+2", "3*4"]),
        ("1+2,3*4", ["1+2", "3*4"]),
        ("1+2\n-3*4", ["1+2", "3*4"]),
        ("(1+2) ¦)))", ["(1+2)"]),
        ("(¦ 1+2)", ["1+2"]),
        ("[(1+2]*3)", ["1+2"]),
        ("8/(3-8/3", ["3-8/3"]),
        ("3 8 3 8", []),
        ("(3)", []),
        ("", []),
    ],
)
def test_longest_expressions_are_found(text: str, found: list[str]) -> None:
    assert find_texts(text) == found


def test_expression_ends_with_its_line() -> None:
    assert find_texts("8/\n(3-8/3)") == ["(3-8/3)"]


def test_signed_numbers_and_decimals_are_found_with_signed() -> None:
    assert find_texts("-5+3 ¦ 2*-1.5", signed=True) == ["-5+3", "2*-1.5"]
    assert find_texts("-5+3 ¦ 2*-1.5") == ["5+3"]
    assert find_texts("1,5*2", signed=True) == ["1,5*2"]


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("1+2", False),
        ("¦ - 1+2", False),
        ("¦-1+2", False),
        ("-1+2", True),
        ("=-1+2", True),
        ("(3-(1+2", True),
        ("2**1+2", True),
        ("1+2^2", True),
        ("1+2!", False),
        ("1.5*1+2", True),
        ("1+2 - ¦", False),
        ("1) 1+2", False),
        ("4(1+2)", True),
        ("(1+2)4", True),
        ("(1+2) 4", False),
        ("1+2*(3", True),
    ],
)
def test_unreadable_text_beside_an_expression_breaks_it(text: str, broken: bool) -> None:
    (found,) = ScannedText(text).find_expressions()
    assert found.is_broken is broken


@pytest.mark.parametrize(
    ("text", "equated", "claimed"),
    [
        ("1+2", False, None),
        ("1+2 = 3", True, Fraction(3)),
        ("1+2=3!", True, Fraction(3)),
        ("1/2 = 2/4, ¦", True, Fraction(1, 2)),
        ("1-3=-2", True, Fraction(-2)),
        ("5/2=2.5", True, Fraction(5, 2)),
        ("4*3=12*2", True, None),
        ("1+2 = ¦", True, None),
        ("1+2 = 3/0", True, None),
        ("1+2=" + "9" * 500, True, None),
    ],
)
def test_value_behind_an_equals_sign_is_read(text: str, equated: bool, claimed: Fraction | None) -> None:
    found = next(ScannedText(text).find_expressions())
    assert (found.has_equals_behind, found.claimed_value) == (equated, claimed)


def test_brackets_of_any_depth_take_one_pass() -> None:
    assert find_texts("(" * 5000 + "1+2" + ")" * 5000) == ["(" * 5000 + "1+2" + ")" * 5000]
