import os
import subprocess
import sys
from collections import Counter
from math import log
from random import Random
from time import process_time
from typing import Any

import pytest

from solver.deal import SOLVED_TOLERANCE, SUITS, deal
from solver.difficulty import rate
from solver.names import LEVELS
from solver.search import solve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from solver.names import Level


@pytest.mark.parametrize("seed", range(60))
def test_every_deal_has_a_solution(seed: int) -> None:
    puzzle = deal(Random(seed))
    assert next(solve(puzzle.numbers, puzzle.target)).value == 24
    assert len(puzzle.numbers) == 4
    assert all(1 <= number <= 13 for number in puzzle.numbers)


@pytest.mark.parametrize(
    ("cards", "highest", "target"),
    [(2, 13, 24), (3, 9, 24), (5, 10, 36), (6, 4, 24), (4, 100, 100), (4, 2, 8)],
)
def test_deal_respects_cards_highest_and_target(cards: int, highest: int, target: int) -> None:
    puzzle = deal(Random(1), cards=cards, highest=highest, target=target)
    assert puzzle.target == target
    assert len(puzzle.numbers) == cards
    assert all(1 <= number <= highest for number in puzzle.numbers)
    assert next(solve(puzzle.numbers, target)).value == target


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("cards", "target"), [(4, 24), (3, 24), (5, 24), (4, 36)])
def test_deal_has_requested_level(level: "Level", cards: int, target: int) -> None:
    if (cards, level) == (3, "fiendish"):
        with pytest.raises(ValueError, match="found no fiendish hand of 3 cards"):
            deal(Random(7), cards=cards, target=target, level=level)
        return
    puzzle = deal(Random(7), cards=cards, target=target, level=level)
    assert puzzle.level == level
    assert rate(puzzle.numbers, target).level == level


@pytest.mark.parametrize("solved", [0.97, 0.9, 0.75, 0.5])
def test_deal_has_about_the_wanted_share_of_people_who_find_it(solved: float) -> None:
    for seed in range(5):
        found = rate(deal(Random(seed), solved=solved).numbers).solved
        assert log(found / (1 - found)) == pytest.approx(log(solved / (1 - solved)), abs=SOLVED_TOLERANCE)


def test_share_that_no_hand_has_deals_the_nearest_of_many() -> None:
    dealt = [deal(Random(seed), solved=0.01) for seed in range(10)]
    assert {rate(puzzle.numbers).level for puzzle in dealt} == {"fiendish"}
    assert len({puzzle.numbers for puzzle in dealt}) > 7


@pytest.mark.parametrize("options", [{"solved": 0}, {"solved": 1}, {"solved": 0.5, "level": "easy"}])
def test_share_out_of_bounds_or_beside_a_level_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="solved must be a share between 0 and 1, without a level"):
        deal(Random(1), **options)


def test_same_seed_gives_same_deal() -> None:
    assert deal(Random(20260101), level="hard") == deal(Random(20260101), level="hard")
    assert deal(Random(1)).numbers == (2, 12, 10, 4)
    assert deal(Random(2)).numbers == (13, 13, 1, 2)


def test_deals_of_a_seed_never_change() -> None:
    """The deal of a date must be the same for everyone in the world: on every machine and every version."""
    rng = Random(24)
    assert [deal(rng).numbers for _ in range(3)] == [(10, 11, 3, 13), (2, 10, 10, 11), (6, 12, 13, 2)]


@pytest.mark.long
def test_hash_seed_does_not_change_deal() -> None:
    code = "from random import Random; from solver import deal; print(deal(Random(5), level='fiendish'))"
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        for seed in ("1", "2")
    ]
    dealt = "Puzzle(numbers=(2, 12, 4, 7), target=24, level='fiendish')\n"
    assert [run.stdout for run in runs] == [dealt, dealt]


def test_cards_come_from_a_pack() -> None:
    for seed in range(30):
        numbers = deal(Random(seed), cards=8, highest=2, target=12).numbers
        assert Counter(numbers) == {1: SUITS, 2: SUITS}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cards": 1}, "cards must be 2 to 8: 1"),
        ({"cards": 9}, "cards must be 2 to 8: 9"),
        ({"highest": 0}, "highest card must be 1 to 1000: 0"),
        ({"highest": 1, "cards": 5}, "a pack with ranks 1 to 1 has only 4 cards: 5"),
        ({"target": -1}, "target must not be negative: -1"),
        ({"level": "harder"}, "level must be one of easy, medium, hard, fiendish: 'harder'"),
        ({"highest": 2}, "found no hand of 4 cards from 1 to 2 that makes 24"),
        ({"cards": 2, "level": "fiendish"}, "found no fiendish hand of 2 cards from 1 to 13 that makes 24"),
        ({"target": 10**6}, "found no hand of 4 cards from 1 to 13 that makes 1000000"),
    ],
)
def test_impossible_deal_is_refused(arguments: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError) as refused:
        deal(Random(1), **arguments)  # type: ignore[arg-type]
    assert str(refused.value) == message


@pytest.mark.long
@pytest.mark.parametrize(
    ("cards", "level"), [*((4, level) for level in LEVELS), *((6, level) for level in LEVELS[:-1])]
)
def test_deal_of_a_level_is_fast(cards: int, level: "Level") -> None:
    times = []
    for seed in range(21 if cards == 4 else 3):
        start = process_time()
        deal(Random(seed), cards=cards, level=level)
        times.append(process_time() - start)
    assert sorted(times)[len(times) // 2] < (0.05 if cards == 4 else 2)
