"""All targets of a draw, compared with a full list of its values."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import reachable
from solver.nearest import find_all_values
from solver.targets import MAX_ROW_LENGTH

SMALL = [*range(1, 11)] * 2
LARGE = [25, 50, 75, 100]
TARGETS = range(101, 1000)


def list_targets(tiles: tuple[int, ...] | list[int], highest: int) -> set[int]:
    return {value for value in find_all_values(tiles) if value <= highest}


@pytest.mark.parametrize("large", range(5))
def test_reachable_agrees_with_full_listing_for_countdown(large: int) -> None:
    rng = Random(large)
    for _ in range(12):
        tiles = [*rng.sample(SMALL, 6 - large), *rng.sample(LARGE, large)]
        assert reachable(tiles, 999) == list_targets(tiles, 999), tiles


@pytest.mark.long
@settings(max_examples=60)
@given(
    st.lists(st.one_of(st.integers(1, 12), st.integers(1, 110)), min_size=5, max_size=6),
    st.one_of(st.integers(0, 130), st.integers(0, 3000)),
)
def test_reachable_agrees_with_full_listing_for_any_tiles(tiles: list[int], highest: int) -> None:
    assert reachable(tiles, highest) == list_targets(tiles, highest)


@pytest.mark.parametrize(
    ("tiles", "highest"),
    [
        ((7,), 10),
        ((1,), 0),
        ((2, 4, 4), 50),
        ((1, 2, 3, 4), 999),
        ((1, 1, 1, 1, 1), 6),
        ((1, 1, 1, 1, 1, 1, 1), 50),
        ((2, 2, 2, 2, 2, 2), 300),
        ((0, 3, 3, 5, 25), 999),  # nothing is divided by 0
        ((0, 0, 0, 0, 0), 9),
        ((1, 3, 7, 10, 25, 50, 3), 999),
        ((2, 2, 2, 2, 3, 3, 3), 130),  # 125 is (2+3)*(2+3)*(2+3): three factors of two tiles each
        ((1, 10, 9, 1, 9, 10, 1), 999),
        ((1, 3, 4, 5, 5, 8, 50), 5000),
        ((100, 100, 99, 98, 75, 1), 999),
        ((1, 2, 3, 4, 5, 10**9), 999),  # rows would be too long
        ((3, 5, 7, 9, 11), MAX_ROW_LENGTH),
        ((1,) * 12, 40),  # too many tiles for rows
        ((19, 23, 29, 31, 37, 41), 20_000),
    ],
)
def test_reachable_agrees_with_full_listing_for_odd_draws(tiles: tuple[int, ...], highest: int) -> None:
    found = reachable(tiles, highest)
    assert found == list_targets(tiles, highest)
    assert found == reachable(tiles[::-1], highest)
    assert reachable(tiles) == find_all_values(tiles)


@pytest.mark.parametrize(
    ("tiles", "highest", "message"),
    [
        ((), 9, "at least one number is needed, not ()"),
        ((1, -2), 9, "each of the numbers is a whole number, 0 or more, not -2"),
        ((1, 2), -1, "the highest target is a whole number, 0 or more, not -1"),
        ((1, 2, 3, 4, 5), 99.5, "the highest target is a whole number, 0 or more, not 99.5"),
        ((1, 2, 3, 4, 5), True, "the highest target is a whole number, 0 or more, not True"),
    ],
)
def test_bad_draw_is_refused(tiles: tuple[int, ...], highest: int, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        reachable(tiles, highest)
    assert str(caught.value) == message


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("large", "draws", "hits"),
    [(0, 2850, 1963726), (1, 5808, 4966076), (2, 3690, 3192103), (3, 840, 693131), (4, 55, 43710)],
)
def test_number_of_solvable_countdown_games(large: int, draws: int, hits: int) -> None:
    """Of the 11905457 games of the television show, 10858746 can be solved."""
    hands = {
        (*few, *many) for few in combinations(sorted(SMALL), 6 - large) for many in combinations(LARGE, large)
    }
    assert len(hands) == draws
    assert sum(len(reachable(hand, 999).intersection(TARGETS)) for hand in hands) == hits
