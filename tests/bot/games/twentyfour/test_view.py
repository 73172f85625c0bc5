"""Cards and values as people read them."""

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.games.twentyfour.view import format_mixed_number, render_cards


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Fraction(208, 9), "23 1/9"),
        (Fraction(24), "24"),
        (Fraction(1, 3), "1/3"),
        (Fraction(0), "0"),
        (Fraction(-7, 2), "−3 1/2"),
        (Fraction(-1, 2), "−1/2"),
        (Fraction(-5), "−5"),
    ],
)
def test_values_as_people_write_them(value: Fraction, shown: str) -> None:
    assert format_mixed_number(value) == shown


def test_no_value_is_told_wrong() -> None:
    rng = random.Random(24)
    for _ in range(500):
        value = Fraction(rng.randint(-999, 999), rng.randint(1, 99))
        shown = format_mixed_number(value)
        sign = -1 if shown.startswith("−") else 1
        assert sign * sum(Fraction(part) for part in shown.lstrip("−").split()) == value


def test_cards() -> None:
    assert render_cards([1, 10, 11, 12, 13]) == "A♠ 10♥ J♦ Q♣ K♠"


def test_equal_cards_have_suits_of_their_own() -> None:
    assert render_cards([3, 8, 3, 8]) == "3♠ 8♥ 3♦ 8♣"
    assert render_cards([5, 1, 2, 3, 5]) == "5♠ A♥ 2♦ 3♣ 5♥"
    assert render_cards([7, 7, 7, 7, 2, 2]) == "7♠ 7♥ 7♦ 7♣ 2♠ 2♥"


PACK = [rank for rank in range(1, 14) for _ in range(4)]


@given(st.permutations(PACK), st.integers(1, 8))
def test_no_card_is_shown_twice(pack: list[int], count: int) -> None:
    """Whatever is drawn from a pack, every card of it is another one, the same each time it is drawn."""
    shown = render_cards(pack[:count])
    assert len(set(shown.split())) == count
    assert render_cards(pack[:count]) == shown
