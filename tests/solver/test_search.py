"""Every solution, once: derived twice, counted as others counted, in one order, without delay."""

import subprocess
import sys
from itertools import combinations_with_replacement, islice

import pytest

from solver import form, ideas, parse, solve


def written(numbers: list[int], target: int = 24) -> list[str]:
    return [str(expression) for expression in solve(numbers, target)]


def test_the_hand_that_needs_a_fraction() -> None:
    assert written([3, 8, 3, 8]) == ["8/(3-8/3)"]


def test_plainest_first() -> None:
    assert written([3, 3, 3, 8]) == ["3+3*8-3", "3*3*8/3", "3*(3+8-3)", "8*(3+3-3)"]


def test_one_number_is_a_solution_or_none() -> None:
    assert (written([24]), written([5]), written([0], 0)) == (["24"], [], ["0"])


def test_hands_of_four_cards() -> None:
    hands = combinations_with_replacement(range(1, 14), 4)
    assert sum(1 for hand in hands if next(solve(hand), None)) == 1362


@pytest.mark.parametrize("numbers", [[], [1, -2], [True, 2], [2.0, 3]])
def test_only_whole_numbers_from_0(numbers: list[int]) -> None:
    with pytest.raises(ValueError):
        solve(numbers)
    with pytest.raises(ValueError):
        ideas(numbers)


def test_the_target_and_the_limit_too() -> None:
    with pytest.raises(ValueError, match="-24"):
        solve([1, 2], -24)
    with pytest.raises(ValueError, match="-1"):
        solve([1, 2], limit=-1)
    assert len(list(solve([3, 3, 3, 8], limit=2))) == 2
    assert list(ideas([3, 3, 3, 8], limit=0)) == []


def test_the_order_is_the_numbers_own() -> None:
    assert written([2, 4, 8, 10, 1]) == written([10, 1, 8, 4, 2])
    code = "import solver; print([str(e) for e in solver.solve([5, 1, 7, 2, 6], 31)])"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, env={"PYTHONHASHSEED": seed}, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


@pytest.mark.parametrize("count", [8, 50])
def test_the_first_solutions_of_many_numbers_come_at_once(count: int) -> None:
    found = list(islice(solve(range(1, count + 1)), 20))
    assert len({form(expression) for expression in found}) == 20
    assert all(expression.value == 24 for expression in found)
    assert all(sorted(expression.numbers) == list(range(1, count + 1)) for expression in found)


def test_ideas_are_fewer_than_forms() -> None:
    assert [str(expression) for expression in ideas([3, 3, 3, 8])] == ["3+3*8-3"]
    assert len(list(ideas([2, 4, 8, 10]))) == 11
    assert parse("8/(3-8/3)") in list(ideas([3, 8, 3, 8]))
