"""How many solutions there are: as many as are listed, and as are counted another way."""

import random

import pytest

from solver import count, families, ideas, solve
from solver.count import count_forms

from .counting import count_forms as count_otherwise


def random_hand(rng: random.Random, numbers: int) -> list[int]:
    """Numbers among which 0, 1 and repeats are common."""
    return [rng.choice([0, 1, 1, 2, 2, 3, rng.randint(4, 13), rng.randint(4, 13)]) for _ in range(numbers)]


def test_forms_and_ideas() -> None:
    counted = count([3, 3, 3, 8])
    assert (counted.forms, counted.ideas, repr(counted)) == (4, 1, "Count(forms=4, ideas=1)")
    assert (count([24]).forms, count([5]).ideas, count([0], 0).ideas) == (1, 0, 1)


def test_a_family_is_told_by_its_plainest_form() -> None:
    assert repr(families([3, 3, 3, 8])) == "[Family(3+3*8-3, forms=4)]"


@pytest.mark.parametrize("seed", range(8))
def test_as_many_as_are_listed(seed: int) -> None:
    rng = random.Random(seed)
    for numbers in (1, 2, 3, 4, 4, 5, 5):
        hand = random_hand(rng, numbers)
        for target in (24, 0, 1, rng.randint(2, 100)):
            counted = count(hand, target)
            assert counted.forms == sum(1 for _ in solve(hand, target)), (hand, target)
            assert counted.ideas == sum(1 for _ in ideas(hand, target)), (hand, target)


def test_the_families_of_a_hand_are_its_ideas() -> None:
    hand = [1, 2, 2, 6, 7]
    grown = families(hand)
    assert (sum(family.forms for family in grown), len(grown)) == (count(hand).forms, count(hand).ideas)


@pytest.mark.parametrize(
    ("hand", "target"),
    [
        ((1, 2, 3, 4, 5, 6), 24),
        ((3, 26, 20, 12, 19, 5), 1),
        pytest.param((2, 3, 5, 7, 9, 11, 14), 24, marks=pytest.mark.long),
        pytest.param((30, 48, 49, 17, 25, 91, 6, 11), 24, marks=[pytest.mark.long, pytest.mark.exhaustive]),
    ],
)
def test_as_many_as_are_counted_otherwise(hand: tuple[int, ...], target: int) -> None:
    assert count_forms(hand, target) == count_otherwise(hand, target)


@pytest.mark.long
@pytest.mark.exhaustive
def test_two_ways_agree_for_nine() -> None:
    hand = [45, 43, 77, 5, 70, 19, 56, 60, 98]
    assert count_forms(hand) == sum(1 for _ in solve(hand)) == 71926


@pytest.mark.parametrize(("numbers", "said"), [([], "needs a number"), ([1, -2], "not negative")])
def test_only_what_can_be_solved(numbers: list[int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        count(numbers)
