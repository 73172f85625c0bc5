"""Hands of which some numbers are put together in one's head."""

from collections.abc import Iterator
from itertools import combinations
from random import Random

import pytest

from bot.games.twentyfour import merging
from bot.games.twentyfour.cover import gives_away, question

Numbers = tuple[int, ...]
LIVE = question((5, 7, 3, 12), 24)


def put_together(hand: Numbers) -> Iterator[Numbers]:
    """The hand after each step that makes a whole number, found by trying all."""
    for one, other in combinations(range(len(hand)), 2):
        rest = [number for at, number in enumerate(hand) if at not in (one, other)]
        a, b = hand[one], hand[other]
        made = {a + b, a - b, b - a, a * b, *(x / y for x, y in ((a, b), (b, a)) if y)}
        yield from (
            tuple(sorted([*rest, int(value)])) for value in made if value >= 0 and value == int(value)
        )


@pytest.mark.parametrize("count", [4, 5, 6])
def test_a_hand_after_a_step_is_given_away_by_what_is_left_of_it(count: int) -> None:
    rng = Random(count)
    for _ in range(12):
        hand = tuple(rng.randint(1, 13) for _ in range(count))
        for after in put_together(hand):
            assert gives_away([question(after, 24)], question(hand, 24)), (hand, after)


def test_so_is_one_after_two_steps_where_something_is_left_to_find() -> None:
    rng = Random(24)
    for _ in range(4):
        hand = tuple(rng.randint(1, 13) for _ in range(5))
        for after in {after for one in put_together(hand) for after in put_together(one)}:
            assert gives_away([question(after, 24)], question(hand, 24)), (hand, after)
    assert list(merging.shorter((5, 9), (5, 7, 3, 1))) == []


@pytest.mark.parametrize(
    ("numbers", "target", "given"),
    [
        ((12, 3, 12), 24, True),
        ((12, 3, 12, 0), 24, True),
        ((12, 3, 12, 2), 26, True),  # with another number beside
        ((24, 6, 24), 48, True),  # and all of it doubled
        ((4, 1, 4), 8, True),  # or divided by three
        ((12, 3, 12), 25, False),
        ((24, 6, 24), 47, False),
        ((12, 3, 11), 24, False),
        ((12, 3, 12, 2, 9), 24, False),
        ((12, 12), 24, False),
        ((), 24, False),
    ],
)
def test_also_with_a_number_beside_and_scaled(numbers: Numbers, target: int, given: bool) -> None:
    assert gives_away([question(numbers, target)], LIVE) is given
    assert not gives_away([question(numbers, target)], LIVE, sure=True)


def test_one_may_be_left_out_of_a_longer_hand() -> None:
    hand = question((5, 7, 3, 12, 9), 33)  # 5+7 in one's head, and 9 for later
    assert gives_away([question((12, 3, 12), 24)], hand)
    assert not gives_away([question((12, 3, 12), 23)], hand)


def test_a_part_of_what_is_shown_counts_as_it_stands() -> None:
    shown = ["(3*12-12)*(100-29-8)"]
    whole, part = question((3, 12, 12, 100, 29, 8), 24 * 63, shown), question((3, 12, 12), 24, shown)
    assert gives_away([whole, part], LIVE)
    assert not gives_away([whole], LIVE)


def test_ordinary_questions_are_seldom_refused_for_it() -> None:
    rng = Random(7)
    hands = [question([rng.randint(1, 13) for _ in range(4)], 24) for _ in range(60)]
    for count, most in ((3, 0.04), (4, 0.01), (5, 0.015)):
        asked = [question([rng.randint(1, 13) for _ in range(count)], 24) for _ in range(60)]
        refused = sum(gives_away([one], hand) for one in asked for hand in hands)
        print(f"{count} numbers: {refused} of 3600 refused")
        assert refused <= most * 3600


@pytest.mark.parametrize("asked", [(1, 12, 12), (12, 12)])
def test_a_hand_of_three_is_not_looked_at_after_a_step(asked: tuple[int, ...]) -> None:
    """Two numbers that make a target say no more than everybody sees."""
    assert not list(merging.shorter(asked, (5, 7, 12)))
    assert list(merging.shorter((3, *asked), (3, 5, 7, 12)))
