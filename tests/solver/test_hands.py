"""What is taken for numbers and a target, on whatever keyboard they are typed."""

from argparse import ArgumentTypeError

import pytest

from solver.hands import BadInputError, apart, positive, split, whole


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("3838", ["3", "8", "3", "8"]),
        ("1010", ["10", "10"]),
        ("100", ["10", "0"]),
        ("10", ["10"]),
        ("a5jk", ["A", "5", "J", "K"]),
        ("8", ["8"]),
        ("", []),
        ("3 8", []),
        ("３Ｋ", ["3", "K"]),
        ("38x", []),
        ("1" * 21, []),
    ],
)
def test_cards_without_spaces(text: str, cards: list[str]) -> None:
    assert apart(text) == cards


@pytest.mark.parametrize(
    ("text", "numbers", "target"),
    [
        ("3 8 3 8", [3, 8, 3, 8], None),
        ("3,8, 3 8=36", [3, 8, 3, 8], 36),
        ("36 = 3 8", [3, 8], 36),
        ("k = 13,13", [13, 13], 13),
        ("1 = 2", [1], 2),
        ("3 8 =", [3, 8], None),
        ("= 5", [], 5),
        ("", [], None),
        ("３　８、Ｋ → １０", [3, 8, 13], 10),
    ],
)
def test_a_target_stands_at_either_end(text: str, numbers: list[int], target: int | None) -> None:
    assert split(text) == (numbers, target)


@pytest.mark.parametrize("text", ["1 2 = 3 4", "1 2 = 3 = 4", "1 = 2 = 3"])
def test_one_target_is_enough(text: str) -> None:
    with pytest.raises(BadInputError, match="only one target"):
        split(text)


@pytest.mark.parametrize("text", ["②", "-3", "1.5", "٣", "", "9" * 101])
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(ArgumentTypeError):
        whole(text)


def test_numbers_of_any_width() -> None:
    assert (whole("２４"), whole("ｋ"), positive("１０")) == (24, 13, 10)
