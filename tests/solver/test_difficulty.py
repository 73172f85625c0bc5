import re
from itertools import combinations_with_replacement, permutations
from math import isfinite
from random import Random
from statistics import median

import pytest

from bench.fit import Hand, correlate_ranks, cross_validate, fit_model, rank_values, read_hands
from solver.difficulty import (
    BANDS,
    FLOOR,
    MAX_SECONDS,
    SOLVED_LOGIT,
    SOLVED_SLOPE,
    WEIGHTS,
    Rating,
    estimate_solved,
    is_measured,
    rate,
)
from solver.names import LEVELS
from solver.search import ideas, solve


def draw_solvable_hands(count: int, highest: int, target: int, seed: int, most: int) -> list[tuple[int, ...]]:
    """Draw `most` random hands with a solution."""
    rng, found = Random(seed), list[tuple[int, ...]]()
    while len(found) < most:
        hand = tuple(rng.randint(1, highest) for _ in range(count))
        if next(solve(hand, target), None):
            found.append(hand)
    return found


@pytest.fixture(scope="module")
def hands() -> list[Hand]:
    """Return the hands for which people's times are known."""
    return read_hands()


def test_rate_refuses_hand_without_solution() -> None:
    with pytest.raises(ValueError, match="no solution: 1 1 1 1 can't make 24"):
        rate([1, 1, 1, 1])


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ([], "a hand needs a number"),
        ([-1, 25], "a whole number that is not negative is wanted, not -1"),
        ([1.5, 2], "a whole number that is not negative is wanted, not 1.5"),
    ],
)
def test_rate_refuses_bad_numbers(numbers: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        rate(numbers)


def test_known_easy_and_fiendish_hands_are_rated_so() -> None:
    easy = [(1, 1, 4, 6), (6, 6, 6, 6), (2, 2, 10, 10), (1, 1, 11, 11)]
    fiendish = [(3, 3, 8, 8), (1, 3, 4, 6), (1, 5, 5, 5), (2, 3, 5, 12), (3, 3, 7, 7)]
    assert {rate(hand).level for hand in easy} == {"easy"}
    assert {rate(hand).level for hand in fiendish} == {"fiendish"}
    assert max(rate(hand).seconds for hand in easy) * 5 < min(rate(hand).seconds for hand in fiendish)


def test_order_of_cards_does_not_change_rating() -> None:
    for hand in [(3, 8, 3, 8), (2, 4, 8, 10), (1, 2, 7, 7)]:
        assert len({rate(order) for order in permutations(hand)}) == 1


@pytest.mark.parametrize(
    ("count", "highest", "target"),
    [(1, 24, 24), (2, 13, 24), (3, 13, 24), (4, 13, 36), (4, 100, 100), (5, 13, 24), (4, 13, 1)],
)
def test_rating_of_other_games_is_within_bounds(count: int, highest: int, target: int) -> None:
    for hand in draw_solvable_hands(count, highest, target, seed=3, most=6):
        rating = rate(hand, target)
        assert isfinite(rating.seconds)
        assert FLOOR <= rating.seconds <= MAX_SECONDS
        assert rating.level in LEVELS
        assert 0 < rating.solved < 1


@pytest.mark.parametrize(
    ("hand", "target"),
    [
        ([0, 0, 24], 24),
        ([0, 0], 0),
        ([5, 5], 0),
        ([7, 7, 1], 1),
        ([10**9, 10**9, 1], 10**18),
        ([999999937, 7, 3], 999999937 * 7 - 3),
        ([24], 24),
        ([8, 8, 3, 3, 1, 1, 2, 2], 24),
    ],
)
def test_extreme_hands_are_rated(hand: list[int], target: int) -> None:
    assert FLOOR <= rate(hand, target).seconds <= MAX_SECONDS


@pytest.mark.parametrize(
    ("hand", "target", "is_known"),
    [
        ([3, 8, 3, 8], 24, True),
        ([1, 1, 11, 13], 24, True),
        ([1, 1, 12, 14], 24, False),
        ([0, 4, 6, 13], 24, False),
        ([3, 8, 1], 24, False),
        ([3, 8, 1, 1, 1], 24, False),
        ([1, 2, 3, 4], 10, False),
    ],
)
def test_only_four_cards_and_target_24_are_measured(hand: list[int], target: int, *, is_known: bool) -> None:
    assert is_measured(hand, target) is is_known


def test_spare_cards_add_little_time() -> None:
    for hand in [(4, 6), (2, 12), (11, 13), (3, 8)]:
        assert rate((*hand, 1, 1)).seconds < rate(hand).seconds * 1.2


def test_levels_begin_at_8_13_and_25_seconds() -> None:
    assert BANDS == (8, 13, 25)
    ratings = [rate(hand) for hand in draw_solvable_hands(4, 13, 24, seed=5, most=80)]
    for rating in ratings:
        assert LEVELS.index(rating.level) == sum(rating.seconds >= band for band in BANDS)
    assert {rating.level for rating in ratings} == set(LEVELS)
    assert Rating(5.0, "easy", solved=0.9) == Rating(5.0, "easy", solved=0.9)


def test_fewer_people_find_a_hand_that_takes_longer() -> None:
    shares = [estimate_solved(seconds) for seconds in (0, 4, 4.5, 8, 13, 25, 100, MAX_SECONDS)]
    assert shares == sorted(shares, reverse=True)
    assert all(0 < share < 1 for share in shares)


def test_model_has_at_most_thirty_constants() -> None:
    """The weights; floor, pace, spread; the bands; two for the share of people; two limits; and the 1 and 5
    inside the burdens.
    """
    assert len(WEIGHTS) + 3 + len(BANDS) + 2 + 2 + 2 <= 30


@pytest.mark.long
def test_levels_are_those_that_people_meet(hands: list[Hand]) -> None:
    """Of the hands in the published table 46, 34, 13 and 7 % are easy, medium, hard and fiendish."""
    levels = [rate(hand.numbers).level for hand in hands]
    for level, share in zip(LEVELS, (0.46, 0.34, 0.13, 0.07), strict=True):
        assert levels.count(level) / len(levels) == pytest.approx(share, abs=0.05)
    for level, solved in zip(LEVELS, (0.95, 0.88, 0.74, 0.41), strict=True):
        of_level = [hand.solved for hand, rated in zip(hands, levels, strict=True) if rated == level]
        assert median(of_level) == pytest.approx(solved, abs=0.06)


def test_equal_values_share_mean_rank() -> None:
    assert rank_values([30, 10, 20, 10]) == [4, 1.5, 3, 1.5]
    assert correlate_ranks([1, 2, 3], [2, 4, 9]) == 1
    assert correlate_ranks([1, 2, 3], [9, 4, 2]) == -1


@pytest.mark.long
def test_weights_are_those_of_the_fit(hands: list[Hand]) -> None:
    model = fit_model(hands)
    assert dict(zip(WEIGHTS, model.weights, strict=True)) == pytest.approx(WEIGHTS, abs=0.006)
    shares = (model.solved_logit, model.solved_slope)
    assert shares == pytest.approx((SOLVED_LOGIT, SOLVED_SLOPE), abs=0.006)


@pytest.mark.exhaustive
@pytest.mark.long
def test_model_predicts_times_of_unseen_hands(hands: list[Hand]) -> None:
    """The promise: rank correlation 0.91, two in three of the right level, 97 in 100 at most one off, and the
    share of people within 8 points on average.
    """
    for folds, seed in [(10, 0), (10, 1), (5, 2), (3, 3)]:
        found = cross_validate(hands, folds, seed)
        assert found.spearman >= 0.91
        assert found.solved_error <= 0.08
        assert found.near >= 0.97
        assert found.right >= 2 / 3


@pytest.mark.long
def test_every_solvable_hand_is_rated() -> None:
    rated = 0
    for hand in combinations_with_replacement(range(1, 14), 4):
        if next(ideas(hand), None):
            rated += FLOOR < rate(hand).seconds < MAX_SECONDS
    assert rated == 1362
