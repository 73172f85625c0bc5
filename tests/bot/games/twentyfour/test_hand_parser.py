"""Hands parsed from commands and from bare messages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.games.twentyfour.hand_parser import is_playable, parse_bare_hand, parse_hand
from bot.games.twentyfour.rules import Question
from bot.i18n import get_words

EN = get_words("en")


@pytest.mark.parametrize(
    ("text", "numbers", "target"),
    [
        ("3 8 3 8", (3, 8, 3, 8), 24),
        ("24", (24,), 24),
        ("24 lol = 24", (24,), 24),
        ("10 = 20 = 30", (), 0),
        ("10,100,20", (10, 100, 20), 24),
        ("3;8;3;8→36", (3, 8, 3, 8), 36),
        ("please 5 5 5 1 thanks", (5, 5, 5, 1), 24),
        ("5 5 5 a", (5, 5, 5, 1), 24),
        ("Ｋ Ｑ １", (13, 12, 1), 24),
        ("(1 2 4 😍 = 24", (1, 2, 4, 8), 24),
        ("3 8 3 8 😍", (3, 8, 3, 8), 24),
    ],
)
def test_hand_is_parsed(text: str, numbers: tuple[int, ...], target: int) -> None:
    found = parse_hand(EN, text)
    assert found == Question(numbers, target) if numbers else not isinstance(found, Question)


@pytest.mark.parametrize(
    "text", ["3 8 3 8 = 24", "３、８、３、８", "(3 8 3 8)", "3 8 3 8 por favor", "请 3 8 3 8"]
)
def test_bare_hand_is_parsed(text: str) -> None:
    assert parse_bare_hand(text) == Question((3, 8, 3, 8), 24)


@pytest.mark.parametrize("text", ["08 30 12", "3 8 3 8 lol", "3 8", "1 2 3 4 5 6 7", "9 100 101", "", "A K"])
def test_other_messages_are_no_bare_hands(text: str) -> None:
    assert parse_bare_hand(text) is None


@pytest.mark.long
@given(st.text() | st.text(alphabet="0123456789 AJQKk,;=→.:-?!a🙏", max_size=60))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    found = parse_hand(EN, text)
    assert isinstance(found, Question) or "\n" not in found
    may = parse_bare_hand(text)
    assert may is None or may == found


@pytest.mark.parametrize(
    ("numbers", "target", "playable"),
    [
        ((3, 8, 3, 8), 24, True),
        ((1, 1, 1, 1), 24, True),
        ((1, 1, 1, 1, 1), 24, False),
        ((3, 8, 25), 24, False),
        ((3, 8, 0), 24, False),
        ((3, 8, 3), 1001, False),
    ],
)
def test_hands_that_can_be_dealt_from_a_pack(numbers: tuple[int, ...], target: int, playable: bool) -> None:
    assert is_playable(Question(numbers, target)) is playable
