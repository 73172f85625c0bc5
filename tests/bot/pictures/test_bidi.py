"""What is expected here is what FriBidi answers."""

import pytest

from bot.pictures.bidi import levels, ordered, other_side, reads_ahead


def test_a_text_reads_as_its_first_letter() -> None:
    assert reads_ahead("🦊 Ann")
    assert reads_ahead("24")
    assert not reads_ahead("🦊 שרה Ann")
    assert not reads_ahead("24 שרה")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann (Bob) 7", "00000000000"),
        ("Ann (שרה) 7", "00000111002"),
        ("שרה (כהן)", "111111111"),
        ("שרה [כהן] A", "11111111112"),
        ("שרה (a)", "1111121"),
        ("שרה a (b) c", "11112222222"),
        ("שרה (a", "111112"),
        ("ab) שרה", "0000111"),
        ("שלום <b> x", "1111112222"),
        ("12 שרה 34", "221111122"),
        ("שרה 12-34", "111122222"),
        ("שרה 12 - 34", "11112211122"),
        ("مل 12-34", "11122122"),
        ("مل 1,2", "111222"),
        ("שרה $5%!", "11112221"),
        ("a שרה -5", "00111112"),
        ("a 5 שרה", "0000111"),
        ("(שרה] [a)", "111111121"),
    ],
)
def test_levels(text: str, expected: str) -> None:
    assert "".join(map(str, levels(list(text)))) == expected


def test_what_reads_from_the_right_is_turned_and_what_is_in_it_turned_back() -> None:
    assert "".join(ordered("abcDEF12", (0, 0, 0, 1, 1, 1, 2, 2))) == "abc12FED"
    assert "".join(ordered("DEFab12", (1, 1, 1, 2, 2, 2, 2))) == "ab12FED"


@pytest.mark.parametrize("pair", ["()", "[]", "{}", "<>", "«»", "（）", "「」", "≤≥"])
def test_other_sides(pair: str) -> None:
    assert (other_side(pair[0]), other_side(pair[1])) == (pair[1], pair[0])


@pytest.mark.parametrize("alone", ["a", "ש", "→", "∑", "🦊", "‘"])
def test_what_has_no_other_side_stays(alone: str) -> None:
    assert other_side(alone) == alone
