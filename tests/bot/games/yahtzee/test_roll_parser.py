"""Thirteen rolls in many notations."""

from contextlib import suppress

import pytest
from hypothesis import given as such
from hypothesis import strategies as st

from bot.games.yahtzee import roll_parser
from bot.games.yahtzee.roll_parser import NotRollsError
from bot.games.yahtzee.rules import TURN_COUNT

ROLLS = st.lists(
    st.lists(st.integers(1, 6), min_size=5, max_size=5).map(tuple), min_size=TURN_COUNT, max_size=TURN_COUNT
)


@pytest.mark.long
@such(
    ROLLS,
    st.sampled_from(["\n", ", ", ";", "\r\n", " ;\n", "，", "；", "、", "\n\n"]),
    st.sampled_from(["", " ", "  "]),
)
def test_rolls_in_any_notation_are_parsed(rolls: list[tuple[int, ...]], between: str, inside: str) -> None:
    text = between.join(inside.join(map(str, roll)) for roll in rolls)
    assert roll_parser.parse_rolls(text) == tuple(rolls)
    assert roll_parser.parse_rolls(f"{between}{text}{between}") == tuple(rolls)
    assert roll_parser.parse_rolls(text.translate(str.maketrans("123456", "１２３４５６"))) == tuple(rolls)


@pytest.mark.long
@such(
    ROLLS, st.sampled_from([",", ", ", "-", "/", " - ", "、", "", " "]), st.sampled_from(["\n", ";\n", "; "])
)
def test_dice_may_be_separated_by_signs(rolls: list[tuple[int, ...]], inside: str, between: str) -> None:
    text = between.join(inside.join(map(str, roll)) for roll in rolls)
    assert roll_parser.parse_rolls(text) == tuple(rolls)
    assert roll_parser.parse_rolls(text.translate(str.maketrans("123456", "⚀⚁⚂⚃⚄⚅"))) == tuple(rolls)
    assert roll_parser.parse_rolls("".join(f"{c}\ufe0f\u20e3" if c.isdigit() else c for c in text)) == tuple(
        rolls
    )
    assert roll_parser.find_rolls(f"Ours:\n{text}") == tuple(rolls)


@pytest.mark.long
@such(ROLLS, st.sampled_from([". ", ") ", ".", ")", ": ", " . "]), st.sampled_from(["", " ", ",", "-"]))
def test_lines_may_be_numbered(rolls: list[tuple[int, ...]], behind: str, inside: str) -> None:
    lines = [f"{n}{behind}{inside.join(map(str, roll))}" for n, roll in enumerate(rolls, 1)]
    assert roll_parser.parse_rolls("\n".join(lines)) == tuple(rolls)


@pytest.mark.long
@such(ROLLS)
def test_dice_in_one_row_are_split_by_fives(rolls: list[tuple[int, ...]]) -> None:
    assert roll_parser.parse_rolls("".join("".join(map(str, roll)) for roll in rolls)) == tuple(rolls)
    assert roll_parser.parse_rolls(" ".join(" ".join(map(str, roll)) for roll in rolls)) == tuple(rolls)


TWELVE = "\n".join(["66611"] * 12)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (TWELVE, NotRollsError(12)),
        (f"{TWELVE}\n{TWELVE}", NotRollsError(24)),
        (f"66611\n6661\n{TWELVE}", NotRollsError(1, 2, "6661")),
        (f"66611\n666111\n{TWELVE}", NotRollsError(1, 2, "666111")),
        (f"66617\n{TWELVE}", NotRollsError(0, 1, "66617")),
        (f"{TWELVE}\n6 6 6 1 0", NotRollsError(12, 13, "6 6 6 1 0")),
        ("hello there, how are you", NotRollsError(0, 1, "hello there, how are")),
        ("x" * 9000, NotRollsError(0, 1, "x" * 20)),
        ("66611", NotRollsError(1)),
        (f"6,6,6,1\n{TWELVE}", NotRollsError(0, 1, "6,6,6,1")),
        (f"1. 6 6 6 1\n{TWELVE}", NotRollsError(0, 1, "1. 6 6 6 1")),
        (f"66611, 6661\n{TWELVE}", NotRollsError(1, 2, "6661")),
        (f"6/6/6/7/1\n{TWELVE}", NotRollsError(0, 1, "6/6/6/7/1")),
        (f"{TWELVE}\n٦٦٦١١", NotRollsError(12, 13, "٦٦٦١١")),
    ],
)
def test_error_names_the_wrong_line(text: str, wrong: NotRollsError) -> None:
    with pytest.raises(NotRollsError) as found:
        roll_parser.parse_rolls(text)
    assert vars(found.value) == vars(wrong)


def test_list_of_rolls_is_found_among_other_lines() -> None:
    assert roll_parser.find_rolls(f"Look at these!\n{TWELVE}\n1 2 3 4 5\nNot bad.") == (
        (6, 6, 6, 1, 1),
    ) * 12 + ((1, 2, 3, 4, 5),)
    assert roll_parser.find_rolls("3 8 3 8 → 24") is None
    assert roll_parser.find_rolls("") is None
    assert roll_parser.find_rolls("66611, 12345") is None
    with pytest.raises(NotRollsError):
        roll_parser.find_rolls(TWELVE)


@such(st.text(max_size=300))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    with suppress(NotRollsError):
        assert len(roll_parser.parse_rolls(text)) == TURN_COUNT
