"""Reading of numbers and targets from any keyboard."""

from argparse import ArgumentTypeError

import pytest

from solver.hands import (
    BadInputError,
    read_hand_and_target,
    read_positive_number,
    read_whole_number,
    split_glued_cards,
)


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
def test_glued_cards_are_split(text: str, cards: list[str]) -> None:
    assert split_glued_cards(text) == cards


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
def test_target_may_stand_at_either_end(text: str, numbers: list[int], target: int | None) -> None:
    assert read_hand_and_target(text) == (numbers, target)


@pytest.mark.parametrize("text", ["1 2 = 3 4", "1 2 = 3 = 4", "1 = 2 = 3"])
def test_second_target_is_refused(text: str) -> None:
    with pytest.raises(BadInputError, match="only one target"):
        read_hand_and_target(text)


@pytest.mark.parametrize("text", ["②", "-3", "1.5", "٣", "", "9" * 101])
def test_non_numbers_are_refused(text: str) -> None:
    with pytest.raises(ArgumentTypeError):
        read_whole_number(text)


def test_full_width_numbers_are_read() -> None:
    assert (read_whole_number("２４"), read_whole_number("ｋ"), read_positive_number("１０")) == (24, 13, 10)
