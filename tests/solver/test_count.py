"""Counts of solutions, compared with lists and with an independent count."""

import random

import pytest

from solver import count, families, ideas, solve
from solver.count import count_forms

from .counting import count_forms as count_forms_independently


def make_random_hand(rng: random.Random, numbers: int) -> list[int]:
    """Return random numbers among which 0, 1 and repeats are common."""
    return [rng.choice([0, 1, 1, 2, 2, 3, rng.randint(4, 13), rng.randint(4, 13)]) for _ in range(numbers)]


def test_count_returns_forms_and_ideas() -> None:
    counted = count([3, 3, 3, 8])
    assert (counted.forms, counted.ideas, repr(counted)) == (4, 1, "Count(forms=4, ideas=1)")
    assert (count([24]).forms, count([5]).ideas, count([0], 0).ideas) == (1, 0, 1)


def test_family_repr_shows_plainest_form() -> None:
    assert repr(families([3, 3, 3, 8])) == "[Family(3+3*8-3, forms=4)]"


@pytest.mark.parametrize("seed", range(8))
def test_count_equals_number_of_listed_solutions(seed: int) -> None:
    rng = random.Random(seed)
    for numbers in (1, 2, 3, 4, 4, 5, 5):
        hand = make_random_hand(rng, numbers)
        for target in (24, 0, 1, rng.randint(2, 100)):
            counted = count(hand, target)
            assert counted.forms == sum(1 for _ in solve(hand, target)), (hand, target)
            assert counted.ideas == sum(1 for _ in ideas(hand, target)), (hand, target)


def test_family_counts_add_up_to_count() -> None:
    hand = [1, 2, 2, 6, 7]
    found = families(hand)
    assert (sum(family.forms for family in found), len(found)) == (count(hand).forms, count(hand).ideas)


@pytest.mark.parametrize(
    ("hand", "target"),
    [
        ((1, 2, 3, 4, 5, 6), 24),
        ((3, 26, 20, 12, 19, 5), 1),
        pytest.param((2, 3, 5, 7, 9, 11, 14), 24, marks=[pytest.mark.long, pytest.mark.exhaustive]),
        pytest.param((30, 48, 49, 17, 25, 91, 6, 11), 24, marks=[pytest.mark.long, pytest.mark.exhaustive]),
    ],
)
def test_form_count_equals_independent_count(hand: tuple[int, ...], target: int) -> None:
    assert count_forms(hand, target) == count_forms_independently(hand, target)


@pytest.mark.parametrize(
    ("hand", "forms"),
    [
        ([7] * 9, 131),
        ([5] * 9, 792),
        ([97] * 8 + [89], 86),
        ([50] * 5 + [9] * 4, 525),
        pytest.param(
            [45, 43, 77, 5, 70, 19, 56, 60, 98], 71926, marks=[pytest.mark.long, pytest.mark.exhaustive]
        ),
    ],
)
def test_nine_numbers_are_counted_and_listed_alike(hand: list[int], forms: int) -> None:
    listed = [str(expression) for expression in solve(hand)]
    assert count_forms(hand) == len(listed) == len(set(listed)) == forms


@pytest.mark.parametrize(("numbers", "message"), [([], "needs a number"), ([1, -2], "not negative")])
def test_count_refuses_bad_numbers(numbers: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        count(numbers)
